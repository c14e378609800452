/* drivers.c - the drivers of the back end's own tests. */
#include "test/unit/gpu/drivers.c" /* NOLINT(bugprone-suspicious-include) */
