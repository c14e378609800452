/* ticket.c - tickets of people and what they read: results, block by block (wire 10). */
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "controller/serve/serve_int.h"

/* One GET. The answer's head waits for the first block: only then is the size known. */
struct serve_fetch {
	struct serve *serve;         /* borrowed */
	struct serve_ticket *ticket; /* borrowed; NULL: it is gone, the stream is being reset */
	struct list_link link;       /* in ticket.fetches */
	struct h2_stream *stream;    /* borrowed: owns this */
	struct hash_digest digest;
	struct serve_span left; /* to be read */
	bool is_answered;
	void *read; /* borrowed: what the owner is reading, or NULL */
};

/* ---- tickets ----------------------------------------------------------------------------- */

int serve_add_ticket(struct serve *s, const struct hash_digest *token_sha256, const char *job_uid,
		     int64_t expires_ms, struct err *err)
{
	struct serve_ticket *t;
	char hex[HASH_HEX];

	if (map_has(&s->tickets, hash_hex(token_sha256, hex)))
		return err_set(err, ERR_EXISTS, "another ticket has this token");
	if (s->tickets.count >= SERVE_MAX_TICKETS)
		return err_set(err, ERR_UNAVAILABLE, "there are %d tickets already",
			       SERVE_MAX_TICKETS);
	ASSERT(strlen(job_uid) < WIRE_UID);
	t = NEW(struct serve_ticket);
	t->token_sha256 = *token_sha256;
	memcpy(t->job_uid, job_uid, strlen(job_uid));
	t->expires_ms = expires_ms;
	map_set(&s->tickets, hex, t);
	return 0;
}

static void stop_read(struct serve_fetch *f)
{
	const struct serve_options *o = &f->serve->options;

	if (f->read != NULL)
		o->owner->cancel_read(o->owner_arg, MOVE(f->read));
}

/* The streams end a moment later. */
static void free_ticket(void *value)
{
	struct serve_ticket *t = value;

	LIST_EACH (struct serve_fetch, f, &t->fetches, link) {
		stop_read(f);
		h2_reset(f->stream);
		list_remove(&f->link);
		f->ticket = NULL;
	}
	mem_free(t);
}

void serve_remove_ticket(struct serve *s, const struct hash_digest *token_sha256)
{
	char hex[HASH_HEX];
	struct serve_ticket *t = map_remove(&s->tickets, hash_hex(token_sha256, hex));

	if (t != NULL)
		free_ticket(t);
}

/* wire 10.3 */
struct serve_ticket *serve_find_ticket(const struct serve *s,
				       const struct hash_digest *token_sha256)
{
	char hex[HASH_HEX];
	struct serve_ticket *t = map_get(&s->tickets, hash_hex(token_sha256, hex));

	return t != NULL && serve_now(s) < t->expires_ms ? t : NULL;
}

void serve_expire_tickets(struct serve *s, int64_t now_ms)
{
	MAP_EACH (&s->tickets, e) {
		struct serve_ticket *t = e->value;

		if (now_ms >= t->expires_ms)
			serve_remove_ticket(s, &t->token_sha256);
	}
}

void serve_free_tickets(struct serve *s)
{
	map_done(&s->tickets, free_ticket);
}

/* ---- reads ------------------------------------------------------------------------------- */

static void refuse_range(struct serve_fetch *f, uint64_t size)
{
	char text[64];
	struct buf b = { .data = text, .cap = sizeof(text), .max = sizeof(text) - 1 };
	const struct h2_header header = { "content-range", text };

	if (buf_addf(&b, "bytes */%llu", (unsigned long long)size) < 0)
		ASSERT(false);
	h2_respond(f->stream, 416, &header, 1, NULL, 0);
}

/* The head, now that the size is known. False: nothing follows. */
static bool answer(struct serve_fetch *f, uint64_t size)
{
	char range[96];
	char length[32];
	struct buf range_b = { .data = range, .cap = sizeof(range), .max = sizeof(range) - 1 };
	struct buf length_b = { .data = length, .cap = sizeof(length), .max = sizeof(length) - 1 };
	const struct h2_header headers[] = { { "content-type", "application/octet-stream" },
					     { "content-length", length },
					     { "content-range", range } };
	struct serve_span *left = &f->left;

	f->is_answered = true;
	if (left->end > size)
		left->end = size;
	if (left->is_part && left->first >= size) {
		refuse_range(f, size);
		return false;
	}
	if (buf_addf(&length_b, "%llu", (unsigned long long)(left->end - left->first)) < 0)
		ASSERT(false);
	if (left->first == left->end) {
		h2_respond(f->stream, 200, headers, 2, NULL, 0);
		return false;
	}
	if (buf_addf(&range_b, "bytes %llu-%llu/%llu", (unsigned long long)left->first,
		     (unsigned long long)left->end - 1, (unsigned long long)size) < 0)
		ASSERT(false);
	h2_respond_stream(f->stream, left->is_part ? 206 : 200, headers, left->is_part ? 3 : 2,
			  2 * (size_t)SERVE_BLOCK);
	return true;
}

static void give_up(struct serve_fetch *f, const struct err *err)
{
	if (err->code != ERR_NOT_FOUND)
		log_warn("result not read", kv_str("job", f->ticket->job_uid), kv_err(err));
	if (f->is_answered)
		h2_reset(f->stream);
	else if (err->code == ERR_NOT_FOUND)
		serve_refuse(f->stream, 404, "no longer here\n");
	else
		serve_refuse(f->stream, err_retryable(err->code) ? 503 : 500, "not readable\n");
	f->is_answered = true;
}

static void read_block(struct serve_fetch *f);

/* A block fits while at most one waits (wire 10.4). */
static void go_on(struct serve_fetch *f)
{
	if (f->left.first == f->left.end)
		h2_end(f->stream);
	else if (h2_waiting(f->stream) > SERVE_BLOCK)
		h2_ask_drained(f->stream);
	else
		read_block(f);
}

static void on_read(void *arg, const void *bytes, size_t len, uint64_t size, const struct err *err)
{
	struct serve_fetch *f = arg;
	struct err wrong = { 0 };

	f->read = NULL;
	if (err->code != 0) {
		give_up(f, err);
		return;
	}
	if (!f->is_answered && !answer(f, size))
		return;
	if (len > f->left.end - f->left.first)
		len = f->left.end - f->left.first;
	if (len == 0 || !h2_write(f->stream, bytes, len)) {
		err_set(&wrong, ERR_INVALID, "it ends too early");
		give_up(f, &wrong);
		return;
	}
	f->left.first += len;
	go_on(f);
}

static void read_block(struct serve_fetch *f)
{
	const struct serve_options *o = &f->serve->options;
	uint64_t len = f->left.end - f->left.first;
	struct serve_part part = { .job_uid = f->ticket->job_uid,
				   .digest = f->digest,
				   .first = f->left.first,
				   .len = len < SERVE_BLOCK ? (size_t)len : SERVE_BLOCK };
	struct err err = { 0 };

	f->read = o->owner->read_result(o->owner_arg, &part, on_read, f);
	if (f->read != NULL)
		return;
	err_set(&err, ERR_NOT_FOUND, "no such result");
	give_up(f, &err);
}

static void note_use(struct serve *s, struct serve_ticket *t)
{
	if (t->is_used)
		return;
	t->is_used = true;
	s->options.owner->on_ticket_used(s->options.owner_arg, &t->token_sha256);
}

void serve_fetch_begin(struct serve *s, struct serve_ticket *t, struct h2_stream *stream,
		       const struct hash_digest *digest, const struct serve_span *span)
{
	struct serve_call *c;
	struct serve_fetch *f;

	/* wire 10.5 */
	if (t->fetches.count >= SERVE_TICKET_READS || s->n_fetches >= SERVE_MAX_READS) {
		serve_refuse(stream, 503, "too many reads at the same time\n");
		return;
	}
	f = NEW(struct serve_fetch);
	f->serve = s;
	f->ticket = t;
	f->stream = stream;
	f->digest = *digest;
	f->left = *span;
	list_add(&t->fetches, &f->link);
	s->n_fetches++;
	c = NEW(struct serve_call);
	c->fetch = f;
	h2_set_stream_arg(stream, c);
	note_use(s, t);
	read_block(f);
}

void serve_fetch_more(struct serve_fetch *f)
{
	if (f->ticket != NULL && f->read == NULL)
		go_on(f);
}

void serve_fetch_free(struct serve_fetch *f)
{
	stop_read(f);
	list_remove(&f->link);
	f->serve->n_fetches--;
	mem_free(f);
}
