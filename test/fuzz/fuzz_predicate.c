/* uses: expr */
/* fuzz_predicate.c - any text as a predicate: no crash, and a node that does not match has a
 * reason. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "expr/predicate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool has(const void *node, const char *token)
{
	(void)node;
	return strcmp(token, "gpu") == 0;
}

static const char *attr(const void *node, const char *key)
{
	(void)node;
	return strcmp(key, "region") == 0 ? "eu" : NULL;
}

static bool num(const void *node, const char *key, double *ret)
{
	(void)node;
	*ret = 5;
	return strcmp(key, "n") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct expr_caps caps = { .has = has, .attr = attr, .num = num };
	AUTO(expr_predicate_freep) struct expr_predicate *p = NULL;
	AUTO(expr_tally_done) struct expr_tally t = { 0 };
	AUTO(buf_done) struct buf why = { .max = 300 };
	struct err err = { 0 };

	if (expr_predicate_compile((const char *)bytes, size, &p, &err) < 0)
		return 0;
	if (!expr_tally_match(&t, p, &caps, NULL))
		ASSERT(t.n_reasons == 1 && t.reasons[0].many[0] != '\0');
	expr_tally_print(&t, &why);
	return 0;
}
