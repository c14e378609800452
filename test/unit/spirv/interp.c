/* interp.c - the interpreter of lib/native's tests. */
#include "../native/interp.c"
