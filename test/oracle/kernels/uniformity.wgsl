//! kernel no_barrier_in_divergent_if reject in=grid
  if (i > 3u) { workgroupBarrier(); }
//! kernel no_barrier_in_divergent_loop reject in=grid
  for (var k = 0u; k < i; k++) { workgroupBarrier(); }
//! kernel no_barrier_after_divergent_return reject in=grid
  if (i > 3u) { return; }
  workgroupBarrier();
//! kernel no_barrier_after_divergent_break reject in=grid
  for (var k = 0u; k < 4u; k++) { if (k == lane) { break; } workgroupBarrier(); }
//! kernel no_barrier_after_divergent_continue reject in=grid
  for (var k = 0u; k < 4u; k++) { if (k == lane) { continue; } workgroupBarrier(); }
//! kernel no_barrier_by_storage_value reject in=grid
  if (o[0] > 3u) { workgroupBarrier(); }
//! kernel no_barrier_by_workgroup_value reject in=grid
var<workgroup> n: u32;
//! main
  if (n > 3u) { workgroupBarrier(); }
//! kernel no_barrier_by_private_value reject in=grid
var<private> n: u32;
//! main
  n = lane;
  if (n > 3u) { workgroupBarrier(); }
//! kernel no_barrier_by_atomic reject in=grid
//! bind 3 w zero 4
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  if (atomicLoad(&c) > 3u) { workgroupBarrier(); }
//! kernel no_barrier_in_called_function reject in=grid
fn f() { workgroupBarrier(); }
//! main
  if (i > 3u) { f(); }
//! kernel no_barrier_by_parameter reject in=grid
fn f(n: u32) { if (n > 2u) { workgroupBarrier(); } }
//! main
  f(lane);
//! kernel no_barrier_by_result reject in=grid
fn f() -> u32 { return o[1]; }
//! main
  if (f() > 2u) { workgroupBarrier(); }
//! kernel no_barrier_by_pointer reject in=grid
fn f(p: ptr<function, u32>) { *p = o[1]; }
//! main
  var v = 0u;
  f(&v);
  if (v > 2u) { workgroupBarrier(); }
//! kernel no_barrier_in_divergent_switch reject in=grid
  switch (lane) { case 1u: { workgroupBarrier(); } default: { } }
//! kernel no_barrier_by_short_circuit reject in=grid
fn f() -> bool { workgroupBarrier(); return true; }
//! main
  if (i > 2u && f()) { o[i] = 1u; }
//! kernel no_storage_barrier_divergent reject in=grid
  if (lane == 0u) { storageBarrier(); }
//! kernel no_uniform_load_divergent reject in=grid
var<workgroup> n: u32;
//! main
  if (lane == 0u) { o[i] = workgroupUniformLoad(&n); }
//! kernel no_barrier_by_variable_after_loop reject in=grid
  var v = 0u;
  for (var k = 0u; k < 5u; k++) { if (k == lane) { v = 1u; } }
  if (v == 1u) { workgroupBarrier(); }
//! kernel no_barrier_by_array_element reject in=grid
  var t = array(0u, 0u);
  t[0] = lane;
  if (t[1] == 0u) { workgroupBarrier(); }
//! kernel no_barrier_by_while_condition reject in=grid
  var k = lane;
  while (k > 0u) { k--; workgroupBarrier(); }
//! kernel no_barrier_in_continuing reject in=grid
  var k = 0u;
  loop { if (k > lane) { break; } continuing { k++; workgroupBarrier(); } }
//! kernel by_constant accept in=grid
  if (3 > 2) { workgroupBarrier(); }
  o[i] = 1u;
//! kernel by_uniform_buffer accept in=grid
  if (u.p.x > 2u) { workgroupBarrier(); }
  for (var k = 0u; k < u.p.x; k++) { workgroupBarrier(); }
  o[i] = 1u;
//! kernel by_read_only_storage accept in=grid
  if (a[0] > 2u) { workgroupBarrier(); }
  o[i] = 1u;
//! kernel by_workgroup_id accept in=grid
  if (wg.x > 0u) { workgroupBarrier(); }
  o[i] = 1u;
//! kernel by_override accept in=grid
override n: u32 = 3;
//! main
  if (n > 2u) { workgroupBarrier(); }
  o[i] = 1u;
//! kernel by_uniform_variable accept in=grid
  var v = u.p.x;
  v = v * 2u + 1u;
  if (v > 2u) { workgroupBarrier(); }
  o[i] = v;
//! kernel by_uniform_parameter accept in=grid
fn f(n: u32) { if (n > 2u) { workgroupBarrier(); } }
//! main
  f(u.p.x);
  o[i] = 1u;
//! kernel after_divergent_if accept in=grid
  if (i > 3u) { o[i] = 5u; }
  workgroupBarrier();
//! kernel after_divergent_loop accept in=grid
  for (var k = 0u; k < i; k++) { o[i] += k; }
  workgroupBarrier();
  o[i] += 1u;
//! kernel after_reassignment accept in=grid
  var v = lane;
  v = 4u;
  if (v > 2u) { workgroupBarrier(); }
  o[i] = v;
//! kernel by_uniform_load accept in=grid
var<workgroup> n: u32;
//! main
  if (lane == 0u) { n = 7u; }
  if (workgroupUniformLoad(&n) == 7u) { workgroupBarrier(); o[i] = 2u; }
//! kernel uniform_early_return accept in=grid
  if (u.p.x > 100u) { return; }
  workgroupBarrier();
  o[i] = 1u;
//! kernel uniform_break accept in=grid
  for (var k = 0u; k < 10u; k++) { if (k == u.p.x) { break; } workgroupBarrier(); o[i] = k; }
//! kernel uniform_switch accept in=grid
  switch (u.p.x) { case 3u: { workgroupBarrier(); o[i] = 3u; } default: { o[i] = 4u; } }
//! kernel num_workgroups accept groups=2
//! bind 0 w zero 8
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(num_workgroups) n: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
  for (var k = 0u; k < n.x; k++) { workgroupBarrier(); o[id.x] = k; }
}
//! kernel divergent_call_without_barrier accept in=grid
fn f(n: u32) -> u32 { if (n > 2u) { return 1u; } return 2u; }
//! main
  let v = f(lane);
  workgroupBarrier();
  o[i] = v;
//! kernel array_reassigned accept in=grid
  var t = array(lane, lane);
  t = array(1u, 2u);
  if (t[1] == 2u) { workgroupBarrier(); }
  o[i] = t[0];
//! kernel vector_reassigned accept in=grid
  var t = vec2(lane);
  t = vec2(1u, 2u);
  if (t.y == 2u) { workgroupBarrier(); }
  o[i] = t.x;
//! kernel no_barrier_by_component_reassigned reject in=grid
  var t = vec2(lane);
  t.x = 1u;
  if (t.x == 1u) { workgroupBarrier(); }
//! kernel no_barrier_by_element_reassigned reject in=grid
  var t = array(lane, lane);
  t[0] = 1u;
  if (t[0] == 1u) { workgroupBarrier(); }
//! kernel reassigned_in_loop accept in=grid
  var v = 0u;
  for (var k = 0u; k < 3u; k++) { v = k; if (v == 1u) { workgroupBarrier(); } o[i] += v; v = lane; }
  o[i] += v;
//! kernel no_barrier_by_pass_before reject in=grid
  var v = 0u;
  for (var k = 0u; k < 3u; k++) { if (v == 1u) { workgroupBarrier(); } v = lane; }
//! kernel no_barrier_by_break_before_reassignment reject in=grid
  var v = 1u;
  loop { v = lane; if (u.p.x == 3u) { break; } v = 1u; }
  if (v == 1u) { workgroupBarrier(); }
//! kernel break_after_reassignment accept in=grid
  var v = lane;
  loop { v = 1u; if (u.p.x == 3u) { break; } v = lane; }
  if (v == 1u) { workgroupBarrier(); }
  o[i] = v;
//! kernel reassigned_on_both_sides accept in=grid
  var v = lane;
  if (u.p.x == 3u) { v = 1u; } else { v = 2u; }
  if (v == 1u) { workgroupBarrier(); o[i] = 7u; }
//! kernel no_barrier_by_one_side reject in=grid
  var v = lane;
  if (u.p.x == 3u) { v = 1u; }
  if (v == 1u) { workgroupBarrier(); }
//! kernel reassigned_by_pointer accept in=grid
fn f(p: ptr<function, u32>) { *p = 1u; }
//! main
  var v = lane;
  f(&v);
  if (v == 1u) { workgroupBarrier(); }
  o[i] = v;
//! kernel no_barrier_by_part_of_pointer reject in=grid
fn f(p: ptr<function, vec2<u32>>) { (*p).x = 1u; }
//! main
  var v = vec2(lane);
  f(&v);
  if (v.x == 1u) { workgroupBarrier(); }
//! kernel no_barrier_before_divergent_continue reject in=grid
  var k = 0u;
  loop { workgroupBarrier(); if (k == lane) { continue; } o[i] = k; continuing { k++; break if k > 4u; } }
//! kernel no_barrier_behind_divergent_continue reject in=grid
  var k = 0u;
  loop { if (k == lane) { continue; } o[i] = k; continuing { workgroupBarrier(); k++; break if k > 4u; } }
//! kernel loop_of_one_pass accept in=grid
  loop { workgroupBarrier(); if (lane == 1u) { break; } o[i] = 3u; break; }
  workgroupBarrier();
  o[i] += 1u;
//! kernel case_left_early accept in=grid
  switch (u.p.x) { case 3u: { workgroupBarrier(); if (lane == 1u) { break; } o[i] = 3u; } default: { } }
  workgroupBarrier();
  o[i] += 1u;
//! kernel no_barrier_after_return_in_case reject in=grid
  switch (u.p.x) { case 3u: { if (lane == 1u) { return; } } default: { } }
  workgroupBarrier();
//! kernel return_on_other_side accept in=grid
  if (u.p.x == 4u) { if (lane == 1u) { return; } o[i] = 1u; } else { workgroupBarrier(); o[i] = 2u; }
