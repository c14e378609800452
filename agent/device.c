/* device.c - see device.h. */
#include "agent/device.h"

#include <sched.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "hash/hash.h"
#include "run/run.h"
#include "wire/kernel.h"

enum {
	MAX_PROC = 4 << 20,
	ALL_NEEDS = WIRE_NEED_RTE | WIRE_NEED_DENORM | WIRE_NEED_INFNAN | WIRE_NEED_NOCONTRACT |
		    WIRE_NEED_LOOPS64K
};

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

static void describe_cpu(struct arena *a, struct device *ret)
{
	AUTO(buf_done) struct buf info = { .max = MAX_PROC };
	const char *name;

	read_proc("/proc/cpuinfo", &info);
	name = find_line(a, &info, "model name");
	ret->wire = (struct wire_device){ .id = machine_id(a),
					  .backend = "Native",
					  .vendor = vendor_of(find_line(a, &info, "vendor_id")),
					  .name = name[0] != '\0' ? name : "CPU",
					  .driver = "kwarp " KWARP_VERSION,
					  .memory_mib = memory_mib(a),
					  .self_test = WIRE_TEST_FAILED,
					  .self_test_reason = "not run" };
}

static void describe_gpu(struct arena *a, const struct run_device *gpu, struct device *ret)
{
	ret->gpu = gpu;
	ret->wire = (struct wire_device){
		/* A driver that is a CPU has the same id on every machine. */
		.id = gpu->is_software ? arena_printf(a, "%s-%s", machine_id(a), gpu->id) : gpu->id,
		.backend = "Vulkan",
		.vendor = gpu->vendor,
		.name = gpu->name,
		.driver = gpu->driver,
		.memory_mib = gpu->memory_mib,
		.self_test = WIRE_TEST_FAILED,
		.self_test_reason = "not run",
	};
}

/* ---- which devices ------------------------------------------------------------------------ */

struct finding {
	struct run_host *host; /* borrowed, like the arena */
	struct arena *arena;
	struct device *list; /* WIRE_MAX_DEVICES of them */
	uint32_t n;
	bool is_listed; /* gpus is what is there */
	const struct run_device *gpus;
	uint32_t n_gpus;
};

static int list_gpus(struct finding *f, struct err *err)
{
	if (!f->is_listed && run_wait_devices(f->host, f->arena, &f->gpus, &f->n_gpus, err) < 0)
		return err->code;
	f->is_listed = true;
	return 0;
}

static void add(struct finding *f, const struct run_device *gpu)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->list[i].gpu == gpu)
			return;
	if (f->n == WIRE_MAX_DEVICES)
		return;
	if (gpu == NULL)
		describe_cpu(f->arena, &f->list[f->n++]);
	else
		describe_gpu(f->arena, gpu, &f->list[f->n++]);
}

/* Real GPUs, then the CPU. Software that poses as a GPU is slower than our own code. */
static void add_auto(struct finding *f)
{
	struct err err = { 0 };

	if (list_gpus(f, &err) < 0)
		log_info("no Vulkan devices", kv_err(&err));
	for (uint32_t i = 0; i < f->n_gpus; i++)
		if (!f->gpus[i].is_software)
			add(f, &f->gpus[i]);
	add(f, NULL);
}

static int add_vulkan(struct finding *f, const char *kind, struct err *err)
{
	const char *which = text_starts(kind, "vulkan:") ? kind + strlen("vulkan:") : NULL;
	const struct run_device *one;

	if (list_gpus(f, err) < 0)
		return err_wrap(err, "--device %s", kind);
	for (uint32_t i = 0; which == NULL && i < f->n_gpus; i++)
		add(f, &f->gpus[i]);
	if (which == NULL && f->n_gpus > 0)
		return 0;
	one = which != NULL ? run_find_device(f->gpus, f->n_gpus, which) : NULL;
	if (one == NULL)
		return err_set(err, ERR_NOT_FOUND,
			       "--device %s: this machine has %u Vulkan devices", kind, f->n_gpus);
	add(f, one);
	return 0;
}

int device_find(struct run_host *host, const char *const *kinds, uint32_t n_kinds, struct arena *a,
		struct device_list *ret, struct err *err)
{
	struct finding f = { .host = host, .arena = a };

	f.list = arena_new_array(a, struct device, WIRE_MAX_DEVICES);
	if (n_kinds == 0)
		add_auto(&f);
	for (uint32_t i = 0; i < n_kinds; i++) {
		if (text_equal(kinds[i], "auto"))
			add_auto(&f);
		else if (text_equal(kinds[i], "native"))
			add(&f, NULL);
		else if (add_vulkan(&f, kinds[i], err) < 0)
			return err->code;
	}
	*ret = (struct device_list){ f.list, f.n };
	return 0;
}

void device_test(struct run_host *host, struct arena *a, struct device *d)
{
	struct wire_device *w = &d->wire;

	run_wait_self_test(host, d->gpu, &d->test);
	/* Of our own code everything is expected. */
	if (d->gpu == NULL && d->test.passed && d->test.abilities != ALL_NEEDS) {
		d->test.passed = false;
		buf_note(&(struct buf){ .data = d->test.reason,
					.cap = sizeof(d->test.reason),
					.max = sizeof(d->test.reason) - 1 },
			 "wrong numbers: abilities %u of %d", d->test.abilities, ALL_NEEDS);
	}
	/* What native code always has. */
	if (d->gpu == NULL && d->test.passed)
		d->test.abilities |= WIRE_NEEDS_TO_RUN;
	w->abilities = d->test.abilities;
	w->self_test = d->test.passed ? WIRE_TEST_PASSED : WIRE_TEST_FAILED;
	w->self_test_reason = arena_strdup(a, d->test.reason);
}
