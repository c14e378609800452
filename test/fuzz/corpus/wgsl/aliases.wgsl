const a = array(1, 2); const b = array(a, a); const c = array(b, b);
fn f(p: ptr<private, u32>, q: ptr<private, u32>) { *p = *q; }
var<private> v: u32;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_index) i: u32) { let x = c; f(&v, &v); if i == 1 { } else if i == 2 { } else { } }
