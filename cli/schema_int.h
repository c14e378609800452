/* schema_int.h - the text of the CRD, between schema.c and schema_crd.c. */
#ifndef CLI_SCHEMA_INT_H
#define CLI_SCHEMA_INT_H

#include <stdint.h>

extern const char schema_crd[];
extern const uint64_t schema_crd_size;

#endif
