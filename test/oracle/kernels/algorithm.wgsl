//! kernel decoupled_look_back accept groups=1
//! bind 0 r small 1024
//! bind 1 w zero 1024
//! bind 2 w zero 9
const BLOCK = 128u;
const PARTS = 1024u / BLOCK;
const FLAG_NOT_READY = 0u; const FLAG_AGGREGATE = 1u << 30; const FLAG_PREFIX = 2u << 30;
const FLAG_MASK = 3u << 30; const VALUE_MASK = ~FLAG_MASK;
struct Control { next_part: atomic<u32>, state: array<atomic<u32>, PARTS> }
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> control: Control;
var<workgroup> wg_part: u32;
var<workgroup> wg_scan: array<u32, BLOCK / 4>;
var<workgroup> wg_prefix: u32;
fn look_back(part: u32, aggregate: u32) -> u32 {
  if (part == 0u) { atomicStore(&control.state[0], FLAG_PREFIX | aggregate); return 0u; }
  atomicStore(&control.state[part], FLAG_AGGREGATE | aggregate);
  var exclusive = 0u;
  var at = part - 1u;
  var spins = 0u;
  loop {
    let s = atomicLoad(&control.state[at]);
    switch s & FLAG_MASK {
      case FLAG_PREFIX: { exclusive += s & VALUE_MASK; }
      case FLAG_AGGREGATE: { exclusive += s & VALUE_MASK; at -= 1u; continue; }
      case default { spins += 1u; if (spins < 100000u) { continue; } }
    }
    break;
  }
  atomicStore(&control.state[part], FLAG_PREFIX | (exclusive + aggregate));
  return exclusive;
}
@compute @workgroup_size(BLOCK / 4)
fn main(@builtin(local_invocation_index) lane: u32) {
  loop {
    if (lane == 0u) { wg_part = atomicAdd(&control.next_part, 1u); }
    let part = workgroupUniformLoad(&wg_part);
    if (part >= PARTS) { break; }
    let at = part * BLOCK / 4u + lane;
    var v = input[at];
    v.y += v.x; v.z += v.y; v.w += v.z;
    wg_scan[lane] = v.w;
    for (var d = 1u; d < BLOCK / 4u; d <<= 1u) {
      workgroupBarrier();
      var add = select(0u, wg_scan[max(lane, d) - d], lane >= d);
      workgroupBarrier();
      wg_scan[lane] += add;
    }
    workgroupBarrier();
    if (lane == BLOCK / 4u - 1u) { wg_prefix = look_back(part, wg_scan[lane]); }
    let prefix = workgroupUniformLoad(&wg_prefix);
    output[at] = v + (prefix + wg_scan[lane] - v.w);
  }
}
//! kernel bitonic_override accept set=LOG2:7
//! bind 0 r i32x 128
//! bind 1 w zero 256
override LOG2: u32 = 4;
override N = 1u << LOG2;
override THREADS: u32 = min(N / 2, 256);
override DESCENDING = false;
struct Pair { key: i32, index: u32 }
@group(0) @binding(0) var<storage, read> keys: array<i32>;
@group(0) @binding(1) var<storage, read_write> sorted: array<Pair>;
var<workgroup> pairs: array<Pair, N>;
fn less(a: Pair, b: Pair) -> bool { return a.key < b.key || (a.key == b.key && a.index < b.index); }
fn order(i: u32, j: u32) {
  let a = pairs[i]; let b = pairs[j];
  if (less(b, a) != DESCENDING) { pairs[i] = b; pairs[j] = a; }
}
@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) t: u32) {
  for (var i = t; i < N; i += THREADS) { pairs[i] = Pair(keys[i], i); }
  workgroupBarrier();
  for (var h = 2u; h <= N; h *= 2u) {
    { let q = (2u * t) / h * h; let r = t % (h / 2u); order(q + r, q + h - 1u - r); }
    workgroupBarrier();
    for (var hh = h / 2u; hh > 1u; hh /= 2u) {
      let q = (2u * t) / hh * hh;
      let r = t % (hh / 2u);
      order(q + r, q + r + hh / 2u);
      workgroupBarrier();
    }
  }
  for (var i = t; i < N; i += THREADS) { sorted[i] = pairs[i]; }
}
//! kernel union_find accept groups=1
//! bind 0 r word 64
//! bind 1 w iota 64
struct Edge { packed: u32 }
@group(0) @binding(0) var<storage, read> edges: array<Edge>;
@group(0) @binding(1) var<storage, read_write> parent: array<atomic<u32>, 64>;
fn find(x: u32) -> u32 {
  var at = x;
  loop {
    let p = atomicLoad(&parent[at]);
    if (p == at) { return at; }
    let gp = atomicLoad(&parent[p]);
    if (gp != p) { _ = atomicCompareExchangeWeak(&parent[at], p, gp); }
    at = gp;
  }
}
fn unite(a: u32, b: u32) -> bool {
  var x = find(a); var y = find(b);
  while (x != y) {
    if (x < y) { let t = x; x = y; y = t; }
    let r = atomicCompareExchangeWeak(&parent[x], x, y);
    if (r.exchanged) { return true; }
    x = find(r.old_value);
    y = find(y);
  }
  return false;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  if (i < 40u) { let e = edges[i]; unite(e.packed & 63u, (e.packed >> 8u) & 63u); }
  storageBarrier();
  workgroupBarrier();
  let root = find(i);
  storageBarrier();
  atomicStore(&parent[i], root);
}
//! kernel sudoku accept
//! bind 0 r =53,0x70000,0x600195,0x98000006,0x80006000,0x34008030,0x17000200,0x06060000,0x28000041,0x90050000,0x80079000
//! bind 1 w zero 82
@group(0) @binding(0) var<storage, read> givens: array<u32>;
@group(0) @binding(1) var<storage, read_write> grid: array<u32, 82>;
var<private> row: array<u32, 9>;
var<private> col: array<u32, 9>;
var<private> box: array<u32, 9>;
const ALL = (1u << 9) - 1;
fn candidates(c: u32) -> u32 { return ALL & ~(row[c / 9] | col[c % 9] | box[c / 27 * 3 + c % 9 / 3]); }
fn toggle(c: u32, bit: u32) { row[c / 9] ^= bit; col[c % 9] ^= bit; box[(c / 27) * 3 + (c % 9) / 3] ^= bit; }
struct Frame { cell: u32, left: u32, bit: u32 }
@compute @workgroup_size(1)
fn main() {
  // A puzzle as a string of digits, here derived from a few words.
  const puzzle = array(5, 3, 0, 0, 7, 0, 0, 0, 0, 6, 0, 0, 1, 9, 5, 0, 0, 0, 0, 9, 8, 0, 0, 0, 0, 6, 0, 8, 0, 0, 0, 6, 0, 0, 0, 3, 4,
    0, 0, 8, 0, 3, 0, 0, 1, 7, 0, 0, 0, 2, 0, 0, 0, 6, 0, 6, 0, 0, 0, 0, 2, 8, 0, 0, 0, 0, 4, 1, 9, 0, 0, 5, 0, 0, 0, 0, 8, 0, 0, 7, 9,);
  var cells: array<u32, 81>;
  for (var i = 0u; i < 81; i++) {
    let d = puzzle[i];
    if (d == 0) { continue; }
    cells[i] = 1u << u32(d - 1);
    toggle(i, cells[i]);
  }
  var stack: array<Frame, 81>;
  var depth = 0u;
  var steps = givens[0] - 53;
  var descend = true;
  loop {
    if descend {
      var best = 81u; var fewest = 10u;
      for (var i = 0u; i < 81; i++) {
        if (cells[i] != 0) { continue; }
        let n = countOneBits(candidates(i));
        if (n < fewest) { best = i; fewest = n; if n < 2 { break; } }
      }
      if (best == 81) { break; }
      stack[depth] = Frame(best, candidates(best), 0);
      depth++;
    }
    let f = &stack[depth - 1];
    if ((*f).bit != 0) { toggle(f.cell, f.bit); cells[f.cell] = 0; }
    f.bit = f.left & (~f.left + 1);
    if (f.bit == 0) { depth--; descend = false; if depth == 0 { break; } continue; }
    f.left ^= f.bit;
    cells[f.cell] = f.bit;
    toggle(f.cell, f.bit);
    descend = true;
    steps++;
  }
  for (var i = 0u; i < 81; i++) { grid[i] = firstTrailingBit(cells[i]) + 1; }
  grid[81] = steps;
}
//! kernel life_packed accept
//! bind 0 r word 32
//! bind 1 w zero 32
@group(0) @binding(0) var<storage, read> before: array<u32, 32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32, 32>;
var<workgroup> rows: array<u32, 32>;
struct Sum { ones: u32, twos: u32 }
fn rot(x: u32, by: i32) -> u32 {
  let n = u32(by & 31);
  return select((x << n) | (x >> ((32u - n) % 32u)), x, n == 0u);
}
fn full(a: u32, b: u32, c: u32) -> Sum { let x = a ^ b; return Sum(x ^ c, (a & b) | (x & c)); }
fn half_(a: u32, b: u32) -> Sum { return Sum(a ^ b, a & b); }
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) y: u32) {
  rows[y] = before[y];
  for (var generation = 0; generation < 16; generation++) {
    workgroupBarrier();
    let n = rows[(y + 31u) % 32u]; let c = rows[y]; let s = rows[(y + 1u) & 31u];
    let a = full(rot(n, 1), n, rot(n, -1));
    let b = full(rot(s, 1), s, rot(s, -1));
    let m = half_(rot(c, 1), rot(c, -1));
    let ones = full(a.ones, b.ones, m.ones);
    let t = full(a.twos, b.twos, m.twos);
    let twos = half_(t.ones, ones.twos);
    let fours = t.twos ^ twos.twos;
    let fours_carry = t.twos & twos.twos;
    workgroupBarrier();
    rows[y] = twos.ones & ~(fours | fours_carry) & (ones.ones | c);
  }
  after[y] = rows[y];
}
//! kernel montgomery accept
//! bind 0 r word 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> xs: array<u32>;
@group(0) @binding(1) var<storage, read_write> inverses: array<u32>;
const P = 2147483647u - 18; // 2^31 - 19
const_assert P % 2 == 1;
const R1 = u32((1u << 31) % P * 2 % P); // 2^32 mod p
const NEG_INV = (2 - P * 1) * 1u;
fn wide(a: u32, b: u32) -> vec2u {
  let a0 = a & 0xFFFFu; let a1 = a >> 16u; let b0 = b & 0xFFFFu; let b1 = b >> 16u;
  let p00 = a0 * b0; let p01 = a0 * b1; let p10 = a1 * b0; let p11 = a1 * b1;
  let mid = p10 + (p00 >> 16u) + (p01 & 0xFFFFu);
  return vec2u((mid << 16u) | (p00 & 0xFFFFu), p11 + (mid >> 16u) + (p01 >> 16u));
}
fn inverse_of_p() -> u32 {
  var x = 1u;
  for (var i = 0; i < 5; i++) { x *= 2u - P * x; }
  return 0u - x;
}
fn redc(t: vec2u, pinv: u32) -> u32 {
  let m = t.x * pinv;
  let mp = wide(m, P);
  let low = t.x + mp.x;
  let carry = u32(low < t.x);
  let r = t.y + mp.y + carry;
  return select(r, r - P, r >= P);
}
fn power(base: u32, e_: u32, pinv: u32) -> u32 {
  var e = e_; var b = base; var r = R1;
  while (e > 0u) {
    if (bool(e & 1u)) { r = redc(wide(r, b), pinv); }
    b = redc(wide(b, b), pinv);
    e >>= 1u;
  }
  return r;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3u) {
  let pinv = inverse_of_p();
  let x = xs[g.x] % P;
  let r2 = redc(wide(R1, R1), pinv);
  // R1 * R1 / R = R1; R^2 mod p by doubling
  var rr = R1;
  for (var i = 0; i < 32; i++) { rr = rr << 1u; if (rr >= P) { rr -= P; } }
  let xm = redc(wide(x, rr), pinv);
  let inv = power(xm, P - 2u, pinv);
  let one = redc(wide(inv, xm), pinv);
  inverses[g.x] = redc(vec2(inv, 0u), pinv) ^ select(0u, 0x80000000u, x != 0u && one != R1) ^ select(0u, 0x40000000u, r2 != R1);
}
//! kernel elliptic_curve accept
//! bind 0 r word 64
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> scalars: array<u32>;
@group(0) @binding(1) var<storage, read_write> points: array<vec2u>;
// y^2 = x^3 + 2x + 3 over F_65521-ish prime that fits products into 32 bits
const P = 65519u;
const A = 2u; const B = 3u;
alias F = u32;
struct Jacobian { x: F, y: F, z: F }
const INFINITY = Jacobian(1, 1, 0);
fn add(a: F, b: F) -> F { let s = a + b; return select(s, s - P, s >= P); }
fn sub(a: F, b: F) -> F { return add(a, P - b); }
fn mul(a: F, b: F) -> F { return (a * b) % P; }
fn sq(a: F) -> F { return mul(a, a); }
fn double_(p: Jacobian) -> Jacobian {
  if (p.z == 0 || p.y == 0) { return INFINITY; }
  let yy = sq(p.y);
  let s = mul(4, mul(p.x, yy));
  let m = add(mul(3, sq(p.x)), mul(A, sq(sq(p.z))));
  let x = sub(sq(m), add(s, s));
  return Jacobian(x, sub(mul(m, sub(s, x)), mul(8, sq(yy))), mul(add(p.y, p.y), p.z));
}
fn add_points(p: Jacobian, q: Jacobian) -> Jacobian {
  if (p.z == 0) { return q; }
  if (q.z == 0) { return p; }
  let z1 = sq(p.z); let z2 = sq(q.z);
  let u1 = mul(p.x, z2); let u2 = mul(q.x, z1);
  let s1 = mul(p.y, mul(z2, q.z)); let s2 = mul(q.y, mul(z1, p.z));
  if (u1 == u2) { if (s1 != s2) { return INFINITY; } else { return double_(p); } }
  let h = sub(u2, u1); let r = sub(s2, s1);
  let hh = sq(h); let hhh = mul(hh, h); let v = mul(u1, hh);
  let x = sub(sub(sq(r), hhh), add(v, v));
  return Jacobian(x, sub(mul(r, sub(v, x)), mul(s1, hhh)), mul(h, mul(p.z, q.z)));
}
fn pow(b_: F, e_: u32) -> F {
  var b = b_; var e = e_; var r: F = 1;
  for (; e != 0; e >>= 1) { if ((e & 1) != 0) { r = mul(r, b); } b = mul(b, b); }
  return r;
}
fn affine(p: Jacobian) -> vec2<F> {
  if p.z == 0 { return vec2<F>(); }
  let i = pow(p.z, P - 2);
  let ii = mul(i, i);
  return vec2<F>(mul(p.x, ii), mul(p.y, mul(ii, i)));
}
fn base_point() -> Jacobian {
  for (var x: F = 1; ; x++) {
    let rhs = add(add(mul(sq(x), x), mul(A, x)), B);
    let y = pow(rhs, (P + 1) / 4);
    if (sq(y) == rhs) { return Jacobian(x, y, 1); }
  }
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let g = base_point();
  var r = INFINITY;
  for (var bit = 31i; bit >= 0; bit--) {
    r = double_(r);
    if (extractBits(scalars[id.x], u32(bit), 1u) == 1u) { r = add_points(r, g); }
  }
  let a = affine(r);
  let ok = r.z == 0 || sq(a.y) == add(add(mul(sq(a.x), a.x), mul(A, a.x)), B);
  points[id.x] = select(vec2u(~0u), a, ok);
  points[id.x + 32] = affine(add_points(add_points(g, r), Jacobian(g.x, P - g.y, 1))) - a;
}
//! kernel smith_waterman accept groups=8
//! bind 0 r word 16
//! bind 1 w zero 32
//! bind 2 u =2,-1,-3,-1
struct Scores { hit: i32, miss: i32, open: i32, extend: i32 }
@group(0) @binding(0) var<storage, read> dna: array<u32>;
@group(0) @binding(1) var<storage, read_write> best: array<vec4i>;
@group(0) @binding(2) var<uniform> scores: Scores;
const L = 16u;
struct Cell { h: i32, e: i32, f: i32 }
var<workgroup> diag: array<array<Cell, L + 1>, 3>;
var<workgroup> top: array<vec3i, L>;
fn base(word: u32, i: u32) -> u32 { return (dna[word] >> (2 * i)) & 3; }
fn better(a: vec3i, b: vec3i) -> vec3i {
  return select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y));
}
@compute @workgroup_size(L)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u) {
  const low = -1000;
  for (var d = 0; d < 3; d++) { diag[d][i + 1] = Cell(0, low, low); if i == 0 { diag[d][0] = Cell(0, low, low); } }
  workgroupBarrier();
  var mine = vec3i(0);
  for (var d = 0u; d < 2 * L - 1; d++) {
    let now = d % 3; let one = (d + 2) % 3; let two = (d + 1) % 3;
    let j = i32(d) - i32(i);
    if (j >= 0 && j < i32(L)) {
      let up = diag[one][i]; let left = diag[one][i + 1];
      var c: Cell;
      c.e = max(left.e + scores.extend, left.h + scores.open);
      c.f = max(up.f + scores.extend, up.h + scores.open);
      let s = select(scores.miss, scores.hit, base(w.x * 2, i) == base(w.x * 2 + 1, u32(j)));
      let corner = select(diag[two][i].h, 0, i == 0 || j == 0);
      c.h = max(max(0, corner + s), max(c.e, c.f));
      diag[now][i + 1] = c;
      if (c.h > mine.x) { mine = vec3(c.h, vec2i(vec2u(i, u32(j)))); }
    } else { diag[now][i + 1] = Cell(0, low, low); }
    workgroupBarrier();
  }
  top[i] = mine;
  workgroupBarrier();
  if (i == 0u) {
    var b = top[0];
    for (var k = 1u; k < L; k++) { b = better(top[k], b); }
    best[w.x] = vec4(b, bitcast<i32>(w.x));
  }
}
//! kernel big_divide accept
//! bind 0 r word 96
//! bind 1 w zero 128
// Knuth's algorithm D with limbs of 16 bits: 128 by 64 bits.
@group(0) @binding(0) var<storage, read> operands: array<array<u32, 6>>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 8>>;
const M = 8; const N = 4;
fn shifted(hi: u32, lo: u32, s: u32) -> u32 { return (((hi << 16) | lo) << s) >> 16; }
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var u: array<u32, M + 1>;
  var v: array<u32, N>;
  var q: array<u32, M - N + 1>;
  for (var i = 0; i < M; i++) { u[i] = (operands[id.x][i / 2] >> (16u * u32(i & 1))) & 0xffff; }
  for (var i = 0; i < N; i++) { v[i] = (operands[id.x][4 + i / 2] >> (16u * u32(i & 1))) & 0xffff; }
  v[N - 1] |= 1 + id.x;
  let s = countLeadingZeros(v[N - 1]) - 16;
  for (var i = N - 1; i >= 0; i--) {
    var below = 0u;
    if i > 0 { below = v[i - 1]; }
    v[i] = shifted(v[i], below, s) & 0xffff;
  }
  for (var i = M; i >= 0; i -= 1) {
    var below = 0u;
    if i > 0 { below = u[i - 1]; }
    u[i] = shifted(u[i], below, s) & 0xffff;
  }
  for (var j = M - N; j >= 0; j--) {
    let num = (u[j + N] << 16) | u[j + N - 1];
    var qhat = num / v[N - 1];
    var rhat = num % v[N - 1];
    while qhat > 0xffff || qhat * v[N - 2] > ((rhat << 16) | u[j + N - 2]) {
      qhat--;
      rhat += v[N - 1];
      if rhat > 0xffff { break; }
    }
    var borrow = 0i; var carry = 0u;
    for (var i = 0; i < N; i++) {
      let p = qhat * v[i] + carry;
      carry = p >> 16;
      let t = i32(u[i + j]) - borrow - i32(p & 0xffff);
      u[i + j] = u32(t) & 0xffff;
      borrow = select(0, 1, t < 0);
    }
    let t = i32(u[j + N]) - borrow - i32(carry);
    u[j + N] = u32(t) & 0xffff;
    q[j] = qhat;
    if t < 0 {
      q[j]--;
      var c = 0u;
      for (var i = 0; i < N; i++) {
        c += u[i + j] + v[i];
        u[i + j] = c & 0xffff;
        c >>= 16;
      }
      u[j + N] = (u[j + N] + c) & 0xffff;
    }
  }
  let out = &results[id.x];
  for (var i = 0; i < 5; i++) { (*out)[i] = q[i]; }
  for (var i = 0; i < 3; i++) { (*out)[5 + i] = ((u[i] | (u[i + 1] << 16)) >> s) & 0xffff; }
}
//! kernel dijkstra_heap accept
//! bind 0 r word 64
//! bind 1 w zero 16
struct Entry { distance: u32, node: u32, }
struct Heap { size: u32, entries: array<Entry, 64> }
@group(0) @binding(0) var<storage, read> arcs: array<u32>;
@group(0) @binding(1) var<storage, read_write> distance: array<u32>;
fn swap(a: ptr<function, Entry>, b: ptr<function, Entry>) { let t = *a; *a = *b; *b = t; }
fn swap_in(h: ptr<private, Heap>, i: u32, j: u32) { let t = h.entries[i]; h.entries[i] = h.entries[j]; (*h).entries[j] = t; }
var<private> heap: Heap;
fn push(d: u32, n: u32) {
  var i = heap.size;
  heap.size++;
  heap.entries[i] = Entry(d, n);
  while (i > 0u) {
    let up = (i - 1u) / 2u;
    if (heap.entries[up].distance <= heap.entries[i].distance) { break; }
    swap_in(&heap, i, up);
    i = up;
  }
}
fn pop() -> Entry {
  let top = heap.entries[0];
  heap.size--;
  heap.entries[0] = heap.entries[heap.size];
  var i = 0u;
  loop {
    var least = i;
    let l = 2u * i + 1u;
    for (var c = l; c < min(l + 2u, heap.size); c++) {
      if (heap.entries[c].distance < heap.entries[least].distance) { least = c; }
    }
    if (least == i) { return top; }
    swap_in(&heap, i, least);
    i = least;
  }
}
@compute @workgroup_size(1)
fn main() {
  for (var i = 0u; i < 16u; i++) { distance[i] = ~0u; }
  distance[0] = 0u;
  push(0u, 0u);
  while (heap.size > 0u) {
    let e = pop();
    if (e.distance > distance[e.node]) { continue; }
    for (var k = 0u; k < 4u; k++) {
      let arc = arcs[e.node * 4u + k];
      let to = arc & 15u; let d = e.distance + ((arc >> 4u) & 0xffu) + 1u;
      if (d < distance[to]) { distance[to] = d; if (heap.size < 64u) { push(d, to); } }
    }
  }
  var a = Entry(1u, 2u); var b = Entry(3u, 4u);
  swap(&a, &b);
  if (a.node != 4u) { distance[0] = 77u; }
}
//! kernel field_25519 accept
//! bind 0 r word 64
//! bind 1 w zero 64
alias Gf = array<i32, 16>;
@group(0) @binding(0) var<storage, read> input: array<array<u32, 8>>;
@group(0) @binding(1) var<storage, read_write> out: array<array<u32, 8>>;
fn carry(o: ptr<function, Gf>) {
  for (var i = 0; i < 16; i++) {
    let c = (*o)[i] >> 16;
    (*o)[i] &= 0xffff;
    if i < 15 { (*o)[i + 1] += c; } else { (*o)[0] += 38 * c; }
  }
}
fn mul(a: ptr<function, Gf>, b: ptr<function, Gf>) -> Gf {
  var lo: array<u32, 32>; var hi: array<u32, 32>;
  for (var i = 0; i < 16; i++) {
    for (var j = 0; j < 16; j++) {
      let p = u32((*a)[i]) * u32((*b)[j]);
      lo[i + j] += p & 0xffff;
      hi[i + j] += p >> 16;
    }
  }
  var o: Gf; var c = 0u; var t: array<u32, 32>;
  for (var i = 0; i < 32; i++) {
    var s = lo[i] + c;
    if i > 0 { s += hi[i - 1]; }
    t[i] = s & 0xffff; c = s >> 16;
  }
  for (var i = 0; i < 16; i++) { o[i] = i32(t[i] + 38 * t[i + 16]); }
  carry(&o); carry(&o);
  return o;
}
fn inverse(a: ptr<function, Gf>) -> Gf {
  var c = *a;
  for (var i = 253; i >= 0; i--) {
    c = mul(&c, &c);
    if i != 2 && i != 4 { c = mul(&c, a); }
  }
  return c;
}
fn reduce(g: ptr<function, Gf>) {
  for (var round = 0; round < 2; round++) {
    var m: Gf;
    m[0] = (*g)[0] - 0xffed;
    for (var i = 1; i < 15; i++) { m[i] = g[i] - 0xffff - ((m[i - 1] >> 16) & 1); m[i - 1] &= 0xffff; }
    m[15] = g[15] - 0x7fff - ((m[14] >> 16) & 1);
    let less = ((m[15] >> 16) & 1) == 1;
    m[14] &= 0xffff;
    if !less { *g = m; }
  }
}
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var x: Gf;
  for (var i = 0; i < 16; i++) { x[i] = i32((input[id.x][i / 2] >> (16 * u32(i & 1))) & 0xffff); }
  x[15] &= 0x7fff;
  var y = inverse(&x);
  var one = mul(&x, &y);
  reduce(&y); reduce(&one);
  let o = &out[id.x];
  for (var i = 0; i < 8; i++) { o[i] = u32(y[2 * i]) | (u32(y[2 * i + 1]) << 16); }
  for (var i = 1; i < 16; i++) { one[0] |= one[i]; }
  if (one[0] != 1) { (*o)[7] = 0xffffffff; }
}
//! kernel matmul_f16_blocks accept null ulp=64 abs=0.01
//! bind 0 r =0xbc003800,0x13570246,0x8ace9bdf,0x11223344,0x55667788,0x3c002e66,0xdeadbeef,0x01234567,0x89abcdef,0xfedcba98,0xb4003400,1,2,3,4
//! bind 1 w zero 64
enable f16;
requires packed_4x8_integer_dot_product;
struct Q4 { d: f16, m: f16, qs: array<u32, 4> }
@group(0) @binding(0) var<storage, read> blocks: array<Q4>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
fn dot_block(b: ptr<storage, Q4, read>, x: ptr<function, array<vec4h, 8>>) -> f32 {
  var sum = 0h;
  for (var i = 0u; i < 4u; i++) {
    let lo = unpack4xU8(b.qs[i] & 0x0f0f0f0fu); let hi = unpack4xU8((b.qs[i] >> 4u) & 0x0f0f0f0fu);
    sum += dot(vec4h(lo) * b.d + b.m, x[i]) + dot(fma(vec4h(hi), vec4h(b.d), vec4h(b.m)), x[i + 4]);
  }
  return f32(sum);
}
@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  var x: array<vec4h, 8>;
  for (var k = 0; k < 8; k++) { x[k] = vec4h(f16(k), 1h, -1.0h, 0x1p-3h); }
  y[i] = dot_block(&blocks[i], &x);
}
//! kernel barnes_hut_stack accept
//! bind 0 r small 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
struct Node { child: array<i32, 4>, mass: u32, weight: vec2u }
struct Tree { nodes: array<Node, 48>, used: i32 }
var<private> tree: Tree;
fn new_node(t: ptr<private, Tree>) -> i32 {
  let n = t.used;
  t.used += 1;
  (*t).nodes[n] = Node(array(-1, -1, -1, -1), 0, vec2u());
  return n;
}
fn touch(n: ptr<private, Node>, p: vec2u) { n.mass++; n.weight += p; }
fn insert(t: ptr<private, Tree>, p: vec2u) {
  var at = 0;
  for (var level = 1i; ; level--) {
    touch(&t.nodes[at], p);
    if level < 0 { break; }
    let quadrant = dot((p >> vec2(u32(level))) & vec2(1u), vec2(1u, 2u));
    let slot = &(*t).nodes[at].child[quadrant];
    if *slot < 0 { *slot = new_node(t); }
    at = *slot;
  }
}
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  _ = new_node(&tree);
  for (var i = 0u; i < 8; i++) { let k = keys[id.x * 8 + i]; insert(&tree, vec2u(k & 3, (k >> 2) & 3)); }
  var stack: array<vec2i, 16>; var sp = 0; var hash = 2166136261u;
  stack[sp] = vec2i(0, 0); sp++;
  while (sp > 0) {
    sp--;
    let top = stack[sp];
    let n = &tree.nodes[top.x];
    hash = (hash ^ (n.mass << u32(top.y)) ^ n.weight.x ^ (n.weight.y << 8)) * 16777619u;
    if (n.mass < 2) { continue; }
    for (var c = 3; c >= 0; c -= 1) {
      if n.child[c] >= 0 { stack[sp] = vec2i(n.child[c], top.y + 1); sp++; }
    }
  }
  result[id.x] = hash; result[id.x + 8] = u32(tree.used);
}
//! kernel shadowing_everything accept
//! bind 0 w zero 16
@group(0) @binding(0) var<storage, read_write> o: array<i32>;
const x = later * 2;
const later = i32(table[1].y) + max(3, 4);
const table = array(vec2(1, 2), vec2(3, 4));
alias Real = Inner; alias Inner = f32; alias Pairs = array<vec2<Real>, SIZE>; const SIZE = later / 2 - 2;
const_assert SIZE == 2 && x == 16;
fn min(a: i32, b: i32) -> i32 { return a * 100 + b; }
struct vec2s { x: i32, y: i32 }
fn swap(v: vec2s) -> vec2s { var v_ = v; { let v = v_.x; v_.x = v_.y; v_.y = v; } return v_; }
fn f(x: i32) -> i32 { var y = x; { var x = y + 1; { let y = x * 2; x = y; } y = x; } return y; }
@compute @workgroup_size(SIZE / 2)
fn main() {
  let x = x + 1; // the module's
  var o_ = 0;
  for (var x = x; x < 20; x++) { let x = x * 2; o_ += x; }
  o[0] = o_;
  o[1] = f(x);
  o[2] = min(1, 2);
  let i32 = 5u;
  o[3] = bitcast<vec2i>(vec2u(i32, 7)).x;
  let s = swap(vec2s(8, 9));
  o[4] = s.x * 10 + s.y;
  var pairs: Pairs;
  pairs[1].yx = vec2(1.5, 2.5);
  o[5] = vec4i(vec2i(pairs[1] * 2), vec2i(3, 4)).wzyx.zw.y;
  if true { let main = 3; o[6] = main; }
  switch x { case 17, 18 { let x = -x; o[7] = x; } default { } }
  var a = array(1, 2, 3, 4); let p = &a[2]; *p *= -3; (*p)++; a[(*p & 3)] -= 7; o[8] = a[0]; o[9] = a[2]; o[10] = a[1] + a[3];
  _ = f(1); _ = vec3(1, 2, 3); _ = &o; _ = p;
  o[11] = loop_in_switch_in_loop(10);
}
fn loop_in_switch_in_loop(n: i32) -> i32 {
  var sum = 0; var i = 0;
  loop {
    switch i % 4 {
      case 0: { if i > 5 { i += 3; continue; } sum += 1; }
      case 1: { for (var k = 0; ; k++) { if k == 3 { continue; } if k > i { break; } sum += k; } }
      case 2, default: {
        loop {
          if sum > 40 { break; }
          sum += 5;
          continuing { var t = sum; loop { t -= 3; continuing { sum++; break if t < 30; } } break if sum % 2 == 0; }
        }
        if i == 7 { return sum * 1000 + i; }
      }
    }
    continuing {
      i++;
      var j = 0;
      while j < 2 { j++; if j == 1 { continue; } sum ^= j; }
      break if i > n;
    }
  }
  return sum;
}
//! kernel sha512_pairs accept
//! bind 0 r word 64
//! bind 1 w zero 64
@group(0) @binding(0) var<storage, read> m: array<vec2u, 32>;
@group(0) @binding(1) var<storage, read_write> o: array<vec2u, 32>;
// 64 bits as (low, high)
fn add(a: vec2u, b: vec2u) -> vec2u { let l = a.x + b.x; return vec2u(l, a.y + b.y + u32(l < a.x)); }
fn rotr(v: vec2u, n: u32) -> vec2u {
  let w = select(v, v.yx, (n & 32u) != 0u); let k = n & 31u;
  if (k == 0u) { return w; }
  return (w >> vec2(k)) | (w.yx << vec2(32u - k));
}
fn shr(v: vec2u, n: u32) -> vec2u { return select(vec2u((v.x >> n) | (v.y << (32u - n)), v.y >> n), vec2u(v.y >> (n - 32u), 0u), vec2(n >= 32u)); }
fn s0(x: vec2u) -> vec2u { return rotr(x, 1u) ^ rotr(x, 8u) ^ shr(x, 7u); }
fn s1(x: vec2u) -> vec2u { return rotr(x, 19u) ^ rotr(x, 61u) ^ shr(x, 6u); }
fn S0(x: vec2u) -> vec2u { return rotr(x, 28u) ^ rotr(x, 34u) ^ rotr(x, 39u); }
fn S1(x: vec2u) -> vec2u { return rotr(x, 14u) ^ rotr(x, 18u) ^ rotr(x, 41u); }
fn ch(e: vec2u, f: vec2u, g: vec2u) -> vec2u { return (e & f) ^ (~e & g); }
fn maj(a: vec2u, b: vec2u, c: vec2u) -> vec2u { return (a & b) ^ (a & c) ^ (b & c); }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
  var w: array<vec2u, 16>; var h: array<vec2u, 8>;
  for (var i = 0u; i < 16u; i++) { w[i] = m[lane * 16u + i]; }
  for (var i = 0u; i < 8u; i++) { h[i] = w[i].yx ^ vec2u(0x6a09e667u, i * 0x9e3779b9u); }
  var v = h;
  for (var r = 0u; r < 80u; r++) {
    let i = r & 15u;
    if (r >= 16u) { w[i] = add(add(w[i], s0(w[(i + 1u) & 15u])), add(w[(i + 9u) & 15u], s1(w[(i + 14u) & 15u]))); }
    let t1 = add(add(v[7], S1(v[4])), add(ch(v[4], v[5], v[6]), add(vec2u(r * 0x428a2f98u, ~r), w[i])));
    let t2 = add(S0(v[0]), maj(v[0], v[1], v[2]));
    for (var k = 7u; k > 0u; k--) { v[k] = v[k - 1u]; }
    v[4] = add(v[4], t1);
    v[0] = add(t1, t2);
  }
  for (var i = 0u; i < 8u; i++) { o[lane * 8u + i] = add(h[i], v[i]); }
}
//! kernel pagerank_fixed accept
//! bind 0 r word 32
//! bind 1 w zero 64
const ITERATIONS = 8; const DAMP = u32(0.85 * 65536); const NODES = 32u;
@group(0) @binding(0) var<storage, read> adjacency: array<u32, NODES>;
@group(0) @binding(1) var<storage, read_write> out: array<array<u32, NODES>, 2>;
var<workgroup> next: array<atomic<u32>, NODES>;
var<workgroup> rank: array<u32, NODES>;
var<workgroup> moved: atomic<u32>;
var<workgroup> done: bool;
@compute @workgroup_size(NODES)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  let i = lid.x;
  rank[i] = 65536u;
  var iteration = 0u;
  for (; iteration < ITERATIONS; iteration++) {
    atomicStore(&next[i], (65536 - DAMP));
    if i == 0 { atomicStore(&moved, 0u); }
    workgroupBarrier();
    let links = adjacency[i] & ~(1u << i);
    let share = (rank[i] >> 4) * (DAMP >> 8) / max(countOneBits(links), 1) / 16;
    var left = links;
    while left != 0 { let to = firstTrailingBit(left); left &= left - 1; atomicAdd(&next[to], share); }
    workgroupBarrier();
    let r = atomicLoad(&next[i]);
    atomicMax(&moved, max(r, rank[i]) - min(r, rank[i]));
    rank[i] = r;
    workgroupBarrier();
    if i == NODES - 1 { done = atomicLoad(&moved) < 64; }
    if workgroupUniformLoad(&done) { break; }
  }
  out[0][i] = rank[i]; out[1][i] = iteration;
}
//! kernel hash_join accept
//! bind 0 r small 128
//! bind 1 w zero 128
//! bind 2 w zero 4
struct Row { key: u32, value: u32 }
struct Slot { key: atomic<u32>, count: atomic<u32>, sum: atomic<i32> }
@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read_write> groups: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> stats: array<atomic<u32>, 4>;
var<workgroup> slots: array<Slot, 32>;
const EMPTY = 0u;
fn slot_of(key: u32) -> u32 {
  var at = ((key * 2654435769u) >> 27u) % 32;
  for (var tries = 0; tries < 32; tries++) {
    let s = &slots[at];
    let seen = atomicLoad(&(*s).key);
    if seen == key { return at; }
    if seen == EMPTY {
      loop {
        let r = atomicCompareExchangeWeak(&s.key, EMPTY, key);
        if r.exchanged || r.old_value == key { return at; }
        if r.old_value != EMPTY { break; }
      }
    }
    at = (at + 1) & 31;
  }
  return ~0u;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  let row = rows[i];
  let at = slot_of(row.key + 1);
  if at != ~0u { atomicAdd(&slots[at].count, 1); atomicSub(&slots[at].sum, i32(row.value)); }
  else { atomicAdd(&stats[0], 1); }
  workgroupBarrier();
  if i < 32 {
    let k = atomicLoad(&slots[i].key);
    if k != EMPTY { groups[k] = vec4u(k, atomicLoad(&slots[i].count), bitcast<u32>(atomicLoad(&slots[i].sum)), 0); atomicMax(&stats[1], k); }
  }
}
//! kernel inverse_4x4 accept ulp=4096 abs=0.001
//! bind 0 r unit 256
//! bind 1 w zero 256
@group(0) @binding(0) var<storage, read> ms: array<mat4x4f, 16>;
@group(0) @binding(1) var<storage, read_write> out: array<mat4x4f, 16>;
fn inverse(m: mat4x4f) -> mat4x4f {
  let s = array(
    m[0][0] * m[1][1] - m[1][0] * m[0][1], m[0][0] * m[1][2] - m[1][0] * m[0][2], m[0][0] * m[1][3] - m[1][0] * m[0][3],
    m[0][1] * m[1][2] - m[1][1] * m[0][2], m[0][1] * m[1][3] - m[1][1] * m[0][3], m[0][2] * m[1][3] - m[1][2] * m[0][3]);
  let c = array(
    m[2][0] * m[3][1] - m[3][0] * m[2][1], m[2][0] * m[3][2] - m[3][0] * m[2][2], m[2][0] * m[3][3] - m[3][0] * m[2][3],
    m[2][1] * m[3][2] - m[3][1] * m[2][2], m[2][1] * m[3][3] - m[3][1] * m[2][3], m[2][2] * m[3][3] - m[3][2] * m[2][3]);
  let det = s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0];
  return (1 / det) * mat4x4f(
    m[1].y * c[5] - m[1].z * c[4] + m[1].w * c[3], -m[0].y * c[5] + m[0].z * c[4] - m[0].w * c[3],
    m[3].y * s[5] - m[3].z * s[4] + m[3].w * s[3], -m[2].y * s[5] + m[2].z * s[4] - m[2].w * s[3],
    -m[1].x * c[5] + m[1].z * c[2] - m[1].w * c[1], m[0].x * c[5] - m[0].z * c[2] + m[0].w * c[1],
    -m[3].x * s[5] + m[3].z * s[2] - m[3].w * s[1], m[2].x * s[5] - m[2].z * s[2] + m[2].w * s[1],
    m[1].x * c[4] - m[1].y * c[2] + m[1].w * c[0], -m[0].x * c[4] + m[0].y * c[2] - m[0].w * c[0],
    m[3].x * s[4] - m[3].y * s[2] + m[3].w * s[0], -m[2].x * s[4] + m[2].y * s[2] - m[2].w * s[0],
    -m[1].x * c[3] + m[1].y * c[1] - m[1].z * c[0], m[0].x * c[3] - m[0].y * c[1] + m[0].z * c[0],
    -m[3].x * s[3] + m[3].y * s[1] - m[3].z * s[0], m[2].x * s[3] - m[2].y * s[1] + m[2].z * s[0]);
}
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  let diagonal = mat4x4f(vec4f(3, 0, 0, 0), vec4f(0, 3, 0, 0), vec4f(0, 0, 3, 0), vec4f(0, 0, 0, 3));
  let m = ms[i] + diagonal;
  out[i] = inverse(m);
  out[i][3] += (m * inverse(m) - diagonal * (1. / 3))[i % 4];
}
//! kernel multigrid_v_cycle accept
//! bind 0 r unit 64
//! bind 1 w zero 64
override LEVELS = 4u;
const N = 64u;
@group(0) @binding(0) var<storage, read> rhs: array<f32, N>;
@group(0) @binding(1) var<storage, read_write> solution: array<f32, N>;
struct Level { u: array<f32, N>, f: array<f32, N> }
var<workgroup> level: array<Level, 4>;
fn at(l: u32, i: i32, n: u32) -> f32 { return select(0, level[l].u[clamp(i, 0, i32(n) - 1)], i >= 0 && i < i32(n)); }
fn smooth_level(l: u32, n: u32, i: u32, times: u32) {
  for (var t = 0u; t < times; t++) {
    for (var color = 0u; color < 2u; color++) {
      if (i < n && (i & 1u) == color) { level[l].u[i] = 0.5 * (at(l, i32(i) - 1, n) + at(l, i32(i) + 1, n) + level[l].f[i]); }
      workgroupBarrier();
    }
  }
}
fn residual(l: u32, n: u32, i: u32) -> f32 { return level[l].f[i] - 2 * level[l].u[i] + at(l, i32(i) - 1, n) + at(l, i32(i) + 1, n); }
@compute @workgroup_size(N)
fn main(@builtin(local_invocation_index) i: u32) {
  level[0].f[i] = rhs[i];
  for (var cycle = 0; cycle < 2; cycle++) {
    for (var l = 0u; l + 1u < LEVELS; l++) {
      let n = N >> l;
      workgroupBarrier();
      smooth_level(l, n, i, 2u);
      if (i < n / 2u) {
        level[l + 1u].f[i] = 2 * (residual(l, n, 2 * i) + residual(l, n, 2 * i + 1));
        level[l + 1u].u[i] = 0;
      }
    }
    workgroupBarrier();
    smooth_level(LEVELS - 1u, N >> (LEVELS - 1u), i, 8u);
    for (var l = LEVELS - 1u; l > 0u; l--) {
      if (i < (N >> (l - 1u))) { level[l - 1u].u[i] += level[l].u[i / 2u]; }
      workgroupBarrier();
      smooth_level(l - 1u, N >> (l - 1u), i, 2u);
    }
  }
  solution[i] = level[0].u[i];
}
