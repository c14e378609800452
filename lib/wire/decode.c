/* decode.c - reading messages; see codec_int.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "wire/codec_int.h"
#include "wire/field_int.h"
#include "wire/kernel.h"

struct span {
	const uint8_t *at; /* borrowed */
	size_t len;
};

/* One field as it stands on the wire. */
struct raw {
	uint32_t number;
	uint32_t wire_type;
	uint64_t value;    /* varint, fixed64 */
	struct span bytes; /* length-delimited */
};

static int take_varint(struct span *in, uint64_t *ret, struct err *err)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 10 && i < in->len; i++) {
		uint64_t b = in->at[i];

		if (i == 9 && b > 1)
			break;
		v |= (b & 127) << (7 * i);
		if (b < 128) {
			in->at += i + 1;
			in->len -= i + 1;
			*ret = v;
			return 0;
		}
	}
	return err_set(err, ERR_PROTOCOL, in->len < 10 ? "cut off" : "a number above 64 bits");
}

static int take_bytes(struct span *in, uint64_t n, struct span *ret, struct err *err)
{
	if (n > in->len)
		return err_set(err, ERR_PROTOCOL, "cut off");
	*ret = (struct span){ in->at, (size_t)n };
	in->at += n;
	in->len -= (size_t)n;
	return 0;
}

static int take_field(struct span *in, struct raw *ret, struct err *err)
{
	struct raw r = { 0 };
	uint64_t tag = 0;
	uint64_t n = 0;

	if (take_varint(in, &tag, err) < 0)
		return err->code;
	if (tag >> 3 == 0 || tag >> 3 > (1u << 29) - 1)
		return err_set(err, ERR_PROTOCOL, "field number %llu",
			       (unsigned long long)(tag >> 3));
	r.number = (uint32_t)(tag >> 3);
	r.wire_type = (uint32_t)(tag & 7);
	switch (r.wire_type) {
	case WIRE_VARINT:
		if (take_varint(in, &r.value, err) < 0)
			return err->code;
		break;
	case WIRE_FIXED64:
		if (take_bytes(in, 8, &r.bytes, err) < 0)
			return err->code;
		r.value = num_get_u64(r.bytes.at);
		break;
	case WIRE_LENGTH:
		if (take_varint(in, &n, err) < 0 || take_bytes(in, n, &r.bytes, err) < 0)
			return err->code;
		break;
	case WIRE_FIXED32:
		if (take_bytes(in, 4, &r.bytes, err) < 0)
			return err->code;
		break;
	default: /* wire 1.2: groups are refused */
		return err_set(err, ERR_PROTOCOL, "field %u has wire type %u", r.number,
			       r.wire_type);
	}
	*ret = r;
	return 0;
}

static const struct wire_field *find_field(const struct wire_type *t, uint32_t number)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		if (t->fields[i].number == number)
			return &t->fields[i];
	}
	return NULL;
}

static uint32_t wire_type_of(enum wire_kind k)
{
	if (k == WIRE_K_BOOL || k == WIRE_K_U32 || k == WIRE_K_U64 || k == WIRE_K_SIZE64)
		return WIRE_VARINT;
	return k == WIRE_K_F64 ? WIRE_FIXED64 : WIRE_LENGTH;
}

static bool is_list(enum wire_kind k)
{
	return k == WIRE_K_MSGS || k == WIRE_K_MSGS_HERE || k == WIRE_K_STRS;
}

static void put_u32(void *value, size_t offset, uint32_t v)
{
	memcpy((char *)value + offset, &v, sizeof(v));
}

static void put_u64(void *value, size_t offset, uint64_t v)
{
	memcpy((char *)value + offset, &v, sizeof(v));
}

static void put_ptr(void *value, size_t offset, const void *p)
{
	memcpy((char *)value + offset, &p, sizeof(p));
}

static int read_number(const struct wire_field *f, uint64_t v, void *ret, struct err *err)
{
	double d;

	if (f->kind == WIRE_K_F64) {
		memcpy(&d, &v, sizeof(d));
		if (!isfinite(d))
			return err_set(err, ERR_PROTOCOL, "%s: not a finite number", f->name);
	}
	if (wire_check_number(f, v, err) < 0)
		return err->code;
	if (f->kind == WIRE_K_SIZE64 && wire_get_ptr(ret, f->count_offset) != NULL)
		return err_set(err, ERR_PROTOCOL, "%s: both bytes and a size alone", f->name);
	if ((f->kind == WIRE_K_U32 && v > UINT32_MAX) || (f->kind == WIRE_K_BOOL && v > 1))
		return err_set(err, ERR_PROTOCOL, "%s: %llu is too large", f->name,
			       (unsigned long long)v);
	if (f->kind == WIRE_K_BOOL)
		*((char *)ret + f->offset) = (char)v;
	else if (f->kind == WIRE_K_U32)
		put_u32(ret, f->offset, (uint32_t)v);
	else
		put_u64(ret, f->offset, v);
	return 0;
}

static int read_text(const struct wire_field *f, struct span s, struct arena *a, void *ret,
		     struct err *err)
{
	uint64_t most = f->kind == WIRE_K_CHARS ? f->max - 1 : f->max;

	if (s.len > most)
		return err_set(err, ERR_PROTOCOL, "%s: longer than %llu", f->name,
			       (unsigned long long)most);
	if (wire_check_text(f, (const char *)s.at, s.len, err) < 0)
		return err->code;
	if (f->kind == WIRE_K_CHARS)
		memcpy((char *)ret + f->offset, s.at, s.len);
	else
		put_ptr(ret, f->offset, arena_strndup(a, (const char *)s.at, s.len));
	return 0;
}

static int read_bytes(const struct wire_field *f, struct span s, struct arena *a, void *ret,
		      struct err *err)
{
	if (wire_check_length(f, s.len, err) < 0)
		return err->code;
	if (f->kind == WIRE_K_BYTES64 && wire_get_u64(ret, f->count_offset) != 0)
		return err_set(err, ERR_PROTOCOL, "%s: both bytes and a size alone", f->name);
	put_ptr(ret, f->offset, arena_dup(a, s.at, s.len));
	if (f->kind == WIRE_K_BYTES)
		put_u32(ret, f->count_offset, (uint32_t)s.len);
	else
		put_u64(ret, f->count_offset, s.len);
	return 0;
}

/* wire 1.5 */
static int read_packed(const struct wire_field *f, struct span s, struct arena *a, void *ret,
		       struct err *err)
{
	bool here = f->kind != WIRE_K_U64S;
	uint64_t *items = NULL;
	uint32_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.at[i] < 128;
	if (here && n != 3)
		return err_set(err, ERR_PROTOCOL, "%s: %u numbers instead of 3", f->name, n);
	if (!here && wire_check_length(f, n, err) < 0)
		return err->code;
	if (!here)
		items = arena_new_array(a, uint64_t, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = 0;

		if (take_varint(&s, &v, err) < 0)
			return err_wrap(err, "%s", f->name);
		if (f->kind == WIRE_K_U32X3 && v > UINT32_MAX)
			return err_set(err, ERR_PROTOCOL, "%s: %llu is too large", f->name,
				       (unsigned long long)v);
		if (f->kind == WIRE_K_U32X3)
			put_u32(ret, f->offset + i * sizeof(uint32_t), (uint32_t)v);
		else if (here)
			put_u64(ret, f->offset + i * sizeof(uint64_t), v);
		else
			items[i] = v;
	}
	if (s.len > 0)
		return err_set(err, ERR_PROTOCOL, "%s: cut off", f->name);
	if (!here) {
		put_ptr(ret, f->offset, items);
		put_u32(ret, f->count_offset, n);
	}
	return 0;
}

static int read_message(const struct wire_type *t, struct span in, struct arena *a, void *ret,
			struct err *err);

/* The arrays were made by make_lists; the count says how many items have been read. */
static int read_item(const struct wire_field *f, struct span s, struct arena *a, void *ret,
		     struct err *err)
{
	uint32_t i = wire_get_u32(ret, f->count_offset);
	char *items = (char *)ret + f->offset;

	if (f->kind != WIRE_K_MSGS_HERE)
		memcpy(&items, (char *)ret + f->offset, sizeof(items));
	if (f->kind == WIRE_K_STRS) {
		if (s.len > WIRE_MAX_NAME)
			return err_set(err, ERR_PROTOCOL, "%s[%u]: longer than %d", f->name, i,
				       WIRE_MAX_NAME);
		if (wire_check_text(f, (const char *)s.at, s.len, err) < 0)
			return err->code;
		put_ptr(items, i * sizeof(char *), arena_strndup(a, (const char *)s.at, s.len));
	} else if (read_message(f->sub, s, a, items + i * f->sub->size, err) < 0) {
		return err_wrap(err, "%s[%u]", f->name, i);
	}
	put_u32(ret, f->count_offset, i + 1);
	return 0;
}

static int read_field(const struct wire_field *f, const struct raw *r, struct arena *a, void *ret,
		      struct err *err)
{
	if (r->wire_type != wire_type_of(f->kind))
		return err_set(err, ERR_PROTOCOL, "%s: wire type %u instead of %u", f->name,
			       r->wire_type, wire_type_of(f->kind));
	switch (f->kind) {
	case WIRE_K_BOOL:
	case WIRE_K_U32:
	case WIRE_K_U64:
	case WIRE_K_F64:
	case WIRE_K_SIZE64:
		return read_number(f, r->value, ret, err);
	case WIRE_K_STR:
	case WIRE_K_CHARS:
		return read_text(f, r->bytes, a, ret, err);
	case WIRE_K_FIXED:
		if (r->bytes.len != f->max)
			return err_set(err, ERR_PROTOCOL, "%s: %zu bytes instead of %llu", f->name,
				       r->bytes.len, (unsigned long long)f->max);
		memcpy((char *)ret + f->offset, r->bytes.at, r->bytes.len);
		return 0;
	case WIRE_K_BYTES:
	case WIRE_K_BYTES64:
		return read_bytes(f, r->bytes, a, ret, err);
	case WIRE_K_U32X3:
	case WIRE_K_U64X3:
	case WIRE_K_U64S:
		return read_packed(f, r->bytes, a, ret, err);
	case WIRE_K_MSG:
		if (read_message(f->sub, r->bytes, a, (char *)ret + f->offset, err) < 0)
			return err_wrap(err, "%s", f->name);
		return 0;
	case WIRE_K_STRS:
	case WIRE_K_MSGS:
	case WIRE_K_MSGS_HERE:
		return read_item(f, r->bytes, a, ret, err);
	}
	return 0;
}

/* First pass: count the items of each list, bound them, make the arrays (wire 1.6). */
static int make_lists(const struct wire_type *t, struct span in, struct arena *a, void *ret,
		      struct err *err)
{
	uint32_t counts[64] = { 0 };

	ASSERT(t->n_fields <= 64);
	while (in.len > 0) {
		const struct wire_field *f;
		struct raw r = { 0 };

		if (take_field(&in, &r, err) < 0)
			return err->code;
		f = find_field(t, r.number);
		if (f == NULL || !is_list(f->kind))
			continue;
		if (wire_check_length(f, ++counts[f - t->fields], err) < 0)
			return err->code;
	}
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct wire_field *f = &t->fields[i];

		if (counts[i] == 0 || f->kind == WIRE_K_MSGS_HERE)
			continue;
		put_ptr(ret, f->offset,
			arena_alloc_array(a, counts[i],
					  f->kind == WIRE_K_STRS ? sizeof(char *) : f->sub->size));
	}
	return 0;
}

/* Texts are never NULL. */
static void fill_texts(const struct wire_type *t, void *ret)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct wire_field *f = &t->fields[i];

		if (f->kind == WIRE_K_STR)
			put_ptr(ret, f->offset, "");
	}
}

static bool has_lists(const struct wire_type *t)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		if (is_list(t->fields[i].kind))
			return true;
	}
	return false;
}

static int read_message(const struct wire_type *t, struct span in, struct arena *a, void *ret,
			struct err *err)
{
	uint64_t seen = 0;

	fill_texts(t, ret);
	if (has_lists(t) && make_lists(t, in, a, ret, err) < 0)
		return err->code;
	while (in.len > 0) {
		const struct wire_field *f;
		struct raw r = { 0 };
		uint64_t bit;

		if (take_field(&in, &r, err) < 0)
			return err->code;
		f = find_field(t, r.number);
		if (f == NULL) /* wire 1.3 */
			continue;
		bit = (uint64_t)1 << (f - t->fields);
		if (!is_list(f->kind) && (seen & bit) != 0)
			return err_set(err, ERR_PROTOCOL, "%s: given twice", f->name);
		seen |= bit;
		if (read_field(f, &r, a, ret, err) < 0)
			return err->code;
	}
	/* A message member that is not there is checked like an empty one. */
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct wire_field *f = &t->fields[i];
		bool always =
		    f->kind == WIRE_K_MSG || f->kind == WIRE_K_U32X3 || f->kind == WIRE_K_U64X3;

		if (always && f->required && (seen & (uint64_t)1 << i) == 0)
			return err_set(err, ERR_PROTOCOL, "%s: missing", f->name);
	}
	return wire_check_message(t, ret, err);
}

int wire_decode(const struct wire_type *t, const void *bytes, size_t len, struct arena *a,
		void *ret, struct err *err)
{
	void *value;

	ASSERT(t->max_bytes > 0);
	if (len > t->max_bytes)
		return err_set(err, ERR_TOO_BIG, "decode %s: %zu bytes, at most %zu", t->name, len,
			       t->max_bytes);
	value = arena_alloc(a, t->size);
	if (read_message(t, (struct span){ bytes, len }, a, value, err) < 0)
		return err_wrap(err, "decode %s", t->name);
	memcpy(ret, value, t->size);
	return 0;
}
