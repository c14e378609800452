//! prelude i32 groups=3
//! bind 0 r i32x
//! bind 1 r i32y
//! bind 2 w zero
@group(0) @binding(0) var<storage> a: array<i32>;
@group(0) @binding(1) var<storage> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> o: array<i32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude u32 groups=3
//! bind 0 r i32x
//! bind 1 r i32y
//! bind 2 w zero
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude f32 groups=3
//! bind 0 r f32x
//! bind 1 r f32y
//! bind 2 w zero
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude special
//! bind 0 r special 32
//! bind 1 w zero 32
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
//! here
}
//! prelude unit groups=2
//! bind 0 r unit 64
//! bind 1 r unit 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude pos groups=2
//! bind 0 r pos 64
//! bind 1 r pos 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude vf groups=2
//! bind 0 r f32x 64
//! bind 1 r f32y 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude vi groups=2
//! bind 0 r i32x 64
//! bind 1 r i32y 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<vec4<i32>>;
@group(0) @binding(1) var<storage> b: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<i32>>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude vu groups=2
//! bind 0 r i32x 64
//! bind 1 r i32y 64
//! bind 2 w zero 64
@group(0) @binding(0) var<storage> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<u32>>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let x = a[i];
  let y = b[i];
//! here
}
//! prelude one
//! bind 0 r iota 16
//! bind 1 w zero 16
//! bind 2 u =3,1,4,1,5,9,2,6
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
struct U { p: vec4<u32>, q: vec4<u32> }
@group(0) @binding(2) var<uniform> u: U;
@compute @workgroup_size(1) fn main() {
//! here
}
//! prelude onef
//! bind 0 r f32y 16
//! bind 1 w zero 16
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(1) fn main() {
//! here
}
//! prelude grid groups=2
//! bind 0 r word 64
//! bind 1 w zero 64
//! bind 2 u =3,1,4,1,5,9,2,6
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
struct U { p: vec4<u32>, q: vec4<u32> }
@group(0) @binding(2) var<uniform> u: U;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wg: vec3<u32>) {
  let i = id.x;
//! here
}
