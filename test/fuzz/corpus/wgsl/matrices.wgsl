struct P { m: mat3x3<f32>, v: mat4x2f }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> o: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> om: array<mat3x3f>;
const K = mat2x2(1, 2, 3, 4) * mat2x2(0.5, 1, 2, 3);
fn rot(a: f32) -> mat2x2f { return mat2x2f(vec2f(a, 1.0), vec2f(-1.0, a)); }
fn mul(m: mat3x3f, n: mat3x3f) -> mat3x3f { return m * n; }
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
  var m = mat4x4f(); m[0][0] = 1.0; m[1] = vec4f(1, 2, 3, 4); m[id.x & 3u].y = 5.0;
  m *= 2.0; m = m * m + m - transpose(m); 
  var v = vec4f(1, 2, 3, 4); v *= m; o[id.x] = m * v + vec4f(determinant(m), K[1].x, rot(2.0)[1].y, (vec3f(1) * p.m).x);
  om[id.x] = mul(p.m, mat3x3f(vec3f(1), vec3f(2), vec3f(3))); let q = om[id.x]; om[id.x] = 2.0 * q; let r = mat2x2f(mat2x2f(1, 2, 3, 4));
  o[0].x = (r * vec2f(1, 2)).y + (p.v * vec4f(1)).x + (vec2f(1, 2) * p.v).w;
}
