//! kernel default accept in=one
override n: u32 = 7u;
override m = 2.5;
override p = true;
override k: i32 = -3;
//! main
  o[0] = n + u32(m * 2.0) + u32(p) * 100u;
  o[1] = bitcast<u32>(k);
//! kernel set_by_name accept in=one set=n:9 set=m:0.5 set=p:0 set=k:-2147483648
override n: u32 = 7u;
override m: f32 = 2.5;
override p: bool = true;
override k: i32;
//! main
  o[0] = n;
  o[1] = bitcast<u32>(m);
  o[2] = u32(p);
  o[3] = bitcast<u32>(k);
//! kernel set_by_id accept in=one set=3:41
@id(3) override n: u32 = 7u;
@id(4) override m: u32 = 1u;
//! main
  o[0] = n * 10u + m;
//! kernel expression accept in=one set=n:6
override n: u32 = 2;
override half = n / 2u;
override total: u32 = n * half + 1u;
//! main
  o[0] = total;
  o[1] = half;
//! kernel derived_set accept in=one set=half:50
override n: u32 = 2;
override half: u32 = n / 2u;
//! main
  o[0] = half + n;
//! kernel workgroup_size accept set=w:16
//! bind 0 w zero 16
override w: u32 = 4;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(w) fn main(@builtin(local_invocation_index) i: u32) { o[i] = i + w; }
//! kernel workgroup_size_expression accept set=w:4
//! bind 0 w zero 16
override w: u32 = 1;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(w * 2, w / 2) fn main(@builtin(local_invocation_index) i: u32) { o[i] = i + 1u; }
//! kernel workgroup_array accept in=grid set=n:32
override n: u32 = 4;
var<workgroup> t: array<u32, n>;
//! main
  t[lane] = a[i];
  workgroupBarrier();
  o[i] = t[n - 1u - lane];
//! kernel workgroup_array_expression accept in=grid set=n:16
override n: u32 = 4;
var<workgroup> t: array<u32, n * 2>;
//! main
  t[lane] = a[i];
  workgroupBarrier();
  o[i] = t[31u - lane];
//! kernel in_condition accept in=grid set=mode:2
override mode: u32 = 0;
//! main
  if (mode == 2u) { o[i] = i * 3u; } else { o[i] = 1u; }
//! kernel as_loop_bound accept in=grid set=n:5
override n: u32 = 2;
//! main
  for (var k = 0u; k < n; k++) { o[i] += k * i; }
//! kernel in_private_initialiser accept in=grid set=n:5
override n: u32 = 2;
var<private> p: u32 = n * 2u;
//! main
  o[i] = p + i;
//! kernel builtin_of_override accept in=one set=x:-5
override x: i32 = 1;
override y = abs(x) + max(x, 3);
//! main
  o[0] = bitcast<u32>(y);
//! kernel unused_without_value accept in=one
override n: u32;
//! main
  o[0] = 1u;
//! kernel no_value reject in=one
override n: u32;
//! main
  o[0] = n;
//! kernel no_unknown_name reject in=one set=q:1
override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_name_with_id reject in=one set=n:1
@id(5) override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_value_out_of_range reject in=one set=n:-1
override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_value_too_big reject in=one set=n:1e10
override n: i32 = 1;
//! main
  o[0] = u32(n);
//! kernel no_f32_too_big reject in=onef set=n:1e39
override n: f32 = 1;
//! main
  o[0] = n;
//! kernel fraction_is_cut accept in=one set=n:3.7
override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_duplicate_id reject in=one
@id(1) override n: u32 = 1;
@id(1) override m: u32 = 1;
//! main
  o[0] = n;
//! kernel no_id_too_big reject in=one
@id(65536) override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_negative_id reject in=one
@id(-1) override n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_vector_override reject in=one
override n: vec2<u32> = vec2(1u);
//! main
  o[0] = n.x;
//! kernel no_override_in_function reject in=one
  override n: u32 = 1;
//! kernel no_override_of_variable reject in=one
var<private> v: u32 = 1;
override n: u32 = v;
//! main
  o[0] = n;
//! kernel no_id_on_const reject in=one
@id(1) const n: u32 = 1;
//! main
  o[0] = n;
//! kernel no_override_function_array reject in=one
override n: u32 = 4;
//! main
  var t: array<u32, n>;
//! kernel no_override_private_array reject in=one
override n: u32 = 4;
var<private> t: array<u32, n>;
//! main
  o[0] = t[0];
//! kernel no_division_by_zero reject in=one set=n:0
override n: u32 = 4;
override m: u32 = 4 / n;
//! main
  o[0] = m;
//! kernel no_zero_workgroup_size reject set=w:0
override w: u32 = 4;
@compute @workgroup_size(w) fn main() { }
//! kernel no_zero_array reject in=one set=n:0
override n: u32 = 4;
var<workgroup> t: array<u32, n>;
//! main
  o[0] = t[0];
//! kernel no_type_or_value reject in=one
override n;
//! main
  o[0] = 1u;
