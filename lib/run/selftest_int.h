/*
 * selftest_int.h - the parts of the self-test that only some kernels need: types and subgroups,
 * which a device may lack, each an ability of its own.
 */
#ifndef RUN_SELFTEST_INT_H
#define RUN_SELFTEST_INT_H

#include <stdint.h>

enum {
	SELFTEST_TYPES = 10,
	SELFTEST_HALVES = 24,
	SELFTEST_WIDES = 20,
	SELFTEST_DOUBLES = 40,
	SELFTEST_SUBGROUPS = 16, /* its square is a number of whole work-groups */
	SELFTEST_MAX_OPERANDS = SELFTEST_DOUBLES,
};

/* A kernel that writes result(i, j) to word i * n_operands + j. */
struct selftest_type {
	uint32_t ability; /* enum wire_need */
	const char *text;
	uint32_t n_operands;
	uint32_t operand_bytes;
	void (*input)(void *to); /* the operands as the kernel reads them */
	uint32_t (*result)(uint32_t i, uint32_t j);
};

extern const struct selftest_type selftest_types[SELFTEST_TYPES];

/* Subgroups (selftest_subgroup.c): of the device's size, and of each that a kernel may ask for. */
extern const char SELFTEST_SUBGROUP[], SELFTEST_SUBGROUP_4[], SELFTEST_SUBGROUP_8[],
    SELFTEST_SUBGROUP_16[], SELFTEST_SUBGROUP_32[], SELFTEST_SUBGROUP_64[], SELFTEST_SUBGROUP_128[];
void selftest_subgroup_input(void *to);
uint32_t selftest_subgroup_result(uint32_t i, uint32_t j);

#endif
