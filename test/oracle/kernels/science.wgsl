//! kernel fft_radix4 accept ulp=64 abs=0.01
//! bind 0 r unit 512
//! bind 1 w zero 512
@group(0) @binding(0) var<storage, read> x: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2f>;
const N = 256;
const TAU = radians(360.0);
var<workgroup> work: array<array<vec2<f32>, N>, 2>;
fn cmul(a: vec2f, b: vec2f) -> vec2f { return vec2(dot(a * vec2(1, -1), b), dot(a.yx, b)); }
fn mul_i(a: vec2f) -> vec2f { return vec2f(a.y, -a.x); }
fn cis(t: f32) -> vec2f { return vec2(cos(t), sin(t)); }
@compute @workgroup_size(N / 4)
fn main(@builtin(local_invocation_id) lid: vec3<u32>) {
  let t = lid.x;
  for (var k = 0u; k < 4; k++) { work[0][t + k * (N / 4)] = x[t + k * (N / 4)]; }
  var from_ = 0u;
  for (var p = 1u; p < N; p <<= 2) {
    workgroupBarrier();
    let k = t & (p - 1);
    let j = ((t - k) << 2) + k;
    let alpha = -TAU * f32(k) / f32(4 * p);
    var u: array<vec2f, 4>;
    for (var i = 0u; i < 4; i++) { u[i] = cmul(work[from_][t + i * (N / 4)], cis(alpha * f32(i))); }
    let v0 = u[0] + u[2]; let v1 = u[0] - u[2];
    let v2 = u[1] + u[3]; let v3 = mul_i(u[1] - u[3]);
    from_ ^= 1;
    let to = &work[from_];
    (*to)[j] = v0 + v2; (*to)[j + p] = v1 + v3; (*to)[j + 2 * p] = v0 - v2; (*to)[j + 3 * p] = v1 - v3;
  }
  workgroupBarrier();
  for (var k = 0u; k < 4; k++) { let i = t + k * u32(N / 4); y[i] = work[from_][i]; }
}
//! kernel simplex_noise accept groups=2,2 ulp=64 abs=0.00001
//! bind 0 w zero 256
@group(0) @binding(0) var<storage, read_write> noise: array<f32>;
fn mod289(x: vec4<f32>) -> vec4<f32> { return x - floor(x * (1. / 289.)) * 289.; }
fn mod289_3(x: vec3<f32>) -> vec3<f32> { return x - floor(x * (1. / 289.)) * 289.; }
fn perm4(x: vec4f) -> vec4f { return mod289(((x * 34.) + 1.) * x); }
fn taylorInvSqrt4(r: vec4f) -> vec4f { return 1.79284291400159 - 0.85373472095314 * r; }
fn simplexNoise3(v: vec3f) -> f32 {
  let C = vec2(1. / 6., 1. / 3.);
  let D = vec4(0., 0.5, 1., 2.);
  var i = floor(v + dot(v, C.yyy));
  let x0 = v - i + dot(i, C.xxx);
  let g = step(x0.yzx, x0.xyz);
  let l = 1.0 - g;
  let i1 = min(g.xyz, l.zxy);
  let i2 = max(g.xyz, l.zxy);
  let x1 = x0 - i1 + 1. * C.xxx;
  let x2 = x0 - i2 + 2. * C.xxx;
  let x3 = x0 - 1. + 3. * C.xxx;
  i = mod289_3(i);
  let p = perm4(perm4(perm4(i.z + vec4(0., i1.z, i2.z, 1.)) + i.y + vec4(0., i1.y, i2.y, 1.)) + i.x + vec4(0., i1.x, i2.x, 1.));
  var n_: f32 = 1. / 7.;
  let ns = n_ * D.wyz - D.xzx;
  let j = p - 49. * floor(p * ns.z * ns.z);
  let x_ = floor(j * ns.z);
  let y_ = floor(j - 7.0 * x_);
  let x = x_ * ns.x + ns.yyyy;
  let y = y_ * ns.x + ns.yyyy;
  let h = 1.0 - abs(x) - abs(y);
  let b0 = vec4(x.xy, y.xy);
  let b1 = vec4(x.zw, y.zw);
  let s0 = floor(b0) * 2.0 + 1.0;
  let s1 = floor(b1) * 2.0 + 1.0;
  let sh = -step(h, vec4(0.0));
  let a0 = b0.xzyw + s0.xzyw * sh.xxyy;
  let a1 = b1.xzyw + s1.xzyw * sh.zzww;
  var p0 = vec3(a0.xy, h.x); var p1 = vec3(a0.zw, h.y); var p2 = vec3(a1.xy, h.z); var p3 = vec3(a1.zw, h.w);
  let norm = taylorInvSqrt4(vec4(dot(p0, p0), dot(p1, p1), dot(p2, p2), dot(p3, p3)));
  p0 *= norm.x; p1 *= norm.y; p2 *= norm.z; p3 *= norm.w;
  var m = max(0.6 - vec4(dot(x0, x0), dot(x1, x1), dot(x2, x2), dot(x3, x3)), vec4f());
  m *= m;
  return 42. * dot(m * m, vec4(dot(p0, x0), dot(p1, x1), dot(p2, x2), dot(p3, x3)));
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
  var p = vec3f(id) * 0.17 + vec3f(-3.1, 2.7, 0.4);
  var sum = 0.; var amp = .5;
  for (var o = 0; o < 4; o++) {
    sum += amp * simplexNoise3(p);
    amp *= .5;
    p = mat3x3f(0., .8, .6, -.8, .36, -.48, -.6, -.48, .64) * p * 2.02;
  }
  noise[id.y * n.x * 8 + id.x] = sum;
}
//! kernel mandelbulb accept groups=2,2 ulp=100000 abs=0.02
//! bind 0 w zero 256
struct Camera { origin: vec3f, right: vec3f, up: vec3f, forward: vec3f }
struct Hit { t: f32, steps: u32, trap: vec4f, hit: bool }
@group(0) @binding(0) var<storage, read_write> image: array<u32>;
override POWER = 8.0;
const BAILOUT = 1.5; const EPS = 1e-3;
fn de(pos: vec3f, trap: ptr<function, vec4f>) -> f32 {
  var w = pos; var m = dot(w, w); var dz = 1.0;
  *trap = vec4(abs(w), m);
  for (var i = 0; i < 4; i++) {
    dz = POWER * pow(m, 0.5 * (POWER - 1.)) * dz + 1.;
    let r = length(w);
    let b = POWER * acos(clamp(w.y / r, -1., 1.));
    let a = POWER * atan2(w.x, w.z);
    w = pos + pow(r, POWER) * vec3(sin(b) * sin(a), cos(b), sin(b) * cos(a));
    *trap = min(*trap, vec4(abs(w), m));
    m = dot(w, w);
    if m > 256. { break; }
  }
  (*trap).x = m;
  return .25 * log(m) * sqrt(m) / dz;
}
fn march(ro: vec3f, rd: vec3f) -> Hit {
  var h = Hit();
  var t = 1.2;
  for (; h.steps < 48; h.steps++) {
    let d = de(ro + rd * t, &h.trap);
    if (d < EPS * t) { h.hit = true; break; }
    t += d;
    if (t > 5.) { break; }
  }
  h.t = t;
  return h;
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let uv = (vec2f(id.xy) + .5) / 16. * 2. - 1.;
  var cam: Camera;
  cam.origin = vec3(0, 0, -2.5);
  cam.forward = normalize(-cam.origin);
  cam.right = normalize(cross(vec3(0, 1, 0), cam.forward));
  cam.up = cross(cam.forward, cam.right);
  let rd = normalize(mat3x3(cam.right, cam.up, cam.forward) * vec3(uv, 1.5));
  let h = march(cam.origin, rd);
  image[id.y * 16 + id.x] = select(0u, 1u, h.hit && h.t < 4.);
}
//! kernel path_tracer accept groups=2,2 ulp=100000 abs=0.05
//! bind 0 w zero 1024
struct Ray { o: vec3f, d: vec3f }
struct Material { albedo: vec3f, kind: u32, fuzz: f32 }
struct Sphere { center: vec3f, radius: f32, material: u32 }
struct Node { lo: vec3f, left: u32, hi: vec3f, count: u32 }
@group(0) @binding(0) var<storage, read_write> image: array<vec4f>;
const materials = array(
  Material(vec3(.8, .3, .1), 0, 0), Material(vec3(.9), 1, .05), Material(vec3(1), 2, 1.5), Material(vec3(.2, .6, .3), 0, 0.));
const spheres = array<Sphere, 5>(
  Sphere(vec3(0, -100.5, -1), 100, 3), Sphere(vec3(0, 0, -1), .5, 0), Sphere(vec3(1, 0, -1), .5, 1), Sphere(vec3(-1, 0, -1), .5, 2),
  Sphere(vec3(.4, -.35, -.5), .15, 1));
const nodes = array(
  Node(vec3(-101, -201, -102), 1, vec3(101, .5, 99), 0), Node(vec3(-101, -201, -102), 0, vec3(101, 0, 99), 1),
  Node(vec3(-1.5, -.5, -1.5), 3, vec3(1.5, .5, -.3), 0), Node(vec3(-1.5, -.5, -1.5), 1, vec3(1.5, .5, -.5), 3),
  Node(vec3(.2, -.5, -.7), 4, vec3(.6, -.1, -.3), 1));
var<private> seed: u32;
fn rand() -> f32 {
  seed = seed * 747796405u + 2891336453u;
  let w = ((seed >> ((seed >> 28u) + 4u)) ^ seed) * 277803737u;
  return f32(((w >> 22u) ^ w) >> 8u) * 0x1p-24;
}
fn on_sphere() -> vec3f {
  let z = 1 - 2 * rand();
  let phi = 2 * 3.14159265 * rand();
  return vec3(sqrt(max(0, 1 - z * z)) * vec2(cos(phi), sin(phi)), z);
}
fn hit_box(n: Node, r: Ray, inv: vec3f, far: f32) -> bool {
  let a = (n.lo - r.o) * inv; let b = (n.hi - r.o) * inv;
  let lo = min(a, b); let hi = max(a, b);
  return max(max(lo.x, lo.y), max(lo.z, 1e-3)) <= min(min(hi.x, hi.y), min(hi.z, far));
}
struct Hit { t: f32, id: i32 }
fn hit_scene(r: Ray) -> Hit {
  var best = Hit(1e30, -1);
  var stack: array<u32, 8>; var sp = 1; stack[0] = 0;
  let inv = 1 / r.d;
  while sp > 0 {
    sp--;
    let n = nodes[stack[sp]];
    if !hit_box(n, r, inv, best.t) { continue; }
    if n.count == 0 {
      stack[sp] = n.left; stack[sp + 1] = n.left + 1;
      sp += 2;
      continue;
    }
    for (var i = n.left; i < n.left + n.count; i++) {
      let s = spheres[i];
      let oc = r.o - s.center;
      let b = dot(oc, r.d); let disc = b * b - dot(oc, oc) + s.radius * s.radius;
      if disc < 0 { continue; }
      let q = sqrt(disc);
      for (var sign = -1.; sign < 2; sign += 2) {
        let t = -b + sign * q;
        if t > 1e-3 && t < best.t { best = Hit(t, i32(i)); break; }
      }
    }
  }
  return best;
}
fn scatter(r: ptr<function, Ray>, h: Hit, through: ptr<function, vec3f>) -> bool {
  let s = spheres[h.id];
  let m = materials[s.material];
  let p = r.o + h.t * r.d;
  var n = (p - s.center) / s.radius;
  let front = dot(n, r.d) < 0;
  n = select(-n, n, front);
  *through *= m.albedo;
  switch m.kind {
    case 0: { r.d = normalize(n * 1.0001 + on_sphere()); }
    case 1: { (*r).d = normalize(reflect(r.d, n) + m.fuzz * on_sphere()); if dot(r.d, n) <= 0 { return false; } }
    default {
      let eta = select(m.fuzz, 1 / m.fuzz, front);
      let bent = refract(r.d, n, eta);
      let c = min(dot(-r.d, n), 1);
      let f0 = pow((1 - eta) / (1 + eta), 2);
      if all(bent == vec3f()) || f0 + (1 - f0) * pow(max(1 - c, 0.), 5) > rand() { r.d = reflect(r.d, n); }
      else { r.d = normalize(bent); }
    }
  }
  r.o = p;
  return true;
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  seed = id.x + id.y * 16 + 1;
  var color = vec3f();
  for (var s = 0; s < 2; s++) {
    let uv = (vec2f(id.xy) + vec2(rand(), rand())) / 16 * 2 - 1;
    var ray = Ray(vec3f(), normalize(vec3(uv * vec2(1, -1), -1)));
    var through = vec3f(1);
    for (var bounce = 0; bounce < 1; bounce++) {
      let h = hit_scene(ray);
      if h.id < 0 { color += through * mix(vec3(1), vec3(.5, .7, 1), .5 * (ray.d.y + 1)); break; }
      if !scatter(&ray, h, &through) { break; }
    }
    color += .1 * through;
  }
  image[id.y * 16 + id.x] = vec4(sqrt(color / 2), 1);
}
//! kernel flash_attention accept ulp=1024 abs=0.0001
//! bind 0 r unit 1024
//! bind 1 w zero 512
struct Qkv { q: array<array<vec4f, 2>, 32>, k: array<array<vec4f, 2>, 32>, v: array<array<vec4f, 2>, 32>, pad: array<vec4f, 64> }
@group(0) @binding(0) var<storage, read> t: Qkv;
@group(0) @binding(1) var<storage, read_write> o: array<array<vec4f, 2>>;
const Br = 16u; const Bc = 8u; const D = 8;
const SCALE = 1 / sqrt(f32(D));
var<workgroup> sk: array<array<vec4f, 2>, Bc>;
var<workgroup> sv: array<array<vec4f, 2>, Bc>;
@compute @workgroup_size(Br)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var rb = 0u; rb < 32 / Br; rb++) {
    let row = rb * Br + lane;
    var q = t.q[row];
    q[0] *= SCALE; q[1] *= SCALE;
    var acc: array<vec4f, 2>; var m = -1e30; var l = 0.;
    for (var cb = 0u; cb < 32 / Bc; cb += 1) {
      if (cb * Bc > rb * Br + Br - 1) { break; }
      workgroupBarrier();
      if (lane < Bc) { sk[lane] = t.k[cb * Bc + lane]; sv[lane] = t.v[cb * Bc + lane]; }
      workgroupBarrier();
      var s: array<f32, Bc>;
      var m_new = m;
      for (var c = 0u; c < Bc; c++) {
        s[c] = select(-1e30, dot(q[0], sk[c][0]) + dot(q[1], sk[c][1]), cb * Bc + c <= row);
        m_new = max(m_new, s[c]);
      }
      let fix = exp(m - m_new);
      l *= fix; acc[0] *= fix; acc[1] *= fix;
      for (var c = 0u; c < Bc; c++) {
        let p = exp(s[c] - m_new);
        l += p;
        for (var i = 0; i < 2; i++) { acc[i] = fma(vec4(p), sv[c][i], acc[i]); }
      }
      m = m_new;
    }
    let inv = 1 / l;
    o[row] = array(acc[0] * inv, acc[1] * inv);
    o[row + 32][0] = vec4(m, l, 0, 0);
  }
}
//! kernel kalman accept
//! bind 0 r f32x 128
//! bind 1 w zero 256
struct Filter { x: vec4f, P: mat4x4f }
@group(0) @binding(0) var<storage, read> seen: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> track: array<vec4f>;
const dt = 0.125f;
const F = mat4x4f(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(dt, 0, 1, 0), vec4(0, dt, 0, 1));
const H = mat4x2f(1, 0, 0, 1, 0, 0, 0, 0);
const R = mat2x2(.25f, 0, 0, .25);
const I4 = mat4x4(1., 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const Q = I4 * 0.015625;
fn inverse2(m: mat2x2f) -> mat2x2f { return mat2x2(m[1].y, -m[0].y, -m[1].x, m[0].x) * (1 / determinant(m)); }
fn predict(f: ptr<function, Filter>) {
  (*f).x = F * (*f).x;
  f.P = F * f.P * transpose(F) + Q;
}
fn update(f: ptr<function, Filter>, z: vec2f) {
  let y = z - H * f.x;
  let S = H * f.P * transpose(H) + R;
  let K = f.P * transpose(H) * inverse2(S);
  f.x += K * y;
  f.P = (I4 - K * H) * f.P;
}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var f = Filter(vec4f(), I4);
  for (var k = 0u; k < 16; k++) {
    predict(&f);
    let z = clamp(seen[i * 16 + k], vec2f(-8), vec2f(8));
    if (k % 5 != 4) { update(&f, z); }
    track[i * 16 + k] = vec4f(f.x.xy, f.P[0].x, f.P[2][3]);
  }
}
//! kernel cholesky accept
//! bind 0 r unit 128
//! bind 1 w zero 128
@group(0) @binding(0) var<storage, read> source: array<array<f32, 8>, 8>;
@group(0) @binding(1) var<storage, read_write> l: array<array<f32, 8>, 8>;
const N = 8;
var<workgroup> a: array<array<f32, N + 1>, N>;
@compute @workgroup_size(N, N)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  let r = i32(lid.y); let c = i32(lid.x);
  var sum = select(0., f32(N), r == c);
  for (var k = 0; k < N; k++) { sum += source[r][k] * source[c][k]; }
  a[r][c] = sum;
  workgroupBarrier();
  for (var k = 0; k < N; k++) {
    if (r == k && c == k) { a[k][k] = sqrt(a[k][k]); }
    workgroupBarrier();
    if (c == k && r > k) { a[r][k] /= a[k][k]; }
    workgroupBarrier();
    if (c > k && r >= c) { a[r][c] -= a[r][k] * a[c][k]; }
    workgroupBarrier();
  }
  l[r][c] = select(a[r][c], 0, c > r);
}
//! kernel svd_jacobi_3x3 accept ulp=4096 abs=0.0001
//! bind 0 r unit 144
//! bind 1 w zero 192
@group(0) @binding(0) var<storage, read> ms: array<array<f32, 9>>;
@group(0) @binding(1) var<storage, read_write> out: array<mat3x3f>;
fn rotate(s: ptr<function, mat3x3f>, v: ptr<function, mat3x3f>, p: i32, q: i32) {
  let apq = (*s)[p][q];
  if (abs(apq) < 1e-12) { return; }
  let theta = ((*s)[q][q] - (*s)[p][p]) / (2 * apq);
  let t = select(-1., 1., theta >= 0) / (abs(theta) + sqrt(theta * theta + 1));
  let c = inverseSqrt(t * t + 1); let sn = t * c;
  let k = 3 - p - q;
  let app = (*s)[p][p] - t * apq; let aqq = (*s)[q][q] + t * apq;
  let akp = c * (*s)[k][p] - sn * (*s)[k][q];
  let akq = sn * (*s)[k][p] + c * (*s)[k][q];
  (*s)[p][p] = app; (*s)[q][q] = aqq; (*s)[p][q] = 0; (*s)[q][p] = 0;
  (*s)[k][p] = akp; (*s)[p][k] = akp; (*s)[k][q] = akq; (*s)[q][k] = akq;
  let vp = (*v)[p]; let vq = (*v)[q];
  (*v)[p] = c * vp - sn * vq;
  (*v)[q] = sn * vp + c * vq;
}
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let w = ms[id.x];
  let m = mat3x3(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]);
  var s = transpose(m) * m;
  var v = mat3x3(1., 0., 0., 0., 1., 0., 0., 0., 1.);
  for (var sweep = 0; sweep < 6; sweep++) {
    rotate(&s, &v, 0, 1); rotate(&s, &v, 1, 2); rotate(&s, &v, 0, 2);
  }
  var e = vec3(s[0][0], s[1][1], s[2][2]);
  if (e.x < e.y) { let t = e.xy; e.x = t.y; e.y = t.x; }
  if (e.y < e.z) { e = e.xzy; }
  if (e.x < e.y) { e = e.yxz; }
  let back = v * mat3x3(s[0], s[1], s[2]) * transpose(v) - transpose(m) * m;
  out[id.x][0] = sqrt(max(e, vec3()));
  out[id.x][1] = vec3(determinant(v), length(back[0]), length(back[1]) + length(back[2]));
  out[id.x][2].y = abs(determinant(m));
}
//! kernel lbm_d2q9 accept ulp=16 abs=0.000001
//! bind 0 r pos 256
//! bind 1 w zero 2304
//! bind 2 w zero 256
@group(0) @binding(0) var<storage, read> density: array<f32, 256>;
@group(0) @binding(1) var<storage, read_write> f: array<array<f32, 9>, 256>;
@group(0) @binding(2) var<storage, read_write> speed: array<f32, 256>;
const W = 16;
const w = array(4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36);
const e = array(vec2(0, 0), vec2(1, 0), vec2(0, 1), vec2(-1, 0), vec2(0, -1), vec2(1, 1), vec2(-1, 1), vec2(-1, -1), vec2(1, -1));
const opposite = array(0, 3, 4, 1, 2, 7, 8, 5, 6);
fn wall(c: vec2i) -> bool { return all(abs(c - 7) <= vec2(2)) || c.y == 0 || c.y == W - 1; }
fn at(c: vec2<i32>) -> i32 { let m = (c + W) % W; return m.y * W + m.x; }
fn equilibrium(rho: f32, u: vec2f, i: i32) -> f32 {
  let eu = dot(vec2f(e[i]), u);
  return w[i] * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * dot(u, u));
}
@compute @workgroup_size(W, W)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  let c = vec2i(lid.xy); let me = at(c);
  for (var i = 0; i < 9; i++) { f[me][i] = equilibrium(density[me], vec2f(.1, 0), i); }
  for (var step = 0; step < 4; step++) {
    storageBarrier();
    var g: array<f32, 9>;
    for (var i = 0; i < 9; i++) {
      let source = c - e[i];
      if (wall((source + W) % W)) { g[i] = f[me][opposite[i]]; continue; }
      g[i] = f[at(source)][i];
    }
    storageBarrier();
    var rho = 0.0; var u = vec2f();
    for (var i = 0; i < 9; i++) { rho += g[i]; u += g[i] * vec2f(e[i]); }
    if (rho > 0) { u /= rho; }
    speed[me] = dot(u, u);
    if (wall(c)) { for (var i = 0; i < 9; i++) { f[me][i] = 0.; } }
    else { for (var i = 0; i < 9; i++) { f[me][i] = mix(g[i], equilibrium(rho, u, i), .625); } }
  }
}
//! kernel sph_step accept ulp=256 abs=0.001
//! bind 0 w unit 256
//! bind 1 w zero 192
struct Particle { @align(16) position: vec2f, velocity: vec2f }
struct Scratch { head: array<atomic<i32>, 64>, next: array<i32, 64>, rho: array<f32, 64> }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle, 64>;
@group(0) @binding(1) var<storage, read_write> s: Scratch;
const h = .25; const h2 = h * h;
const POLY6 = 4 / (3.14159265358979 * h2 * h2 * h2 * h2);
fn cell(p: vec2f) -> vec2i { return clamp(vec2i(floor((p + 1) / h)), vec2i(), vec2i(7)); }
fn density(i: u32) -> f32 {
  let p = particles[i].position; let c = cell(p);
  var near: array<u32, 64>; var n = 0u;
  for (var y = max(c.y - 1, 0); y <= min(c.y + 1, 7); y++) {
    for (var x = max(c.x - 1, 0); x <= min(c.x + 1, 7); x++) {
      for (var j = atomicLoad(&s.head[y * 8 + x]) - 1; j >= 0; j = s.next[j] - 1) {
        if (distance(particles[j].position, p) < h) { near[n] = u32(j); n++; }
      }
    }
  }
  // Atomics link in any order: sorted, the sum has one.
  for (var a = 1u; a < n; a++) {
    let x = near[a]; var b = a;
    for (; b > 0 && near[b - 1] > x; b--) { near[b] = near[b - 1]; }
    near[b] = x;
  }
  var rho = 0.;
  for (var k = 0u; k < n; k++) {
    let d = particles[near[k]].position - p;
    let q = max(0, h2 - dot(d, d));
    rho += q * q * q;
  }
  return rho * f32(POLY6);
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  let c = cell(particles[i].position);
  s.next[i] = atomicExchange(&s.head[c.y * 8 + c.x], i32(i) + 1);
  storageBarrier();
  s.rho[i] = density(i);
  storageBarrier();
  s.next[i] = 0;
  if (i < 64) { atomicStore(&s.head[i], 0); }
  particles[i].velocity.y -= 9.81 * .01;
  particles[i].position += particles[i].velocity * .01;
  let p = &particles[i];
  if any(abs((*p).position) > vec2(1.)) { p.velocity = -.5 * (*p).velocity; p.position = clamp(p.position, vec2(-1.), vec2f(1)); }
}
//! kernel rk4_pendulum accept ulp=4096 abs=0.001
//! bind 0 r unit 64
//! bind 1 w zero 64
alias State = vec2<f32>;
@group(0) @binding(0) var<storage, read> start: array<State>;
@group(0) @binding(1) var<storage, read_write> end: array<State>;
fn f(t: f32, y: State) -> State { return State(y.y, -sin(y.x) - 0.1 * y.y + 0.5 * cos(0.6 * t)); }
fn rk4(t: f32, y: State, h: f32) -> State {
  const c = array(0., .5, .5, 1.); const b = array(1. / 6, 1. / 3, 1. / 3, 1. / 6);
  var sum = y; var k = State();
  for (var i = 0; i < 4; i++) { k = f(t + c[i] * h, y + c[i] * h * k); sum += b[i] * h * k; }
  return sum;
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  var y = start[gid.x]; var t = 0.;
  while (t < 2) { y = rk4(t, y, .0625); t += .0625; }
  end[gid.x] = y;
}
