/*
 * object_int.h - what compiled code and the code that runs it agree on. No LLVM here.
 *
 * An object is a struct native_header, n_buffers struct native_binding, then one relocatable
 * ELF file that defines NATIVE_ENTRY. All integers are those of the machine.
 */
#ifndef NATIVE_OBJECT_INT_H
#define NATIVE_OBJECT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/native.h"

enum {
	NATIVE_VERSION = 4, /* raise it when the frame, the header or the code's meaning changes */
	NATIVE_MAX_LANES = 256,
	NATIVE_MAX_BUFFERS = 256,
};

#define NATIVE_MAGIC "KWARPNC"
#define NATIVE_ENTRY "kwarp_units"

/* How invocations are laid over lanes. */
enum native_mode {
	NATIVE_FLAT,  /* a unit is L invocations along x */
	NATIVE_GROUP, /* a unit is one work-group */
};

struct native_binding {
	uint32_t min_size;
	uint32_t array_offset, array_stride; /* stride 0: no runtime-sized array */
	uint32_t is_used;
};

struct native_header {
	char magic[8];
	uint32_t version;
	uint32_t machine; /* e_machine of the ELF file */
	char cpu_key[NATIVE_KEY];
	uint32_t lanes;
	uint32_t mode; /* enum native_mode */
	uint32_t workgroup_size[3];
	uint32_t whole_groups; /* invocations must be multiples of the work-group size */
	uint64_t scratch_bytes;
	uint32_t n_buffers;
	uint32_t n_bindings_pad;
	uint64_t elf_len;
};

struct native_slot {
	uint8_t *data;   /* borrowed */
	uint32_t length; /* elements of its runtime-sized array, else 0 */
	uint32_t pad;
};

/* The argument of the entry point; one per call, so that threads share nothing. The compiler
 * builds loads from these offsets. */
struct native_frame {
	uint64_t limit;       /* counted passes, 1 to 2^32 */
	uint64_t used;        /* in and out: most passes of one invocation */
	const uint32_t *stop; /* borrowed, never NULL */
	uint8_t *scratch;     /* borrowed, aligned to 64 */
	uint32_t grid[3];     /* invocations */
	uint32_t groups[3];   /* work-groups */
	uint32_t blocks_x;    /* flat: lane blocks along x */
	uint32_t pad;
	struct native_slot slots[];
};

/* Runs units [first, first + count); returns enum native_status. */
typedef uint32_t (*native_entry_fn)(struct native_frame *frame, uint64_t first, uint64_t count);

/* Key of the fixed-CPU objects; loads wherever the CPU has what it needs. */
#define NATIVE_KEY_FIXED "fixed:"

/* ---- load.c ----------------------------------------------------------------------------- */

struct native_image {
	uint8_t *base; /* owned: mmap */
	size_t len;
	native_entry_fn entry;
};

/* Map and link one relocatable ELF file. */
MUST_CHECK int native_image_load(const uint8_t *elf, size_t len, struct native_image *ret,
				 struct err *err);
void native_image_done(struct native_image *image);

/* Address of a function that compiled code may call, NULL if it may not. */
const void *native_symbol(const char *name);

#endif
