/* uses: doc */
/* fuzz_yaml.c - any text: no crash, and what was read is JSON that reads back equal. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "doc/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct doc_limits limits = { .nodes = 10000, .depth = 40, .aliases = 50 };
	AUTO(doc_unrefp) struct doc *d = NULL;
	AUTO(doc_unrefp) struct doc *again = NULL;
	AUTO(mem_freep) char *text = NULL;
	struct err err = { 0 };

	if (doc_parse_files((const char *)bytes, size, &limits, &d, &err) < 0)
		return 0;
	text = doc_print_text(d, DOC_COMPACT);
	if (doc_parse_json(text, strlen(text), NULL, &again, &err) < 0)
		ASSERT(!"reads back");
	ASSERT(doc_equal(d, again));
	return 0;
}
