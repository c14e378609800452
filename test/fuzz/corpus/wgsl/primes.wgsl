struct Params { first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> largest: atomic<u32>;

fn is_prime(n: u32) -> bool {
  if (n < 4u) { return n > 1u; }
  if (n % 2u == 0u) { return false; }
  var d = 3u;
  while (d * d <= n) {
    if (n % d == 0u) { return false; }
    d += 2u;
  }
  return true;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = params.first + id.x;
  if (is_prime(n)) {
    atomicAdd(&count, 1u);
    atomicMax(&largest, n);
  }
}
