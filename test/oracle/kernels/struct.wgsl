//! prelude words
//! bind 0 r iota 64
//! bind 1 w zero 32
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
//! here
}
//! kernel offsets accept in=words
struct S { a: u32, b: vec2<u32>, c: u32, d: vec3<u32>, e: u32, f: vec4<u32>, g: vec3<u32>, h: vec2<u32> }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = s.a;
  o[1] = s.b.x;
  o[2] = s.c;
  o[3] = s.d.x;
  o[4] = s.e;
  o[5] = s.f.x;
  o[6] = s.g.x;
  o[7] = s.h.y;
//! kernel nested accept in=words
struct I { x: u32, y: vec3<u32> }
struct S { a: u32, i: I, b: u32, j: array<I, 2> }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = s.i.x;
  o[1] = s.i.y.x;
  o[2] = s.b;
  o[3] = s.j[0].y.z;
  o[4] = s.j[1].x;
//! kernel size_align accept in=words
struct S { @size(16) a: u32, @align(32) b: u32, @size(20) @align(8) c: vec2<u32>, d: u32 }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = s.a;
  o[1] = s.b;
  o[2] = s.c.x;
  o[3] = s.d;
//! kernel array_stride accept in=words
struct E { a: u32, b: vec2<u32> }
struct S { n: u32, list: array<E> }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = arrayLength(&s.list);
  o[1] = s.list[0].a;
  o[2] = s.list[1].b.y;
  o[3] = s.list[o[0] - 1u].a;
//! kernel array_of_vec3 accept in=words
@group(0) @binding(0) var<storage> s: array<vec3<u32>>;
//! main
  o[0] = arrayLength(&s);
  o[1] = s[1].x;
  o[2] = s[2].z;
  o[3] = s[15].y;
//! kernel matrix_member accept in=words
struct S { a: u32, m: mat2x3<f32>, b: u32 }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = bitcast<u32>(s.m[0].x);
  o[1] = bitcast<u32>(s.m[1].z);
  o[2] = s.b;
//! kernel whole_copy accept in=words
struct S { a: u32, b: vec3<u32>, c: array<u32, 3> }
@group(0) @binding(0) var<storage> s: S;
//! main
  var t = s;
  t.c[1] = 99u;
  let v = t;
  t.a = 5u;
  o[0] = t.a + v.a;
  o[1] = v.b.z;
  o[2] = v.c[1];
  o[3] = t.c[2];
//! kernel copy_to_buffer accept in=words
struct S { a: u32, b: vec3<u32> }
@group(0) @binding(0) var<storage> s: array<S>;
@group(0) @binding(2) var<storage, read_write> t: array<S>;
//! bind 2 w zero 16
//! main
  t[1] = s[2];
  t[0].b = s[1].b + 1u;
  o[0] = t[1].b.y;
//! kernel padding_kept accept in=words
struct S { a: u32, b: vec3<u32> }
@group(0) @binding(2) var<storage, read_write> t: array<S>;
//! bind 2 w =1,2,3,4,5,6,7,8
//! main
  o[0] = t[0].a;
  t[0].a = 10u;
  t[0].b.x = 20u;
//! kernel by_value accept in=words
struct S { a: u32, b: array<u32, 2> }
fn f(s: S) -> S {
  var t = s;
  t.a += 1u;
  t.b[1] = t.a * 2u;
  return t;
}
//! main
  let s = S(3u, array(4u, 5u));
  let t = f(f(s));
  o[0] = s.a;
  o[1] = t.a;
  o[2] = t.b[0];
  o[3] = t.b[1];
//! kernel zero_value accept in=words
struct S { a: u32, b: vec2<f32>, c: bool, d: array<i32, 2> }
//! main
  var s = S();
  s.d[1] += 4;
  o[0] = s.a + u32(s.b.y) + u32(s.c) + u32(s.d[1]) + u32(s.d[0]);
//! kernel const_struct accept in=words
struct S { a: i32, b: vec2<u32> }
const s = S(-4, vec2(7, 8));
const t = array(s, S(1, vec2(2u, 3u)));
//! main
  o[0] = bitcast<u32>(s.a);
  o[1] = s.b.y + t[1].b.x;
  var k = 1;
  o[2] = t[k].b.y;
//! kernel bool_member accept in=words
struct S { p: bool, q: vec2<bool> }
//! main
  var s: S;
  s.q.y = true;
  s.p = any(s.q);
  o[0] = u32(s.p) + u32(s.q.x);
//! kernel member_order accept in=words
struct A { x: u32, }
struct B { a: A, y: u32 }
alias C = B;
//! main
  let c = C(A(1), 2);
  o[0] = c.a.x + c.y * 10;
//! kernel uniform_layout accept
//! bind 0 u iota 32
//! bind 1 w zero 8
struct I { @align(16) x: u32, y: vec3<u32> }
struct S { a: vec3<u32>, b: u32, c: array<vec4<u32>, 2>, d: I, e: vec2<u32> }
@group(0) @binding(0) var<uniform> s: S;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
  o[0] = s.b;
  o[1] = s.c[1].z;
  o[2] = s.d.x;
  o[3] = s.d.y.y;
  o[4] = s.e.x;
}
//! kernel two_groups accept
//! bind 0.0 r =5,6,7,8
//! bind 1.0 w zero 4
//! bind 1.3 u =100,0,0,0
@group(0) @binding(0) var<storage> a: array<u32, 4>;
@group(1) @binding(3) var<uniform> k: u32;
@group(1) @binding(0) var<storage, read_write> o: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_id) id: vec3<u32>) { o[id.x] = a[id.x] + k; }
//! kernel no_recursive_struct reject in=words
struct S { a: u32, s: array<S, 2> }
//! main
  var s: S;
//! kernel no_duplicate_member reject in=words
struct S { a: u32, a: u32 }
//! main
  o[0] = 1u;
//! kernel no_empty_struct reject in=words
struct S { }
//! main
  o[0] = 1u;
//! kernel no_runtime_array_in_middle reject in=words
struct S { a: array<u32>, b: u32 }
//! main
  o[0] = 1u;
//! kernel no_unknown_member reject in=words
struct S { a: u32 }
//! main
  var s: S;
  o[0] = s.b;
//! kernel no_wrong_member_count reject in=words
struct S { a: u32, b: u32 }
//! main
  let s = S(1u);
//! kernel no_wrong_member_type reject in=words
struct S { a: u32, b: f32 }
//! main
  let s = S(1u, 2u);
//! kernel no_align_not_power reject in=words
struct S { @align(12) a: u32 }
//! main
  o[0] = 1u;
//! kernel no_align_too_small reject in=words
struct S { @align(4) a: vec4<u32> }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = s.a.x;
//! kernel no_size_too_small reject in=words
struct S { @size(8) a: vec4<u32> }
//! main
  o[0] = 1u;
//! kernel no_bool_in_buffer reject in=words
struct S { a: bool }
@group(0) @binding(0) var<storage> s: S;
//! main
  o[0] = u32(s.a);
//! kernel uniform_array_stride accept in=words
struct S { a: array<u32, 4> }
@group(0) @binding(3) var<uniform> s: S;
//! bind 3 u iota 4
//! main
  o[0] = s.a[2];
//! kernel uniform_struct_offset accept in=words
struct I { x: u32 }
struct S { a: u32, i: I }
@group(0) @binding(3) var<uniform> s: S;
//! bind 3 u iota 8
//! main
  o[0] = s.i.x;
//! kernel no_runtime_array_in_uniform reject in=words
@group(0) @binding(3) var<uniform> s: array<vec4<u32>>;
//! main
  o[0] = s[0].x;
//! kernel no_atomic_in_function reject in=words
  var x: atomic<u32>;
//! kernel no_struct_with_atomic_value reject in=words
struct S { a: atomic<u32> }
@group(0) @binding(2) var<storage, read_write> s: S;
//! bind 2 w zero 4
//! main
  let t = s;
//! kernel no_comparison_of_structs reject in=words
struct S { a: u32 }
//! main
  o[0] = u32(S(1u) == S(1u));
//! kernel no_struct_keyword_name reject in=words
struct loop { a: u32 }
//! main
  o[0] = 1u;
//! kernel no_semicolon_members reject in=words
struct S { a: u32; b: u32; }
//! main
  o[0] = 1u;
//! kernel uniform_dense accept in=words
struct I { x: u32, y: array<vec2<u32>, 3> }
struct S { a: u32, i: I, b: array<u32, 5>, c: I, d: u32, e: array<I, 2> }
@group(0) @binding(3) var<uniform> s: S;
//! bind 3 u iota 42
//! main
  let c = s.c;
  o[0] = s.i.y[2].x;
  o[1] = s.b[3] + c.y[1].y * 7u;
  o[2] = s.d + s.e[1].y[2].y;
  o[3] = s.e[o[3] & 1u].x;
