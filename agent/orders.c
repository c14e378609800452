/* orders.c - see orders.h. */
#include "agent/orders.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct orders {
	const struct orders_ops *ops; /* borrowed */
	void *arg;
	struct list items;
	uint32_t slots;
	struct order_item *running[ORDERS_MAX_SLOTS]; /* borrowed, by slot */
	int depth; /* of start_ready: an engine may answer from within */
};

struct orders *orders_new(uint32_t slots, const struct orders_ops *ops, void *arg)
{
	struct orders *l = NEW(struct orders);

	ASSERT(slots > 0 && slots <= ORDERS_MAX_SLOTS);
	l->slots = slots;
	l->ops = ops;
	l->arg = arg;
	return l;
}

static bool same_dispatch(const struct wire_dispatch *a, const struct wire_dispatch *b)
{
	return text_equal(a->job_uid, b->job_uid) && a->slice == b->slice &&
	       a->replica == b->replica && a->attempt == b->attempt && a->epoch == b->epoch &&
	       a->first_chunk == b->first_chunk && a->n_chunks == b->n_chunks;
}

static struct order_item *find(const struct orders *l, const struct wire_dispatch *d)
{
	LIST_EACH (struct order_item, o, &l->items, link) {
		if (same_dispatch(&o->order.dispatch, d))
			return o;
	}
	return NULL;
}

static void drop_item(struct orders *l, struct order_item *o)
{
	if (o->state == ORDER_RUNNING)
		l->running[o->slot] = NULL;
	list_remove(&o->link);
	l->ops->drop(l->arg, o);
	arena_done(o->arena);
	mem_free(o->arena);
	mem_free(o);
}

void orders_free(struct orders *l)
{
	if (l == NULL)
		return;
	LIST_EACH (struct order_item, o, &l->items, link) {
		if (o->state == ORDER_RUNNING)
			l->ops->stop(l->arg, o->slot);
		drop_item(l, o);
	}
	mem_free(l);
}

/* The chunks from `from` on all get this outcome. */
static void answer_rest(struct orders *l, const struct wire_order *order, uint32_t from,
			enum wire_outcome outcome, const char *why)
{
	for (uint32_t i = from; i < order->n_chunks; i++) {
		struct wire_result r = { .chunk = order->chunks[i].index,
					 .outcome = outcome,
					 .message = why };

		l->ops->result(l->arg, order, &r);
	}
}

/* The first free slot for it; l->slots: none. */
static uint32_t find_slot(const struct orders *l, const struct order_item *o)
{
	uint32_t slot = 0;

	while (slot < l->slots && (l->running[slot] != NULL ||
				   (l->ops->fits != NULL && !l->ops->fits(l->arg, slot, o))))
		slot++;
	return slot;
}

/* Put the oldest ready orders on free slots. */
static void start_ready(struct orders *l)
{
	if (l->depth > 0)
		return; /* the outermost call goes on */
	l->depth++;
	for (struct list_link *at = l->items.first; at != NULL;) {
		struct order_item *o = CONTAINER_OF(at, struct order_item, link);
		uint32_t slot = o->state == ORDER_READY ? find_slot(l, o) : l->slots;

		at = at->next;
		if (slot == l->slots)
			continue;
		o->state = ORDER_RUNNING;
		o->slot = slot;
		l->running[slot] = o;
		l->ops->run(l->arg, slot, o);
		/* An engine that answers at once may have finished and freed it, or others. */
		at = l->items.first;
	}
	l->depth--;
}

void orders_refuse(struct orders *l, const struct wire_order *o, enum wire_outcome outcome,
		   const char *why)
{
	answer_rest(l, o, 0, outcome, why);
}

void orders_add(struct orders *l, const struct wire_order *order, struct arena *arena)
{
	struct order_item *o;

	if (find(l, &order->dispatch) != NULL || l->items.count >= ORDERS_MAX_QUEUED) {
		if (l->items.count >= ORDERS_MAX_QUEUED)
			answer_rest(l, order, 0, WIRE_REFUSED, "too many orders are queued here");
		arena_done(arena);
		mem_free(arena);
		return;
	}
	o = NEW(struct order_item);
	o->order = *order;
	o->arena = arena;
	o->state = ORDER_PREPARING;
	list_add(&l->items, &o->link);
	l->ops->prepare(l->arg, o);
}

static void cancel_item(struct orders *l, struct order_item *o, const char *why)
{
	if (o->state == ORDER_RUNNING)
		l->ops->stop(l->arg, o->slot);
	answer_rest(l, &o->order, o->chunk, WIRE_CANCELLED, why);
	drop_item(l, o);
}

void orders_cancel(struct orders *l, const struct wire_dispatch *d)
{
	struct order_item *o = find(l, d);

	if (o == NULL)
		return;
	cancel_item(l, o, "cancelled");
	start_ready(l);
}

void orders_cancel_all(struct orders *l, const char *why)
{
	LIST_EACH (struct order_item, o, &l->items, link) {
		cancel_item(l, o, why);
	}
}

void orders_on_prepared(struct orders *l, struct order_item *o, enum wire_outcome outcome,
			const char *why)
{
	ASSERT(o->state == ORDER_PREPARING);
	if (outcome == WIRE_OK) {
		o->state = ORDER_READY;
	} else {
		answer_rest(l, &o->order, 0, outcome, why);
		drop_item(l, o);
	}
	start_ready(l);
}

void orders_on_result(struct orders *l, struct order_item *o, const struct wire_result *r)
{
	struct wire_result numbered = *r;

	ASSERT(o->state == ORDER_RUNNING && o->chunk < o->order.n_chunks);
	numbered.chunk = o->order.chunks[o->chunk++].index;
	l->ops->result(l->arg, &o->order, &numbered);
	if (o->chunk < o->order.n_chunks) {
		l->ops->run(l->arg, o->slot, o);
		return;
	}
	drop_item(l, o);
	start_ready(l);
}

const struct wire_dispatch *orders_list(const struct orders *l, struct arena *a, uint32_t *ret_n)
{
	struct wire_dispatch *list = arena_new_array(a, struct wire_dispatch, l->items.count);
	uint32_t n = 0;

	LIST_EACH (struct order_item, o, &l->items, link) {
		list[n++] = o->order.dispatch;
	}
	*ret_n = n;
	return list;
}

uint32_t orders_count(const struct orders *l)
{
	return (uint32_t)l->items.count;
}
