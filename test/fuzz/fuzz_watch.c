/* uses: kube */
/*
 * fuzz_watch.c - bytes of a watch stream and of lists, in pieces chosen by the input.
 *
 * First byte: how the reflector is set up. Then records: one byte what to do, one byte how long
 * the piece is, the piece.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "kube/store.h"
#include "kube/watch.h"

static void on_change(void *arg, const struct kube_change *c)
{
	(void)arg;
	ASSERT(c->old != NULL || c->new != NULL);
}

struct run {
	struct kube_watch *w;
	struct kube_watch_step step;
	int64_t now_ms;
};

static void step_on(struct run *r)
{
	do {
		r->step = kube_watch_next(r->w, r->now_ms);
		if (r->step.op == KUBE_WATCH_WAIT)
			r->now_ms = r->step.at_ms;
	} while (r->step.op == KUBE_WATCH_WAIT);
}

static void feed(struct run *r, unsigned int what, const char *piece, size_t len)
{
	static const int statuses[] = { 200, 410, 500, 429 };
	struct kube_watch_answer a = { statuses[what & 3], piece, len, -1 };
	struct err err = { .code = what & 4 ? ERR_TIMEOUT : ERR_UNAVAILABLE };

	r->now_ms += what & 0xf0;
	if (what == 0xff)
		kube_watch_on_failure(r->w, &err, r->now_ms);
	else if (r->step.op == KUBE_WATCH_LIST)
		kube_watch_on_list(r->w, &a, r->now_ms);
	else if (what == 0xfe)
		kube_watch_on_end(r->w, &a, r->now_ms);
	else if (kube_watch_on_bytes(r->w, piece, len, r->now_ms))
		return;
	step_on(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kube_store *store =
	    kube_store_new(&(struct kube_store_spec){ .on_change = on_change });
	struct run r = { .now_ms = 1000 };

	r.w = kube_watch_new(
	    &(struct kube_watch_spec){ .kind = size > 0 && data[0] & 1 ? "Pod" : NULL,
				       .no_watchlist = size > 0 && data[0] & 2,
				       .max_line = 4096 },
	    store);
	step_on(&r);
	for (size_t at = 1; at + 2 <= size;) {
		size_t len = data[at + 1] * 4u;

		len = len < size - at - 2 ? len : size - at - 2;
		feed(&r, data[at], (const char *)data + at + 2, len);
		at += 2 + len;
	}
	kube_watch_free(r.w);
	kube_store_free(store);
	return 0;
}
