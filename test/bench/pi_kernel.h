/* pi_kernel.h - the kernel of kernels/pi.yaml, for the programs that measure. */
#ifndef BENCH_PI_KERNEL_H
#define BENCH_PI_KERNEL_H

static const char PI_KERNEL[] =
    "struct Params { seed_start: u32, num_samples: u32, samples_per_thread: u32 }\n"
    "@group(0) @binding(0) var<uniform> params: Params;\n"
    "@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;\n"
    "fn pcg(v: u32) -> u32 {\n"
    "  let s = v * 747796405u + 2891336453u;\n"
    "  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;\n"
    "  return (w >> 22u) ^ w;\n"
    "}\n"
    "@compute @workgroup_size(256)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var state = pcg(pcg(params.seed_start + id.x));\n"
    "  var inside = 0u;\n"
    "  for (var i = 0u; i < params.samples_per_thread; i++) {\n"
    "    state = pcg(state);\n"
    "    let x = f32(state) / 4294967296.0;\n"
    "    state = pcg(state);\n"
    "    let y = f32(state) / 4294967296.0;\n"
    "    if (x * x + y * y < 1.0) { inside++; }\n"
    "  }\n"
    "  atomicAdd(&hits, inside);\n"
    "}\n";

#endif
