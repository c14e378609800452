/*
 * run.h - starts and feeds kwarp-runner, the sandboxed child that compiles and executes kernels.
 *
 * A program has one run_host: it keeps one warm compiler child, started when first needed, and
 * the compiled code of the kernels seen last. Each device slot is a run_slot: one child that
 * executes one chunk at a time from code compiled before; it never loads the compiler.
 *
 *     run_host_new(loop, &(struct run_options){ 0 }, &host, err);
 *     run_slot_new(host, &(struct run_slot_options){ .threads = 2 }, &slot, err);
 *     run_load(host, &source, on_loaded, arg);         a run_kernel: reflection and code
 *     run_chunk(slot, &work, on_result, arg, err);     a wire_result
 *
 * Children are hostile once they have read hostile bytes: their answers are bounded and checked,
 * the clock is the parent's, SIGKILL ends them. A child that dies costs the call it was working on
 * and is replaced by itself. Children die with the thread that owns the loop.
 *
 * Everything belongs to the loop's thread. Callbacks come from the loop, never from within the
 * call that started the work; they may call everything here, free the host or slot included.
 * Frees are synchronous: no callback comes after them.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/kernel.h"
#include "wire/order.h"

struct arena;
struct buf;
struct loop;
struct run_call;
struct run_host;
struct run_kernel;
struct run_slot;

enum {
	RUN_MAX_SOURCE = 256 * 1024, /* bytes of a kernel's text */
	RUN_DEFAULT_CACHE_MIB = 64,
	RUN_DEFAULT_MEMORY_MIB = 1024,
	RUN_COMPILE_CPU_MS = 2000, /* of one compilation */
	RUN_COMPILE_MEMORY_MIB = 512,
	RUN_COMPILE_WAIT_MS = 30000, /* wall-clock, for machines that are busy */
	RUN_BUILD_WAIT_MS = 30000,   /* the same for what a device's driver makes of it */
};

/* ---- devices ------------------------------------------------------------------------------ */

/* What code is for. */
enum run_target { RUN_NATIVE = 0, RUN_VULKAN = 1 };

enum { RUN_MAX_DEVICES = 16 };

/* A Vulkan device, as its driver describes it: unchecked texts. */
struct run_device {
	const char *id; /* stable; names it to run_slot_new */
	const char *vendor;
	const char *name;
	const char *driver;
	uint64_t memory_mib;
	bool is_software; /* a CPU that poses as a GPU */
	uint32_t modes;   /* what code for it may ask of it; to the compiler (run_source) */
};

/* ---- host: compiler and cache ----------------------------------------------------------- */

struct run_options {
	const char
	    *runner; /* path of kwarp-runner; NULL: $KWARP_RUNNER, else beside this program */
	uint32_t cache_mib; /* of compiled code; 0: RUN_DEFAULT_CACHE_MIB */
	/* Only run_compile will be called: the compiler child does not load LLVM (20 ms, 50 MiB).
	 */
	bool front_end_only;
};

MUST_CHECK int run_host_new(struct loop *l, const struct run_options *options,
			    struct run_host **ret, struct err *err);
/* Slots must be freed before. Kernels may live longer. Accepts NULL. */
void run_host_free(struct run_host *h);
void run_host_freep(struct run_host **h);

/* Start the compiler child now, so that the first compilation finds it warm. */
MUST_CHECK int run_host_warm(struct run_host *h, struct err *err);

/* The compiler's process, for tests that kill it; 0 while there is none. */
int run_host_pid(const struct run_host *h);

/* ---- compile and load ------------------------------------------------------------------- */

struct run_source {
	const char *text;
	size_t len;
	const char *entry_point; /* NULL or "": the only one */
	const struct wire_constant *constants;
	uint32_t n_constants;
	bool strict; /* numerics: Strict, see wgsl.h */
	/* run_load: also code for probes, which runs everything in reverse order; native. */
	bool reverse;
	enum run_target target; /* of run_load's code */
	uint32_t modes;         /* of the device, for RUN_VULKAN: part of what is compiled */
};

/*
 * kernel: borrowed (run_kernel_ref keeps it), NULL on failure. err: why it failed, code 0 on
 * success:
 *   ERR_INVALID      the text is wrong: the same on every machine. text = diagnostics with
 *                    line, column, source line and caret
 *   ERR_TOO_BIG      it needs more than the compiler may use (time, memory, size), or crashed it
 *   ERR_UNAVAILABLE  this machine could not compile now; nothing is known about the text
 * text: printed diagnostics (warnings on success), never NULL, borrowed until the callback ends.
 */
typedef void (*run_kernel_fn)(void *arg, struct run_kernel *kernel, const char *text,
			      const struct err *err);

/* Front end only: reflection, no code. The source is copied. The result names the call so that it
 * can be dropped; borrowed, valid until the callback begins. Never NULL. */
struct run_call *run_compile(struct run_host *h, const struct run_source *source, run_kernel_fn fn,
			     void *arg);

/* Reflection and code for the target, from the cache if possible (then without a compiler).
 * ERR_INVALID also for what the native back end cannot do: text then is one line. What the Vulkan
 * back end cannot do is ERR_UNAVAILABLE: another device may. */
struct run_call *run_load(struct run_host *h, const struct run_source *source, run_kernel_fn fn,
			  void *arg);

/* Forget a call: its callback will not come. */
void run_call_cancel(struct run_call *c);

struct run_kernel *run_kernel_ref(struct run_kernel *k);
void run_kernel_unref(struct run_kernel *k); /* accepts NULL */
void run_kernel_unrefp(struct run_kernel **k);

/* Borrowed from k. */
const struct wire_kernel *run_kernel_reflection(const struct run_kernel *k);

/* ---- slot: execute chunks --------------------------------------------------------------- */

struct run_slot_options {
	const char *device; /* NULL: the CPU, by native code; else a run_device.id */
	/* All loops of an invocation together may make this many passes, or the device ends them in
	 * silence; 0: no limit. Chunks that would need more are REFUSED. */
	uint32_t max_passes;
	uint32_t build_ms;   /* 0: RUN_BUILD_WAIT_MS; shorter in tests */
	uint32_t threads;    /* 0: as many as the machine has CPUs */
	uint32_t memory_mib; /* of all inputs, and again of all outputs, of a chunk; 0: default */
};

/* Starts the child. The loop and host are borrowed, the options' texts during the call. */
MUST_CHECK int run_slot_new(struct run_host *h, const struct run_slot_options *options,
			    struct run_slot **ret, struct err *err);
/* Kills the child; a chunk in flight is dropped. Accepts NULL. */
void run_slot_free(struct run_slot *s);
void run_slot_freep(struct run_slot **s);

struct run_input {
	const void *bytes; /* the whole input */
	uint64_t size;
	const uint8_t
	    *digest; /* of the whole input; NULL: unknown. Equal digests are not copied again */
};

struct run_work {
	struct run_kernel *kernel; /* from run_load, for the slot's target */
	const struct wire_chunk *chunk;
	const struct run_input
	    *inputs; /* in binding order; chunk->inputs says which part is seen */
	uint32_t n_inputs;
	uint64_t discard;    /* as in wire_order */
	uint64_t iterations; /* per invocation; 0: no limit */
	/* By this process's clock, from the start of the chunk, when the child holds the kernel; 0:
	 * none. */
	uint32_t timeout_ms;
	uint32_t memory_mib; /* 0: only the slot's own limit */
	/* WIRE_ORDER_PROBE: outcome OK (equal digests) or ORDER_SEEN. The kernel must have been
	 * loaded with `reverse`. */
	bool probe;
};

/* result and what it points to: borrowed until the callback ends. For OK, the outputs stay
 * readable by run_slot_output and run_slot_read until the next run_chunk on the slot. */
typedef void (*run_result_fn)(void *arg, const struct wire_result *result);

/*
 * Run one chunk. Everything in work is used during the call only, the kernel is kept.
 * ERR_CONFLICT: a chunk is in flight on this slot. ERR_INVALID: the chunk does not fit the kernel's
 * bindings (a number or size is wrong): it was not started. Whatever happens later becomes an
 * outcome: OK, ITERATION_LIMIT, BAD_KERNEL (votes); CRASHED, TIMED_OUT, DEVICE_LOST, REFUSED
 * (losses; REFUSED also when the child cannot be started, or when a device's limit is below what
 * the chunk needs). A chunk whose child someone else killed (SIGKILL, SIGTERM, ...) is tried once
 * more before it counts as CRASHED; that is logged and counted in the metric
 * kwarp_runner_killed_total. After DEVICE_LOST the next chunk gets a new child.
 * A kernel that a device's driver does not build within RUN_BUILD_WAIT_MS is REFUSED, too, and for
 * ten minutes every chunk of it on this slot at once.
 */
MUST_CHECK int run_chunk(struct run_slot *s, const struct run_work *work, run_result_fn fn,
			 void *arg, struct err *err);

bool run_slot_is_busy(const struct run_slot *s);

/* The device's driver did not build this kernel in time, lately: chunks of it are REFUSED. */
bool run_slot_has_failed(const struct run_slot *s, const struct run_kernel *k);

/* Stop the chunk in flight by killing the child; its callback will not come. No-op when idle. */
void run_slot_cancel(struct run_slot *s);

/* The canonical bytes of output i (binding order, scratch left out) of the last OK chunk, without a
 * copy, in memory shared with the child: check the digest if that matters where they go. NULL if
 * there is no such output. Borrowed until the next run_chunk or free. */
const void *run_slot_output(const struct run_slot *s, uint32_t i, uint64_t *ret_size);

/* Copy n bytes at `offset` of the framed outputs (what wire_result's digest covers: each output
 * preceded by its length). ERR_INVALID outside of them. */
MUST_CHECK int run_slot_read(const struct run_slot *s, uint64_t offset, void *to, size_t n,
			     struct err *err);

/* The child's process, for tests that kill it; 0 while there is none. */
int run_slot_pid(const struct run_slot *s);

/* ---- for programs that do one thing at a time ------------------------------------------- */

/* run_load or (without code) run_compile, driving the loop until it is done. *ret is a reference of
 * the caller's. text gets the diagnostics (cut to what fits); may be NULL. Errors as run_kernel_fn
 * lists them. Not from callbacks. */
MUST_CHECK int run_wait_load(struct run_host *h, const struct run_source *source, bool code,
			     struct buf *text, struct run_kernel **ret, struct err *err);

/* The Vulkan devices of this machine, texts in the arena; an empty list if there are none.
 * ERR_UNAVAILABLE: Vulkan is not to be had here, the text says what is missing. Starts a child for
 * it, because drivers are loaded. Not from callbacks. */
MUST_CHECK int run_wait_devices(struct run_host *h, struct arena *a, const struct run_device **ret,
				uint32_t *ret_n, struct err *err);

/* Which of the devices a command line names: "" is the first, else an index or an id. NULL: none.
 */
const struct run_device *run_find_device(const struct run_device *list, uint32_t n,
					 const char *which);

/* run_chunk, driving the loop until it is done. The result is copied into the arena. */
MUST_CHECK int run_wait_chunk(struct run_slot *s, const struct run_work *work, struct arena *arena,
			      struct wire_result *ret, struct err *err);

#endif
