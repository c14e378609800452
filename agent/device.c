/* device.c - see device.h. */
#include "agent/device.h"

#include <sched.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "hash/hash.h"
#include "run/run.h"
#include "wire/kernel.h"

enum { MAX_PROC = 4 << 20, TEST_TIMEOUT_MS = 20000, TEST_TRIES = 3, LOOPS = 70000 };

uint32_t device_cpus(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n > 0 ? (uint32_t)n : 1;
}

/* The value of the first line "key<blanks>: value". */
static const char *find_line(struct arena *a, const struct buf *text, const char *key)
{
	for (const char *line = buf_str(text); line != NULL && *line != '\0';) {
		const char *colon = strchr(line, ':');
		const char *end = strchr(line, '\n');

		if (text_starts(line, key) && colon != NULL && (end == NULL || colon < end)) {
			colon++;
			while (*colon == ' ' || *colon == '\t')
				colon++;
			return arena_strndup(a, colon,
					     end != NULL ? (size_t)(end - colon) : SIZE_MAX / 4);
		}
		line = end != NULL ? end + 1 : NULL;
	}
	return "";
}

static void read_proc(const char *path, struct buf *b)
{
	struct err err = { 0 };

	/* What cannot be read is not known: the device is described without it. */
	if (file_read(path, b, &err) < 0)
		buf_reset(b);
}

static const char *vendor_of(const char *cpuinfo)
{
	if (text_equal(cpuinfo, "GenuineIntel"))
		return "intel";
	return text_equal(cpuinfo, "AuthenticAMD") ? "amd" : "";
}

/* One machine is one device, however many agents it has: the kernel's boot id names it. */
static const char *machine_id(struct arena *a)
{
	AUTO(buf_done) struct buf boot = { .max = 256 };
	struct hash_digest d;
	char hex[HASH_HEX];

	read_proc("/proc/sys/kernel/random/boot_id", &boot);
	hash_bytes(boot.data, boot.len, &d);
	hash_hex(&d, hex);
	return arena_printf(a, "cpu-%.12s", hex);
}

static uint64_t memory_mib(struct arena *a)
{
	AUTO(buf_done) struct buf info = { .max = MAX_PROC };
	const char *text;
	struct err err = { 0 };
	uint64_t kib;

	read_proc("/proc/meminfo", &info);
	text = find_line(a, &info, "MemTotal");
	if (num_parse_u64(text, strcspn(text, " "), UINT64_MAX, &kib, &err) < 0)
		return 0;
	return kib / 1024;
}

void device_describe(struct arena *a, struct wire_device *ret)
{
	AUTO(buf_done) struct buf info = { .max = MAX_PROC };
	const char *name;

	read_proc("/proc/cpuinfo", &info);
	name = find_line(a, &info, "model name");
	*ret = (struct wire_device){ .id = machine_id(a),
				     .backend = "Native",
				     .vendor = vendor_of(find_line(a, &info, "vendor_id")),
				     .name = name[0] != '\0' ? name : "CPU",
				     .driver = "kwarp " KWARP_VERSION,
				     .memory_mib = memory_mib(a),
				     .self_test = WIRE_TEST_FAILED,
				     .self_test_reason = "not run" };
}

/* ---- self-test --------------------------------------------------------------------------- */

/* Operands come in as data, so that no compiler can compute the results. */
static const char test_kernel[] =
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
    "fn f(i: u32) -> f32 { return bitcast<f32>(a[i]); }\n"
    "@compute @workgroup_size(1)\n"
    "fn main() {\n"
    "  r[0] = bitcast<u32>(f(0u) + f(1u));\n"
    "  r[1] = bitcast<u32>(f(2u) + f(1u));\n"
    "  r[2] = bitcast<u32>(f(3u) * f(4u));\n"
    "  r[3] = bitcast<u32>(f(5u) * f(0u));\n"
    "  r[4] = bitcast<u32>(f(6u) * f(7u));\n"
    "  r[5] = bitcast<u32>(f(8u) * f(0u));\n"
    "  r[6] = bitcast<u32>(f(9u) * f(9u) + f(10u));\n"
    "  var n = 0u;\n"
    "  for (var i = 0u; i < a[11]; i = i + 1u) { n = n + (i ^ (n >> 3u)); }\n"
    "  r[7] = n;\n"
    "}\n";

static const uint32_t test_input[] = {
	0x3f800000, /* 1 */
	0x33800000, /* 2^-24: half a unit of 1 */
	0x3f800001, /* 1 + 2^-23 */
	0x00800000, /* the smallest normal number */
	0x3f000000, /* 1/2 */
	0x00000001, /* the smallest number */
	0x7f000000, /* 2^127 */
	0x40000000, /* 2 */
	0x80000000, /* -0 */
	0x3f800800, /* 1 + 2^-12 */
	0xbf801000, /* -(1 + 2^-11) */
	LOOPS,
};

static uint32_t expected_loop(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < LOOPS; i++)
		n = n + (i ^ (n >> 3));
	return n;
}

static uint32_t find_abilities(const uint32_t got[8])
{
	uint32_t able = 0;

	/* A tie goes to the even neighbour: down from 1 + 2^-24, up from 1 + 3 x 2^-24. */
	if (got[0] == 0x3f800000 && got[1] == 0x3f800002)
		able |= WIRE_NEED_RTE;
	if (got[2] == 0x00400000 && got[3] == 0x00000001)
		able |= WIRE_NEED_DENORM;
	if (got[4] == 0x7f800000 && got[5] == 0x80000000)
		able |= WIRE_NEED_INFNAN;
	/* (1 + 2^-12)^2 rounded, minus the same number: 0; fused it would be 2^-24. */
	if (got[6] == 0)
		able |= WIRE_NEED_NOCONTRACT;
	if (got[7] == expected_loop())
		able |= WIRE_NEED_LOOPS64K;
	return able;
}

static int run_test(struct run_host *host, struct arena *a, uint32_t got[8], struct err *err)
{
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	AUTO(run_slot_freep) struct run_slot *slot = NULL;
	const struct run_source source = { .text = test_kernel, .len = sizeof(test_kernel) - 1 };
	const struct run_slot_options options = { .threads = 1 };
	const uint64_t elements = 8;
	const struct wire_range range = { 0, sizeof(test_input) };
	const struct run_input input = { .bytes = test_input, .size = sizeof(test_input) };
	const struct wire_chunk chunk = { .grid = { 1, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	struct run_work work = { .chunk = &chunk,
				 .inputs = &input,
				 .n_inputs = 1,
				 .iterations = 10 * LOOPS,
				 .timeout_ms = TEST_TIMEOUT_MS };
	struct wire_result r;

	if (run_wait_load(host, &source, true, NULL, &kernel, err) < 0 ||
	    run_slot_new(host, &options, &slot, err) < 0)
		return err->code;
	work.kernel = kernel;
	if (run_wait_chunk(slot, &work, a, &r, err) < 0)
		return err->code;
	if (r.outcome != WIRE_OK || r.values == NULL || r.values_size != 8 + 8 * 4)
		return err_set(err, ERR_INVALID, "%s: %s", wire_outcome_name(r.outcome), r.message);
	for (int i = 0; i < 8; i++)
		got[i] = num_get_u32((const char *)r.values + 8 + 4 * i);
	return 0;
}

void device_test(struct run_host *host, struct arena *a, struct wire_device *ret)
{
	enum {
		ALL = WIRE_NEED_RTE | WIRE_NEED_DENORM | WIRE_NEED_INFNAN | WIRE_NEED_NOCONTRACT |
		      WIRE_NEED_LOOPS64K
	};
	uint32_t got[8] = { 0 };
	struct err err = { 0 };

	ret->abilities = 0;
	ret->self_test = WIRE_TEST_FAILED;
	/* A machine that is busy at start must not be out of service for good. */
	for (int tries = 1; run_test(host, a, got, &err) < 0; tries++) {
		if (tries == TEST_TRIES) {
			ret->self_test_reason = arena_strdup(a, err.text);
			return;
		}
		err_clear(&err);
	}
	ret->abilities = find_abilities(got);
	if (ret->abilities == ALL) {
		ret->self_test = WIRE_TEST_PASSED;
		ret->self_test_reason = "";
	} else {
		ret->self_test_reason =
		    arena_printf(a, "wrong numbers: abilities %u of %d", ret->abilities, ALL);
	}
}
