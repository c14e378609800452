//! kernel call accept in=grid
fn sq(x: u32) -> u32 { return x * x; }
//! main
  o[i] = sq(i) + sq(sq(i & 7u));
//! kernel declared_later accept in=grid
fn f(x: u32) -> u32 { return g(x) + 1u; }
fn g(x: u32) -> u32 { return x * 3u; }
//! main
  o[i] = f(i);
//! kernel return_in_branches accept in=grid
fn f(x: u32) -> u32 { if (x > 20u) { return x; } else { if (x > 10u) { return x * 2u; } } return 1u; }
//! main
  o[i] = f(i);
//! kernel return_in_loop accept in=grid
fn f(x: u32) -> u32 { for (var k = 0u; k < 50u; k++) { if (k * k > x) { return k; } } return 99u; }
//! main
  o[i] = f(a[i] >> 19u);
//! kernel return_in_switch accept in=grid
fn f(x: u32) -> u32 { switch (x % 3u) { case 0u: { return 5u; } case 1u: { break; } default: { return 7u; } } return 6u; }
//! main
  o[i] = f(i);
//! kernel all_paths_return accept in=grid
fn f(x: u32) -> u32 { switch (x) { case 1u: { return 1u; } default: { return 2u; } } }
fn g(x: u32) -> u32 { loop { if (x > 3u) { return 1u; } return 2u; } }
//! main
  o[i] = f(i) * 10u + g(i);
//! kernel void_function accept in=grid
fn f(k: u32) { if (k > 40u) { return; } o[k] = k + 1u; }
//! main
  f(i);
//! kernel must_use_is_used accept in=grid
@must_use fn f(k: u32) -> u32 { return k + 1u; }
//! main
  o[i] = f(i);
  _ = f(2u);
//! kernel call_statement_drops_result accept in=grid
fn f(k: u32) -> u32 { o[k] = 5u; return k; }
//! main
  f(i);
//! kernel evaluation_order accept in=grid
var<private> n: u32;
fn next() -> u32 { n = n * 10u + 1u; return n; }
//! main
  o[i] = next() - next() * 2u;
  o[i] += vec3(next(), next(), next()).z & 7u;
//! kernel evaluation_order_index accept in=one
var<private> n: u32;
fn next() -> u32 { n += 1u; return n; }
//! main
  o[next()] = next() * 10u;
  o[next()] += next();
//! kernel argument_order accept in=grid
var<private> n: u32;
fn next() -> u32 { n += 1u; return n; }
fn f(x: u32, y: u32, z: u32) -> u32 { return x * 100u + y * 10u + z; }
//! main
  o[i] = f(next(), next(), next());
//! kernel vector_result accept in=grid
fn f(x: u32) -> vec3<u32> { return vec3(x, x + 1u, x * 2u); }
//! main
  o[i] = f(i).y + f(i).zx.x;
//! kernel struct_result accept in=grid
struct R { q: u32, r: u32 }
fn divide(x: u32, y: u32) -> R { return R(x / y, x % y); }
//! main
  let r = divide(a[i], 1000u);
  o[i] = r.q * 7u + r.r + divide(i, 3u).r;
//! kernel abstract_arguments accept in=grid
fn f(x: f32, y: u32, z: i32) -> u32 { return u32(x * 2.0) + y + u32(z); }
//! main
  o[i] = f(1, 2, 3) + f(2.5, 3, 4);
//! kernel name_shadows_builtin accept in=grid
fn max(x: u32, y: u32) -> u32 { return x * y; }
//! main
  o[i] = max(3u, i);
//! kernel local_shadows_function accept in=grid
fn f() -> u32 { return 5u; }
//! main
  let v = f();
  let f = 3u;
  o[i] = v + f;
//! kernel local_shadows_type accept in=grid
  let vec3 = i;
  let u32 = vec3 * 2;
  o[i] = u32;
//! kernel deep_calls accept in=grid
fn f0(x: u32) -> u32 { return x + 1u; }
fn f1(x: u32) -> u32 { return f0(f0(x)); }
fn f2(x: u32) -> u32 { return f1(f1(x)); }
fn f3(x: u32) -> u32 { return f2(f2(x)); }
fn f4(x: u32) -> u32 { return f3(f3(x)); }
//! main
  o[i] = f4(i);
//! kernel many_parameters accept in=grid
fn f(a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32, a6: u32, a7: u32) -> u32 {
  return a0 + a1 * 2u + a2 * 3u + a3 * 4u + a4 * 5u + a5 * 6u + a6 * 7u + a7 * 8u;
}
//! main
  o[i] = f(1u, i, 2u, i, 3u, i, 4u, i,);
//! kernel private_state accept in=grid
var<private> state: u32 = 17u;
fn random() -> u32 { state = state * 747796405u + 2891336453u; return state >> 16u; }
//! main
  state += i;
  o[i] = random() ^ (random() << 4u);
//! kernel bool_function accept in=grid
fn odd(x: u32) -> bool { return (x & 1u) == 1u; }
//! main
  o[i] = select(3u, 4u, odd(i) || odd(i / 2u));
//! kernel unused_functions accept in=grid
fn unused(x: f32) -> f32 { return sin(x); }
//! main
  o[i] = 1u;
//! kernel return_type_attribute accept in=grid
fn f(x: u32,) -> u32 { return (x); }
//! main
  o[i] = f(i,);
//! kernel no_recursion reject in=grid
fn f(x: u32) -> u32 { if (x == 0u) { return 1u; } return f(x - 1u) * x; }
//! main
  o[i] = f(i);
//! kernel no_mutual_recursion reject in=grid
fn f(x: u32) -> u32 { return g(x); }
fn g(x: u32) -> u32 { return f(x); }
//! main
  o[i] = f(i);
//! kernel no_missing_return reject in=grid
fn f(x: u32) -> u32 { if (x > 1u) { return 1u; } }
//! main
  o[i] = f(i);
//! kernel no_return_value_of_void reject in=grid
fn f() { return 1u; }
//! main
  f();
//! kernel no_empty_return reject in=grid
fn f() -> u32 { return; }
//! main
  f();
//! kernel no_wrong_return_type reject in=grid
fn f() -> u32 { return 1.0; }
//! main
  f();
//! kernel no_wrong_argument_count reject in=grid
fn f(x: u32) -> u32 { return x; }
//! main
  o[i] = f(1u, 2u);
//! kernel no_wrong_argument_type reject in=grid
fn f(x: u32) -> u32 { return x; }
//! main
  o[i] = f(1i);
//! kernel no_void_value reject in=grid
fn f() { }
//! main
  o[i] = f();
//! kernel no_must_use_dropped reject in=grid
@must_use fn f() -> u32 { return 1u; }
//! main
  f();
//! kernel no_must_use_of_void reject in=grid
@must_use fn f() { }
//! main
  f();
//! kernel no_unknown_function reject in=grid
  o[i] = nothing(1u);
//! kernel no_call_of_variable reject in=grid
  let f = 1u;
  o[i] = f(2u);
//! kernel no_duplicate_function reject in=grid
fn f() { }
fn f() { }
//! main
  f();
//! kernel no_duplicate_parameter reject in=grid
fn f(x: u32, x: u32) { }
//! main
  f(1u, 2u);
//! kernel no_parameter_redeclared reject in=grid
fn f(x: u32) { let x = 3u; }
//! main
  f(1u);
//! kernel no_nested_function reject in=grid
fn f() { fn g() { } }
//! main
  f();
//! kernel no_function_as_value reject in=grid
fn f() { }
//! main
  let g = f;
//! kernel no_overload reject in=grid
fn f(x: u32) { }
fn f(x: i32) { }
//! main
  f(1u);
//! kernel no_default_argument reject in=grid
fn f(x: u32 = 1u) { }
//! main
  f();
//! kernel no_runtime_array_parameter reject in=grid
fn f(x: array<u32>) { }
//! main
  o[i] = 1u;
//! kernel no_call_of_entry_point reject in=grid
fn f() { main(vec3(0u), 0u, vec3(0u)); }
//! main
  o[i] = 1u;
//! kernel no_statement_after_type reject in=grid
fn f() -> { }
//! main
  f();
//! kernel dead_code_after_return accept in=grid
fn f() -> u32 { return 1u; return 2u; }
//! main
  o[i] = f();
