struct Params { rows: u32, inner: u32, cols: u32, first_row: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<array<f32, 8>, 8>;
var<workgroup> tile_b: array<array<f32, 8>, 8>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  var sum = 0.0;
  for (var t = 0u; t < params.inner / 8u; t++) {
    tile_a[local.y][local.x] = a[id.y * params.inner + t * 8u + local.x];
    tile_b[local.y][local.x] = b[(t * 8u + local.y) * params.cols + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) { sum += tile_a[local.y][k] * tile_b[k][local.x]; }
    workgroupBarrier();
  }
  c[id.y * params.cols + id.x] = sum;
}
