/*
 * test_words.c - the words and places of more errors: what is written wrongly, and what means
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

/* What cannot be parsed. */
static const struct compiled_row texts[] = {
	{ "const a = \xc2\xa7;", "1:11: the character U+00A7 has no meaning here" },
	{ "const a = \xff;", "1:1: the text is not UTF-8, or holds a NUL character" },
	{ "@compute @workgroup_size(1 2) fn main() {}",
	  "1:28: expected ')' after the attribute's values, found '2'" },
	{ "@ fn main() {}", "1:3: @fn cannot stand before 'main'" },
	{ "@1 fn main() {}", "1:2: expected an attribute's name after '@'" },
	{ "var<shared> a: u32;", "1:5: 'shared' is a reserved word; did you mean 'workgroup'?" },
	{ "var<1> a: u32;", "1:5: expected an address space after 'var<', found '1'" },
	{ "var<private a: u32;", "1:4: this '<' has no '>'" },
	{ "var<private, read_write, 3> a: u32;",
	  "1:26: expected '>' after the address space, found '3'" },
	{ "struct S a: u32;", "1:10: expected '{' after the struct's name, found 'a'" },
	{ "alias 3 = u32;", "1:7: expected the name of the alias, found '3'" },
	{ "alias a u32;", "1:9: expected '=' after the alias's name, found 'u32'" },
	{ "fn f(a: u32 b: u32) {}", "1:13: expected ')' or ',' after the parameter, found 'b'" },
	{ "enable dual_source_blending;", "1:8: dual_source_blending is of fragment shaders" },
	{ "enable primitive_index;", "1:8: primitive_index is of fragment shaders" },
	{ "requires readonly_and_readwrite_storage_textures;",
	  "1:10: readonly_and_readwrite_storage_textures is of textures" },
	{ "requires texture_and_sampler_let;", "1:10: texture_and_sampler_let is of textures" },
	{ "requires texture_formats_tier1;", "1:10: texture_formats_tier1 is of textures" },
	{ "diagnostic off, x;", "1:12: expected '(' after diagnostic, found 'off'" },
	{ "diagnostic(off, x)",
	  "1:19: expected ';' after the directive, found the end of the text" },
	{ "enable f16", "1:11: expected ';' after the directive, found the end of the text" },
	{ "enable 3;", "1:8: expected the name of a feature, found '3'" },
};

static const struct compiled_row body_texts[] = {
	{ "let x = min(1 2);", "2:15: expected ')' or ',' after this, found '2'" },
	{ "let x = id.;", "2:12: expected a member after '.', found ';'" },
	{ "let x = id. 3;", "2:13: expected a member after '.', found '3'" },
	{ "if id.x == 1 {} else foo();", "2:22: expected '{' or if after else, found 'foo'" },
	{ "switch id.x { case 1 o[0] = 1; default: {} }",
	  "2:22: expected '{' after the selectors of a case, found 'o'" },
	{ "switch id.x case 1 {}",
	  "2:13: expected '{' after the selector of switch, found 'case'" },
	{ "loop o[0] = 1;", "2:6: expected '{' after loop, found 'o'" },
	{ "loop { continuing o[0] = 1; }", "2:19: expected '{' after continuing, found 'o'" },
	{ "loop { break }", "2:14: expected ';' after break, found '}'" },
	{ "loop { continue }", "2:17: expected ';' after continue, found '}'" },
	{ "return", "2:7: expected ';' after return, found '}'" },
	{ "return o", "2:9: expected ';' after return, found '}'" },
	{ "_ 1;", "2:3: expected '=' after '_', found '1'" },
	{ "for { }", "2:5: expected '(' after for, found '{'" },
	{ "for (var i = 0) {}", "2:15: expected ';' after the first part of for, found ')'" },
	{ "for (var i = 0, i < 3; i++) {}",
	  "2:15: expected ';' after the first part of for, found ','" },
	{ "for (var i = 0; i < 3) {}", "2:22: expected ';' after the condition of for, found ')'" },
	{ "for (var i = 0; i < 3; i++; i++) {}",
	  "2:27: expected ')' after the last part of for, found ';'" },
	{ "for (var i = 0; i < 3; i++) o[0] = 1;",
	  "2:29: expected '{' after for (...), found 'o'" },
	{ "while id.x == 1 o[0] = 1;",
	  "2:17: expected '{' after the condition of while, found 'o'" },
};

/* What means nothing. */
static const struct compiled_row meanings[] = {
	{ "const a = 1; fn f() { a = 2; }", "1:23: 'a' is a const and cannot change; use var" },
	{ "override a = 1; fn f() { a = 2; }", "1:26: this cannot be assigned to" },
	{ "struct I { @builtin(local_invocation_index) a: u32, b: u32 } @compute "
	  "@workgroup_size(1) fn main(i: I) {}",
	  "1:53: 'b' needs @builtin(...): it is an input of an entry point" },
	{ "@compute @workgroup_size(1) fn main(@builtin(global_id) x: vec3u) {}",
	  "1:46: 'global_id' is no input of a compute shader; did you mean "
	  "'global_invocation_id'?" },
	{ "@compute @workgroup_size(1) fn main(@builtin(thread_id) x: vec3u) {}",
	  "1:46: 'thread_id' is no input of a compute shader; did you mean "
	  "'global_invocation_id'?" },
	{ "fn f() -> @size(4) u32 { return 1u; }", "1:12: @size does not apply to a result" },
	{ "override a = f(); fn f() -> u32 { return 1u; }", "1:14: 'f' is no constant function" },
	{ "enable subgroups; override a = subgroupAdd(1u);",
	  "1:32: subgroupAdd is no constant function" },
	{ "struct S { a: atomic<u32> } var<workgroup> s: S; fn f() { let x = "
	  "workgroupUniformLoad(&s); }",
	  "1:88: workgroupUniformLoad needs a pointer to a type without atomics here, not "
	  "ptr<workgroup, S>" },
	{ "enable kwarp_i64; const x = extractBits(1li, 60u, 8u);",
	  "1:29: extractBits needs offset + count of at most 64" },
	{ "enable kwarp_i64; @group(0) @binding(0) var<storage, read_write> a: i64; @compute "
	  "@workgroup_size(1) fn main() { a = extractBits(a, 60u, 8u); }",
	  "1:118: extractBits needs offset + count of at most 64" },
	{ "fn f(p: ptr<storage, atomic<u32>>) { atomicStore(p, 1u); }",
	  "1:22: atomic<u32> cannot be in storage" },
	{ "@group(0) @binding(0) var<storage> a: atomic<u32>; fn f() { let x = atomicLoad(&a); }",
	  "1:39: atomics need var<storage, read_write>" },
	{ "struct S { a: atomic<u32> } @group(0) @binding(0) var<storage> a: S; fn f() { let x = "
	  "atomicLoad(&a.a); }",
	  "1:67: atomics need var<storage, read_write>" },
	{ "const a: mat2x2<f32, f32> = 1;", "1:10: write mat2x2<f32>" },
	{ "const a: mat2x2 = 1;", "1:10: write mat2x2<f32>" },
	{ "const a: atomic<u32, u32> = 1;", "1:10: write atomic<u32> or atomic<i32>" },
	{ "var<workgroup> a: atomic;", "1:19: write atomic<u32> or atomic<i32>" },
	{ "const a: ptr<function> = 1;", "1:10: write ptr<address space, type>" },
	{ "fn f(p: ptr) {}", "1:9: write ptr<address space, type>" },
	{ "const a: 3 = 1;", "1:10: expected a type, found '3'" },
	{ "const a: array<3, 3> = 1;", "1:16: expected a type, found '3'" },
	{ "const a: array<1 + 2, 3> = 1;", "1:16: expected a type, found '1 + 2'" },
	{ "const b = 1; const a: b = 1;", "1:23: 'b' is not a type" },
	{ "var<private> a: array<private, 3>;", "1:23: 'private' is not a type" },
	{ "const a = 1; const b = a(1);", "1:24: 'a' is not a function" },
	{ "var<storage, write> x: u32; fn f() { let y = x; }",
	  "1:21: a storage variable is read or read_write" },
	{ "fn f(p: ptr<storage, u32, write>) { let x = *p; }",
	  "1:27: only storage pointers take an access mode: read or read_write" },
	{ "struct T { a: array<u32> } struct S { t: T } @group(0) @binding(0) var<storage> s: S;",
	  "1:39: a struct with a runtime-sized array cannot be a member of a struct" },
	{ "struct S { a: array<u32, 500000000>, b: array<u32, 500000000> }",
	  "1:38: the struct is larger than 2 GiB" },
	{ "var<workgroup> w: array<u32, 10000>; @compute @workgroup_size(1) fn main() { w[0] = 1; "
	  "}",
	  "1:16: workgroup variables take 40000 bytes, more than the limit of 32768" },
	{ "const x = 1.0 / 0.0;", "1:11: division by the constant zero" },
	{ "const x = 1.0 % 0.0;", "1:11: division by the constant zero" },
	{ "const x = vec2(1) / vec2(1, 0);", "1:21: division by the constant zero" },
	{ "override n = 0; @compute @workgroup_size(1) fn main() { let x = 1 / n; }",
	  "1:69: division by the constant zero" },
	{ "override n = 0.0; override m = 1.0 / n; @compute @workgroup_size(1) fn main() { let x = "
	  "m; }",
	  "1:32: division by the constant zero" },
	{ "const x = 1 << 63;", "1:11: the shift loses bits of the constant" },
	{ "const x = 0x80000000u << 1u;", "1:11: the shift loses bits of the constant" },
	{ "const x = inverseSqrt(0.0);", "1:11: inverseSqrt needs a positive argument" },
	{ "const x = dot(vec2(9223372036854775807), vec2(2));",
	  "1:11: dot needs a result that fits into 64 bits" },
	{ "const x = normalize(vec2(0.0));", "1:11: normalize needs a vector of non-zero length" },
};

static const struct compiled_row body_meanings[] = {
	{ "let x = vec2u(1.5, 1);", "2:15: this component is abstract float, but must be u32" },
	{ "let x = array<u32, 2>(1, 1.5);",
	  "2:26: this element is abstract float, but must be u32" },
	{ "let x = array(&w, &w);",
	  "2:9: ptr<workgroup, array<u32, 64>> cannot be the element of an array value" },
	{ "let a = 1; let b = a(1);", "2:20: 'a' is not a function" },
	{ "let x = private;", "2:9: 'private' is not a value" },
	{ "let x = select(&w, &w, true);",
	  "2:16: select needs a scalar or a vector here, not ptr<workgroup, array<u32, 64>>" },
	{ "let x = select(array(1), array(2), true);",
	  "2:16: select needs a scalar or a vector here, not array<abstract int, 1>" },
	{ "let x = extractBits(1u, 1i, 1u);", "2:25: the offset is i32, but must be u32" },
	{ "let x = extractBits(1u, 1u, 1i);", "2:29: the count is i32, but must be u32" },
	{ "let x = mat2x2(1e39, 0, 0, 1) * 1f;", "2:9: the constant does not fit into f32" },
	{ "let x = mat2x2f(mat2x2(1e39, 0, 0, 1));", "2:17: the constant does not fit into f32" },
	{ "var<function, read_write> a: u32;",
	  "2:27: a variable in a function takes no access mode" },
	{ "(1) = 2;", "2:1: this cannot be assigned to" },
	{ "vec2u(1).x = 1;", "2:1: this cannot be assigned to" },
	{ "f[0]++;", "2:5: '++' needs an integer variable, not f32" },
	{ "var v: vec2u; v--;", "2:16: '--' needs an integer variable, not vec2<u32>" },
};

static void text_is_refused_with_what_was_expected(void **state)
{
	(void)state;
	check_first_errors(compile, texts, ARRAY_LEN(texts));
	check_first_errors(compile_body, body_texts, ARRAY_LEN(body_texts));
}

static void meaning_is_refused_with_what_was_expected(void **state)
{
	(void)state;
	check_first_errors(compile, meanings, ARRAY_LEN(meanings));
	check_first_errors(compile_body, body_meanings, ARRAY_LEN(body_meanings));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_refused_with_what_was_expected),
		cmocka_unit_test(meaning_is_refused_with_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
