/*
 * hint_int.h - what WGSL has instead of what other languages have, for the ends of messages.
 *
 * All results begin with "; " or are empty, and live as long as the compilation.
 */
#ifndef WGSL_HINT_INT_H
#define WGSL_HINT_INT_H

#include "wgsl/wgsl_int.h"

/* A name of C, CUDA, OpenCL, GLSL, HLSL, JavaScript or Rust. */
const char *wgsl_hint_name(struct wgsl_comp *c, const char *name);
/* The token at the cursor, which does not fit behind those before it. */
const char *wgsl_hint_token(struct wgsl_comp *c);
/* The token at the cursor, where a declaration should begin. */
const char *wgsl_hint_decl(struct wgsl_comp *c);

#endif
