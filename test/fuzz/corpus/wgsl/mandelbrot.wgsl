struct Params { first_row: u32, rows: u32, width: u32, height: u32, limit: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let cx = (f32(id.x) - 768.0) * 0.0026041667;
  let cy = (f32(params.first_row + id.y) - 384.0) * 0.0026041667;
  var x = 0.0;
  var y = 0.0;
  var n = 0u;
  while (n < params.limit) {
    let xx = x * x;
    let yy = y * y;
    if (xx + yy > 4.0) { break; }
    y = 2.0 * x * y + cy;
    x = xx - yy + cx;
    n += 1u;
  }
  image[id.y * params.width + id.x] = n;
}
