/*
 * compile.h - the compiler child: WGSL text to a reflection and code.
 */
#ifndef RUNNER_COMPILE_H
#define RUNNER_COMPILE_H

#include "base/buf.h"
#include "base/err.h"
#include "run/protocol.h"

/* Start the code generator; before the sandbox closes, because it may need files. */
void compile_warm(void);

/* Compile and append the answer, a COMPILED frame, to out. Errors of the kernel are answers;
 * a failure here means that the conversation cannot go on. */
MUST_CHECK int compile_answer(const struct run_compile_request *request, struct buf *out,
			      struct err *err);

#endif
