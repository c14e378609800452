/* value.c - see value.h. */
#include "vote/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/vote_int.h"

enum { MAX_FIXED = 262144, MAX_ELEMENT = 4096 };

/* One scalar at its place. */
struct slot {
	uint32_t offset;
	enum vote_type type;
};

/* The scalars of the fixed part or of one element, ascending. */
struct part {
	struct slot *slots; /* owned */
	size_t count;
	uint32_t size;       /* bytes, padding included */
	enum vote_type type; /* of all, 0 if they differ or there are none */
	bool dense;          /* one type and no padding */
};

struct vote_shape {
	struct part fixed;
	struct part element;
	uint32_t array_offset; /* meaningful with has_array */
	bool has_array;
};

static const struct {
	const char *name;
	size_t size;
	bool is_float;
} types[] = {
	[VOTE_I32] = { "i32", 4, false }, [VOTE_U32] = { "u32", 4, false },
	[VOTE_F32] = { "f32", 4, true },  [VOTE_I64] = { "i64", 8, false },
	[VOTE_U64] = { "u64", 8, false }, [VOTE_F64] = { "f64", 8, true },
};

static bool is_type(enum vote_type t)
{
	return t >= VOTE_I32 && t <= VOTE_F64;
}

size_t vote_type_size(enum vote_type t)
{
	ASSERT(is_type(t));
	return types[t].size;
}

const char *vote_type_name(enum vote_type t)
{
	ASSERT(is_type(t));
	return types[t].name;
}

bool vote_type_is_float(enum vote_type t)
{
	ASSERT(is_type(t));
	return types[t].is_float;
}

int vote_type_parse(const char *s, enum vote_type *ret, struct err *err)
{
	for (enum vote_type t = VOTE_I32; t <= VOTE_F64; t++) {
		if (strcmp(types[t].name, s) == 0) {
			*ret = t;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID, "unknown type \"%.20s\"", s);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a;
	const struct slot *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorted by now: check that scalars do not overlap, and find out whether it is dense. */
static int finish_part(struct part *p, struct err *err)
{
	uint64_t end = 0;

	p->dense = true;
	p->type = p->count > 0 ? p->slots[0].type : (enum vote_type)0;
	for (size_t i = 0; i < p->count; i++) {
		if (p->slots[i].offset < end)
			return err_set(err, ERR_INVALID, "layout: scalars overlap at byte %u",
				       p->slots[i].offset);
		p->dense = p->dense && p->slots[i].offset == end;
		if (p->slots[i].type != p->type)
			p->type = (enum vote_type)0;
		end = p->slots[i].offset + vote_type_size(p->slots[i].type);
	}
	p->dense = p->dense && end == p->size && p->type != 0;
	return 0;
}

static int make_part(const struct vote_lane *lanes, size_t n, uint32_t size, size_t max,
		     struct part *p, struct err *err)
{
	size_t count = 0;

	p->size = size;
	for (size_t i = 0; i < n; i++) {
		uint64_t last = lanes[i].count > 0 ? lanes[i].count - 1 : 0;
		uint64_t end = lanes[i].offset + last * lanes[i].stride;

		ASSERT(is_type(lanes[i].type));
		if (lanes[i].count > max - count)
			return err_set(err, ERR_TOO_BIG, "layout: more than %zu scalars", max);
		if (lanes[i].count > 0 && end + types[lanes[i].type].size > size)
			return err_set(err, ERR_INVALID, "layout: a scalar at byte %llu of %u",
				       (unsigned long long)end, size);
		count += lanes[i].count;
	}
	p->slots = NEW_ARRAY(struct slot, count);
	for (size_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < lanes[i].count; j++)
			p->slots[p->count++] = (struct slot){
				.offset = lanes[i].offset + j * lanes[i].stride,
				.type = lanes[i].type,
			};
	qsort(p->slots, p->count, sizeof(*p->slots), compare_slots);
	return finish_part(p, err);
}

int vote_shape_new(const struct vote_layout *l, struct vote_shape **ret, struct err *err)
{
	AUTO(vote_shape_freep) struct vote_shape *s = NEW(struct vote_shape);

	s->has_array = l->array_stride > 0;
	s->array_offset = l->array_offset;
	if (make_part(l->lanes, l->n_lanes, l->fixed_size, MAX_FIXED, &s->fixed, err) < 0)
		return err->code;
	if (s->has_array && l->array_offset < l->fixed_size)
		return err_set(err, ERR_INVALID, "layout: the array begins inside the fixed part");
	if (make_part(l->array_lanes, l->n_array_lanes, l->array_stride, MAX_ELEMENT, &s->element,
		      err) < 0)
		return err->code;
	*ret = MOVE(s);
	return 0;
}

struct vote_shape *vote_shape_plain(enum vote_type type, uint32_t n)
{
	struct vote_lane lane = { .count = n > 0 ? n : 1,
				  .stride = (uint32_t)vote_type_size(type),
				  .type = type };
	struct vote_layout l = { 0 };
	struct vote_shape *s = NULL;
	struct err err = { 0 };

	if (n > 0) {
		l.lanes = &lane;
		l.n_lanes = 1;
		l.fixed_size = n * lane.stride;
	} else {
		l.array_lanes = &lane;
		l.n_array_lanes = 1;
		l.array_stride = lane.stride;
	}
	if (vote_shape_new(&l, &s, &err) < 0)
		ASSERT(!"a plain array has a layout");
	return s;
}

struct vote_shape *vote_shape_copy(const struct vote_shape *s)
{
	struct vote_shape *copy = NEW(struct vote_shape);

	*copy = *s;
	copy->fixed.slots = mem_dup(s->fixed.slots, s->fixed.count * sizeof(struct slot));
	copy->element.slots = mem_dup(s->element.slots, s->element.count * sizeof(struct slot));
	return copy;
}

void vote_shape_free(struct vote_shape *s)
{
	if (s == NULL)
		return;
	mem_free(s->fixed.slots);
	mem_free(s->element.slots);
	mem_free(s);
}

void vote_shape_freep(struct vote_shape **s)
{
	vote_shape_free(MOVE(*s));
}

enum vote_type vote_shape_type(const struct vote_shape *s)
{
	if (s->fixed.count == 0)
		return s->element.type;
	if (s->element.count == 0)
		return s->fixed.type;
	return s->fixed.type == s->element.type ? s->fixed.type : (enum vote_type)0;
}

static bool begin_anew_after(const struct part *p, size_t n)
{
	for (size_t i = n; i < p->count; i++)
		if (p->slots[i].type != p->slots[i - n].type)
			return false;
	return p->count % n == 0;
}

bool vote_shape_types(const struct vote_shape *s, struct buf *out)
{
	const struct part *p = s->element.count > 0 ? &s->element : &s->fixed;
	struct err err = { 0 };
	size_t n = 1;

	if (p->count == 0 ||
	    (vote_shape_type(s) == 0 && s->element.count > 0 && s->fixed.count > 0))
		return false;
	while (n <= VOTE_MAX_TYPES && !begin_anew_after(p, n))
		n++;
	if (n > VOTE_MAX_TYPES)
		return false;
	for (size_t i = 0; i < n; i++) {
		int rc = buf_addfe(out, &err, "%s%s", i > 0 ? "," : "",
				   vote_type_name(p->slots[i].type));

		ASSERT(rc == 0);
	}
	return true;
}

bool vote_shape_has_array(const struct vote_shape *s)
{
	return s->has_array;
}

static uint64_t saturating(uint64_t base, uint64_t n, uint64_t each)
{
	uint64_t v;

	if (!num_mul_u64(n, each, &v) || !num_add_u64(v, base, &v))
		return UINT64_MAX;
	return v;
}

uint64_t vote_shape_bytes(const struct vote_shape *s, uint64_t n)
{
	return s->has_array ? saturating(s->array_offset, n, s->element.size) : s->fixed.size;
}

uint64_t vote_shape_scalars(const struct vote_shape *s, uint64_t n)
{
	return s->has_array ? saturating(s->fixed.count, n, s->element.count) : s->fixed.count;
}

/* Where the last scalar of the part ends. */
static uint32_t used_size(const struct part *p)
{
	const struct slot *last = p->count > 0 ? &p->slots[p->count - 1] : NULL;

	return last != NULL ? last->offset + (uint32_t)vote_type_size(last->type) : 0;
}

int vote_shape_elements(const struct vote_shape *s, uint64_t len, uint64_t *ret, struct err *err)
{
	uint64_t rest;
	uint64_t more;

	if (!s->has_array) {
		if (len != s->fixed.size)
			return err_set(err, ERR_INVALID, "%llu bytes where %u were expected",
				       (unsigned long long)len, s->fixed.size);
		*ret = 0;
		return 0;
	}
	if (len < s->array_offset)
		return err_set(err, ERR_INVALID, "%llu bytes where at least %u were expected",
			       (unsigned long long)len, s->array_offset);
	rest = (len - s->array_offset) / s->element.size;
	more = (len - s->array_offset) % s->element.size;
	if (more != 0 && more < used_size(&s->element))
		return err_set(err, ERR_INVALID, "%llu bytes are no whole number of elements",
			       (unsigned long long)len);
	*ret = rest + (more != 0);
	return 0;
}

/* Bytes of a result that one part describes: the fixed part or one element. */
struct run {
	const struct part *part;
	size_t offset;
	size_t len;
};

/* The i-th run of a result of len bytes; false at the end. Run 0 is the fixed part with the
 * padding up to the array. */
static bool run_at(const struct vote_shape *s, size_t len, size_t i, struct run *ret)
{
	size_t from = s->has_array ? s->array_offset : s->fixed.size;

	if (i == 0) {
		*ret = (struct run){ &s->fixed, 0, from < len ? from : len };
		return true;
	}
	if (!s->has_array || (len - from) / s->element.size + 1 < i)
		return false;
	from += (i - 1) * s->element.size;
	if (from >= len)
		return false;
	*ret = (struct run){ &s->element, from,
			     len - from < s->element.size ? len - from : s->element.size };
	return true;
}

static bool is_nan_bits(enum vote_type t, const unsigned char *p)
{
	if (t == VOTE_F32)
		return (num_get_u32(p) & 0x7fffffffu) > 0x7f800000u;
	if (t == VOTE_F64)
		return (num_get_u64(p) & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
	return false;
}

static bool is_canonical_scalar(enum vote_type t, const unsigned char *p)
{
	if (!is_nan_bits(t, p))
		return true;
	return t == VOTE_F32 ? num_get_u32(p) == 0x7fc00000u
			     : num_get_u64(p) == 0x7ff8000000000000u;
}

static void canonical_scalar(enum vote_type t, unsigned char *p)
{
	if (!is_nan_bits(t, p))
		return;
	if (t == VOTE_F32)
		num_put_u32(p, 0x7fc00000u);
	else
		num_put_u64(p, 0x7ff8000000000000u);
}

static void canonical_run(const struct run *r, unsigned char *bytes)
{
	size_t end = 0;

	for (size_t i = 0; i < r->part->count; i++) {
		const struct slot *slot = &r->part->slots[i];

		memset(bytes + end, 0, slot->offset - end);
		canonical_scalar(slot->type, bytes + slot->offset);
		end = slot->offset + vote_type_size(slot->type);
	}
	memset(bytes + end, 0, r->len - end);
}

static bool is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

static bool is_canonical_run(const struct run *r, const unsigned char *bytes)
{
	size_t end = 0;

	for (size_t i = 0; i < r->part->count; i++) {
		const struct slot *slot = &r->part->slots[i];

		if (!is_zero(bytes + end, slot->offset - end) ||
		    !is_canonical_scalar(slot->type, bytes + slot->offset))
			return false;
		end = slot->offset + vote_type_size(slot->type);
	}
	return is_zero(bytes + end, r->len - end);
}

/* Integers without padding are canonical as they are. */
static bool is_always_canonical(const struct vote_shape *s)
{
	enum vote_type t = vote_shape_type(s);

	return t != 0 && !types[t].is_float && s->fixed.dense && s->element.dense &&
	       (!s->has_array || s->array_offset == s->fixed.size);
}

static void assert_fits(const struct vote_shape *s, size_t len)
{
	struct err err = { 0 };
	uint64_t n;
	int rc = vote_shape_elements(s, len, &n, &err);

	ASSERT(rc == 0);
}

void vote_canonical(const struct vote_shape *s, void *bytes, size_t len)
{
	struct run r;

	assert_fits(s, len);
	if (is_always_canonical(s))
		return;
	for (size_t i = 0; run_at(s, len, i, &r); i++)
		canonical_run(&r, (unsigned char *)bytes + r.offset);
}

bool vote_is_canonical(const struct vote_shape *s, const void *bytes, size_t len)
{
	struct run r;

	assert_fits(s, len);
	if (is_always_canonical(s))
		return true;
	for (size_t i = 0; run_at(s, len, i, &r); i++)
		if (!is_canonical_run(&r, (const unsigned char *)bytes + r.offset))
			return false;
	return true;
}

size_t vote_pack(const struct vote_shape *s, const void *bytes, size_t len, void *out)
{
	unsigned char *to = out;
	struct run r;

	assert_fits(s, len);
	for (size_t i = 0; run_at(s, len, i, &r); i++) {
		const unsigned char *from = (const unsigned char *)bytes + r.offset;

		for (size_t j = 0; j < r.part->count; j++) {
			size_t size = vote_type_size(r.part->slots[j].type);

			memcpy(to, from + r.part->slots[j].offset, size);
			to += size;
		}
	}
	return (size_t)(to - (unsigned char *)out);
}

static int print_float(enum vote_type t, const void *bytes, bool json, struct buf *b,
		       struct err *err)
{
	char text[NUM_TEXT];
	const char *quote;
	double f64;
	float f32;

	if (t == VOTE_F32) {
		uint32_t u = num_get_u32(bytes);

		memcpy(&f32, &u, sizeof(f32));
		num_print_f32(f32, text);
	} else {
		uint64_t u = num_get_u64(bytes);

		memcpy(&f64, &u, sizeof(f64));
		num_print_f64(f64, text);
	}
	quote = json && strpbrk(text, "Ny") != NULL ? "\"" : "";
	return buf_addfe(b, err, "%s%s%s", quote, text, quote);
}

int vote_print_scalar(enum vote_type t, const void *bytes, bool json, struct buf *b,
		      struct err *err)
{
	switch (t) {
	case VOTE_I32:
		return buf_addfe(b, err, "%d", (int32_t)num_get_u32(bytes));
	case VOTE_U32:
		return buf_addfe(b, err, "%u", num_get_u32(bytes));
	case VOTE_I64:
		return buf_addfe(b, err, "%lld", (long long)num_get_u64(bytes));
	case VOTE_U64:
		return buf_addfe(b, err, "%llu", (unsigned long long)num_get_u64(bytes));
	case VOTE_F32:
	case VOTE_F64:
		break;
	}
	return print_float(t, bytes, json, b, err);
}

static int print_run(const struct run *r, const unsigned char *bytes, bool *first, struct buf *b,
		     struct err *err)
{
	for (size_t i = 0; i < r->part->count; i++) {
		const struct slot *slot = &r->part->slots[i];

		if (!*first && buf_addc(b, ',', err) < 0)
			return err->code;
		*first = false;
		if (vote_print_scalar(slot->type, bytes + slot->offset, true, b, err) < 0)
			return err->code;
	}
	return 0;
}

int vote_print_more(const struct vote_shape *s, const void *bytes, size_t len, bool *first,
		    struct buf *b, struct err *err)
{
	struct run r;

	assert_fits(s, len);
	for (size_t i = 0; run_at(s, len, i, &r); i++)
		if (print_run(&r, (const unsigned char *)bytes + r.offset, first, b, err) < 0)
			return err->code;
	return 0;
}

int vote_print_array(const struct vote_shape *s, const void *bytes, size_t len, struct buf *b,
		     struct err *err)
{
	bool first = true;

	if (buf_addc(b, '[', err) < 0 || vote_print_more(s, bytes, len, &first, b, err) < 0)
		return err->code;
	return buf_addc(b, ']', err);
}

uint32_t vote_shape_fixed(const struct vote_shape *s)
{
	return s->has_array ? s->array_offset : s->fixed.size;
}

uint32_t vote_shape_stride(const struct vote_shape *s)
{
	return s->has_array ? s->element.size : 0;
}
