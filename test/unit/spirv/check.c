/* check.c - see check.h. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static bool has_validator(void)
{
	static int answer = -1;

	if (answer < 0) {
		answer = access("/usr/bin/spirv-val", X_OK) == 0;
		if (!answer)
			print_message("no spirv-val: modules are not validated\n");
	}
	return answer == 1;
}

void check_valid(const void *words, size_t len, const char *text)
{
	FILE *val;

	if (!has_validator())
		return;
	(void)fflush(NULL);
	val = popen("/usr/bin/spirv-val --target-env vulkan1.1 - >&2", "w");
	assert_non_null(val);
	(void)fwrite(words, 1, len, val);
	if (pclose(val) != 0)
		fail_msg("spirv-val refused the code of:\n%.4000s", text);
}
