//! prelude half
//! bind 0 r =0x3c003800,0xbc004000,0x7bff0001,0x00018400,0x3555b555,0x48004900,0x56405240,0xc500c700
//! bind 1 w zero 8
enable f16;
@group(0) @binding(0) var<storage> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> o: array<f16>;
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = a[15u - i];
//! here
}
//! kernel arithmetic accept in=half null
  o[i] = x + y * 2.0h - x * 0.5h;
//! kernel literals accept in=half null
  o[i] = 1.5h + 2h + 0x1p-3h + 1.0;
//! kernel conversions accept in=half null
  o[i] = f16(f32(x) * 2.0) + f16(i) + f16(-3i) + f16(true);
//! kernel to_integers accept in=half null
  o[i] = f16(i32(x)) + f16(u32(abs(y))) + f16(bool(x));
//! kernel vectors accept in=half null
  let v = vec4<f16>(x, y, 1.0h, 2.0);
  let w = vec2h(v.zx) + vec2<f16>(vec2<f32>(0.5, 0.25));
  o[i] = v.w + w.x * w.y;
//! kernel matrices accept in=half null
  let m = mat2x2<f16>(x, y, 1.0h, 2.0h);
  let n = mat3x2h(x, y, x, y, x, y);
  o[i] = (m * vec2(1.0h, 1.0h)).x + n[2].y + determinant(m);
//! kernel builtins accept in=half null
  o[i] = max(x, y) + abs(x) + floor(y) + clamp(x, 0.0h, 1.0h) + sign(y) + fma(x, y, 1.0h) + step(x, y);
//! kernel functions accept in=half null
  o[i] = sqrt(abs(x)) + sin(y) + exp(min(x, 1.0h)) + mix(x, y, 0.5h) + length(vec2(x, y));
//! kernel bitcast_ accept in=half null
  let w = bitcast<u32>(vec2<f16>(x, y));
  o[i] = bitcast<vec2<f16>>(w ^ 0x80008000u).y;
//! kernel bitcast_vec4 accept in=half null
  let w = bitcast<vec2<u32>>(vec4<f16>(x, y, x, y));
  o[i] = bitcast<vec4<f16>>(w).z;
//! kernel compare accept in=half null
  o[i] = select(1.0h, 2.0h, x < y);
//! kernel constants accept in=half null
  const c = 1.0h / 3.0h;
  const d: f16 = 65504;
  o[i] = c + d * 0.0h;
//! kernel struct_layout accept null
//! bind 0 r iota 16
//! bind 1 w zero 4
enable f16;
struct S { a: f16, b: vec3<f16>, c: u32, d: f16, e: array<f16, 3>, f: mat2x3<f16> }
@group(0) @binding(0) var<storage> s: S;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
  o[0] = s.c;
  o[1] = bitcast<u32>(s.b.xy);
  o[2] = bitcast<u32>(vec2(s.e[2], s.f[1].y));
}
//! kernel override_ accept in=half null
override k: f16 = 2.5h;
//! main
  o[i] = x * k;
//! kernel workgroup_array accept in=half null
var<workgroup> t: array<f16, 16>;
//! main
  t[i] = x;
  workgroupBarrier();
  o[i] = t[15u - i];
//! kernel modf_frexp accept in=half null
  o[i] = modf(x).fract + frexp(y).fract + ldexp(x, 1);
//! kernel quantize_unneeded accept in=half null
  o[i] = f16(quantizeToF16(f32(x)));
//! kernel no_mixed_floats reject in=half null
  o[i] = x + 1.0f;
//! kernel no_literal_too_big reject in=half null
  o[i] = 65536.0h;
//! kernel no_constant_overflow reject in=half null
  const c = 60000.0h * 2.0h;
//! kernel no_f32_assignment reject in=half null
  o[i] = f32(x);
//! kernel no_atomic_half reject in=half null
var<workgroup> t: atomic<f16>;
//! main
  o[i] = x;
//! kernel no_bitcast_half_to_u32 reject in=half null
  o[i] = f16(bitcast<u32>(x));
//! kernel no_integer_suffix reject in=half null
  o[i] = 0x1h;
