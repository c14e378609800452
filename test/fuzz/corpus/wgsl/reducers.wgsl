struct Params { v: i32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> total: i32;
@group(0) @binding(2) var<storage, read_write> pair: array<i32, 2>;
@group(0) @binding(3) var<storage, read_write> low: i32;
@group(0) @binding(4) var<storage, read_write> high: i32;
@group(0) @binding(5) var<storage, read_write> where_high: i32;
@group(0) @binding(6) var<storage, read_write> top: i32;
@group(0) @binding(7) var<storage, read_write> times: i32;

@compute @workgroup_size(1)
fn main() {
  total = params.v;
  pair[0] = params.v;
  pair[1] = -params.v;
  low = params.v;
  high = params.v;
  where_high = params.v;
  top = params.v;
  times = params.v;
}
