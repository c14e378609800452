//! kernel matrix_kept_over_barrier accept in=grid
var<workgroup> t: array<f32, 32>;
//! main
  let m = mat2x2<f32>(f32(i), 2.0, 3.0, f32(lane));
  t[lane] = f32(i & 7u);
  workgroupBarrier();
  let r = m * vec2(t[31u - lane], 1.0);
  o[i] = u32(r.x) * 1000u + u32(r.y);
//! kernel struct_kept_over_barrier accept in=grid
struct S { p: bool, v: vec3<u32>, t: array<i32, 3>, q: vec2<bool> }
var<workgroup> n: u32;
//! main
  var s = S(a[i] > 9u, vec3(i, a[i], 3u), array(1, -2, i32(i)), vec2(i > 5u, lane > 20u));
  if (lane == 3u) { n = 5u; }
  workgroupBarrier();
  s.v[lane % 3u] += n;
  s.q.x = s.q.y != s.p;
  workgroupBarrier();
  o[i] = s.v.x + s.v.y * 3u + s.v.z * 5u + u32(s.p) + u32(s.q.x) * 2u + u32(s.q.y) * 4u + u32(s.t[lane % 3u] + 9);
//! kernel vectors_of_bool_in_loop accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  var seen = vec4<bool>();
  for (var k = 0u; k < 4u; k++) {
    let before = a[i] > k * 0x30000000u;
    t[lane] = a[i] + k;
    workgroupBarrier();
    seen[k] = before && t[lane ^ 5u] > a[i];
    workgroupBarrier();
  }
  o[i] = u32(seen.x) + u32(seen.y) * 2u + u32(seen.z) * 4u + u32(seen.w) * 8u;
//! kernel barrier_in_nested_calls accept in=grid
var<workgroup> t: array<u32, 32>;
fn shift(l: u32, v: u32, by: u32) -> u32 {
  t[l] = v;
  workgroupBarrier();
  let r = t[(l + by) & 31u];
  workgroupBarrier();
  return r;
}
fn twice(l: u32, v: u32) -> u32 {
  let odd = (v & 1u) == 1u;
  let x = shift(l, v, 1u);
  if (odd) { return x; }
  return x + 100u;
}
//! main
  o[i] = twice(lane, i) + shift(lane, twice(lane, a[i] & 255u), 7u) * 1000u;
//! kernel barrier_after_divergent_work accept in=grid
var<workgroup> t: array<u32, 32>;
var<workgroup> c: atomic<u32>;
//! main
  var k = 0u;
  loop {
    if (k >= lane) { break; }
    if ((k & 3u) == 2u) { k += 2u; continue; }
    atomicAdd(&c, 1u);
    k++;
  }
  t[lane] = k;
  workgroupBarrier();
  switch (t[31u - lane] & 3u) {
    case 0u: { o[i] = 1u; }
    case 1u, 2u: { if (lane > 16u) { o[i] = 5u; break; } o[i] = 2u; }
    default: { o[i] = 3u; }
  }
  o[i] += atomicLoad(&c) * 10u;
//! kernel private_kept_over_barrier accept in=grid
var<private> p: array<vec2<u32>, 5>;
var<private> flag: bool = true;
var<workgroup> t: array<u32, 32>;
fn put(k: u32, v: u32) { p[k] = vec2(v, v * v); flag = !flag; }
//! main
  for (var k = 0u; k < lane % 6u; k++) { put(k % 5u, k + i); }
  t[lane] = p[lane % 5u].y;
  workgroupBarrier();
  if (flag) { p[1].x += t[(lane + 9u) & 31u]; }
  workgroupBarrier();
  o[i] = p[1].x * 3u + p[lane % 5u].y + u32(flag);
//! kernel early_exit_before_uniform_barrier accept in=grid
var<workgroup> t: array<u32, 32>;
fn search(v: u32) -> u32 {
  for (var k = 0u; k < 32u; k++) {
    if ((v >> k) == 1u) { return k; }
    if (k == 20u && v < 100u) { break; }
  }
  return 77u;
}
//! main
  t[lane] = search(a[i]) + search(lane);
  workgroupBarrier();
  o[i] = t[lane] * 100u + t[(lane * 5u) & 31u];
//! kernel return_behind_barrier accept in=grid
  if (u.p.x == 3u) { workgroupBarrier(); if (lane > 2u) { return; } o[i] = 1u; }
  o[i] += 5u;
//! kernel uniform_return_behind_divergent accept in=grid
  workgroupBarrier();
  if (lane > 20u) { return; }
  o[i] = 1u;
  if (u.p.x == 3u) { if (lane > 9u) { return; } o[i] = 2u; }
  if (u.p.x == 4u) { return; }
  o[i] += 5u;
//! kernel bubble_sort accept in=grid
  var t: array<u32, 8>;
  for (var k = 0u; k < 8u; k++) { t[k] = a[(i + k * 5u) & 63u]; }
  for (var m = 0u; m < 7u; m++) {
    for (var k = 0u; k < 7u - m; k++) {
      if (t[k] > t[k + 1u]) { let h = t[k]; t[k] = t[k + 1u]; t[k + 1u] = h; }
    }
  }
  o[i] = t[0] ^ (t[3] >> 3u) ^ (t[7] << 5u);
//! kernel bitonic_sort accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  t[lane] = a[i];
  workgroupBarrier();
  for (var k = 2u; k <= 32u; k *= 2u) {
    for (var j = k / 2u; j > 0u; j /= 2u) {
      let other = lane ^ j;
      let up = (lane & k) == 0u;
      if (other > lane) {
        let x = t[lane];
        let y = t[other];
        if ((x > y) == up) { t[lane] = y; t[other] = x; }
      }
      workgroupBarrier();
    }
  }
  o[i] = t[lane];
//! kernel sieve accept in=grid
var<workgroup> composite: array<u32, 128>;
//! main
  for (var k = 2u + lane; k < 128u; k += 32u) {
    for (var m = k * 2u; m < 128u; m += k) { composite[m] = 1u; }
  }
  workgroupBarrier();
  var n = 0u;
  for (var k = 2u; k < 128u; k++) { if (composite[k] == 0u && k <= 4u * lane) { n++; } }
  o[i] = n;
//! kernel game_of_life accept groups=1
//! bind 0 r word 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<workgroup> now: array<array<bool, 8>, 8>;
@compute @workgroup_size(8, 8) fn main(@builtin(local_invocation_id) l: vec3<u32>) {
  now[l.y][l.x] = (a[l.y * 8u + l.x] & 1u) == 1u;
  for (var g = 0; g < 5; g++) {
    workgroupBarrier();
    var n = 0u;
    for (var d = 0u; d < 9u; d++) {
      if (d == 4u) { continue; }
      n += u32(now[(l.y + d / 3u + 7u) & 7u][(l.x + d % 3u + 7u) & 7u]);
    }
    let alive = n == 3u || (n == 2u && now[l.y][l.x]);
    workgroupBarrier();
    now[l.y][l.x] = alive;
  }
  o[l.y * 8u + l.x] = u32(now[l.y][l.x]);
}
//! kernel crc32 accept in=grid
  var c = 0xffffffffu;
  for (var k = 0u; k < 4u; k++) {
    c ^= (a[i] >> (8u * k)) & 255u;
    for (var b = 0; b < 8; b++) { c = select(c >> 1u, (c >> 1u) ^ 0xedb88320u, (c & 1u) == 1u); }
  }
  o[i] = ~c;
//! kernel sha_round accept in=grid
fn rotate(x: u32, n: u32) -> u32 { return (x >> n) | (x << (32u - n)); }
//! main
  var h = array<u32, 8>(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
  var w: array<u32, 16>;
  for (var k = 0u; k < 16u; k++) { w[k] = a[(i + k) & 63u]; }
  for (var k = 0u; k < 24u; k++) {
    if (k >= 16u) {
      let s0 = rotate(w[(k + 1u) & 15u], 7u) ^ rotate(w[(k + 1u) & 15u], 18u) ^ (w[(k + 1u) & 15u] >> 3u);
      let s1 = rotate(w[(k + 14u) & 15u], 17u) ^ rotate(w[(k + 14u) & 15u], 19u) ^ (w[(k + 14u) & 15u] >> 10u);
      w[k & 15u] += s0 + s1 + w[(k + 9u) & 15u];
    }
    let e1 = rotate(h[4], 6u) ^ rotate(h[4], 11u) ^ rotate(h[4], 25u);
    let t1 = h[7] + e1 + ((h[4] & h[5]) ^ (~h[4] & h[6])) + 0x428a2f98u + w[k & 15u];
    let e0 = rotate(h[0], 2u) ^ rotate(h[0], 13u) ^ rotate(h[0], 22u);
    let t2 = e0 + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    for (var m = 7u; m > 0u; m--) { h[m] = h[m - 1u]; }
    h[4] += t1;
    h[0] = t1 + t2;
  }
  o[i] = h[0] ^ h[3] ^ h[7];
//! kernel interpreter_loop accept in=grid
  var stack: array<i32, 8>;
  var sp = 0u;
  var pc = 0u;
  let program = array<u32, 10>(1u, 1u, 2u, 3u, 1u, 4u, 2u, 5u, 3u, 0u);
  loop {
    let op = program[pc];
    pc++;
    switch (op) {
      case 0u: { break; }
      case 1u: { stack[sp] = i32(i + pc); sp++; continue; }
      case 2u: { sp--; stack[sp - 1u] += stack[sp]; }
      case 3u: { stack[sp - 1u] = -stack[sp - 1u] * 3; }
      case 4u: { stack[sp] = stack[sp - 1u]; sp++; }
      default: { if (stack[sp - 1u] > 0) { stack[sp - 1u] /= 2; continue; } stack[sp - 1u] ^= 0x55; }
    }
    if (op == 0u) { break; }
  }
  o[i] = bitcast<u32>(stack[0]) + sp * 1000u;
//! kernel triangular_reads accept in=grid
  var s = 0u;
  for (var r = 0u; r < 8u; r++) { for (var k = 0u; k <= r; k++) { s += a[r * 8u + k] * (k + i); } }
  o[i] = s;
//! kernel strided_writes accept in=grid
  for (var k = 0u; k < 2u; k++) { o[(i * 2u + k) & 63u] = (i * 2u + k) & 63u; }
//! kernel uniform_and_divergent_mix accept in=grid
  var s = 0u;
  for (var k = 0u; k < u.p.z; k++) {
    for (var m = 0u; m < (i & 3u) + u.p.y; m++) {
      if (k == u.p.y) { if (m == 1u) { break; } s += 100u; }
      else if (((a[i] >> k) & 1u) == 1u) { s += 1u; } else { continue; }
      s += u.q[m & 3u];
    }
    if (s > 300u) { return; }
    o[i] = s;
  }
//! kernel barriers_left_early accept in=grid
var<workgroup> t: array<u32, 32>;
fn turn(l: u32, v: u32, by: u32) -> u32 {
  t[l] = v;
  workgroupBarrier();
  let r = t[(l + by) & 31u];
  workgroupBarrier();
  if ((r & 3u) == 1u) { return 9u; }
  for (var k = 0u; k < (r & 7u); k++) { if (k == 5u) { return k; } }
  return r + by;
}
//! main
  var r = turn(lane, i, 1u) + turn(lane, a[i] & 255u, 7u) * 100u;
  for (var k = 0u; k < u.p.x; k++) { let s = turn(lane, r + k, k); r ^= s; }
  switch (u.p.y) {
    case 1u: { t[lane] = r; workgroupBarrier(); if ((t[31u - lane] & 1u) == 0u) { break; } r += 3u; }
    default: { r = 0u; }
  }
  workgroupBarrier();
  loop { t[lane] = r; workgroupBarrier(); if ((r & 1u) == 0u) { r += 11u; break; } r += t[(lane + 1u) & 31u]; break; }
  workgroupBarrier();
  o[i] = r + turn(lane, r, 3u);
//! kernel large_variables accept in=grid
var<private> p: array<u32, 1024>;
fn g(v: u32) -> u32 {
  var b: array<vec2<u32>, 512>;
  for (var k = 0u; k < 30u; k++) { b[(v * k) & 511u].y += k; }
  return b[(v * 3u) & 511u].y + p[v & 1023u] + b[v & 511u].x;
}
fn f(v: u32) -> u32 {
  var b: array<u32, 1024>;
  b[v & 1023u] = 5u;
  b[7] += 1u;
  let r = g(v) + g(v + 1u);
  return b[7] * 1000u + b[v & 1023u] + r;
}
//! main
  p[a[i] & 1023u] = i;
  o[i] = f(a[i]);
