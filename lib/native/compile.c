/* compile.c - module in, object out: target, passes, code generation; see native.h. */
#include "native/gen_int.h"

#include <elf.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "native/llvm_int.h"

/*
 * What pays for itself: dissolve allocas, drop repeated work, hoist what is the same for all
 * passes and units. instcombine costs a third of the time and made code slower (it widens
 * masked additions). Huge kernels get the cheap half.
 */
static const char PASSES[] = "function(sroa,early-cse<memssa>,simplifycfg,loop-mssa(licm),adce)";
static const char PASSES_HUGE[] = "function(sroa,early-cse,simplifycfg)";

/* Above these LLVM's register allocator, which is not linear, takes many seconds: its fast one and
 * slow code are better than that. */
enum { HUGE_INSTS = 8000, HUGE_BLOCKS = 2500 };

struct compiler {
	char *cpu, *features, *triple; /* owned by LLVM */
	LLVMTargetRef target;
	LLVMTargetMachineRef tm;
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b, entry;
	LLVMTargetDataRef layout;
	struct cpu_shape shape;
};

static void compiler_done(struct compiler *c)
{
	if (c->triple == NULL)
		return; /* LLVM may not even be loaded */
	if (c->layout)
		LLVMDisposeTargetData(c->layout);
	if (c->b)
		LLVMDisposeBuilder(c->b);
	if (c->entry)
		LLVMDisposeBuilder(c->entry);
	if (c->mod)
		LLVMDisposeModule(c->mod);
	if (c->ctx)
		LLVMContextDispose(c->ctx);
	if (c->tm)
		LLVMDisposeTargetMachine(c->tm);
	LLVMDisposeMessage(c->cpu);
	LLVMDisposeMessage(c->features);
	LLVMDisposeMessage(c->triple);
}

static struct cpu_shape shape_of(const char *cpu, const char *features)
{
	bool fixed = features[0] == '\0';

	if (strstr(features, "+avx512bw") != NULL || (fixed && strcmp(cpu, "x86-64-v4") == 0))
		return (struct cpu_shape){ .vector_bytes = 64, .registers = 32 };
	if (strstr(features, "+avx2") != NULL || (fixed && strcmp(cpu, "x86-64-v3") == 0))
		return (struct cpu_shape){ .vector_bytes = 32, .registers = 16 };
#ifdef __aarch64__
	return (struct cpu_shape){ .vector_bytes = 16, .registers = 32 };
#else
	return (struct cpu_shape){ .vector_bytes = 16, .registers = 16 };
#endif
}

MUST_CHECK static int open_machine(struct compiler *c, LLVMCodeGenOptLevel level, struct err *err)
{
	if (c->tm != NULL)
		LLVMDisposeTargetMachine(c->tm);
	c->tm = LLVMCreateTargetMachine(c->target, c->triple, c->cpu, c->features, level,
					LLVMRelocPIC, LLVMCodeModelSmall);
	if (c->tm == NULL)
		return err_set(err, ERR_UNAVAILABLE, "native: LLVM has no target machine");
	return 0;
}

MUST_CHECK static int open_target(struct compiler *c, const struct native_options *o,
				  struct err *err)
{
	char *message = NULL;

	if (native_llvm_load(err) < 0)
		return err->code;
	if (LLVMInitializeNativeTarget() != 0 || LLVMInitializeNativeAsmPrinter() != 0)
		return err_set(err, ERR_UNAVAILABLE, "native: LLVM has no back end for this CPU");
	c->triple = LLVMGetDefaultTargetTriple();
	c->cpu = o->cpu ? LLVMCreateMessage(o->cpu) : LLVMGetHostCPUName();
	c->features = o->cpu ? LLVMCreateMessage("") : LLVMGetHostCPUFeatures();
	c->shape = shape_of(c->cpu, c->features);
	if (LLVMGetTargetFromTriple(c->triple, &c->target, &message) != 0) {
		(void)err_set(err, ERR_UNAVAILABLE, "native: %s", message);
		LLVMDisposeMessage(message);
		return err->code;
	}
	return open_machine(c, LLVMCodeGenLevelDefault, err);
}

static void open_module(struct compiler *c)
{
	char *layout;

	c->ctx = LLVMContextCreate();
	c->mod = LLVMModuleCreateWithNameInContext("kernel", c->ctx);
	c->b = LLVMCreateBuilderInContext(c->ctx);
	c->entry = LLVMCreateBuilderInContext(c->ctx);
	c->layout = LLVMCreateTargetDataLayout(c->tm);
	layout = LLVMCopyStringRepOfTargetData(c->layout);
	LLVMSetDataLayout(c->mod, layout);
	LLVMSetTarget(c->mod, c->triple);
	LLVMDisposeMessage(layout);
}

static void attribute(struct gen *g, const char *name, const char *value)
{
	LLVMAttributeRef a;

	ASSERT(value != NULL);
	a = LLVMCreateStringAttribute(g->ctx, name, (unsigned)strlen(name), value,
				      (unsigned)strlen(value));
	LLVMAddAttributeAtIndex(g->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* The target machine alone does not decide: the function says again for which CPU it is. */
static void set_attributes(struct gen *g, const struct compiler *c)
{
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	char bits[16];

	(void)snprintf(bits, sizeof(bits), "%u", (unsigned)c->shape.vector_bytes * 8);
	LLVMAddAttributeAtIndex(g->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(g->ctx, nounwind, 0));
	attribute(g, "target-cpu", c->cpu);
	attribute(g, "target-features", c->features);
	attribute(g, "prefer-vector-width", bits);
	attribute(g, "min-legal-vector-width", bits);
}

static void gen_setup(struct gen *g, const struct compiler *c)
{
	g->ctx = c->ctx;
	g->mod = c->mod;
	g->b = c->b;
	g->entry = c->entry;
	g->i1 = LLVMInt1TypeInContext(c->ctx);
	g->i8 = LLVMInt8TypeInContext(c->ctx);
	g->i16 = LLVMIntTypeInContext(c->ctx, 16);
	g->i32 = LLVMInt32TypeInContext(c->ctx);
	g->i64 = LLVMInt64TypeInContext(c->ctx);
	g->f32 = LLVMFloatTypeInContext(c->ctx);
	g->f64 = LLVMDoubleTypeInContext(c->ctx);
	g->ptr = LLVMPointerTypeInContext(c->ctx, 0);
	g->L = g->plan->lanes;
	g->mask_type = gen_vec_type(g, c->shape.vector_bytes == 64 ? g->i1 : g->i32);
	g->vals = arena_new_array(g->arena, struct val, g->m->fn.n_insts);
	g->spills = arena_new_array(g->arena, uint64_t, g->m->fn.n_insts);
	arena_reserve(g->arena, &g->links, &g->cap_links, 0, sizeof(g->links[0]));
	g->n_links = 1; /* the first mask is that of the invocations of a unit */
}

MUST_CHECK static int check_module(const struct compiler *c, struct err *err)
{
	char *message = NULL;

	if (LLVMVerifyModule(c->mod, LLVMReturnStatusAction, &message) != 0)
		(void)err_set(err, ERR_INVALID, "native: bad IR: %s", message);
	LLVMDisposeMessage(message);
	return err->code;
}

static bool is_huge(const struct gen *g)
{
	return g->m->fn.n_insts > HUGE_INSTS || g->n_llvm_blocks > HUGE_BLOCKS;
}

MUST_CHECK static int run_passes(const struct compiler *c, const struct gen *g, struct err *err)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	const char *passes = is_huge(g) ? PASSES_HUGE : PASSES;
	LLVMErrorRef failed = LLVMRunPasses(c->mod, passes, c->tm, options);
	char *message;

	LLVMDisposePassBuilderOptions(options);
	if (failed == NULL)
		return 0;
	message = LLVMGetErrorMessage(failed);
	(void)err_set(err, ERR_INVALID, "native: passes: %s", message);
	LLVMDisposeErrorMessage(message);
	return err->code;
}

/* Everything up to optimised IR in c->mod. */
MUST_CHECK static int build(struct compiler *c, struct gen *g, bool optimise, struct err *err)
{
	const struct native_options *o = g->o;

	if (o->lanes != 0 &&
	    (o->lanes < 4 || o->lanes > NATIVE_MAX_LANES || (o->lanes & (o->lanes - 1)) != 0))
		return err_set(err, ERR_INVALID, "native: %u lanes", (unsigned)o->lanes);
	if (g->m->n_bindings > NATIVE_MAX_BUFFERS)
		return err_set(err, ERR_INVALID, "native: too many bindings");
	if (open_target(c, o, err) < 0)
		return err->code;
	open_module(c);
	plan_make(g->m, o, c->shape, g->arena, g->plan);
	gen_setup(g, c);
	unit_build(g);
	if (err->code != 0)
		return err->code;
	if (g->scratch_bytes > NATIVE_MAX_SCRATCH)
		return err_set(
		    err, ERR_TOO_BIG,
		    "native: a work-group keeps %llu bytes over its barriers, the limit is %u",
		    (unsigned long long)g->scratch_bytes, (unsigned)NATIVE_MAX_SCRATCH);
	set_attributes(g, c);
	if (check_module(c, err) < 0)
		return err->code;
	return optimise ? run_passes(c, g, err) : 0;
}

static void fill_header(const struct gen *g, const struct native_options *o, size_t elf_len,
			struct native_header *h)
{
	*h = (struct native_header){ .magic = NATIVE_MAGIC, .version = NATIVE_VERSION };
#ifdef __aarch64__
	h->machine = EM_AARCH64;
#else
	h->machine = EM_X86_64;
#endif
	if (o->cpu != NULL)
		(void)snprintf(h->cpu_key, sizeof(h->cpu_key), NATIVE_KEY_FIXED "%.40s", o->cpu);
	else
		(void)native_cpu_key(h->cpu_key);
	h->lanes = g->plan->lanes;
	h->mode = g->plan->mode;
	memcpy(h->workgroup_size, g->m->workgroup_size, sizeof(h->workgroup_size));
	h->whole_groups = g->m->uses_barriers || g->m->uses_workgroup_memory;
	h->scratch_bytes = g->scratch_bytes;
	h->n_buffers = g->m->n_bindings;
	h->elf_len = elf_len;
}

MUST_CHECK static int write_object(const struct gen *g, const void *elf, size_t len,
				   struct buf *object, struct err *err)
{
	struct native_header h;

	fill_header(g, g->o, len, &h);
	if (buf_add(object, &h, sizeof(h), err) < 0)
		return err->code;
	for (uint32_t n = 0; n < g->m->n_bindings; n++) {
		const struct wgsl_binding *b = &g->m->bindings[n];
		struct native_binding nb = { .min_size = b->min_size,
					     .array_offset = b->array_offset,
					     .array_stride = b->array_stride,
					     .is_used = b->is_used };

		if (buf_add(object, &nb, sizeof(nb), err) < 0)
			return err->code;
	}
	return buf_add(object, elf, len, err);
}

static void compiler_donep(struct compiler *c)
{
	compiler_done(c);
}

int native_start(struct err *err)
{
	return native_llvm_load(err);
}

int native_compile(const struct wgsl_module *m, const struct native_options *o, struct buf *object,
		   struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(compiler_donep) struct compiler c = { 0 };
	struct plan plan = { 0 };
	struct gen g = { .err = err, .m = m, .o = o, .plan = &plan, .arena = &arena };
	LLVMMemoryBufferRef elf = NULL;
	char *message = NULL;
	int ret;

	if (build(&c, &g, true, err) < 0)
		return err->code;
	if (is_huge(&g) && open_machine(&c, LLVMCodeGenLevelNone, err) < 0)
		return err->code;
	if (LLVMTargetMachineEmitToMemoryBuffer(c.tm, c.mod, LLVMObjectFile, &message, &elf) != 0) {
		(void)err_set(err, ERR_INVALID, "native: %s", message);
		LLVMDisposeMessage(message);
		return err->code;
	}
	ret = write_object(&g, LLVMGetBufferStart(elf), LLVMGetBufferSize(elf), object, err);
	LLVMDisposeMemoryBuffer(elf);
	return ret;
}

int native_compile_text(const struct wgsl_module *m, const struct native_options *o, bool optimised,
			struct buf *text, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(compiler_donep) struct compiler c = { 0 };
	struct plan plan = { 0 };
	struct gen g = { .err = err, .m = m, .o = o, .plan = &plan, .arena = &arena };
	char *ir;
	int ret;

	if (build(&c, &g, optimised, err) < 0)
		return err->code;
	ir = LLVMPrintModuleToString(c.mod);
	ret = buf_adds(text, ir, err);
	LLVMDisposeMessage(ir);
	return ret;
}
