//! kernel scan_blelloch accept groups=2
//! bind 0 r small 256
//! bind 1 w zero 256
const N: u32 = 128;
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
var<workgroup> tmp: array<u32, N>;
@compute @workgroup_size(N / 2)
fn main(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let t = lid.x;
  let base = wid.x * N;
  tmp[2 * t] = src[base + 2 * t];
  tmp[2 * t + 1] = src[base + 2 * t + 1];
  var offset = 1u;
  for (var d = N >> 1; d > 0; d >>= 1) {
    workgroupBarrier();
    if (t < d) {
      let ai = offset * (2 * t + 1) - 1;
      let bi = offset * (2 * t + 2) - 1;
      tmp[bi] += tmp[ai];
    }
    offset *= 2;
  }
  if (t == 0) { tmp[N - 1] = 0; }
  for (var d = 1u; d < N; d *= 2) {
    offset >>= 1;
    workgroupBarrier();
    if (t < d) {
      let ai = offset * (2 * t + 1) - 1;
      let bi = offset * (2 * t + 2) - 1;
      let x = tmp[ai];
      tmp[ai] = tmp[bi];
      tmp[bi] += x;
    }
  }
  workgroupBarrier();
  dst[base + 2 * t] = tmp[2 * t];
  dst[base + 2 * t + 1] = tmp[2 * t + 1];
}
//! kernel scan_hillis_steele accept groups=2
//! bind 0 r small 128
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
var<workgroup> ping: array<array<u32, 64>, 2>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) i: u32) {
  var src_half = 0u;
  ping[0][i] = src[gid.x];
  workgroupBarrier();
  for (var step = 1u; step < 64u; step <<= 1u) {
    let dst_half = 1u - src_half;
    if (i >= step) {
      ping[dst_half][i] = ping[src_half][i] + ping[src_half][i - step];
    } else {
      ping[dst_half][i] = ping[src_half][i];
    }
    src_half = dst_half;
    workgroupBarrier();
  }
  dst[gid.x] = ping[src_half][i];
}
//! kernel radix_sort accept
//! bind 0 r word 256
//! bind 1 w zero 256
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> sorted: array<u32>;
const N = 256u;
var<workgroup> a: array<u32, N>;
var<workgroup> b: array<u32, N>;
var<workgroup> scan: array<u32, N>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) i: u32) {
  a[i] = keys[i];
  workgroupBarrier();
  for (var bit = 0u; bit < 32u; bit++) {
    let key = a[i];
    let zero = 1u - extractBits(key, bit, 1u);
    scan[i] = zero;
    workgroupBarrier();
    for (var s = 1u; s < N; s = s * 2u) {
      var add = 0u;
      if (i >= s) { add = scan[i - s]; }
      workgroupBarrier();
      scan[i] += add;
      workgroupBarrier();
    }
    let zeros = scan[N - 1u];
    let before = scan[i] - zero;
    let place = select(zeros + i - before, before, zero == 1u);
    b[place] = key;
    workgroupBarrier();
    a[i] = b[i];
    workgroupBarrier();
  }
  sorted[i] = a[i];
}
//! kernel bitonic_sort accept
//! bind 0 r i32x 128
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> keys: array<i32>;
@group(0) @binding(1) var<storage, read_write> sorted: array<i32>;
var<workgroup> s: array<i32, 128>;
fn compare_and_swap(i: u32, j: u32, up: bool) {
  if ((s[i] > s[j]) == up) {
    let t = s[i];
    s[i] = s[j];
    s[j] = t;
  }
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let t = local_id.x;
  s[t] = keys[t];
  s[t + 64u] = keys[t + 64u];
  workgroupBarrier();
  for (var k = 2u; k <= 128u; k <<= 1u) {
    for (var j = k >> 1u; j > 0u; j >>= 1u) {
      let i = 2u * t - (t & (j - 1u));
      compare_and_swap(i, i + j, (i & k) == 0u);
      workgroupBarrier();
    }
  }
  sorted[t] = s[t];
  sorted[t + 64u] = s[t + 64u];
}
//! kernel matmul_tiled accept groups=2,2
//! bind 0 r unit 256
//! bind 1 r unit 256
//! bind 2 w zero 256
//! bind 3 u =16,16,16,0
struct Dims { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> dims: Dims;
const TILE = 8;
var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;
@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  var acc = 0.0;
  for (var t = 0u; t < dims.k / TILE; t++) {
    tile_a[lid.y][lid.x] = a[gid.y * dims.k + t * TILE + lid.x];
    tile_b[lid.y][lid.x] = b[(t * TILE + lid.y) * dims.n + gid.x];
    workgroupBarrier();
    for (var i = 0u; i < TILE; i++) { acc += tile_a[lid.y][i] * tile_b[i][lid.x]; }
    workgroupBarrier();
  }
  if (gid.y < dims.m && gid.x < dims.n) { c[gid.y * dims.n + gid.x] = acc; }
}
//! kernel matmul_registers accept
//! bind 0 r unit 256
//! bind 1 r unit 256
//! bind 2 w zero 256
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@compute @workgroup_size(4, 4)
fn main(@builtin(local_invocation_id) id: vec3u) {
  var acc: array<vec4f, 4>;
  for (var k = 0u; k < 4u; k++) {
    let b0 = b[(4u * k + 0u) * 4u + id.x];
    let b1 = b[(4u * k + 1u) * 4u + id.x];
    let b2 = b[(4u * k + 2u) * 4u + id.x];
    let b3 = b[(4u * k + 3u) * 4u + id.x];
    for (var r = 0u; r < 4u; r++) {
      let row = a[(id.y * 4u + r) * 4u + k];
      acc[r] = b0 * row.x + acc[r];
      acc[r] += b1 * row.y;
      acc[r] += b2 * row.z + b3 * row.w;
    }
  }
  for (var r = 0u; r < 4u; r++) { c[(id.y * 4u + r) * 4u + id.x] = acc[r]; }
}
//! kernel fft_stockham accept ulp=64 abs=0.01
//! bind 0 r unit 128
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> src: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec2f>;
const PI: f32 = 3.14159265358979323846;
var<workgroup> buf: array<array<vec2f, 64>, 2>;
fn cmul(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  let t = lid.x;
  buf[0][t] = src[t];
  buf[0][t + 32u] = src[t + 32u];
  workgroupBarrier();
  var src_half = 0u;
  for (var half = 1u; half < 64u; half <<= 1u) {
    let k = t & (half - 1u);
    let angle = -PI * f32(k) / f32(half);
    let w = vec2f(cos(angle), sin(angle));
    let u = buf[src_half][t];
    let v = cmul(w, buf[src_half][t + 32u]);
    let j = (t << 1u) - k;
    buf[1u - src_half][j] = u + v;
    buf[1u - src_half][j + half] = u - v;
    src_half = 1u - src_half;
    workgroupBarrier();
  }
  dst[t] = buf[src_half][t];
  dst[t + 32u] = buf[src_half][t + 32u];
}
//! kernel nbody accept ulp=4096 abs=0.0001
//! bind 0 r unit 128
//! bind 1 r unit 128
//! bind 2 w zero 128
//! bind 3 w zero 128
//! bind 4 u =0.01f,0.1f,32,0
struct Body { pos: vec3f, mass: f32 }
struct Sim { dt: f32, soft: f32, count: u32 }
@group(0) @binding(0) var<storage, read> bodies: array<Body>;
@group(0) @binding(1) var<storage, read> speed: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> moved: array<Body>;
@group(0) @binding(3) var<storage, read_write> speed_out: array<vec4f>;
@group(0) @binding(4) var<uniform> sim: Sim;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= sim.count) { return; }
  let me = bodies[id.x];
  var force = vec3f();
  for (var i = 0u; i < sim.count; i++) {
    if (i == id.x) { continue; }
    let d = bodies[i].pos - me.pos;
    let r2 = dot(d, d) + sim.soft * sim.soft;
    let inv = 1.0 / sqrt(r2);
    force += d * (bodies[i].mass * inv * inv * inv);
  }
  let v = speed[id.x].xyz + force * sim.dt;
  speed_out[id.x] = vec4f(v, 0.0);
  moved[id.x] = Body(me.pos + v * sim.dt, me.mass);
}
//! kernel reduce_sum accept groups=2
//! bind 0 r unit 256
//! bind 1 w zero 2
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
override wg: u32 = 32;
var<workgroup> part: array<f32, wg>;
@compute @workgroup_size(wg)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(num_workgroups) n: vec3u) {
  var sum = 0.0;
  for (var k = group.x * wg + i; k < arrayLength(&x); k += n.x * wg) { sum += x[k]; }
  part[i] = sum;
  workgroupBarrier();
  for (var s = wg / 2u; s > 0u; s >>= 1u) {
    if (i < s) { part[i] += part[i + s]; }
    workgroupBarrier();
  }
  if (i == 0u) { sums[group.x] = part[0]; }
}
//! kernel reduce_argmax accept
//! bind 0 r unit 256
//! bind 1 w zero 2
struct Best { value: f32, index: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> best: Best;
var<workgroup> part: array<Best, 64>;
fn better(a: Best, b: Best) -> Best {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) { return b; }
  return a;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  var mine = Best(-0x1.fffffep+127f, 0xffffffffu);
  for (var k = i; k < arrayLength(&x); k += 64u) { mine = better(mine, Best(x[k], k)); }
  part[i] = mine;
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (i < s) { part[i] = better(part[i], part[i + s]); }
    workgroupBarrier();
  }
  if (i == 0u) { best = part[0]; }
}
//! kernel histogram accept groups=2
//! bind 0 r word 512
//! bind 1 w zero 16
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 16>;
var<workgroup> local: array<atomic<u32>, 16>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) i: u32) {
  if (i < 16u) { atomicStore(&local[i], 0u); }
  workgroupBarrier();
  for (var k = gid.x; k < arrayLength(&pixels); k += 128u) {
    let p = unpack4xU8(pixels[k]);
    let luma = (p.r * 54u + p.g * 183u + p.b * 19u) >> 8u;
    atomicAdd(&local[luma >> 4u], 1u);
  }
  workgroupBarrier();
  if (i < 16u) { atomicAdd(&bins[i], atomicLoad(&local[i])); }
}
//! kernel convolution_1d accept
//! bind 0 r unit 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
const taps = array(0.0625, 0.25, 0.375, 0.25, 0.0625);
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let n = i32(arrayLength(&x));
  var sum = 0.0;
  for (var k = -2; k <= 2; k++) {
    sum += x[clamp(i32(id.x) + k, 0, n - 1)] * taps[k + 2];
  }
  y[id.x] = sum;
}
//! kernel convolution_2d_tile accept groups=2,2
//! bind 0 r word 256
//! bind 1 w zero 256
@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<u32>;
const SIZE = vec2i(16, 16);
const R = 1;
var<workgroup> tile: array<array<vec4u, 10>, 10>;
fn at(p: vec2i) -> vec4u {
  let q = clamp(p, vec2i(), SIZE - 1);
  return unpack4xU8(image[q.y * SIZE.x + q.x]);
}
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_id) lid: vec3u,
        @builtin(local_invocation_index) i: u32) {
  let corner = vec2i(wid.xy) * 8 - R;
  for (var k = i; k < 100u; k += 64u) {
    let p = vec2i(vec2u(k % 10u, k / 10u));
    tile[p.y][p.x] = at(corner + p);
  }
  workgroupBarrier();
  var sum = vec4u();
  for (var dy = 0u; dy < 3u; dy++) {
    for (var dx = 0u; dx < 3u; dx++) { sum += tile[lid.y + dy][lid.x + dx]; }
  }
  let p = vec2i(wid.xy * 8u + lid.xy);
  blurred[p.y * SIZE.x + p.x] = pack4xU8((sum + 4u) / 9u);
}
//! kernel hash_table_cas accept
//! bind 0 r small 64
//! bind 1 w zero 64
//! bind 2 w zero 2
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: array<u32>;
struct Slot { key: atomic<u32>, count: atomic<u32> }
const SLOTS = 32u;
const EMPTY = 0u;
var<workgroup> table: array<Slot, SLOTS>;
var<workgroup> distinct: atomic<u32>;
fn hash(k: u32) -> u32 {
  var h = k * 0x9e3779b1u;
  h ^= h >> 15u;
  return h % SLOTS;
}
fn insert(key: u32) {
  var at = hash(key);
  loop {
    let got = atomicCompareExchangeWeak(&table[at].key, EMPTY, key + 1u);
    if (got.exchanged) { atomicAdd(&distinct, 1u); }
    if (got.exchanged || got.old_value == key + 1u) {
      atomicAdd(&table[at].count, 1u);
      return;
    }
    if (got.old_value == EMPTY) { continue; }
    at = (at + 1u) % SLOTS;
  }
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  insert(keys[i]);
  workgroupBarrier();
  var at = hash(keys[i]);
  while (atomicLoad(&table[at].key) != keys[i] + 1u) { at = (at + 1u) % SLOTS; }
  counts[i] = atomicLoad(&table[at].count);
  if (i == 0u) { total[0] = atomicLoad(&distinct); }
}
//! kernel rng_xoshiro accept
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> state: vec4u;
fn rotl(x: u32, k: u32) -> u32 { return (x << k) | (x >> (32u - k)); }
fn splitmix(seed: ptr<function, u32>) -> u32 {
  *seed += 0x9e3779b9u;
  var z = *seed;
  z = (z ^ (z >> 16u)) * 0x85ebca6bu;
  z = (z ^ (z >> 13u)) * 0xc2b2ae35u;
  return z ^ (z >> 16u);
}
fn next() -> u32 {
  let result = rotl(state.y * 5u, 7u) * 9u;
  let t = state.y << 9u;
  state.z ^= state.x;
  state.w ^= state.y;
  state.y ^= state.z;
  state.x ^= state.w;
  state.z ^= t;
  state.w = rotl(state.w, 11u);
  return result;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var seed = id.x + 1u;
  for (var i = 0; i < 4; i++) { state[i] = splitmix(&seed); }
  for (var i = 0u; i < id.x % 5u; i++) { _ = next(); }
  o[id.x] = next();
}
//! kernel rng_monte_carlo_pi accept groups=2
//! bind 0 w zero 1
@group(0) @binding(0) var<storage, read_write> inside: atomic<u32>;
fn pcg(v: u32) -> u32 {
  let state = v * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
fn rand01(state: ptr<function, u32>) -> f32 {
  *state = pcg(*state);
  return f32(*state >> 8u) * (1.0 / 16777216.0);
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var s = id.x;
  var hits = 0u;
  for (var i = 0; i < 50; i++) {
    let p = vec2f(rand01(&s), rand01(&s));
    hits += u32(dot(p, p) < 1.0);
  }
  atomicAdd(&inside, hits);
}
//! kernel sha256 accept
//! bind 0 r =0x61626380,0,0,0,0,0,0,0,0,0,0,0,0,0,0,24,0x80000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
//! bind 1 w zero 16
@group(0) @binding(0) var<storage, read> blocks: array<array<u32, 16>>;
@group(0) @binding(1) var<storage, read_write> digests: array<array<u32, 8>>;
const K = array<u32, 64>(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2);
fn rotr(x: u32, n: u32) -> u32 { return (x >> n) | (x << (32u - n)); }
@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var w: array<u32, 64>;
  for (var i = 0u; i < 16u; i++) { w[i] = blocks[id.x][i]; }
  for (var i = 16u; i < 64u; i++) {
    let s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    let s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let start = array<u32, 8>(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
  var h = start;
  for (var i = 0u; i < 64u; i++) {
    let S1 = rotr(h[4], 6) ^ rotr(h[4], 11) ^ rotr(h[4], 25);
    let ch = (h[4] & h[5]) ^ (~h[4] & h[6]);
    let t1 = h[7] + S1 + ch + K[i] + w[i];
    let S0 = rotr(h[0], 2) ^ rotr(h[0], 13) ^ rotr(h[0], 22);
    let maj = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
    h = array(t1 + S0 + maj, h[0], h[1], h[2], h[3] + t1, h[4], h[5], h[6]);
  }
  for (var i = 0; i < 8; i++) { digests[id.x][i] = h[i] + start[i]; }
}
//! kernel marching_cells accept
//! bind 0 w zero 64
//! bind 1 w zero 1
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(0) @binding(1) var<storage, read_write> triangles: atomic<u32>;
const corners = array<vec3u, 8>(vec3u(0, 0, 0), vec3u(1, 0, 0), vec3u(1, 1, 0), vec3u(0, 1, 0),
                                vec3u(0, 0, 1), vec3u(1, 0, 1), vec3u(1, 1, 1), vec3u(0, 1, 1));
const edges = array<vec2u, 12>(vec2u(0, 1), vec2u(1, 2), vec2u(2, 3), vec2u(3, 0), vec2u(4, 5),
                               vec2u(5, 6), vec2u(6, 7), vec2u(7, 4), vec2u(0, 4), vec2u(1, 5),
                               vec2u(2, 6), vec2u(3, 7));
/* The marching squares of the lower face: edges of up to two lines. */
var<private> lines: array<array<i32, 5>, 16> = array<array<i32, 5>, 16>(
  array(-1, -1, -1, -1, -1), array(0, 3, -1, -1, -1), array(1, 0, -1, -1, -1), array(1, 3, -1, -1, -1),
  array(2, 1, -1, -1, -1), array(0, 1, 2, 3, -1), array(2, 0, -1, -1, -1), array(2, 3, -1, -1, -1),
  array(3, 2, -1, -1, -1), array(0, 2, -1, -1, -1), array(3, 0, 1, 2, -1), array(1, 2, -1, -1, -1),
  array(3, 1, -1, -1, -1), array(0, 1, -1, -1, -1), array(3, 0, -1, -1, -1), array(-1, -1, -1, -1, -1));
fn field(p: vec3u) -> i32 {
  let q = vec3i(p) * 2 - 4;
  return 13 - q.x * q.x - q.y * q.y - q.z * q.z;
}
@compute @workgroup_size(4, 4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var index = 0u;
  for (var i = 0u; i < 8u; i++) { index |= select(0u, 1u << i, field(id + corners[i]) > 0); }
  var cut = 0u;
  for (var e = 0u; e < 12u; e++) {
    let ends = edges[e];
    if (((index >> ends.x) & 1u) != ((index >> ends.y) & 1u)) { cut |= 1u << e; }
  }
  var n = 0u;
  for (var k = 0u; lines[index & 15u][k] >= 0; k += 2u) {
    cut ^= 1u << u32(lines[index & 15u][k] + 12);
    n++;
  }
  atomicAdd(&triangles, n);
  cells[dot(id, vec3u(1, 4, 16))] = index | (cut << 8u);
}
//! kernel game_of_life accept groups=2,2
//! bind 0 r word 8
//! bind 1 w zero 256
@group(0) @binding(0) var<storage, read> bits: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
fn alive(x: u32, y: u32) -> u32 {
  let i = (y % 16u) * 16u + x % 16u;
  return (bits[i / 32u] >> (i % 32u)) & 1u;
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) cell: vec3u) {
  let x = cell.x;
  let y = cell.y;
  let n = alive(x + 1, y + 1) + alive(x + 1, y) + alive(x + 1, y - 1) + alive(x, y - 1) +
          alive(x - 1, y - 1) + alive(x - 1, y) + alive(x - 1, y + 1) + alive(x, y + 1);
  let i = y * 16u + x;
  switch n {
    case 2: { next[i] = alive(x, y); }
    case 3: { next[i] = 1u; }
    default: { next[i] = 0u; }
  }
}
//! kernel kmeans_assign accept
//! bind 0 r unit 128
//! bind 1 u =0.5f,0.5f,0,0,-0.5f,0.5f,0,0,-0.5f,-0.5f,0,0,0.5f,-0.5f,0,0
//! bind 2 w zero 64
//! bind 3 w zero 12
struct Centre { @size(16) at: vec2f }
@group(0) @binding(0) var<storage, read> points: array<vec2f>;
@group(0) @binding(1) var<uniform> centres: array<Centre, 4>;
@group(0) @binding(2) var<storage, read_write> nearest: array<u32>;
struct Sum { n: atomic<u32>, x: atomic<i32>, y: atomic<i32> }
@group(0) @binding(3) var<storage, read_write> sums: array<Sum, 4>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let p = points[id.x];
  var best = 0u;
  var least = 1e30f;
  for (var c = 0u; c < 4u; c++) {
    let d = p - centres[c].at;
    let d2 = dot(d, d);
    if (d2 < least) {
      least = d2;
      best = c;
    }
  }
  nearest[id.x] = best;
  let sum = &sums[best];
  atomicAdd(&(*sum).n, 1u);
  atomicAdd(&sum.x, i32(p.x * 65536.0));
  atomicAdd(&sum.y, i32(p.y * 65536.0));
}
//! kernel softmax accept groups=2 ulp=64
//! bind 0 r f32x 128
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
const WG = 64;
var<workgroup> scratch: array<f32, WG>;
fn wg_max(i: u32, v: f32) -> f32 {
  scratch[i] = v;
  workgroupBarrier();
  for (var s = u32(WG) / 2; s > 0; s /= 2) {
    if (i < s) { scratch[i] = max(scratch[i], scratch[i + s]); }
    workgroupBarrier();
  }
  return workgroupUniformLoad(&scratch[0]);
}
fn wg_sum(i: u32, v: f32) -> f32 {
  scratch[i] = v;
  workgroupBarrier();
  for (var s = u32(WG) / 2; s > 0; s /= 2) {
    if (i < s) { scratch[i] += scratch[i + s]; }
    workgroupBarrier();
  }
  return workgroupUniformLoad(&scratch[0]);
}
@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
  let v = clamp(x[id.x], -8.0, 8.0);
  let m = wg_max(i, v);
  let e = exp(v - m);
  y[id.x] = e / wg_sum(i, e);
}
//! kernel attention accept ulp=1024 abs=0.00001
//! bind 0 r unit 64
//! bind 1 r unit 64
//! bind 2 r unit 64
//! bind 3 w zero 64
@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
const D = 8u;
const T = 8u;
var<workgroup> score: array<f32, 64>;
/* Causal attention with a running maximum. */
@compute @workgroup_size(T, D)
fn main(@builtin(local_invocation_id) id: vec3u) {
  let row = id.x;
  let col = id.y;
  var s = 0.0;
  for (var i = 0u; i < D; i++) { s += q[row * D + i] * k[col * D + i]; }
  score[row * T + col] = s * inverseSqrt(f32(D));
  workgroupBarrier();
  var top = -3.0e38;
  var sum = 0.0;
  var acc = 0.0;
  for (var t = 0u; t <= row; t++) {
    let x = score[row * T + t];
    let new_top = max(top, x);
    let scale = exp(top - new_top);
    let p = exp(x - new_top);
    sum = sum * scale + p;
    acc = acc * scale + p * v[t * D + col];
    top = new_top;
  }
  o[row * D + col] = acc / sum;
}
//! kernel layernorm accept groups=2 ulp=1024 abs=0.00001
//! bind 0 r unit 64
//! bind 1 w zero 64
//! bind 2 u =1f,0.5f,1e-5f,0
struct Params { gamma: f32, beta: f32, eps: f32 }
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> p: Params;
var<workgroup> mean_part: array<f32, 8>;
var<workgroup> var_part: array<f32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
  let v = x[id.x];
  mean_part[i] = dot(v, vec4f(1));
  var_part[i] = dot(v, v);
  workgroupBarrier();
  var sum = 0.0;
  var squares = 0.0;
  for (var k = 0; k < 8; k += 1) {
    sum += mean_part[k];
    squares += var_part[k];
  }
  let mean = sum / 32.0;
  let inv = inverseSqrt(squares / 32.0 - mean * mean + p.eps);
  y[id.x] = (v - mean) * inv * p.gamma + p.beta;
}
//! kernel matvec_quantised accept
//! bind 0 r word 128
//! bind 1 r word 8
//! bind 2 r unit 16
//! bind 3 w zero 16
requires packed_4x8_integer_dot_product;
@group(0) @binding(0) var<storage, read> weights: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var acc = 0;
  for (var k = 0u; k < 8u; k++) { acc += dot4I8Packed(weights[id.x * 8u + k], input[k]); }
  out[id.x] = f32(acc) * scales[id.x];
}
//! kernel matvec_q4_blocks accept
//! bind 0 r word 80
//! bind 1 r unit 128
//! bind 2 w zero 4
struct Block { scale: u32, nibbles: array<u32, 4> }
@group(0) @binding(0) var<storage, read> blocks: array<Block>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  for (var b = 0u; b < 4u; b++) {
    let block = &blocks[id.x * 4u + b];
    let scale = unpack2x16float((*block).scale & 0x3fff3fffu);
    var part = 0.0;
    for (var w = 0u; w < 4u; w++) {
      let low = vec4f(unpack4xU8((*block).nibbles[w] & 0x0f0f0f0fu)) - 8;
      let high = vec4f(unpack4xU8(((*block).nibbles[w] >> 4u) & 0x0f0f0f0fu)) - 8;
      part += dot(low, x[b * 8u + w]) + dot(high, x[b * 8u + 4u + w]);
    }
    sum += part * scale.x;
  }
  y[id.x] = sum;
}
//! kernel mandelbrot accept groups=2,2
//! bind 0 w zero 256
//! bind 1 u =-2f,-1.25f,0.15625f,0.15625f
struct View { origin: vec2f, step: vec2f }
@group(0) @binding(0) var<storage, read_write> image: array<u32>;
@group(0) @binding(1) var<uniform> view: View;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = view.origin + vec2f(id.xy) * view.step;
  var z = vec2f();
  var n = 0u;
  while (n < 100u && dot(z, z) <= 4.0) {
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    n++;
  }
  image[id.y * 16u + id.x] = n;
}
//! kernel ray_march accept groups=2,2 ulp=100000 abs=0.01
//! bind 0 w zero 256
@group(0) @binding(0) var<storage, read_write> image: array<f32>;
struct Ray { origin: vec3f, dir: vec3f }
struct Hit { dist: f32, steps: u32, found: bool, normal: vec3f }
fn sphere(p: vec3f, r: f32) -> f32 { return length(p) - r; }
fn box(p: vec3f, b: vec3f) -> f32 {
  let q = abs(p) - b;
  return length(max(q, vec3f(0.0))) + min(max(q.x, max(q.y, q.z)), 0.0);
}
fn scene(p: vec3f) -> f32 {
  return min(sphere(p - vec3f(0.0, 0.0, 3.0), 1.0), box(p - vec3f(1.5, 0.0, 4.0), vec3f(0.5)));
}
fn normal_at(p: vec3f) -> vec3f {
  const e = vec2f(0.01, 0.0);
  return normalize(vec3f(scene(p + e.xyy) - scene(p - e.xyy), scene(p + e.yxy) - scene(p - e.yxy),
                         scene(p + e.yyx) - scene(p - e.yyx)));
}
fn march(ray: Ray) -> Hit {
  var hit = Hit();
  for (; hit.steps < 40u; hit.steps++) {
    let p = ray.origin + ray.dir * hit.dist;
    let d = scene(p);
    if (d < 0.001) {
      hit.found = true;
      hit.normal = normal_at(p);
      return hit;
    }
    hit.dist += d;
    if (hit.dist > 10.0) { break; }
  }
  return hit;
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let uv = (vec2f(id.xy) + 0.5) / 8.0 - 1.0;
  let ray = Ray(vec3f(0.0), normalize(vec3f(uv, 1.5)));
  let hit = march(ray);
  image[id.y * 16u + id.x] = select(0.0, 0.1 + max(dot(hit.normal, vec3f(0.0, 0.6, -0.8)), 0.0), hit.found);
}
//! kernel bvh_traversal accept
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> found: array<u32>;
struct Node { low: i32, high: i32, left: u32, right: u32 }
/* A tree over the intervals [4 k, 4 k + 5], k < 8, leaves are nodes 7 to 14. */
var<workgroup> nodes: array<Node, 15>;
fn build() {
  for (var k = 0u; k < 8u; k++) { nodes[7u + k] = Node(i32(k) * 4, i32(k) * 4 + 5, 0u, 0u); }
  for (var n = 6; n >= 0; n--) {
    let l = 2u * u32(n) + 1u;
    nodes[n] = Node(min(nodes[l].low, nodes[l + 1u].low), max(nodes[l].high, nodes[l + 1u].high), l, l + 1u);
  }
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  if (i == 0u) { build(); }
  workgroupBarrier();
  let x = i32(i) - 8;
  var stack: array<u32, 16>;
  var top = 1u;
  var hits = 0u;
  var visited = 0u;
  while (top > 0u) {
    top--;
    let index = stack[top];
    let node = nodes[index];
    visited++;
    if (x < node.low || x > node.high) { continue; }
    if (node.left == 0u) {
      hits |= 1u << (index - 7u);
      continue;
    }
    stack[top] = node.left;
    stack[top + 1u] = node.right;
    top += 2u;
  }
  found[i] = hits | (visited << 16u);
}
//! kernel bfs_frontier accept
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> depth: array<u32>;
var<workgroup> dist: array<atomic<u32>, 64>;
var<workgroup> changed: atomic<u32>;
/* Breadth first over the graph i -> 2 i, i + 7, i ^ 1 (mod 64). */
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicStore(&dist[i], select(0xffffffffu, 0u, i == 1u));
  for (var level = 0u; level < 64u; level++) {
    if (i == 0u) { atomicStore(&changed, 0u); }
    workgroupBarrier();
    if (atomicLoad(&dist[i]) == level) {
      let to = array(2u * i % 64u, (i + 7u) % 64u, i ^ 1u);
      for (var k = 0; k < 3; k++) {
        if (atomicMin(&dist[to[k]], level + 1u) > level + 1u) { atomicStore(&changed, 1u); }
      }
    }
    if (workgroupUniformLoad(&changed) == 0u) { break; }
  }
  depth[i] = atomicLoad(&dist[i]);
}
//! kernel stream_compaction accept groups=2
//! bind 0 r word 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> items: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
var<workgroup> flags: array<u32, 32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32,
        @builtin(workgroup_id) wg: vec3u) {
  let keep = countOneBits(items[id.x]) % 2u == 0u;
  flags[i] = select(0u, 1u, keep);
  workgroupBarrier();
  var rank = 0u;
  for (var k = 0u; k < i; k++) { rank += flags[k]; }
  if (keep) { kept[wg.x * 32u + rank] = items[id.x]; }
}
//! kernel transpose_padded accept groups=2,2
//! bind 0 r word 256
//! bind 1 w zero 256
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
const B = 8;
var<workgroup> tile: array<u32, B * (B + 1)>;
@compute @workgroup_size(B, B / 2)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_id) id: vec3u) {
  for (var j = 0u; j < B; j += B / 2) {
    tile[(id.y + j) * (B + 1) + id.x] = src[(wg.y * B + id.y + j) * 16 + wg.x * B + id.x];
  }
  workgroupBarrier();
  for (var j = 0u; j < B; j += B / 2) {
    dst[(wg.x * B + id.y + j) * 16 + wg.y * B + id.x] = tile[id.x * (B + 1) + id.y + j];
  }
}
//! kernel spmv_csr accept
//! bind 0 r =0,2,2,5,6,9,9,12,16
//! bind 1 r =1,5,0,3,7,2,1,4,6,0,2,5,0,3,4,7
//! bind 2 r unit 16
//! bind 3 r unit 8
//! bind 4 w zero 8
@group(0) @binding(0) var<storage, read> row_start: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = arrayLength(&y);
  if (id.x >= rows) { return; }
  var sum = 0.0;
  for (var k = row_start[id.x]; k < row_start[id.x + 1u]; k += 1u) { sum += values[k] * x[columns[k]]; }
  y[id.x] = sum;
}
//! kernel heat_jacobi accept
//! bind 0 w zero 256
@group(0) @binding(0) var<storage, read_write> field: array<f32>;
var<workgroup> grid: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) id: vec3u) {
  let x = id.x;
  let y = id.y;
  let fixed = x == 0u || y == 0u || x == 15u || y == 15u;
  grid[y][x] = select(0.0, 100.0, y == 0u);
  workgroupBarrier();
  for (var i = 0; i < 25; i++) {
    let old = grid[y][x];
    var fresh = old;
    if (!fixed) { fresh = 0.25 * (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1]); }
    workgroupBarrier();
    grid[y][x] = fresh;
    workgroupBarrier();
  }
  field[y * 16u + x] = grid[y][x];
}
//! kernel levenshtein_wavefront accept
//! bind 0 r small 32
//! bind 1 w zero 1
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> cost: u32;
var<workgroup> diag: array<array<u32, 17>, 3>;
@compute @workgroup_size(17)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var d = 0u; d <= 32u; d++) {
    let j = d - i;
    if (i <= d && j <= 16u) {
      var best = max(i, j);
      if (min(i, j) > 0u) {
        let same = (text[i - 1u] & 3u) == (text[16u + j - 1u] & 3u);
        best = min(diag[(d + 1u) % 3u][i - 1u] + u32(!same),
                   min(diag[(d + 2u) % 3u][i - 1u], diag[(d + 2u) % 3u][i]) + 1u);
      }
      diag[d % 3u][i] = best;
    }
    workgroupBarrier();
  }
  if (i == 16u) { cost = diag[32u % 3u][16]; }
}
//! kernel black_scholes accept ulp=4096 abs=0.0005
//! bind 0 r pos 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> spot: array<f32>;
@group(0) @binding(1) var<storage, read_write> call: array<f32>;
const SQRT1_2 = 0.70710678;
fn cdf(x: f32) -> f32 {
  /* Abramowitz and Stegun 26.2.17 */
  let k = 1.0 / (1.0 + 0.2316419 * abs(x));
  let w = 0.3989422804 * exp(-0.5 * x * x) *
          (k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
  return select(w, 1.0 - w, x >= 0.0);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  const strike = 8.0;
  const r = 0.02;
  const sigma = 0.3;
  const years = 1.0;
  let s = spot[id.x];
  let d1 = (log(s / strike) + (r + sigma * sigma / 2.0) * years) / (sigma * sqrt(years));
  let d2 = d1 - sigma * sqrt(years);
  call[id.x] = s * cdf(d1) - strike * exp(-r * years) * cdf(d2);
}
//! kernel perlin_noise accept groups=2,2 ulp=64 abs=0.00001
//! bind 0 w zero 256
@group(0) @binding(0) var<storage, read_write> o: array<f32>;
fn hash2(p: vec2i) -> u32 {
  var h = (u32(p.x) * 0x27d4eb2du) ^ (u32(p.y) * 0x165667b1u);
  h = (h ^ (h >> 15u)) * 0x85ebca77u;
  return h ^ (h >> 13u);
}
fn gradient(h: u32, d: vec2f) -> f32 {
  switch (h & 3u) {
    case 0u, 1u: { return select(-d.x, d.x, h % 2u == 0u) + d.y; }
    case 2u: { return d.x - d.y; }
    default: { return -d.x - d.y; }
  }
}
fn noise(p: vec2f) -> f32 {
  let cell = vec2i(floor(p));
  let f = fract(p);
  let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  let a = mix(gradient(hash2(cell), f), gradient(hash2(cell + vec2(1, 0)), f - vec2(1.0, 0.0)), u.x);
  let b = mix(gradient(hash2(cell + vec2(0, 1)), f - vec2(0.0, 1.0)), gradient(hash2(cell + 1), f - 1.0), u.x);
  return mix(a, b, u.y);
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  var scale = 1.0;
  var p = vec2f(id.xy) * 0.3125 - 2.5;
  for (var octave = 0; octave < 4; octave++) {
    sum += noise(p) * scale;
    p *= 2.0;
    scale *= 0.5;
  }
  o[id.y * 16u + id.x] = sum;
}
//! kernel chacha20 accept
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> keystream: array<vec4<u32>>;
fn rotl(v: vec4u, n: u32) -> vec4u { return (v << vec4u(n)) | (v >> vec4u(32u - n)); }
fn quarter(s: ptr<function, mat4>) {
  (*s)[0] += (*s)[1]; (*s)[3] = rotl((*s)[3] ^ (*s)[0], 16u);
  (*s)[2] += (*s)[3]; (*s)[1] = rotl((*s)[1] ^ (*s)[2], 12u);
  (*s)[0] += (*s)[1]; (*s)[3] = rotl((*s)[3] ^ (*s)[0], 8u);
  (*s)[2] += (*s)[3]; (*s)[1] = rotl((*s)[1] ^ (*s)[2], 7u);
}
alias mat4 = array<vec4u, 4>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let start = mat4(vec4u(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574),
                   vec4u(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c),
                   vec4u(0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c),
                   vec4u(id.x + 1u, 0x09000000, 0x4a000000, 0));
  var s = start;
  for (var round = 0; round < 10; round++) {
    quarter(&s);
    s[1] = s[1].yzwx;
    s[2] = s[2].zwxy;
    s[3] = s[3].wxyz;
    quarter(&s);
    s[1] = s[1].wxyz;
    s[2] = s[2].zwxy;
    s[3] = s[3].yzwx;
  }
  for (var r = 0u; r < 4u; r++) { keystream[id.x * 4u + r] = s[r] + start[r]; }
}
//! kernel crc32 accept
//! bind 0 r word 64
//! bind 1 w zero 16
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> crcs: array<u32>;
var<workgroup> table: array<u32, 256>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var n = i; n < 256u; n += 16u) {
    var c = n;
    for (var k = 0; k < 8; k++) { c = select(c >> 1u, 0xedb88320u ^ (c >> 1u), (c & 1u) == 1u); }
    table[n] = c;
  }
  workgroupBarrier();
  var crc = ~0u;
  for (var w = 0u; w < 4u; w++) {
    for (var b = 0u; b < 4u; b++) {
      let byte = extractBits(data[i * 4u + w], b * 8u, 8u);
      crc = table[(crc ^ byte) & 0xffu] ^ (crc >> 8u);
    }
  }
  crcs[i] = ~crc;
}
//! kernel big_multiply accept
//! bind 0 r word 16
//! bind 1 w zero 16
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> product: array<u32>;
fn wide(a: u32, b: u32) -> vec2u {
  let al = a & 0xffff;
  let ah = a >> 16;
  let bl = b & 0xffff;
  let bh = b >> 16;
  let mid = al * bh + ((al * bl) >> 16);
  let mid2 = ah * bl + (mid & 0xffff);
  return vec2u((mid2 << 16) | ((al * bl) & 0xffff), ah * bh + (mid >> 16) + (mid2 >> 16));
}
/* 256 bits times 256 bits, little end first. */
@compute @workgroup_size(1)
fn main() {
  for (var i = 0; i < 8; i++) {
    var carry = 0u;
    for (var j = 0; j < 8; j++) {
      var p = wide(x[i], x[8 + j]);
      p.x += carry;
      p.y += u32(p.x < carry);
      product[i + j] += p.x;
      carry = p.y + u32(product[i + j] < p.x);
    }
    product[i + 8] = carry;
  }
}
//! kernel nqueens accept
//! bind 0 w zero 64
@group(0) @binding(0) var<storage, read_write> solutions: array<u32>;
const N = 8u;
/* Each invocation counts from its first two queens on, with a stack of its own. */
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) id: u32) {
  var cols: array<u32, N>;
  var d1: array<u32, N>;
  var d2: array<u32, N>;
  var left: array<u32, N>;
  let a = 1u << (id % N);
  let b = 1u << (id / N);
  if ((b & (a | (a << 1u) | (a >> 1u))) != 0u) { return; }
  const all = (1u << N) - 1u;
  cols[2] = a | b;
  d1[2] = ((a << 1u) | b) << 1u;
  d2[2] = ((a >> 1u) | b) >> 1u;
  left[2] = all & ~(cols[2] | d1[2] | d2[2]);
  var row = 2u;
  var n = 0u;
  loop {
    if (left[row] == 0u) {
      if (row == 2u) { break; }
      row--;
      continue;
    }
    let bit = left[row] & (~left[row] + 1u);
    left[row] &= ~bit;
    if (row == N - 1u) {
      n++;
      continue;
    }
    cols[row + 1u] = cols[row] | bit;
    d1[row + 1u] = (d1[row] | bit) << 1u;
    d2[row + 1u] = (d2[row] | bit) >> 1u;
    row++;
    left[row] = all & ~(cols[row] | d1[row] | d2[row]);
  }
  solutions[id] = n;
}
//! kernel skinning accept ulp=64 abs=0.00001
//! bind 0 r unit 128
//! bind 1 u =1f,0,0,0,0,1f,0,0,0,0,1f,0,0.5f,0.25f,0,1f,0,1f,0,0,-1f,0,0,0,0,0,1f,0,0,0,2f,1f
//! bind 2 w zero 128
struct Vertex { position: vec3f, weight: f32, normal: vec3<f32>, bone: u32 }
@group(0) @binding(0) var<storage, read> vertices: array<Vertex>;
@group(0) @binding(1) var<uniform> bones: array<mat4x4<f32>, 2>;
@group(0) @binding(2) var<storage, read_write> moved: array<Vertex>;
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let v = vertices[id.x];
  let w = abs(v.weight);
  let m = bones[0] * w + bones[1] * (1.0 - w);
  let turn = mat3x3f(m[0].xyz, m[1].xyz, m[2].xyz);
  var out = v;
  out.position = (m * vec4f(v.position, 1.0)).xyz;
  out.normal = turn * v.normal;
  out.bone = v.bone & 1u;
  moved[id.x] = out;
}
//! kernel particles accept
//! bind 0 w unit 128
//! bind 1 u =0.125f,-1f,1f,0.75f
struct Particle { pos: vec2<f32>, vel: vec2<f32> };
struct Params { dt: f32, low: f32, high: f32, bounce: f32 };
@binding(0) @group(0) var<storage, read_write> particles : array<Particle>;
@binding(1) @group(0) var<uniform> params : Params;
@compute @workgroup_size(32, 1, 1)
fn main(@builtin(global_invocation_id) GlobalInvocationID : vec3<u32>) {
  let index: u32 = GlobalInvocationID.x;
  if (index >= arrayLength(&particles)) { return; };
  var p = particles[index];
  for (var step: u32 = 0u; step < 4u; step = step + 1u) {
    p.vel.y -= 0.25 * params.dt;
    p.pos += p.vel * params.dt;
    for (var axis = 0; axis < 2; axis++) {
      if (p.pos[axis] < params.low) { p.pos[axis] = params.low; p.vel[axis] *= -params.bounce; }
      else if (p.pos[axis] > params.high) { p.pos[axis] = params.high; p.vel[axis] *= -params.bounce; }
    }
  }
  particles[index] = p;
}
//! kernel dct_8x8 accept
//! bind 0 r small 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> block: array<u32>;
@group(0) @binding(1) var<storage, read_write> coefficients: array<i32>;
override inverse = false;
var<workgroup> rows: array<vec4i, 16>;
/* The integer transform of 4 x 4 blocks, on the four of an 8 x 8 block. */
fn pass1(v: vec4i) -> vec4i {
  let s = v.xy + v.wz;
  let d = v.xy - v.wz;
  return vec4i(s.x + s.y, 2 * d.x + d.y, s.x - s.y, d.x - 2 * d.y);
}
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  let b = i / 4u;
  let r = i % 4u;
  let at = (b / 2u * 4u + r) * 8u + b % 2u * 4u;
  rows[i] = pass1(vec4i(vec4u(block[at], block[at + 1], block[at + 2], block[at + 3])));
  workgroupBarrier();
  let column = vec4i(rows[b * 4u][r], rows[b * 4u + 1u][r], rows[b * 4u + 2u][r], rows[b * 4u + 3u][r]);
  let t = pass1(column);
  for (var k = 0u; k < 4u; k++) {
    if inverse { coefficients[i * 4u + k] = -t[k]; } else { coefficients[i * 4u + k] = t[k]; }
  }
}
//! kernel gemm_f16 accept null ulp=64
//! bind 0 r =0x3c003800,0x40003c00,0x3a004200,0x34003e00,0x38003c00,0x3c004000,0x42003a00,0x3e003400
//! bind 1 w zero 4
enable f16;
@group(0) @binding(0) var<storage, read> x: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let m = mat4x2h(x[0].xy, x[0].zw, x[1].xy, x[1].zw);
  var sum = 0.0h;
  for (var i = 0u; i < 4u; i++) { sum = fma(x[i % 2u + 2u][i], x[1][id.x], sum); }
  let v = m * x[2];
  y[id.x] = f32(sum) + f32(v[id.x % 2u]);
}
