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
