/* uses: wire */
/*
 * fuzz_wire.c - any bytes as any message: a decoder refuses them or gives a value that the
 * encoder accepts and that decodes again. The first byte chooses the message.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "wire/agent.h"
#include "wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define ROUND(what, limit)                                                                         \
	static void fuzz_##what(const void *bytes, size_t len)                                     \
	{                                                                                          \
		AUTO(arena_done) struct arena a = { 0 };                                           \
		AUTO(buf_done) struct buf b = { .max = (limit) };                                  \
		struct err err = { 0 };                                                            \
		struct wire_##what v;                                                              \
                                                                                                   \
		if (wire_##what##_decode(bytes, len, &a, &v, &err) < 0)                            \
			return;                                                                    \
		ASSERT(wire_##what##_encode(&v, &b, &err) == 0);                                   \
		ASSERT(wire_##what##_decode(b.data, b.len, &a, &v, &err) == 0);                    \
	}

ROUND(kernel, WIRE_MAX_KERNEL)
ROUND(order, WIRE_MAX_ORDER)
ROUND(results, WIRE_MAX_RESULTS)
ROUND(register, WIRE_MAX_REGISTER)
ROUND(page, WIRE_MAX_PAGE)
ROUND(answer, WIRE_MAX_ANSWER)

static void fuzz_stream(const uint8_t *bytes, size_t len)
{
	struct err err = { 0 };
	size_t size = 0;

	while (wire_frame_size(bytes, len, &size, &err) == 0 && size != 0 && size <= len) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf b = { .max = WIRE_MAX_ORDER + 64 };
		struct wire_frame f;

		if (wire_frame_decode(bytes, size, &a, &f, &err) < 0)
			return;
		ASSERT(wire_frame_encode(&f, &b, &err) == 0);
		bytes += size;
		len -= size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len == 0)
		return 0;
	switch (bytes[0] % 7) {
	case 0:
		fuzz_kernel(bytes + 1, len - 1);
		break;
	case 1:
		fuzz_order(bytes + 1, len - 1);
		break;
	case 2:
		fuzz_results(bytes + 1, len - 1);
		break;
	case 3:
		fuzz_register(bytes + 1, len - 1);
		break;
	case 4:
		fuzz_page(bytes + 1, len - 1);
		break;
	case 5:
		fuzz_answer(bytes + 1, len - 1);
		break;
	default:
		fuzz_stream(bytes + 1, len - 1);
	}
	return 0;
}
