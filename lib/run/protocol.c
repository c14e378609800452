/* protocol.c - frames between a program and its runner; see protocol.h. */
#include "run/protocol.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* ---- writing: the first failure is kept, the rest is skipped ---------------------------- */

struct writer {
	struct buf *b;   /* borrowed */
	struct err *err; /* borrowed */
	size_t start;
	int rc;
};

static struct writer write_begin(struct buf *b, enum run_type type, struct err *err)
{
	struct writer w = { .b = b, .err = err, .start = b->len };
	char head[RUN_FRAME_HEAD];

	num_put_u32(head, 0);
	num_put_u32(head + 4, type);
	w.rc = buf_add(b, head, sizeof(head), err);
	return w;
}

static void put_bytes_raw(struct writer *w, const void *bytes, size_t len)
{
	if (w->rc == 0 && len > 0)
		w->rc = buf_add(w->b, bytes, len, w->err);
}

static void put_u32(struct writer *w, uint32_t v)
{
	char raw[4];

	num_put_u32(raw, v);
	put_bytes_raw(w, raw, sizeof(raw));
}

static void put_u64(struct writer *w, uint64_t v)
{
	char raw[8];

	num_put_u64(raw, v);
	put_bytes_raw(w, raw, sizeof(raw));
}

static void put_bytes(struct writer *w, struct run_bytes v)
{
	put_u32(w, v.size);
	put_bytes_raw(w, v.bytes, v.size);
}

static void put_text(struct writer *w, const char *s)
{
	size_t len = s == NULL ? 0 : strlen(s);

	put_bytes(w, (struct run_bytes){ s == NULL ? "" : s, (uint32_t)len + 1 });
}

static int write_end(struct writer *w)
{
	size_t body = w->b->len - w->start - RUN_FRAME_HEAD;

	if (w->rc == 0 && body > RUN_MAX_BODY)
		w->rc = err_set(w->err, ERR_TOO_BIG, "a message of %zu bytes", body);
	if (w->rc == 0)
		num_put_u32(w->b->data + w->start, (uint32_t)body);
	else
		w->b->len = w->start;
	return w->rc;
}

/* ---- reading: the first failure is kept, what follows reads as zero --------------------- */

struct reader {
	const uint8_t *at; /* borrowed */
	size_t left;
	bool bad;
};

static struct reader read_begin(struct run_bytes body)
{
	return (struct reader){ .at = body.bytes, .left = body.size };
}

static const void *get_raw(struct reader *r, size_t len)
{
	const uint8_t *p = r->at;

	if (r->bad || len > r->left) {
		r->bad = true;
		return NULL;
	}
	r->at += len;
	r->left -= len;
	return p;
}

static uint32_t get_u32(struct reader *r)
{
	const void *p = get_raw(r, 4);

	return p == NULL ? 0 : num_get_u32(p);
}

static uint64_t get_u64(struct reader *r)
{
	const void *p = get_raw(r, 8);

	return p == NULL ? 0 : num_get_u64(p);
}

/* A number in [0, max]. */
static uint32_t get_small(struct reader *r, uint32_t max)
{
	uint32_t v = get_u32(r);

	if (v <= max)
		return v;
	r->bad = true;
	return 0;
}

static struct run_bytes get_bytes(struct reader *r, uint32_t max)
{
	struct run_bytes v = { .size = get_small(r, max) };

	v.bytes = get_raw(r, v.size);
	if (v.bytes == NULL)
		v.size = 0;
	return v;
}

static const char *get_text(struct reader *r, uint32_t max)
{
	struct run_bytes v = get_bytes(r, max + 1);

	if (v.size == 0 || memchr(v.bytes, '\0', v.size) != (const char *)v.bytes + v.size - 1) {
		r->bad = true;
		return "";
	}
	return v.bytes;
}

/* 0 or one of the ERR_ codes, sent negated. */
static int get_code(struct reader *r)
{
	return -(int)get_small(r, -ERR_SYSTEM);
}

static int read_end(const struct reader *r, const char *what, struct err *err)
{
	if (r->bad || r->left > 0)
		return err_set(err, ERR_PROTOCOL, "the runner's %s message is malformed", what);
	return 0;
}

int run_frame(const struct buf *b, uint32_t *ret_type, struct run_bytes *ret_body, struct err *err)
{
	uint32_t len;

	if (b->len < RUN_FRAME_HEAD)
		return 0;
	len = num_get_u32(b->data);
	if (len > RUN_MAX_BODY)
		return err_set(err, ERR_PROTOCOL, "a runner's message of %u bytes", len);
	if (b->len - RUN_FRAME_HEAD < len)
		return 0;
	*ret_type = num_get_u32(b->data + 4);
	*ret_body = (struct run_bytes){ b->data + RUN_FRAME_HEAD, len };
	return 1;
}

/* ---- messages --------------------------------------------------------------------------- */

int run_put_ready(struct buf *b, const struct run_ready *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_READY, err);

	put_text(&w, m->version);
	return write_end(&w);
}

int run_get_ready(struct run_bytes body, struct run_ready *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_ready){ .version = get_text(&r, 64) };
	return read_end(&r, "READY", err);
}

int run_put_compile(struct buf *b, const struct run_compile_request *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_COMPILE, err);

	ASSERT(m->n_constants <= WIRE_MAX_CONSTANTS);
	put_u32(&w, m->code);
	put_u32(&w, m->reverse);
	put_u32(&w, m->strict);
	put_u32(&w, m->target);
	put_u32(&w, m->modes);
	put_text(&w, m->entry_point);
	put_u32(&w, m->n_constants);
	for (uint32_t i = 0; i < m->n_constants; i++) {
		uint64_t bits;

		memcpy(&bits, &m->constants[i].value, sizeof(bits));
		put_text(&w, m->constants[i].key);
		put_u64(&w, bits);
	}
	put_bytes(&w, (struct run_bytes){ m->text, m->len });
	return write_end(&w);
}

int run_get_compile(struct run_bytes body, struct run_compile_request *m, struct err *err)
{
	struct reader r = read_begin(body);
	struct run_bytes text;

	*m = (struct run_compile_request){ 0 };
	m->code = get_small(&r, 1) != 0;
	m->reverse = get_small(&r, 1) != 0;
	m->strict = get_small(&r, 1) != 0;
	m->target = (enum run_target)get_small(&r, RUN_VULKAN);
	m->modes = get_u32(&r);
	m->entry_point = get_text(&r, WIRE_MAX_NAME);
	m->n_constants = get_small(&r, WIRE_MAX_CONSTANTS);
	for (uint32_t i = 0; i < m->n_constants; i++) {
		uint64_t bits;

		m->constants[i].key = get_text(&r, WIRE_MAX_NAME);
		bits = get_u64(&r);
		memcpy(&m->constants[i].value, &bits, sizeof(bits));
	}
	text = get_bytes(&r, RUN_MAX_BODY);
	m->text = text.bytes;
	m->len = text.size;
	return read_end(&r, "COMPILE", err);
}

int run_put_compiled(struct buf *b, const struct run_compile_answer *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_COMPILED, err);

	ASSERT(m->n_places <= WIRE_MAX_BINDINGS);
	put_u32(&w, (uint32_t)-m->code);
	put_text(&w, m->message);
	put_text(&w, m->text);
	put_bytes(&w, m->kernel);
	put_bytes(&w, m->object[0]);
	put_bytes(&w, m->object[1]);
	put_u32(&w, m->n_buffers);
	put_u32(&w, m->n_places);
	for (uint32_t i = 0; i < m->n_places; i++)
		put_u32(&w, m->places[i]);
	return write_end(&w);
}

int run_get_compiled(struct run_bytes body, struct run_compile_answer *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_compile_answer){ .code = get_code(&r) };
	m->message = get_text(&r, sizeof(err->text));
	m->text = get_text(&r, RUN_MAX_TEXT);
	m->kernel = get_bytes(&r, RUN_MAX_REFLECTION);
	m->object[0] = get_bytes(&r, RUN_MAX_OBJECT);
	m->object[1] = get_bytes(&r, RUN_MAX_OBJECT);
	m->n_buffers = get_small(&r, WIRE_MAX_BINDINGS);
	m->n_places = get_small(&r, m->n_buffers);
	for (uint32_t i = 0; i < m->n_places; i++) {
		m->places[i] = get_small(&r, WIRE_MAX_BINDINGS);
		if (m->places[i] >= m->n_buffers)
			r.bad = true;
	}
	return read_end(&r, "COMPILED", err);
}

int run_put_devices(struct buf *b, const struct run_devices *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_DEVICES, err);

	ASSERT(m->n <= RUN_MAX_DEVICES);
	put_u32(&w, (uint32_t)-m->code);
	put_text(&w, m->message);
	put_u32(&w, m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		put_text(&w, m->list[i].id);
		put_text(&w, m->list[i].vendor);
		put_text(&w, m->list[i].name);
		put_text(&w, m->list[i].driver);
		put_u64(&w, m->list[i].memory_mib);
		put_u32(&w, m->list[i].is_software);
		put_u32(&w, m->list[i].modes);
	}
	return write_end(&w);
}

int run_get_devices(struct run_bytes body, struct run_devices *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_devices){ .code = get_code(&r) };
	m->message = get_text(&r, sizeof(err->text));
	m->n = get_small(&r, RUN_MAX_DEVICES);
	for (uint32_t i = 0; i < m->n; i++) {
		struct run_device *d = &m->list[i];

		d->id = get_text(&r, WIRE_MAX_NAME);
		d->vendor = get_text(&r, WIRE_MAX_NAME);
		d->name = get_text(&r, WIRE_MAX_PATH);
		d->driver = get_text(&r, WIRE_MAX_PATH);
		d->memory_mib = get_u64(&r);
		d->is_software = get_small(&r, 1) != 0;
		d->modes = get_u32(&r);
	}
	return read_end(&r, "DEVICES", err);
}

int run_put_load(struct buf *b, const struct run_load_request *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_LOAD, err);

	put_bytes(&w, m->object[0]);
	put_bytes(&w, m->object[1]);
	return write_end(&w);
}

int run_get_load(struct run_bytes body, struct run_load_request *m, struct err *err)
{
	struct reader r = read_begin(body);

	m->object[0] = get_bytes(&r, RUN_MAX_OBJECT);
	m->object[1] = get_bytes(&r, RUN_MAX_OBJECT);
	return read_end(&r, "LOAD", err);
}

int run_put_loaded(struct buf *b, const struct run_load_answer *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_LOADED, err);

	put_u32(&w, (uint32_t)-m->code);
	put_text(&w, m->message);
	return write_end(&w);
}

int run_get_loaded(struct run_bytes body, struct run_load_answer *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_load_answer){ .code = get_code(&r) };
	m->message = get_text(&r, sizeof(err->text));
	return read_end(&r, "LOADED", err);
}

int run_put_chunk(struct buf *b, const struct run_chunk_request *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_CHUNK, err);

	ASSERT(m->n_buffers <= WIRE_MAX_BINDINGS);
	put_u32(&w, m->reverse);
	put_u32(&w, m->alone);
	put_u64(&w, m->iterations);
	put_u64(&w, m->cpu_ms);
	for (int i = 0; i < 3; i++)
		put_u32(&w, m->grid[i]);
	put_u32(&w, m->n_code_buffers);
	put_u32(&w, m->n_buffers);
	for (uint32_t i = 0; i < m->n_buffers; i++) {
		put_u32(&w, m->buffers[i].where);
		put_u32(&w, m->buffers[i].place);
		put_u64(&w, m->buffers[i].offset);
		put_u64(&w, m->buffers[i].size);
	}
	put_bytes(&w, m->uniforms);
	return write_end(&w);
}

static struct run_buffer get_buffer(struct reader *r, uint32_t n_code_buffers)
{
	struct run_buffer b = { .where = (enum run_where)get_small(r, RUN_IN_OUTPUTS) };

	b.place = get_u32(r);
	b.offset = get_u64(r);
	b.size = get_u64(r);
	if (b.where < RUN_IN_MESSAGE || b.place >= n_code_buffers)
		r->bad = true;
	return b;
}

int run_get_chunk(struct run_bytes body, struct run_chunk_request *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_chunk_request){ 0 };
	m->reverse = get_small(&r, 1) != 0;
	m->alone = get_small(&r, 1) != 0;
	m->iterations = get_u64(&r);
	m->cpu_ms = get_u64(&r);
	for (int i = 0; i < 3; i++)
		m->grid[i] = get_u32(&r);
	m->n_code_buffers = get_small(&r, WIRE_MAX_BINDINGS);
	m->n_buffers = get_small(&r, m->n_code_buffers);
	for (uint32_t i = 0; i < m->n_buffers; i++)
		m->buffers[i] = get_buffer(&r, m->n_code_buffers);
	m->uniforms = get_bytes(&r, WIRE_MAX_UNIFORM);
	return read_end(&r, "CHUNK", err);
}

int run_put_ran(struct buf *b, const struct run_chunk_answer *m, struct err *err)
{
	struct writer w = write_begin(b, RUN_RAN, err);

	put_u32(&w, m->outcome);
	put_u64(&w, m->iterations);
	put_u64(&w, m->elapsed_us);
	put_text(&w, m->message);
	return write_end(&w);
}

int run_get_ran(struct run_bytes body, struct run_chunk_answer *m, struct err *err)
{
	struct reader r = read_begin(body);

	*m = (struct run_chunk_answer){ .outcome = (enum wire_outcome)get_u32(&r) };
	m->iterations = get_u64(&r);
	m->elapsed_us = get_u64(&r);
	m->message = get_text(&r, WIRE_MAX_MESSAGE - 1);
	if (m->outcome != WIRE_OK && m->outcome != WIRE_ITERATION_LIMIT &&
	    m->outcome != WIRE_BAD_KERNEL && m->outcome != WIRE_REFUSED &&
	    m->outcome != WIRE_DEVICE_LOST)
		r.bad = true;
	return read_end(&r, "RAN", err);
}
