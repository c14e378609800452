/*
 * lease.h - being the one leader: elector.h acted out, with a watchdog.
 *
 *     kube_lease_start(&(struct kube_lease_spec){ .client = c, .ns = "kwarp-system",
 *             .name = "kwarp-controller", .on_leading = on_leading, .on_lost = on_lost,
 *             .arg = me }, &lease, err);
 *     kube_client_set_gate(c, kube_lease_left_ms, lease);
 *
 * on_leading comes once, when we hold the Lease and may act (whoever created it waits one lease
 * duration first). From then on a watchdog thread ends the process (exit status 1) when the Lease
 * was not renewed for 10 s, also if the loop hangs, the process was stopped or the machine slept.
 * on_lost comes when leadership ended otherwise (the Lease is gone or someone else's): nothing may
 * be written any more, the process should end.
 *
 * The Lease has a connection of its own and no limit on calls. Its name in the record is the host
 * name and a random number.
 */
#ifndef KUBE_LEASE_H
#define KUBE_LEASE_H

#include <stdint.h>

#include "kube/client.h"

struct kube_lease;

struct kube_lease_spec {
	struct kube_client *client; /* borrowed */
	const char *ns;
	const char *name;
	int64_t lease_ms; /* as in elector.h: 0 = 15 s, 10 s, 2 s */
	int64_t renew_ms;
	int64_t retry_ms;
	/* The epoch to start from, asked when the Lease is acquired: highest known elsewhere + 1.
	 * NULL: only the Lease's own and the server's clock count. */
	int64_t (*epoch_floor)(void *arg);
	void (*on_leading)(void *arg, int64_t epoch);
	/* After kube_lease_raise_epoch, once the higher epoch is written. NULL = not wanted. */
	void (*on_epoch)(void *arg, int64_t epoch);
	void (*on_lost)(void *arg, const char *why);
	void *arg; /* borrowed */
};

MUST_CHECK int kube_lease_start(const struct kube_lease_spec *spec, struct kube_lease **ret,
				struct err *err);
/* Stops renewing and disarms the watchdog without giving the Lease up: others take over when it
 * has run out. Accepts NULL. May be called from a callback. */
void kube_lease_free(struct kube_lease *l);
void kube_lease_freep(struct kube_lease **l);

/* Give the Lease up so that another one can lead at once: only when all work has stopped. on_done
 * comes once, whether it worked or not, after a few seconds at most; without leadership in the next
 * turn. */
void kube_lease_release(struct kube_lease *l, loop_fn on_done, void *arg);

bool kube_lease_is_leading(const struct kube_lease *l);
int64_t kube_lease_epoch(const struct kube_lease *l); /* 0 while not leading */

/* An epoch at least this high was found (in a WarpJob): write it into the Lease, then on_epoch. */
void kube_lease_raise_epoch(struct kube_lease *l, int64_t at_least);

/* Milliseconds for which leadership is certain, 0 = none: the gate of kube_client_set_gate. */
int64_t kube_lease_left_ms(void *lease, int64_t now_boot_ms);

#endif
