//! prelude mat
//! bind 0 r f32x 64
//! bind 1 r unit 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<mat4x4<f32>>;
@group(0) @binding(1) var<storage> b: array<mat4x4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<mat4x4<f32>>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! kernel add_sub accept in=mat
  o[i] = x + y - x * 0.5;
//! kernel scalar accept in=mat
  o[i] = 2.0 * x * 0.25;
//! kernel transpose_ accept in=mat
  o[i] = transpose(x);
//! kernel product accept in=mat abs=1e-6
  o[i] = y * transpose(y);
//! kernel times_vector accept in=mat abs=1e-6
  let v = vec4(1.0, 2.0, 0.5, -1.0);
  o[i] = mat4x4(y * v, v * y, y[1], y[3]);
//! kernel columns accept in=mat
  o[i] = mat4x4(x[3], x[2].wzyx, y[0], y[i]);
//! kernel column_write accept in=mat
  var m = x;
  m[1] = y[2];
  m[2].z = 5.0;
  m[3][0] += 2.0;
  o[i] = m;
//! kernel dynamic_column accept in=mat
  var m = x;
  m[i][3u - i] = 9.0;
  o[i] = m;
  o[i][i] = y[i];
//! kernel constructor_of_scalars accept in=mat
  o[i] = mat4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, f32(i));
//! kernel constructor_of_columns accept in=mat
  let c = vec4<f32>(f32(i));
  o[i] = mat4x4<f32>(c, c + 1.0, c + 2.0, c + 3.0);
//! kernel identity_of_type accept in=mat
  o[i] = mat4x4<f32>(x);
//! kernel zero accept in=mat
  var m: mat4x4<f32>;
  o[i] = m + mat4x4<f32>() + y;
//! kernel determinant_ accept in=mat abs=1e-5
  o[i][0] = vec4(determinant(y));
//! kernel determinant_small accept in=mat abs=1e-6
  let m2 = mat2x2(y[0].xy, y[1].xy);
  let m3 = mat3x3(y[0].xyz, y[1].xyz, y[2].xyz);
  o[i][0] = vec4(determinant(m2), determinant(m3), 0.0, 0.0);
//! kernel mat2x3_shape accept in=mat abs=1e-6
  let m = mat2x3<f32>(y[0].xyz, y[1].xyz);
  let v = m * vec2(2.0, 3.0);
  let w = vec3(1.0, 2.0, 3.0) * m;
  o[i][0] = vec4(v, w.x);
  o[i][1] = vec4(w.y);
//! kernel mat3x2_product accept in=mat abs=1e-6
  let p = mat3x2<f32>(y[0].xy, y[1].xy, y[2].xy);
  let q = mat2x3<f32>(y[0].xyz, y[1].xyz);
  let r = p * q;
  let s = q * p;
  o[i][0] = vec4(r[0], r[1]);
  o[i][1] = vec4(s[2], s[0].x);
//! kernel mat4x2_transpose accept in=mat
  let m = mat4x2<f32>(x[0].xy, x[1].xy, x[2].xy, x[3].xy);
  let t = transpose(m);
  o[i] = mat4x4(t[0], t[1], m[3].xyxy, m[2].yyxx);
//! kernel compound accept in=mat abs=1e-5
  var m = y;
  m += y;
  m *= 0.5;
  m *= transpose(y);
  m -= y;
  o[i] = m;
//! kernel layout_3x3 accept
//! bind 0 r iota 24
//! bind 1 w zero 12
struct S { m: mat3x3<f32>, s: u32 }
@group(0) @binding(0) var<storage> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> o: mat3x3<f32>;
@compute @workgroup_size(1) fn main() {
  o[1] = vec3<f32>(a[2].xyz);
  o[2].y = f32(a[3].w);
}
//! kernel layout_2x2_uniform accept
//! bind 0 u =1.0f,2.0f,3.0f,4.0f,5.0f,6.0f,7.0f,8.0f,9,0,0,0
//! bind 1 w zero 8
struct S { m: mat2x2<f32>, n: mat2x2<f32>, k: u32 }
@group(0) @binding(0) var<uniform> u: S;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(1) fn main() {
  let p = u.m * u.n;
  o[0] = p[0].x;
  o[1] = p[0].y;
  o[2] = p[1][0];
  o[3] = p[1][1];
  o[4] = f32(u.k);
}
//! kernel const_matrix accept in=mat
  const m = mat2x2(1.0, 2.0, 3.0, 4.0);
  const n = m * m;
  const d = determinant(m);
  o[i][0] = vec4(n[0], n[1]);
  o[i][1] = vec4(d, (m * vec2(1.0, 1.0)), transpose(m)[0].y);
//! kernel const_matrix_edges accept in=mat
  const m = mat3x3(vec3(1, 0, 0), vec3(0, 2, 0), vec3(0, 0, 4)) * 2;
  o[i][0] = vec4(m[0].x, m[1].y, m[2].z, determinant(m));
//! kernel in_private accept in=mat
var<private> p: mat4x4<f32>;
//! main
  p = x;
  p[2] = y[1];
  o[i] = p;
//! kernel in_struct accept in=mat
struct S { k: f32, m: mat2x4<f32> }
fn make(v: vec4<f32>) -> S { return S(1.0, mat2x4(v, v * 2.0)); }
//! main
  var s = make(x[0]);
  s.m[0].y = s.k;
  o[i] = mat4x4(s.m[0], s.m[1], vec4(s.k), y[3]);
//! kernel no_wrong_product reject in=mat
  let m = mat2x3<f32>();
  o[i][0] = vec4(m * vec3(1.0), 0.0);
//! kernel no_matrix_of_int reject in=mat
  let m = mat2x2<i32>(1, 2, 3, 4);
//! kernel no_matrix_comparison reject in=mat
  if (x == y) { o[i] = x; }
//! kernel no_matrix_division reject in=mat
  o[i] = x / 2.0;
//! kernel no_matrix_negation reject in=mat
  o[i] = -x;
//! kernel no_matrix_plus_scalar reject in=mat
  o[i] = x + 1.0;
//! kernel no_wrong_count reject in=mat
  o[i] = mat4x4<f32>(1.0, 2.0, 3.0);
//! kernel no_diagonal reject in=mat
  o[i] = mat4x4<f32>(1.0);
//! kernel no_determinant_of_rectangle reject in=mat
  o[i][0].x = determinant(mat2x3<f32>());
//! kernel no_column_beyond reject in=mat
  o[i] = mat4x4(x[4], x[0], x[0], x[0]);
//! kernel no_matrix_member reject in=mat
  o[i][0].x = x.x;
