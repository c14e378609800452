/*
 * predeclared.c - what a program finds declared: types, type generators, functions, enumerants,
 * and the names of what is not supported, so that it can be refused by name.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "wgsl/fn_int.h"

/* One of enum wgsl_subgroup. */
#define SUBGROUP(op, name, n)                                                                      \
	[FN_SUBGROUP + WGSL_SUBGROUP_##op] = { name, SHAPE_SUBGROUP, n, false }

const struct wgsl_fn_info wgsl_fns[FN_COUNT_] = {
	[FN_BITCAST] = { "bitcast", SHAPE_OWN, 1, false },
	[FN_ALL] = { "all", SHAPE_OWN, 1, false },
	[FN_ANY] = { "any", SHAPE_OWN, 1, false },
	[FN_SELECT] = { "select", SHAPE_OWN, 3, false },
	[FN_ARRAY_LENGTH] = { "arrayLength", SHAPE_OWN, 1, false },
	[FN_ABS] = { "abs", SHAPE_NUMBER, 1, false },
	[FN_CLAMP] = { "clamp", SHAPE_NUMBER, 3, false },
	[FN_MAX] = { "max", SHAPE_NUMBER, 2, false },
	[FN_MIN] = { "min", SHAPE_NUMBER, 2, false },
	[FN_SIGN] = { "sign", SHAPE_NUMBER, 1, false },
	[FN_DOT] = { "dot", SHAPE_OWN, 2, false },
	[FN_COUNT_LEADING_ZEROS] = { "countLeadingZeros", SHAPE_INTEGER, 1, false },
	[FN_COUNT_ONE_BITS] = { "countOneBits", SHAPE_INTEGER, 1, false },
	[FN_COUNT_TRAILING_ZEROS] = { "countTrailingZeros", SHAPE_INTEGER, 1, false },
	[FN_EXTRACT_BITS] = { "extractBits", SHAPE_OWN, 3, false },
	[FN_FIRST_LEADING_BIT] = { "firstLeadingBit", SHAPE_INTEGER, 1, false },
	[FN_FIRST_TRAILING_BIT] = { "firstTrailingBit", SHAPE_INTEGER, 1, false },
	[FN_INSERT_BITS] = { "insertBits", SHAPE_OWN, 4, false },
	[FN_REVERSE_BITS] = { "reverseBits", SHAPE_INTEGER, 1, false },
	[FN_DOT4_U8] = { "dot4U8Packed", SHAPE_OWN, 2, false },
	[FN_DOT4_I8] = { "dot4I8Packed", SHAPE_OWN, 2, false },
	[FN_CEIL] = { "ceil", SHAPE_FLOAT, 1, false },
	[FN_CROSS] = { "cross", SHAPE_VEC_FLOAT, 2, false },
	[FN_FACE_FORWARD] = { "faceForward", SHAPE_VEC_FLOAT, 3, false },
	[FN_FLOOR] = { "floor", SHAPE_FLOAT, 1, false },
	[FN_FMA] = { "fma", SHAPE_FLOAT, 3, false },
	[FN_FRACT] = { "fract", SHAPE_FLOAT, 1, false },
	[FN_MIX] = { "mix", SHAPE_OWN, 3, false },
	[FN_REFLECT] = { "reflect", SHAPE_VEC_FLOAT, 2, false },
	[FN_ROUND] = { "round", SHAPE_FLOAT, 1, false },
	[FN_SATURATE] = { "saturate", SHAPE_FLOAT, 1, false },
	[FN_STEP] = { "step", SHAPE_FLOAT, 2, false },
	[FN_TRUNC] = { "trunc", SHAPE_FLOAT, 1, false },
	[FN_DEGREES] = { "degrees", SHAPE_FLOAT, 1, false },
	[FN_RADIANS] = { "radians", SHAPE_FLOAT, 1, false },
	[FN_ACOS] = { "acos", SHAPE_FLOAT, 1, false },
	[FN_ACOSH] = { "acosh", SHAPE_FLOAT, 1, false },
	[FN_ASIN] = { "asin", SHAPE_FLOAT, 1, false },
	[FN_ASINH] = { "asinh", SHAPE_FLOAT, 1, false },
	[FN_ATAN] = { "atan", SHAPE_FLOAT, 1, false },
	[FN_ATANH] = { "atanh", SHAPE_FLOAT, 1, false },
	[FN_ATAN2] = { "atan2", SHAPE_FLOAT, 2, false },
	[FN_COS] = { "cos", SHAPE_FLOAT, 1, false },
	[FN_COSH] = { "cosh", SHAPE_FLOAT, 1, false },
	[FN_DISTANCE] = { "distance", SHAPE_FLOAT_TO_SCALAR, 2, false },
	[FN_EXP] = { "exp", SHAPE_FLOAT, 1, false },
	[FN_EXP2] = { "exp2", SHAPE_FLOAT, 1, false },
	[FN_INVERSE_SQRT] = { "inverseSqrt", SHAPE_FLOAT, 1, false },
	[FN_LENGTH] = { "length", SHAPE_FLOAT_TO_SCALAR, 1, false },
	[FN_LOG] = { "log", SHAPE_FLOAT, 1, false },
	[FN_LOG2] = { "log2", SHAPE_FLOAT, 1, false },
	[FN_NORMALIZE] = { "normalize", SHAPE_VEC_FLOAT, 1, false },
	[FN_POW] = { "pow", SHAPE_FLOAT, 2, false },
	[FN_REFRACT] = { "refract", SHAPE_OWN, 3, false },
	[FN_SIN] = { "sin", SHAPE_FLOAT, 1, false },
	[FN_SINH] = { "sinh", SHAPE_FLOAT, 1, false },
	[FN_SMOOTHSTEP] = { "smoothstep", SHAPE_FLOAT, 3, false },
	[FN_SQRT] = { "sqrt", SHAPE_FLOAT, 1, false },
	[FN_TAN] = { "tan", SHAPE_FLOAT, 1, false },
	[FN_TANH] = { "tanh", SHAPE_FLOAT, 1, false },
	[FN_TRANSPOSE] = { "transpose", SHAPE_OWN, 1, false },
	[FN_DETERMINANT] = { "determinant", SHAPE_OWN, 1, false },
	[FN_PACK4X_I8] = { "pack4xI8", SHAPE_OWN, 1, false },
	[FN_PACK4X_U8] = { "pack4xU8", SHAPE_OWN, 1, false },
	[FN_PACK4X_I8_CLAMP] = { "pack4xI8Clamp", SHAPE_OWN, 1, false },
	[FN_PACK4X_U8_CLAMP] = { "pack4xU8Clamp", SHAPE_OWN, 1, false },
	[FN_UNPACK4X_I8] = { "unpack4xI8", SHAPE_OWN, 1, false },
	[FN_UNPACK4X_U8] = { "unpack4xU8", SHAPE_OWN, 1, false },
	[FN_MODF] = { "modf", SHAPE_OWN, 1, false },
	[FN_FREXP] = { "frexp", SHAPE_OWN, 1, false },
	[FN_LDEXP] = { "ldexp", SHAPE_OWN, 2, false },
	[FN_QUANTIZE_F16] = { "quantizeToF16", SHAPE_OWN, 1, false },
	[FN_PACK4X8_SNORM] = { "pack4x8snorm", SHAPE_OWN, 1, false },
	[FN_PACK4X8_UNORM] = { "pack4x8unorm", SHAPE_OWN, 1, false },
	[FN_PACK2X16_SNORM] = { "pack2x16snorm", SHAPE_OWN, 1, false },
	[FN_PACK2X16_UNORM] = { "pack2x16unorm", SHAPE_OWN, 1, false },
	[FN_PACK2X16_FLOAT] = { "pack2x16float", SHAPE_OWN, 1, false },
	[FN_UNPACK4X8_SNORM] = { "unpack4x8snorm", SHAPE_OWN, 1, false },
	[FN_UNPACK4X8_UNORM] = { "unpack4x8unorm", SHAPE_OWN, 1, false },
	[FN_UNPACK2X16_SNORM] = { "unpack2x16snorm", SHAPE_OWN, 1, false },
	[FN_UNPACK2X16_UNORM] = { "unpack2x16unorm", SHAPE_OWN, 1, false },
	[FN_UNPACK2X16_FLOAT] = { "unpack2x16float", SHAPE_OWN, 1, false },
	[FN_ATOMIC_LOAD] = { "atomicLoad", SHAPE_ATOMIC, 1, true },
	[FN_ATOMIC_STORE] = { "atomicStore", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_ADD] = { "atomicAdd", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_SUB] = { "atomicSub", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_MAX] = { "atomicMax", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_MIN] = { "atomicMin", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_AND] = { "atomicAnd", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_OR] = { "atomicOr", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_XOR] = { "atomicXor", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_EXCHANGE] = { "atomicExchange", SHAPE_ATOMIC, 2, true },
	[FN_ATOMIC_COMPARE_EXCHANGE] = { "atomicCompareExchangeWeak", SHAPE_ATOMIC, 3, true },
	[FN_STORAGE_BARRIER] = { "storageBarrier", SHAPE_BARRIER, 0, true },
	[FN_WORKGROUP_BARRIER] = { "workgroupBarrier", SHAPE_BARRIER, 0, true },
	[FN_WORKGROUP_UNIFORM_LOAD] = { "workgroupUniformLoad", SHAPE_OWN, 1, false },
	SUBGROUP(ELECT, "subgroupElect", 0),
	SUBGROUP(ALL, "subgroupAll", 1),
	SUBGROUP(ANY, "subgroupAny", 1),
	SUBGROUP(BALLOT, "subgroupBallot", 1),
	SUBGROUP(BROADCAST, "subgroupBroadcast", 2),
	SUBGROUP(BROADCAST_FIRST, "subgroupBroadcastFirst", 1),
	SUBGROUP(SHUFFLE, "subgroupShuffle", 2),
	SUBGROUP(SHUFFLE_DOWN, "subgroupShuffleDown", 2),
	SUBGROUP(SHUFFLE_UP, "subgroupShuffleUp", 2),
	SUBGROUP(SHUFFLE_XOR, "subgroupShuffleXor", 2),
	SUBGROUP(ADD, "subgroupAdd", 1),
	SUBGROUP(EXCLUSIVE_ADD, "subgroupExclusiveAdd", 1),
	SUBGROUP(INCLUSIVE_ADD, "subgroupInclusiveAdd", 1),
	SUBGROUP(MUL, "subgroupMul", 1),
	SUBGROUP(EXCLUSIVE_MUL, "subgroupExclusiveMul", 1),
	SUBGROUP(INCLUSIVE_MUL, "subgroupInclusiveMul", 1),
	SUBGROUP(MIN, "subgroupMin", 1),
	SUBGROUP(MAX, "subgroupMax", 1),
	SUBGROUP(AND, "subgroupAnd", 1),
	SUBGROUP(OR, "subgroupOr", 1),
	SUBGROUP(XOR, "subgroupXor", 1),
	SUBGROUP(QUAD_BROADCAST, "quadBroadcast", 2),
	SUBGROUP(QUAD_SWAP_DIAGONAL, "quadSwapDiagonal", 1),
	SUBGROUP(QUAD_SWAP_X, "quadSwapX", 1),
	SUBGROUP(QUAD_SWAP_Y, "quadSwapY", 1),
};

static const char *const enumerants[] = { "read",    "write",     "read_write", "function",
					  "private", "workgroup", "uniform",    "storage" };

static const struct {
	const char *name;
	const char *what;
} refused_names[] = {
	{ "sampler", "textures are" },
	{ "sampler_comparison", "textures are" },
	{ "texture_1d", "textures are" },
	{ "texture_2d", "textures are" },
	{ "texture_2d_array", "textures are" },
	{ "texture_3d", "textures are" },
	{ "texture_cube", "textures are" },
	{ "texture_cube_array", "textures are" },
	{ "texture_multisampled_2d", "textures are" },
	{ "texture_depth_2d", "textures are" },
	{ "texture_depth_2d_array", "textures are" },
	{ "texture_depth_cube", "textures are" },
	{ "texture_depth_cube_array", "textures are" },
	{ "texture_depth_multisampled_2d", "textures are" },
	{ "texture_external", "textures are" },
	{ "texture_storage_1d", "textures are" },
	{ "texture_storage_2d", "textures are" },
	{ "texture_storage_2d_array", "textures are" },
	{ "texture_storage_3d", "textures are" },
	{ "textureDimensions", "textures are" },
	{ "textureLoad", "textures are" },
	{ "textureStore", "textures are" },
	{ "textureSample", "textures are" },
	{ "textureSampleLevel", "textures are" },
	{ "textureSampleBias", "textures are" },
	{ "textureSampleGrad", "textures are" },
	{ "textureSampleCompare", "textures are" },
	{ "textureSampleCompareLevel", "textures are" },
	{ "textureSampleBaseClampToEdge", "textures are" },
	{ "textureGather", "textures are" },
	{ "textureGatherCompare", "textures are" },
	{ "textureNumLayers", "textures are" },
	{ "textureNumLevels", "textures are" },
	{ "textureNumSamples", "textures are" },
	{ "textureBarrier", "textures are" },
	{ "buffer", "views of buffers are" },
	{ "bufferView", "views of buffers are" },
	{ "bufferArrayView", "views of buffers are" },
	{ "bufferLength", "views of buffers are" },
	{ "atomicStoreMin", "atomics of 64 bits are" },
	{ "atomicStoreMax", "atomics of 64 bits are" },
	{ "dpdx", "derivatives are" },
	{ "dpdy", "derivatives are" },
	{ "dpdxCoarse", "derivatives are" },
	{ "dpdxFine", "derivatives are" },
	{ "dpdyCoarse", "derivatives are" },
	{ "dpdyFine", "derivatives are" },
	{ "fwidth", "derivatives are" },
	{ "fwidthCoarse", "derivatives are" },
	{ "fwidthFine", "derivatives are" },
};

static struct wgsl_decl *declare(struct wgsl_comp *c, const char *text, enum wgsl_decl_kind kind)
{
	struct wgsl_name *n = wgsl_intern(c, text, strlen(text));
	struct wgsl_decl *d = arena_new(c->arena, struct wgsl_decl);

	d->kind = kind;
	d->state = DECL_DONE;
	d->name = n;
	n->decl = d;
	return d;
}

static void declare_type(struct wgsl_comp *c, const char *text, const struct wgsl_type *t,
			 enum wgsl_kind base)
{
	struct wgsl_decl *d = declare(c, text, DECL_TYPE);

	d->type = t;
	d->feature = wgsl_feature_of(base);
}

static void declare_types(struct wgsl_comp *c)
{
	static const enum wgsl_kind scalars[] = { WGSL_BOOL, WGSL_I32, WGSL_U32, WGSL_F32,
						  WGSL_F16,  WGSL_I64, WGSL_U64, WGSL_F64 };
	static const struct {
		char letter;
		enum wgsl_kind kind;
	} aliases[] = {
		{ 'i', WGSL_I32 }, { 'u', WGSL_U32 }, { 'f', WGSL_F32 }, { 'h', WGSL_F16 }
	};
	static const char *const names[] = {
		"bool", "i32", "u32", "f32", "f16", "i64", "u64", "f64"
	};
	static const struct {
		const char *name;
		enum wgsl_typegen gen;
	} gens[] = { { "vec2", GEN_VEC2 },   { "vec3", GEN_VEC3 },     { "vec4", GEN_VEC4 },
		     { "array", GEN_ARRAY }, { "atomic", GEN_ATOMIC }, { "ptr", GEN_PTR } };

	for (size_t i = 0; i < ARRAY_LEN(scalars); i++)
		declare_type(c, names[i], c->basic[scalars[i]], scalars[i]);
	for (uint32_t n = 2; n <= 4; n++) {
		for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
			const char *text = arena_printf(c->arena, "vec%u%c", n, aliases[i].letter);

			declare_type(c, text, wgsl_vec(c, c->basic[aliases[i].kind], n),
				     aliases[i].kind);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(gens); i++)
		declare(c, gens[i].name, DECL_TYPEGEN)->builtin = (int)gens[i].gen;
}

static void declare_matrices(struct wgsl_comp *c)
{
	for (uint32_t shape = 0; shape < 9; shape++) {
		uint32_t columns = shape / 3 + 2;
		uint32_t rows = shape % 3 + 2;
		const char *text = arena_printf(c->arena, "mat%ux%u", columns, rows);

		declare(c, text, DECL_TYPEGEN)->builtin = (int)(GEN_MAT + shape);
		declare_type(c, arena_printf(c->arena, "%sf", text),
			     wgsl_mat(c, wgsl_vec(c, c->basic[WGSL_F32], rows), columns), WGSL_F32);
		declare_type(c, arena_printf(c->arena, "%sh", text),
			     wgsl_mat(c, wgsl_vec(c, c->basic[WGSL_F16], rows), columns), WGSL_F16);
	}
}

void wgsl_predeclare(struct wgsl_comp *c)
{
	declare_types(c);
	for (int i = 0; i < FN_COUNT_; i++) {
		struct wgsl_decl *d = declare(c, wgsl_fns[i].name, DECL_BUILTIN);

		d->builtin = i;
		d->feature = i >= FN_SUBGROUP ? FEATURE_SUBGROUPS : 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(enumerants); i++)
		declare(c, enumerants[i], DECL_ENUMERANT);
	declare_matrices(c);
	for (size_t i = 0; i < ARRAY_LEN(refused_names); i++)
		declare(c, refused_names[i].name, DECL_REFUSED)->note = refused_names[i].what;
}
