/*
 * reflect.h - what the compiler found out, as a wire_kernel.
 */
#ifndef RUNNER_REFLECT_H
#define RUNNER_REFLECT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "wgsl/wgsl.h"
#include "wire/kernel.h"

/*
 * Fill *ret from the module; it lives in the arena and borrows the module's names. places[i] is
 * where binding i of *ret stands in module->bindings (room for WIRE_MAX_BINDINGS). warnings:
 * printed, borrowed. ERR_TOO_BIG names a binding with more parts than a wire_kernel holds.
 */
MUST_CHECK int reflect_module(const struct wgsl_module *m, const char *warnings, struct arena *a,
			      struct wire_kernel *ret, uint32_t *places, struct err *err);

#endif
