/* job_fit.c - job_params_new: the spec's expressions compiled against the kernel's bindings. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "controller/decide/job_params_int.h"
#include "doc/doc.h"

static enum expr_type type_of(enum wire_scalar t)
{
	return t == WIRE_F32 || t == WIRE_F64 ? EXPR_FLOAT : EXPR_INT;
}

static size_t count_leaves(const struct wire_kernel *k)
{
	size_t n = 0;

	for (uint32_t i = 0; i < k->n_bindings; i++)
		n += k->bindings[i].role == WIRE_UNIFORM ? k->bindings[i].n_leaves : 0;
	return n;
}

/* Every scalar of every uniform by the name that a job uses for it. */
static int list_fields(struct job_params *p, struct err *err)
{
	const struct wire_kernel *k = p->kernel;

	p->fields = NEW_ARRAY(struct field, count_leaves(k));
	for (uint32_t i = 0; i < k->n_bindings; i++) {
		const struct wire_binding *b = &k->bindings[i];

		if (b->role != WIRE_UNIFORM)
			continue;
		for (uint32_t n = 0; n < b->n_leaves; n++) {
			struct field *f = &p->fields[p->n_fields++];

			f->leaf = &b->leaves[n];
			f->name = *f->leaf->path != '\0' ? f->leaf->path : b->name;
			f->type = type_of(f->leaf->type);
			f->offset = p->uniform_size + f->leaf->offset;
		}
		p->uniform_size += b->fixed_size;
	}
	if (p->uniform_size > WIRE_MAX_UNIFORM)
		return err_set(err, ERR_INVALID, "the uniforms have %zu bytes, at most %d",
			       p->uniform_size, WIRE_MAX_UNIFORM);
	return 0;
}

static const struct job_param *find_param(const struct job_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_params; i++)
		if (strcmp(spec->params[i].field, name) == 0)
			return &spec->params[i];
	return NULL;
}

static int add_field(struct job_params *p, const struct field *f, struct err *err)
{
	const struct job_param *given = find_param(p->spec, f->name);
	const char *text = given != NULL ? given->text : NULL;

	if (given == NULL && p->manifest == NULL)
		return err_set(err, ERR_INVALID,
			       "chunk 0: field %s is missing in spec.chunks.params", f->name);
	if (expr_params_add(p->params, f->name, text, text != NULL ? strlen(text) : 0, f->type,
			    err) == 0)
		return 0;
	if (err->code == ERR_EXISTS)
		return err_wrap(err, "two uniforms of the kernel have a field of this name, or it "
				     "hides a variable");
	return err->code;
}

static bool has_field(const struct job_params *p, const char *name)
{
	for (size_t n = 0; n < p->n_fields; n++)
		if (strcmp(p->fields[n].name, name) == 0)
			return true;
	return false;
}

static int add_fields(struct job_params *p, struct err *err)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (add_field(p, &p->fields[i], err) < 0)
			return err->code;
	for (size_t i = 0; i < p->spec->n_params; i++)
		if (!has_field(p, p->spec->params[i].field))
			return err_set(err, ERR_INVALID,
				       "spec.chunks.params.%s: the kernel has no such field",
				       p->spec->params[i].field);
	if (expr_params_link(p->params, err) < 0)
		return err_wrap(err, "spec.chunks.params");
	for (size_t i = 0; i < p->n_fields; i++)
		p->fields[i].slot = expr_params_slot(p->params, i);
	p->values = NEW_ARRAY(struct expr_value, expr_params_slots(p->params));
	return 0;
}

static int compile(const struct job_params *p, const char *text, size_t len, struct expr **ret,
		   struct err *err)
{
	if (text == NULL)
		return 0;
	return expr_compile(text, len, EXPR_INT, expr_params_scope(p->params), ret, err);
}

/* Length of the text up to a comma outside of parentheses. */
static size_t part_len(const char *s)
{
	int depth = 0;
	size_t n = 0;

	for (; s[n] != '\0' && (s[n] != ',' || depth > 0); n++)
		depth += (s[n] == '(') - (s[n] == ')');
	return n;
}

static int fit_grid(struct job_params *p, struct err *err)
{
	const char *at = p->spec->invocations;

	p->grid_output = SIZE_MAX;
	p->whole_groups = p->kernel->uses_barriers || p->kernel->uses_workgroup_memory;
	if (at == NULL) {
		for (size_t i = 0; i < p->n_outputs && p->grid_output == SIZE_MAX; i++)
			if (p->outputs[i].length != NULL)
				p->grid_output = i;
		if (p->grid_output == SIZE_MAX)
			return err_set(err, ERR_INVALID,
				       "spec.chunks.invocations: needed, since no output of the "
				       "kernel is runtime-sized");
		return 0;
	}
	for (size_t i = 0; i < 3; i++) {
		size_t len = part_len(at);

		if (compile(p, at, len, &p->grid[i], err) < 0)
			return err_wrap(err, "spec.chunks.invocations");
		at += len;
		if (*at == '\0')
			return 0;
		at++;
	}
	return err_set(err, ERR_INVALID,
		       "spec.chunks.invocations: at most three expressions: x, y, z");
}

static size_t find_input(const struct job_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_inputs; i++)
		if (strcmp(spec->inputs[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static size_t find_output(const struct job_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_outputs; i++)
		if (strcmp(spec->outputs[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static int fit_input(struct job_params *p, const struct wire_binding *b, struct err *err)
{
	struct input *in = &p->inputs[p->n_inputs];
	const struct job_input *spec;

	in->binding = b;
	in->spec = find_input(p->spec, b->name);
	if (in->spec == SIZE_MAX)
		return err_set(err, ERR_INVALID, "spec.inputs: the kernel's input %s is missing",
			       b->name);
	spec = &p->spec->inputs[in->spec];
	p->n_inputs++;
	in->unit = b->array_stride;
	if (in->unit == 0)
		in->unit = wire_binding_type(b) != 0 ? wire_scalar_size(wire_binding_type(b))
						     : b->fixed_size;
	if (in->unit == 0)
		in->unit = 1;
	if ((spec->offset != NULL || spec->length != NULL) && b->array_offset > 0)
		return err_set(err, ERR_INVALID,
			       "spec.inputs: %s begins with a fixed part, which cannot be cut by "
			       "offset and length",
			       b->name);
	if (spec->offset != NULL &&
	    compile(p, spec->offset, strlen(spec->offset), &in->offset, err) < 0)
		return err_wrap(err, "offset of input %s", b->name);
	if (spec->length != NULL &&
	    compile(p, spec->length, strlen(spec->length), &in->length, err) < 0)
		return err_wrap(err, "length of input %s", b->name);
	return 0;
}

static bool asks_for_index(enum vote_reducer r)
{
	return r == VOTE_ARG_MIN || r == VOTE_ARG_MAX || r == VOTE_TOP_K;
}

static int fit_output(struct job_params *p, const struct wire_binding *b, struct err *err)
{
	struct output *o = &p->outputs[p->n_outputs];
	const struct job_output *spec;

	o->binding = b;
	o->spec = find_output(p->spec, b->name);
	if (o->spec == SIZE_MAX)
		return err_set(err, ERR_INVALID,
			       "spec.outputs: the kernel's output %s is missing (reduce: Discard "
			       "for scratch)",
			       b->name);
	spec = &p->spec->outputs[o->spec];
	p->n_outputs++;
	if (asks_for_index(spec->reduce))
		o->first = NEW_ARRAY(uint64_t, (size_t)p->count);
	if (b->array_stride == 0 && spec->length != NULL)
		return err_set(err, ERR_INVALID,
			       "length of output %s: the kernel fixes it; only runtime-sized "
			       "arrays have one",
			       b->name);
	if (b->array_stride > 0 && spec->length == NULL)
		return err_set(err, ERR_INVALID,
			       "length of output %s: needed, since its array is runtime-sized",
			       b->name);
	if (spec->length != NULL &&
	    compile(p, spec->length, strlen(spec->length), &o->length, err) < 0)
		return err_wrap(err, "length of output %s", b->name);
	return 0;
}

/* Everything that the spec names must be there. */
static int check_names(const struct job_params *p, struct err *err)
{
	for (size_t i = 0; i < p->spec->n_inputs; i++) {
		const struct wire_binding *b =
		    wire_find_binding(p->kernel, p->spec->inputs[i].name);

		if (b == NULL || b->role != WIRE_INPUT)
			return err_set(err, ERR_INVALID,
				       "spec.inputs[%zu]: the kernel has no input %s", i,
				       p->spec->inputs[i].name);
	}
	for (size_t i = 0; i < p->spec->n_outputs; i++) {
		const struct wire_binding *b =
		    wire_find_binding(p->kernel, p->spec->outputs[i].name);

		if (b == NULL || b->role != WIRE_OUTPUT)
			return err_set(err, ERR_INVALID,
				       "spec.outputs[%zu]: the kernel has no output %s", i,
				       p->spec->outputs[i].name);
	}
	return 0;
}

static int fit(struct job_params *p, struct err *err)
{
	if (check_names(p, err) < 0 || list_fields(p, err) < 0 || add_fields(p, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < p->kernel->n_bindings; i++) {
		const struct wire_binding *b = &p->kernel->bindings[i];

		if (b->role == WIRE_INPUT && fit_input(p, b, err) < 0)
			return err->code;
		if (b->role == WIRE_OUTPUT && fit_output(p, b, err) < 0)
			return err->code;
	}
	return fit_grid(p, err);
}

static void params_freep(struct job_params **p)
{
	job_params_free(*p);
}

int job_params_new(const struct job_spec *spec, const struct wire_kernel *kernel,
		   const struct doc *manifest, int64_t count, struct job_params **ret,
		   struct err *err)
{
	AUTO(params_freep) struct job_params *p = NEW(struct job_params);

	ASSERT(count > 0 && count <= JOB_MAX_CHUNKS);
	p->spec = spec;
	p->kernel = kernel;
	p->manifest = doc_ref(manifest);
	p->count = count;
	p->params = expr_params_new(EXPR_VAR_CHUNK | (spec->has_range ? EXPR_VAR_RANGE : 0));
	if (fit(p, err) < 0)
		return err->code;
	*ret = MOVE(p);
	return 0;
}
