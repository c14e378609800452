//! kernel parameter accept in=one
fn bump(p: ptr<function, u32>, n: u32) { *p += n; }
//! main
  var v = 5u;
  bump(&v, 2u);
  bump(&v, v);
  o[0] = v;
//! kernel private_parameter accept in=one
var<private> g: u32 = 4u;
fn twice(p: ptr<private, u32>) -> u32 { *p = *p * 2u; return *p; }
//! main
  o[0] = twice(&g) + twice(&g);
  o[1] = g;
//! kernel let_pointer accept in=one
  var v = 1u;
  let p = &v;
  *p = 6u;
  o[0] = v + *p;
//! kernel to_element accept in=one
  var t = array(1u, 2u, 3u);
  let p = &t[u.p.y];
  *p = 20u;
  (*p)++;
  o[0] = t[1];
//! kernel index_fixed_when_made accept in=one
  var t = array(1u, 2u, 3u);
  var i = 1u;
  let p = &t[i];
  i = 2u;
  *p = 50u;
  o[0] = t[1];
  o[1] = t[2];
//! kernel to_member accept in=one
struct S { a: u32, b: vec3<u32> }
fn assign(p: ptr<function, vec3<u32>>) { (*p).y = 8u; p.z = 9u; }
//! main
  var s: S;
  assign(&s.b);
  let q = &s;
  q.a = 3u;
  o[0] = s.a + (*q).b.y * 10u + q.b.z * 100u;
//! kernel to_array_parameter accept in=one
fn fill(p: ptr<function, array<u32, 4>>, n: u32) { for (var i = 0; i < 4; i++) { p[i] = n + u32(i); } }
//! main
  var t: array<u32, 4>;
  fill(&t, u.p.x);
  o[0] = t[3];
//! kernel storage_parameter accept in=one
fn add(p: ptr<storage, array<u32>, read_write>, i: u32) { (*p)[i] += 5u; }
fn element(p: ptr<storage, array<u32>>, i: u32) -> u32 { return p[i]; }
//! main
  add(&o, 2u);
  add(&o, 2u);
  o[3] = element(&a, 7u);
//! kernel workgroup_parameter accept in=grid
var<workgroup> w: array<u32, 32>;
fn put(p: ptr<workgroup, array<u32, 32>>, i: u32, v: u32) { (*p)[i] = v; }
//! main
  put(&w, lane, a[i]);
  workgroupBarrier();
  o[i] = w[31u - lane];
//! kernel uniform_parameter accept in=one
fn first(p: ptr<uniform, U>) -> u32 { return (*p).p.x + p.q.y; }
//! main
  o[0] = first(&u);
//! kernel element_pointer_argument accept in=one
fn bump(p: ptr<function, u32>) { *p += 1u; }
//! main
  var t = array(10u, 20u);
  bump(&t[u.p.y]);
  bump(&t[0]);
  o[0] = t[0];
  o[1] = t[1];
//! kernel storage_element_argument accept in=one
fn bump(p: ptr<storage, u32, read_write>) { *p += 1u; }
//! main
  bump(&o[u.p.x]);
  bump(&o[3]);
//! kernel pass_through accept in=one
fn inner(p: ptr<function, u32>) { *p *= 3u; }
fn outer(p: ptr<function, u32>) { inner(p); *p += 1u; inner(p); }
//! main
  var v = 2u;
  outer(&v);
  o[0] = v;
//! kernel reads_may_alias accept in=one
fn sum(p: ptr<function, u32>, q: ptr<function, u32>) -> u32 { return *p + *q; }
//! main
  var v = 21u;
  o[0] = sum(&v, &v);
//! kernel distinct_may_write accept in=one
fn swap(p: ptr<function, u32>, q: ptr<function, u32>) { let t = *p; *p = *q; *q = t; }
//! main
  var v = 1u;
  var w = 2u;
  swap(&v, &w);
  o[0] = v * 10u + w;
//! kernel address_of_deref accept in=one
  var v = 3u;
  let p = &v;
  let q = &*p;
  *q = 4u;
  o[0] = v;
//! kernel vector_by_pointer accept in=one
fn f(p: ptr<function, vec4<u32>>) -> u32 { (*p)[1] = 5u; return p.x + (*p).yzw.x; }
//! main
  var v = vec4(1u);
  o[0] = f(&v);
  o[1] = v.y;
//! kernel no_aliasing_write reject in=one
fn f(p: ptr<function, u32>, q: ptr<function, u32>) { *p = *q + 1u; }
//! main
  var v = 1u;
  f(&v, &v);
  o[0] = v;
//! kernel no_aliasing_with_module_variable reject in=one
var<private> g: u32;
fn f(p: ptr<private, u32>) { *p = g + 1u; g = 4u; }
//! main
  f(&g);
//! kernel no_aliasing_through_call reject in=one
var<private> g: u32;
fn inner() -> u32 { return g; }
fn f(p: ptr<private, u32>) { *p = inner(); }
//! main
  f(&g);
//! kernel no_pointer_in_var reject in=one
  var v = 1u;
  var p = &v;
//! kernel no_pointer_return reject in=one
fn f(p: ptr<function, u32>) -> ptr<function, u32> { return p; }
//! main
  o[0] = 1u;
//! kernel no_address_of_let reject in=one
  let v = 1u;
  let p = &v;
//! kernel no_address_of_component reject in=one
  var v = vec2(1u, 2u);
  let p = &v.x;
//! kernel no_deref_of_value reject in=one
  var v = 1u;
  o[0] = *v;
//! kernel no_write_through_read reject in=one
  let p = &a[1];
  *p = 4u;
//! kernel no_wrong_store_type reject in=one
fn f(p: ptr<function, i32>) { *p = 1; }
//! main
  var v = 1u;
  f(&v);
//! kernel no_wrong_space reject in=one
var<private> g: u32;
fn f(p: ptr<function, u32>) { *p = 1u; }
//! main
  f(&g);
//! kernel no_pointer_in_struct reject in=one
struct S { p: ptr<function, u32> }
//! main
  o[0] = 1u;
//! kernel no_value_for_pointer reject in=one
fn f(p: ptr<function, u32>) { *p = 1u; }
//! main
  var v = 1u;
  f(v);
//! kernel no_pointer_to_pointer reject in=one
fn f(p: ptr<function, ptr<function, u32>>) { }
//! main
  o[0] = 1u;
//! kernel no_pointer_arithmetic reject in=one
  var v = 1u;
  let p = &v + 1;
//! kernel no_access_on_function_pointer reject in=one
fn f(p: ptr<function, u32, read_write>) { *p = 1u; }
//! main
  o[0] = 1u;
