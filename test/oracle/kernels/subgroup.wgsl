//! prelude four
//! bind 0 r =3,9,0xffffff85,12
//! bind 1 w zero 16
enable subgroups;
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_size) n: u32,
    @builtin(local_invocation_index) l: u32) {
  let x = a[s];
//! here
}
//! prelude many groups=2
//! bind 0 r word 64
//! bind 1 w zero 64
//! bind 2 u =3,1,4,1
enable subgroups;
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> u: vec4<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>,
    @builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_size) n: u32,
    @builtin(local_invocation_index) l: u32) {
  let i = id.x;
  let x = a[i];
//! here
}
//! prelude two
//! bind 0 w zero 8
enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_id) g: u32,
    @builtin(num_subgroups) many: u32) {
//! here
}
//! kernel add accept in=four
  o[s] = subgroupAdd(x);
  o[4u + s] = u32(subgroupAdd(i32(x) - 5));
//! kernel mul accept in=four
  o[s] = subgroupMul(x);
  o[4u + s] = u32(subgroupMul(i32(s) - 5));
//! kernel min_max accept in=four
  o[s] = subgroupMin(x);
  o[4u + s] = subgroupMax(x);
  o[8u + s] = u32(subgroupMin(i32(x)));
  o[12u + s] = u32(subgroupMax(i32(x)));
//! kernel bits accept in=four
  o[s] = subgroupAnd(x);
  o[4u + s] = subgroupOr(x);
  o[8u + s] = subgroupXor(x);
  o[12u + s] = u32(subgroupOr(~i32(x)) ^ subgroupAnd(1 << s));
//! kernel scans accept in=four
  o[s] = subgroupExclusiveAdd(x);
  o[4u + s] = subgroupInclusiveAdd(x);
  o[8u + s] = subgroupExclusiveMul(x);
  o[12u + s] = subgroupInclusiveMul(x);
//! kernel scans_signed accept in=four
  o[s] = u32(subgroupExclusiveAdd(i32(x)));
  o[4u + s] = u32(subgroupInclusiveMul(i32(x)));
//! kernel floats accept in=four
  let f = f32(x & 31u) * 0.25;
  o[s] = bitcast<u32>(subgroupAdd(f));
  o[4u + s] = bitcast<u32>(subgroupMul(f));
  o[8u + s] = bitcast<u32>(subgroupMin(f));
  o[12u + s] = bitcast<u32>(subgroupMax(-f));
//! kernel float_scans accept in=four
  let f = f32(x & 31u) * 0.25;
  o[s] = bitcast<u32>(subgroupExclusiveAdd(f));
  o[4u + s] = bitcast<u32>(subgroupInclusiveAdd(f));
  o[8u + s] = bitcast<u32>(subgroupExclusiveMul(f));
  o[12u + s] = bitcast<u32>(subgroupInclusiveMul(f));
//! kernel vectors accept in=four
  let v = subgroupAdd(vec3<u32>(x, s, 1u));
  let w = subgroupMax(vec4<i32>(vec2<i32>(i32(x), -i32(s)), vec2<i32>(3, i32(l))));
  let f = subgroupInclusiveAdd(vec2<f32>(f32(s), 1.0));
  o[s] = v.x + v.y * 31u + v.z * 77u;
  o[4u + s] = u32(w.x + w.y * 3 + w.z * 5 + w.w * 7);
  o[8u + s] = u32(f.x * 16.0 + f.y);
  o[12u + s] = subgroupXor(vec2(x, s)).y;
//! kernel all_any accept in=four
  o[s] = select(0u, 1u, subgroupAll(x > 2u)) + select(0u, 2u, subgroupAll(x > 3u)) +
      select(0u, 4u, subgroupAny(x > 1000u)) + select(0u, 8u, subgroupAny(x == 7u));
//! kernel ballot accept in=four
  let b = subgroupBallot((x & 1u) == 1u);
  o[s] = b.x;
  o[4u + s] = b.y | b.z | b.w;
//! kernel elect accept in=four
  o[s] = select(7u, 9u, subgroupElect());
//! kernel broadcast accept in=four
  const k = 2;
  o[s] = subgroupBroadcast(x, 3u);
  o[4u + s] = u32(subgroupBroadcast(i32(x), k));
  o[8u + s] = bitcast<u32>(subgroupBroadcast(f32(x), 0i));
  o[12u + s] = subgroupBroadcast(vec4<u32>(x, s, x, s), 1).y;
//! kernel broadcast_first accept in=four
  o[s] = subgroupBroadcastFirst(x);
  o[4u + s] = bitcast<u32>(subgroupBroadcastFirst(vec2<f32>(1.5, f32(x))).y);
//! kernel shuffle accept in=four
  o[s] = subgroupShuffle(x, 3u - s);
  o[4u + s] = subgroupShuffle(x, i32(s) & 2);
  o[8u + s] = subgroupShuffle(x, 1);
  o[12u + s] = bitcast<u32>(subgroupShuffle(vec3<f32>(1.0, f32(s), f32(x)), (s + 1u) % 4u).z);
//! kernel shuffle_xor accept in=four
  o[s] = subgroupShuffleXor(x, 1u);
  o[4u + s] = subgroupShuffleXor(x, 2);
  o[8u + s] = subgroupShuffleXor(s, 3u);
//! kernel shuffle_up accept in=four
  let up = subgroupShuffleUp(x, 1u);
  let far = subgroupShuffleUp(vec2(s, x), 2);
  o[s] = select(0u, up, s >= 1u);
  o[4u + s] = select(0u, far.y, s >= 2u);
//! kernel shuffle_down accept in=four
  let down = subgroupShuffleDown(i32(x), 1u);
  let far = subgroupShuffleDown(x, 3);
  o[s] = select(0u, u32(down), s < 3u);
  o[4u + s] = select(0u, far, s < 1u);
//! kernel quad_broadcast accept in=four
  o[s] = quadBroadcast(x, 0u);
  o[4u + s] = quadBroadcast(x, 3);
  o[8u + s] = bitcast<u32>(quadBroadcast(f32(x), 1i));
//! kernel quad_swaps accept in=four
  o[s] = quadSwapX(x);
  o[4u + s] = quadSwapY(x);
  o[8u + s] = quadSwapDiagonal(x);
  o[12u + s] = u32(quadSwapX(vec2<i32>(i32(s), -1)).x);
//! kernel built_in_values accept in=four
  o[s] = s;
  o[4u + s] = select(0u, 1u, n >= 4u && n <= 128u && (n & (n - 1u)) == 0u);
//! kernel ids accept in=two
  o[s] = g + many * 16u;
//! kernel inputs_in_struct accept
//! bind 0 w zero 4
enable subgroups;
struct In { @builtin(subgroup_invocation_id) s: u32, @builtin(num_subgroups) many: u32 }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(in: In) { o[in.s] = in.many + subgroupAdd(in.s); }
//! kernel requires_ids_and_scope accept
//! bind 0 w zero 4
enable subgroups;
requires subgroup_id, subgroup_uniformity;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(subgroup_id) g: u32, @builtin(subgroup_invocation_id) s: u32) {
  if g == 0u { o[s] = subgroupAdd(2u); }
}
//! kernel total accept in=many
  let sum = subgroupAdd(x);
  if subgroupElect() { atomicAdd(&r[0], sum); }
//! kernel extremes accept in=many
  let low = subgroupMin(x);
  let high = subgroupMax(x);
  let odd = subgroupXor(x);
  if subgroupElect() {
    atomicMax(&r[1], high);
    atomicMax(&r[2], ~low);
    atomicXor(&r[3], odd);
  }
//! kernel count accept in=many
  let bits = countOneBits(subgroupBallot((x & 3u) != 0u));
  if subgroupElect() { atomicAdd(&r[4], bits.x + bits.y + bits.z + bits.w); }
//! kernel butterfly accept in=many
  var sum = x;
  for (var k = 1u; k < min(n, 32u); k <<= 1u) { sum += subgroupShuffleXor(sum, k); }
  if subgroupElect() { atomicAdd(&r[5], sum); }
//! kernel scan_is_consistent accept in=many
  let before = subgroupExclusiveAdd(x);
  let up = subgroupShuffleUp(before, 1u);
  let last = subgroupShuffleUp(x, 1u);
  if s > 0u && before != up + last { atomicAdd(&r[6], 1u); }
  if subgroupInclusiveAdd(x) != before + x { atomicAdd(&r[7], 1u); }
//! kernel uniform_condition accept in=many
  if u.x == 3u { let sum = subgroupAdd(x & 255u); if subgroupElect() { atomicAdd(&r[0], sum); } }
//! kernel uniform_loop accept in=many
  for (var k = 0u; k < u.z; k++) {
    let sum = subgroupAdd(x & k);
    if subgroupElect() { atomicAdd(&r[k], sum); }
  }
//! kernel vote_is_uniform accept in=many
  if subgroupAny(u.x > 2u) { let sum = subgroupAdd(1u); if subgroupElect() { atomicAdd(&r[0], sum); } }
//! kernel size_before_barrier accept in=many
  if n >= 4u { workgroupBarrier(); }
  atomicAdd(&r[0], 1u);
//! kernel in_function accept in=four
fn twice(v: u32) -> u32 { return subgroupAdd(v) * 2u; }
//! main
  o[s] = twice(x);
//! kernel shadowed accept in=four
fn subgroupMul(v: u32) -> u32 { return v * 2u; }
//! main
  let quadSwapX = 5u;
  o[s] = subgroupMul(x) + quadSwapX;
//! kernel divergent_with_filter accept in=four
  @diagnostic(off, subgroup_uniformity) if (x & 1u) == 1u { o[s] = subgroupAdd(1u); }
//! kernel divergent_with_warning accept in=four
  @diagnostic(warning, subgroup_uniformity) if s < 2u { o[s] = subgroupAdd(x); }
//! kernel filter_for_the_module accept
//! bind 0 w zero 4
diagnostic(off, subgroup_uniformity);
enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
  if l == 1u { o[l] = subgroupAdd(5u); }
}
//! kernel override_ids accept in=four set=k:2
override k: u32;
//! main
  o[s] = subgroupShuffle(x, k);
//! kernel halves accept null
//! bind 0 w zero 4
enable subgroups, f16;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(subgroup_invocation_id) s: u32) {
  let h = f16(s) * 0.5h;
  o[s] = bitcast<u32>(vec2(subgroupAdd(h), quadSwapX(vec2h(h, 1.0h)).x)) + u32(subgroupMax(h) + subgroupBroadcast(h, 1));
}
//! kernel no_value_without_enable reject
@compute @workgroup_size(4) fn main(@builtin(subgroup_size) n: u32) { }
//! kernel no_id_without_enable reject
@compute @workgroup_size(4) fn main(@builtin(subgroup_id) n: u32) { }
//! kernel no_quad_without_enable reject in=one
  o[0] = quadSwapX(1u);
//! kernel no_vote_without_enable reject in=one
  if subgroupAll(true) { o[0] = 1u; }
//! kernel no_requires_subgroups reject
requires subgroups;
@compute @workgroup_size(4) fn main() { }
//! kernel no_signed_value reject
enable subgroups;
@compute @workgroup_size(4) fn main(@builtin(subgroup_invocation_id) s: i32) { }
//! kernel no_input_twice reject
enable subgroups;
@compute @workgroup_size(4) fn main(@builtin(subgroup_size) s: u32, @builtin(subgroup_size) n: u32) { }
//! kernel no_bool_sum reject in=four
  let y = subgroupAdd(x == 1u);
//! kernel no_matrix_sum reject in=four
  let y = subgroupAdd(mat2x2<f32>());
//! kernel no_struct_broadcast reject in=four
struct S { a: u32 }
//! main
  let y = subgroupBroadcastFirst(S(x));
//! kernel no_bool_broadcast reject in=four
  let y = subgroupBroadcast(true, 0);
//! kernel no_float_and reject in=four
  let y = subgroupAnd(1.5);
//! kernel no_float_vector_xor reject in=four
  let y = subgroupXor(vec2<f32>());
//! kernel no_integer_vote reject in=four
  let y = subgroupAll(x);
//! kernel no_vector_vote reject in=four
  let y = subgroupAny(vec2<bool>());
//! kernel no_integer_ballot reject in=four
  let y: u32 = subgroupBallot(true);
//! kernel no_elect_argument reject in=four
  let y = subgroupElect(true);
//! kernel no_missing_argument reject in=four
  let y = subgroupAdd();
//! kernel no_second_argument reject in=four
  let y = subgroupAdd(x, 1u);
//! kernel no_template_argument reject in=four
  let y = subgroupAdd<u32>(x);
//! kernel no_unused_result reject in=four
  subgroupAdd(x);
//! kernel no_unused_quad reject in=four
  quadSwapY(x);
//! kernel no_constant reject in=four
  const y = subgroupAdd(1u);
//! kernel no_module_constant reject
enable subgroups;
const y = subgroupAdd(1u);
@compute @workgroup_size(4) fn main() { }
//! kernel no_private_initializer reject
enable subgroups;
var<private> y = subgroupAdd(1u);
@compute @workgroup_size(4) fn main() { _ = y; }
//! kernel no_broadcast_of_variable_id reject in=four
  o[s] = subgroupBroadcast(x, n);
//! kernel no_broadcast_of_let_id reject in=four
  let k = 2u;
  o[s] = subgroupBroadcast(x, k);
//! kernel no_broadcast_of_override_id reject in=four
override k = 2u;
//! main
  o[s] = subgroupBroadcast(x, k);
//! kernel no_broadcast_id_too_big reject in=four
  o[s] = subgroupBroadcast(x, 128u);
//! kernel no_broadcast_id_negative reject in=four
  o[s] = subgroupBroadcast(x, -1);
//! kernel no_broadcast_id_float reject in=four
  o[s] = subgroupBroadcast(x, 1.0);
//! kernel no_shuffle_id_float reject in=four
  o[s] = subgroupShuffle(x, f32(s));
//! kernel no_shuffle_id_vector reject in=four
  o[s] = subgroupShuffle(x, vec2<u32>());
//! kernel no_shuffle_id_too_big reject in=four
  o[s] = subgroupShuffle(x, 128u);
//! kernel no_shuffle_id_negative reject in=four
  o[s] = subgroupShuffle(x, -1);
//! kernel no_shuffle_delta_signed reject in=four
  o[s] = subgroupShuffleDown(x, 1i);
//! kernel no_shuffle_delta_too_big reject in=four
  o[s] = subgroupShuffleUp(x, 128u);
//! kernel no_shuffle_mask_too_big reject in=four
  o[s] = subgroupShuffleXor(x, 200u);
//! kernel no_quad_id_too_big reject in=four
  o[s] = quadBroadcast(x, 4u);
//! kernel no_quad_id_negative reject in=four
  o[s] = quadBroadcast(x, -1);
//! kernel no_quad_id_variable reject in=four
  o[s] = quadBroadcast(x, s);
//! kernel no_quad_swap_bool reject in=four
  let y = quadSwapDiagonal(true);
//! kernel no_divergent_call reject in=four
  if l == 1u { o[s] = subgroupAdd(x); }
//! kernel no_call_after_return reject in=four
  if l == 1u { return; }
  o[s] = subgroupAdd(x);
//! kernel no_divergent_loop reject in=four
  for (var k = 0u; k < l; k++) { o[s] = subgroupAdd(x); }
//! kernel no_divergent_quad reject in=four
  if s == 1u { o[s] = quadSwapX(x); }
//! kernel no_divergent_function reject in=four
fn f(v: u32) -> u32 { return subgroupMax(v); }
//! main
  if x > 5u { o[s] = f(x); }
//! kernel no_call_behind_short_circuit reject in=four
  if x > 5u && subgroupAny(x > 7u) { o[s] = 1u; }
//! kernel no_call_where_one_is_elected reject in=four
  if subgroupElect() { o[s] = subgroupAdd(x); }
//! kernel no_call_behind_shuffle reject in=four
  if subgroupShuffle(x, 1u) == 9u { o[s] = 1u; }
  if subgroupExclusiveAdd(x) == 9u { o[s] = subgroupAdd(x); }
//! kernel no_call_behind_vote_on_different reject in=many
  if subgroupAny(x > 5u) { let sum = subgroupAdd(1u); if subgroupElect() { atomicAdd(&r[0], sum); } }
//! kernel no_divergent_delta reject in=four
  o[s] = subgroupShuffleUp(x, l & 1u);
//! kernel no_divergent_mask reject in=four
  o[s] = subgroupShuffleXor(x, x & 3u);
//! kernel no_barrier_behind_vote reject in=four
  if subgroupAny(x > 5u) { workgroupBarrier(); }
//! kernel no_barrier_behind_id reject in=two
  if g == 0u { workgroupBarrier(); }
//! kernel no_barrier_with_filter_for_subgroups reject in=four
  @diagnostic(off, subgroup_uniformity) if l == 1u { workgroupBarrier(); }
//! kernel no_filter_inside_of_error reject in=four
  @diagnostic(off, subgroup_uniformity) if l == 1u @diagnostic(error, subgroup_uniformity) { o[s] = subgroupAdd(x); }
//! prelude sized
//! bind 0 r =3,9,0xffffff85,12,5,5,7,1
//! bind 1 w zero 32
enable subgroups, subgroup_size_control;
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
//! here
fn main(@builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_size) n: u32, @builtin(subgroup_id) g: u32,
    @builtin(num_subgroups) many: u32) {
  let x = a[g * n + s];
  let i = g * n + s;
  o[i] = n * 16u + many;
  o[8u + i] = subgroupAdd(x);
  o[16u + i] = subgroupShuffle(x, n - 1u - s);
  o[24u + i] = subgroupBallot(x > 5u).x;
}
//! kernel size_four accept in=sized
@compute @workgroup_size(8) @subgroup_size(4)
//! kernel size_before_compute accept in=sized
@subgroup_size(4,) @compute @workgroup_size(4, 2)
//! kernel size_signed accept in=sized
@compute @workgroup_size(8) @subgroup_size(2i * 2i)
//! kernel size_constant accept in=sized
const k = 4u;
@compute @workgroup_size(k) @subgroup_size(k)
//! kernel size_override accept in=sized set=k:4
override k: u32;
@compute @workgroup_size(2 * k) @subgroup_size(k)
//! kernel size_eight accept in=sized null
@compute @workgroup_size(8) @subgroup_size(8)
//! kernel size_largest accept null
enable subgroups;
enable subgroup_size_control;
@compute @workgroup_size(128) @subgroup_size(128) fn main() { }
//! kernel size_is_a_context_dependent_name accept
//! bind 0 w zero 1
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { let subgroup_size = 3u; o[0] = subgroup_size; }
//! kernel no_size_without_enable reject
enable subgroups;
@compute @workgroup_size(4) @subgroup_size(4) fn main() { }
//! kernel no_size_without_subgroups reject
enable subgroup_size_control;
@compute @workgroup_size(4) fn main() { }
//! kernel no_size_three reject in=sized
@compute @workgroup_size(12) @subgroup_size(3)
//! kernel no_size_zero reject in=sized
@compute @workgroup_size(4) @subgroup_size(0)
//! kernel no_size_negative reject in=sized
@compute @workgroup_size(4) @subgroup_size(-4)
//! kernel no_size_too_large reject in=sized
@compute @workgroup_size(256) @subgroup_size(256)
//! kernel no_size_too_small reject in=sized
@compute @workgroup_size(4) @subgroup_size(2)
//! kernel no_size_float reject in=sized
@compute @workgroup_size(4) @subgroup_size(4.0)
//! kernel no_size_float_override reject in=sized set=k:4
override k: f32;
@compute @workgroup_size(4) @subgroup_size(k)
//! kernel no_size_three_by_override reject in=sized set=k:3
override k: u32;
@compute @workgroup_size(12) @subgroup_size(k)
//! kernel no_size_of_variable reject in=sized
var<private> k = 4;
@compute @workgroup_size(4) @subgroup_size(k)
//! kernel no_size_that_does_not_divide reject in=sized null
@compute @workgroup_size(12, 2) @subgroup_size(8)
//! kernel no_size_that_divides_all_but_not_x reject in=sized null
@compute @workgroup_size(4, 2) @subgroup_size(8)
//! kernel no_size_of_function reject in=sized
@subgroup_size(4) fn f() { }
@compute @workgroup_size(4)
//! kernel no_size_of_variable_declaration reject in=sized
@subgroup_size(4) var<private> v: u32;
@compute @workgroup_size(4)
//! kernel no_size_of_parameter reject in=sized
fn f(@subgroup_size(4) x: u32) { }
@compute @workgroup_size(4)
//! kernel no_size_twice reject in=sized
@compute @workgroup_size(4) @subgroup_size(4) @subgroup_size(4)
//! kernel no_size_of_two_values reject in=sized
@compute @workgroup_size(4) @subgroup_size(4, 4)
//! kernel no_size_without_value reject in=sized
@compute @workgroup_size(4) @subgroup_size
//! kernel size_of_other_entry accept
//! bind 0 w zero 1
enable subgroups, subgroup_size_control;
override k: u32;
@compute @workgroup_size(12) @subgroup_size(8) fn first() { }
@compute @workgroup_size(k) @subgroup_size(k) fn second() { }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 7u; }
//! kernel no_size_three_of_other_entry reject
enable subgroups, subgroup_size_control;
@compute @workgroup_size(12) @subgroup_size(3) fn first() { }
@compute @workgroup_size(1) fn main() { }
