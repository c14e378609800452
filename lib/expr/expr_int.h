/* expr_int.h - the program that an expression is compiled to; for lib/expr only. */
#ifndef EXPR_EXPR_INT_H
#define EXPR_EXPR_INT_H

#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h"

/* A stack machine. Jumps go forward only, so every program ends. */
enum expr_op {
	OP_CONST, /* push value */
	OP_LOAD,  /* push the value of the slot `to`, converted */
	OP_NEG,
	OP_ABS,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_MIN,
	OP_MAX,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_BOOL,      /* anything but 0 becomes 1 */
	OP_JUMP,      /* to */
	OP_JUMP_ZERO, /* pop; jump if it is 0 */
	OP_AND,       /* if the top is 0: jump, keeping 0; else pop */
	OP_OR,        /* if the top is not 0: it becomes 1, jump; else pop */
};

/* Enough for EXPR_MAX_DEPTH: each level holds at most one value per level of precedence. */
enum { EXPR_STACK = 512 };

struct expr_step {
	uint16_t op;     /* enum expr_op */
	uint16_t column; /* for errors */
	int32_t to;      /* target of a jump, or a slot */
	union {
		int64_t i;
		double f;
	};
};

struct expr {
	enum expr_type type;
	struct expr_step *steps; /* owned */
	size_t n_steps;
	size_t cap;
	int *slots; /* owned */
	size_t n_slots;
	size_t slots_cap;
};

#endif
