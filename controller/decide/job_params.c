/* job_params.c - see job_params.h. */
#include "controller/decide/job_params.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "controller/decide/job_params_int.h"
#include "doc/doc.h"
#include "expr/params.h"

void job_params_free(struct job_params *p)
{
	if (p == NULL)
		return;
	expr_params_free(p->params);
	for (size_t i = 0; i < 3; i++)
		expr_free(p->grid[i]);
	for (size_t i = 0; i < p->n_inputs; i++) {
		expr_free(p->inputs[i].offset);
		expr_free(p->inputs[i].length);
	}
	for (size_t i = 0; i < p->n_outputs; i++) {
		expr_free(p->outputs[i].length);
		mem_free(p->outputs[i].first);
	}
	buf_done(&p->problems);
	doc_unref(p->manifest);
	mem_free(p->fields);
	mem_free(p->values);
	mem_free(p);
}

size_t job_params_inputs(const struct job_params *p)
{
	return p->n_inputs;
}

size_t job_params_outputs(const struct job_params *p)
{
	return p->n_outputs;
}

size_t job_params_input(const struct job_params *p, size_t i)
{
	ASSERT(i < p->n_inputs);
	return p->inputs[i].spec;
}

size_t job_params_output(const struct job_params *p, size_t i)
{
	ASSERT(i < p->n_outputs);
	return p->outputs[i].spec;
}

const struct wire_binding *job_params_output_binding(const struct job_params *p, size_t i)
{
	ASSERT(i < p->n_outputs);
	return p->outputs[i].binding;
}

const struct job_extent *job_params_extent(const struct job_params *p, size_t output)
{
	ASSERT(output < p->n_outputs);
	return &p->outputs[output].extent;
}

bool job_params_order_holds(const struct job_params *p)
{
	return p->broken == NULL;
}

void job_params_order_reason(const struct job_params *p, struct buf *out)
{
	const char *output;

	ASSERT(p->broken != NULL);
	output = p->outputs[p->broken_output].binding->name;
	buf_note(out, "chunk %u: ", p->broken_chunk);
	if (p->broken->kind == WIRE_COND_FITS)
		buf_note(out,
			 "its invocations reach beyond the %llu elements of output %s; what the "
			 "kernel does not skip there goes to the last one",
			 (unsigned long long)p->broken_elements, output);
	else
		buf_note(out, "not %s: several may write the same element of output %s",
			 p->broken->text, output);
}

void job_params_order_note(const struct job_params *p, struct buf *out)
{
	if (p->broken == NULL)
		return;
	buf_note(out, "note: ");
	job_params_order_reason(p, out);
	buf_note(out, "\n");
}

size_t job_params_order_bytes(const struct job_params *p)
{
	return p->uniform_size + 64 + 10 * p->n_outputs + 20 * p->n_inputs;
}

/* The value of a manifest's field: an integer or a text that is a number. */
static int manifest_value(const struct doc *v, enum expr_type type, struct expr_value *ret,
			  struct err *err)
{
	const char *text = doc_str(v, "", NULL);

	*ret = (struct expr_value){ .type = type };
	if (doc_is(v, DOC_INT)) {
		if (type == EXPR_INT)
			ret->i = doc_int(v, "", 0);
		else
			ret->f = (double)doc_int(v, "", 0);
		return 0;
	}
	if (text == NULL)
		return err_set(err, ERR_INVALID, "expected an integer or a quoted number, not a %s",
			       doc_type_name(doc_type(v)));
	if (type == EXPR_INT)
		return num_parse_i64(text, strlen(text), INT64_MIN, INT64_MAX, &ret->i, err);
	return num_parse_f64(text, strlen(text), &ret->f, err);
}

static int fill_from_manifest(const struct job_params *p, uint32_t chunk, struct expr_value *values,
			      struct err *err)
{
	const struct doc *entry = doc_at(p->manifest, chunk);

	for (size_t i = 0; i < p->n_fields; i++) {
		const struct field *f = &p->fields[i];
		const struct doc *v = doc_member(entry, f->name);

		if (v == NULL)
			return err_set(err, ERR_INVALID, "chunk %u: field %s is missing", chunk,
				       f->name);
		if (manifest_value(v, f->type, &values[f->slot], err) < 0)
			return err_wrap(err, "chunk %u: field %s", chunk, f->name);
	}
	if (doc_count(entry) == p->n_fields)
		return 0;
	DOC_EACH_MEMBER(entry, m)
	{
		bool known = false;

		for (size_t i = 0; i < p->n_fields && !known; i++)
			known = strcmp(p->fields[i].name, m.key) == 0;
		if (!known)
			return err_set(err, ERR_INVALID, "chunk %u: the kernel has no field %s",
				       chunk, m.key);
	}
	return 0;
}

/* [lo, hi) of a chunk: pieces that differ by at most one. */
static void cut_range(const struct job_params *p, uint32_t chunk, struct expr_vars *vars)
{
	uint64_t span = (uint64_t)p->spec->range_hi - (uint64_t)p->spec->range_lo;
	uint64_t size = span / (uint64_t)p->count;
	uint64_t larger = span % (uint64_t)p->count;
	uint64_t at = chunk * size + (chunk < larger ? chunk : larger);

	vars->lo = (int64_t)((uint64_t)p->spec->range_lo + at);
	vars->hi = (int64_t)((uint64_t)vars->lo + size + (chunk < larger));
}

int job_params_values(const struct job_params *p, uint32_t chunk, struct err *err)
{
	struct expr_vars vars = { .chunk = chunk };

	if (p->spec->has_range)
		cut_range(p, chunk, &vars);
	if (p->manifest != NULL && fill_from_manifest(p, chunk, p->values, err) < 0)
		return err->code;
	if (expr_params_eval(p->params, &vars, p->values, err) < 0)
		return err_wrap(err, "chunk %u", chunk);
	return 0;
}

/* Put v where the leaf is; false if it does not fit its type. */
static bool pack(enum wire_scalar type, struct expr_value v, unsigned char *at)
{
	float f;
	uint32_t bits;
	uint64_t long_bits;

	switch (type) {
	case WIRE_I32:
		num_put_u32(at, (uint32_t)(int32_t)v.i);
		return v.i >= INT32_MIN && v.i <= INT32_MAX;
	case WIRE_U32:
		num_put_u32(at, (uint32_t)v.i);
		return v.i >= 0 && v.i <= UINT32_MAX;
	case WIRE_I64:
		num_put_u64(at, (uint64_t)v.i);
		return true;
	case WIRE_U64:
		num_put_u64(at, (uint64_t)v.i);
		return v.i >= 0;
	case WIRE_F32:
		f = (float)v.f;
		memcpy(&bits, &f, sizeof(bits));
		num_put_u32(at, bits);
		return isfinite(f);
	case WIRE_F16:
		bits = num_f16_bits(v.f);
		at[0] = (unsigned char)bits;
		at[1] = (unsigned char)(bits >> 8);
		return (bits & 0x7c00) != 0x7c00;
	case WIRE_F64:
		memcpy(&long_bits, &v.f, sizeof(long_bits));
		num_put_u64(at, long_bits);
		return true;
	}
	return false;
}

static int does_not_fit(const struct field *f, uint32_t chunk, struct expr_value v, struct err *err)
{
	char text[NUM_TEXT];

	if (v.type == EXPR_INT)
		return err_set(err, ERR_INVALID, "chunk %u: param %s: %lld does not fit %s", chunk,
			       f->name, (long long)v.i, wire_scalar_name(f->leaf->type));
	return err_set(err, ERR_INVALID, "chunk %u: param %s: %s does not fit %s", chunk, f->name,
		       num_print_f64(v.f, text), wire_scalar_name(f->leaf->type));
}

static int pack_uniforms(const struct job_params *p, uint32_t chunk, unsigned char *bytes,
			 struct err *err)
{
	for (size_t i = 0; i < p->n_fields; i++) {
		const struct field *f = &p->fields[i];

		if (!pack(f->leaf->type, p->values[f->slot], bytes + f->offset))
			return does_not_fit(f, chunk, p->values[f->slot], err);
	}
	return 0;
}

static int eval_elements(const struct job_params *p, uint32_t chunk, size_t output, int64_t *ret,
			 struct err *err)
{
	const struct output *o = &p->outputs[output];
	int64_t most = JOB_MAX_OUTPUT;

	*ret = 0;
	if (o->length == NULL)
		return 0;
	if (o->binding->array_stride > 0)
		most = JOB_MAX_OUTPUT / o->binding->array_stride;
	if (expr_eval_int(o->length, p->values, 1, most, ret, err) < 0)
		return err_wrap(err, "chunk %u: length of output %s", chunk, o->binding->name);
	return 0;
}

static int eval_grid(const struct job_params *p, uint32_t chunk, const int64_t *elements,
		     uint64_t grid[3], struct err *err)
{
	static const char axis[] = "xyz";
	uint64_t all = 1;

	for (size_t i = 0; i < 3; i++) {
		uint32_t size = p->kernel->workgroup_size[i];
		int64_t v = 1;

		if (i == 0 && p->grid_output != SIZE_MAX)
			v = elements[p->grid_output];
		if (p->grid[i] != NULL &&
		    expr_eval_int(p->grid[i], p->values, 1, JOB_MAX_GRID, &v, err) < 0)
			return err_wrap(err, "chunk %u: invocations %c", chunk, axis[i]);
		if (p->whole_groups && v % size != 0)
			return err_set(err, ERR_INVALID,
				       "chunk %u: invocations %c: %lld is no multiple of the "
				       "workgroup size %u, as a kernel with barriers or workgroup "
				       "memory needs",
				       chunk, axis[i], (long long)v, size);
		grid[i] = (uint64_t)v;
		all *= grid[i];
		if (all > (uint64_t)1 << JOB_MAX_INVOCATIONS_LOG)
			return err_set(err, ERR_INVALID,
				       "chunk %u: more than 2^%d invocations; use more chunks",
				       chunk, JOB_MAX_INVOCATIONS_LOG);
	}
	return 0;
}

static int eval_input(const struct job_params *p, uint32_t chunk, const struct input *in,
		      uint64_t size, struct wire_range *ret, struct err *err)
{
	uint64_t unit = in->unit;
	int64_t offset = 0;
	int64_t length = (int64_t)(size / unit);
	uint64_t need = in->binding->fixed_size;

	if (in->offset != NULL &&
	    expr_eval_int(in->offset, p->values, 0, (int64_t)(size / unit), &offset, err) < 0)
		return err_wrap(err, "chunk %u: offset of input %s", chunk, in->binding->name);
	length -= offset;
	if (in->length != NULL && length < 1)
		return err_set(err, ERR_INVALID,
			       "chunk %u: offset of input %s: it has %llu elements, none is left "
			       "behind %lld",
			       chunk, in->binding->name, (unsigned long long)(size / unit),
			       (long long)offset);
	if (in->length != NULL && expr_eval_int(in->length, p->values, 1,
						(int64_t)(size / unit) - offset, &length, err) < 0)
		return err_wrap(err, "chunk %u: length of input %s", chunk, in->binding->name);
	ret->offset = (uint64_t)offset * unit;
	ret->length = (uint64_t)length * unit;
	/* Without a cut the chunk sees all of it; a fixed part in front may end anywhere. */
	if (in->offset == NULL && in->length == NULL)
		ret->length = size;
	if (in->binding->array_stride > 0 && in->binding->array_offset == 0 && size % unit != 0)
		return err_set(err, ERR_INVALID,
			       "input %s: %llu bytes are no whole number of elements of %llu bytes",
			       in->binding->name, (unsigned long long)size,
			       (unsigned long long)unit);
	if (in->binding->array_stride > 0 &&
	    need < in->binding->array_offset + (uint64_t)in->binding->array_stride)
		need = in->binding->array_offset + (uint64_t)in->binding->array_stride;
	if (ret->length < need)
		return err_set(err, ERR_INVALID,
			       "chunk %u: input %s: %llu bytes, the kernel needs at least %llu",
			       chunk, in->binding->name, (unsigned long long)ret->length,
			       (unsigned long long)need);
	return 0;
}

struct packed {
	unsigned char *uniforms;
	int64_t elements[WIRE_MAX_BINDINGS];
	uint64_t grid[3];
	struct wire_range inputs[WIRE_MAX_BINDINGS];
};

static int pack_chunk(const struct job_params *p, uint32_t chunk, const uint64_t *sizes,
		      struct packed *ret, struct err *err)
{
	if (job_params_values(p, chunk, err) < 0 || pack_uniforms(p, chunk, ret->uniforms, err) < 0)
		return err->code;
	for (size_t i = 0; i < p->n_outputs; i++)
		if (eval_elements(p, chunk, i, &ret->elements[i], err) < 0)
			return err->code;
	if (eval_grid(p, chunk, ret->elements, ret->grid, err) < 0)
		return err->code;
	for (size_t i = 0; i < p->n_inputs; i++)
		if (eval_input(p, chunk, &p->inputs[i], sizes[p->inputs[i].spec], &ret->inputs[i],
			       err) < 0)
			return err->code;
	return 0;
}

int job_params_chunk(const struct job_params *p, uint32_t chunk, const uint64_t *sizes,
		     struct arena *arena, struct wire_chunk *ret, struct err *err)
{
	struct packed packed = { .uniforms = arena_alloc(arena, p->uniform_size) };
	uint64_t *elements;

	if (pack_chunk(p, chunk, sizes, &packed, err) < 0)
		return err->code;
	elements = arena_new_array(arena, uint64_t, p->n_outputs);
	for (size_t i = 0; i < p->n_outputs; i++)
		elements[i] = (uint64_t)packed.elements[i];
	*ret = (struct wire_chunk){
		.index = chunk,
		.grid = { packed.grid[0], packed.grid[1], packed.grid[2] },
		.uniforms = packed.uniforms,
		.uniforms_size = (uint32_t)p->uniform_size,
		.output_elements = elements,
		.n_outputs = (uint32_t)p->n_outputs,
		.inputs = arena_dup(arena, packed.inputs, p->n_inputs * sizeof(*packed.inputs)),
		.n_inputs = (uint32_t)p->n_inputs,
	};
	return 0;
}

/* The conditions under which the kernel's order was proved: the first that does not hold. */
static void check_order(struct job_params *p, uint32_t chunk, const struct packed *packed)
{
	for (size_t i = 0; i < p->n_outputs; i++) {
		const struct wire_binding *b = p->outputs[i].binding;

		for (uint32_t c = 0; c < b->n_conditions; c++)
			if (p->broken == NULL &&
			    !wire_condition_holds(p->kernel, &b->conditions[c], packed->grid,
						  packed->uniforms, p->uniform_size,
						  (uint64_t)packed->elements[i])) {
				p->broken = &b->conditions[c];
				p->broken_output = i;
				p->broken_chunk = chunk;
				p->broken_elements = (uint64_t)packed->elements[i];
			}
	}
}

static int add_extents(struct job_params *p, uint32_t chunk, const struct packed *packed,
		       struct err *err)
{
	for (size_t i = 0; i < p->n_outputs; i++) {
		struct output *o = &p->outputs[i];
		uint64_t n = (uint64_t)packed->elements[i];
		uint64_t bytes = wire_binding_bytes(o->binding, n);
		uint64_t scalars = wire_binding_scalars(o->binding, n);

		if (bytes > JOB_MAX_OUTPUT)
			return err_set(err, ERR_INVALID,
				       "chunk %u: output %s: %llu bytes, at most %d", chunk,
				       o->binding->name, (unsigned long long)bytes, JOB_MAX_OUTPUT);
		if (o->first != NULL)
			o->first[chunk] = o->extent.total;
		o->extent.total += scalars;
		o->extent.total_bytes += bytes;
		if (bytes > o->extent.max_bytes)
			o->extent.max_bytes = bytes;
		if (chunk == 0 || scalars < o->extent.min_scalars)
			o->extent.min_scalars = scalars;
		if (scalars > o->extent.max_scalars)
			o->extent.max_scalars = scalars;
	}
	return 0;
}

int job_params_check(struct job_params *p, uint32_t from, uint32_t n, const uint64_t *sizes,
		     struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct packed packed = { .uniforms = arena_alloc(&arena, p->uniform_size) };

	ASSERT((int64_t)from + n <= p->count);
	for (uint32_t c = from; c < from + n; c++) {
		if (pack_chunk(p, c, sizes, &packed, err) < 0 ||
		    add_extents(p, c, &packed, err) < 0)
			return err->code;
		if (p->broken == NULL)
			check_order(p, c, &packed);
	}
	return 0;
}

int job_params_elements(const struct job_params *p, uint32_t chunk, size_t output, uint64_t *ret,
			struct err *err)
{
	int64_t n = 0;

	ASSERT(output < p->n_outputs);
	if (p->outputs[output].length != NULL) {
		if (!expr_is_constant(p->outputs[output].length) &&
		    job_params_values(p, chunk, err) < 0)
			return err->code;
		if (eval_elements(p, chunk, output, &n, err) < 0)
			return err->code;
	}
	*ret = (uint64_t)n;
	return 0;
}

uint64_t job_params_first(const struct job_params *p, uint32_t chunk, size_t output)
{
	ASSERT(output < p->n_outputs);
	return p->outputs[output].first != NULL ? p->outputs[output].first[chunk] : 0;
}
