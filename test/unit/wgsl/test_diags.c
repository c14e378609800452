/*
 * test_diags.c - one row per diagnostic: text, and the first error with its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

/* Bodies of an entry point (compile_body): line 2 is the first. */
static const struct compiled_row bodies[] = {
	{ "let x = y;", "2:9: unknown name 'y'" },
	{ "let x = foo(1);", "2:9: unknown name 'foo'" },
	{ "let o1 = oo[0];", "2:10: unknown name 'oo'" },
	{ "o[0] = 1;\nlet a = 1; let a = 2;", "3:16: 'a' is declared twice" },
	{ "o[0] = -1;", "2:8: the value -1 does not fit into u32" },
	{ "o[0] = 1.5;", "2:8: the value is abstract float, but must be u32" },
	{ "o[0] = 1i;", "2:8: the value is i32, but must be u32" },
	{ "let x: u32 = 1.0;", "2:14: the initial value is abstract float, but must be u32" },
	{ "var x: i32 = 3000000000;", "2:14: the value 3000000000 does not fit into i32" },
	{ "let x = 1u + 1i;", "2:12: '+' does not apply to u32 and i32" },
	{ "let x = 1u + 1.0f;", "2:12: '+' does not apply to u32 and f32" },
	{ "let x = true + 1;", "2:14: '+' does not apply to bool and abstract int" },
	{ "let x = !1u;", "2:9: '!' does not apply to u32" },
	{ "let x = -1u;", "2:9: '-' does not apply to u32" },
	{ "let x = ~1.0;", "2:9: '~' does not apply to abstract float" },
	{ "let x = 1u && true;", "2:12: '&&' does not apply to u32 and bool" },
	{ "let x = vec2u(1, 2) + vec3u(1);",
	  "2:21: '+' does not apply to vec2<u32> and vec3<u32>" },
	{ "let x = id < id.x;", "2:12: '<' does not apply to vec3<u32> and u32" },
	{ "let x = id.x << 1i;", "2:14: '<<' does not apply to u32 and i32" },
	{ "let x = 1 << 64;", "2:9: a shift by 64 is at least the width of the value" },
	{ "let x = id.x << 32u;", "2:17: a shift by 32 is at least the width of the value" },
	{ "let x = 1u << 32u;", "2:15: a shift by 32 is at least the width of the value" },
	{ "let x = id.x / 0u;", "2:16: division by the constant zero" },
	{ "let x = id.x % 0u;", "2:16: division by the constant zero" },
	{ "const x = 1 / 0;", "2:15: division by the constant zero" },
	{ "const x = 9223372036854775807 + 1;", "2:11: the constant overflows 64 bits" },
	{ "const x = 1e38f * 10f;", "2:11: the constant does not fit into f32" },
	{ "let x = 5000000000u;", "2:9: the value does not fit into u32" },
	{ "let x = 2147483648i;", "2:9: the value does not fit into i32" },
	{ "let x = 99999999999999999999;", "2:9: the value does not fit into 64 bits" },
	{ "let x = 01;", "2:9: a decimal number must not begin with 0" },
	{ "let x = 12ab;", "2:9: not a number; it may end in i, u, f or h" },
	{ "let x = 1.5u;", "2:9: a number with a fraction or exponent cannot be an integer" },
	{ "let x = 0x;", "2:9: not a number; it may end in i, u, f or h" },
	{ "let x = 1e400;", "2:9: not a number that f64 can hold" },
	{ "let x = 1h;", "2:9: a number of f16 needs 'enable f16;' at the top" },
	{ "let x = 1li;", "2:9: a number of i64 needs 'enable kwarp_i64;' at the top" },
	{ "let x = 0x1lu;", "2:9: a number of u64 needs 'enable kwarp_i64;' at the top" },
	{ "let x = 1.5lf;", "2:9: a number of f64 needs 'enable kwarp_f64;' at the top" },
	{ "let x = 1e39f;", "2:9: the value does not fit into f32" },
	{ "const a = array(1, 2, 3); let x = a[3];",
	  "2:37: the index 3 is outside of array<abstract int, 3> (0 to 2)" },
	{ "let x = u[4];", "2:11: the index 4 is outside of vec4<u32> (0 to 3)" },
	{ "var a: array<u32, 3>; a[3] = 1;",
	  "2:25: the index 3 is outside of array<u32, 3> (0 to 2)" },
	{ "let x = o[-1];", "2:11: the index -1 is negative" },
	{ "let x = id.w;", "2:12: vec3<u32> has no components 'w'" },
	{ "let x = id.xr;", "2:12: vec3<u32> has no components 'xr'" },
	{ "let x = id.foo;", "2:12: vec3<u32> has no components 'foo'" },
	{ "let x = id.x.x;", "2:14: u32 has no members" },
	{ "let x = id.x[0];", "2:9: u32 cannot be indexed" },
	{ "let x = o[1.5];", "2:11: an index is i32 or u32, not abstract float" },
	{ "let x = o[true];", "2:11: an index is i32 or u32, not bool" },
	{ "id.x = 1;", "2:1: the parameter 'id' cannot change; copy it into a var" },
	{ "let a = 1u; a = 2u;", "2:13: 'a' is a let and cannot change; use var" },
	{ "in[0] = 1.0;",
	  "2:1: this storage variable can only be read; declare it var<storage, read_write>" },
	{ "u.x = 1;", "2:1: a uniform variable can only be read" },
	{ "1 = 2;", "2:1: expected a statement, found '1'" },
	{ "var v: vec3u; v.xyx = vec3u(1, 2, 3);", "2:17: 'xyx' assigns a component twice" },
	{ "let v = vec3u(); v.xy = vec2u(1, 2);", "2:18: 'v' is a let and cannot change; use var" },
	{ "at = 1u;", "2:1: an atomic is written with atomicStore(&..., value)" },
	{ "let x = at;",
	  "2:9: an atomic is used by its address: atomicLoad(&...), atomicAdd(&..., value)" },
	{ "o = o;", "2:1: array<u32> cannot be assigned" },
	{ "var a = o;", "2:9: array<u32> cannot be used as a value; its pointer can (&...)" },
	{ "if 1 { }",
	  "2:4: the condition of if is abstract int, but must be bool; write ... != 0" },
	{ "if id.x { }", "2:4: the condition of if is u32, but must be bool; write ... != 0" },
	{ "while 1u { }", "2:7: the condition of while is u32, but must be bool; write ... != 0" },
	{ "for (var i = 0; i; i++) { }",
	  "2:17: the condition of for is i32, but must be bool; write ... != 0" },
	{ "break;", "2:1: break must be inside of a loop or switch" },
	{ "continue;", "2:1: continue must be inside of a loop" },
	{ "loop { }", "2:1: this loop has no way out: no break, no return" },
	{ "for (;;) { }", "2:1: this loop has no way out: no break, no return" },
	{ "loop { continuing { break; } }",
	  "2:21: a continuing block is left with break if at its end" },
	{ "loop { break; continuing { continue; } }",
	  "2:28: continue cannot stand in a continuing block" },
	{ "loop { if id.x == 1 { break; } continuing { return; } }",
	  "2:45: return cannot leave a continuing block" },
	{ "loop { break if true; }", "2:8: break if belongs at the end of a continuing block" },
	{ "loop { continuing { break if true; o[0] = 1; } }",
	  "2:21: break if must be the last statement of continuing" },
	{ "continuing { }", "2:1: continuing belongs at the end of the body of a loop { }" },
	{ "loop { { break; continuing { } } }",
	  "2:17: continuing belongs at the end of the body of a loop { }" },
	{ "loop { continuing { } o[0] = 1; }",
	  "2:8: continuing must be the last statement of its loop" },
	{ "loop { if id.x == 1 { continue; } let z = 1u; if id.x == 2 { break; } continuing { o[0] "
	  "= z; } }",
	  "2:91: continuing uses 'z', but a continue jumps over its declaration" },
	{ "switch id.x { case 1: {} }", "2:1: this switch has no default" },
	{ "switch id.x { default: {} default: {} }", "2:27: this switch has two defaults" },
	{ "switch id.x { case 1: {} case 1: {} default: {} }",
	  "2:31: the selector 1 stands twice in this switch" },
	{ "switch 1.5 { default: {} }",
	  "2:8: the selector of switch is f32, but must be i32 or u32" },
	{ "switch id.x { case id.y: {} default: {} }", "2:20: a case selector must be constant" },
	{ "switch id.x { case 1i: {} default: {} }", "2:20: the selector is i32, but must be u32" },
	{ "switch id.x { case: {} default: {} }", "2:15: this case has no selector" },
	{ "switch id.x { foo }", "2:15: expected case, default or '}' in switch, found 'foo'" },
	{ "return 1;", "2:8: 'main' returns nothing" },
	{ "discard;", "2:1: discard belongs to fragment shaders" },
	{ "var p = &o;", "2:5: a pointer cannot be stored; use let" },
	{ "let p = &id;", "2:9: '&' needs a variable or a part of one" },
	{ "let p = &u.x;", "2:9: the address of a vector's component cannot be taken" },
	{ "let x = *id;", "2:9: '*' needs a pointer, not vec3<u32>" },
	{ "let x = &1;", "2:9: '&' needs a variable or a part of one" },
	{ "let x = foo;", "2:9: unknown name 'foo'" },
	{ "let x = main;", "2:9: 'main' is a function: call it with (...)" },
	{ "main();", "2:1: the entry point 'main' cannot be called" },
	{ "let x = u32;", "2:9: 'u32' is a type, not a value" },
	{ "let x = u32(1, 2);", "2:9: u32 takes 1 value, not 2" },
	{ "let x = vec3u(1, 2);", "2:9: vec3<u32> needs 3 components, not 2" },
	{ "let x = vec2u(1, 2, 3);", "2:9: vec2<u32> needs 2 components, not 3" },
	{ "let x = vec2(1u, 1i);", "2:9: the components of vec2(...) have no common type" },
	{ "let x = vec3<vec2<u32>>();", "2:14: vec2<u32> cannot be the component of a vector" },
	{ "let x = vec2u(vec3u());", "2:9: vec3<u32> cannot be converted to vec2<u32>" },
	{ "let x = bool(vec2u());", "2:9: vec2<u32> cannot be converted to bool" },
	{ "let x = array<u32, 2>(1, 2, 3);", "2:9: array<u32, 2> takes 2 values, not 3" },
	{ "let x = array(1, true);",
	  "2:18: the elements of this array have different types: bool here" },
	{ "let x = array();", "2:9: array() needs its type: array<type, count>()" },
	{ "let x = array<u32>(1);", "2:9: array<u32> cannot be constructed" },
	{ "let x = f32(o);", "2:13: array<u32> cannot be used as a value; its pointer can (&...)" },
	{ "let x = u32(-1);", "2:9: the value -1 does not fit into u32" },
	{ "let x = min(1, 2u, 3);", "2:9: min takes 2 arguments, not 3" },
	{ "let x = min(1u, 1i);", "2:17: the arguments of min have different types: u32 and i32" },
	{ "let x = min(true, false);",
	  "2:13: min needs a number or a vector of numbers here, not bool" },
	{ "let x = sqrt(1u);", "2:14: sqrt needs a float or a vector of floats here, not u32" },
	{ "let x = dot(1, 2);", "2:13: dot needs a vector of numbers here, not abstract int" },
	{ "let x = cross(vec2f(), vec2f());",
	  "2:15: cross needs a vector of 3 components here, not vec2<f32>" },
	{ "let x = countOneBits(1.0);",
	  "2:22: countOneBits needs an integer or a vector of integers here, not abstract float" },
	{ "let x = sign(1u);", "2:14: sign needs a signed number here, not u32" },
	{ "let x = 0x1.00000001p0f;", "2:9: f32 cannot hold exactly this value" },
	{ "let x = 01f;", "2:9: a decimal number must not begin with 0" },
	{ "let x = pow(-1.0, 2.0);",
	  "2:9: pow needs a positive base (0: a positive power) and a finite result" },
	{ "let x = mat2x2();", "2:9: mat2x2() needs its type: mat2x2<type>()" },
	{ "let x = clamp(id.x, 3u, 2u);", "2:9: clamp needs low <= high" },
	{ "let x = smoothstep(1.0, 1.0, in[0]);", "2:9: smoothstep needs different edges" },
	{ "let x = extractBits(id.x, 30u, 5u);",
	  "2:9: extractBits needs offset + count of at most 32" },
	{ "let x = ldexp(in[0], 129);", "2:9: ldexp needs an exponent of at most 128" },
	{ "let x = pack2x16float(vec2f(1, 65536));", "2:9: f16 cannot hold this value" },
	{ "let x = refract(vec2f(), vec2f(), vec2f());",
	  "2:35: refract needs a float here, not vec2<f32>" },
	{ "let x = refract(1.0, 1.0, 1.0);",
	  "2:17: refract needs a vector of floats here, not abstract float" },
	{ "let x = (-2147483647i - 1i) % -1i;", "2:9: the value 2147483648 does not fit into i32" },
	{ "let x = workgroupUniformLoad(&w[lane]);",
	  "2:9: workgroupUniformLoad needs the same place for all invocations, but its index "
	  "depends "
	  "on local_invocation_index" },
	{ "switch id.x { case default, default {} }", "2:29: this switch has two defaults" },
	{ "@diagnostic(off, derivative_uniformity) let a = 1;",
	  "2:1: no attribute can stand before 'let'" },
	{ "let x = sqrt(-1);", "2:9: sqrt needs an argument with a finite result" },
	{ "let x = log(0);", "2:9: log needs an argument with a finite result" },
	{ "let x = clamp(1, 3, 2);", "2:9: clamp needs low <= high" },
	{ "let x = bitcast<u32>(vec2f());",
	  "2:22: bitcast needs a value of as many bits here, not vec2<f32>" },
	{ "let x = bitcast<bool>(1);", "2:17: bitcast to bool is not possible" },
	{ "let x = bitcast(1);", "2:9: write bitcast<type>(value)" },
	{ "let x = bitcast<f32>(0x7f800000u);", "2:9: the bits are no finite f32" },
	{ "let x = select(1, 2, 3);", "2:22: select needs a bool or a vector of bool as wide as "
				      "the values here, not abstract int" },
	{ "let x = select(1u, 2i, true);",
	  "2:20: the arguments of select have different types: u32 and i32" },
	{ "let x = all(1);", "2:13: all needs a bool or a vector of bool here, not abstract int" },
	{ "let x = arrayLength(o);",
	  "2:21: array<u32> cannot be used as a value; its pointer can (&...)" },
	{ "let x = arrayLength(&w);", "2:21: arrayLength needs a pointer to a runtime-sized array "
				      "(&...) here, not ptr<workgroup, array<u32, 64>>" },
	{ "let x = mix(1u, 2u, 0.5);", "2:13: mix needs floats here, not u32" },
	{ "let x = extractBits(1.0, 1u, 2u);",
	  "2:21: extractBits needs an integer or a vector of integers here, not abstract float" },
	{ "const x = extractBits(1u, 30u, 5u);",
	  "2:11: extractBits needs offset + count of at most 32" },
	{ "atomicAdd(at, 1u);",
	  "2:11: an atomic is used by its address: atomicLoad(&...), atomicAdd(&..., value)" },
	{ "atomicAdd(&at, 1i);", "2:16: the value is i32, but must be u32" },
	{ "atomicAdd(&o[0], 1u);", "2:11: atomicAdd needs a pointer to an atomic (&...) here, not "
				   "ptr<storage, u32, read_write>" },
	{ "let x = atomicStore(&at, 1u);", "2:9: this function returns nothing" },
	{ "min(1, 2);", "2:1: the result of min must be used" },
	{ "u32(1);", "2:1: this value is not used" },
	{ "let x = workgroupBarrier();", "2:9: this function returns nothing" },
	{ "if id.x == 1 { workgroupBarrier(); }",
	  "2:16: a barrier must be reached by all invocations of a work-group, but control flow "
	  "here may differ between them" },
	{ "if id.x == 1 { return; } workgroupBarrier();",
	  "2:26: a barrier must be reached by all invocations of a work-group, but control flow "
	  "here may differ between them" },
	{ "for (var i = 0u; i < id.x; i++) { workgroupBarrier(); }",
	  "2:35: a barrier must be reached by all invocations of a work-group, but control flow "
	  "here may differ between them" },
	{ "for (var i = 0u; i < o[0]; i++) { workgroupBarrier(); }",
	  "2:35: a barrier must be reached by all invocations of a work-group, but control flow "
	  "here may differ between them" },
	{ "let x = workgroupUniformLoad(&o[0]);",
	  "2:30: workgroupUniformLoad needs a pointer to workgroup memory (&...) here, not "
	  "ptr<storage, u32, read_write>" },
	{ "const_assert 1 == 2;", "2:1: const_assert failed" },
	{ "const_assert id.x == 1;", "2:14: const_assert needs a constant bool" },
	{ "const_assert 1;", "2:14: const_assert needs a constant bool" },
	{ "const c = id.x;", "2:11: the value of a const must be constant" },
	{ "var x;", "2:5: 'x' needs a type or an initial value" },
	{ "let x;", "2:6: 'x' needs a value: let x = ..." },
	{ "const c;", "2:8: 'c' needs a value: const c = ..." },
	{ "var<private> x: u32;", "2:14: a variable in a function cannot be in private" },
	{ "var<workgroup> x: u32;", "2:16: a variable in a function cannot be in workgroup" },
	{ "var x: array<u32>;", "2:8: a variable of type array<u32> cannot live here; an array "
				"without a size is of storage only" },
	{ "var x: atomic<u32>;", "2:8: a variable of type atomic<u32> cannot live here" },
	{ "let x = 1", "2:10: expected ';' after the declaration, found '}'" },
	{ "workgroupBarrier()\no[0] = 1;", "2:19: expected ';' after the statement, found 'o'" },
	{ "storageBarrier() 1;", "2:18: expected ';' after the statement, found '1'" },
	{ "o[0] = ;", "2:8: expected an expression, found ';'" },
	{ "o[0] 1;", "2:6: expected '=' or another assignment, found '1'" },
	{ "x;", "2:2: expected '=' or another assignment, found ';'" },
	{ "o[0];", "2:5: expected '=' or another assignment, found ';'" },
	{ "(o[0] = 1);", "2:7: expected ')' to close the parenthesis, found '='" },
	{ "let x = (1;", "2:11: expected ')' to close the parenthesis, found ';'" },
	{ "let x = o[1;", "2:12: expected ']' after the index, found ';'" },
	{ "if true", "3:1: expected '{' after the condition of if, found '}'" },
	{ "else {}", "2:1: expected a statement, found 'else'" },
	{ "fn f() {}", "2:1: expected a statement, found 'fn'" },
	{ "struct S {}", "2:1: expected a statement, found 'struct'" },
	{ "let x = 1 & 2 | 3;", "2:15: '&' and '|' need parentheses to say which comes first" },
	{ "let x = 1 < 2 < 3;", "2:15: comparisons do not chain: write a < b && b < c" },
	{ "let x = true && false || true;",
	  "2:23: '&&' and '||' need parentheses to say which comes first" },
	{ "let x = 1 << 2 << 3;", "2:16: '<<' and '<<' need parentheses to say which comes first" },
	{ "let x = 1 + 2 << 3;", "2:15: '+' and '<<' need parentheses to say which comes first" },
	{ "let x = 1 & 2 == 2;", "2:15: '&' and '==' need parentheses to say which comes first" },
	{ "let x = +1;", "2:9: WGSL has no unary '+' in expressions" },
	{ "let x = a++;", "2:10: expected ';' after the declaration, found '++'" },
	{ "o[0] = 1,2;", "2:9: expected ';' after the statement, found ','" },
	{ "let __x = 1;", "2:5: a name must not begin with two underscores" },
	{ "let new = 1;", "2:5: 'new' is a reserved word" },
	{ "let _ = 1;", "2:5: expected the name of what is declared, found '_'" },
	{ "let if = 1;", "2:5: expected the name of what is declared, found the keyword 'if'" },
	{ "let x = $;", "2:9: '$' has no meaning in WGSL" },
	{ "let x = \"s\";", "2:9: '\"' has no meaning in WGSL: it has no strings" },
	{ "let x = id.x > 1 ? 1 : 2;",
	  "2:18: '?' has no meaning in WGSL: write select(if_false, if_true, condition)" },
	{ "#if 1", "2:1: '#' has no meaning in WGSL: it has no preprocessor" },
	{ "float x = 1.0;", "2:7: expected '=' or another assignment, found 'x'; a variable is "
			    "declared by var, let or const" },
	{ "retrun;", "2:7: expected '=' or another assignment, found ';'; did you mean 'return'?" },
	{ "let x = float(id.x);", "2:9: unknown name 'float'; did you mean 'f32'?" },
	{ "let x = Sin(1.0);", "2:9: unknown name 'Sin'; did you mean 'sin'?" },
	{ "let x = 1.0f32;", "2:9: not a number; it may end in i, u, f or h" },
	{ "let é = ß;", "2:9: unknown name 'ß'" },
	{ "let x: f16 = 1;", "2:8: 'f16' needs 'enable f16;' at the top" },
	{ "let x: i64 = 1;", "2:8: 'i64' needs 'enable kwarp_i64;' at the top" },
	{ "let x = f64(1);", "2:9: 'f64' needs 'enable kwarp_f64;' at the top" },
	{ "var x: vec3h;", "2:8: 'vec3h' needs 'enable f16;' at the top" },
	{ "let x = subgroupAdd(1u);", "2:9: 'subgroupAdd' needs 'enable subgroups;' at the top" },
	{ "let x = textureLoad(1);", "2:9: textures are not supported ('textureLoad'); a picture "
				     "can be a var<storage, read> array" },
	{ "let x = frexp(1u);", "2:15: frexp needs a float or a vector of floats here, not u32" },
	{ "let x = ldexp(1.0, 1u);", "2:20: the exponent is u32, but must be i32" },
	{ "let x = pack4x8unorm(vec3f());",
	  "2:22: the argument is vec3<f32>, but must be vec4<f32>" },
	{ "const x = unpack2x16float(0x7c00u);", "2:11: the bits are no finite f16" },
	{ "modf(1.5);", "2:1: the result of modf must be used" },
	{ "let x = transpose(1);", "2:19: transpose needs a matrix, not abstract int" },
	{ "let x = determinant(mat2x3f());",
	  "2:21: determinant needs a square matrix, not mat2x3<f32>" },
	{ "let x = mat2x2f() * vec3f();", "2:19: '*' does not apply to mat2x2<f32> and vec3<f32>" },
	{ "let x = mat2x2f() / 2.0;", "2:19: '/' does not apply to mat2x2<f32> and f32" },
	{ "let x = mat2x2f() == mat2x2f();",
	  "2:19: '==' does not apply to mat2x2<f32> and mat2x2<f32>" },
	{ "let x = -mat2x2f();", "2:9: '-' does not apply to mat2x2<f32>" },
	{ "let x = mat2x2f(1, 2, 3);",
	  "2:9: mat2x2<f32> is made of 2 columns or 4 components, not of 3 values" },
	{ "let x = mat2x2<u32>(1, 2, 3, 4);", "2:16: u32 cannot be the component of a matrix" },
	{ "let x = mat2x2h();", "2:9: 'mat2x2h' needs 'enable f16;' at the top" },
	{ "let x = mat2x2f()[2];", "2:19: the index 2 is outside of mat2x2<f32> (0 to 1)" },
	{ "let x = mat2x2f().x;", "2:19: mat2x2<f32> has no members" },
	{ "var m: mat2x2f; m = 1.0;",
	  "2:21: the value is abstract float, but must be mat2x2<f32>" },
	{ "let x = mat2x2(1u, 2, 3, 4);", "2:16: this value is u32, but must be abstract float" },
	{ "let x = dpdx(1.0);", "2:9: derivatives are not supported ('dpdx')" },
	{ "let v = vec3f(1, 2, 3); let x = v.xyzz.w.x;", "2:42: f32 has no members" },
	{ "let x = conutOneBits(1u);",
	  "2:9: unknown name 'conutOneBits'; did you mean 'countOneBits'?" },
	{ "let x = o.x;", "2:11: array<u32> has no members" },
	{ "o[0] = vec2u(1, 2);", "2:8: the value is vec2<u32>, but must be u32" },
	{ "let x = in[0] + 1u;", "2:15: '+' does not apply to f32 and u32" },
	{ "o[id.x] = in[id.x];", "2:11: the value is f32, but must be u32" },
	{ "@foo { }", "2:2: there is no attribute @foo" },
	{ "{ o[0] = 1u; ", "4:1: expected '}' before the end of the text" },
	{ "let x = 1; }",
	  "3:1: expected a declaration (fn, var, const, override, struct, alias), found '}'" },
	{ "let x = array<u32, 0>();", "2:20: an array has at least one element" },
	{ "let x = array<u32, -1>();", "2:20: an array has at least one element" },
	{ "let x = array<u32, 1.5>();", "2:20: this must be an integer, not abstract float" },
	{ "let x = array<u32, id.x>();", "2:20: this must be a constant" },
	{ "let x = array<u32, 3000000000>();", "2:20: the array is larger than 2 GiB" },
};

/* Whole modules. */
static const struct compiled_row modules[] = {
	{ "", "1:1: there is no entry point: mark a function with @compute" },
	{ "fn f() {}", "1:1: there is no entry point: mark a function with @compute" },
	{ "@compute fn main() {}", "1:13: the entry point 'main' needs @workgroup_size(...)" },
	{ "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}",
	  "1:70: a second entry point: name one in kernel.entryPoint" },
	{ "@compute @workgroup_size(0) fn main() {}",
	  "1:26: a work-group has 1 to 1024 invocations" },
	{ "@compute @workgroup_size(1025) fn main() {}",
	  "1:26: a work-group has 1 to 1024 invocations" },
	{ "@compute @workgroup_size(64, 32) fn main() {}",
	  "1:26: a work-group of 2048 invocations is too large (limit 1024)" },
	{ "@compute @workgroup_size(1, 1, 1, 1) fn main() {}",
	  "1:11: @workgroup_size takes 1 to 3 numbers" },
	{ "@compute @workgroup_size(1.5) fn main() {}",
	  "1:26: this must be an integer, not abstract float" },
	{ "@workgroup_size(1) fn main() {}",
	  "1:2: @workgroup_size stands at @compute functions only" },
	{ "enable subgroups, subgroup_size_control; @subgroup_size(4) fn f() {}",
	  "1:43: @subgroup_size stands at @compute functions only" },
	{ "@compute @workgroup_size(4) @subgroup_size(4) fn main() {}",
	  "1:30: @subgroup_size needs 'enable subgroup_size_control;' at the top" },
	{ "enable subgroup_size_control;",
	  "1:8: subgroup_size_control needs 'enable subgroups;' too" },
	{ "enable subgroups, subgroup_size_control; @compute @workgroup_size(12) "
	  "@subgroup_size(3) fn main() {}",
	  "1:86: subgroups have a power of two from 4 to 128 invocations" },
	{ "enable subgroups, subgroup_size_control; @compute @workgroup_size(12) "
	  "@subgroup_size(8) fn main() {}",
	  "1:86: the size of subgroups must divide the first number of @workgroup_size, 12" },
	{ "enable atomic_vec2u_min_max;",
	  "1:8: atomic_vec2u_min_max is not supported: atomics have 32 bits" },
	{ "requires buffer_view;",
	  "1:10: buffer_view is not supported: every buffer has one type" },
	{ "@group(0) @binding(0) var<storage> x: buffer;",
	  "1:39: views of buffers are not supported ('buffer')" },
	{ "fn f() { atomicStoreMax(1, 2); }",
	  "1:10: atomics of 64 bits are not supported ('atomicStoreMax')" },
	{ "var<immediate> x: u32;", "1:5: 'immediate' is no address space: function, private, "
				    "workgroup, uniform or storage; uniform does the same here" },
	{ "requires fragment_depth;", "1:10: fragment_depth is of fragment shaders" },
	{ "@vertex fn main() {}", "1:2: @vertex: only compute shaders run here" },
	{ "@compute @workgroup_size(1) fn main() -> u32 { return 1u; }",
	  "1:42: a compute entry point returns nothing" },
	{ "@compute @workgroup_size(1) fn main(x: u32) {}",
	  "1:37: the parameter 'x' of an entry point needs @builtin(...)" },
	{ "@compute @workgroup_size(1) fn main(@builtin(position) x: vec4f) {}",
	  "1:46: 'position' is no input of a compute shader" },
	{ "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) x: u32) {}",
	  "1:38: @builtin(global_invocation_id) is vec3<u32>, not u32" },
	{ "@compute @workgroup_size(1) fn main(@builtin(subgroup_size) x: u32) {}",
	  "1:38: @builtin(subgroup_size) needs 'enable subgroups;' at the top" },
	{ "enable subgroups; @compute @workgroup_size(1) fn main(@builtin(subgroup_id) x: vec3u) "
	  "{}",
	  "1:56: @builtin(subgroup_id) is u32, not vec3<u32>" },
	{ "@compute @workgroup_size(1) fn main(@location(0) x: u32) {}",
	  "1:38: @location: only compute shaders run here" },
	{ "var x: u32;", "1:5: a module variable needs an address space: var<private>, "
			 "var<workgroup>, var<uniform> or var<storage, ...>" },
	{ "var<private> x;", "1:14: 'x' needs a type" },
	{ "var<uniform> x: u32;", "1:14: a uniform variable needs @group(...) and @binding(...)" },
	{ "@group(0) var<uniform> x: u32;",
	  "1:24: a uniform variable needs @group(...) and @binding(...)" },
	{ "@group(0) @binding(0) var<uniform> x: array<f32>;",
	  "1:39: array<f32> cannot be in uniform; an array without a size is of storage only" },
	{ "@group(0) @binding(0) var<uniform> x: bool;",
	  "1:39: bool cannot be shared with the host (bool has no layout)" },
	{ "@group(0) @binding(0) var<storage> x: array<vec2<bool>>;",
	  "1:39: array<vec2<bool>> cannot be shared with the host (bool has no layout)" },
	{ "@group(0) @binding(0) var<storage> x: atomic<u32>;",
	  "1:39: atomics need var<storage, read_write>" },
	{ "@group(0) @binding(0) var<storage, write> x: u32;",
	  "1:43: a storage variable is read or read_write" },
	{ "@group(0) @binding(0) var<uniform, read> x: u32;",
	  "1:42: only storage variables take an access mode" },
	{ "@group(0) @binding(0) var<storage> x: u32 = 1;",
	  "1:45: a storage variable cannot have an initial value" },
	{ "@group(0) @binding(0) var<private> x: u32;",
	  "1:36: only uniform and storage variables have a binding" },
	{ "@group(-1) @binding(0) var<storage> x: u32;", "1:8: @group must be 0 to 31" },
	{ "@group(0) @group(1) @binding(0) var<storage> x: u32;", "1:12: @group stands twice" },
	{ "@group(0) @binding(0) var<storage> x: u32; @group(0) @binding(0) var<storage> y: u32; "
	  "@compute @workgroup_size(1) fn main() { _ = x + y; }",
	  "1:79: 'y' and 'x' have the same group 0 and binding 0" },
	{ "var<foo> x: u32;",
	  "1:5: 'foo' is no address space: function, private, workgroup, uniform or storage" },
	{ "var<storage, foo> x: u32;", "1:14: 'foo' is no access mode: read, write or read_write" },
	{ "var<workgroup> x: array<u32>;", "1:16: a runtime-sized array lives in storage only" },
	{ "var<workgroup> x: u32 = 1;", "1:25: a workgroup variable cannot have an initial value" },
	{ "var<private> x: atomic<u32>;", "1:14: atomic<u32> cannot be private" },
	{ "var<function> x: u32;", "1:15: a module variable needs an address space: var<private>, "
				   "var<workgroup>, var<uniform> or var<storage, ...>" },
	{ "struct S { }", "1:8: struct 'S' has no members" },
	{ "struct S { a: u32, a: u32 }", "1:20: struct 'S' has two members 'a'" },
	{ "struct S { a: S }", "1:8: 'S' depends on itself" },
	{ "struct S { a: array<u32>, b: u32 }",
	  "1:12: only the last member can be a runtime-sized array" },
	{ "struct S { a: ptr<function, u32> }", "1:15: a struct member cannot be a pointer" },
	{ "struct S { @align(3) a: u32 }",
	  "1:13: @align(3): must be a power of two and a multiple of 4, the alignment of u32" },
	{ "struct S { @align(2) a: u32 }",
	  "1:13: @align(2): must be a power of two and a multiple of 4, the alignment of u32" },
	{ "struct S { @size(2) a: u32 }", "1:13: @size(2) is less than the 4 bytes of u32" },
	{ "struct S { @foo a: u32 }", "1:13: there is no attribute @foo" },
	{ "struct S { a u32 }", "1:14: expected ':' after the member's name, found 'u32'" },
	{ "struct S { a: u32; b: u32 }", "1:18: expected '}' or ',' after the member, found ';'" },
	{ "struct { a: u32 }", "1:8: expected the name of the struct, found '{'" },
	{ "alias A = B; alias B = A;", "1:7: 'A' depends on itself" },
	{ "alias A = 1;", "1:11: expected a type, found '1'" },
	{ "const a = b; const b = a;", "1:7: 'a' depends on itself" },
	{ "const a: u32 = -1;", "1:16: the value -1 does not fit into u32" },
	{ "const a = f(); fn f() -> u32 { return 1u; }", "1:11: 'f' is no constant function" },
	{ "var<private> a: u32 = b; var<private> b: u32;",
	  "1:23: 'b' is a variable; only constants can be used here" },
	{ "override a: vec2u = vec2u();",
	  "1:10: an override is bool, i32, u32, f16, f32 or f64, not vec2<u32>" },
	{ "enable kwarp_i64; override a: i64 = 1;",
	  "1:28: an override is bool, i32, u32, f16, f32 or f64, not i64" },
	{ "override a: u32; @compute @workgroup_size(1) fn main() { _ = a; }",
	  "1:62: override 'a' has no value: set it in kernel.constants" },
	{ "@id(7) override a: u32; @compute @workgroup_size(1) fn main() { _ = a; }",
	  "1:69: override 'a' has no value: set it in kernel.constants as '7', its @id" },
	{ "@id(70000) override a: u32 = 1;", "1:5: @id must be 0 to 65535" },
	{ "@id(1) const a = 1;", "1:2: @id cannot stand before 'const'" },
	{ "override a = b; var<private> b = 1;",
	  "1:14: 'b' is a variable; only constants can be used here" },
	{ "let a = 1;", "1:1: let belongs into functions; use const here" },
	{ "fn f() {} fn f() {}", "1:14: 'f' is declared twice" },
	{ "fn f(a: u32, a: u32) {}", "1:14: 'a' is declared twice" },
	{ "fn f() -> u32 { }", "1:4: 'f' does not return a value on every path" },
	{ "fn f() -> u32 { if true { return 1u; } }",
	  "1:4: 'f' does not return a value on every path" },
	{ "fn f() -> u32 { return; }", "1:17: 'f' returns u32: return needs a value" },
	{ "fn f() -> u32 { return 1.0; }",
	  "1:24: the returned value is abstract float, but must be u32" },
	{ "fn f() { return 1; }", "1:17: 'f' returns nothing" },
	{ "fn f(a: array<u32>) {}", "1:9: array<u32> cannot be a parameter; pass a pointer" },
	{ "fn f(a: atomic<u32>) {}", "1:9: atomic<u32> cannot be a parameter; pass a pointer" },
	{ "fn f() -> ptr<function, u32> { }", "1:11: ptr<function, u32> cannot be returned" },
	{ "fn f() -> atomic<u32> { }", "1:11: atomic<u32> cannot be returned" },
	{ "fn f(a: u32) { a = 1u; }", "1:16: the parameter 'a' cannot change; copy it into a var" },
	{ "fn f(a: u32) {} fn g() { f(); }", "1:26: 'f' takes 1 argument, not 0" },
	{ "fn f(a: u32) {} fn g() { f(1.0); }",
	  "1:28: argument 1 ('a') is abstract float, but must be u32" },
	{ "fn f(a: u32) {} fn g() { let x = f(1); }", "1:34: this function returns nothing" },
	{ "@must_use fn f() -> u32 { return 1u; } fn g() { f(); }",
	  "1:49: the result of 'f' must be used" },
	{ "fn f(p: ptr<function, u32>) {} var<private> q: u32; fn g() { f(&q); }",
	  "1:64: argument 1 ('p') is ptr<private, u32>, but must be ptr<function, u32>" },
	{ "fn f() { f(); } @compute @workgroup_size(1) fn main() {}",
	  "1:4: 'f' calls itself (directly or through others), which WGSL forbids" },
	{ "fn f(@builtin(global_invocation_id) a: vec3u) {}",
	  "1:7: @builtin applies to entry points only, which have @compute" },
	{ "fn f() { var a: u32; { var a: f32; a = 1u; } }",
	  "1:40: the value is u32, but must be f32" },
	{ "fn f() { let x = g; } fn g() {}", "1:18: 'g' is a function: call it with (...)" },
	{ "requires foo;", "1:10: there is no extension 'foo'" },
	{ "enable f17;", "1:8: there is no extension 'f17'; did you mean 'f16'?" },
	{ "enable f16; const x = 65520h;", "1:23: the value does not fit into f16" },
	{ "enable f16; const x: f16 = 1e5;", "1:28: the constant does not fit into f16" },
	{ "enable f16; const x = 60000h + 60000h;", "1:23: the constant does not fit into f16" },
	{ "enable f16; const x = 1h + 1f;", "1:26: '+' does not apply to f16 and f32" },
	{ "enable f16; const x = 1h + 1u;", "1:26: '+' does not apply to f16 and u32" },
	{ "enable f16; const x = quantizeToF16(1h);",
	  "1:37: quantizeToF16 needs a float or a vector of floats here, not f16" },
	{ "enable f16; const x = bitcast<f32>(1h);",
	  "1:36: bitcast needs a value of as many bits here, not f16" },
	{ "enable f16; const x = bitcast<vec2h>(0x7c00u);", "1:23: the bits are no finite f16" },
	{ "enable f16; var<workgroup> x: atomic<f16>;",
	  "1:38: only atomic<u32> and atomic<i32> exist, not atomic<f16>" },
	{ "enable kwarp_i64; const x = 9223372036854775808li;",
	  "1:29: the value does not fit into i64" },
	{ "enable kwarp_i64; const x = 1.0li;",
	  "1:29: a number with a fraction or exponent cannot be an integer" },
	{ "enable kwarp_i64; const x = -1lu;", "1:29: '-' does not apply to u64" },
	{ "enable kwarp_i64; const x = 1li + 1i;", "1:33: '+' does not apply to i64 and i32" },
	{ "enable kwarp_i64; const x = 1li / 0li;", "1:35: division by the constant zero" },
	{ "enable kwarp_i64; const x = 1li << 64;",
	  "1:36: a shift by 64 is at least the width of the value" },
	{ "enable kwarp_i64; const x = u64(-1);", "1:29: the value -1 does not fit into u64" },
	{ "enable kwarp_i64; const x = sign(1lu);",
	  "1:34: sign needs a signed number here, not u64" },
	{ "enable kwarp_i64; const x = array(1, 2)[1li];",
	  "1:41: an index is i32 or u32, not i64" },
	{ "enable kwarp_i64; var<private> x: array<u32, 4li>;",
	  "1:46: this must be an integer, not i64" },
	{ "enable kwarp_i64; var<workgroup> x: atomic<i64>;",
	  "1:44: only atomic<u32> and atomic<i32> exist, not atomic<i64>" },
	{ "enable kwarp_i64; fn f() { switch (1li) { default: {} } }",
	  "1:35: the selector of switch is i64, but must be i32 or u32" },
	{ "enable kwarp_f64; const x = exp(1lf);", "1:29: exp of f64 is not supported yet" },
	{ "enable kwarp_f64; const x = frexp(1lf);", "1:29: frexp of f64 is not supported yet" },
	{ "enable kwarp_f64; const x = 1lf + 1f;", "1:33: '+' does not apply to f64 and f32" },
	{ "enable kwarp_f64; const x = bitcast<vec2u>(1lf) + bitcast<u32>(1lf);",
	  "1:64: bitcast needs a value of as many bits here, not f64" },
	{ "fn f() {} enable f16;", "1:11: 'enable' must stand before all declarations" },
	{ "const_assert false;", "1:1: const_assert failed" },
	{ "const_assert x;", "1:14: unknown name 'x'" },
	{ "foo",
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found 'foo'" },
	{ "@compute", "1:2: @compute cannot stand before the end of the text" },
	{ "fn", "1:3: expected the name of the function, found the end of the text" },
	{ "fn f", "1:5: expected '(' after the function's name, found the end of the text" },
	{ "fn f(", "1:6: expected a parameter or ')', found the end of the text" },
	{ "fn f(a", "1:7: expected ':' after the parameter's name, found the end of the text" },
	{ "fn f(a:", "1:8: expected a type, found the end of the text" },
	{ "fn f() -", "1:8: expected '{' to begin the function's body, found '-'" },
	{ "fn f() {", "1:9: expected '}' before the end of the text" },
	{ "struct S {", "1:11: expected a member or '}', found the end of the text" },
	{ "const a = 1", "1:12: expected ';' after the declaration, found the end of the text" },
	{ "@group(", "1:8: expected an expression, found the end of the text" },
	{ "/* open", "1:1: the comment has no end" },
	{ "fn f() { // comment\n\tlet é = 1; let x = é + q;\n}", "2:25: unknown name 'q'" },
	{ "const a = array<u32, 4>(1, 2, 3);", "1:11: array<u32, 4> takes 4 values, not 3" },
	{ "const a = vec4<u32(1);", "1:11: 'vec4' is a type, not a value" },
	{ "const a = vec2<>(1);", "1:16: expected a type or value after '<'" },
	{ "const a: array<u32, 3, 4> = 1;", "1:10: write array<type, count> or array<type>" },
	{ "const a: u32<i32> = 1;", "1:10: u32 takes no template list" },
	{ "const a: vec2 = 1;", "1:10: write vec2<type>" },
	{ "const a: ptr<foo, u32> = 1;",
	  "1:14: expected an address space: function, private, workgroup, uniform or storage" },
	{ "const a: ptr<function, u32, read> = 1;",
	  "1:29: only storage pointers take an access mode: read or read_write" },
	{ "const a: atomic<f32> = 1;",
	  "1:17: only atomic<u32> and atomic<i32> exist, not atomic<f32>" },
	{ "const a: vec2<array<u32, 2>> = 1;",
	  "1:15: array<u32, 2> cannot be the component of a vector" },
	{ "const x = 1; const y = x<3>;", "1:24: 'x' takes no template list" },
	{ "override n = 4; var<workgroup> a: array<array<u32, n>, 2>;",
	  "1:41: array<u32, 4> is sized by an override and cannot be the element of an array" },
	{ "var<private> a: array<array<u32>, 2>;",
	  "1:23: array<u32> cannot be the element of an array" },
	{ "diagnostic(loud, derivative_uniformity);",
	  "1:12: a severity is error, warning, info or off" },
	{ "diagnostic(off, 1);", "1:17: expected the name of a rule" },
	{ "diagnostic(off);", "1:1: diagnostic takes a severity and a rule" },
	{ "diagnostic(off, subgroup_uniformity); diagnostic(info, subgroup_uniformity);",
	  "1:39: 'subgroup_uniformity' is set to off and to info for the same range" },
	{ "diagnostic(off, foo.x); diagnostic(error, foo.x);",
	  "1:25: 'foo.x' is set to off and to error for the same range" },
	{ "@diagnostic(off, foo) @diagnostic(off, foo) fn f() {}",
	  "1:24: @diagnostic stands twice for 'foo'" },
	{ "struct I { @builtin(global_id) a: vec3u }",
	  "1:21: there is no built-in value 'global_id'; did you mean 'global_invocation_id'?" },
	{ "@diagnostic(off) fn f() {}", "1:2: @diagnostic takes a severity and a rule" },
	{ "@must_use fn f() {}", "1:2: @must_use: 'f' returns nothing" },
	{ "@must_use(1) fn f() -> u32 { return 1u; }", "1:2: @must_use takes no values" },
	{ "@compute @compute @workgroup_size(1) fn main() {}", "1:11: @compute stands twice" },
	{ "@copmute fn main() {}", "1:2: there is no attribute @copmute; did you mean @compute?" },
	{ "@id override a = 1;", "1:2: @id takes one constant" },
	{ "@id(1) override a = 1; @id(1) override b = 1;", "1:25: @id(1) stands at two overrides" },
	{ "fn f() -> @builtin(position) vec4f { return vec4f(); }",
	  "1:12: @builtin applies to entry points only, which have @compute" },
	{ "enable clip_distances;", "1:8: clip_distances is of vertex shaders" },
	{ "requires f16;", "1:10: write 'enable f16;'" },
	{ "requires immediate_address_space;",
	  "1:10: immediate_address_space is not supported: use a uniform variable" },
	{ "override n = 4; struct S { a: array<u32, n> }",
	  "1:31: an array sized by an override can only be a workgroup variable" },
	{ "override n = 4; @group(0) @binding(0) var<storage> a: array<u32, n>;",
	  "1:55: an array sized by an override can only be a workgroup variable" },
	{ "fn f(p: ptr<storage, bool>) {}", "1:22: bool cannot be in storage" },
	{ "fn f(p: ptr<function, array<u32>>) {}", "1:23: array<u32> cannot be in function" },
	{ "const private = 1; var<private> a: u32;",
	  "1:33: 'private' was declared as something else" },
	{ "struct S { value: u32 } fn f() { _ = S(1).valeu; }",
	  "1:43: struct S has no member 'valeu'; did you mean 'value'?" },
	{ "struct S { a: u32 } fn f() { _ = S(1).b; }",
	  "1:39: struct S has no member 'b': it has a" },
	{ "var<storge> x: u32;", "1:5: 'storge' is no address space: function, private, "
				 "workgroup, uniform or storage; did you mean 'storage'?" },
	{ "enable f64;", "1:8: there is no extension 'f64'; did you mean 'kwarp_f64'?" },
	{ "enable subgroup;", "1:8: there is no extension 'subgroup'; did you mean 'subgroups'?" },
	{ "@group(0) @binding(0) var t: texture_2d<f32>;",
	  "1:30: textures are not supported ('texture_2d'); a picture can be a var<storage, read> "
	  "array" },
	{ "@compute @workgroup_size(1) fn main(@builtin(local_id) x: vec3u) {}",
	  "1:46: 'local_id' is no input of a compute shader; did you mean "
	  "'local_invocation_id'?" },
	{ "struct S { @align(4) @align(8) a: u32 }", "1:23: @align stands twice" },
	{ "@compute @workgroup_size(1u, 1i) fn main() {}",
	  "1:30: the numbers of @workgroup_size have different types: u32 and i32" },
	{ "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) a: vec3u, "
	  "@builtin(workgroup_id) b: vec3u) {}",
	  "1:93: 'b' has an input that was taken before" },
	{ "@compute @workgroup_size(1) fn main(@builtin(workgroup_index) a: vec3u) {}",
	  "1:38: @builtin(workgroup_index) is u32, not vec3<u32>" },
	{ "fn f(p: ptr<private, u32>, q: ptr<private, u32>) { *p = *q; } var<private> a: u32; "
	  "fn g() { f(&a, &a); } @compute @workgroup_size(1) fn main() {}",
	  "1:99: parameter 'q' of 'f' would name the same memory as 'p', and one of them is "
	  "written" },
	{ "fn f(p: ptr<private, u32>) { *p = a; } var<private> a: u32; fn g() { f(&a); } "
	  "@compute @workgroup_size(1) fn main() {}",
	  "1:72: parameter 'p' of 'f' would name the same memory as the variable 'a', and one of "
	  "them is written" },
	{ "fn f() { switch 1 { default: { continue; } } }",
	  "1:32: continue must be inside of a loop" },
};

static void bodies_are_refused_with_these_words(void **state)
{
	(void)state;
	check_first_errors(compile_body, bodies, ARRAY_LEN(bodies));
}

static void modules_are_refused_with_these_words(void **state)
{
	(void)state;
	check_first_errors(compile, modules, ARRAY_LEN(modules));
}

static void a_caret_stands_under_what_is_meant(void **state)
{
	static const char text[] = "fn f() {\n\tlet \xc3\xa9 = 1; let x = \xc3\xa9 + qq;\n}\n";
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1, .file = "a.wgsl" };
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_source(&c, &src);
	wgsl_diags_print(&c.diags, &src, &c.text);
	assert_string_equal(buf_str(&c.text), "a.wgsl:2:25: error: unknown name 'qq'\n"
					      "   let \xc3\xa9 = 1; let x = \xc3\xa9 + qq;\n"
					      "                          ^~\n");
	assert_string_equal(c.err.text, "a.wgsl:2:25: unknown name 'qq'");
	assert_int_equal(c.err.code, ERR_INVALID);
}

/* Each kind of line break, and CR LF as one. */
static void lines_are_those_of_the_specification(void **state)
{
	static const char text[] =
	    "//a\r\n//b\r//c\v//d\f//e\xc2\x85//f\xe2\x80\xa8//g\xe2\x80\xa9//h\n"
	    "const \xc3\xa9 = qq;\r\n";
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1 };
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_source(&c, &src);
	wgsl_diags_print(&c.diags, &src, &c.text);
	assert_string_equal(buf_str(&c.text), "kernel.wgsl:9:11: error: unknown name 'qq'\n"
					      "  const \xc3\xa9 = qq;\n"
					      "            ^~\n");
}

static void overrides_with_an_id_are_named_by_it(void **state)
{
	static const char text[] = "@id(5) override size = 1u; override n = 2;\n"
				   "@compute @workgroup_size(1) fn main() {}\n";
	static const struct {
		const char *name, *says;
	} rows[] = {
		{ "5", NULL },
		{ "n", NULL },
		{ "size",
		  "1:1: kernel.constants names 'size', but there is no such override; did you "
		  "mean '5', the @id of 'size'?" },
		{ "siz",
		  "1:1: kernel.constants names 'siz', but there is no such override; did you mean "
		  "'5', the @id of 'size'?" },
		{ "6", "1:1: kernel.constants names '6', but there is no such override" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct wgsl_constant k = { .name = rows[i].name, .value = 3 };
		struct wgsl_source src = {
			.text = text, .len = sizeof(text) - 1, .constants = &k, .n_constants = 1
		};
		AUTO(compiled_done) struct compiled c;

		compile_source(&c, &src);
		if (rows[i].says == NULL)
			assert_non_null(c.m);
		else
			assert_string_equal(first_error(&c), rows[i].says);
	}
}

static void several_errors_are_reported_and_the_rest_counted(void **state)
{
	AUTO(buf_done) struct buf body = { .max = 4096 };
	AUTO(compiled_done) struct compiled c;
	struct wgsl_source src = { .text = "" };

	(void)state;
	for (int i = 0; i < 30; i++)
		buf_note(&body, "let x%d = y;\n", i);
	compile_body(&c, buf_str(&body));
	assert_int_equal(c.diags.n_errors, 30);
	assert_int_equal(c.diags.n, WGSL_MAX_ERRORS);
	wgsl_diags_print(&c.diags, &src, &c.text);
	assert_non_null(strstr(buf_str(&c.text), "kernel.wgsl: 10 more errors\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_are_refused_with_these_words),
		cmocka_unit_test(modules_are_refused_with_these_words),
		cmocka_unit_test(a_caret_stands_under_what_is_meant),
		cmocka_unit_test(lines_are_those_of_the_specification),
		cmocka_unit_test(overrides_with_an_id_are_named_by_it),
		cmocka_unit_test(several_errors_are_reported_and_the_rest_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
