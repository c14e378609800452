//! kernel diagnostic_ accept
//! bind 0 w zero 1
diagnostic(off, derivative_uniformity);
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 1u; }
//! kernel diagnostic_unknown_rule accept
//! bind 0 w zero 1
diagnostic(warning, nobody.knows);
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 1u; }
//! kernel diagnostic_attribute accept in=one
@diagnostic(off, derivative_uniformity) fn f() -> u32 { return 3u; }
//! main
  o[0] = f();
//! kernel requires_known accept
//! bind 0 w zero 1
requires readonly_and_readwrite_storage_textures, packed_4x8_integer_dot_product;
requires unrestricted_pointer_parameters, pointer_composite_access;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = dot4U8Packed(0x01010101u, 0x01020304u); }
//! kernel no_semicolon_before_directive reject
//! bind 0 w zero 1
;diagnostic(info, derivative_uniformity);
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 1u; }
//! kernel no_unknown_enable reject
enable nothing;
@compute @workgroup_size(1) fn main() { }
//! kernel no_unknown_requires reject
requires nothing;
@compute @workgroup_size(1) fn main() { }
//! kernel no_late_enable reject
const c = 1;
enable f16;
@compute @workgroup_size(1) fn main() { }
//! kernel no_late_diagnostic reject
const c = 1;
diagnostic(off, derivative_uniformity);
@compute @workgroup_size(1) fn main() { }
//! kernel no_bad_severity reject
diagnostic(loud, derivative_uniformity);
@compute @workgroup_size(1) fn main() { }
//! kernel no_conflicting_diagnostics reject
diagnostic(off, derivative_uniformity);
diagnostic(error, derivative_uniformity);
@compute @workgroup_size(1) fn main() { }
//! kernel no_conflicting_attributes reject in=one
@diagnostic(off, derivative_uniformity) @diagnostic(error, derivative_uniformity) fn f() { }
//! main
  f();
//! kernel no_f16_without_enable reject in=one
  var x: f16;
//! kernel no_f16_literal_without_enable reject in=one
  let x = 1.0h;
//! kernel no_subgroups_without_enable reject in=one
  o[0] = subgroupAdd(1u);
