@group(0) @binding(0) var<uniform> u: vec4<u32>;
@group(0) @binding(1) var<storage> inp: array<f32>;
@group(0) @binding(2) var<storage> words: array<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<u32>;
@group(0) @binding(4) var<storage, read_write> f: array<f32>;
@group(0) @binding(5) var<storage, read_write> at: atomic<u32>;
var<workgroup> w: array<u32, 64>;
struct S { a: i32, b: vec3f, c: array<u32, 5> }
struct Q { @align(16) x: f32, @size(32) y: vec2<i32>, z: S }
var<private> pv: S;
var<private> pq: u32 = 7;
const K = 3;
const T = array<u32, 4>(1, 2, 3, 4);
const TS = array(S(1, vec3f(1), array<u32,5>()), S());
override N: u32 = 5u;
@id(7) override R = 1.5;
override B: bool = true;
alias V = vec3<f32>;
fn addp(p: ptr<function, u32>, v: u32) { *p += v; }
fn mods(p: ptr<function, S>) -> S { (*p).a = 4; (*p).c[2] = 9u; return *p; }
fn early(x: u32) -> u32 { for (var i = 0u; i < 10u; i++) { if i * i > x { return i; } } return 99u; }
fn vsum(a: array<u32, 4>) -> u32 { var s = 0u; for (var i = 0; i < 4; i++) { s += a[i]; } return s; }
fn mk(a: i32) -> S { var s: S; if a > 3 { s.a = a; return s; } s.b.y = 2.0; return s; }
fn swp(p: ptr<private, S>, i: u32) -> u32 { return (*p).c[i]; }
fn tst(x: u32) -> bool { return x > 3u; }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) nw: vec3u) {
{ let g = inp[id.x]; f[id.x] = abs(g) + ceil(g) + floor(g) + round(g) + trunc(g) + fract(g) + sign(g) + clamp(g, 0.0, 1.0) + saturate(g) + step(g, 0.5) + mix(g, 1.0, 0.25) + fma(g, g, 1.0) + min(g, 1) + max(g, 2) + degrees(g) + radians(g); }
{ let g = inp[id.x]; f[id.x] = sqrt(g) + inverseSqrt(g) + exp(g) + exp2(g) + log(g) + log2(g) + sin(g) + cos(g) + tan(g) + asin(g) + acos(g) + atan(g) + sinh(g) + cosh(g) + tanh(g) + asinh(g) + acosh(g) + atanh(g) + pow(g, 2.0) + atan2(g, 2.0) + smoothstep(0.0, 1.0, g); }
{ let g = vec3f(inp[0], inp[1], inp[2]); f[id.x] = length(g) + distance(g, g.yzx) + dot(g, g) + cross(g, g.zxy).x + normalize(g).y + reflect(g, g).z + faceForward(g, g, g).x + mix(g, g, 0.5).x + mix(g, g, g).y; }
{ o[id.x] = bitcast<u32>(inp[id.x]) + bitcast<u32>(-1i); f[id.x] = bitcast<f32>(id.x); let i = bitcast<vec2i>(vec2f(1, 2)); o[0] = u32(i.x); }
{ o[id.x] = u32(inp[id.x]) + u32(i32(inp[id.x])) + u32(true) + u32(bool(id.x)); f[id.x] = f32(id.x) + f32(i32(id.x)) + f32(id.x > 1u); }
{ o[id.x] = id.x / 3u + id.x % id.y + u32(i32(id.x) / i32(id.y)) + (id.x << 3u) + (id.x >> (id.y + 1u)) + (id.x & 3u) + (id.x | 3u) + (id.x ^ 3u) + ~id.x; }
}
