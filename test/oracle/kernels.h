/*
 * kernels.h - the kernels that compilers are compared with, read from test/oracle/kernels.
 *
 * One file per area holds many kernels. Lines that begin with "//! " are ours:
 *
 *     //! prelude NAME [groups=X,Y,Z]    text that kernels of this and later files share; theirs
 *                                 goes where "//! here" is
 *     //! kernel NAME accept|reject [in=PRELUDE] [groups=X,Y,Z] [set=OVERRIDE:VALUE]
 *                                 [ulp=N] [abs=N] [null]
 *     //! bind [GROUP.]BINDING u|r|w FILL [WORDS]
 *     //! main                    in a kernel with a prelude: what is before it goes behind the
 *                                 prelude, what follows goes "here"
 *
 * accept and reject are the specification's answer. u, r, w: uniform, read-only storage,
 * read-write storage; a kernel has its prelude's bindings too. FILL is zero, iota, small (0 to
 * 15), word, i32x and i32y (every pair of eight edge values, then random words), f32x and f32y (the
 * same with finite floats), unit, pos, special (NaN, infinities, subnormals), or =1,0x2,3.5f.
 * ulp and abs are the specification's bound for the operation that the kernel shows. null: Dawn's
 * device on SwiftShader lacks what it needs (f16); its null back end says accept or reject.
 */
#ifndef TEST_ORACLE_KERNELS_H
#define TEST_ORACLE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "wgsl/wgsl.h"

enum { KERNEL_MAX_BINDS = 8, KERNEL_MAX_SETS = 8 };

struct kernel_bind {
	uint32_t group, binding;
	char access; /* 'u', 'r', 'w' */
	uint32_t *words;
	uint32_t n;
};

struct kernel {
	const char *name; /* "area.name" */
	const char *text;
	bool is_reject;
	bool is_null; /* only Dawn's null back end is asked */
	uint32_t groups[3];
	double ulp, abs;
	struct wgsl_constant sets[KERNEL_MAX_SETS];
	uint32_t n_sets;
	struct kernel_bind binds[KERNEL_MAX_BINDS];
	uint32_t n_binds;
};

struct kernels {
	struct kernel *list;
	size_t n;
};

/* Every kernel of every AREA.wgsl in the folder, by area. ERR_INVALID says where a header is wrong.
 * Everything lives in the arena. */
MUST_CHECK int kernels_load(const char *dir, struct arena *arena, struct kernels *ret,
			    struct err *err);

#endif
