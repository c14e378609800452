//! kernel comments accept in=one
// a line
/* a block /* nested */ still */
//! main
  o[0] = /* here */ 1u; // end
//! kernel unicode_names accept in=one
fn größe(π: u32) -> u32 { return π * 2u; }
//! main
  let 数 = größe(4u);
  o[0] = 数;
//! kernel blank_space accept in=one
  o [ 0 ]	=	1u	+(	2u)
  ;
//! kernel template_or_comparison accept in=one
  let x = 3u;
  let y = 4u;
  if (x < y && y > (x)) { o[0] = 1u; }
  o[1] = u32(x<y);
  o[2] = select(1u, 2u, x < 5u && y > 2u);
  o[3] = vec4<u32>(vec2<u32>(1u, 2u), 3u, 4u).y;
//! kernel shift_in_template accept in=one
  var t: array<u32, (8 >> 1)>;
  t[3] = 5u;
  o[0] = t[3] >> 1u;
//! kernel nested_template_close accept in=one
  var t: array<vec2<u32>, 2>;
  var s: array<array<vec2<u32>,2>,2>;
  o[0] = t[1].x + s[1][1].y;
//! kernel long_chain accept in=one
  o[0] = 1u+2u+3u+4u+5u+6u+7u+8u+9u+10u+11u+12u+13u+14u+15u+16u+17u+18u+19u+20u;
//! kernel trailing_commas accept in=one
struct S { a: u32, b: u32, }
fn f(a: u32, b: u32,) -> u32 { return a + b; }
//! main
  let s = S(1u, 2u,);
  o[0] = f(s.a, s.b,) + max(1u, 2u,);
//! kernel semicolons_at_module_scope accept in=one
;
const c = 1u;;
//! main
  o[0] = c;
//! kernel alias_ accept in=one
alias V = vec2<u32>;
alias P = ptr<function, V>;
fn f(p: P) { p.x = 3u; }
//! main
  var v: V;
  f(&v);
  o[0] = v.x;
//! kernel member_named_like_keyword_part accept in=one
struct S { if_: u32, loops: u32, x_1: u32 }
//! main
  let s = S(1u, 2u, 3u);
  o[0] = s.if_ + s.loops + s.x_1;
//! kernel member_named_like_type accept in=one
struct S { f32: u32, vec3: u32, xyz: u32 }
//! main
  let s = S(1u, 2u, 3u);
  o[0] = s.f32 + s.vec3 + s.xyz;
//! kernel two_entry_points accept
//! bind 0 w zero 1
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 1u; }
@compute @workgroup_size(2) fn other() { o[0] = 2u; }
//! kernel other_stages accept
//! bind 0 w zero 1
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@vertex fn v() -> @builtin(position) vec4<f32> { return vec4<f32>(0.0); }
@fragment fn f() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
@compute @workgroup_size(1) fn main() { o[0] = 1u; }
//! kernel attribute_spacing accept
//! bind 0 w zero 1
@ group ( 0 ) @ binding ( 0 , ) var < storage , read_write > o : array < u32 > ;
@ compute @ workgroup_size ( 1 , 1 , 1 , ) fn main ( ) { o [ 0 ] = 1u ; }
//! kernel attribute_expressions accept
//! bind 3 w zero 1
const g = 0;
@group(g) @binding(g + 3) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(g + 1) fn main() { o[0] = 1u; }
//! kernel unused_binding accept in=one
@group(0) @binding(7) var<storage, read_write> unused: array<u32>;
//! bind 7 w zero 4
//! main
  o[0] = 1u;
//! kernel unary_minus_forms accept in=one
  let x = 5;
  o[0] = bitcast<u32>(3 - -x) + bitcast<u32>(-(-x)) + bitcast<u32>(- x);
  o[1] = u32(!(!true)) + ~(~1u);
//! kernel no_unclosed_comment reject in=one
  o[0] = 1u; /* open
//! kernel no_unclosed_brace reject in=one
  if (true) { o[0] = 1u;
//! kernel no_extra_brace reject in=one
  o[0] = 1u; } }
//! kernel no_reserved_word reject in=one
  let struct_ = 1u;
  let class = 2u;
//! kernel no_keyword_name reject in=one
  let loop = 1u;
//! kernel no_underscore_name reject in=one
  let _ = 1u;
//! kernel no_double_underscore reject in=one
  let __x = 1u;
//! kernel underscore_prefix accept in=one
  let _x = 1u;
  o[0] = _x;
//! kernel no_unknown_name reject in=one
  o[0] = nothing;
//! kernel no_unknown_type reject in=one
  var x: Nothing;
//! kernel no_type_as_value reject in=one
  o[0] = u32;
//! kernel no_value_as_type reject in=one
const c = 1;
//! main
  var x: c;
//! kernel no_unknown_attribute reject in=one
@nothing fn f() { }
//! main
  f();
//! kernel no_duplicate_attribute reject
@compute @compute @workgroup_size(1) fn main() { }
//! kernel no_two_stages reject
@compute @vertex @workgroup_size(1) fn main() { }
//! kernel no_group_without_binding reject in=one
@group(0) var<storage> z: array<u32>;
//! main
  o[0] = z[0];
//! kernel no_resource_without_group reject in=one
var<storage> z: array<u32>;
//! main
  o[0] = z[0];
//! kernel no_binding_on_private reject in=one
@group(0) @binding(4) var<private> z: u32;
//! main
  o[0] = z;
//! kernel no_duplicate_binding reject in=one
@group(0) @binding(1) var<storage> z: array<u32>;
//! main
  o[0] = z[0];
//! kernel no_negative_binding reject in=one
@group(0) @binding(-1) var<storage> z: array<u32>;
//! main
  o[0] = z[0];
//! kernel no_storage_initialiser reject in=one
@group(0) @binding(5) var<storage> z: u32 = 1u;
//! main
  o[0] = z;
//! kernel no_uniform_write_access reject in=one
@group(0) @binding(5) var<uniform, read_write> z: vec4<u32>;
//! main
  o[0] = z.x;
//! kernel no_write_only_storage reject in=one
@group(0) @binding(5) var<storage, write> z: array<u32>;
//! main
  z[0] = 1u;
//! kernel no_write_to_uniform reject in=one
  u.p.x = 1u;
//! kernel no_private_without_type reject in=one
var<private> z;
//! main
  o[0] = 1u;
//! kernel no_module_var_without_space reject in=one
var z: u32;
//! main
  o[0] = z;
//! kernel no_unknown_space reject in=one
var<device> z: u32;
//! main
  o[0] = z;
//! kernel no_duplicate_module_name reject in=one
const z = 1u;
var<private> z: u32;
//! main
  o[0] = 1u;
//! kernel no_parameter_without_builtin reject
@compute @workgroup_size(1) fn main(x: u32) { }
//! kernel no_wrong_builtin_type reject
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) x: vec2<u32>) { }
//! kernel no_signed_builtin reject
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) x: i32) { }
//! kernel no_unknown_builtin reject
@compute @workgroup_size(1) fn main(@builtin(thread_id) x: u32) { }
//! kernel no_vertex_builtin reject
@compute @workgroup_size(1) fn main(@builtin(vertex_index) x: u32) { }
//! kernel no_duplicate_builtin reject
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) x: u32, @builtin(local_invocation_index) y: u32) { }
//! kernel no_location_in_compute reject
@compute @workgroup_size(1) fn main(@location(0) x: u32) { }
//! kernel no_compute_result reject
@compute @workgroup_size(1) fn main() -> @location(0) u32 { return 1u; }
//! kernel no_workgroup_size_alone reject in=one
@workgroup_size(1) fn f() { }
//! main
  f();
//! kernel no_entry_point reject
fn main() { }
//! kernel no_not_a_token reject in=one
  o[0] = 1u # 2u;
//! kernel no_string reject in=one
  let s = "text";
//! kernel no_character reject in=one
  let c = 'a';
//! kernel no_preprocessor reject in=one
#define X 1
//! main
  o[0] = 1u;
//! kernel no_type_parameter reject in=one
  var x: vec3<>;
//! kernel no_extra_type_parameter reject in=one
  var x: vec3<u32, 2>;
//! kernel no_template_on_scalar reject in=one
  var x: u32<1>;
//! kernel no_missing_operand reject in=one
  o[0] = 1u + ;
//! kernel no_missing_parenthesis reject in=one
  o[0] = (1u + 2u;
//! kernel no_extra_parenthesis reject in=one
  o[0] = 1u + 2u);
//! kernel no_arrow_member reject in=one
  o[0] = u->p.x;
//! kernel no_cast reject in=one
  o[0] = (u32)1.0;
//! kernel no_assign_chain reject in=one
  var a1 = 1u;
  var b1 = 2u;
  a1 = b1 = 3u;
//! kernel no_literal_target reject in=one
  1u = 2u;
//! kernel no_pointer_declarator reject in=one
  var *p: u32;
//! kernel no_alias_cycle reject in=one
alias A = B;
alias B = A;
//! main
  o[0] = 1u;
//! kernel no_texture_load_missing reject in=one
  let v = textureLoad(1u);
//! kernel no_derivative_in_compute reject in=onef
  o[0] = dpdx(a[0]);
//! kernel other_entry_points accept
//! bind 0 w zero 1
override k: u32;
@compute @workgroup_size(k, 2) fn first() { }
@compute @workgroup_size(1, 1, 1u) fn second() { }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 7u; }
//! kernel no_size_zero_of_other_entry reject
@compute @workgroup_size(0) fn first() { }
@compute @workgroup_size(1) fn main() { }
//! kernel no_size_unknown_of_other_entry reject
@compute @workgroup_size(unknown) fn first() { }
@compute @workgroup_size(1) fn main() { }
//! kernel no_size_float_of_other_entry reject
@compute @workgroup_size(1.0) fn first() { }
@compute @workgroup_size(1) fn main() { }
//! kernel no_size_float_override_of_other_entry reject
override k: f32;
@compute @workgroup_size(k) fn first() { }
@compute @workgroup_size(1) fn main() { }
//! kernel no_sizes_mixed_of_other_entry reject
@compute @workgroup_size(1i, 1u) fn first() { }
@compute @workgroup_size(1) fn main() { }
//! kernel no_size_of_variable_of_other_entry reject
var<private> v: u32;
@compute @workgroup_size(v) fn first() { }
@compute @workgroup_size(1) fn main() { }
