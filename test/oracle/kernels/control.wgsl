//! kernel if_else accept in=grid
  if (i < 10u) { o[i] = 1u; } else if (i < 20u) { o[i] = 2u; } else { o[i] = 3u; }
//! kernel if_without_parentheses accept in=grid
  if i % 2u == 0u { o[i] = 7u; }
//! kernel if_nested accept in=grid
  if (i > 5u) {
    if (a[i] > 0x80000000u) { o[i] = 1u; if (i > 30u) { o[i] += 5u; } }
    else { o[i] = 2u; }
  }
//! kernel early_return accept in=grid
  if (i % 3u == 0u) { return; }
  o[i] = i;
  if (i > 40u) { return; }
  o[i] += 100u;
//! kernel for_loop accept in=grid
  var s = 0u;
  for (var k = 0u; k < i; k++) { s += k * k; }
  o[i] = s;
//! kernel for_no_init accept in=grid
  var k = i;
  for (; k > 3u; k--) { o[i] += 1u; }
//! kernel for_no_condition accept in=grid
  for (var k = 0u;; k++) { if (k > i) { break; } o[i] = k; }
//! kernel for_no_update accept in=grid
  for (var k = 0u; k < 5u;) { k += 2u; o[i] = k; }
//! kernel for_bare accept in=grid
  var k = 0u;
  for (;;) { k++; if (k == i + 1u) { break; } }
  o[i] = k;
//! kernel for_continue accept in=grid
  for (var k = 0u; k < 10u; k++) { if ((k & 1u) == 0u) { continue; } o[i] += k; }
//! kernel for_down_signed accept in=grid
  for (var k = 5; k >= 0; k--) { o[i] = o[i] * 7u + u32(k); }
//! kernel for_step accept in=grid
  for (var k = 1u; k < 1000u; k *= 3u) { o[i] += k; }
//! kernel for_call_update accept in=grid
fn next(p: ptr<function, u32>) { *p = *p * 2u + 1u; }
//! main
  var k = 1u;
  for (; k < 100u; next(&k)) { o[i] += k; }
//! kernel while_loop accept in=grid
  var n = a[i] >> 20u;
  var c = 0u;
  while (n != 1u && c < 200u) { n = select(3u * n + 1u, n / 2u, n % 2u == 0u); c++; if (n == 0u) { break; } }
  o[i] = c;
//! kernel while_continue accept in=grid
  var k = 0u;
  while k < 20u { k++; if (k % 3u != 0u) { continue; } o[i] += k; }
//! kernel loop_break accept in=grid
  var k = 0u;
  loop { if (k >= i) { break; } k += 3u; }
  o[i] = k;
//! kernel loop_continuing accept in=grid
  var k = 0u;
  loop {
    if (k > 20u) { break; }
    if (k % 2u == 1u) { continue; }
    o[i] += k;
    continuing { k += 1u; }
  }
//! kernel loop_break_if accept in=grid
  var k = 0u;
  loop {
    o[i] += k;
    continuing { let done = k >= i; k++; break if done; }
  }
//! kernel loop_variable_in_continuing accept in=grid
  var k = 0u;
  loop {
    let step = k + 1u;
    o[i] += step;
    continuing { k += step; break if k > 50u; }
  }
//! kernel loop_fresh_variable accept in=grid
  for (var k = 0u; k < 4u; k++) { var t: u32; t += k + 1u; o[i] = o[i] * 10u + t; }
//! kernel loop_fresh_initialised accept in=grid
  for (var k = 0u; k < 4u; k++) { var t = 0u; t += k + 1u; o[i] = o[i] * 10u + t; }
//! kernel loop_fresh_array accept in=grid
  for (var k = 0u; k < 4u; k++) { var t = array<u32, 4>(); t[k] += 1u; o[i] = o[i] * 10u + t[0] + t[3]; }
//! kernel nested_loops accept in=grid
  for (var j = 0u; j < 5u; j++) {
    for (var k = 0u; k < 5u; k++) {
      if (k == j) { continue; }
      if (k > 3u) { break; }
      o[i] += j * 10u + k;
    }
    if (j == 3u) { break; }
  }
//! kernel loop_return accept in=grid
  for (var k = 0u; k < 100u; k++) { o[i] = k; if (k * k > i) { return; } }
  o[i] = 12345u;
//! kernel switch_simple accept in=grid
  switch (i % 5u) { case 0u: { o[i] = 10u; } case 1u, 2u: { o[i] = 20u; } default: { o[i] = 30u; } }
//! kernel switch_without_colon accept in=grid
  switch i & 3u { case 0 { o[i] = 1u; } case 1 { o[i] = 2u; } default { o[i] = 3u; } }
//! kernel switch_default_in_list accept in=grid
  switch (i32(i) - 3) { case -1, default, 4: { o[i] = 9u; } case 0: { o[i] = 8u; } case 2: { } }
//! kernel switch_default_first accept in=grid
  switch (i) { default: { o[i] = 1u; } case 5u: { o[i] = 2u; } case 7u: { o[i] = 3u; } }
//! kernel switch_break accept in=grid
  switch (i % 3u) { case 1u: { if (i > 20u) { break; } o[i] = 5u; } default: { o[i] = 6u; break; } }
//! kernel switch_const_selector accept in=grid
const k = 4u;
//! main
  switch (i) { case k: { o[i] = 1u; } case k + 1, 2 * k: { o[i] = 2u; } default: { } }
//! kernel switch_in_loop accept in=grid
  for (var k = 0u; k < 10u; k++) {
    switch (k) { case 2u: { continue; } case 5u: { o[i] += 100u; } default: { if (k == 8u) { break; } o[i] += k; } }
    o[i] += 1000u;
  }
//! kernel loop_in_switch accept in=grid
  switch (i & 1u) { case 0u: { loop { o[i]++; if (o[i] > 4u) { break; } } o[i] += 10u; } default: { o[i] = 99u; } }
//! kernel switch_return accept in=grid
  switch (i & 3u) { case 1u: { o[i] = 1u; return; } case 2u: { o[i] = 2u; } default: { return; } }
  o[i] += 50u;
//! kernel switch_negative accept in=grid
  switch (i32(i) - 2) { case -2: { o[i] = 1u; } case -1: { o[i] = 2u; } case 2147483647: { o[i] = 3u; } default: { o[i] = 4u; } }
//! kernel switch_only_default accept in=grid
  switch (a[i]) { default: { o[i] = 4u; } }
//! kernel switch_large_values accept in=grid
  switch (i * 0x10000000u) { case 0xf0000000u: { o[i] = 1u; } case 0x80000000u: { o[i] = 2u; } default: { o[i] = 3u; } }
//! kernel nested_switch accept in=grid
  switch (i & 3u) {
    case 0u: { switch (i >> 2u) { case 1u: { o[i] = 1u; break; } default: { o[i] = 2u; } } o[i] += 10u; }
    default: { o[i] = 3u; }
  }
//! kernel block_scope accept in=grid
  var v = 1u;
  { var v = 2u; v += 5u; o[i] = v; }
  o[i] += v * 100u;
  { let v = o[i]; o[i] = v + 1u; }
//! kernel shadow_for accept in=grid
  let k = 5u;
  for (var k = 0u; k < 3u; k++) { let k = 10u; o[i] += k; }
  o[i] += k;
//! kernel phony accept in=grid
  _ = a[i];
  _ = vec2(1u, i);
  o[i] = 1u;
//! kernel empty_statements accept in=grid
  ;;
  { }
  o[i] = 2u;;
//! kernel const_in_function accept in=grid
  const n = 3;
  for (var k = 0; k < n; k++) { const m = n * 2; o[i] += m; }
//! kernel const_assert_in_function accept in=grid
  const n = 3u;
  const_assert n == 3u;
  const_assert(n < 4u);
  o[i] = n;
//! kernel deep_nest accept in=grid
  if (i > 1u) { if (i > 2u) { if (i > 3u) { if (i > 4u) { if (i > 5u) { if (i > 6u) { o[i] = 6u; } } } } } }
//! kernel divergent_loop_counts accept in=grid
  var n = a[i] & 63u;
  var s = 0u;
  while (n > 0u) { s += n; n -= 1u; if (s > 1000u) { s -= 7u; continue; } s ^= 5u; }
  o[i] = s;
//! kernel collatz_like accept in=grid
  var n = i + 1u;
  loop { if (n == 1u) { break; } if (n % 2u == 0u) { n /= 2u; continue; } n = 3u * n + 1u; o[i] += 1u; }
//! kernel attributes_on_statements accept in=grid
  @diagnostic(off, derivative_uniformity) if (i > 3u) { o[i] = 1u; }
  for (var k = 0u; k < 2u; k++) @diagnostic(off, derivative_uniformity) { o[i] += k; }
//! kernel else_if_chain accept in=grid
  if (i == 1u) { o[i] = 11u; } else if (i == 2u) { o[i] = 12u; } else if (i == 3u) { o[i] = 13u; } else { o[i] = 14u; }
//! kernel no_break_outside reject in=grid
  break;
//! kernel no_continue_outside reject in=grid
  continue;
//! kernel no_continue_in_switch_only reject in=grid
  switch (i) { default: { continue; } }
//! kernel no_break_in_continuing reject in=grid
  loop { if (i > 1u) { break; } continuing { break; } }
//! kernel no_return_in_continuing reject in=grid
  loop { if (i > 1u) { break; } continuing { return; } }
//! kernel no_continue_in_continuing reject in=grid
  loop { if (i > 1u) { break; } continuing { continue; } }
//! kernel no_continuing_not_last reject in=grid
  loop { continuing { } break; }
//! kernel no_break_if_outside reject in=grid
  loop { break if i > 1u; }
//! kernel no_endless_loop reject in=grid
  loop { o[i] = 1u; }
//! kernel no_endless_for reject in=grid
  for (;;) { o[i] = 1u; }
//! kernel no_skipped_declaration reject in=grid
  loop { if (i > 3u) { continue; } let t = 1u; continuing { o[i] = t; break if true; } }
//! kernel no_two_defaults reject in=grid
  switch (i) { default: { } case 1u: { } default: { } }
//! kernel no_default reject in=grid
  switch (i) { case 1u: { } }
//! kernel no_duplicate_case reject in=grid
  switch (i) { case 1u: { } case 2u, 1u: { } default: { } }
//! kernel no_float_switch reject in=grid
  switch (1.0) { default: { } }
//! kernel no_case_of_other_type reject in=grid
  switch (i) { case 1i: { } default: { } }
//! kernel no_case_not_constant reject in=grid
  let k = 3u;
  switch (i) { case k: { } default: { } }
//! kernel no_fallthrough reject in=grid
  switch (i) { case 1u: { fallthrough; } default: { } }
//! kernel no_if_on_number reject in=grid
  if (i) { o[i] = 1u; }
//! kernel no_while_on_number reject in=grid
  while (1) { o[i] = 1u; }
//! kernel no_for_condition_type reject in=grid
  for (var k = 0u; k; k++) { }
//! kernel no_if_without_braces reject in=grid
  if (i > 1u) o[i] = 1u;
//! kernel no_else_without_braces reject in=grid
  if (i > 1u) { } else o[i] = 1u;
//! kernel no_assignment_expression reject in=grid
  var v = 1u;
  if ((v = 2u) > 1u) { }
//! kernel no_increment_expression reject in=grid
  var v = 1u;
  o[i] = v++;
//! kernel no_prefix_increment reject in=grid
  var v = 1u;
  ++v;
//! kernel no_ternary reject in=grid
  o[i] = i > 1u ? 1u : 2u;
//! kernel no_do_while reject in=grid
  do { o[i] = 1u; } while (false);
//! kernel no_goto reject in=grid
  goto done;
//! kernel no_comma_expression reject in=grid
  o[i] = (1u, 2u);
//! kernel no_expression_statement reject in=grid
  i + 1u;
//! kernel no_unused_value reject in=grid
  max(1u, 2u);
//! kernel no_redeclaration reject in=grid
  let v = 1u;
  let v = 2u;
//! kernel no_use_after_scope reject in=grid
  { let v = 1u; }
  o[i] = v;
//! kernel no_use_before_declaration reject in=grid
  o[i] = v;
  let v = 1u;
//! kernel no_loop_variable_after reject in=grid
  for (var k = 0u; k < 2u; k++) { }
  o[i] = k;
//! kernel no_const_assert_false reject in=grid
  const_assert 1 > 2;
//! kernel no_const_assert_runtime reject in=grid
  const_assert i > 2u;
//! kernel no_increment_of_let reject in=grid
  let v = 1u;
  v++;
//! kernel no_increment_of_float reject in=grid
  var v = 1.0;
  v++;
//! kernel no_assign_to_parameter reject in=grid
fn f(n: u32) { n = 4u; }
//! main
  f(1u);
//! kernel no_assign_to_call reject in=grid
fn f() -> u32 { return 1u; }
//! main
  f() = 2u;
//! kernel no_discard reject in=grid
  discard;
//! kernel no_let_without_value reject in=grid
  let v: u32;
//! kernel no_missing_semicolon reject in=grid
  o[i] = 1u
