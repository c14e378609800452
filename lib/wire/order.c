/* order.c - the tables of orders and results; see order.h and codec.h. */
#include "wire/order.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "wire/codec.h"
#include "wire/codec_int.h"
#include "wire/kernel.h"

enum { MAX_JOB_NAME = 512, MAX_TIMEOUT_MS = 24 * 3600 * 1000 };

/* wire 3.4: letters, digits and '-' only, so that a uid can name a file. */
static bool is_uid(const char *s)
{
	for (; *s != '\0'; s++) {
		if (!((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || *s == '-'))
			return false;
	}
	return true;
}

static int check_dispatch(const void *value, struct err *err)
{
	const struct wire_dispatch *d = value;

	if (!is_uid(d->job_uid))
		return err_set(err, ERR_PROTOCOL, "job_uid: not a uid");
	if ((uint64_t)d->first_chunk + d->n_chunks > WIRE_MAX_CHUNKS)
		return err_set(err, ERR_PROTOCOL, "n_chunks: chunk %u is above %d",
			       d->first_chunk + d->n_chunks - 1, WIRE_MAX_CHUNKS - 1);
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_dispatch, m, ##__VA_ARGS__)
static const struct wire_field dispatch_fields[] = {
	F(1, CHARS, job_uid, .max = WIRE_UID, .required = true),
	F(2, U32, slice),
	F(3, U32, replica),
	F(4, U32, attempt),
	F(5, U32, first_chunk, .max = WIRE_MAX_CHUNKS - 1),
	F(6, U32, n_chunks, .max = WIRE_MAX_SLICE, .required = true),
	F(7, U64, epoch),
};
#undef F
const struct wire_type wire_dispatch_type =
    WIRE_TYPE("dispatch", struct wire_dispatch, dispatch_fields, check_dispatch);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_constant, m, ##__VA_ARGS__)
static const struct wire_field constant_fields[] = {
	F(1, STR, key, .max = WIRE_MAX_NAME, .required = true),
	F(2, F64, value),
};
#undef F
static const struct wire_type constant_type =
    WIRE_TYPE("constant", struct wire_constant, constant_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_range, m, ##__VA_ARGS__)
static const struct wire_field range_fields[] = {
	F(1, U64, offset),
	F(2, U64, length),
};
#undef F
static const struct wire_type range_type =
    WIRE_TYPE("range", struct wire_range, range_fields, NULL);

static int check_chunk(const void *value, struct err *err)
{
	const struct wire_chunk *c = value;

	if (c->grid[0] == 0 || c->grid[1] == 0 || c->grid[2] == 0)
		return err_set(err, ERR_PROTOCOL, "grid: a dimension is 0");
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_chunk, m, ##__VA_ARGS__)
#define C(m) WIRE_COUNT(struct wire_chunk, m)
static const struct wire_field chunk_fields[] = {
	F(1, U32, index, .max = WIRE_MAX_CHUNKS - 1),
	F(2, U64X3, grid, .required = true),
	F(3, BYTES, uniforms, C(uniforms_size), .max = WIRE_MAX_UNIFORM),
	F(4, U64S, output_elements, C(n_outputs), .max = WIRE_MAX_BINDINGS),
	F(5, MSGS, inputs, C(n_inputs), .max = WIRE_MAX_BINDINGS, .sub = &range_type),
};
#undef F
#undef C
static const struct wire_type chunk_type =
    WIRE_TYPE("chunk", struct wire_chunk, chunk_fields, check_chunk);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_input, m, ##__VA_ARGS__)
static const struct wire_field input_fields[] = {
	F(1, FIXED, digest, .max = WIRE_DIGEST, .required = true),
	F(2, U64, size),
};
#undef F
static const struct wire_type input_type =
    WIRE_TYPE("input", struct wire_input, input_fields, NULL);

static int check_inputs(const struct wire_order *o, const struct wire_chunk *c, struct err *err)
{
	if (c->n_inputs != o->n_inputs)
		return err_set(err, ERR_PROTOCOL, "inputs: %u instead of %u", c->n_inputs,
			       o->n_inputs);
	for (uint32_t i = 0; i < c->n_inputs; i++) {
		const struct wire_range *r = &c->inputs[i];

		if (r->offset > o->inputs[i].size || r->length > o->inputs[i].size - r->offset)
			return err_set(err, ERR_PROTOCOL, "inputs[%u]: outside its %llu bytes", i,
				       (unsigned long long)o->inputs[i].size);
	}
	return 0;
}

/* wire 3.5 */
static int check_order(const void *value, struct err *err)
{
	const struct wire_order *o = value;

	if (o->n_chunks != o->dispatch.n_chunks)
		return err_set(err, ERR_PROTOCOL, "chunks: %u instead of %u", o->n_chunks,
			       o->dispatch.n_chunks);
	if (o->kind == WIRE_ORDER_PROBE && o->n_chunks != 1)
		return err_set(err, ERR_PROTOCOL, "chunks: a probe has 1, not %u", o->n_chunks);
	for (uint32_t i = 0; i < o->n_chunks; i++) {
		const struct wire_chunk *c = &o->chunks[i];

		if (c->index != o->dispatch.first_chunk + i)
			return err_set(err, ERR_PROTOCOL, "chunks[%u]: index %u instead of %u", i,
				       c->index, o->dispatch.first_chunk + i);
		if (c->n_outputs != o->chunks[0].n_outputs)
			return err_set(err, ERR_PROTOCOL, "chunks[%u]: %u outputs instead of %u", i,
				       c->n_outputs, o->chunks[0].n_outputs);
		if (check_inputs(o, c, err) < 0)
			return err_wrap(err, "chunks[%u]", i);
	}
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_order, m, ##__VA_ARGS__)
#define C(m) WIRE_COUNT(struct wire_order, m)
static const struct wire_field order_fields[] = {
	F(1, U32, kind, .max = WIRE_ORDER_PROBE, .required = true),
	F(2, MSG, dispatch, .sub = &wire_dispatch_type, .required = true),
	F(3, FIXED, ticket, .max = WIRE_DIGEST, .required = true),
	F(4, STR, job, .max = MAX_JOB_NAME),
	F(5, FIXED, kernel, .max = WIRE_DIGEST, .required = true),
	F(6, U64, kernel_size, .max = 256 << 10, .required = true),
	F(7, STR, entry_point, .max = WIRE_MAX_NAME),
	F(8, MSGS, constants, C(n_constants), .max = WIRE_MAX_CONSTANTS, .sub = &constant_type),
	F(9, MSGS, inputs, C(n_inputs), .max = WIRE_MAX_BINDINGS, .sub = &input_type),
	F(10, U64, discard),
	F(11, U64, iterations, .required = true),
	F(12, U32, chunk_timeout_ms, .max = MAX_TIMEOUT_MS, .required = true),
	F(13, U32, memory_mib),
	F(15, BOOL, strict),
	/* Last, so that an order that was cut off anywhere lacks chunks. */
	F(14, MSGS, chunks, C(n_chunks), .max = WIRE_MAX_SLICE, .sub = &chunk_type),
};
#undef F
#undef C
const struct wire_type wire_order_type =
    WIRE_TYPE("order", struct wire_order, order_fields, check_order, .max_bytes = WIRE_MAX_ORDER);

static int check_result(const void *value, struct err *err)
{
	static const uint8_t none[WIRE_DIGEST];
	const struct wire_result *r = value;
	bool has_digest = memcmp(r->digest, none, WIRE_DIGEST) != 0;

	if (r->outcome == WIRE_OK && !has_digest)
		return err_set(err, ERR_PROTOCOL, "digest: missing");
	if (r->outcome != WIRE_OK && (has_digest || r->values_size > 0))
		return err_set(err, ERR_PROTOCOL, "digest: given with outcome %s",
			       wire_outcome_name(r->outcome));
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_result, m, ##__VA_ARGS__)
static const struct wire_field result_fields[] = {
	F(1, U32, chunk, .max = WIRE_MAX_CHUNKS - 1),
	F(2, U32, outcome, .max = WIRE_ORDER_SEEN, .required = true),
	F(3, FIXED, digest, .max = WIRE_DIGEST),
	F(4, BYTES64, values, WIRE_COUNT(struct wire_result, values_size), .max = WIRE_MAX_VALUES),
	F(5, SIZE64, values_size, WIRE_COUNT(struct wire_result, values)),
	F(6, U64, iterations),
	F(7, U64, elapsed_us),
	F(8, STR, message, .max = WIRE_MAX_MESSAGE),
};
#undef F
static const struct wire_type result_type =
    WIRE_TYPE("result", struct wire_result, result_fields, check_result);

/* wire 3.6 */
static int check_results(const void *value, struct err *err)
{
	const struct wire_results *r = value;

	for (uint32_t i = 0; i < r->n_results; i++) {
		uint32_t c = r->results[i].chunk;

		if (c < r->dispatch.first_chunk ||
		    c - r->dispatch.first_chunk >= r->dispatch.n_chunks)
			return err_set(err, ERR_PROTOCOL, "results[%u]: chunk %u was not asked", i,
				       c);
	}
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_results, m, ##__VA_ARGS__)
static const struct wire_field results_fields[] = {
	F(1, MSG, dispatch, .sub = &wire_dispatch_type, .required = true),
	F(2, FIXED, ticket, .max = WIRE_DIGEST, .required = true),
	F(3, MSGS, results, WIRE_COUNT(struct wire_results, n_results),
	  .max = WIRE_MAX_PAGE_RESULTS, .sub = &result_type),
};
#undef F
const struct wire_type wire_results_type = WIRE_TYPE("results", struct wire_results, results_fields,
						     check_results, .max_bytes = WIRE_MAX_RESULTS);

int wire_order_encode(const struct wire_order *o, struct buf *out, struct err *err)
{
	return wire_encode(&wire_order_type, o, out, err);
}

int wire_order_decode(const void *bytes, size_t len, struct arena *a, struct wire_order *ret,
		      struct err *err)
{
	return wire_decode(&wire_order_type, bytes, len, a, ret, err);
}

int wire_results_encode(const struct wire_results *r, struct buf *out, struct err *err)
{
	return wire_encode(&wire_results_type, r, out, err);
}

int wire_results_decode(const void *bytes, size_t len, struct arena *a, struct wire_results *ret,
			struct err *err)
{
	return wire_decode(&wire_results_type, bytes, len, a, ret, err);
}

const char *wire_outcome_name(enum wire_outcome o)
{
	static const char *const names[] = {
		"",         "OK",         "IterationLimit", "BadKernel", "Crashed",
		"TimedOut", "DeviceLost", "Cancelled",      "Refused",   "OrderSeen",
	};

	return o <= WIRE_ORDER_SEEN ? names[o] : "";
}

/* wire 6.2 */
size_t wire_ticket_bytes(const struct wire_dispatch *d, const char *node,
			 unsigned char out[WIRE_TICKET_BYTES])
{
	static const char label[] = "kwarp ticket 1";
	const uint32_t numbers[] = { d->slice, d->replica, d->attempt, d->first_chunk,
				     d->n_chunks };
	size_t node_len = strlen(node);
	size_t n = sizeof(label);

	ASSERT(node_len >= 1 && node_len <= 253);
	memcpy(out, label, sizeof(label));
	memset(out + n, 0, WIRE_UID);
	memcpy(out + n, d->job_uid, strnlen(d->job_uid, WIRE_UID - 1));
	n += WIRE_UID;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++, n += 4)
		num_put_u32(out + n, numbers[i]);
	num_put_u64(out + n, d->epoch);
	n += 8;
	for (size_t i = 0; i < node_len; i++)
		out[n + i] = (unsigned char)node[i];
	return n + node_len;
}
