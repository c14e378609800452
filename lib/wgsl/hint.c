/* hint.c - see hint_int.h. */
#include "wgsl/hint_int.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "wgsl/parse_int.h"

/* What is called otherwise here. */
static const struct {
	const char *theirs;
	const char *ours;
} renamed[] = {
	{ "float", "f32" },
	{ "int", "i32" },
	{ "uint", "u32" },
	{ "unsigned", "u32" },
	{ "half", "f16" },
	{ "int32_t", "i32" },
	{ "uint32_t", "u32" },
	{ "boolean", "bool" },
	{ "float2", "vec2f" },
	{ "float3", "vec3f" },
	{ "float4", "vec4f" },
	{ "int2", "vec2i" },
	{ "int3", "vec3i" },
	{ "int4", "vec4i" },
	{ "uint2", "vec2u" },
	{ "uint3", "vec3u" },
	{ "uint4", "vec4u" },
	{ "half2", "vec2h" },
	{ "half3", "vec3h" },
	{ "half4", "vec4h" },
	{ "ivec2", "vec2i" },
	{ "ivec3", "vec3i" },
	{ "ivec4", "vec4i" },
	{ "uvec2", "vec2u" },
	{ "uvec3", "vec3u" },
	{ "uvec4", "vec4u" },
	{ "bvec2", "vec2<bool>" },
	{ "bvec3", "vec3<bool>" },
	{ "bvec4", "vec4<bool>" },
	{ "mat2", "mat2x2f" },
	{ "mat3", "mat3x3f" },
	{ "mat4", "mat4x4f" },
	{ "float2x2", "mat2x2f" },
	{ "float3x3", "mat3x3f" },
	{ "float4x4", "mat4x4f" },
	{ "lerp", "mix" },
	{ "frac", "fract" },
	{ "rsqrt", "inverseSqrt" },
	{ "rsqrtf", "inverseSqrt" },
	{ "mad", "fma" },
	{ "fabs", "abs" },
	{ "fabsf", "abs" },
	{ "fmin", "min" },
	{ "fminf", "min" },
	{ "fmax", "max" },
	{ "fmaxf", "max" },
	{ "arcsin", "asin" },
	{ "arccos", "acos" },
	{ "arctan", "atan" },
	{ "mod", "%" },
	{ "fmod", "%" },
	{ "fmodf", "%" },
	{ "mul", "*" },
	{ "popcount", "countOneBits" },
	{ "bitCount", "countOneBits" },
	{ "countbits", "countOneBits" },
	{ "clz", "countLeadingZeros" },
	{ "ctz", "countTrailingZeros" },
	{ "findMSB", "firstLeadingBit" },
	{ "firstbithigh", "firstLeadingBit" },
	{ "findLSB", "firstTrailingBit" },
	{ "firstbitlow", "firstTrailingBit" },
	{ "bitfieldExtract", "extractBits" },
	{ "bitfieldInsert", "insertBits" },
	{ "bitfieldReverse", "reverseBits" },
	{ "asuint", "bitcast<u32>" },
	{ "asfloat", "bitcast<f32>" },
	{ "asint", "bitcast<i32>" },
	{ "floatBitsToUint", "bitcast<u32>" },
	{ "floatBitsToInt", "bitcast<i32>" },
	{ "uintBitsToFloat", "bitcast<f32>" },
	{ "intBitsToFloat", "bitcast<f32>" },
	{ "__float_as_uint", "bitcast<u32>" },
	{ "__uint_as_float", "bitcast<f32>" },
	{ "InterlockedAdd", "atomicAdd" },
	{ "InterlockedMin", "atomicMin" },
	{ "InterlockedMax", "atomicMax" },
	{ "InterlockedAnd", "atomicAnd" },
	{ "InterlockedOr", "atomicOr" },
	{ "InterlockedXor", "atomicXor" },
	{ "InterlockedExchange", "atomicExchange" },
	{ "InterlockedCompareExchange", "atomicCompareExchangeWeak" },
	{ "atomicCompSwap", "atomicCompareExchangeWeak" },
	{ "atomicCAS", "atomicCompareExchangeWeak" },
	{ "barrier", "workgroupBarrier" },
	{ "groupMemoryBarrier", "workgroupBarrier" },
	{ "GroupMemoryBarrierWithGroupSync", "workgroupBarrier" },
	{ "threadgroup_barrier", "workgroupBarrier" },
	{ "memoryBarrier", "storageBarrier" },
	{ "__syncthreads", "workgroupBarrier" },
	{ "WaveActiveSum", "subgroupAdd" },
	{ "WaveReadLaneAt", "subgroupShuffle" },
	{ "__shfl_sync", "subgroupShuffle" },
	{ "gl_GlobalInvocationID", "@builtin(global_invocation_id)" },
	{ "gl_LocalInvocationID", "@builtin(local_invocation_id)" },
	{ "gl_LocalInvocationIndex", "@builtin(local_invocation_index)" },
	{ "gl_WorkGroupID", "@builtin(workgroup_id)" },
	{ "gl_NumWorkGroups", "@builtin(num_workgroups)" },
	{ "gl_SubgroupSize", "@builtin(subgroup_size)" },
	{ "gl_SubgroupInvocationID", "@builtin(subgroup_invocation_id)" },
	{ "SV_DispatchThreadID", "@builtin(global_invocation_id)" },
	{ "SV_GroupThreadID", "@builtin(local_invocation_id)" },
	{ "SV_GroupIndex", "@builtin(local_invocation_index)" },
	{ "SV_GroupID", "@builtin(workgroup_id)" },
	{ "get_global_id", "@builtin(global_invocation_id)" },
	{ "get_local_id", "@builtin(local_invocation_id)" },
	{ "get_group_id", "@builtin(workgroup_id)" },
	{ "threadIdx", "@builtin(local_invocation_id)" },
	{ "blockIdx", "@builtin(workgroup_id)" },
	{ "gridDim", "@builtin(num_workgroups)" },
	{ "__global__", "@compute @workgroup_size(64)" },
	{ "__kernel", "@compute @workgroup_size(64)" },
	{ "__device__", "fn" },
	{ "__shared__", "var<workgroup>" },
	{ "shared", "workgroup" },
	{ "groupshared", "var<workgroup>" },
	{ "__constant__", "const" },
	{ "static", "const" },
	{ "constexpr", "const" },
	{ "typedef", "alias" },
	{ "using", "alias" },
	{ "class", "struct" },
	{ "auto", "let" },
	{ "mut", "var" },
	{ "and", "&&" },
	{ "or", "||" },
	{ "not", "!" },
	{ "elif", "else if" },
	{ "elseif", "else if" },
	{ "True", "true" },
	{ "False", "false" },
};

/* What has no counterpart of one word. */
static const struct {
	const char *theirs;
	const char *advice;
} absent[] = {
	{ "double", "; write f32, or f64 with 'enable kwarp_f64;'" },
	{ "long", "; write i32, or i64 with 'enable kwarp_i64;'" },
	{ "int64_t", "; write i64 with 'enable kwarp_i64;'" },
	{ "uint64_t", "; write u64 with 'enable kwarp_i64;'" },
	{ "u8", "; integers have 32 bits, and unpack4xU8 takes bytes out of one" },
	{ "i8", "; integers have 32 bits, and unpack4xI8 takes bytes out of one" },
	{ "char", "; integers have 32 bits, and unpack4xU8 takes bytes out of one" },
	{ "uint8_t", "; integers have 32 bits, and unpack4xU8 takes bytes out of one" },
	{ "u16", "; integers have 32 bits" },
	{ "i16", "; integers have 32 bits" },
	{ "short", "; integers have 32 bits" },
	{ "void", "; a function without a result has no '->'" },
	{ "blockDim", "; it stands in @workgroup_size(...)" },
	{ "gl_WorkGroupSize", "; it stands in @workgroup_size(...)" },
	{ "do", "; write loop { ... continuing { break if !condition; } }" },
	{ "sizeof", "; for the number of elements write arrayLength(&...)" },
	{ "as", "; a conversion is written f32(x)" },
	{ "import", "; a kernel is one text" },
	{ "isnan", "; write x != x" },
	{ "isNan", "; write x != x" },
	{ "M_PI", "; write const PI = 3.14159265358979;" },
	{ "PI", "; write const PI = 3.14159265358979;" },
	{ "printf", "; a kernel cannot print: store into an output" },
	{ "console", "; a kernel cannot print: store into an output" },
	{ "Math", "; functions stand alone: sin(x)" },
	{ "len", "; the number of elements is arrayLength(&...)" },
};

const char *wgsl_hint_name(struct wgsl_comp *c, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
		if (strcmp(name, renamed[i].theirs) == 0)
			return arena_printf(c->arena, "; did you mean '%s'?", renamed[i].ours);
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		if (strcmp(name, absent[i].theirs) == 0)
			return absent[i].advice;
	return "";
}

/* ---- tokens ------------------------------------------------------------------------------ */

/* The kind of the token `back` before the cursor. */
static enum wgsl_tok_kind kind_before(const struct wgsl_comp *c, size_t back)
{
	return c->pos >= back ? c->toks[c->pos - back].kind : TOK_END;
}

static bool is_name_before(const struct wgsl_comp *c, size_t back, const char *text)
{
	return kind_before(c, back) == TOK_IDENT &&
	       strcmp(c->toks[c->pos - back].name->text, text) == 0;
}

/* The scalar type that a name means, here or in C. */
static const char *scalar_named(const char *name)
{
	static const char *const scalars[] = { "bool", "f32", "i32", "u32", "f16" };

	for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
		if (strcmp(name, renamed[i].theirs) == 0)
			name = renamed[i].ours;
	for (size_t i = 0; i < ARRAY_LEN(scalars); i++)
		if (strcmp(name, scalars[i]) == 0)
			return scalars[i];
	return NULL;
}

/* "(float)x", where the cursor is at x. */
static const char *cast_before(const struct wgsl_comp *c)
{
	if (kind_before(c, 1) != TOK_RPAREN || kind_before(c, 2) != TOK_IDENT ||
	    kind_before(c, 3) != TOK_LPAREN || kind_before(c, 4) == TOK_IDENT)
		return NULL;
	return scalar_named(c->toks[c->pos - 2].name->text);
}

static const char *method_hint(const struct wgsl_comp *c)
{
	if (is_name_before(c, 1, "length") || is_name_before(c, 1, "len") ||
	    is_name_before(c, 1, "size"))
		return "; the number of elements is arrayLength(&...)";
	if (is_name_before(c, 3, "Math"))
		return "; functions stand alone: sin(x)";
	if (is_name_before(c, 3, "console"))
		return "; a kernel cannot print: store into an output";
	return "; WGSL has no methods";
}

static bool is_out_parameter(const struct wgsl_comp *c)
{
	return is_name_before(c, 1, "inout") || is_name_before(c, 1, "out");
}

const char *wgsl_hint_token(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = &c->toks[c->pos];
	const char *type = cast_before(c);

	if (type != NULL)
		return arena_printf(c->arena, "; a conversion is written %s(...)", type);
	if (is_out_parameter(c))
		return "; what a function changes is a parameter of type ptr<function, ...>";
	if (is_name_before(c, 1, "unsigned") && t->kind == TOK_IDENT)
		return "; did you mean 'u32'?";
	if (t->kind == TOK_IDENT)
		return text_equal(t->name->text, "and") || text_equal(t->name->text, "or")
			   ? wgsl_hint_name(c, t->name->text)
			   : "";
	if (t->kind == TOK_LPAREN && kind_before(c, 2) == TOK_DOT)
		return method_hint(c);
	if (t->kind == TOK_LBRACKET && kind_before(c, 1) == TOK_IDENT)
		return "; an array is array<f32, 4>";
	if (t->kind == TOK_ARROW && kind_before(c, 1) == TOK_IDENT)
		return "; write p.x or (*p).x";
	if (t->kind == TOK_ASSIGN && (kind_before(c, 1) == TOK_EQ || kind_before(c, 1) == TOK_NE))
		return arena_printf(c->arena, "; did you mean %s?",
				    wgsl_tok_text(kind_before(c, 1)));
	return "";
}

const char *wgsl_hint_decl(struct wgsl_comp *c)
{
	static const struct {
		const char *word;
		const char *hint;
	} words[] = {
		{ "func", "; did you mean 'fn'?" },
		{ "function", "; did you mean 'fn'?" },
		{ "def", "; did you mean 'fn'?" },
		{ "kernel", "; did you mean '@compute @workgroup_size(64) fn'?" },
		{ "void", "; did you mean 'fn'?" },
		{ "uniform", "; did you mean 'var<uniform>'?" },
		{ "cbuffer", "; did you mean 'var<uniform>'?" },
		{ "ConstantBuffer", "; did you mean 'var<uniform>'?" },
		{ "buffer", "; did you mean 'var<storage, read_write>'?" },
		{ "StructuredBuffer", "; did you mean 'var<storage, read>'?" },
		{ "RWStructuredBuffer", "; did you mean 'var<storage, read_write>'?" },
	};
	const struct wgsl_tok *t = &c->toks[c->pos];

	if (t->kind == TOK_LBRACKET)
		return "; an attribute is written @name, as in @compute @workgroup_size(64)";
	if (t->kind != TOK_IDENT)
		return "";
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(t->name->text, words[i].word) == 0)
			return words[i].hint;
	return scalar_named(t->name->text) != NULL
		   ? "; a function is declared by fn, and types follow names: x: f32"
		   : "";
}
