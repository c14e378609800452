//! prelude pack groups=2
//! bind 0 r unit 256
//! bind 1 r i32y 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> f: array<vec4<f32>>;
@group(0) @binding(1) var<storage> w: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
//! here
}
//! kernel pack4x8snorm_ accept in=pack
  o[i] = pack4x8snorm(f[i]);
//! kernel pack4x8unorm_ accept in=pack
  o[i] = pack4x8unorm(f[i]);
//! kernel pack4x8unorm_beyond accept in=pack
  o[i] = pack4x8unorm(f[i] * 2.0) ^ pack4x8snorm(f[i] * 3.0);
//! kernel pack2x16snorm_ accept in=pack
  o[i] = pack2x16snorm(f[i].xy);
//! kernel pack2x16unorm_ accept in=pack
  o[i] = pack2x16unorm(f[i].zw);
//! kernel pack2x16float_ accept in=pack
  o[i] = pack2x16float(f[i].xy * 8.0);
//! kernel pack2x16float_exact accept in=pack
  o[i] = pack2x16float(vec2(f32(i) * 0.25, -f32(i) * 64.0));
//! kernel pack4xI8_ accept in=pack
  o[i] = pack4xI8(vec4<i32>(vec4(w[i], w[i] >> 3u, i, 200u)));
//! kernel pack4xU8_ accept in=pack
  o[i] = pack4xU8(vec4(w[i], w[i] >> 3u, i, 300u));
//! kernel pack4xI8Clamp_ accept in=pack
  o[i] = pack4xI8Clamp(vec4<i32>(vec4(w[i], w[i] >> 28u, i, 200u)));
//! kernel pack4xU8Clamp_ accept in=pack
  o[i] = pack4xU8Clamp(vec4(w[i], w[i] >> 28u, i, 300u));
//! kernel unpack4xI8_ accept in=pack
  let v = unpack4xI8(w[i]);
  o[i] = bitcast<u32>(v.x + v.y * 3 + v.z * 5 + v.w * 7);
//! kernel unpack4xU8_ accept in=pack
  let v = unpack4xU8(w[i]);
  o[i] = v.x + v.y * 3u + v.z * 5u + v.w * 7u;
//! kernel unpack4x8unorm_ accept in=pack ulp=3
  o[i] = bitcast<u32>(unpack4x8unorm(w[i]).y);
//! kernel unpack4x8snorm_ accept in=pack ulp=3
  o[i] = bitcast<u32>(unpack4x8snorm(w[i]).z);
//! kernel unpack2x16unorm_ accept in=pack ulp=3
  o[i] = bitcast<u32>(unpack2x16unorm(w[i]).y);
//! kernel unpack2x16snorm_ accept in=pack ulp=3
  o[i] = bitcast<u32>(unpack2x16snorm(w[i]).x);
//! kernel unpack2x16float_ accept in=pack
  o[i] = bitcast<u32>(unpack2x16float(w[i] & 0x3fff3fffu).x) ^ bitcast<u32>(unpack2x16float(w[i] & 0x3fff3fffu).y);
//! kernel pack_round_trip accept in=pack
  o[i] = pack2x16float(unpack2x16float(w[i] & 0x7bff7bffu));
//! kernel dot4_accumulate accept in=pack
  o[i] = dot4U8Packed(w[i], 0x01020304u) + bitcast<u32>(dot4I8Packed(w[i], 0xff02fe04u));
//! kernel quantize_word accept in=pack
  o[i] = bitcast<u32>(quantizeToF16(f32(i) * 0.125 + 1.0));
//! kernel no_pack_of_vec3 reject in=pack
  o[i] = pack4x8unorm(f[i].xyz);
//! kernel no_unpack_of_signed reject in=pack
  o[i] = u32(unpack4x8unorm(5i).x);
