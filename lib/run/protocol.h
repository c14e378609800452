/*
 * protocol.h - what a program and its kwarp-runner child say to each other, as bytes.
 *
 * A frame is u32 length of the body, u32 type, body; numbers are little-endian; byte strings
 * have a u32 length in front, texts also end in NUL. Both ends are always of the same version (the
 * child's first frame says it, anything else ends the conversation), so there is no negotiation.
 *
 *     child   READY                     once, when the sandbox is closed
 *     parent  COMPILE   child COMPILED  compiler child
 *     parent  LOAD      child LOADED    executing child; replaces the code that was loaded
 *     parent  CHUNK     child RAN       executing child
 *                       child DEVICES   listing child: unasked, after READY
 *
 * Inputs and outputs do not travel: they lie in two memory files that the child got at its start,
 * inputs read-only. Pure code; the readers believe nothing. Decoded pointers are borrowed from the
 * body.
 */
#ifndef RUN_PROTOCOL_H
#define RUN_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "run/run.h"
#include "wire/kernel.h"
#include "wire/order.h"

enum run_type {
	RUN_READY = 1,
	RUN_COMPILE,
	RUN_COMPILED,
	RUN_LOAD,
	RUN_LOADED,
	RUN_CHUNK,
	RUN_RAN,
	RUN_DEVICES,
};

enum {
	RUN_FRAME_HEAD = 8,
	RUN_MAX_BODY = 48 << 20,
	RUN_MAX_OBJECT = 16 << 20,
	RUN_MAX_REFLECTION = 8 << 20,
	RUN_MAX_TEXT = 64 << 10, /* printed diagnostics */
	RUN_ALIGN = 256,         /* of each input and output in its memory file: GPUs want it */
	/* Descriptors of the child. */
	RUN_FD_SOCKET = 3,
	RUN_FD_IN = 4,
	RUN_FD_OUT = 5,
};

struct run_ready {
	const char *version;
};

struct run_compile_request {
	bool code;              /* false: front end only */
	bool reverse;           /* native: also code that runs the lanes in reverse order */
	bool strict;            /* numerics with fixed bits */
	enum run_target target; /* of the code */
	uint32_t modes;         /* run_device.modes; Vulkan */
	const char *entry_point;
	struct wire_constant constants[WIRE_MAX_CONSTANTS];
	uint32_t n_constants;
	const char *text; /* not NUL-terminated */
	uint32_t len;
};

struct run_bytes {
	const void *bytes;
	uint32_t size;
};

struct run_compile_answer {
	int code;                           /* 0 or an ERR_ code */
	const char *message;                /* one line, when code != 0 */
	const char *text;                   /* printed diagnostics */
	struct run_bytes kernel;            /* an encoded wire_kernel */
	struct run_bytes object[2];         /* forward, reverse; empty if not asked for */
	uint32_t places[WIRE_MAX_BINDINGS]; /* of the kernel's bindings in the code's list */
	uint32_t n_places;
	uint32_t n_buffers; /* length of that list */
};

/* Every device, or why there are none. */
struct run_devices {
	int code; /* 0 or an ERR_ code */
	const char *message;
	struct run_device list[RUN_MAX_DEVICES];
	uint32_t n;
};

struct run_load_request {
	struct run_bytes object[2];
};

struct run_load_answer {
	int code;
	const char *message;
};

enum run_where { RUN_IN_MESSAGE = 1, RUN_IN_INPUTS = 2, RUN_IN_OUTPUTS = 3 };

struct run_buffer {
	enum run_where where;
	uint32_t place;
	uint64_t offset; /* into the uniforms, the inputs' or the outputs' memory */
	uint64_t size;
};

struct run_chunk_request {
	/* The reverse code, units from last to first, on one thread; forward on one thread with
	 * `alone`. */
	bool reverse;
	bool alone;
	uint64_t iterations; /* 0: no limit */
	uint64_t cpu_ms;     /* backstop: what the chunk may use; 0: none */
	uint32_t grid[3];
	uint32_t n_code_buffers;
	struct run_buffer buffers[WIRE_MAX_BINDINGS];
	uint32_t n_buffers;
	struct run_bytes uniforms;
};

struct run_chunk_answer {
	enum wire_outcome outcome; /* OK, ITERATION_LIMIT, BAD_KERNEL, REFUSED, DEVICE_LOST */
	uint64_t iterations;
	uint64_t elapsed_us;
	const char *message;
};

/* Append a whole frame. ERR_TOO_BIG: b is full or a part is above its limit. */
MUST_CHECK int run_put_ready(struct buf *b, const struct run_ready *m, struct err *err);
MUST_CHECK int run_put_compile(struct buf *b, const struct run_compile_request *m, struct err *err);
MUST_CHECK int run_put_compiled(struct buf *b, const struct run_compile_answer *m, struct err *err);
MUST_CHECK int run_put_devices(struct buf *b, const struct run_devices *m, struct err *err);
MUST_CHECK int run_put_load(struct buf *b, const struct run_load_request *m, struct err *err);
MUST_CHECK int run_put_loaded(struct buf *b, const struct run_load_answer *m, struct err *err);
MUST_CHECK int run_put_chunk(struct buf *b, const struct run_chunk_request *m, struct err *err);
MUST_CHECK int run_put_ran(struct buf *b, const struct run_chunk_answer *m, struct err *err);

/* 1: a whole frame stands at the front of b (body borrowed; drop RUN_FRAME_HEAD + len bytes
 * afterwards). 0: more bytes are needed. ERR_PROTOCOL: it is longer than a frame may be. */
MUST_CHECK int run_frame(const struct buf *b, uint32_t *ret_type, struct run_bytes *ret_body,
			 struct err *err);

/* Read a body. ERR_PROTOCOL: it is not one. */
MUST_CHECK int run_get_ready(struct run_bytes body, struct run_ready *m, struct err *err);
MUST_CHECK int run_get_compile(struct run_bytes body, struct run_compile_request *m,
			       struct err *err);
MUST_CHECK int run_get_compiled(struct run_bytes body, struct run_compile_answer *m,
				struct err *err);
MUST_CHECK int run_get_devices(struct run_bytes body, struct run_devices *m, struct err *err);
MUST_CHECK int run_get_load(struct run_bytes body, struct run_load_request *m, struct err *err);
MUST_CHECK int run_get_loaded(struct run_bytes body, struct run_load_answer *m, struct err *err);
MUST_CHECK int run_get_chunk(struct run_bytes body, struct run_chunk_request *m, struct err *err);
MUST_CHECK int run_get_ran(struct run_bytes body, struct run_chunk_answer *m, struct err *err);

#endif
