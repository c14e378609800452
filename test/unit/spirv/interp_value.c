/* interp_value.c - arithmetic of the interpreter of lib/native's tests. */
#include "../native/interp_value.c"
