/*
 * probe.h - the check of a kernel whose order of execution may matter (docs/numerics.md, 5), by
 * native code of this machine.
 */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H

#include <stdint.h>

#include "run/run.h"
#include "wire/order.h"

struct probe;

struct probe_request {
	struct run_host *host;
	struct run_source source;       /* of the kernel; target, modes and reverse do not count */
	const struct wire_order *order; /* a probe */
	const struct run_input *inputs; /* in binding order; copied, not their bytes */
};

/* Everything in request is borrowed until the answer: OK (equal digests), ORDER_SEEN, or why there
 * is none. It never comes from within this call. Owned. */
struct probe *probe_new(const struct probe_request *request, run_result_fn fn, void *arg);
/* Kills it. Not from within its answer. Accepts NULL. */
void probe_free(struct probe *p);

#endif
