/* valid.c - see valid.h. */
#include "test/valid/valid.h"

#include <stdint.h>
#include <stdio.h>

#include <spirv-tools/libspirv.h>

bool valid_module(const void *words, size_t len, char *why, size_t size)
{
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
	spv_diagnostic said = NULL;
	bool valid =
	    spvValidateBinary(context, words, len / sizeof(uint32_t), &said) == SPV_SUCCESS;

	if (!valid)
		snprintf(why, size, "word %zu: %s", said != NULL ? said->position.index : 0,
			 said != NULL ? said->error : "not valid");
	spvDiagnosticDestroy(said);
	spvContextDestroy(context);
	return valid;
}
