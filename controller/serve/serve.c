/* serve.c - nodes, credentials, orders out; see serve.h. */
#include "controller/serve/serve.h"

#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/serve/serve_int.h"
#include "h2/conn.h"
#include "tls/tls.h"
#include "wire/codec.h"

enum { TICK_MS = 500, MAX_FRAME = WIRE_MAX_ORDER + 64 };

struct serve *serve_new(const struct serve_options *options)
{
	struct serve *s = NEW(struct serve);

	s->options = *options;
	return s;
}

int64_t serve_now(const struct serve *s)
{
	return s->loop != NULL ? loop_now_ms(s->loop) : s->now_ms;
}

/* ---- nodes and credentials --------------------------------------------------------------- */

static void free_node(void *value)
{
	struct serve_node *n = value;

	for (size_t i = 0; i < n->n_blobs; i++)
		mem_free(n->blob_names[i]);
	mem_free(n->blob_names);
	map_done(&n->blobs, NULL);
	mem_free(n->name);
	mem_free(n);
}

static struct serve_node *need_node(struct serve *s, const char *name)
{
	struct serve_node *n = map_get(&s->nodes, name);

	if (n != NULL)
		return n;
	n = NEW(struct serve_node);
	n->name = mem_strdup(name);
	map_set(&s->nodes, name, n);
	return n;
}

static void drop_credential(struct serve *s, struct serve_node *n, const char *why)
{
	char hex[HASH_HEX];

	if (!n->has_credential)
		return;
	n->has_credential = false;
	if (map_get(&s->credentials, hash_hex(&n->credential, hex)) == n)
		map_remove(&s->credentials, hex);
	if (n->session != NULL)
		serve_end(s, n->session, WIRE_CLOSE_DENIED, why);
}

void serve_set_credential(struct serve *s, const char *node, const struct hash_digest *sha256)
{
	struct serve_node *n = need_node(s, node);
	char hex[HASH_HEX];

	if (n->has_credential && hash_equal(&n->credential, sha256))
		return;
	drop_credential(s, n, "the credential was replaced");
	n->credential = *sha256;
	n->has_credential = true;
	map_set(&s->credentials, hash_hex(sha256, hex), n);
}

void serve_remove_node(struct serve *s, const char *node)
{
	struct serve_node *n = map_get(&s->nodes, node);

	if (n != NULL)
		drop_credential(s, n, "the node was removed");
}

/* wire 2.2: the text itself is never compared, only its SHA-256. */
bool serve_read_bearer(const char *authorization, struct hash_digest *ret)
{
	static const char scheme[] = "Bearer ";

	if (authorization == NULL || !text_starts(authorization, scheme))
		return false;
	authorization += sizeof(scheme) - 1;
	hash_bytes(authorization, strlen(authorization), ret);
	return true;
}

struct serve_node *serve_find_node(const struct serve *s, const struct hash_digest *credential)
{
	char hex[HASH_HEX];
	struct serve_node *n = map_get(&s->credentials, hash_hex(credential, hex));

	if (n == NULL || !n->has_credential || !hash_equal(&n->credential, credential))
		return NULL;
	return n;
}

/* wire 8.2 */
bool serve_may_read(const struct serve_node *n, const struct hash_digest *digest)
{
	char hex[HASH_HEX];

	return map_has(&n->blobs, hash_hex(digest, hex));
}

static void allow_blob(struct serve_node *n, const uint8_t bytes[HASH_SIZE])
{
	char hex[HASH_HEX];

	text_hex(bytes, HASH_SIZE, hex);
	if (map_has(&n->blobs, hex))
		return;
	if (n->blob_names == NULL)
		n->blob_names = NEW_ARRAY(char *, SERVE_MAX_BLOBS);
	if (n->n_blobs == SERVE_MAX_BLOBS) {
		map_remove(&n->blobs, n->blob_names[n->blob_at]);
		mem_free(n->blob_names[n->blob_at]);
	} else {
		n->n_blobs++;
	}
	n->blob_names[n->blob_at] = mem_strdup(hex);
	n->blob_at = (n->blob_at + 1) % SERVE_MAX_BLOBS;
	map_set(&n->blobs, hex, n);
}

/* ---- orders ------------------------------------------------------------------------------ */

static struct serve_session *session_of(const struct serve *s, const char *node)
{
	const struct serve_node *n = map_get(&s->nodes, node);

	return n != NULL ? n->session : NULL;
}

bool serve_is_ready(const struct serve *s, const char *node)
{
	const struct serve_session *x = session_of(s, node);

	return x != NULL && !x->full && !x->draining;
}

/* wire 6.1 */
static void sign(const struct serve *s, const char *node, struct wire_order *order)
{
	unsigned char bytes[WIRE_TICKET_BYTES];
	struct hash_digest ticket;
	size_t len;

	order->dispatch.epoch = s->options.epoch;
	len = wire_ticket_bytes(&order->dispatch, node, bytes);
	hash_hmac(s->options.ticket_key, sizeof(s->options.ticket_key), bytes, len, &ticket);
	memcpy(order->ticket, ticket.bytes, WIRE_DIGEST);
}

int serve_send(struct serve *s, const char *node, struct wire_order *order, struct err *err)
{
	AUTO(buf_done) struct buf bytes = { .max = MAX_FRAME };
	struct serve_session *x = session_of(s, node);
	struct wire_frame frame = { .type = WIRE_FRAME_ORDER };

	if (x == NULL)
		return err_set(err, ERR_UNAVAILABLE, "%s is not connected", node);
	if (x->full || x->draining)
		return err_set(err, ERR_UNAVAILABLE, "%s takes no orders", node);
	sign(s, node, order);
	frame.order = *order;
	if (wire_frame_encode(&frame, &bytes, err) < 0)
		return err->code;
	if (!h2_write(x->stream, bytes.data, bytes.len))
		return err_set(err, ERR_UNAVAILABLE, "%s has too many orders waiting", node);
	allow_blob(x->node, order->kernel);
	for (uint32_t i = 0; i < order->n_inputs; i++)
		allow_blob(x->node, order->inputs[i].digest);
	if (!x->offered)
		serve_note_running(x, &order->dispatch);
	return 0;
}

void serve_cancel(struct serve *s, const char *node, const struct wire_dispatch *d, size_t n)
{
	struct serve_session *x = session_of(s, node);
	struct wire_frame frame = { .type = WIRE_FRAME_CANCEL };

	while (x != NULL && n > 0) {
		uint32_t some = n < WIRE_MAX_RUNNING ? (uint32_t)n : WIRE_MAX_RUNNING;

		frame.cancel = (struct wire_cancel){ d, some };
		if (!serve_tell(s, x, &frame))
			return;
		d += some;
		n -= some;
	}
}

/* Move what `kept` shares with first to last into runs. */
static void move_range(struct serve_kept *kept, uint64_t first, uint64_t last, struct ranges *ret)
{
	for (uint64_t at = ranges_next(&kept->chunks, first, last + 1); at <= last;) {
		uint64_t end = ranges_gap(&kept->chunks, at, last + 1);

		ranges_add(ret, at, end - 1);
		at = ranges_next(&kept->chunks, end, last + 1);
	}
	ranges_remove(&kept->chunks, first, last);
}

static void tell_decided(struct serve *s, struct serve_session *x, const char *uid,
			 const struct ranges *chunks)
{
	struct wire_job_runs job = { 0 };
	struct wire_frame frame = { .type = WIRE_FRAME_DECIDED };
	struct wire_run *runs = NEW_ARRAY(struct wire_run, chunks->count);

	memcpy(job.job_uid, uid, strnlen(uid, WIRE_UID - 1));
	for (size_t i = 0; i < chunks->count; i++) {
		const struct range *r = &chunks->list[i];

		runs[i] =
		    (struct wire_run){ (uint32_t)r->first, (uint32_t)(r->last - r->first + 1) };
	}
	job.runs = runs;
	job.n_runs = (uint32_t)chunks->count;
	frame.decided = (struct wire_decided){ &job, 1 };
	(void)serve_tell(s, x, &frame);
	mem_free(runs);
}

void serve_decided(struct serve *s, const char *job_uid, const struct range *ranges, size_t n,
		   bool all)
{
	const struct range whole = { 0, WIRE_MAX_CHUNKS - 1 };

	if (all) {
		ranges = &whole;
		n = 1;
	}
	MAP_EACH (&s->nodes, e) {
		AUTO(ranges_done) struct ranges told = { 0 };
		struct serve_session *x = ((struct serve_node *)e->value)->session;
		struct serve_kept *kept = x != NULL ? map_get(&x->kept, job_uid) : NULL;

		if (kept == NULL)
			continue;
		for (size_t i = 0; i < n; i++)
			move_range(kept, ranges[i].first, ranges[i].last, &told);
		if (kept->chunks.count == 0)
			serve_kept_free(map_remove(&x->kept, job_uid));
		if (told.count > 0)
			tell_decided(s, x, job_uid, &told);
	}
}

/* ---- life -------------------------------------------------------------------------------- */

void serve_set_open(struct serve *s, bool open)
{
	s->open = open;
	if (open)
		return;
	MAP_EACH (&s->nodes, e) {
		struct serve_node *n = e->value;

		if (n->session != NULL)
			serve_end(s, n->session, WIRE_CLOSE_LEAVING, "the controller stops");
	}
}

void serve_tick(struct serve *s, int64_t now_ms)
{
	s->now_ms = now_ms;
	MAP_EACH (&s->nodes, e) {
		struct serve_node *n = e->value;

		/* wire 2.7 */
		if (n->lost_at_ms != 0 && now_ms >= n->lost_at_ms) {
			n->lost_at_ms = 0;
			log_warn("agent lost", kv_str("agent", n->name));
			s->options.owner->on_lost(s->options.owner_arg, n->name);
		}
		if (!n->has_credential && n->session == NULL && n->lost_at_ms == 0 &&
		    n->n_calls == 0) {
			map_remove(&s->nodes, n->name);
			free_node(n);
		}
	}
	serve_expire_tickets(s, now_ms);
}

static void on_timer(void *arg)
{
	struct serve *s = arg;

	timer_start(s->timer, TICK_MS);
	serve_tick(s, loop_now_ms(s->loop));
}

int serve_start(struct serve *s, struct loop *loop, const char *address, const char *cert_pem,
		const char *key_pem, struct err *err)
{
	struct h2_service service;

	ASSERT(s->loop == NULL);
	if (tls_server_new(cert_pem, key_pem, &s->tls, err) < 0)
		return err->code;
	service = (struct h2_service){ s->tls, &serve_handler, s };
	if (h2_listen(loop, address, &service, &s->listener, err) < 0) {
		tls_config_free(MOVE(s->tls));
		return err->code;
	}
	s->loop = loop;
	s->timer = timer_new(loop, "agents", on_timer, s);
	timer_start(s->timer, TICK_MS);
	return 0;
}

int serve_port(const struct serve *s)
{
	return s->listener != NULL ? h2_listener_port(s->listener) : 0;
}

void serve_free(struct serve *s)
{
	if (s == NULL)
		return;
	serve_set_open(s, false);
	h2_listener_free(s->listener);
	timer_free(s->timer);
	tls_config_free(s->tls);
	map_done(&s->credentials, NULL);
	serve_free_tickets(s);
	map_done(&s->nodes, free_node);
	mem_free(s);
}

void serve_freep(struct serve **s)
{
	serve_free(*s);
}
