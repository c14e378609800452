/* reduce.c - see reduce.h: the outputs of a job together, saving and loading. */
#include "vote/reduce.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vote/vote_int.h"

/* In the byte of the reducer: by digest. */
enum { BY_DIGEST = 0x80 };

struct vote_reduction {
	struct vote_state *states; /* owned */
	size_t n;
};

static const char *const names[] = {
	[VOTE_SUM] = "Sum",    [VOTE_PRODUCT] = "Product", [VOTE_MIN] = "Min",
	[VOTE_MAX] = "Max",    [VOTE_ARG_MIN] = "ArgMin",  [VOTE_ARG_MAX] = "ArgMax",
	[VOTE_TOP_K] = "TopK", [VOTE_COUNT] = "Count",     [VOTE_CONCAT] = "Concat",
	[VOTE_NONE] = "None",  [VOTE_DISCARD] = "Discard",
};

const char *vote_reducer_name(enum vote_reducer r)
{
	ASSERT(r >= VOTE_SUM && r <= VOTE_DISCARD);
	return names[r];
}

int vote_reducer_parse(const char *s, enum vote_reducer *ret, struct err *err)
{
	for (enum vote_reducer r = VOTE_SUM; r <= VOTE_DISCARD; r++) {
		if (strcmp(names[r], s) == 0) {
			*ret = r;
			return 0;
		}
	}
	if (strcmp(s, "Kernel") == 0)
		return err_set(err, ERR_INVALID, "reducer Kernel is not supported yet");
	return err_set(err, ERR_INVALID,
		       "unknown reducer \"%.40s\"; known are Sum, Product, Min, Max, ArgMin, "
		       "ArgMax, TopK, Count, Concat, None, Discard",
		       s);
}

static bool has_state(enum vote_reducer r)
{
	return r != VOTE_NONE && r != VOTE_DISCARD;
}

int vote_reduce_check(const struct vote_output *o, struct err *err)
{
	if (!has_state(o->reduce))
		return 0;
	ASSERT(o->shape != NULL);
	if (o->reduce == VOTE_TOP_K && (o->k < 1 || o->k > VOTE_MAX_K))
		return err_set(err, ERR_INVALID, "output %s: k is %u, not within 1 to %d", o->name,
			       o->k, VOTE_MAX_K);
	if (o->reduce != VOTE_CONCAT && vote_shape_type(o->shape) == 0)
		return err_set(err, ERR_INVALID,
			       "output %s: %s needs elements of one type; use Concat", o->name,
			       names[o->reduce]);
	return 0;
}

static const struct vote_cell_kind *cell_of(enum vote_reducer r, enum vote_type t)
{
	if (r == VOTE_SUM)
		return vote_type_is_float(t) ? &vote_cell_exact : &vote_cell_sum;
	if (r == VOTE_PRODUCT)
		return &vote_cell_product;
	if (r == VOTE_COUNT)
		return &vote_cell_count;
	return r == VOTE_MIN ? &vote_cell_min : &vote_cell_max;
}

static const struct vote_kind *kind_of(const struct vote_output *o, enum vote_type t)
{
	enum vote_reducer r = o->reduce;

	if (r == VOTE_CONCAT)
		return o->by_digest ? &vote_kind_parts : &vote_kind_concat;
	if (r == VOTE_ARG_MIN || r == VOTE_ARG_MAX || r == VOTE_TOP_K)
		return &vote_kind_best;
	if (r == VOTE_PRODUCT && vote_type_is_float(t))
		return &vote_kind_fold;
	return &vote_kind_cells;
}

static void state_init(struct vote_state *s, const struct vote_output *o)
{
	struct err err = { 0 };
	int rc = vote_reduce_check(o, &err);

	ASSERT(rc == 0);
	ASSERT(!o->by_digest || o->reduce == VOTE_CONCAT);
	s->name = mem_strdup(o->name);
	s->reduce = o->reduce;
	s->k = o->reduce == VOTE_TOP_K ? o->k : 0;
	if (!has_state(o->reduce))
		return;
	s->shape = vote_shape_copy(o->shape);
	s->type = vote_shape_type(o->shape);
	s->kind = kind_of(o, s->type);
	if (s->kind == &vote_kind_cells)
		s->cell = cell_of(o->reduce, s->type);
	if (s->kind == &vote_kind_parts)
		s->parts = NEW(struct vote_parts);
}

static void state_done(struct vote_state *s)
{
	for (size_t i = 0; i < s->n_runs; i++)
		buf_done(&s->runs[i].bytes);
	mem_free(s->runs);
	vote_parts_free(s->parts);
	mem_free(s->best);
	mem_free(s->cells);
	vote_shape_free(s->shape);
	mem_free(s->name);
	*s = (struct vote_state){ 0 };
}

struct vote_reduction *vote_reduce_new(const struct vote_output *outputs, size_t n)
{
	struct vote_reduction *r = NEW(struct vote_reduction);

	ASSERT(n <= VOTE_MAX_OUTPUTS);
	r->states = NEW_ARRAY(struct vote_state, n);
	r->n = n;
	for (size_t i = 0; i < n; i++)
		state_init(&r->states[i], &outputs[i]);
	return r;
}

void vote_reduce_free(struct vote_reduction *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++)
		state_done(&r->states[i]);
	mem_free(r->states);
	mem_free(r);
}

void vote_reduce_freep(struct vote_reduction **r)
{
	vote_reduce_free(MOVE(*r));
}

static int add(struct vote_state *s, struct vote_piece *p, struct err *err)
{
	AUTO(mem_freep) unsigned char *packed = NULL;
	uint64_t elements;

	if (vote_shape_elements(s->shape, p->len, &elements, err) < 0)
		return err_wrap(err, "chunk %llu", (unsigned long long)p->chunk);
	p->count = vote_shape_scalars(s->shape, elements);
	if (s->reduce != VOTE_CONCAT) {
		packed = mem_alloc(p->len);
		vote_pack(s->shape, p->bytes, p->len, packed);
		p->scalars = packed;
	}
	return s->kind->add(s, p, err);
}

/* NOLINTNEXTLINE(readability-function-size): a struct would only rename the parameters */
int vote_reduce_add(struct vote_reduction *r, size_t output, uint64_t chunk, uint64_t first,
		    const void *bytes, size_t len, struct err *err)
{
	struct vote_piece p = { .chunk = chunk, .first = first, .bytes = bytes, .len = len };
	struct vote_state *s;

	ASSERT(output < r->n);
	s = &r->states[output];
	if (s->kind == NULL)
		return 0;
	if (add(s, &p, err) < 0)
		return err_wrap(err, "output %s", s->name);
	return 0;
}

int vote_reduce_merge(struct vote_reduction *into, const struct vote_reduction *from,
		      struct err *err)
{
	ASSERT(into->n == from->n);
	for (size_t i = 0; i < into->n; i++) {
		struct vote_state *s = &into->states[i];
		const struct vote_state *f = &from->states[i];

		ASSERT(s->reduce == f->reduce && s->type == f->type && s->k == f->k &&
		       s->kind == f->kind);
		if (s->kind != NULL && s->kind->merge(s, f, err) < 0)
			return err_wrap(err, "output %s", s->name);
	}
	return 0;
}

struct vote_reduction *vote_reduce_copy(const struct vote_reduction *r)
{
	AUTO(mem_freep) struct vote_output *outputs = NEW_ARRAY(struct vote_output, r->n);
	struct vote_reduction *copy;
	struct err err = { 0 };

	for (size_t i = 0; i < r->n; i++)
		outputs[i] =
		    (struct vote_output){ .name = r->states[i].name,
					  .reduce = r->states[i].reduce,
					  .k = r->states[i].k,
					  .shape = r->states[i].shape,
					  .by_digest = r->states[i].kind == &vote_kind_parts };
	copy = vote_reduce_new(outputs, r->n);
	if (vote_reduce_merge(copy, r, &err) < 0)
		ASSERT(!"nothing to collide with");
	return copy;
}

static unsigned char reducer_byte(const struct vote_state *s)
{
	int mark = s->kind == &vote_kind_parts ? BY_DIGEST : 0;

	return (unsigned char)((int)s->reduce | mark);
}

/* Version, number of outputs; for each its reducer, type and k, then its state. */
static int save(const struct vote_reduction *r, struct buf *b, struct err *err)
{
	if (buf_addc(b, VOTE_PARTIAL_VERSION, err) < 0 || vote_put_varint(b, r->n, err) < 0)
		return err->code;
	for (size_t i = 0; i < r->n; i++) {
		const struct vote_state *s = &r->states[i];
		unsigned char head[2] = { reducer_byte(s), (unsigned char)s->type };

		if (buf_add(b, head, sizeof(head), err) < 0 || vote_put_varint(b, s->k, err) < 0)
			return err->code;
		if (s->kind != NULL && s->kind->save(s, b, err) < 0)
			return err->code;
	}
	return 0;
}

int vote_reduce_save(const struct vote_reduction *r, struct buf *out, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = VOTE_NO_LIMIT };

	if (save(r, &b, err) < 0)
		return err_wrap(err, "partial state");
	if (text_base64(b.data, b.len, out, err) < 0)
		return err_wrap(err, "partial state of %zu bytes", b.len);
	return 0;
}

static int load_state(struct vote_state *s, struct vote_reader *rd, struct err *err)
{
	const unsigned char *head;
	uint64_t k;

	if (vote_get_bytes(rd, 2, &head, err) < 0 || vote_get_varint(rd, VOTE_MAX_K, &k, err) < 0)
		return err->code;
	if (head[0] != reducer_byte(s) || head[1] != s->type || k != s->k)
		return err_set(err, ERR_INVALID, "partial: of another reducer or type");
	return s->kind != NULL ? s->kind->load(s, rd, err) : 0;
}

static int load(struct vote_reduction *r, struct vote_reader *rd, struct err *err)
{
	const unsigned char *version;
	uint64_t n;

	if (vote_get_bytes(rd, 1, &version, err) < 0)
		return err->code;
	if (*version != VOTE_PARTIAL_VERSION)
		return err_set(err, ERR_UNAVAILABLE,
			       "partial: format version %u, this program knows %d", *version,
			       VOTE_PARTIAL_VERSION);
	if (vote_get_varint(rd, VOTE_MAX_OUTPUTS, &n, err) < 0)
		return err->code;
	if (n != r->n)
		return err_set(err, ERR_INVALID, "partial: of %llu outputs, expected %zu",
			       (unsigned long long)n, r->n);
	for (size_t i = 0; i < r->n; i++)
		if (load_state(&r->states[i], rd, err) < 0)
			return err_wrap(err, "output %s", r->states[i].name);
	if (rd->left > 0)
		return err_set(err, ERR_INVALID, "partial: bytes behind its end");
	return 0;
}

int vote_reduce_load(const struct vote_output *outputs, size_t n, const char *text, size_t len,
		     struct vote_reduction **ret, struct err *err)
{
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(outputs, n);
	AUTO(buf_done) struct buf b = { .max = len };
	struct vote_reader rd;

	if (text_unbase64(text, len, &b, err) < 0)
		return err_wrap(err, "partial");
	rd = (struct vote_reader){ .at = (const unsigned char *)buf_str(&b), .left = b.len };
	if (load(r, &rd, err) < 0)
		return err->code;
	*ret = MOVE(r);
	return 0;
}

uint64_t vote_reduce_largest(const struct vote_output *outputs, const struct vote_extent *extents,
			     size_t n, uint64_t chunks)
{
	uint64_t bytes = 2;

	for (size_t i = 0; i < n; i++) {
		struct vote_state s = { 0 };

		state_init(&s, &outputs[i]);
		bytes = vote_sat_add(bytes, 4);
		if (s.kind != NULL)
			bytes = vote_sat_add(bytes, s.kind->largest(&s, &extents[i], chunks));
		state_done(&s);
	}
	return vote_sat_mul(vote_sat_add(bytes, 2) / 3, 4);
}

void vote_result_done(struct vote_result *r)
{
	mem_free(r->value);
	mem_free(r->index);
	mem_free(r->indexes);
	mem_free(r->bytes);
	*r = (struct vote_result){ 0 };
}

int vote_result_fill(struct vote_result *ret, enum vote_type type, struct buf *bytes,
		     bool always_array, struct err *err)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(type, 0);
	AUTO(buf_done) struct buf text = { .max = VOTE_MAX_VALUE };
	struct err too_long = { 0 };
	int rc;

	ret->type = type;
	ret->length = bytes->len / vote_type_size(type);
	hash_bytes(buf_str(bytes), bytes->len, &ret->sha256);
	if (ret->length == 1 && !always_array)
		rc = vote_print_scalar(type, bytes->data, false, &text, err);
	else
		rc = vote_print_array(shape, buf_str(bytes), bytes->len, &text, &too_long);
	if (err->code < 0)
		return err->code;
	if (rc == 0)
		ret->value = buf_take(&text);
	ret->len = bytes->len;
	ret->bytes = (unsigned char *)buf_take(bytes);
	return 0;
}

bool vote_reduce_has_result(const struct vote_reduction *r, size_t output)
{
	ASSERT(output < r->n);
	return r->states[output].kind != NULL;
}

int vote_reduce_finish(const struct vote_reduction *r, size_t output, struct vote_result *ret,
		       struct err *err)
{
	struct vote_result result = { 0 };
	const struct vote_state *s;

	ASSERT(output < r->n);
	s = &r->states[output];
	ASSERT(s->kind != NULL);
	if (s->kind->finish(s, &result, err) < 0) {
		vote_result_done(&result);
		return err_wrap(err, "output %s", s->name);
	}
	*ret = result;
	return 0;
}

const struct vote_part *vote_reduce_parts(const struct vote_reduction *r, size_t output,
					  size_t *ret_n)
{
	const struct vote_state *s;

	ASSERT(output < r->n);
	s = &r->states[output];
	if (s->kind == &vote_kind_parts)
		return vote_parts_get(s, ret_n);
	*ret_n = 0;
	return NULL;
}
