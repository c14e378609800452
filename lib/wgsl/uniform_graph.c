/*
 * uniform_graph.c - does every invocation of a work-group get to each barrier, every one of a
 * subgroup to each of the subgroup's functions?
 *
 * The uniformity analysis of the specification (WGSL, 15.2), on the function with all calls
 * expanded. Nodes stand for values, for what a variable holds at one point, and for control flow at
 * one point; an edge leads to what follows from it. Sources are what may differ between
 * invocations: ids, memory that others write. Whatever can be reached from a source may differ.
 *
 * One walk builds the graph: `cur` is what each variable holds where the walk stands. An
 * assignment to all of it replaces that, one to a part adds to it. Where ways meet (behind
 * constructs, at the start of loops and of their continuing part) so do the variables that were
 * assigned on the way. Each step costs what is assigned inside of the construct, so the whole
 * costs at most instructions times nesting.
 *
 * Node 0 never differs.
 *
 * Within a subgroup less differs: which subgroup it is, and what its functions give to all of it
 * (the language extension subgroup_uniformity). So for those there is a graph of its own.
 */
#include "base/mem.h"
#include "wgsl/analyse_int.h"
#include "wgsl/ir_walk.h"

enum { MAX_NODES = 1 << 20, NEVER = 0, NO_EXIT = UINT32_MAX };

enum node_kind {
	NODE_VALUE,  /* no place to speak of */
	NODE_SOURCE, /* at: what differs */
	NODE_SPLIT,  /* control flow; at: the construct where it parts */
	NODE_LEFT,   /* control flow; at: the exit by which some leave */
};

struct node {
	const struct wgsl_inst *at;
	uint32_t edges; /* 1 + the first one, 0: none */
	uint32_t from;  /* the node by which it differs */
	enum node_kind kind;
	bool varies;
};

struct edge {
	uint32_t to, next;
};

/* A variable that is assigned inside of a construct. */
struct slot {
	uint32_t var;
	uint32_t entry;           /* what it held before; LOOP: at the start of a pass */
	uint32_t out, out_sent;   /* behind the construct; what was added last */
	uint32_t skip, skip_sent; /* LOOP: the same at the start of its continuing part */
};

/* A construct around what is being walked. */
struct open {
	struct open *outer;
	const struct wgsl_inst *inst;
	size_t first_slot, n_slots;
	uint32_t depth; /* of targets, from 1 */
	bool has_out, has_skip;
};

enum need_kind {
	NEED_BARRIER,
	NEED_PLACE, /* where workgroupUniformLoad reads */
	NEED_CALL,  /* of a function of subgroups */
	NEED_DELTA, /* how far it shuffles */
};

/* What must not differ. */
struct need {
	const struct wgsl_inst *inst;
	uint32_t node;
	enum need_kind kind;
};

/* The exit that leaves most constructs, of those seen since. */
struct leaving {
	uint32_t depth; /* of its target; NO_EXIT: there is none */
	const struct wgsl_inst *at;
};

struct graph {
	struct wgsl_comp *c;
	const struct wgsl_module *m;
	struct node *nodes; /* owned, as all arrays */
	size_t n_nodes, cap_nodes;
	struct edge *edges;
	size_t n_edges, cap_edges;
	struct slot *slots; /* of the open constructs, one after the other */
	size_t n_slots, cap_slots;
	struct need *needs;
	size_t n_needs, cap_needs;
	uint32_t *queue;
	uint32_t *value; /* by instruction id: its node; IF, SWITCH: of the condition */
	uint32_t *cur;   /* by variable id */
	uint32_t *seen;  /* by variable id: the construct that has a slot for it */
	uint32_t *first_use, *after_use; /* by variable id: instructions; 0: not used yet */
	uint32_t *last;                  /* by instruction id: the last one inside of it */
	/* Assignments to variables of an invocation, by instruction id. */
	struct write {
		uint32_t inst, var;
	} * writes;
	size_t n_writes, cap_writes;
	struct open *open;
	struct leaving leaving;
	uint32_t n_opened;
	uint32_t cf; /* control flow */
	bool is_dead;
	bool is_full;
	bool of_subgroup; /* what differs within a subgroup, not a work-group */
};

static void graph_done(struct graph *g)
{
	mem_free(g->nodes);
	mem_free(g->edges);
	mem_free(g->slots);
	mem_free(g->needs);
	mem_free(g->queue);
	mem_free(g->value);
	mem_free(g->cur);
	mem_free(g->seen);
	mem_free(g->first_use);
	mem_free(g->after_use);
	mem_free(g->last);
	mem_free(g->writes);
}

/* ---- nodes ------------------------------------------------------------------------------- */

static uint32_t add_node(struct graph *g, enum node_kind kind, const struct wgsl_inst *at)
{
	if (g->n_nodes >= MAX_NODES) {
		g->is_full = true;
		return NEVER;
	}
	mem_reserve(&g->nodes, &g->cap_nodes, g->n_nodes, sizeof(*g->nodes));
	g->nodes[g->n_nodes] =
	    (struct node){ .at = at, .kind = kind, .varies = kind == NODE_SOURCE };
	return (uint32_t)g->n_nodes++;
}

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
	if (from == NEVER || to == NEVER || from == to)
		return;
	mem_reserve(&g->edges, &g->cap_edges, g->n_edges, sizeof(*g->edges));
	g->edges[g->n_edges] = (struct edge){ .to = to, .next = g->nodes[from].edges };
	g->nodes[from].edges = (uint32_t)++g->n_edges;
}

/* What differs if a or b does. */
static uint32_t join(struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t n;

	if (a == b || b == NEVER || g->nodes[a].varies)
		return a;
	if (a == NEVER || g->nodes[b].varies)
		return b;
	n = add_node(g, NODE_VALUE, NULL);
	add_edge(g, a, n);
	add_edge(g, b, n);
	return n;
}

/* Control flow `cf` that also hangs on n. */
static uint32_t part(struct graph *g, uint32_t cf, uint32_t n, enum node_kind kind,
		     const struct wgsl_inst *at)
{
	uint32_t to;

	if (n == NEVER)
		return cf;
	to = add_node(g, kind, at);
	add_edge(g, n, to);
	add_edge(g, cf, to);
	return to;
}

static bool is_own(const struct wgsl_var *v)
{
	return v->space == WGSL_SPACE_FUNCTION || v->space == WGSL_SPACE_PRIVATE;
}

/* ---- before the walk: what is used and assigned where ------------------------------------- */

static void scan_block(struct graph *g, const struct wgsl_block *b);

static uint32_t scan_inst(struct graph *g, const struct wgsl_inst *i)
{
	uint32_t last = i->id;

	if (i->path != NULL && is_own(i->path->var)) {
		uint32_t v = i->path->var->id;

		if (g->after_use[v] == 0)
			g->first_use[v] = i->id;
		g->after_use[v] = i->id + 1;
	}
	if (i->path != NULL && is_own(i->path->var) &&
	    (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO)) {
		mem_reserve(&g->writes, &g->cap_writes, g->n_writes, sizeof(*g->writes));
		g->writes[g->n_writes++] = (struct write){ i->id, i->path->var->id };
	}
	for (uint32_t n = 0; n < wgsl_n_blocks(i); n++) {
		const struct wgsl_block *b = wgsl_block_at(i, n);

		scan_block(g, b);
		if (b->last != NULL && g->last[b->last->id] > last)
			last = g->last[b->last->id];
	}
	return last;
}

static void scan_block(struct graph *g, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		g->last[i->id] = scan_inst(g, i);
}

/* The first assignment behind instruction `id`. */
static size_t first_write(const struct graph *g, uint32_t id)
{
	size_t low = 0;
	size_t high = g->n_writes;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (g->writes[mid].inst <= id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- constructs ---------------------------------------------------------------------------- */

/* A function's variable that is used nowhere else begins inside: nobody outside cares. */
static bool is_inside(const struct graph *g, uint32_t var, const struct wgsl_inst *i)
{
	return g->m->vars[var]->space == WGSL_SPACE_FUNCTION && g->first_use[var] > i->id &&
	       g->after_use[var] <= g->last[i->id] + 1;
}

static void open_construct(struct graph *g, const struct wgsl_inst *i, struct open *o)
{
	bool is_target = i->op != WGSL_OP_IF;

	*o = (struct open){ .outer = g->open, .inst = i, .first_slot = g->n_slots };
	o->depth = (g->open != NULL ? g->open->depth : 0) + (is_target ? 1 : 0);
	g->open = o; /* cppcheck-suppress autoVariables ; until close_construct */
	g->n_opened++;
	for (size_t n = first_write(g, i->id);
	     n < g->n_writes && g->writes[n].inst <= g->last[i->id]; n++) {
		uint32_t v = g->writes[n].var;

		if (g->seen[v] == g->n_opened || is_inside(g, v, i))
			continue;
		g->seen[v] = g->n_opened;
		mem_reserve(&g->slots, &g->cap_slots, g->n_slots, sizeof(*g->slots));
		g->slots[g->n_slots++] = (struct slot){ .var = v, .entry = g->cur[v] };
		o->n_slots++;
	}
}

static struct slot *slot_at(struct graph *g, const struct open *o, size_t n)
{
	return &g->slots[o->first_slot + n];
}

/* What variables hold now gets behind the construct. */
static void send_out(struct graph *g, struct open *o)
{
	for (size_t n = 0; n < o->n_slots; n++) {
		struct slot *s = slot_at(g, o, n);
		uint32_t now = g->cur[s->var];

		if (!o->has_out || s->out_sent != now)
			s->out = o->has_out ? join(g, s->out, now) : now;
		s->out_sent = now;
	}
	o->has_out = true;
}

/* The same for a loop's continuing part. */
static void send_skip(struct graph *g, struct open *o)
{
	for (size_t n = 0; n < o->n_slots; n++) {
		struct slot *s = slot_at(g, o, n);
		uint32_t now = g->cur[s->var];

		if (!o->has_skip || s->skip_sent != now)
			s->skip = o->has_skip ? join(g, s->skip, now) : now;
		s->skip_sent = now;
	}
	o->has_skip = true;
}

static void restore(struct graph *g, const struct open *o)
{
	for (size_t n = 0; n < o->n_slots; n++)
		g->cur[slot_at(g, o, n)->var] = slot_at(g, o, n)->entry;
}

static struct leaving nearer(struct leaving a, struct leaving b)
{
	return b.depth < a.depth ? b : a;
}

/*
 * Go on behind the construct. `before` is the control flow in front of it: what came apart inside
 * is together again, unless some left for further out; then it is `end`. `outside`: exits seen
 * before it.
 */
static void close_construct(struct graph *g, struct open *o, uint32_t before, uint32_t end,
			    struct leaving outside)
{
	if (o->inst->op != WGSL_OP_IF && g->leaving.depth == o->depth)
		g->leaving.depth = NO_EXIT;
	g->cf = before;
	if (g->leaving.depth != NO_EXIT)
		g->cf = part(g, before, end, NODE_LEFT, g->leaving.at);
	g->leaving = nearer(outside, g->leaving);
	for (size_t n = 0; n < o->n_slots && o->has_out; n++)
		g->cur[slot_at(g, o, n)->var] = slot_at(g, o, n)->out;
	g->is_dead = !o->has_out;
	g->n_slots = o->first_slot;
	g->open = o->outer;
}

static void walk_block(struct graph *g, const struct wgsl_block *b);

/* A side or case: control flow at its end. */
static uint32_t walk_branch(struct graph *g, struct open *o, const struct wgsl_block *b,
			    uint32_t cf)
{
	restore(g, o);
	g->cf = cf;
	g->is_dead = false;
	walk_block(g, b);
	if (!g->is_dead)
		send_out(g, o);
	return g->cf;
}

static void walk_branches(struct graph *g, const struct wgsl_inst *i)
{
	struct leaving outside = g->leaving;
	uint32_t before = g->cf;
	uint32_t cond = g->value[i->args[0]->id];
	uint32_t inside = part(g, before, cond, NODE_SPLIT, i);
	uint32_t end = NEVER;
	struct open o;

	g->value[i->id] = cond;
	open_construct(g, i, &o);
	g->leaving.depth = NO_EXIT;
	for (uint32_t n = 0; n < wgsl_n_blocks(i); n++)
		end = join(g, end, walk_branch(g, &o, wgsl_block_at(i, n), inside));
	close_construct(g, &o, before, end, outside);
}

static void walk_scope(struct graph *g, const struct wgsl_inst *i)
{
	struct leaving outside = g->leaving;
	uint32_t before = g->cf;
	uint32_t end;
	struct open o;

	open_construct(g, i, &o);
	g->leaving.depth = NO_EXIT;
	end = walk_branch(g, &o, &i->blocks[0], before);
	close_construct(g, &o, before, end, outside);
}

/* The continuing part, and what gets from there to the next pass and out. */
static void walk_continuing(struct graph *g, struct open *o, uint32_t head)
{
	const struct wgsl_inst *i = o->inst;

	for (size_t n = 0; n < o->n_slots; n++)
		g->cur[slot_at(g, o, n)->var] = slot_at(g, o, n)->skip;
	g->is_dead = false;
	walk_block(g, &i->blocks[1]);
	if (g->is_dead)
		return;
	if (i->n_args > 0) {
		g->cf = part(g, g->cf, g->value[i->args[0]->id], NODE_SPLIT, i);
		send_out(g, o);
	}
	add_edge(g, g->cf, head);
	for (size_t n = 0; n < o->n_slots; n++)
		add_edge(g, g->cur[slot_at(g, o, n)->var], slot_at(g, o, n)->entry);
}

static void walk_loop(struct graph *g, const struct wgsl_inst *i)
{
	struct leaving outside = g->leaving;
	uint32_t before = g->cf;
	uint32_t head = add_node(g, NODE_VALUE, NULL);
	uint32_t end;
	struct open o;

	open_construct(g, i, &o);
	g->leaving.depth = NO_EXIT;
	add_edge(g, before, head);
	for (size_t n = 0; n < o.n_slots; n++) {
		struct slot *s = slot_at(g, &o, n);
		uint32_t start = add_node(g, NODE_VALUE, NULL);

		add_edge(g, s->entry, start);
		s->entry = start;
	}
	restore(g, &o);
	g->cf = head;
	walk_block(g, &i->blocks[0]);
	if (!g->is_dead)
		send_skip(g, &o);
	end = g->cf;
	/* Without a second pass nothing comes back to the start. */
	if (o.has_skip) {
		walk_continuing(g, &o, head);
		end = head;
	}
	close_construct(g, &o, before, end, outside);
}

static void visit_exit(struct graph *g, const struct wgsl_inst *i)
{
	struct leaving here = { .depth = 0, .at = i };
	struct open *o = g->open;

	if (i->op != WGSL_OP_RETURN) {
		/* A rule of the IR: the target is around it. */
		while (o->inst != i->target)
			o = o->outer;
		here.depth = o->depth;
		if (i->op == WGSL_OP_BREAK)
			send_out(g, o);
		else
			send_skip(g, o);
	}
	g->leaving = nearer(g->leaving, here);
	g->is_dead = true;
}

/* ---- values -------------------------------------------------------------------------------- */

static uint32_t steps_node(struct graph *g, const struct wgsl_path *p)
{
	uint32_t n = NEVER;

	for (uint32_t k = 0; k < p->n_steps; k++)
		if (p->steps[k].kind == WGSL_STEP_DYNAMIC)
			n = join(g, n, g->value[p->steps[k].value->id]);
	return n;
}

static void add_need(struct graph *g, const struct wgsl_inst *i, uint32_t node, enum need_kind kind)
{
	if (g->of_subgroup != (kind >= NEED_CALL))
		return;
	mem_reserve(&g->needs, &g->cap_needs, g->n_needs, sizeof(*g->needs));
	g->needs[g->n_needs++] = (struct need){ i, node, kind };
}

static void visit_store(struct graph *g, const struct wgsl_inst *i)
{
	const struct wgsl_var *v = i->path->var;
	uint32_t n = i->n_args > 0 ? g->value[i->args[0]->id] : NEVER;

	if (!is_own(v))
		return;
	n = join(g, n, g->cf);
	if (!i->is_whole)
		n = join(g, join(g, n, steps_node(g, i->path)), g->cur[v->id]);
	g->cur[v->id] = n;
}

static uint32_t load_node(struct graph *g, const struct wgsl_inst *i)
{
	const struct wgsl_var *v = i->path->var;
	uint32_t steps = steps_node(g, i->path);

	if (i->is_uniform) { /* workgroupUniformLoad */
		add_need(g, i, steps, NEED_PLACE);
		return g->cf;
	}
	if (!is_own(v) && v->access == WGSL_ACCESS_READ_WRITE)
		return add_node(g, NODE_SOURCE, i);
	steps = join(g, steps, g->cf);
	return is_own(v) ? join(g, g->cur[v->id], steps) : steps;
}

/* Does every invocation of the subgroup get the same result? */
static bool is_shared(enum wgsl_subgroup op)
{
	switch ((int)op) {
	case WGSL_SUBGROUP_ALL:
	case WGSL_SUBGROUP_ANY:
	case WGSL_SUBGROUP_BALLOT:
	case WGSL_SUBGROUP_BROADCAST:
	case WGSL_SUBGROUP_BROADCAST_FIRST:
	case WGSL_SUBGROUP_ADD:
	case WGSL_SUBGROUP_MUL:
	case WGSL_SUBGROUP_MIN:
	case WGSL_SUBGROUP_MAX:
	case WGSL_SUBGROUP_AND:
	case WGSL_SUBGROUP_OR:
	case WGSL_SUBGROUP_XOR:
		return true;
	default:
		return false;
	}
}

static uint32_t subgroup_node(struct graph *g, const struct wgsl_inst *i)
{
	bool has_delta = i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_UP ||
			 i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_DOWN ||
			 i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_XOR;

	add_need(g, i, g->cf, NEED_CALL);
	if (has_delta)
		add_need(g, i, g->value[i->args[1]->id], NEED_DELTA);
	return g->of_subgroup && is_shared(i->u.subgroup) ? g->cf : add_node(g, NODE_SOURCE, i);
}

static uint32_t value_node(struct graph *g, const struct wgsl_inst *i)
{
	uint32_t n = NEVER;
	const struct wgsl_inst *of = i->op == WGSL_OP_EXTRACT ? i->args[0] : i;

	if (i->op == WGSL_OP_LOAD || (i->op == WGSL_OP_ATOMIC && i->is_uniform))
		return load_node(g, i);
	if (i->op == WGSL_OP_SUBGROUP)
		return subgroup_node(g, i);
	if (i->op == WGSL_OP_ATOMIC)
		return add_node(g, NODE_SOURCE, i);
	if (i->op == WGSL_OP_ARRAY_LENGTH)
		return NEVER;
	if (of->op == WGSL_OP_BUILTIN) {
		int lane = i->op == WGSL_OP_EXTRACT ? i->lanes[0] : -1;
		bool varies = wgsl_builtin_varies(g->m, of->u.builtin, lane);

		if (g->of_subgroup && of->u.builtin == WGSL_BUILTIN_SUBGROUP_ID)
			varies = false;
		return varies ? add_node(g, NODE_SOURCE, of) : NEVER;
	}
	for (uint32_t k = 0; k < i->n_args; k++)
		n = join(g, n, g->value[i->args[k]->id]);
	return n;
}

static void walk_inst(struct graph *g, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_IF || i->op == WGSL_OP_SWITCH)
		walk_branches(g, i);
	else if (i->op == WGSL_OP_LOOP)
		walk_loop(g, i);
	else if (i->op == WGSL_OP_SCOPE)
		walk_scope(g, i);
	else if (i->op >= WGSL_OP_BREAK)
		visit_exit(g, i);
	else if (i->op == WGSL_OP_BARRIER)
		add_need(g, i, g->cf, NEED_BARRIER);
	else if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO)
		visit_store(g, i);
	else
		g->value[i->id] = value_node(g, i);
}

/* What cannot be reached needs nothing. */
static void walk_block(struct graph *g, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL && !g->is_dead; i = i->next)
		walk_inst(g, i);
}

/* ---- the verdict ---------------------------------------------------------------------------- */

/* Breadth first: the way back from a node to its source is a short one. */
static void spread(struct graph *g)
{
	size_t n = 0;

	g->queue = NEW_ARRAY(uint32_t, g->n_nodes);
	for (uint32_t k = 0; k < g->n_nodes; k++)
		if (g->nodes[k].varies)
			g->queue[n++] = k;
	for (size_t at = 0; at < n; at++) {
		uint32_t from = g->queue[at];

		for (uint32_t e = g->nodes[from].edges; e != 0; e = g->edges[e - 1].next) {
			struct node *to = &g->nodes[g->edges[e - 1].to];

			if (to->varies)
				continue;
			to->varies = true;
			to->from = from;
			g->queue[n++] = g->edges[e - 1].to;
		}
	}
}

static struct wgsl_span span_of(const struct graph *g, const struct wgsl_inst *i)
{
	uint32_t line = i->line > 0 ? i->line - 1 : 0;

	return (struct wgsl_span){ g->c->lines[line] + (i->column > 0 ? i->column - 1 : 0), 1 };
}

/* In words: why a node differs. */
static const char *cause_text(const struct graph *g, uint32_t node)
{
	const struct wgsl_inst *why;

	while (g->nodes[node].kind != NODE_SOURCE)
		node = g->nodes[node].from;
	why = g->nodes[node].at;
	if (why->op == WGSL_OP_BUILTIN)
		return wgsl_builtin_name(why->u.builtin);
	if (why->op == WGSL_OP_SUBGROUP)
		return wgsl_subgroup_name(why->u.subgroup);
	ASSERT(why->path != NULL);
	return arena_printf(g->c->arena, "'%s', which other invocations may change",
			    why->path->var->name);
}

/* Where invocations part. */
static void note_parting(const struct graph *g, uint32_t node)
{
	const struct node *n = &g->nodes[node];
	const char *cause = cause_text(g, node);

	while (n->kind == NODE_VALUE)
		n = &g->nodes[n->from];
	if (n->kind != NODE_SOURCE)
		wgsl_note(g->c, span_of(g, n->at), "invocations part %s: that depends on %s",
			  n->kind == NODE_LEFT ? "before, when some leave here" : "here", cause);
}

/* What a need that is not met is called. */
static const char *need_text(const struct graph *g, const struct need *need)
{
	const char *name =
	    need->kind >= NEED_CALL ? wgsl_subgroup_name(need->inst->u.subgroup) : "";
	bool is_mask =
	    need->kind == NEED_DELTA && need->inst->u.subgroup == WGSL_SUBGROUP_SHUFFLE_XOR;

	switch (need->kind) {
	case NEED_BARRIER:
		return "a barrier must be reached by all invocations of a work-group, but control "
		       "flow here may differ between them";
	case NEED_PLACE:
		return arena_printf(g->c->arena,
				    "workgroupUniformLoad needs the same place for all "
				    "invocations, but its index depends on %s",
				    cause_text(g, need->node));
	case NEED_CALL:
		return arena_printf(g->c->arena,
				    "%s must be reached by all invocations of a subgroup, but "
				    "control flow here may differ between them",
				    name);
	case NEED_DELTA:
		return arena_printf(g->c->arena,
				    "%s needs the same %s for all invocations of a subgroup, but "
				    "it depends on %s",
				    name, is_mask ? "mask" : "delta", cause_text(g, need->node));
	}
	return "";
}

static bool has_parting(const struct need *need)
{
	return need->kind == NEED_BARRIER || need->kind == NEED_CALL;
}

/* Report the first need that is not met, and the first that only warns; false after an error. */
static bool check(const struct graph *g)
{
	bool has_warned = false;

	for (size_t k = 0; k < g->n_needs; k++) {
		const struct need *need = &g->needs[k];
		enum wgsl_filter filter = (enum wgsl_filter)need->inst->filter;

		if (filter > FILTER_WARNING || (filter == FILTER_WARNING && has_warned))
			continue;
		if (g->is_full) {
			wgsl_error(
			    g->c, span_of(g, need->inst),
			    "the kernel is too large to see whether all invocations get here");
			return false;
		}
		if (!g->nodes[need->node].varies)
			continue;
		has_warned = true;
		if (filter == FILTER_WARNING)
			wgsl_warn(g->c, span_of(g, need->inst), "%s", need_text(g, need));
		else
			wgsl_error(g->c, span_of(g, need->inst), "%s", need_text(g, need));
		if (has_parting(need))
			note_parting(g, need->node);
		if (filter == FILTER_ERROR)
			return false;
	}
	return true;
}

static void build(struct graph *g)
{
	const struct wgsl_module *m = g->m;

	g->value = NEW_ARRAY(uint32_t, m->fn.n_insts + 1);
	g->last = NEW_ARRAY(uint32_t, m->fn.n_insts + 1);
	g->cur = NEW_ARRAY(uint32_t, m->n_vars + 1);
	g->seen = NEW_ARRAY(uint32_t, m->n_vars + 1);
	g->first_use = NEW_ARRAY(uint32_t, m->n_vars + 1);
	g->after_use = NEW_ARRAY(uint32_t, m->n_vars + 1);
	(void)add_node(g, NODE_VALUE, NULL); /* NEVER */
	scan_block(g, &m->fn.body);
	walk_block(g, &m->fn.values);
	walk_block(g, &m->fn.body);
	spread(g);
}

bool wgsl_prove_uniform(struct wgsl_comp *c, bool *proved)
{
	AUTO(graph_done)
	struct graph g = { .c = c, .m = c->module, .leaving = { NO_EXIT, NULL } };

	build(&g);
	for (uint32_t i = 0; i < g.m->fn.n_insts; i++)
		proved[i] = !g.is_full && !g.nodes[g.value[i]].varies;
	return check(&g);
}

bool wgsl_check_subgroups(struct wgsl_comp *c)
{
	AUTO(graph_done)
	struct graph g = {
		.c = c, .m = c->module, .leaving = { NO_EXIT, NULL }, .of_subgroup = true
	};

	build(&g);
	return check(&g);
}
