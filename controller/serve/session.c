/* session.c - one agent's session: its stream of frames, its pages of results. */
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/metric.h"
#include "base/text.h"
#include "controller/serve/serve_int.h"
#include "wire/codec.h"

static struct metric results_total = { .name = "kwarp_results_total",
				       .help = "Results from agents, by what became of them.",
				       .type = METRIC_COUNTER,
				       .label = "answer" };
static struct metric sessions = { .name = "kwarp_agent_sessions",
				  .help = "Agents that are connected.",
				  .type = METRIC_GAUGE };

void serve_kept_free(void *kept)
{
	struct serve_kept *k = kept;

	if (k == NULL)
		return;
	ranges_done(&k->chunks);
	mem_free(k);
}

struct serve_kept *serve_kept_of(struct map *m, const char *uid)
{
	struct serve_kept *k = map_get(m, uid);

	if (k != NULL)
		return k;
	k = NEW(struct serve_kept);
	memcpy(k->uid, uid, strnlen(uid, WIRE_UID - 1));
	map_set(m, uid, k);
	return k;
}

void serve_note_running(struct serve_session *x, const struct wire_dispatch *d)
{
	mem_reserve(&x->running, &x->running_cap, x->n_running, sizeof(*x->running));
	x->running[x->n_running++] = *d;
}

struct serve_session *serve_begin(struct serve *s, struct serve_node *n, struct h2_stream *stream)
{
	struct serve_session *x = NEW(struct serve_session);

	if (n->session != NULL) /* wire 2.5 */
		serve_end(s, n->session, WIRE_CLOSE_REPLACED, "another session began");
	x->id = ++s->last_session;
	x->node = n;
	x->stream = stream;
	n->session = x;
	n->lost_at_ms = 0;
	((struct serve_call *)h2_stream_arg(stream))->session = x;
	metric_add(&sessions, NULL, 1);
	return x;
}

/* The end of the stream is no longer the end of the session. */
static void forget_stream(const struct serve_session *x)
{
	((struct serve_call *)h2_stream_arg(x->stream))->session = NULL;
}

void serve_end(struct serve *s, struct serve_session *x, enum wire_close_reason reason,
	       const char *text)
{
	AUTO(buf_done) struct buf bytes = { .max = 4096 };
	struct wire_frame frame = { .type = WIRE_FRAME_CLOSE, .close = { reason, text } };
	struct serve_node *n = x->node;
	struct err err = { 0 };

	n->session = NULL;
	if (reason != 0) {
		forget_stream(x);
		if (wire_frame_encode(&frame, &bytes, &err) < 0 ||
		    !h2_write(x->stream, bytes.data, bytes.len))
			h2_reset(x->stream);
		else
			h2_end(x->stream);
	}
	map_done(&x->kept, serve_kept_free);
	mem_free(x->running);
	mem_free(x);
	n->lost_at_ms = serve_now(s) + WIRE_NODE_LOST_MS;
	metric_add(&sessions, NULL, -1);
	log_info("agent disconnected", kv_str("agent", n->name), kv_str("reason", text));
	s->options.owner->on_disconnect(s->options.owner_arg, n->name);
}

bool serve_tell(struct serve *s, struct serve_session *x, const struct wire_frame *frame)
{
	AUTO(buf_done) struct buf bytes = { .max = SERVE_STREAM_BYTES };
	struct err err = { 0 };

	if (wire_frame_encode(frame, &bytes, &err) < 0)
		log_error("frame not sent", kv_str("agent", x->node->name), kv_err(&err));
	else if (h2_write(x->stream, bytes.data, bytes.len))
		return true;
	/* It would miss something; after a new registration it knows everything again. */
	h2_reset(x->stream);
	forget_stream(x);
	serve_end(s, x, 0, "too much waits for it");
	return false;
}

/* ---- pages of results -------------------------------------------------------------------- */

struct sorting {
	struct map decided; /* uid -> struct serve_kept */
	struct map refused;
	const char *why; /* of the last refusal */
};

static void sorting_done(struct sorting *x)
{
	map_done(&x->decided, serve_kept_free);
	map_done(&x->refused, serve_kept_free);
}

/* wire 6.3 */
static bool has_ticket(const struct serve *s, const struct serve_node *n,
		       const struct wire_results *part)
{
	unsigned char bytes[WIRE_TICKET_BYTES];
	struct hash_digest ticket;
	size_t len = wire_ticket_bytes(&part->dispatch, n->name, bytes);

	hash_hmac(s->options.ticket_key, sizeof(s->options.ticket_key), bytes, len, &ticket);
	return text_same_secret(ticket.bytes, part->ticket, WIRE_DIGEST);
}

static void refuse_part(struct sorting *to, const struct wire_results *part)
{
	struct serve_kept *k = serve_kept_of(&to->refused, part->dispatch.job_uid);

	for (uint32_t i = 0; i < part->n_results; i++)
		ranges_add_one(&k->chunks, part->results[i].chunk);
	to->why = "no valid ticket";
	metric_add(&results_total, "refused", part->n_results);
}

static bool is_kept_by_agent(enum wire_outcome o)
{
	return o != WIRE_CANCELLED && o != WIRE_REFUSED; /* wire 5.4 */
}

static void take_result(struct serve *s, struct serve_session *x, const struct wire_results *part,
			const struct wire_result *r, struct sorting *to)
{
	const char *uid = part->dispatch.job_uid;
	struct serve_node *n = x->node;
	const char *why = "not a result";
	enum serve_take take =
	    s->options.owner->on_result(s->options.owner_arg, n->name, &part->dispatch, r, &why);

	switch (take) {
	case SERVE_DECIDED:
		ranges_add_one(&serve_kept_of(&to->decided, uid)->chunks, r->chunk);
		metric_add(&results_total, "decided", 1);
		break;
	case SERVE_WRONG:
		ranges_add_one(&serve_kept_of(&to->refused, uid)->chunks, r->chunk);
		to->why = why;
		metric_add(&results_total, "refused", 1);
		break;
	case SERVE_KEEP:
		if (n->session == x && is_kept_by_agent(r->outcome))
			ranges_add_one(&serve_kept_of(&x->kept, uid)->chunks, r->chunk);
		metric_add(&results_total, "kept", 1);
		break;
	}
}

static void list_jobs(const struct map *m, struct arena *a, const struct wire_job_runs **ret,
		      uint32_t *ret_n)
{
	struct wire_job_runs *jobs = arena_new_array(a, struct wire_job_runs, m->count);
	uint32_t n = 0;

	MAP_EACH (m, e) {
		const struct serve_kept *k = e->value;
		struct wire_run *runs = arena_new_array(a, struct wire_run, k->chunks.count);

		for (size_t i = 0; i < k->chunks.count; i++) {
			const struct range *r = &k->chunks.list[i];

			runs[i] = (struct wire_run){ (uint32_t)r->first,
						     (uint32_t)(r->last - r->first + 1) };
		}
		memcpy(jobs[n].job_uid, k->uid, WIRE_UID);
		jobs[n].runs = runs;
		jobs[n++].n_runs = (uint32_t)k->chunks.count;
	}
	*ret = jobs;
	*ret_n = n;
}

static void take_state(struct serve *s, struct serve_session *x, const struct wire_page *page)
{
	if (page->full == x->full && page->draining == x->draining)
		return;
	x->full = page->full;
	x->draining = page->draining;
	s->options.owner->on_state(s->options.owner_arg, x->node->name, x->full, x->draining);
}

static void take_offered(struct serve *s, struct serve_session *x)
{
	struct wire_dispatch *running = MOVE(x->running);
	size_t n = x->n_running;

	x->offered = true;
	x->n_running = 0;
	x->running_cap = 0;
	s->options.owner->on_offered(s->options.owner_arg, x->node->name, running, n);
	mem_free(running);
}

void serve_take_page(struct serve *s, struct serve_session *x, const struct wire_page *page,
		     struct arena *a, struct wire_answer *ret)
{
	AUTO(sorting_done) struct sorting sorted = { .why = "" };
	struct serve_node *n = x->node;

	for (uint32_t i = 0; i < page->n_parts; i++) {
		const struct wire_results *part = &page->parts[i];

		if (!has_ticket(s, n, part)) {
			log_warn("result without a valid ticket", kv_str("agent", n->name),
				 kv_str("job", part->dispatch.job_uid));
			refuse_part(&sorted, part);
			continue;
		}
		for (uint32_t j = 0; j < part->n_results; j++)
			take_result(s, x, part, &part->results[j], &sorted);
	}
	/* The owner may have ended the session. */
	if (n->session == x)
		take_state(s, x, page);
	if (n->session == x && page->offered && !x->offered)
		take_offered(s, x);
	*ret = (struct wire_answer){ .epoch = s->options.epoch, .reason = sorted.why };
	list_jobs(&sorted.decided, a, &ret->decided, &ret->n_decided);
	list_jobs(&sorted.refused, a, &ret->refused, &ret->n_refused);
}
