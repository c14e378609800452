//! kernel module_constants accept in=one
const a1 = 3;
const a2 = a1 * 4 + 1;
const a3: u32 = a2 / 2;
const a4 = vec2(a1, a2).yx;
//! main
  o[0] = a3;
  o[1] = u32(a4.x);
//! kernel order_does_not_matter accept in=one
const late = early + 1;
const early = 4;
//! main
  o[0] = late;
//! kernel abstract_int_range accept in=one
const big = 0x7fffffffffffffff;
const small = -big - 1;
//! main
  o[0] = u32(big >> 32);
  o[1] = u32((big / 4294967296) % 65536);
  o[2] = u32(-(small / 2147483648 / 2));
//! kernel abstract_float_precision accept in=onef
const third = 1.0 / 3.0;
//! main
  o[0] = third;
  o[1] = third * 3.0;
  o[2] = 1e300 / 1e299;
  o[3] = 16777216.0 + 1.0 - 16777216.0;
//! kernel folding_int accept in=one
  const x = 7;
  o[0] = u32(x / 2) + u32(-x / 2 + 10) * 10 + u32(-x % 3 + 5) * 100;
  o[1] = u32((x << 4) | 3) ^ u32(~x & 0xff);
  o[2] = u32(x > 3 && x < 9) + u32(!(x == 7)) * 2;
//! kernel folding_u32_wraps_not accept in=one
  const x = 4294967295u;
  o[0] = x / 3u + x % 10u + (x >> 4u);
  o[1] = countOneBits(x) + firstLeadingBit(x) + reverseBits(1u);
//! kernel folding_builtins accept in=one
  o[0] = u32(max(3, 4) + min(5, 6) + abs(-7) + clamp(10, 0, 5) + sign(-3));
  o[1] = u32(floor(2.7) + ceil(2.1) + round(2.5) + trunc(-2.7) + 10.0 * fract(2.5));
  o[2] = u32(dot(vec3(1, 2, 3), vec3(4, 5, 6)));
  o[3] = extractBits(0xabcd1234u, 8u, 12u) + insertBits(0u, 7u, 4u, 3u);
  o[4] = u32(select(1, 2, true)) + u32(any(vec2(false, true))) * 10;
  o[5] = pack4x8unorm(vec4(0.0, 0.5, 1.0, 2.0));
//! kernel folding_math accept in=onef ulp=4 abs=1e-6
  o[0] = sqrt(2.0);
  o[1] = sin(1.0) + cos(1.0);
  o[2] = exp(1.0);
  o[3] = log(10.0);
  o[4] = pow(2.0, 0.5);
  o[5] = atan2(1.0, 2.0);
  o[6] = inverseSqrt(3.0);
  o[7] = tanh(0.5);
  o[8] = length(vec2(3.0, 4.0));
  o[9] = exp2(0.5) + log2(3.0);
  o[10] = smoothstep(0.0, 2.0, 0.5);
  o[11] = asin(0.5) + acos(0.25);
  o[12] = degrees(1.0);
  o[13] = mix(1.0, 3.0, 0.25);
//! kernel folding_vectors accept in=one
  const v = vec4(1, 2, 3, 4);
  const w = v * 2 + v.wzyx;
  o[0] = u32(w.x);
  o[1] = u32((w + vec4(1)).w);
  o[2] = u32(dot(v, v));
  o[3] = u32(all(v < w));
//! kernel index_of_constant accept in=one
  const t = array(vec2(1, 2), vec2(3, 4));
  o[0] = u32(t[1].y);
  let i = u.p.y;
  o[1] = u32(t[i][i]);
//! kernel shift_of_abstract accept in=one
  o[0] = 1 << 31;
  o[1] = u32((1 << 40) >> 38);
//! kernel const_assert_module accept in=one
const_assert 1 + 1 == 2;
const_assert(array(1, 2, 3)[1] == 2);
const_assert max(vec2(1, 5), vec2(4, 2)).y == 5;
//! main
  o[0] = 1u;
//! kernel const_with_type accept in=onef
const x: f32 = 3;
const y: vec3<f32> = vec3(1, 2, 3);
const z = vec3f(1);
//! main
  o[0] = x + y.z + z.y;
//! kernel concretised_let accept in=one
  let x = 5;
  let y = 5.5;
  let t = array(1, 2);
  o[0] = bitcast<u32>(x);
  o[1] = bitcast<u32>(y);
  o[2] = bitcast<u32>(t[0]);
//! kernel short_circuit_constant accept in=one
  const p = false && (1 / 0 == 0);
  o[0] = u32(p);
//! kernel const_bool accept in=one
const yes = true;
//! main
  if (yes) { o[0] = 1u; } else { o[0] = 2u; }
  o[1] = u32(yes != false);
//! kernel literal_forms accept in=one
  o[0] = 0u + 0x0u + 0Xffu + 123u;
  o[1] = bitcast<u32>(0x7fffffffi) + bitcast<u32>(-0x80000000);
  o[2] = u32(0i);
//! kernel no_division_by_zero reject in=one
  o[0] = 1u / 0u;
//! kernel no_abstract_division_by_zero reject in=one
const x = 1 / 0;
//! main
  o[0] = x;
//! kernel no_remainder_by_zero reject in=one
  const x = 5 % 0;
//! kernel no_min_by_minus_one reject in=one
  const x = i32(-2147483648) / -1;
//! kernel no_runtime_division_by_constant_zero reject in=one
  o[0] = u.p.x / 0u;
//! kernel no_runtime_remainder_by_constant_zero reject in=one
  o[0] = u.p.x % 0u;
//! kernel i32_wraps accept in=one
  const x = 2147483647i + 1i;
  o[0] = u32(x);
  o[1] = u32(65536i * 65537i - 2147483647i);
//! kernel u32_wraps accept in=one
  const x = 4294967295u + 2u;
  o[0] = x;
  o[1] = 0u - 1u;
//! kernel no_abstract_overflow reject in=one
  const x = 0x7fffffffffffffff + 1;
//! kernel no_float_overflow reject in=onef
  const x = 1e38f * 10f;
//! kernel no_float_division_by_zero reject in=onef
  const x = 1.0 / 0.0;
//! kernel no_shift_too_far reject in=one
  const x = 1u << 32u;
//! kernel no_runtime_shift_too_far reject in=one
  o[0] = u.p.x << 32u;
//! kernel no_shift_loses_bits reject in=one
  const x = 0x80000000u << 1u;
//! kernel no_shift_changes_sign reject in=one
  const x = 0x40000000i << 1u;
//! kernel no_negation_of_u32 reject in=one
  const x = -1u;
//! kernel no_sqrt_of_negative reject in=onef
  o[0] = sqrt(-1.0);
//! kernel no_log_of_zero reject in=onef
  o[0] = log(0.0);
//! kernel no_acos_beyond reject in=onef
  o[0] = acos(2.0);
//! kernel no_clamp_crossed reject in=onef
  o[0] = clamp(1.0, 3.0, 2.0);
//! kernel no_runtime_clamp_crossed reject in=onef
  o[0] = clamp(a[1], 3.0, 2.0);
//! kernel no_smoothstep_equal reject in=onef
  o[0] = smoothstep(1.0, 1.0, 0.5);
//! kernel no_runtime_smoothstep_equal reject in=onef
  o[0] = smoothstep(1.0, 1.0, a[0]);
//! kernel no_normalize_of_zero reject in=onef
  o[0] = normalize(vec2(0.0, 0.0)).x;
//! kernel no_ldexp_too_big reject in=onef
  o[0] = ldexp(1.0, 200);
//! kernel no_f16_quantize_too_big reject in=onef
  o[0] = quantizeToF16(1e6);
//! kernel no_cyclic_constants reject in=one
const p = q;
const q = p;
//! main
  o[0] = 1u;
//! kernel no_constant_of_variable reject in=one
  var v = 1u;
  const c = v;
//! kernel no_constant_of_let reject in=one
  let v = 1u;
  const c = v + 1u;
//! kernel no_constant_of_user_function reject in=one
fn f() -> u32 { return 1u; }
const c = f();
//! main
  o[0] = c;
//! kernel no_constant_of_override reject in=one
override n: u32 = 1;
const c = n;
//! main
  o[0] = c;
//! kernel no_const_without_value reject in=one
const c: u32;
//! main
  o[0] = 1u;
//! kernel no_module_let reject in=one
let c = 1u;
//! main
  o[0] = 1u;
//! kernel no_literal_too_big_i32 reject in=one
  const x = 2147483648i;
//! kernel no_literal_too_big_u32 reject in=one
  const x = 4294967296u;
//! kernel no_literal_too_big reject in=one
  const x = 9223372036854775808;
//! kernel no_literal_f32_too_big reject in=one
  const x = 1e40f;
//! kernel no_leading_zero reject in=one
  o[0] = 012u;
//! kernel no_unknown_suffix reject in=one
  o[0] = u32(12l);
//! kernel no_hex_without_digits reject in=one
  o[0] = 0x;
//! kernel no_hex_float_too_precise reject in=onef
  o[0] = 0x1.00000001p0f;
//! kernel no_index_beyond reject in=one
  const t = array(1u, 2u);
  o[0] = t[2];
//! kernel no_conversion_overflow reject in=one
  const x = u32(-1);
//! kernel no_false_const_assert reject in=one
const_assert 1 == 2;
//! main
  o[0] = 1u;
//! kernel no_const_assert_of_override reject in=one
override n: u32 = 1;
const_assert n == 1u;
//! main
  o[0] = 1u;
//! kernel abstract_modf accept in=one
  const x = modf(1e300).whole;
  const y = frexp(1e300);
  o[0] = u32(x / 1e299);
  o[1] = u32(y.exp);
  o[2] = u32(y.fract * 65536);
//! kernel abstract_ldexp accept in=one
  const x = ldexp(1.0, 200);
  o[0] = u32(x / 1e60 * 1000.0);
