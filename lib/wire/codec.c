/* codec.c - see codec_int.h: checking and encoding; decode.c reads. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "wire/codec_int.h"
#include "wire/field_int.h"
#include "wire/kernel.h"

uint32_t wire_get_u32(const void *value, size_t offset)
{
	uint32_t v;

	memcpy(&v, (const char *)value + offset, sizeof(v));
	return v;
}

uint64_t wire_get_u64(const void *value, size_t offset)
{
	uint64_t v;

	memcpy(&v, (const char *)value + offset, sizeof(v));
	return v;
}

const void *wire_get_ptr(const void *value, size_t offset)
{
	const void *v;

	memcpy(&v, (const char *)value + offset, sizeof(v));
	return v;
}

int wire_check_number(const struct wire_field *f, uint64_t v, struct err *err)
{
	if (f->max != 0 && v > f->max)
		return err_set(err, ERR_PROTOCOL, "%s: %llu is above %llu", f->name,
			       (unsigned long long)v, (unsigned long long)f->max);
	return 0;
}

int wire_check_length(const struct wire_field *f, uint64_t len, struct err *err)
{
	if (len > f->max)
		return err_set(err, ERR_PROTOCOL, "%s: %llu where at most %llu are allowed",
			       f->name, (unsigned long long)len, (unsigned long long)f->max);
	return 0;
}

int wire_check_text(const struct wire_field *f, const char *s, size_t len, struct err *err)
{
	if (!text_is_utf8(s, len))
		return err_set(err, ERR_PROTOCOL, "%s: not UTF-8 text", f->name);
	return 0;
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (p[i] != 0)
			return false;
	}
	return true;
}

/* wire 1.4: is there something to send? */
static bool is_present(const struct wire_field *f, const void *value)
{
	const char *at = (const char *)value + f->offset;
	const char *text;

	switch (f->kind) {
	case WIRE_K_BOOL:
		return *at != 0;
	case WIRE_K_U32:
		return wire_get_u32(value, f->offset) != 0;
	case WIRE_K_U64:
	case WIRE_K_F64:
		return wire_get_u64(value, f->offset) != 0;
	case WIRE_K_SIZE64:
		return wire_get_u64(value, f->offset) != 0 &&
		       wire_get_ptr(value, f->count_offset) == NULL;
	case WIRE_K_STR:
		text = wire_get_ptr(value, f->offset);
		return text != NULL && text[0] != '\0';
	case WIRE_K_CHARS:
		return at[0] != '\0';
	case WIRE_K_FIXED:
		return !all_zero((const uint8_t *)at, f->max);
	case WIRE_K_BYTES64:
		return wire_get_u64(value, f->count_offset) != 0 &&
		       wire_get_ptr(value, f->offset) != NULL;
	case WIRE_K_BYTES:
	case WIRE_K_U64S:
	case WIRE_K_STRS:
	case WIRE_K_MSGS:
	case WIRE_K_MSGS_HERE:
		return wire_get_u32(value, f->count_offset) != 0;
	case WIRE_K_U32X3:
	case WIRE_K_U64X3:
	case WIRE_K_MSG:
		return true;
	}
	return false;
}

int wire_check_message(const struct wire_type *t, const void *value, struct err *err)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		if (t->fields[i].required && !is_present(&t->fields[i], value))
			return err_set(err, ERR_PROTOCOL, "%s: missing", t->fields[i].name);
	}
	return t->check != NULL ? t->check(value, err) : 0;
}

static int put_varint(struct buf *out, uint64_t v, struct err *err)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n] = (uint8_t)(v & 127);
		v >>= 7;
		if (v != 0)
			bytes[n] |= 128;
		n++;
	} while (v != 0);
	return buf_add(out, bytes, n, err);
}

static int put_tag(struct buf *out, const struct wire_field *f, uint32_t wire_type, struct err *err)
{
	return put_varint(out, (uint64_t)f->number << 3 | wire_type, err);
}

static int put_bytes(struct buf *out, const struct wire_field *f, const void *p, uint64_t n,
		     struct err *err)
{
	if (put_tag(out, f, WIRE_LENGTH, err) < 0 || put_varint(out, n, err) < 0)
		return err->code;
	return buf_add(out, p, (size_t)n, err);
}

/* The length of what begins behind the byte at `mark` is now known: put it there. */
static int close_length(struct buf *out, size_t mark, struct err *err)
{
	uint64_t len = out->len - mark - 1;
	size_t extra = 0;
	char *room;

	for (uint64_t rest = len >> 7; rest != 0; rest >>= 7)
		extra++;
	if (buf_space(out, extra, &room, err) < 0)
		return err->code;
	memmove(out->data + mark + 1 + extra, out->data + mark + 1, (size_t)len);
	buf_commit(out, extra);
	for (size_t i = 0; i <= extra; i++) {
		out->data[mark + i] = (char)((len & 127) | (i < extra ? 128 : 0));
		len >>= 7;
	}
	return 0;
}

static int put_message(const struct wire_type *t, const void *value, struct buf *out,
		       struct err *err);

static int put_nested(const struct wire_field *f, const void *value, struct buf *out,
		      struct err *err)
{
	size_t mark;

	if (put_tag(out, f, WIRE_LENGTH, err) < 0)
		return err->code;
	mark = out->len;
	if (buf_addc(out, 0, err) < 0 || put_message(f->sub, value, out, err) < 0)
		return err->code;
	return close_length(out, mark, err);
}

static int put_list(const struct wire_field *f, const void *value, struct buf *out, struct err *err)
{
	uint32_t n = wire_get_u32(value, f->count_offset);
	const char *items = f->kind == WIRE_K_MSGS_HERE ? (const char *)value + f->offset
							: wire_get_ptr(value, f->offset);

	if (wire_check_length(f, n, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < n; i++) {
		if (put_nested(f, items + i * f->sub->size, out, err) < 0)
			return err_wrap(err, "%s[%u]", f->name, i);
	}
	return 0;
}

static int put_strings(const struct wire_field *f, const void *value, struct buf *out,
		       struct err *err)
{
	uint32_t n = wire_get_u32(value, f->count_offset);
	const char *const *items = wire_get_ptr(value, f->offset);

	if (wire_check_length(f, n, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(items[i]);

		if (len > WIRE_MAX_NAME)
			return err_set(err, ERR_PROTOCOL, "%s[%u]: longer than %d", f->name, i,
				       WIRE_MAX_NAME);
		if (wire_check_text(f, items[i], len, err) < 0 ||
		    put_bytes(out, f, items[i], len, err) < 0)
			return err->code;
	}
	return 0;
}

static uint64_t packed_item(const struct wire_field *f, const void *items, uint32_t i)
{
	if (f->kind == WIRE_K_U32X3)
		return wire_get_u32(items, i * sizeof(uint32_t));
	return wire_get_u64(items, i * sizeof(uint64_t));
}

static int put_packed(const struct wire_field *f, const void *value, struct buf *out,
		      struct err *err)
{
	bool here = f->kind != WIRE_K_U64S;
	uint32_t n = here ? 3 : wire_get_u32(value, f->count_offset);
	const void *items = here ? (const char *)value + f->offset : wire_get_ptr(value, f->offset);
	size_t mark;

	if (!here && wire_check_length(f, n, err) < 0)
		return err->code;
	if (put_tag(out, f, WIRE_LENGTH, err) < 0)
		return err->code;
	mark = out->len;
	if (buf_addc(out, 0, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < n; i++) {
		if (put_varint(out, packed_item(f, items, i), err) < 0)
			return err->code;
	}
	return close_length(out, mark, err);
}

static int put_text(const struct wire_field *f, const char *s, struct buf *out, struct err *err)
{
	size_t len = f->kind == WIRE_K_CHARS ? strnlen(s, f->max) : strlen(s);

	if (f->kind == WIRE_K_CHARS && len == f->max)
		return err_set(err, ERR_PROTOCOL, "%s: longer than %llu", f->name,
			       (unsigned long long)f->max - 1);
	if (wire_check_length(f, len, err) < 0 || wire_check_text(f, s, len, err) < 0)
		return err->code;
	return put_bytes(out, f, s, len, err);
}

static int put_number(const struct wire_field *f, uint64_t v, struct buf *out, struct err *err)
{
	if (wire_check_number(f, v, err) < 0 || put_tag(out, f, WIRE_VARINT, err) < 0)
		return err->code;
	return put_varint(out, v, err);
}

static int put_double(const struct wire_field *f, uint64_t bits, struct buf *out, struct err *err)
{
	uint8_t bytes[8];
	double v;

	memcpy(&v, &bits, sizeof(v));
	if (!isfinite(v))
		return err_set(err, ERR_PROTOCOL, "%s: not a finite number", f->name);
	num_put_u64(bytes, bits);
	if (put_tag(out, f, WIRE_FIXED64, err) < 0)
		return err->code;
	return buf_add(out, bytes, sizeof(bytes), err);
}

static int put_blob(const struct wire_field *f, const void *p, uint64_t n, struct buf *out,
		    struct err *err)
{
	if (wire_check_length(f, n, err) < 0)
		return err->code;
	return put_bytes(out, f, p, n, err);
}

static int put_field(const struct wire_field *f, const void *value, struct buf *out,
		     struct err *err)
{
	const char *at = (const char *)value + f->offset;

	switch (f->kind) {
	case WIRE_K_BOOL:
		return put_number(f, 1, out, err);
	case WIRE_K_U32:
		return put_number(f, wire_get_u32(value, f->offset), out, err);
	case WIRE_K_U64:
	case WIRE_K_SIZE64:
		return put_number(f, wire_get_u64(value, f->offset), out, err);
	case WIRE_K_F64:
		return put_double(f, wire_get_u64(value, f->offset), out, err);
	case WIRE_K_STR:
		return put_text(f, wire_get_ptr(value, f->offset), out, err);
	case WIRE_K_CHARS:
		return put_text(f, at, out, err);
	case WIRE_K_FIXED:
		return put_blob(f, at, f->max, out, err);
	case WIRE_K_BYTES:
		return put_blob(f, wire_get_ptr(value, f->offset),
				wire_get_u32(value, f->count_offset), out, err);
	case WIRE_K_BYTES64:
		return put_blob(f, wire_get_ptr(value, f->offset),
				wire_get_u64(value, f->count_offset), out, err);
	case WIRE_K_U32X3:
	case WIRE_K_U64X3:
	case WIRE_K_U64S:
		return put_packed(f, value, out, err);
	case WIRE_K_STRS:
		return put_strings(f, value, out, err);
	case WIRE_K_MSG:
		return put_nested(f, at, out, err) < 0 ? err_wrap(err, "%s", f->name) : 0;
	case WIRE_K_MSGS:
	case WIRE_K_MSGS_HERE:
		return put_list(f, value, out, err);
	}
	return 0;
}

static int put_message(const struct wire_type *t, const void *value, struct buf *out,
		       struct err *err)
{
	if (wire_check_message(t, value, err) < 0)
		return err->code;
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct wire_field *f = &t->fields[i];

		if (is_present(f, value) && put_field(f, value, out, err) < 0)
			return err->code;
	}
	return 0;
}

int wire_encode(const struct wire_type *t, const void *value, struct buf *out, struct err *err)
{
	size_t before = out->len;

	if (put_message(t, value, out, err) < 0) {
		out->len = before;
		if (out->data != NULL)
			out->data[before] = '\0';
		return err_wrap(err, "encode %s", t->name);
	}
	return 0;
}
