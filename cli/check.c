/* check.c - see check.h. */
#include "cli/check.h"

#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/fit.h"
#include "controller/decide/job_view.h"
#include "doc/doc.h"
#include "run/run.h"
#include "wire/kernel.h"

static const char *role_name(enum wire_role r)
{
	switch (r) {
	case WIRE_UNIFORM:
		return "uniform";
	case WIRE_INPUT:
		return "input";
	case WIRE_OUTPUT:
		return "output";
	}
	return "?";
}

static void print_layout(const struct wire_binding *b, struct buf *out)
{
	enum wire_scalar type = wire_binding_type(b);

	if (b->array_stride > 0 && b->fixed_size > 0)
		buf_note(out, "%u bytes and a runtime-sized array", b->fixed_size);
	else if (b->array_stride > 0)
		buf_note(out, "runtime-sized array");
	else
		buf_note(out, "%u bytes", b->fixed_size);
	if (b->array_stride > 0)
		buf_note(out, ", %u bytes from element to element", b->array_stride);
	if (type != 0)
		buf_note(out, ", of %s", wire_scalar_name(type));
}

static void print_output(const struct wire_binding *b, struct buf *out)
{
	buf_note(out, "    class %s", wire_class_name(b->numeric_class));
	if (b->class_reason != NULL && *b->class_reason != '\0')
		buf_note(out, ": %s", b->class_reason);
	buf_note(out, "\n    order %s", wire_order_name(b->order));
	if (b->order_reason != NULL && *b->order_reason != '\0')
		buf_note(out, ": %s", b->order_reason);
	for (uint32_t i = 0; i < b->n_conditions; i++)
		buf_note(out, "\n    if %s", b->conditions[i].text);
	buf_note(out, "\n");
}

static void print_binding(const struct wire_binding *b, struct buf *out)
{
	buf_note(out, "  @group(%u) @binding(%u) %s: %s, ", b->group, b->binding, b->name,
		 role_name(b->role));
	print_layout(b, out);
	buf_note(out, "\n");
	for (uint32_t i = 0; b->role == WIRE_UNIFORM && i < b->n_leaves; i++)
		buf_note(out, "    %s: %s at %u\n",
			 *b->leaves[i].path != '\0' ? b->leaves[i].path : b->name,
			 wire_scalar_name(b->leaves[i].type), b->leaves[i].offset);
	if (b->role == WIRE_OUTPUT)
		print_output(b, out);
}

static void print_needs(uint32_t needs, struct buf *out)
{
	if (needs == 0)
		return;
	buf_note(out, "  needs");
	for (uint32_t bit = 1; bit <= WIRE_NEEDS_ALL; bit <<= 1)
		if (needs & bit)
			buf_note(out, " %s", wire_need_name((enum wire_need)bit));
	buf_note(out, "\n");
}

static void print_kernel(const struct wire_kernel *k, struct buf *out)
{
	buf_note(out, "entry point %s, workgroup size %u x %u x %u%s%s\n", k->entry_point,
		 k->workgroup_size[0], k->workgroup_size[1], k->workgroup_size[2],
		 k->uses_barriers ? ", barriers" : "",
		 k->uses_workgroup_memory ? ", workgroup memory" : "");
	buf_note(out, "  class %s, order %s\n", wire_class_name(k->numeric_class),
		 wire_order_name(k->order));
	print_needs(k->needs, out);
	for (uint32_t i = 0; i < k->n_bindings; i++)
		print_binding(&k->bindings[i], out);
	if (k->warnings != NULL && *k->warnings != '\0')
		buf_note(out, "%s", k->warnings);
}

static void loop_freep_local(struct loop **l)
{
	loop_free(*l);
}

/* *ret stays NULL when it does not compile: out then holds the diagnostics. */
static int check_source(const struct run_source *source, struct buf *out, struct run_kernel **ret,
			struct err *err)
{
	AUTO(loop_freep_local) struct loop *loop = NULL;
	AUTO(run_host_freep) struct run_host *host = NULL;
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	AUTO(buf_done) struct buf text = { .max = 1 << 20 };
	struct err failed = { 0 };

	if (loop_new(&loop, err) < 0 ||
	    run_host_new(loop, &(struct run_options){ 0 }, &host, err) < 0)
		return err->code;
	if (run_wait_load(host, source, false, &text, &kernel, &failed) == 0) {
		print_kernel(run_kernel_reflection(kernel), out);
		*ret = MOVE(kernel);
		return 0;
	}
	if (failed.code != ERR_INVALID && failed.code != ERR_TOO_BIG)
		return err_set(err, (enum err_code)failed.code, "%s", failed.text);
	buf_note(out, "%s%s", text.len > 0 ? buf_str(&text) : failed.text,
		 text.len > 0 ? "" : "\n");
	return 0;
}

static int check_job(const struct files *files, const struct doc *job, struct buf *out,
		     bool *ret_good, struct err *err)
{
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	AUTO(arena_done) struct arena arena = { 0 };
	struct job_spec *spec = arena_new(&arena, struct job_spec);

	if (job_view(job, &arena, spec, err) < 0)
		return err->code;
	if (spec->refused != NULL)
		return err_set(err, ERR_INVALID, "%s", spec->refused);
	buf_note(out, "WarpJob %s: ", spec->name);
	if (check_source(&(struct run_source){ .text = spec->kernel,
					       .len = spec->kernel_len,
					       .entry_point = spec->entry_point,
					       .constants = spec->constants,
					       .n_constants = (uint32_t)spec->n_constants,
					       .strict = spec->strict },
			 out, &kernel, err) < 0)
		return err->code;
	*ret_good = kernel != NULL;
	if (kernel == NULL)
		return 0;
	return fit_check(files, job, run_kernel_reflection(kernel), out, ret_good, err);
}

/* Diagnostics call the kernel kernel.wgsl: its path instead, so that editors find it. Source lines
 * are indented. */
static void name_file(const char *text, const char *path, struct buf *out)
{
	static const char name[] = "kernel.wgsl:";

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		len += text[len] == '\n';
		if (text_starts(text, name)) {
			buf_note(out, "%s:", path);
			text += sizeof(name) - 1;
			len -= sizeof(name) - 1;
		}
		buf_note(out, "%.*s", (int)len, text);
		text += len;
	}
}

int check_kernel(const char *path, struct buf *out, bool *ret_good, struct err *err)
{
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	AUTO(buf_done) struct buf text = { .max = RUN_MAX_SOURCE };
	AUTO(buf_done) struct buf said = { .max = out->max };

	if (file_read(path, &text, err) < 0 ||
	    check_source(&(struct run_source){ .text = buf_str(&text), .len = text.len }, &said,
			 &kernel, err) < 0)
		return err->code;
	name_file(buf_str(&said), path, out);
	*ret_good = kernel != NULL;
	return 0;
}

int check_jobs(const char *const *paths, size_t n, struct buf *out, bool *ret_good, struct err *err)
{
	AUTO(files_done) struct files files = { 0 };
	bool good = true;

	*ret_good = true;
	for (size_t i = 0; i < n; i++) {
		if (files_add(&files, paths[i], err) == 0)
			continue;
		if (files.problems.len == 0)
			return err->code;
		err_clear(err);
		buf_note(out, "%s: not a valid WarpJob:\n%s", paths[i], buf_str(&files.problems));
		*ret_good = false;
		return 0;
	}
	if (files.n_jobs == 0)
		return err_set(err, ERR_INVALID, "%s: no WarpJob", paths[0]);
	for (size_t i = 0; i < files.n_jobs; i++) {
		if (check_job(&files, files.jobs[i], out, &good, err) < 0)
			return n == 1 ? err_wrap(err, "%s", paths[0]) : err->code;
		*ret_good = *ret_good && good;
	}
	return 0;
}
