//! kernel order_of_operands accept in=grid
var<private> x: u32 = 1u;
fn f(k: u32) -> u32 { x = x * 3u + k; return x; }
//! main
  x = i;
  o[i] = x + f(1u) * 10u + x * f(2u) + (x + f(f(x) & 3u));
//! kernel order_of_compound accept in=grid
var<private> x: u32 = 1u;
fn f(k: u32) -> u32 { x = x * 3u + k; return x; }
//! main
  x = i;
  x += f(1u);
  x *= f(x) + x;
  var t = array<u32, 4>(1u, 2u, 3u, 4u);
  t[f(1u) & 3u] += f(2u);
  t[x & 3u] -= t[f(3u) & 3u] + x;
  o[i] = t[0] + t[1] * 3u + t[2] * 5u + t[3] * 7u + x * 11u;
//! kernel order_of_compound_components accept in=grid
var<private> v: vec4<u32>;
fn f(k: u32) -> u32 { v = v.yzwx * 3u + k; return v.x & 3u; }
//! main
  v = vec4(i, lane, 7u, 9u);
  v.x += f(1u);
  v[f(2u)] += f(v.y);
  v[v.x & 3u] = f(v.z) + v[1];
  v.y = v.x + f(1u) + v.y;
  o[i] = v.x + v.y * 3u + v.z * 5u + v.w * 7u;
//! kernel swizzles_of_themselves accept in=grid
//! main
  var v = vec4(i, lane + 1u, 7u, 9u);
  v.xy = v.yx;
  v.zwx = v.xyz;
  v.wz += v.zw;
  v.xyzw = v.wzyx + v;
  let p = &v;
  (*p).yx = (*p).xy * 2u;
  p.zx = p.xw;
  o[i] = v.x + v.y * 3u + v.z * 5u + v.w * 7u;
//! kernel swizzles_and_calls accept in=grid
var<private> v: vec3<u32>;
fn f() -> vec2<u32> { v = v.zxy + 1u; return v.xz; }
//! main
  v = vec3(i, lane, 7u);
  v.yx = f();
  v.zy += f();
  v.xz *= v.zx + f();
  o[i] = v.x + v.y * 3u + v.z * 5u;
//! kernel indices_with_effects accept in=grid
var<private> n: u32 = 0u;
fn next() -> u32 { n++; return n; }
//! main
  var t: array<array<u32, 4>, 4>;
  t[next() & 3u][next() & 3u] = next();
  t[next() & 3u][next() & 3u]++;
  t[next() & 3u][next() & 3u] += next() * n;
  let p = &t[next() & 3u];
  (*p)[next() & 3u] = n + i;
  p[1] = n;
  var s = 0u;
  for (var k = 0u; k < 16u; k++) { s = s * 7u + t[k / 4u][k % 4u]; }
  o[i] = s + n;
//! kernel components_of_what_changes accept in=grid
var<private> v: vec4<u32>;
fn f() -> u32 { v = v.wxyz; return v.x & 3u; }
//! main
  v = vec4(i, 5u, 2u, 3u);
  let w = v;
  o[i] = v[f()] + (v + 1u)[f()] * 3u + w[f()] * 5u + vec4(v)[f()] * 7u + v.x + w.zyxw[f()] + v.wzyx[f()];
//! kernel elements_of_what_changes accept in=grid
var<private> v: array<u32, 4>;
fn f() -> u32 { v[0] += 1u; v = array(v[3], v[0], v[1], v[2]); return v[0] & 3u; }
fn gett() -> array<u32, 4> { return v; }
//! main
  v = array(i, 5u, 2u, 3u);
  let w = v;
  o[i] = v[f()] + gett()[f()] * 3u + w[f()] * 5u + array(v[0], v[1], f(), v[3])[f()] * 7u;
//! kernel arguments_that_change accept in=grid
var<private> g: u32 = 0u;
fn inc() -> u32 { g += 1u; return g; }
fn three(a: u32, b: u32, c: u32) -> u32 { return a * 100u + b * 10u + c; }
fn viaptr(p: ptr<function, u32>, v: u32) -> u32 { *p += v; return *p; }
//! main
  g = i;
  var l = lane;
  let r = three(g, inc(), g) + three(inc(), g, inc());
  let s = three(l, viaptr(&l, 3u), l) + viaptr(&l, l) * l;
  let v = vec3(l, viaptr(&l, 1u), l);
  let arr = array(l, viaptr(&l, 2u), l);
  o[i] = r + s * 7u + v.x + v.y * 2u + v.z * 3u + arr[0] * 5u + arr[1] * 11u + arr[2] * 13u;
//! kernel matrices_that_change accept in=grid
var<private> m: mat2x2<f32>;
fn f() -> vec2<f32> { m[0].x += 1.0; m = mat2x2(m[1], m[0]); return m[0]; }
fn g() -> mat2x2<f32> { m[1] += vec2(1.0, 2.0); return m; }
//! main
  m = mat2x2(f32(lane), 1.0, 2.0, 3.0);
  let a1 = m * f();
  let a2 = f() * m;
  m += g();
  m *= g();
  m[1] *= m[0].x + f().y;
  let a3 = transpose(m) * g() * f();
  m = m * m;
  m[0] = m[1] + m * m[0];
  o[i] = bitcast<u32>(a1.x + a1.y + a2.x * 2.0 + a2.y + a3.x + a3.y) ^ (bitcast<u32>(m[0].x) * 3u) ^ (bitcast<u32>(m[1].y) * 5u) ^ bitcast<u32>(m[0].y) ^ bitcast<u32>(m[1].x);
//! kernel conditions_with_effects accept in=grid
var<private> n: u32 = 0u;
fn t() -> bool { n = n * 2u + 1u; return true; }
fn f() -> bool { n = n * 3u + 2u; return false; }
//! main
  let a0 = (lane & 1u) == 0u;
  let b = (a0 && t()) || f();
  let c = (t() & f()) | t();
  let d = (f() || a0) && (t() || f());
  let e = select(1u, 2u, (lane > 3u) && t());
  var k = 0u;
  while (k < 5u && t()) { k++; if (f() || k > (lane & 3u)) { break; } }
  o[i] = n * 8u + u32(b) + u32(c) * 2u + u32(d) * 4u + e;
//! kernel let_is_a_copy accept in=grid
struct S { a: u32, b: array<u32, 3> }
var<private> g: S;
fn f(s: S) -> S { g.a += 5u; g.b[1] += s.a; var t = s; t.b[2] = g.a; return t; }
//! main
  g = S(i, array(1u, 2u, 3u));
  let l = g;
  let m = f(g);
  let n = f(l);
  g = f(f(g));
  g.b = array(g.b[2], g.b[0], g.b[1]);
  var arr = array(g, l, m, n);
  arr[1] = arr[(lane & 1u) * 2u];
  arr[0] = S(arr[0].b[1], arr[0].b);
  let ar = arr;
  arr[2].b[lane % 3u] = 77u;
  var q = 0u;
  for (var k = 0u; k < 4u; k++) { q = q * 5u + arr[k].a + arr[k].b[0] * 3u + arr[k].b[1] * 5u + arr[k].b[2] * 7u + ar[k].b[lane % 3u]; }
  o[i] = q + m.a + n.b[2];
//! kernel parts_of_themselves accept in=grid
struct T { x: array<u32, 2>, y: array<u32, 2> }
//! main
  var a2 = array<array<u32, 2>, 3>(array(i, 1u), array(2u, lane), array(3u, 4u));
  a2[lane % 3u] = a2[(lane + 1u) % 3u];
  a2 = array(a2[2], a2[0], a2[1]);
  var t = T(a2[0], a2[1]);
  t = T(t.y, t.x);
  let p = &t.x;
  t.y = *p;
  *p = array(t.x[1], t.x[0]);
  o[i] = t.x[0] + t.x[1] * 3u + t.y[0] * 5u + t.y[1] * 7u + a2[2][lane & 1u] * 11u;
//! kernel pointers_to_parts accept in=grid
struct P { a: vec3<u32>, b: array<vec2<u32>, 3>, m: mat2x2<f32> }
fn set_(p: ptr<function, u32>, q: ptr<function, u32>) { *p = *q + 1u; *q = *p * 2u; }
fn col(p: ptr<function, vec2<f32>>, k: f32) { (*p).y = (*p).x + k; p.x = k; }
//! main
  var s: P;
  s.a = vec3(i, lane, 3u);
  var k = lane % 3u;
  let p = &s.b[k];
  k = (k + 1u) % 3u;
  (*p).x = i;
  s.b[k] = (*p).xx + 1u;
  col(&s.m[k & 1u], f32(lane));
  col(&s.m[1], 3.0);
  var arr = array<u32, 4>(i, 2u, 3u, 4u);
  var arr2 = arr;
  set_(&arr[k], &arr2[k]);
  var q = 0u;
  for (var z = 0u; z < 3u; z++) { q = q * 5u + s.b[z].x * 3u + s.b[z].y; }
  o[i] = q + u32(s.m[0].x + s.m[0].y * 2.0 + s.m[1].x * 4.0 + s.m[1].y * 8.0) + arr[k] * 17u + arr2[k] * 19u;
//! kernel continuing_uses_the_body accept in=grid
//! main
  var s = 0u;
  var k = 0u;
  loop {
    let twice = k * 2u;
    var m = twice + lane;
    if ((k & 1u) == (lane & 1u)) { m += 5u; continue; }
    if (k > lane + 20u) { break; }
    s += 1u;
    continuing {
      s += m;
      let z = m + 1u;
      k += 1u;
      break if z > 60u + (i & 7u);
    }
  }
  o[i] = s * 1000u + k;
//! kernel break_if_of_the_body accept in=grid
//! main
  var s = 0u;
  var k = i & 7u;
  loop {
    var done = k > 10u;
    k++;
    if (k == 4u) { continue; }
    s += k;
    continuing { done = done || s > 30u; s++; break if done; }
  }
  o[i] = s * 100u + k;
//! kernel switch_and_continue accept in=grid
//! main
  var s = 0u;
  for (var k = 0u; k < 20u; k++) {
    switch ((k + lane) % 7u) {
      case 0u: { continue; }
      case 1u, 2u: { s += 1u; if (k > 10u) { break; } s += 10u; continue; }
      case 3u: { if (s > 200u + lane) { break; } s += 3u; }
      default: { s += 100u; switch (k & 3u) { case 1u: { continue; } case 2u: { break; } default: { s += 7u; } } s += 2u; }
      case 5u: { loop { s++; if ((s & 3u) == 0u) { break; } continuing { break if s > 5000u; } } }
    }
    s += 1000u;
  }
  o[i] = s;
//! kernel returns_from_nests accept in=grid
fn f(a: u32, b: u32) -> u32 {
  var s = a;
  for (var k = 0u; k < b; k++) {
    for (var j = 0u; j < 5u; j++) {
      s = s * 3u + j;
      if (s % 7u == 3u) { return s; }
      if (s % 11u == 3u) { break; }
      switch (s & 3u) { case 0u: { if (j == 2u) { return k; } } case 1u: { continue; } default: { s++; } }
      s++;
    }
    if (s > 100000u) { return s + 1u; }
  }
  return s;
}
//! main
  o[i] = f(i, lane) + f(lane, i & 7u) * 3u;
//! kernel uniform_loads_of_parts accept in=grid
struct S { a: u32, b: array<u32, 3>, v: vec3<u32> }
var<workgroup> s: S;
//! main
  if (lane == 5u) { s = S(7u, array(1u, 2u, 3u), vec3(4u, 5u, 6u)); }
  var r = workgroupUniformLoad(&s);
  let k = r.a & 1u;
  r.b[lane % 3u] += lane;
  let p = workgroupUniformLoad(&s.b[k]);
  var q = 0u;
  if (p == 2u) { q = workgroupUniformLoad(&s.v).z; if (lane == 3u) { s.a = 99u; } workgroupBarrier(); q += s.a; }
  o[i] = q + r.b[0] * 3u + r.b[1] * 5u + r.b[2] * 7u;
//! kernel uniform_loads_in_conditions accept in=grid
var<workgroup> n: u32;
//! main
  if (lane == 1u) { n = u.p.x; }
  var r = 0u;
  if (u.p.x == 3u && workgroupUniformLoad(&n) == 3u) { r += 1u; workgroupBarrier(); }
  if (u.p.x == 4u && workgroupUniformLoad(&n) == 3u) { r += 2u; }
  if (u.p.x == 4u || workgroupUniformLoad(&n) == 3u) { r += 4u; }
  o[i] = r;
//! kernel indices_of_all_kinds accept in=grid
struct S { n: u32, t: array<vec3<u32>, 3>, m: mat3x2<f32> }
var<private> p: S;
var<workgroup> w: array<array<u32, 3>, 5>;
//! main
  let big = a[i];
  let neg = i32(a[i]) | -2147483647;
  p.t[big] = vec3(i, 2u, 3u);
  p.t[neg][neg] += 9u;
  p.m[big][neg] = 4.0;
  p.m[neg] *= 2.0;
  w[big][neg] = 5u;
  workgroupBarrier();
  var v = vec3(1u, 2u, 3u);
  v[big] = 7u;
  v[neg] += 1u;
  let q = v;
  var loc = array<i32, 4>(1, 2, 3, 4);
  loc[neg] = -5;
  o[i] = p.t[2].x + p.t[2].z * 3u + u32(p.m[2].y) * 5u + w[4][2] * 7u + v.z + q[big] + u32(loc[big] + 100) + array(1u, 2u, 8u)[big] + vec2(3u, 4u)[neg] + u.p[big] + a[max(big, 64u)];
//! kernel integers_at_their_edges accept in=grid
//! main
  var m = i32(0x80000000u + (i & 1u));
  var z = i32(i >> 31u);
  let um = 0xffffffffu - (i >> 31u);
  var r = u32(m / (z - 1)) + u32(m % (z - 1)) * 3u + u32(m / z) * 5u + u32(m % z) * 7u + u32(7 % (z - 3)) * 11u + u32((z - 7) % 3) * 13u + u32((z - 7) / 2) * 17u;
  m /= z - 1; r += u32(m); m %= z; r += u32(m) * 3u;
  r += (um / (i >> 31u)) + (um % (i >> 31u)) * 3u + (1u << (32u + lane)) + (um >> (33u + lane)) + u32((z - 8) >> (35u + lane)) + u32(abs(i32(0x80000000u | (i >> 31u)))) + u32(-i32(0x80000000u | (i >> 31u)));
  o[i] = r;
//! kernel holes_of_fixed_arrays accept
//! bind 0 r iota 64
//! bind 1 w word 64
struct A { x: vec3<u32>, @size(32) y: u32 }
struct C { t: array<A, 1>, q: array<vec3<u32>, 2>, m: mat3x3<f32>, @align(32) e: u32 }
@group(0) @binding(0) var<storage> s: C;
@group(0) @binding(1) var<storage, read_write> o: C;
@compute @workgroup_size(1) fn main() {
  o = s;
  o.q[1] = o.q[0];
  o.m = transpose(o.m);
}
//! kernel holes_of_large_arrays accept
//! bind 0 r iota 2048
//! bind 1 w word 2048
struct A { x: vec3<u32>, @size(20) y: vec2<u32> }
@group(0) @binding(0) var<storage> s: array<A, 40>;
@group(0) @binding(1) var<storage, read_write> o: array<A, 40>;
var<private> p: array<A, 40>;
@compute @workgroup_size(1) fn main() {
  p = s;
  p[3] = p[4];
  var q = p;
  q[0].x.y = 5u;
  o = q;
  o[39] = o[38];
}
//! kernel runtime_arrays_of_structs accept groups=2
//! bind 0 r iota 100
//! bind 1 w zero 67
struct H { n: u32, @size(20) m: vec3<u32>, t: array<E> }
struct E { a: u32, @align(16) b: vec2<u32> }
@group(0) @binding(0) var<storage> s: H;
struct O { @size(12) c: array<atomic<u32>, 2>, x: atomic<i32>, t: array<F> }
struct F { a: atomic<u32>, @size(8) b: u32 }
@group(0) @binding(1) var<storage, read_write> o: O;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = arrayLength(&s.t);
  let k = arrayLength(&o.t);
  atomicAdd(&o.c[id.x & 1u], n * 1000u + k);
  atomicMin(&o.x, -i32(id.x));
  atomicAdd(&o.t[id.x % 3u].a, s.t[id.x].b.y);
  atomicMax(&o.t[id.x + 5u].a, s.t[id.x + 100u].a);
  o.t[id.x].b = s.t[id.x].a;
}
//! kernel atomics_in_parts accept in=grid
struct Q { a: array<atomic<i32>, 3>, d: atomic<i32>, b: atomic<u32>, c: array<array<atomic<u32>, 2>, 2> }
var<workgroup> q: array<Q, 2>;
//! main
  let k = lane & 1u;
  atomicMax(&q[k].a[lane % 3u], i32(lane) - 20);
  atomicMin(&q[k].d, -i32(lane));
  atomicXor(&q[1u - k].b, 1u << lane);
  atomicOr(&q[k].c[k][(lane >> 1u) & 1u], a[i]);
  atomicAnd(&q[k].c[1u - k][0], 0u);
  workgroupBarrier();
  let r = atomicCompareExchangeWeak(&q[0].c[1][0], 0u, 5u);
  var s = u32(atomicLoad(&q[k].a[lane % 3u])) + u32(atomicLoad(&q[k].d)) * 5u + atomicLoad(&q[k].b) * 3u + atomicLoad(&q[k].c[k][1]);
  workgroupBarrier();
  if (lane == 4u) { let e = atomicExchange(&q[0].b, 7u); s += e; let z = atomicSub(&q[0].b, 9u); s += z; s += atomicLoad(&q[0].b); }
  o[i] = s + atomicLoad(&q[0].c[1][0]);
//! kernel groups_of_three accept groups=5,3,2
//! bind 0 w zero 100
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(3) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u) {
  var s = 0u;
  var t: array<u32, 4>;
  t[w.x & 3u] = 5u;
  t[w.y] += w.x;
  for (var k = 0u; k < w.x + w.y; k++) { s += t[k & 3u]; if (w.x == 2u) { break; } }
  switch (w.x) { case 1u: { s += 7u; } case 3u: { s += 11u; } default: { s *= 3u; } }
  o[id.x + id.y * n.x * 3u + id.z * n.x * n.y * 3u] = w.x * 100u + w.y * 10u + w.z + s * 1000u + l * 100000u;
}
//! kernel groups_of_planes accept groups=3,3,3
//! bind 0 w zero 300
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(2, 1, 3) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u) {
  var t = array<u32, 5>(1u, 2u, 3u, 4u, 5u);
  t[id.y] = 9u + id.z;
  var s = t[l.z] + t[l.y] * 3u;
  loop { if (s > id.y * 10u + 7u) { break; } s += id.y + 1u; }
  if (id.z == 4u) { s += 100u; }
  o[id.x + id.y * 6u + id.z * 18u] = s;
}
//! kernel barriers_in_some_groups accept groups=5,2
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> q: array<u32, 5>;
@compute @workgroup_size(5) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
  q[l] = w.x * 10u + w.y + l * 100u;
  workgroupBarrier();
  var s = q[4u - l];
  if (w.x == 3u) { workgroupBarrier(); q[l] = 7u; workgroupBarrier(); s += q[(l + 1u) % 5u]; }
  for (var k = 0u; k < w.x; k++) { workgroupBarrier(); q[l] += k; workgroupBarrier(); s += q[(l + k) % 5u]; if (w.y == 1u && k == 2u) { break; } }
  if (w.x == 4u) { return; }
  workgroupBarrier();
  o[id.x + id.y * 25u] = s + q[0];
}
//! kernel returns_between_barriers accept groups=4
//! bind 0 w zero 32
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> q: array<atomic<u32>, 2>;
fn f(w: u32, l: u32) -> u32 {
  for (var k = 0u; k < 3u; k++) {
    if (w == k) { return 5u + k; }
    atomicAdd(&q[0], l);
    workgroupBarrier();
    if (w + k == 4u) { return 9u; }
    if (l == k) { atomicMax(&q[1], w + k); }
    workgroupBarrier();
  }
  return 1u;
}
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
  let r = f(w.x, l);
  if (r == 5u) { return; }
  workgroupBarrier();
  o[id.x] = r + atomicLoad(&q[0]) * 100u + atomicLoad(&q[1]) * 10000u;
}
//! kernel barriers_in_continuing accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  var k = 0u;
  var s = lane;
  loop {
    t[lane] = s;
    workgroupBarrier();
    let w = t[(lane + 1u) & 31u];
    if (k == 2u) { continue; }
    s += w;
    continuing {
      k += 1u;
      workgroupBarrier();
      let stop = workgroupUniformLoad(&t[3]) > 60u;
      s += w & 1u;
      break if stop || k > 6u;
    }
  }
  o[i] = s * 10u + k;
//! kernel barriers_in_calls_in_loops accept in=grid
var<workgroup> t: array<u32, 32>;
fn stage(l: u32, k: u32) -> u32 {
  t[l] = t[l] * 3u + k + l;
  workgroupBarrier();
  let v = t[(l + k) & 31u];
  workgroupBarrier();
  if (v % 5u == 0u) { return 1u; }
  for (var z = 0u; z < v % 7u; z++) { if (z == 4u) { return z + l; } }
  return v;
}
//! main
  var s = 0u;
  for (var k = 0u; k < u.p.x; k++) {
    s += stage(lane, k);
    if (u.p.y == 1u) {
      var z = s & 7u;
      while (z > 0u) { z--; if (z == 2u) { break; } s += z; }
      s += stage(lane, s - s + k * 2u);
      continue;
    }
    s = 0u;
  }
  if (lane > 20u) { o[i] = s; return; }
  o[i] = s * 3u;
//! kernel histograms_with_exits accept groups=3
//! bind 0 r word 2000
//! bind 1 w zero 64
struct H { n: array<atomic<u32>, 20>, m: array<array<atomic<i32>, 4>, 5>, x: atomic<u32>, mn: array<atomic<i32>, 4>, r: array<atomic<u32>, 20> }
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<atomic<u32>>;
var<workgroup> h: array<H, 2>;
@compute @workgroup_size(100) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32, @builtin(num_workgroups) n: vec3u) {
  var s = 0u;
  for (var k = id.x; k < arrayLength(&a); k += 100u * n.x) {
    let v = a[k];
    if ((v & 7u) == 3u) { continue; }
    atomicAdd(&h[v & 1u].n[(v >> 3u) % 25u], v);
    if ((v & 15u) == 9u) { break; }
    atomicMax(&h[(v >> 1u) & 1u].m[v % 5u][(v >> 9u) & 3u], i32(v));
    atomicXor(&h[1].x, v);
    s += v;
  }
  atomicMin(&h[0].mn[l & 3u], -i32(s >> 1u));
  atomicOr(&h[s & 1u].r[l % 20u], s);
  workgroupBarrier();
  if (l < 60u) { atomicAdd(&o[l], atomicLoad(&h[l & 1u].n[(l >> 1u) % 20u]) + u32(atomicLoad(&h[l & 1u].m[l % 5u][l & 3u])) + atomicLoad(&h[1].x) * 3u + u32(atomicLoad(&h[0].mn[l & 3u])) * 5u + atomicLoad(&h[l & 1u].r[l % 20u]) * 7u); }
}
//! kernel all_lanes_left accept in=grid
var<workgroup> x: atomic<u32>;
var<workgroup> y: u32;
var<workgroup> z: atomic<i32>;
//! main
  var s = 0u;
  for (var k = 0u; k < 5u; k++) {
    if ((a[i] | 1u) != k * 0u) { s += 1u; continue; }
    atomicStore(&x, 7u);
    y = 9u;
    atomicMax(&z, 3);
    s += atomicExchange(&x, 5u) + atomicAdd(&x, 3u) + atomicCompareExchangeWeak(&x, 0u, 77u).old_value;
    atomicSub(&z, 2);
  }
  var r = 0u;
  loop {
    if ((a[i] | 1u) != 0u) { r = 3u; break; }
    atomicStore(&x, 7u); y = 2u; atomicOr(&x, 64u); o[63] = 5u; o[r] = 7u;
    r++;
    if (r > 4u) { break; }
  }
  workgroupBarrier();
  o[i] = s + atomicLoad(&x) * 100u + y * 1000u + u32(atomicLoad(&z)) * 10000u + r;
//! kernel all_lanes_returned accept in=grid
var<workgroup> x: atomic<u32>;
var<workgroup> y: u32;
fn f(v: u32) -> u32 {
  if ((v | 1u) != 0u) { return 4u; }
  atomicStore(&x, 7u); y = 3u;
  for (var k = 0u; k < 3u; k++) { atomicAdd(&x, 1u); y += 1u; }
  return 5u;
}
fn g(v: u32) -> u32 {
  switch (v | 1u) { case 0u: { y = 8u; } default: { return 6u; } }
  atomicXor(&x, 0xffu); y = 4u;
  return 7u;
}
//! main
  let r = f(a[i]) + g(a[i]) * 10u;
  workgroupBarrier();
  o[i] = r + atomicLoad(&x) * 1000u + y * 100000u;
//! kernel steps_alike accept in=grid
//! main
  var k = lane;
  var m = i;
  var c = 100u;
  for (; k < 40u; k += u.p.x) {
    m += 2u; c -= u.p.y;
    if (a[(m + c) & 63u] % 7u == 0u) { break; }
    if (k > 30u + (lane & 3u)) { m += 1u; }
  }
  var j = lane * 3u;
  var t = 0u;
  loop {
    t += a[j & 63u] & 15u;
    continuing { j += 5u; break if j > 100u + lane; }
  }
  var z = i32(lane) - 10;
  while (z < 12) { z += i32(u.p.z); t ^= u32(z); }
  o[i] = k + m * 100u + c * 10000u + j * 3u + t * 7u + u32(z) * 77u;
//! kernel steps_alike_nested accept in=grid
//! main
  var k = lane; var s = 0u;
  for (var r = 0u; r < 4u; r++) {
    var q = r + lane;
    while (q < 20u) { q += 3u; k += 1u; if (((k + q) & 15u) == 5u) { break; } s += a[(q + k) & 63u] & 3u; }
    s = s * 3u + q;
    k -= 2u;
  }
  o[i] = s + k * 1000u;
