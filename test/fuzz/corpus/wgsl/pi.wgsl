struct Params { seed_start: u32, num_samples: u32, samples_per_thread: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;

fn pcg(v: u32) -> u32 {
  let s = v * 747796405u + 2891336453u;
  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
  return (w >> 22u) ^ w;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var state = pcg(pcg(params.seed_start + id.x));
  var inside = 0u;
  for (var i = 0u; i < params.samples_per_thread; i++) {
    state = pcg(state);
    let x = f32(state) / 4294967296.0;
    state = pcg(state);
    let y = f32(state) / 4294967296.0;
    if (x * x + y * y < 1.0) { inside++; }
  }
  atomicAdd(&hits, inside);
}
