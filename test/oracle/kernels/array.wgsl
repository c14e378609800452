//! kernel fixed accept in=one
  var t = array<u32, 4>(1u, 2u, 3u, 4u);
  t[2] = t[0] + t[3];
  for (var i = 0u; i < 4u; i++) { o[i] = t[i] * u.p[i]; }
//! kernel inferred accept in=one
  let t = array(1u, 2u, 3u);
  o[0] = t[u.p.y];
  o[1] = array(7u, 8u)[u.p.y];
//! kernel inferred_mixed accept in=onef
  let t = array(1, 2.5, 3);
  o[0] = t[1];
//! kernel dynamic_clamped accept in=one
  var t = array<u32, 4>(1u, 2u, 3u, 4u);
  o[0] = t[u.q.y + 100u];
  t[u.q.y + 100u] = 9u;
  o[1] = t[3];
//! kernel negative_index_clamped accept in=one
  var t = array<u32, 4>(1u, 2u, 3u, 4u);
  let i = -i32(u.p.x);
  o[0] = t[i];
  o[1] = a[i];
//! kernel buffer_clamped accept in=one
  o[0] = a[1000u + u.p.x];
  o[u.q.x + 5000u] = 77u;
//! kernel nested accept in=one
  var t: array<array<u32, 3>, 2>;
  for (var i = 0u; i < 2u; i++) { for (var j = 0u; j < 3u; j++) { t[i][j] = i * 10u + j; } }
  let r = t[1];
  o[0] = r[2];
  o[1] = t[u.p.y][u.p.y];
//! kernel copy_is_deep accept in=one
  var t = array(array(1u, 2u), array(3u, 4u));
  var s = t;
  s[0][1] = 50u;
  o[0] = t[0][1];
  o[1] = s[0][1];
  t[1] = s[0];
  o[2] = t[1][1];
//! kernel zero accept in=one
  var t: array<vec3<u32>, 5>;
  t[u.p.x].y = 4u;
  let z = array<u32, 3>();
  o[0] = t[3].y + z[u.p.y] + t[4].z;
//! kernel array_length accept in=one
  o[0] = arrayLength(&o);
  o[1] = arrayLength(&a) * 10u;
//! kernel const_size accept in=one
const n = 3 + 2;
alias T = array<u32, n * 2>;
//! main
  var t: T;
  t[9] = 4u;
  o[0] = t[n + 4];
//! kernel const_index accept in=one
  const t = array(5u, 6u, 7u);
  const i = 1;
  o[0] = t[i] + t[2] + t[u.p.y];
//! kernel const_array_in_module accept in=one
const t = array<u32, 4>(2, 3, 5, 7);
//! main
  for (var i = 0; i < 4; i++) { o[i] = t[i]; }
//! kernel return_array accept in=one
fn f(n: u32) -> array<u32, 3> { return array(n, n * 2u, n * 3u); }
//! main
  o[0] = f(5u)[u.p.y];
  var t = f(7u);
  o[1] = t[2];
//! kernel array_parameter accept in=one
fn sum(t: array<u32, 3>) -> u32 { return t[0] + t[1] + t[2]; }
//! main
  o[0] = sum(array(1u, 2u, u.p.x));
//! kernel private_array accept in=grid
var<private> t: array<u32, 8>;
//! main
  for (var k = 0u; k < 8u; k++) { t[k] = i * k; }
  o[i] = t[i & 7u] + t[7];
//! kernel large_loop_fill accept in=grid
  var t: array<u32, 64>;
  for (var k = 0u; k < 64u; k++) { t[(k * 7u + i) & 63u] = k; }
  o[i] = t[i] * 100u + t[63u - i];
//! kernel bool_array accept in=grid
  var seen: array<bool, 32>;
  for (var k = 2u; k < 32u; k++) { for (var m = k * 2u; m < 32u; m += k) { seen[m] = true; } }
  o[i] = select(0u, 1u, seen[i & 31u]);
//! kernel trailing_comma accept in=one
  let t = array<u32, 2,>(1u, 2u,);
  o[0] = t[1];
//! kernel override_sized accept in=one set=n:5
override n: u32 = 4;
var<workgroup> w: array<u32, n>;
//! main
  w[4] = 9u;
  o[0] = w[n - 1u];
//! kernel no_const_beyond reject in=one
  var t: array<u32, 4>;
  o[0] = t[4];
//! kernel no_const_negative reject in=one
  var t: array<u32, 4>;
  o[0] = t[-1];
//! kernel no_zero_size reject in=one
  var t: array<u32, 0>;
//! kernel no_negative_size reject in=one
  var t: array<u32, -1>;
//! kernel no_runtime_size reject in=one
  let n = 4;
  var t: array<u32, n>;
//! kernel no_function_runtime_array reject in=one
  var t: array<u32>;
//! kernel no_wrong_count reject in=one
  let t = array<u32, 3>(1u, 2u);
//! kernel no_mixed_elements reject in=one
  let t = array(1u, 2i);
//! kernel no_empty_inference reject in=one
  let t = array();
//! kernel no_length_of_fixed reject in=one
  var t: array<u32, 4>;
  o[0] = arrayLength(&t);
//! kernel no_assign_to_let reject in=one
  let t = array(1u, 2u);
  t[0] = 4u;
//! kernel no_write_to_read_only reject in=one
  a[0] = 4u;
//! kernel no_runtime_array_copy reject in=one
  let t = a;
//! kernel no_float_index reject in=one
  o[0] = a[1.5];
//! kernel no_element_type reject in=one
  var t: array;
//! kernel no_array_of_runtime_array reject in=one
@group(0) @binding(5) var<storage> z: array<array<u32>>;
//! main
  o[0] = z[0][0];
//! kernel no_array_equality reject in=one
  o[0] = u32(array(1u) == array(1u));
