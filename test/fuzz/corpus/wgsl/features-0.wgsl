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
{ o[id.x] = T[id.x % 4u]; }
{ o[id.x] = TS[id.x & 1u].c[id.y & 3u]; }
{ var x = 1u; addp(&x, 3u); o[id.x] = x; }
{ var s: S; let r = mods(&s); o[id.x] = r.c[2] + s.c[2]; }
{ o[id.x] = early(id.x); }
{ o[id.x] = vsum(T) + vsum(array<u32,4>(id.x, 1u, 2u, 3u)); }
}
