/* strict_tables.c - made by hack/strict-tables.py; errors are relative to the function. */
#include "wgsl/strict_int.h"

/* (e^r - 1 - r) / r^2, [-0.3472667, 0.3472667], error below 2^-28.2 */
const float strict_exp[STRICT_EXP] = {
	0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558bcp-5f, 0x1.1239c6p-7f, 0x1.6a4154p-10f,
};

/* (log(1 + f) - f + f^2 / 2) / f^3, [-0.2929225, 0.414255], error below 2^-30.3 */
const float strict_log[STRICT_LOG] = {
	0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a478p-3f,  -0x1.555c4cp-3f, 0x1.233b72p-3f,
	-0x1.fc2706p-4f, 0x1.e6c146p-4f,  -0x1.de0e46p-4f, 0x1.147fe4p-4f,
};

/* (sin r - r) / r^3, z = r^2, [0, 0.6193177], error below 2^-32.5 */
const float strict_sin[STRICT_SIN] = {
	-0x1.555556p-3f,
	0x1.111174p-7f,
	-0x1.a05956p-13f,
	0x1.7c2d54p-19f,
};

/* (cos r - 1 + r^2 / 2) / r^4, z = r^2, [0, 0.6193177], error below 2^-33.0 */
const float strict_cos[STRICT_COS] = {
	0x1.55554ap-5f,
	-0x1.6c0c26p-10f,
	0x1.99e71cp-16f,
};

/* (tan r - r) / r^3, z = r^2, [0, 0.6193177], error below 2^-29.5 */
const float strict_tan[STRICT_TAN] = {
	0x1.55556p-2f,  0x1.110d96p-3f, 0x1.badbf8p-5f, 0x1.5ca488p-6f,
	0x1.6372e6p-7f, 0x1.27242p-14f, 0x1.1f89f6p-8f,
};

/* (asin x - x) / x^3, z = x^2, [0, 0.2501], error below 2^-35.8 */
const float strict_asin[STRICT_ASIN] = {
	0x1.555556p-3f, 0x1.3332acp-4f, 0x1.6dda86p-5f, 0x1.ed5fd4p-6f,
	0x1.931a66p-6f, 0x1.ebfd84p-8f, 0x1.1be3bcp-5f,
};

/* (atan x - x) / x^3, z = x^2, [0, 0.1717], error below 2^-33.9 */
const float strict_atan[STRICT_ATAN] = {
	-0x1.555554p-2f, 0x1.99989p-3f,   -0x1.246fc6p-3f,
	0x1.c2f3ep-4f,   -0x1.5347a4p-4f, 0x1.647484p-5f,
};

/* (sinh x - x) / x^3, z = x^2, [0, 1], error below 2^-31.6 */
const float strict_sinh[STRICT_SINH] = {
	0x1.555556p-3f,
	0x1.1110ep-7f,
	0x1.a022bcp-13f,
	0x1.756c1ep-19f,
};

/* (cosh r - 1) / r^2, z = r^2, [0, 0.1205942], error below 2^-33.3 */
const float strict_cosh[STRICT_COSH] = {
	0x1p-1f,
	0x1.5554e6p-5f,
	0x1.6d4f3ep-10f,
};

/* (tanh x - x) / x^3, z = x^2, [0, 1], error below 2^-30.9 */
const float strict_tanh[STRICT_TANH] = {
	-0x1.555552p-2f, 0x1.11103cp-3f, -0x1.b9f6dap-5f,  0x1.64c044p-6f,
	-0x1.18db64p-7f, 0x1.8f862cp-9f, -0x1.ae8cbap-11f, 0x1.e76c16p-14f,
};

/* (asinh x - x) / x^3, z = x^2, [0, 0.25], error below 2^-35.4 */
const float strict_asinh[STRICT_ASINH] = {
	-0x1.555556p-3f, 0x1.333392p-4f, -0x1.6dc7d6p-5f, 0x1.f311b8p-6f,
	-0x1.736e26p-6f, 0x1.188254p-6f, -0x1.2d4fb4p-7f,
};

/* (atanh x - x) / x^3, z = x^2, [0, 0.25], error below 2^-34.8 */
const float strict_atanh[STRICT_ATANH] = {
	0x1.555556p-2f, 0x1.99991cp-3f, 0x1.24a19ap-3f, 0x1.c56832p-4f,
	0x1.805346p-4f, 0x1.16647cp-4f, 0x1.139e9cp-4f, 0x1.c294ccp-4f,
};

/* (acosh(1 + t) / sqrt(2 t) - 1) / t, [0, 0.5], error below 2^-33.9 */
const float strict_acosh[STRICT_ACOSH] = {
	-0x1.555554p-4f, 0x1.33323ap-6f,   -0x1.6d7ebep-8f,
	0x1.ec123p-10f,  -0x1.487f7ep-11f, 0x1.2f5742p-13f,
};

/* (log2((1 + s) / (1 - s)) / s - 2 / ln 2 - 2 z / (3 ln 2)) / z^2, z = s^2, [0, 0.02946669], error
 * below 2^-43.9 */
const float strict_log2_long[STRICT_LOG2_LONG] = {
	0x1.2776c4p-1f,
	0x1.a6195p-2f,
	0x1.47b12p-2f,
	0x1.207b9cp-2f,
};
