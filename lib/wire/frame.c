/* frame.c - the frames of the stream from controller to agent; see agent.h. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "wire/agent.h"
#include "wire/agent_int.h"
#include "wire/codec.h"
#include "wire/codec_int.h"

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_welcome, m, ##__VA_ARGS__)
static const struct wire_field welcome_fields[] = {
	F(1, U32, version, .required = true),
	F(2, U64, epoch),
	F(3, U64, session, .required = true),
	F(4, STR, node, .max = 253, .required = true),
	F(5, U32, ping_ms, .max = 3600 * 1000, .required = true),
	F(6, U32, session_lost_ms, .max = 3600 * 1000, .required = true),
	F(7, U32, node_lost_ms, .max = 3600 * 1000, .required = true),
};
#undef F
static const struct wire_type welcome_type =
    WIRE_TYPE("welcome", struct wire_welcome, welcome_fields, NULL, .max_bytes = 64 << 10);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_cancel, m, ##__VA_ARGS__)
static const struct wire_field cancel_fields[] = {
	F(1, MSGS, dispatches, WIRE_COUNT(struct wire_cancel, n_dispatches),
	  .max = WIRE_MAX_RUNNING, .sub = &wire_dispatch_type),
};
#undef F
static const struct wire_type cancel_type =
    WIRE_TYPE("cancel", struct wire_cancel, cancel_fields, NULL, .max_bytes = 1 << 20);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_decided, m, ##__VA_ARGS__)
static const struct wire_field decided_fields[] = {
	F(1, MSGS, jobs, WIRE_COUNT(struct wire_decided, n_jobs), .max = WIRE_MAX_JOBS,
	  .sub = &wire_job_runs_type),
};
#undef F
static const struct wire_type decided_type =
    WIRE_TYPE("decided", struct wire_decided, decided_fields, NULL, .max_bytes = WIRE_MAX_ANSWER);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_close, m, ##__VA_ARGS__)
static const struct wire_field close_fields[] = {
	F(1, U32, reason, .max = WIRE_CLOSE_PROTOCOL, .required = true),
	F(2, STR, text, .max = WIRE_MAX_MESSAGE),
};
#undef F
static const struct wire_type close_type =
    WIRE_TYPE("close", struct wire_close, close_fields, NULL, .max_bytes = 64 << 10);

static const struct wire_type *const frame_types[] = {
	[WIRE_FRAME_WELCOME] = &welcome_type, [WIRE_FRAME_ORDER] = &wire_order_type,
	[WIRE_FRAME_CANCEL] = &cancel_type,   [WIRE_FRAME_DECIDED] = &decided_type,
	[WIRE_FRAME_CLOSE] = &close_type,
};

int wire_frame_encode(const struct wire_frame *f, struct buf *out, struct err *err)
{
	size_t before = out->len;
	const struct wire_type *t;
	char *header;

	ASSERT(f->type >= WIRE_FRAME_WELCOME && f->type <= WIRE_FRAME_CLOSE);
	t = frame_types[f->type];
	if (buf_space(out, WIRE_FRAME_HEADER, &header, err) < 0)
		return err->code;
	buf_commit(out, WIRE_FRAME_HEADER);
	if (wire_encode(t, &f->welcome, out, err) < 0) {
		out->len = before;
		return err->code;
	}
	if (out->len - before - WIRE_FRAME_HEADER > t->max_bytes) {
		out->len = before;
		return err_set(err, ERR_TOO_BIG, "encode %s: more than %zu bytes", t->name,
			       t->max_bytes);
	}
	out->data[before] = (char)f->type;
	num_put_u32(out->data + before + 1, (uint32_t)(out->len - before - WIRE_FRAME_HEADER));
	return 0;
}

/* wire 4.1 */
int wire_frame_size(const void *bytes, size_t len, size_t *ret_size, struct err *err)
{
	const uint8_t *p = bytes;
	size_t size;

	if (len >= 1 && (p[0] < WIRE_FRAME_WELCOME || p[0] > WIRE_FRAME_CLOSE))
		return err_set(err, ERR_PROTOCOL, "frame: unknown type %u", p[0]);
	*ret_size = 0;
	if (len < WIRE_FRAME_HEADER)
		return 0;
	size = num_get_u32(p + 1);
	if (size > frame_types[p[0]]->max_bytes)
		return err_set(err, ERR_PROTOCOL, "frame: %zu bytes of %s, at most %zu", size,
			       frame_types[p[0]]->name, frame_types[p[0]]->max_bytes);
	*ret_size = size + WIRE_FRAME_HEADER;
	return 0;
}

int wire_frame_decode(const void *bytes, size_t size, struct arena *a, struct wire_frame *ret,
		      struct err *err)
{
	const uint8_t *p = bytes;
	struct wire_frame f = { 0 };
	size_t want = 0;

	if (wire_frame_size(bytes, size, &want, err) < 0)
		return err->code;
	ASSERT(want == size);
	f.type = p[0];
	if (wire_decode(frame_types[p[0]], p + WIRE_FRAME_HEADER, size - WIRE_FRAME_HEADER, a,
			&f.welcome, err) < 0)
		return err->code;
	*ret = f;
	return 0;
}
