/* job_fit.c - job_params_new: the spec's expressions compiled against the kernel's bindings. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "controller/decide/job_params_int.h"
#include "doc/doc.h"

enum { HINT_TEXT = 96 };

static enum expr_type type_of(enum wire_scalar t)
{
	return t == WIRE_F16 || t == WIRE_F32 || t == WIRE_F64 ? EXPR_FLOAT : EXPR_INT;
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

/* One problem; fitting goes on in order to find the others. */
static void found(struct job_params *p, struct err *err)
{
	p->n_problems++;
	buf_note(&p->problems, "%s\n", err->text);
	err_clear(err);
}

/* A path that is written otherwise: "m.1.0" for "m[1][0]", or only its begin: "origin" for
 * "origin.x". */
static bool is_path_meant(const char *name, const char *field)
{
	for (; *name != '\0'; name++, field++) {
		while (*field == ']')
			field++;
		while (*name == ']')
			name++;
		if (*name == '\0')
			break;
		if (*name != *field && !(*name == '.' && *field == '['))
			return false;
	}
	return *field == '\0' || *field == '.' || *field == '[' || *field == ']';
}

/* "x" for "grid.x". */
static bool is_last_part(const char *name, const char *field)
{
	size_t n = strlen(name);
	size_t len = strlen(field);

	return len > n && field[len - n - 1] == '.' && strcmp(field + len - n, name) == 0;
}

/* The field that a param was meant for, NULL if none is like it. Before the field may stand the
 * uniform's name, as in the kernel's text: "params.seed". */
static const char *near_field(const struct job_params *p, const char *name)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (text_is_near(name, p->fields[i].name) ||
		    is_path_meant(name, p->fields[i].name) || is_last_part(name, p->fields[i].name))
			return p->fields[i].name;
	for (uint32_t i = 0; i < p->kernel->n_bindings; i++) {
		const struct wire_binding *b = &p->kernel->bindings[i];
		size_t len = strlen(b->name);

		if (b->role != WIRE_UNIFORM || !text_starts(name, b->name) || name[len] != '.')
			continue;
		for (uint32_t n = 0; n < b->n_leaves; n++)
			if (is_path_meant(name + len + 1, b->leaves[n].path))
				return b->leaves[n].path;
	}
	return NULL;
}

/* `; did you mean "seed"?` if one of the kernel's fields, or of its bindings in this role, is
 * called almost like that; "" else. */
static const char *hint(const struct job_params *p, enum wire_role role, const char *name,
			char text[HINT_TEXT])
{
	const char *near = role == WIRE_UNIFORM ? near_field(p, name) : NULL;

	for (uint32_t i = 0; role != WIRE_UNIFORM && i < p->kernel->n_bindings; i++)
		if (p->kernel->bindings[i].role == role &&
		    text_is_near(name, p->kernel->bindings[i].name))
			near = p->kernel->bindings[i].name;
	text[0] = '\0';
	if (near != NULL)
		snprintf(text, HINT_TEXT, "; did you mean \"%.60s\"?", near);
	return text;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* True if the kernel's text has a module variable `var<...> name`: what the entry point does not
 * use is not among its bindings. */
static bool is_declared(const struct job_spec *spec, const char *name)
{
	size_t len = strlen(name);
	const char *at = spec->kernel;

	for (; at != NULL && (at = strstr(at, name)) != NULL; at += len) {
		const char *before = at;

		while (before > spec->kernel && strchr(" \t\n", before[-1]) != NULL)
			before--;
		if (before > spec->kernel && before[-1] == '>' && !is_name_char(at[len]))
			return true;
	}
	return false;
}

static const struct job_param *find_param(const struct job_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_params; i++)
		if (strcmp(spec->params[i].field, name) == 0)
			return &spec->params[i];
	return NULL;
}

/* True if a param that the kernel does not have is almost called like that: it was meant. */
static bool is_misspelt(const struct job_params *p, const char *field)
{
	for (size_t i = 0; i < p->spec->n_params; i++)
		if (text_is_near(p->spec->params[i].field, field))
			return true;
	return false;
}

static int add_field(struct job_params *p, const struct field *f, struct err *err)
{
	const struct job_param *given = find_param(p->spec, f->name);
	const char *text = given != NULL ? given->text : NULL;

	if (given == NULL && p->manifest == NULL && !is_misspelt(p, f->name)) {
		(void)err_set(err, ERR_INVALID,
			      "chunk 0: field %s is missing in spec.chunks.params", f->name);
		found(p, err);
	}
	if (expr_params_add(p->params, f->name, text, text != NULL ? strlen(text) : 0, f->type,
			    err) == 0)
		return 0;
	if (err->code != ERR_EXISTS)
		return err->code;
	err_clear(err);
	for (const struct field *first = p->fields; first < f; first++)
		if (strcmp(first->name, f->name) == 0)
			return err_set(
			    err, ERR_INVALID,
			    "two fields of the kernel's uniforms are called %s: rename one",
			    f->name);
	return err_set(err, ERR_INVALID,
		       "a field of the kernel's uniform is called %s, as the variable that "
		       "expressions have: rename the field",
		       f->name);
}

static bool has_field(const struct job_params *p, const char *name)
{
	for (size_t n = 0; n < p->n_fields; n++)
		if (strcmp(p->fields[n].name, name) == 0)
			return true;
	return false;
}

static void find_extra_params(struct job_params *p)
{
	for (size_t i = 0; i < p->spec->n_params; i++) {
		const char *name = p->spec->params[i].field;
		struct err err = { 0 };
		char text[HINT_TEXT];

		if (has_field(p, name))
			continue;
		(void)err_set(&err, ERR_INVALID, "spec.chunks.params.%.100s: %s%s", name,
			      p->n_fields > 0 ? "the kernel has no such field"
					      : "the entry point uses no uniform",
			      hint(p, WIRE_UNIFORM, name, text));
		found(p, &err);
	}
}

static int add_fields(struct job_params *p, struct err *err)
{
	find_extra_params(p);
	for (size_t i = 0; i < p->n_fields; i++)
		if (add_field(p, &p->fields[i], err) < 0)
			return err->code;
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
static void check_name(struct job_params *p, enum wire_role role, size_t i, const char *name)
{
	const struct wire_binding *b = wire_find_binding(p->kernel, name);
	const char *what = role == WIRE_INPUT ? "input" : "output";
	struct err err = { 0 };
	char text[HINT_TEXT];

	if (b != NULL && b->role == role)
		return;
	if (b == NULL && is_declared(p->spec, name)) {
		(void)err_set(&err, ERR_INVALID,
			      "spec.%ss[%zu]: the kernel declares %.100s, but the entry point does "
			      "not use it: use it there, or remove it from spec.%ss",
			      what, i, name, what);
		found(p, &err);
		return;
	}
	(void)err_set(&err, ERR_INVALID, "spec.%ss[%zu]: the kernel has no %s %.100s%s", what, i,
		      what, name, hint(p, role, name, text));
	found(p, &err);
}

static void check_names(struct job_params *p)
{
	for (size_t i = 0; i < p->spec->n_inputs; i++)
		check_name(p, WIRE_INPUT, i, p->spec->inputs[i].name);
	for (size_t i = 0; i < p->spec->n_outputs; i++)
		check_name(p, WIRE_OUTPUT, i, p->spec->outputs[i].name);
}

/* All problems are found, but for those of expressions whose names are not known for sure. */
static void fit(struct job_params *p)
{
	struct err err = { 0 };

	check_names(p);
	if (list_fields(p, &err) < 0 || add_fields(p, &err) < 0) {
		found(p, &err);
		return;
	}
	for (uint32_t i = 0; i < p->kernel->n_bindings; i++) {
		const struct wire_binding *b = &p->kernel->bindings[i];

		if ((b->role == WIRE_INPUT && fit_input(p, b, &err) < 0) ||
		    (b->role == WIRE_OUTPUT && fit_output(p, b, &err) < 0))
			found(p, &err);
	}
	if (fit_grid(p, &err) < 0)
		found(p, &err);
}

static void params_freep(struct job_params **p)
{
	job_params_free(*p);
}

static struct job_params *fit_new(const struct job_spec *spec, const struct wire_kernel *kernel,
				  const struct doc *manifest, int64_t count)
{
	struct job_params *p = NEW(struct job_params);

	ASSERT(count > 0 && count <= JOB_MAX_CHUNKS);
	p->spec = spec;
	p->kernel = kernel;
	p->manifest = doc_ref(manifest);
	p->count = count;
	p->problems.max = JOB_MAX_PROBLEMS;
	p->params = expr_params_new(EXPR_VAR_CHUNK | (spec->has_range ? EXPR_VAR_RANGE : 0));
	fit(p);
	return p;
}

int job_params_new(const struct job_spec *spec, const struct wire_kernel *kernel,
		   const struct doc *manifest, int64_t count, struct job_params **ret,
		   struct err *err)
{
	AUTO(params_freep) struct job_params *p = fit_new(spec, kernel, manifest, count);
	const char *lines = buf_str(&p->problems);
	int first = (int)strcspn(lines, "\n");

	if (p->n_problems == 1)
		return err_set(err, ERR_INVALID, "%.*s", first, lines);
	if (p->n_problems > 1)
		return err_set(err, ERR_INVALID,
			       "%.*s (and %zu more; `kubectl warp check -f` lists them)",
			       first < 180 ? first : 180, lines, p->n_problems - 1);
	*ret = MOVE(p);
	return 0;
}

size_t job_params_problems(const struct job_spec *spec, const struct wire_kernel *kernel,
			   const struct doc *manifest, int64_t count, struct buf *out)
{
	AUTO(params_freep) struct job_params *p = fit_new(spec, kernel, manifest, count);

	buf_note(out, "%s", buf_str(&p->problems));
	return p->n_problems;
}
