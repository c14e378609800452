enable subgroups, subgroup_size_control;
override k: u32 = 8;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(k * 2, 3) @subgroup_size(k)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) n: u32, @builtin(num_subgroups) m: u32) {
  o[id.x] = subgroupAdd(id.x) + n * m + subgroupBroadcastFirst(u32(subgroupMax(f32(id.x))));
}
