/* uses: run */
/*
 * fuzz_runner.c - any bytes as what a runner that was taken over sends: frames, answers, and the
 * reflection inside of an answer, which decides how outputs are read.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "run/canon.h"
#include "run/run_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { OUTPUT = 4096 };

static void use_kernel(const struct run_kernel *k)
{
	for (uint32_t i = 0; i < k->kernel.n_bindings; i++) {
		AUTO(mem_freep) uint8_t *output = mem_alloc(OUTPUT);
		struct err err = { 0 };

		memset(output, 0xff, OUTPUT);
		(void)!run_canon(&k->kernel.bindings[i], i, output, OUTPUT, &err);
	}
}

static void take(uint32_t type, struct run_bytes body)
{
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	static const struct hash_digest key;
	struct run_compile_answer compiled;
	struct run_load_answer loaded;
	struct run_chunk_answer ran;
	static struct run_devices devices;
	struct run_ready ready;
	struct err err = { 0 };

	if (type == RUN_READY)
		(void)!run_get_ready(body, &ready, &err);
	else if (type == RUN_LOADED)
		(void)!run_get_loaded(body, &loaded, &err);
	else if (type == RUN_RAN)
		(void)!run_get_ran(body, &ran, &err);
	else if (type == RUN_DEVICES)
		(void)!run_get_devices(body, &devices, &err);
	else if (type == RUN_COMPILED && run_get_compiled(body, &compiled, &err) == 0 &&
		 compiled.code == 0 &&
		 run_kernel_new(&key, &compiled, true, false, &kernel, &err) == 0)
		use_kernel(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	AUTO(buf_done) struct buf in = { .max = len + 1 };
	struct run_bytes body;
	uint32_t type;
	struct err err = { 0 };

	ASSERT(buf_add(&in, bytes, len, &err) == 0);
	while (run_frame(&in, &type, &body, &err) == 1) {
		take(type, body);
		buf_drop(&in, RUN_FRAME_HEAD + body.size);
	}
	return 0;
}
