//! kernel reverse accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  t[lane] = a[i];
  workgroupBarrier();
  o[i] = t[31u - lane];
//! kernel zeroed accept in=grid
var<workgroup> t: array<vec3<u32>, 32>;
struct S { p: bool, q: f32 }
var<workgroup> s: S;
//! main
  o[i] = t[lane].x + t[31u - lane].z + u32(s.p) + u32(s.q) + 3u;
//! kernel reduction accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  t[lane] = a[i];
  workgroupBarrier();
  for (var k = 16u; k > 0u; k >>= 1u) {
    if (lane < k) { t[lane] += t[lane + k]; }
    workgroupBarrier();
  }
  o[i] = t[0];
//! kernel prefix_sum accept in=grid
var<workgroup> t: array<u32, 64>;
//! main
  t[lane] = a[i] & 255u;
  workgroupBarrier();
  for (var k = 1u; k < 32u; k *= 2u) {
    var v = t[lane];
    if (lane >= k) { v += t[lane - k]; }
    workgroupBarrier();
    t[lane] = v;
    workgroupBarrier();
  }
  o[i] = t[lane];
//! kernel float_reduction accept
//! bind 0 r unit 64
//! bind 1 w zero 1
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
var<workgroup> t: array<f32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
  t[i] = a[i];
  workgroupBarrier();
  for (var k = 32u; k > 0u; k /= 2u) {
    if (i < k) { t[i] = t[i] + t[i + k]; }
    workgroupBarrier();
  }
  if (i == 0u) { o[0] = t[0]; }
}
//! kernel uniform_load accept in=grid
var<workgroup> n: u32;
//! main
  if (lane == 5u) { n = a[i] & 7u; }
  let k = workgroupUniformLoad(&n);
  if (k > 3u) { workgroupBarrier(); }
  o[i] = k;
//! kernel uniform_load_array accept in=grid
var<workgroup> n: array<u32, 2>;
//! main
  if (lane < 2u) { n[lane] = lane + 5u; }
  let k = workgroupUniformLoad(&n);
  o[i] = k[0] * 10u + k[1];
//! kernel barrier_in_uniform_loop accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  t[lane] = lane;
  for (var k = 0u; k < u.p.x; k++) {
    workgroupBarrier();
    let v = t[(lane + 1u) & 31u];
    workgroupBarrier();
    t[lane] = v + k;
  }
  o[i] = t[lane];
//! kernel barrier_in_uniform_if accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  t[lane] = a[i];
  if (u.p.x == 3u) { workgroupBarrier(); o[i] = t[lane ^ 1u]; } else { o[i] = 4u; }
//! kernel barrier_in_function accept in=grid
var<workgroup> t: array<u32, 32>;
fn exchange(l: u32, v: u32) -> u32 {
  workgroupBarrier();
  t[l] = v;
  workgroupBarrier();
  return t[(l + 7u) & 31u];
}
//! main
  o[i] = exchange(lane, a[i]) ^ exchange(lane, i);
//! kernel storage_barrier accept in=grid
  o[i] = a[i];
  storageBarrier();
  let v = o[wg.x * 32u + (lane ^ 1u)];
  storageBarrier();
  o[i] = v + 1u;
//! kernel variables_kept_over_barrier accept in=grid
var<workgroup> t: array<u32, 32>;
//! main
  var v = array(i, a[i], 7u);
  let p = a[i] > 1000u;
  t[lane] = v[1];
  workgroupBarrier();
  v[lane % 3u] += t[31u - lane];
  workgroupBarrier();
  o[i] = v[0] + v[1] * 3u + v[2] * 5u + u32(p);
//! kernel two_dimensional accept groups=2,2
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> t: array<array<u32, 4>, 4>;
@compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) l: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>,
    @builtin(num_workgroups) n: vec3<u32>) {
  t[l.y][l.x] = g.y * 8u + g.x;
  workgroupBarrier();
  o[g.y * 8u + g.x] = t[l.x][l.y] * 10u + n.x + n.y * 3u;
}
//! kernel three_dimensional accept groups=2,1,3
//! bind 0 w zero 96
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(2, 4, 2) fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32,
    @builtin(workgroup_id) w: vec3<u32>) {
  o[(g.z * 4u + g.y) * 4u + g.x] = l + 100u * (w.x + 10u * w.z);
}
//! kernel builtins_in_struct accept groups=3
//! bind 0 w zero 24
struct In { @builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>, @builtin(local_invocation_index) k: u32 }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(8) fn main(in: In, @builtin(num_workgroups) n: vec3<u32>) {
  o[in.g.x] = in.l.x + in.k * 10u + n.x * 100u;
}
//! kernel tiled_product accept
//! bind 0 r unit 256
//! bind 1 r unit 256
//! bind 2 w zero 256
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
var<workgroup> s: array<array<f32, 16>, 16>;
var<workgroup> t: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16) fn main(@builtin(local_invocation_id) l: vec3<u32>) {
  s[l.y][l.x] = a[l.y * 16u + l.x];
  t[l.y][l.x] = b[l.y * 16u + l.x];
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < 16u; k++) { sum = sum + s[l.y][k] * t[k][l.x]; }
  o[l.y * 16u + l.x] = sum;
}
//! kernel no_initialiser reject in=grid
var<workgroup> t: u32 = 4u;
//! main
  o[i] = t;
//! kernel no_workgroup_in_function reject in=grid
  var<workgroup> t: u32;
//! kernel no_runtime_array reject in=grid
var<workgroup> t: array<u32>;
//! main
  o[i] = t[0];
//! kernel no_too_much_memory reject in=grid
var<workgroup> t: array<u32, 100000>;
//! main
  o[i] = t[lane];
//! kernel no_too_many_invocations reject
@compute @workgroup_size(64, 64) fn main() { }
//! kernel no_zero_size reject
@compute @workgroup_size(0) fn main() { }
//! kernel no_negative_size reject
@compute @workgroup_size(-1) fn main() { }
//! kernel no_missing_size reject
@compute fn main() { }
//! kernel no_four_sizes reject
@compute @workgroup_size(1, 1, 1, 1) fn main() { }
//! kernel no_mixed_sizes reject
@compute @workgroup_size(1u, 1i) fn main() { }
//! kernel no_float_size reject
@compute @workgroup_size(1.0) fn main() { }
//! kernel no_barrier_value reject in=grid
  let v = workgroupBarrier();
//! kernel no_uniform_load_of_function reject in=grid
  var n = 4u;
  o[i] = workgroupUniformLoad(&n);
