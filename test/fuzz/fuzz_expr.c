/* uses: expr */
/* fuzz_expr.c - any text as an expression of both types: no crash, every program ends. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int resolve(void *arg, const char *name)
{
	(void)arg;
	return strlen(name) == 1 && name[0] >= 'a' && name[0] <= 'd' ? name[0] - 'a' : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct expr_scope scope = { .resolve = resolve, .expected = "a to d" };
	static const struct expr_value values[] = { { .type = EXPR_INT, .i = INT64_MIN },
						    { .type = EXPR_INT, .i = 3 },
						    { .type = EXPR_FLOAT, .f = -1e300 },
						    { .type = EXPR_FLOAT, .f = 0.5 } };

	for (int type = EXPR_INT; type <= EXPR_FLOAT; type++) {
		AUTO(expr_freep) struct expr *e = NULL;
		struct err err = { 0 };
		struct expr_value v;

		if (expr_compile((const char *)bytes, size, (enum expr_type)type, &scope, &e,
				 &err) < 0)
			continue;
		if (expr_eval(e, values, &v, &err) == 0)
			ASSERT(v.type == EXPR_INT || isfinite(v.f));
	}
	return 0;
}
