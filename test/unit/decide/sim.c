/* sim.c - virtual clock, chance, and the history itself; see sim.h. */
#include "sim.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sim_int.h"

/* xorshift64* */
uint32_t sim_random(struct sim *s, uint32_t below)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return (uint32_t)((s->random * 2685821657736338717u) >> 33) % below;
}

bool sim_chance(struct sim *s, unsigned percent)
{
	if (s->options.calm || s->now_ms >= s->chaos_until_ms)
		return false;
	return sim_random(s, 100) < percent;
}

void sim_fail(struct sim *s, const char *fmt, ...)
{
	va_list args;

	if (s->result.failure[0] != '\0')
		return;
	va_start(args, fmt);
	vsnprintf(s->result.failure, sizeof(s->result.failure), fmt, args);
	va_end(args);
	s->done = true;
}

void sim_say(struct sim *s, const char *fmt, ...)
{
	va_list args;

	if (!s->options.verbose)
		return;
	fprintf(stderr, "%8lld ", (long long)s->now_ms);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int64_t sim_delay(struct sim *s)
{
	if (s->options.calm)
		return 2;
	return sim_chance(s, 5) ? 1 + (int64_t)sim_random(s, 3000) : 1 + (int64_t)sim_random(s, 20);
}

/* ---- the heap of events ----------------------------------------------------------------- */

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->number < b->number;
}

static void swap(struct sim *s, size_t a, size_t b)
{
	struct sim_event *e = s->heap[a];

	s->heap[a] = s->heap[b];
	s->heap[b] = e;
}

struct sim_event *sim_after(struct sim *s, int64_t ms, void (*fn)(struct sim *, struct sim_event *),
			    int who, uint32_t life)
{
	struct sim_event *e = NEW(struct sim_event);
	size_t at = s->n_heap;

	e->at_ms = s->now_ms + ms;
	e->number = s->events_made++;
	e->fn = fn;
	e->who = who;
	e->life = life;
	mem_reserve(&s->heap, &s->heap_cap, s->n_heap, sizeof(struct sim_event *));
	s->heap[s->n_heap++] = e;
	for (; at > 0 && before(s->heap[at], s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(s, at, (at - 1) / 2);
	return e;
}

static struct sim_event *pop(struct sim *s)
{
	struct sim_event *first = s->heap[0];
	size_t at = 0;

	s->heap[0] = s->heap[--s->n_heap];
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->n_heap; child++)
			if (before(s->heap[child], s->heap[least]))
				least = child;
		if (least == at)
			return first;
		swap(s, at, least);
		at = least;
	}
}

/* What is owned although its type says const to everyone else. */
static void free_parts(const struct vote_part *parts)
{
	void *owned;

	memcpy(&owned, &parts, sizeof(owned));
	mem_free(owned);
}

static void event_free(struct sim_event *e)
{
	doc_unref(e->doc);
	ranges_done(&e->ranges);
	shelf_done(&e->blobs);
	free_parts(e->join.parts);
	mem_free(e);
}

/* ---- the kernel ------------------------------------------------------------------------- */

static const struct wire_lane one_u32 = { .count = 1, .stride = 4, .type = WIRE_U32 };

static const struct wire_binding bindings[] = {
	{ .binding = 0,
	  .name = "total",
	  .role = WIRE_OUTPUT,
	  .fixed_size = 4,
	  .lanes = &one_u32,
	  .n_lanes = 1,
	  .numeric_class = WIRE_EXACT,
	  .class_reason = "",
	  .order = WIRE_PROVED,
	  .order_reason = "" },
	{ .binding = 1,
	  .name = "each",
	  .role = WIRE_OUTPUT,
	  .fixed_size = 4,
	  .lanes = &one_u32,
	  .n_lanes = 1,
	  .numeric_class = WIRE_EXACT,
	  .class_reason = "",
	  .order = WIRE_PROVED,
	  .order_reason = "" },
};

static const struct wire_kernel kernel = {
	.entry_point = "main",
	.workgroup_size = { 1, 1, 1 },
	.dimensions = 1,
	.numeric_class = WIRE_EXACT,
	.order = WIRE_PROVED,
	.bindings = bindings,
	.n_bindings = 2,
	.warnings = "",
};

const struct wire_kernel *sim_kernel(void)
{
	return &kernel;
}

/* ---- what happens to it ----------------------------------------------------------------- */

static void node_again(struct sim *s, struct sim_event *e)
{
	if (!s->nodes[e->who].up)
		sim_agent_start(s, e->who);
}

static void crash_controller(struct sim *s)
{
	int who = (int)sim_random(s, SIM_CONTROLLERS);

	if (!s->controllers[who].up)
		return;
	sim_control_restart(s, who, 50 + sim_random(s, 4000));
}

/* A second controller begins to lead while the first does not know yet. */
static void second_controller(struct sim *s)
{
	int leader = sim_leader(s);
	int other = leader == 0 ? 1 : 0;

	if (!s->controllers[other].up)
		sim_control_start(s, other);
}

static void vanish_node(struct sim *s)
{
	int node = (int)sim_random(s, (uint32_t)s->n_nodes);
	bool forgets = sim_random(s, 4) == 0;

	if (!s->nodes[node].up)
		return;
	sim_agent_kill(s, node, forgets);
	sim_after(s, sim_random(s, 3) == 0 ? 40000 : sim_random(s, 5000), node_again, node, 0);
}

static void delete_pod(struct sim *s)
{
	uint32_t which;
	size_t at = 0;

	if (s->pods.count == 0)
		return;
	which = sim_random(s, (uint32_t)s->pods.count);
	for (struct map_entry *e; (e = map_next(&s->pods, &at)) != NULL;) {
		char name[64];

		if (which-- > 0)
			continue;
		snprintf(name, sizeof(name), "%s", e->key);
		sim_say(s, "user deletes pod %s", name);
		sim_api_delete(s, name);
		return;
	}
}

static void toggle_suspend(struct sim *s)
{
	bool now = doc_bool(s->job, "spec.suspend", false);

	sim_say(s, "user sets suspend: %s", now ? "false" : "true");
	s->was_suspended = true;
	sim_api_edit_spec(s, "spec.suspend", doc_new_bool(!now));
}

static void chaos(struct sim *s, struct sim_event *e)
{
	(void)e;
	if (s->now_ms >= s->chaos_until_ms) {
		if (doc_bool(s->job, "spec.suspend", false))
			toggle_suspend(s);
		for (int i = 0; i < SIM_CONTROLLERS; i++)
			if (sim_leader(s) < 0)
				sim_control_start(s, i);
		for (int i = 0; i < s->n_nodes; i++)
			if (!s->nodes[i].up)
				sim_agent_start(s, i);
		return;
	}
	switch (sim_random(s, 12)) {
	case 0:
	case 1:
		crash_controller(s);
		break;
	case 2:
		second_controller(s);
		break;
	case 3:
	case 4:
		vanish_node(s);
		break;
	case 5:
		sim_agent_cut(s, (int)sim_random(s, (uint32_t)s->n_nodes));
		break;
	case 6:
		delete_pod(s);
		break;
	case 7:
		toggle_suspend(s);
		break;
	case 8:
		sim_api_edit_spec(s, "spec.parallelism", doc_new_int(1 + sim_random(s, 6)));
		break;
	default:
		break;
	}
	sim_after(s, 1 + sim_random(s, 1500), chaos, 0, 0);
}

static void set_up(struct sim *s)
{
	unsigned liars = s->options.calm ? 0 : sim_random(s, 3);
	bool collude = sim_random(s, 2) == 0;
	unsigned crashes = s->options.calm || sim_random(s, 2) ? 0 : sim_random(s, 20);

	s->n_nodes = 2 + (int)sim_random(s, SIM_NODES - 1);
	s->chaos_until_ms = s->options.calm ? 0 : 1000 + sim_random(s, 40000);
	s->any_crash = crashes > 0;
	for (int i = 0; i < s->n_nodes; i++) {
		struct sim_node *n = &s->nodes[i];

		snprintf(n->name, sizeof(n->name), "node-%d", i);
		n->controller = -1;
		n->slots = 1 + sim_random(s, 2);
		n->speed_ms = 1 + sim_random(s, sim_random(s, 2) ? 400 : 10);
		n->crashes = crashes;
		if (liars > 0 && s->n_nodes > 2) {
			n->lies = 20 + sim_random(s, 81);
			n->colludes = collude;
			s->any_liar = true;
			liars--;
		}
	}
}

static void step(struct sim *s)
{
	struct sim_event *e = pop(s);

	s->now_ms = e->at_ms;
	s->result.steps++;
	e->fn(s, e);
	event_free(e);
}

struct sim_result sim_run(const struct sim_options *options)
{
	struct sim *s = NEW(struct sim);
	struct sim_result result;

	s->options = *options;
	s->random = options->seed * 0x9e3779b97f4a7c15u + 1;
	s->store = (int)(options->seed % 3);
	for (int i = 0; i < 8; i++)
		(void)sim_random(s, 2);
	set_up(s);
	sim_api_start(s);
	for (int i = 0; i < s->n_nodes; i++)
		sim_agent_start(s, i);
	sim_control_start(s, 0);
	sim_after(s, 1, chaos, 0, 0);
	while (s->n_heap > 0 && !s->done && s->now_ms < SIM_END_MS && s->result.steps < 200000)
		step(s);
	sim_check_end(s);
	for (int i = 0; i < SIM_CONTROLLERS; i++)
		sim_control_kill(s, i);
	while (s->n_heap > 0)
		event_free(pop(s));
	sim_api_done(s);
	s->result.virtual_ms = s->now_ms;
	result = s->result;
	ranges_done(&s->accepted);
	ranges_done(&s->failed);
	shelf_done(&s->shelf);
	mem_free(s->heap);
	mem_free(s);
	return result;
}
