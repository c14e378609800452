#version 450
// The pi kernel of kernels/pi.yaml as GLSL, for the comparison with a Vulkan software driver.
// precise keeps the driver from fusing or reordering, as the WGSL path demands.
layout(local_size_x = 256) in;
layout(std140, set = 0, binding = 0) uniform Params { uint seed_start, num_samples, samples_per_thread; } params;
layout(std430, set = 0, binding = 1) buffer Hits { uint hits; };

uint pcg(uint v)
{
	uint s = v * 747796405u + 2891336453u;
	uint w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
	return (w >> 22u) ^ w;
}

void main()
{
	uint id = gl_GlobalInvocationID.x;
	if (id >= params.num_samples / params.samples_per_thread)
		return;
	uint state = pcg(pcg(params.seed_start + id));
	uint inside = 0u;
	for (uint i = 0u; i < params.samples_per_thread; i++) {
		state = pcg(state);
		precise float x = float(state) / 4294967296.0;
		state = pcg(state);
		precise float y = float(state) / 4294967296.0;
		precise float r = x * x + y * y;
		if (r < 1.0)
			inside++;
	}
	atomicAdd(hits, inside);
}
