//! kernel md5 accept
//! bind 0 r =0x64636261,0x68676665,0x6c6b6a69,0x706f6e6d,0x74737271,0x78777675,0x00807a79,0,0,0,0,0,0,0,208,0
//! bind 1 w zero 4
@group(0) @binding(0) var<storage, read> block: array<u32, 16>;
@group(0) @binding(1) var<storage, read_write> digest: vec4u;
const S = array(
  array(7u, 12u, 17u, 22u),
  array(5u, 9u, 14u, 20u),
  array(4u, 11u, 16u, 23u),
  array(6u, 10u, 15u, 21u));
const K = array<u32, 64>(
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391);
fn rotl(x: u32, n: u32) -> u32 { return (x << n) | (x >> (32u - n)); }
struct State { a: u32, b: u32, c: u32, d: u32 }
fn round_fn(round: u32, s: ptr<function, State>) -> u32 {
  let b = s.b; let c = (*s).c; let d = s.d;
  switch round {
    case 0: { return (b & c) | (~b & d); }
    case 1: { return (d & b) | (~d & c); }
    case 2: { return b ^ c ^ d; }
    default: { return c ^ (b | ~d); }
  }
}
fn word_of(i: u32) -> u32 {
  var g: u32;
  switch (i / 16u) {
    case 0u: { g = i; }
    case 1u: { g = 5u * i + 1u; }
    case 2u: { g = 3u * i + 5u; }
    case 3u, default: { g = 7u * i; }
  }
  return block[g % 16u];
}
@compute @workgroup_size(1)
fn main() {
  let init = State(0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u);
  var s = init;
  for (var i = 0u; i < 64; i++) {
    let f = round_fn(i >> 4, &s) + s.a + K[i] + word_of(i);
    s.a = s.d; s.d = s.c; s.c = s.b;
    s.b += rotl(f, S[i / 16][i & 3]);
  }
  digest = vec4(s.a, s.b, s.c, s.d) + vec4(init.a, init.b, init.c, init.d);
}
//! kernel blake2s accept
//! bind 0 r =0x00636261,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
//! bind 1 w zero 8
@group(0) @binding(0) var<storage, read> m: array<vec4<u32>, 4>;
@group(0) @binding(1) var<storage, read_write> h: array<u32, 8>;
const IV = array(0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au, 0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u);
const SIGMA = array<array<u32, 16>, 10>(
  array<u32, 16>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
  array<u32, 16>(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
  array<u32, 16>(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
  array<u32, 16>(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
  array<u32, 16>(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
  array<u32, 16>(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
  array<u32, 16>(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
  array<u32, 16>(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
  array<u32, 16>(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
  array<u32, 16>(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0));
var<private> v: array<u32, 16>;
fn msg(i: u32) -> u32 { return m[i >> 2][i & 3]; }
fn rotr(x: u32, n: u32) -> u32 { return (x >> n) | (x << (32 - n)); }
fn g(a: u32, b: u32, c: u32, d: u32, x: u32, y: u32) {
  v[a] += v[b] + x;
  v[d] = rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = rotr(v[b] ^ v[c], 12);
  v[a] = v[a] + v[b] + y;
  v[d] = rotr(v[d] ^ v[a], 8);
  v[c] += v[d];
  v[b] = rotr(v[b] ^ v[c], 7);
}
@compute @workgroup_size(1)
fn main() {
  for (var i = 0; i < 8; i++) { h[i] = IV[i]; }
  h[0] ^= 0x01010000u ^ 32u;
  for (var i = 0; i < 8; i++) { v[i] = h[i]; v[i + 8] = IV[i]; }
  v[12] ^= 3u;
  v[14] = ~v[14];
  for (var r = 0; r < 10; r++) {
    let s = SIGMA[r];
    for (var i = 0u; i < 4; i++) { g(i, i + 4, i + 8, i + 12, msg(s[2 * i]), msg(s[2 * i + 1])); }
    for (var i = 0u; i < 4; i++) {
      g(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, msg(SIGMA[r][8 + 2 * i]), msg(SIGMA[r][9 + 2 * i]));
    }
  }
  for (var i = 0; i < 8; i++) { h[i] ^= v[i] ^ v[i + 8]; }
}
//! kernel aes128 accept
//! bind 0 r =0x33221100,0x77665544,0xbbaa9988,0xffeeddcc
//! bind 1 r =0x03020100,0x07060504,0x0b0a0908,0x0f0e0d0c
//! bind 2 w zero 4
@group(0) @binding(0) var<storage> plain: array<u32, 4>;
@group(0) @binding(1) var<storage> key: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> cipher: array<u32, 4>;
var<workgroup> sbox: array<u32, 256>;
alias Block = array<u32, 4>;
fn xtime(x: u32) -> u32 { return ((x << 1) ^ select(0u, 0x1bu, (x & 0x80) != 0)) & 0xff; }
fn gmul(a_: u32, b_: u32) -> u32 {
  var a = a_; var b = b_; var r = 0u;
  while (b != 0) {
    if ((b & 1) == 1) { r ^= a; }
    a = xtime(a);
    b >>= 1;
  }
  return r;
}
fn make_sbox(x: u32) -> u32 {
  // inverse = x^254
  var p = 1u;
  var base = x;
  var e = 254u;
  loop {
    if (e == 0u) { break; }
    if ((e & 1u) != 0u) { p = gmul(p, base); }
    base = gmul(base, base);
    continuing { e >>= 1u; }
  }
  var r = p;
  for (var i = 1u; i <= 4; i++) { r ^= ((p << i) | (p >> (8 - i))) & 0xff; }
  return r ^ 0x63;
}
fn sub_word(w: u32) -> u32 {
  return sbox[w & 0xff] | (sbox[(w >> 8) & 0xff] << 8) | (sbox[(w >> 16) & 0xff] << 16) | (sbox[w >> 24] << 24);
}
fn byte(b: ptr<function, Block>, row: u32, col: u32) -> u32 { return extractBits((*b)[col], row * 8, 8u); }
fn sub_shift(b: ptr<function, Block>) {
  var o: Block;
  for (var c = 0u; c < 4; c++) {
    for (var r = 0u; r < 4; r++) { o[c] = insertBits(o[c], sbox[byte(b, r, (c + r) & 3)], r * 8, 8u); }
  }
  *b = o;
}
fn mix(b: ptr<function, Block>) {
  for (var c = 0u; c < 4; c += 1) {
    let a = vec4(byte(b, 0, c), byte(b, 1, c), byte(b, 2, c), byte(b, 3, c));
    let t = a.x ^ a.y ^ a.z ^ a.w;
    let n = a.yzwx;
    var o: vec4u;
    for (var r = 0; r < 4; r++) { o[r] = a[r] ^ t ^ xtime(a[r] ^ n[r]); }
    b[c] = pack4xU8(o);
  }
}
fn add_key(b: ptr<function, Block>, k: Block) { for (var i = 0; i < 4; i++) { (*b)[i] ^= k[i]; } }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var i = lid; i < 256; i += 64) { sbox[i] = make_sbox(i); }
  workgroupBarrier();
  if lid != 0 { return; }
  var k = key;
  var b = plain;
  var rcon = 1u;
  add_key(&b, k);
  for (var round = 1; round <= 10; round++) {
    k[0] ^= sub_word((k[3] >> 8) | (k[3] << 24)) ^ rcon;
    k[1] ^= k[0]; k[2] ^= k[1]; k[3] ^= k[2];
    rcon = xtime(rcon);
    sub_shift(&b);
    if (round < 10) { mix(&b); }
    add_key(&b, k);
  }
  cipher = b;
}
//! kernel philox accept
//! bind 0 w zero 256
@group(0) @binding(0) var<storage, read_write> o: array<vec4u>;
const PHILOX_M = vec2(0xD2511F53u, 0xCD9E8D57u);
const PHILOX_W = vec2(0x9E3779B9u, 0xBB67AE85u);
fn mul_hi_lo(a: u32, b: u32) -> vec2u {
  let al = a & 0xffff; let ah = a >> 16;
  let bl = b & 0xffff; let bh = b >> 16;
  let ll = al * bl; let lh = al * bh; let hl = ah * bl; let hh = ah * bh;
  let mid = (ll >> 16) + (lh & 0xffff) + (hl & 0xffff);
  return vec2u(hh + (lh >> 16) + (hl >> 16) + (mid >> 16), a * b);
}
fn philox(ctr_in: vec4u, key_in: vec2u) -> vec4u {
  var ctr = ctr_in; var key = key_in;
  for (var r = 0; r < 10; r++) {
    let p0 = mul_hi_lo(PHILOX_M.x, ctr.x);
    let p1 = mul_hi_lo(PHILOX_M.y, ctr.z);
    ctr = vec4u(p1.x ^ ctr.y ^ key.x, p1.y, p0.x ^ ctr.w ^ key.y, p0.y);
    key += PHILOX_W;
  }
  return ctr;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  o[id.x] = philox(vec4u(id.x, 0, 0, 0), vec2u(0xdeadbeef, ~0u));
}
//! kernel base64 accept
//! bind 0 r word 48
//! bind 1 w zero 64
//! bind 2 w zero 48
//! bind 3 w zero 1
@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read_write> chars: array<u32>;
@group(0) @binding(2) var<storage, read_write> back: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> bad: atomic<u32>;
fn get_byte(i: u32) -> u32 { return (bytes[i / 4] >> (8 * (i % 4))) & 0xFF; }
fn encode(v: u32) -> u32 {
  if v < 26 { return v + 65; }
  else if v < 52 { return v - 26 + 97; }
  else if (v < 62) { return v - 52 + 48; }
  return select(47u, 43u, v == 62);
}
fn decode(c: u32) -> i32 {
  switch c {
    case 43: { return 62; }
    case 47: { return 63; }
    default: {}
  }
  if (c >= 65 && c <= 90) { return i32(c) - 65; }
  if (c >= 97 && c <= 122) { return i32(c - 71); }
  if (c >= 48 && c <= 57) { return i32(c) + 4; }
  return -1;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  let i = gid.x;
  let triple = (get_byte(3 * i) << 16) | (get_byte(3 * i + 1) << 8) | get_byte(3 * i + 2);
  var quad = 0u;
  for (var k = 0u; k < 4u; k++) {
    quad |= encode((triple >> (18 - 6 * k)) & 63) << (8 * k);
  }
  chars[i] = quad;
  var again = 0;
  for (var k = 0u; k < 4u; k++) {
    let v = decode((quad >> (8 * k)) & 255);
    if v < 0 { _ = atomicAdd(&bad, 1); continue; }
    again = again * 64 + v;
  }
  for (var k = 0u; k < 3; k++) {
    let at = 3 * i + k;
    atomicOr(&back[at / 4], ((u32(again) >> (16 - 8 * k)) & 0xff) << (at % 4 * 8));
  }
}
//! kernel utf8_decode accept
//! bind 0 r =0xc3a94148,0x82ace220,0xa88e9ff0,0xc0807f80,0x83e24180,0xf4909088,0xeda08080,0x0041ffbf
//! bind 1 w zero 40
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
struct Cursor { at: u32, end: u32 }
fn peek(c: ptr<function, Cursor>) -> u32 {
  if (*c).at >= c.end { return 256; }
  return unpack4xU8(text[c.at / 4])[c.at % 4];
}
fn continuation(c: ptr<function, Cursor>, v: ptr<function, u32>) -> bool {
  let b = peek(c);
  if (b & 0x1c0) != 0x80 { return false; }
  *v = (*v << 6) | (b & 0x3f);
  c.at++;
  return true;
}
fn next(c: ptr<function, Cursor>) -> i32 {
  let first = peek(c);
  c.at += 1;
  let ones = countLeadingZeros(~(first << 24));
  var v: u32;
  switch ones {
    case 0: { return i32(first); }
    case 2, 3, 4: { v = first & (0x7fu >> ones); }
    default: { return -1; }
  }
  for (var i = 1u; i < ones; i++) {
    if !continuation(c, &v) { return -2; }
  }
  const least = array(0u, 0u, 0x80u, 0x800u, 0x10000u);
  if v < least[ones] { return -3; }
  if (v >= 0xd800 && v < 0xe000) || v > 0x10ffff { return -4; }
  return i32(v);
}
@compute @workgroup_size(1)
fn main() {
  var c = Cursor(0, arrayLength(&text) * 4);
  var n = 1u;
  while c.at < c.end && n < arrayLength(&out) {
    out[n] = next(&c);
    n++;
  }
  out[0] = i32(n) - 1;
}
//! kernel regex_nfa accept
//! bind 0 r word 64
//! bind 1 w zero 64
// a(b|c)*d over letters a..d, two bits each: Thompson's construction as bit masks.
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
struct Op { kind: u32, x: u32, y: u32 }
const CHAR = 0u; const SPLIT = 1u; const JUMP = 2u; const MATCH = 3u;
const program = array<Op, 8>(
  Op(CHAR, 0, 0), Op(SPLIT, 2, 7), Op(SPLIT, 3, 5), Op(CHAR, 1, 0), Op(JUMP, 1, 0), Op(CHAR, 2, 0), Op(JUMP, 1, 0), Op(CHAR, 3, 0));
fn close_over(seed: u32) -> u32 {
  var todo = seed; var done = 0u;
  while (todo != 0u) {
    let pc = firstTrailingBit(todo);
    todo &= todo - 1u;
    if (((done >> pc) & 1u) == 1u) { continue; }
    done |= 1u << pc;
    if (pc >= 8u) { continue; }
    let op = program[pc];
    switch op.kind {
      case SPLIT: { todo |= (1u << op.x) | (1u << op.y); }
      case JUMP: { todo |= 1u << op.x; }
      default: { continue; }
    }
  }
  return done;
}
fn step(states: u32, c: u32) -> u32 {
  var next = 0u;
  for (var s = states & 0xffu; s != 0u; s &= s - 1u) {
    let pc = firstTrailingBit(s);
    let op = program[pc];
    if (op.kind == CHAR && op.x == c) { next |= 1u << (pc + 1u); }
  }
  return close_over(next);
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) n: vec3u) {
  for (var i = gid.x; i < arrayLength(&text); i += 32u * n.x) {
    var matched = 0u;
    for (var begin = 0u; begin < 16u; begin++) {
      var states = close_over(1u);
      for (var p = begin; p < 16u && states != 0u; p++) {
        states = step(states, extractBits(text[i], 2u * p, 2u));
        if ((states & (1u << 8u)) != 0u) { matched += (1u << 16u) | (p - begin + 1u); break; }
      }
    }
    found[i] = matched;
  }
}
//! kernel lz4_decode accept
//! bind 0 r =0x6362615f,0x00056564,0x79783401,0x8000017a,0x44434241,0x48474645
//! bind 1 w zero 24
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
const DST_BYTES = 23u * 4u;
var<private> pos: u32;
var<private> len: u32;
var<private> failed = false;
fn read_byte() -> u32 {
  let b = extractBits(src[pos >> 2], (pos & 3u) * 8u, 8u);
  pos++;
  return b;
}
fn write(b: u32) {
  if len >= DST_BYTES { failed = true; return; }
  let w = &dst[1 + len / 4];
  *w = insertBits(*w, b, len % 4 * 8, 8u);
  len++;
}
fn copy(distance: u32, count: u32) {
  if distance == 0 || distance > len { failed = true; return; }
  for (var i = 0u; i < count; i++) {
    let source = len - distance;
    write((dst[1 + source / 4] >> (source % 4 * 8)) & 0xff);
  }
}
fn length(nibble: u32) -> u32 {
  var n = nibble;
  if n == 15 {
    loop {
      let b = read_byte();
      n += b;
      if b != 255 { break; }
    }
  }
  return n;
}
@compute @workgroup_size(1)
fn main() {
  let end = arrayLength(&src) * 4;
  while pos < end && !failed {
    let token = read_byte();
    let literals = length(token >> 4);
    for (var i = 0u; i < literals; i++) { write(read_byte()); }
    if pos >= end { break; }
    let lo = read_byte();
    let distance = lo | (read_byte() << 8);
    copy(distance, length(token & 15) + 4);
  }
  dst[0] = len | (u32(failed) << 31);
}
//! kernel huffman_decode accept
//! bind 0 r word 32
//! bind 1 w zero 256
//! bind 2 w zero 32
// Canonical codes from lengths, then each invocation decodes one stream.
@group(0) @binding(0) var<storage, read> streams: array<u32>;
@group(0) @binding(1) var<storage, read_write> symbols: array<array<u32, 8>>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
const LENGTHS = array<u32, 10>(2, 3, 3, 3, 4, 4, 4, 4, 4, 4);
struct Table { first: array<u32, 6>, offset: array<u32, 6>, count: array<u32, 6>, sorted: array<u32, 10> }
var<workgroup> table: Table;
fn build(t: ptr<workgroup, Table>) {
  for (var i = 0; i < 10; i++) { t.count[LENGTHS[i]]++; }
  var code = 0u; var at = 0u;
  for (var l = 1; l < 6; l++) {
    code = (code + t.count[l - 1]) << 1;
    t.first[l] = code;
    t.offset[l] = at;
    at += t.count[l];
  }
  var fill = t.offset;
  for (var i = 0u; i < 10; i++) {
    let l = LENGTHS[i];
    t.sorted[fill[l]] = i;
    fill[l]++;
  }
}
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
  if (i == 0) { build(&table); }
  workgroupBarrier();
  var bits = streams[i]; var left = 32u; var n = 0u;
  while (left > 0) {
    var code = 0u; var l = 0u; var ok = false;
    while (left > 0 && l < 5) {
      code = (code << 1) | (bits >> 31);
      bits <<= 1; left--; l++;
      let k = code - table.first[l];
      if (code >= table.first[l] && k < table.count[l]) {
        let word = &symbols[i][n / 8];
        *word |= table.sorted[table.offset[l] + k] << (4 * (n % 8));
        n++; ok = true;
        break;
      }
    }
    if (!ok) { break; }
  }
  counts[i] = n;
}
//! kernel int8_matmul accept groups=2,2
//! bind 0 r word 128
//! bind 1 r word 128
//! bind 2 w zero 256
//! bind 3 r unit 32
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<i32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
const TILE = 8u; const K4 = 8u; const N = 16u;
var<workgroup> ta: array<array<u32, K4>, TILE>;
var<workgroup> tb: array<array<u32, K4>, TILE>;
@compute @workgroup_size(TILE, TILE, 1)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  let row = wid.y * TILE + lid.y; let col = wid.x * TILE + lid.x;
  ta[lid.y][lid.x] = a[row * K4 + lid.x];
  tb[lid.y][lid.x] = b[(wid.x * TILE + lid.y) * K4 + lid.x];
  workgroupBarrier();
  var acc = 0i; var zero_point = 0i;
  for (var k = 0u; k < K4; k++) {
    let x = ta[lid.y][k]; let y = tb[lid.x][k];
    acc += dot4I8Packed(x, y);
    let wide = unpack4xI8(y);
    zero_point += dot(wide, vec4i(1)) * 3;
  }
  let q = f32(acc - zero_point) * scale[row] * scale[N + col] * 0.0078125;
  let r = pack4xI8Clamp(vec4i(i32(round(q)), acc >> 8, zero_point, -128));
  c[row * N + col] = bitcast<i32>(r);
}
//! kernel jpeg_block accept
//! bind 0 r word 16
//! bind 1 w zero 66
@group(0) @binding(0) var<storage, read> pixels: array<u32, 16>;
@group(0) @binding(1) var<storage, read_write> coded: array<i32, 66>;
const Q = array<array<i32, 8>, 8>(
  array(16, 11, 10, 16, 24, 40, 51, 61), array(12, 12, 14, 19, 26, 58, 60, 55), array(14, 13, 16, 24, 40, 57, 69, 56),
  array(14, 17, 22, 29, 51, 87, 80, 62), array(18, 22, 37, 56, 68, 109, 103, 77), array(24, 35, 55, 64, 81, 104, 113, 92),
  array(49, 64, 78, 87, 103, 121, 120, 101), array(72, 92, 95, 98, 112, 100, 103, 99));
var<workgroup> block: array<array<i32, 8>, 8>;
var<workgroup> zz: array<i32, 64>;
fn line(p: ptr<function, array<i32, 8>>, shift: u32) {
  // The integer transform of Loeffler, Ligtenberg and Moschytz.
  let v = *p;
  let t0 = v[0] + v[7]; let t7 = v[0] - v[7]; let t1 = v[1] + v[6]; let t6 = v[1] - v[6];
  let t2 = v[2] + v[5]; let t5 = v[2] - v[5]; let t3 = v[3] + v[4]; let t4 = v[3] - v[4];
  let t10 = t0 + t3; let t13 = t0 - t3; let t11 = t1 + t2; let t12 = t1 - t2;
  let round = 1 << (shift - 1);
  p[0] = ((t10 + t11) * 8192 + round) >> shift;
  p[4] = ((t10 - t11) * 8192 + round) >> shift;
  let z1 = (t12 + t13) * 4433;
  p[2] = (z1 + t13 * 6270 + round) >> shift;
  p[6] = (z1 - t12 * 15137 + round) >> shift;
  let za = (t4 + t7) * -7373; let zb = (t5 + t6) * -20995;
  let z5 = (t4 + t6 + t5 + t7) * 9633;
  let zc = (t4 + t6) * -16069 + z5; let zd = (t5 + t7) * -3196 + z5;
  p[7] = (t4 * 2446 + za + zc + round) >> shift;
  p[5] = (t5 * 16819 + zb + zd + round) >> shift;
  p[3] = (t6 * 25172 + zb + zc + round) >> shift;
  p[1] = (t7 * 12299 + za + zd + round) >> shift;
}
fn zigzag(x: u32, y: u32) -> u32 {
  let s = x + y;
  var n: u32;
  if s < 8 { n = s * (s + 1) / 2 + select(x, y, (s & 1) == 1); }
  else { let r = 14 - s; n = 63 - (r * (r + 1) / 2 + select(7 - x, 7 - y, (s & 1) == 1)); }
  return n;
}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  var v: array<i32, 8>;
  for (var x = 0u; x < 8; x++) { v[x] = i32(extractBits(pixels[i * 2 + x / 4], x % 4 * 8, 8)) - 128; }
  line(&v, 11);
  block[i] = v;
  workgroupBarrier();
  for (var y = 0; y < 8; y++) { v[y] = block[y][i]; }
  line(&v, 18);
  for (var y = 0u; y < 8; y++) {
    let q = Q[y][i];
    zz[zigzag(i, y)] = (abs(v[y]) + q / 2) / q * sign(v[y]);
  }
  workgroupBarrier();
  if (i != 0) { return; }
  var n = 0u; var run = 0;
  for (var k = 0u; k < 64; k++) {
    if (zz[k] == 0) { run++; continue; }
    coded[1 + n] = (run << 16) | (zz[k] & 0xffff);
    n++; run = 0;
  }
  coded[0] = i32(n);
}
