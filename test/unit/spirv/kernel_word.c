/* kernel_word.c - the words of lib/native's tests. */
#include "../native/kernel_word.c"
