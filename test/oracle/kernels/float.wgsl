//! kernel add accept in=f32
  o[i] = x + y;
//! kernel sub accept in=f32
  o[i] = x - y;
//! kernel mul accept in=f32
  o[i] = x * y;
//! kernel div accept in=f32 ulp=2.5
  o[i] = x / select(y, 3.0, y == 0.0);
//! kernel div_power_of_two accept in=f32
  o[i] = x / 8.0 + y / 0.25;
//! kernel rem accept in=pos ulp=8 abs=1e-5
  o[i] = x % y;
//! kernel neg accept in=f32
  o[i] = -x;
//! kernel mul_add accept in=f32
  o[i] = x * y + x;
//! kernel sum_order accept in=f32
  o[i] = (x + y) + (x - 1.0) + (y + 0.1);
//! kernel distribute accept in=f32
  o[i] = x * y + x * 0.1 - y * x;
//! kernel compare accept in=f32
  o[i] = select(0.0, 1.0, x < y) + select(0.0, 2.0, x <= y) + select(0.0, 4.0, x > y) +
         select(0.0, 8.0, x >= y) + select(0.0, 16.0, x == y) + select(0.0, 32.0, x != y);
//! kernel abs_sign accept in=f32
  o[i] = abs(x) + sign(y) * 3.0;
//! kernel min_max accept in=f32
  o[i] = min(x, y) - max(x, y);
//! kernel clamp_ accept in=f32
  o[i] = clamp(x, -1.0, 1.0) + saturate(y);
//! kernel floor_ accept in=f32
  o[i] = floor(x);
//! kernel ceil_ accept in=f32
  o[i] = ceil(x);
//! kernel trunc_ accept in=f32
  o[i] = trunc(x);
//! kernel round_ accept in=f32
  o[i] = round(x);
//! kernel round_ties accept in=onef
  for (var i = 0; i < 16; i++) { o[i] = round(f32(i - 8) * 0.5); }
//! kernel fract_ accept in=f32
  o[i] = fract(x);
//! kernel fma_ accept in=f32 ulp=1
  o[i] = fma(x, 2.0, 1.0);
//! kernel step_ accept in=f32
  o[i] = step(x, y);
//! kernel mix_ accept in=f32
  o[i] = mix(x, y, 0.25);
//! kernel degrees_ accept in=f32
  o[i] = degrees(x);
//! kernel radians_ accept in=f32
  o[i] = radians(x);
//! kernel modf_ accept in=f32
  let m = modf(x);
  o[i] = m.fract * 2.0 + m.whole;
//! kernel frexp_ accept in=f32
  let m = frexp(x);
  o[i] = m.fract + f32(m.exp) * 4.0;
//! kernel ldexp_ accept in=f32
  o[i] = ldexp(x, i32(i % 21u) - 10);
//! kernel quantize accept in=unit
  o[i] = quantizeToF16(x);
//! kernel smoothstep_ accept in=unit abs=1e-5
  o[i] = smoothstep(-0.5, 0.75, x);
//! kernel compound accept in=f32
  var v = x;
  v += y;
  v *= 0.5;
  v -= 1.0;
  o[i] = v;
//! kernel inc_by_loop accept in=f32
  var s = 0.0;
  for (var k = 0u; k < 10u; k++) { s += x * 0.1; }
  o[i] = s;
//! kernel horner accept in=unit
  o[i] = ((x * 0.5 + 0.25) * x + 0.125) * x + 0.0625;
//! kernel literals accept in=onef
  o[0] = 1.;
  o[1] = .5;
  o[2] = 1e3;
  o[3] = 1.5e-3f;
  o[4] = 0x1p-4;
  o[5] = 0x1.8p3f;
  o[6] = 3f;
  o[7] = 0x.8p1;
  o[8] = 1E+2;
  o[9] = 16777217.0;
  o[10] = 0.1;
  o[11] = 3.4028234e38;
//! kernel bits_special accept in=special
  o[i] = bitcast<u32>(x);
//! kernel negate_special accept in=special
  o[i] = bitcast<u32>(-x);
//! kernel abs_special accept in=special
  o[i] = bitcast<u32>(abs(x));
//! kernel add_special accept in=special
  o[i] = bitcast<u32>(x + 1.0);
//! kernel mul_special accept in=special
  o[i] = bitcast<u32>(x * 0.5);
//! kernel compare_special accept in=special
  o[i] = select(0u, 1u, x < 1.0) + select(0u, 2u, x == x) + select(0u, 4u, x > 0.0) + select(0u, 8u, x != 0.0);
//! kernel floor_special accept in=special
  o[i] = bitcast<u32>(floor(x));
//! kernel round_special accept in=special
  o[i] = bitcast<u32>(round(x));
//! kernel trunc_special accept in=special
  o[i] = bitcast<u32>(trunc(x));
//! kernel sign_special accept in=special
  o[i] = bitcast<u32>(sign(x));
//! kernel min_special accept in=special
  o[i] = bitcast<u32>(min(x, 1.0)) ^ bitcast<u32>(max(x, 0.5));
//! kernel clamp_special accept in=special
  o[i] = bitcast<u32>(clamp(x, -1.0, 2.0));
//! kernel to_u32_special accept in=special
  o[i] = u32(x);
//! kernel to_i32_special accept in=special
  o[i] = bitcast<u32>(i32(x));
//! kernel to_bool_special accept in=special
  o[i] = u32(bool(x));
//! kernel modf_special accept in=special
  o[i] = bitcast<u32>(modf(x).whole);
//! kernel frexp_special accept in=special
  o[i] = bitcast<u32>(frexp(x).exp);
//! kernel ldexp_special accept in=special
  o[i] = bitcast<u32>(ldexp(x, 3));
//! kernel select_special accept in=special
  o[i] = bitcast<u32>(select(x, 1.0, i > 100u));
//! kernel store_special accept
//! bind 0 r special 32
//! bind 1 w zero 32
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) { o[id.x] = a[id.x]; }
