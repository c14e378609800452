/* check.c - see check.h. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/valid/valid.h"

void check_valid(const void *words, size_t len, const char *text)
{
	char why[512];

	if (!valid_module(words, len, why, sizeof(why)))
		fail_msg("%s\nis what spirv-val says of the code of:\n%.4000s", why, text);
}
