/* interp_subgroup.c - subgroups of the interpreter of lib/native's tests. */
#include "../native/interp_subgroup.c"
