/*
 * test_hints.c - errors say what WGSL has instead of what other languages have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

static const struct compiled_row bodies[] = {
	{ "var v: long = 1;",
	  "2:8: unknown name 'long'; write i32, or i64 with 'enable kwarp_i64;'" },
	{ "var v: int64_t = 1;",
	  "2:8: unknown name 'int64_t'; write i64 with 'enable kwarp_i64;'" },
	{ "var v: uint64_t = 1;",
	  "2:8: unknown name 'uint64_t'; write u64 with 'enable kwarp_i64;'" },
	{ "var v: i8 = 1;",
	  "2:8: unknown name 'i8'; integers have 32 bits, and unpack4xI8 takes bytes out of one" },
	{ "let n = blockDim.x;",
	  "2:9: unknown name 'blockDim'; it stands in @workgroup_size(...)" },
	{ "let n = gl_WorkGroupSize.x;",
	  "2:9: unknown name 'gl_WorkGroupSize'; it stands in @workgroup_size(...)" },
	{ "let n = id.normalize();",
	  "2:21: expected ';' after the declaration, found '('; WGSL has no methods" },
	{ "let x = 2u ** 3u;", "2:13: '*' needs a pointer, not u32; a power is written pow(a, b)" },
	{ "f[0] = (float)id.x;",
	  "2:15: expected ';' after the statement, found 'id'; a conversion is written f32(...)" },
	{ "f[0] = (f32)id.x;",
	  "2:13: expected ';' after the statement, found 'id'; a conversion is written f32(...)" },
	{ "let n = (int)(f[0]);",
	  "2:14: expected ';' after the declaration, found '('; a conversion is written i32(...)" },
	{ "let n = (unsigned int)f[0];",
	  "2:19: expected ')' to close the parenthesis, found 'int'; did you mean 'u32'?" },
	{ "const int n = 4;", "2:11: expected ':' or '=' after 'int', found 'n'; the type follows "
			      "the name: const n: type" },
	{ "int i = 0;", "2:5: expected '=' or another assignment, found 'i'; a variable is "
			"declared by var, let or const" },
	{ "for (var i = 0; i < 4; ++i) { }",
	  "2:24: expected a statement, found '++'; it stands behind the variable: i++" },
	{ "o[gl_GlobalInvocationID.x] = 1;", "2:3: unknown name 'gl_GlobalInvocationID'; did you "
					     "mean '@builtin(global_invocation_id)'?" },
	{ "o[threadIdx.x] = 1;",
	  "2:3: unknown name 'threadIdx'; did you mean '@builtin(local_invocation_id)'?" },
	{ "let x = get_global_id(0);",
	  "2:9: unknown name 'get_global_id'; did you mean '@builtin(global_invocation_id)'?" },
	{ "__syncthreads();",
	  "2:1: a name must not begin with two underscores; did you mean 'workgroupBarrier'?" },
	{ "barrier();", "2:1: unknown name 'barrier'; did you mean 'workgroupBarrier'?" },
	{ "GroupMemoryBarrierWithGroupSync();",
	  "2:1: unknown name 'GroupMemoryBarrierWithGroupSync'; did you mean 'workgroupBarrier'?" },
	{ "let v = float3(1, 2, 3);", "2:9: unknown name 'float3'; did you mean 'vec3f'?" },
	{ "var v: double = 1;",
	  "2:8: unknown name 'double'; write f32, or f64 with 'enable kwarp_f64;'" },
	{ "var v: uint8_t = 1;", "2:8: unknown name 'uint8_t'; integers have 32 bits, and "
				 "unpack4xU8 takes bytes out of one" },
	{ "let x = fmod(f[0], 2);", "2:9: unknown name 'fmod'; did you mean '%'?" },
	{ "let x = mod(f[0], 2);", "2:9: 'mod' is a reserved word; did you mean '%'?" },
	{ "let x = lerp(f[0], 1, 0.5);", "2:9: unknown name 'lerp'; did you mean 'mix'?" },
	{ "let x = floatBitsToUint(f[0]);",
	  "2:9: unknown name 'floatBitsToUint'; did you mean 'bitcast<u32>'?" },
	{ "let x = atan(f[0], 1);", "2:9: atan takes 1 argument, not 2; did you mean 'atan2'?" },
	{ "let x = .5F;", "2:9: not a number; it may end in i, u, f or h" },
	{ "let x = 5UL;", "2:9: not a number; it may end in i, u, f or h" },
	{ "let x = 0b101;", "2:9: WGSL has no binary numbers: write them as 0x..." },
	{ "var a[4]: f32;",
	  "2:6: expected ';' after the declaration, found '['; an array is array<f32, 4>" },
	{ "var a: f32[4];",
	  "2:11: expected ';' after the declaration, found '['; an array is array<f32, 4>" },
	{ "var a: [f32; 4];", "2:8: expected a type, found '['; an array is array<f32, 4>" },
	{ "var a: array<f32, 2> = {1, 2};",
	  "2:24: expected an expression, found '{'; an array's value is array(1, 2, 3)" },
	{ "let a = [1, 2];",
	  "2:9: expected an expression, found '['; an array's value is array(1, 2, 3)" },
	{ "if id.x > 1 and id.x < 4 { }",
	  "2:13: expected '{' after the condition of if, found 'and'; did you mean '&&'?" },
	{ "if id.x > 1 { } elif (id.x > 2) { }",
	  "2:33: expected '=' or another assignment, found '{'; did you mean 'else if'?" },
	{ "do { } while (true);",
	  "2:1: 'do' is a reserved word; write loop { ... continuing { break if !condition; } }" },
	{ "let n = o.length();", "2:17: expected ';' after the declaration, found '('; the number "
				 "of elements is arrayLength(&...)" },
	{ "console.log(1);", "2:12: expected '=' or another assignment, found '('; a kernel cannot "
			     "print: store into an output" },
	{ "let x = Math.sin(1.0);",
	  "2:17: expected ';' after the declaration, found '('; functions stand alone: sin(x)" },
	{ "id->x = 1;",
	  "2:3: expected '=' or another assignment, found '->'; write p.x or (*p).x" },
	{ "let x = id->x;",
	  "2:11: expected ';' after the declaration, found '->'; write p.x or (*p).x" },
	{ "let mut x = 1;", "2:5: 'mut' is a reserved word; did you mean 'var'?" },
	{ "f[0] = id.x as f32;", "2:13: 'as' is a reserved word; a conversion is written f32(x)" },
	{ "if id.x === 1 { }", "2:11: expected an expression, found '='; did you mean '=='?" },
	{ "if vec2f(1) == vec2f(1) { }",
	  "2:4: the condition of if is vec2<bool>, but must be bool; write all(...) or any(...)" },
	{ "let x = isnan(f[0]);", "2:9: unknown name 'isnan'; write x != x" },
	{ "let x = M_PI;", "2:9: unknown name 'M_PI'; write const PI = 3.14159265358979;" },
	{ "let n = sizeof(f32);",
	  "2:9: 'sizeof' is a reserved word; for the number of elements write arrayLength(&...)" },
	{ "printf(1);", "2:1: unknown name 'printf'; a kernel cannot print: store into an output" },
	{ "atomicCAS(&at, 1, 2);",
	  "2:1: unknown name 'atomicCAS'; did you mean 'atomicCompareExchangeWeak'?" },
};

static const struct compiled_row modules[] = {
	{ "kernel void main() { }",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found 'kernel'; "
	  "did you mean '@compute @workgroup_size(64) fn'?" },
	{ "StructuredBuffer<float> a;",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found "
	  "'StructuredBuffer'; did you mean 'var<storage, read>'?" },
	{ "__global__ void k(float* o) { }", "1:1: a name must not begin with two underscores; did "
					     "you mean '@compute @workgroup_size(64)'?" },
	{ "[numthreads(64, 1, 1)] void main() { }",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found '['; an "
	  "attribute is written @name, as in @compute @workgroup_size(64)" },
	{ "[[group(0), binding(0)]] var<storage> a: u32;",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found '['; an "
	  "attribute is written @name, as in @compute @workgroup_size(64)" },
	{ "@stage(compute) fn main() { }",
	  "1:2: there is no attribute @stage; did you mean @compute?" },
	{ "@bind(0) var<storage> a: u32;",
	  "1:2: there is no attribute @bind; did you mean @binding?" },
	{ "float square(float x) { return x * x; }",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found 'float'; a "
	  "function is declared by fn, and types follow names: x: f32" },
	{ "function f() { }", "1:1: expected a declaration (fn, var, const, override, struct, "
			      "alias), found 'function'; did you mean 'fn'?" },
	{ "void main() { }", "1:1: expected a declaration (fn, var, const, override, struct, "
			     "alias), found 'void'; did you mean 'fn'?" },
	{ "cbuffer P { float scale; };",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found 'cbuffer'; "
	  "did you mean 'var<uniform>'?" },
	{ "uniform float scale;", "1:1: expected a declaration (fn, var, const, override, struct, "
				  "alias), found 'uniform'; did you mean 'var<uniform>'?" },
	{ "@group(0) @binding(0) buffer b: u32;",
	  "1:2: @group cannot stand before 'buffer'; did you mean 'var<storage, read_write>'?" },
	{ "RWStructuredBuffer<float> o;",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found "
	  "'RWStructuredBuffer'; did you mean 'var<storage, read_write>'?" },
	{ "shared float tile[64];", "1:1: 'shared' is a reserved word; did you mean 'workgroup'?" },
	{ "groupshared float tile[64];",
	  "1:1: 'groupshared' is a reserved word; did you mean 'var<workgroup>'?" },
	{ "static const N: u32 = 4;", "1:1: 'static' is a reserved word; did you mean 'const'?" },
	{ "import noise;", "1:1: 'import' is a reserved word; a kernel is one text" },
	{ "fn f(x: f32): f32 { return x; }",
	  "1:13: expected '{' or '->' after the parameters, found ':'" },
	{ "fn f(p: inout f32) { }",
	  "1:15: expected ')' or ',' after the parameter, found 'f32'; what a function changes is "
	  "a parameter of type ptr<function, ...>" },
	{ "fn f(inout p: f32) { }",
	  "1:12: expected ':' after the parameter's name, found 'p'; what a function changes is a "
	  "parameter of type ptr<function, ...>" },
	{ "fn f() -> void { }",
	  "1:11: unknown name 'void'; a function without a result has no '->'" },
	{ "fn f(@builtin(local_invocation_index) i: u32) { }",
	  "1:7: @builtin applies to entry points only, which have @compute" },
};

static void what_other_languages_have_is_answered_with_ours(void **state)
{
	(void)state;
	check_first_errors(compile_body, bodies, ARRAY_LEN(bodies));
	check_first_errors(compile, modules, ARRAY_LEN(modules));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_other_languages_have_is_answered_with_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
