/* http.c - requests of agents and of people: who may ask for what, and the answers (docs/wire.md).
 */
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "controller/serve/serve_int.h"

static const struct h2_header TEXT = { "content-type", "text/plain; charset=utf-8" };
static const struct h2_header MESSAGE = { "content-type", "application/x-protobuf" };
static const char BLOBS[] = "/v1/blobs/";

enum route { ROUTE_NONE, ROUTE_REGISTER, ROUTE_RESULTS, ROUTE_BLOB };

static enum route find_route(const struct h2_request *r, const char **ret_method)
{
	*ret_method = "POST";
	if (strcmp(r->path, "/v1/register") == 0)
		return ROUTE_REGISTER;
	if (strcmp(r->path, "/v1/results") == 0)
		return ROUTE_RESULTS;
	*ret_method = "GET";
	return text_starts(r->path, BLOBS) ? ROUTE_BLOB : ROUTE_NONE;
}

void serve_refuse(struct h2_stream *s, int status, const char *text)
{
	const struct h2_header headers[] = { TEXT, { "retry-after", "1" } };

	h2_respond(s, status, headers, status == 503 ? 2 : 1, text, strlen(text));
}

/* A node, a person with a ticket, or neither. */
struct caller {
	struct serve_node *node;     /* borrowed */
	struct serve_ticket *ticket; /* borrowed */
};

static struct caller who_asks(const struct serve *s, const struct h2_request *r)
{
	struct caller who = { 0 };
	struct hash_digest digest;

	if (!serve_read_bearer(h2_find_header(r->headers, r->n_headers, "authorization"), &digest))
		return who;
	who.node = serve_find_node(s, &digest);
	if (who.node == NULL)
		who.ticket = serve_find_ticket(s, &digest);
	return who;
}

static void begin_call(struct h2_stream *stream, struct serve_node *n)
{
	struct serve_call *c = NEW(struct serve_call);

	c->node = n;
	n->n_calls++;
	h2_set_stream_arg(stream, c);
}

/* Why this request is not taken; 0: it is. */
static int refusal(const struct serve *s, const struct caller *who, const struct h2_request *r,
		   const char **why)
{
	const char *method;
	enum route route = find_route(r, &method);

	*why = "not the leader\n";
	if (!s->open)
		return 503;
	*why = "no valid credential\n";
	if (who->node == NULL && who->ticket == NULL)
		return 401;
	*why = "no such path\n";
	if (route == ROUTE_NONE)
		return 404;
	*why = "a ticket only reads results\n"; /* wire 10.1 */
	if (who->ticket != NULL && route != ROUTE_BLOB)
		return 404;
	*why = "method not allowed\n";
	if (strcmp(r->method, method) != 0)
		return 405;
	*why = "too many requests at the same time\n";
	if (route != ROUTE_BLOB && who->node->n_calls >= SERVE_MAX_CALLS)
		return 503;
	return 0;
}

static void on_head(void *arg, struct h2_stream *stream, const struct h2_request *r,
		    size_t *ret_max_body)
{
	const struct serve *s = arg;
	const char *method;
	enum route route = find_route(r, &method);
	struct caller who = who_asks(s, r);
	const char *why;
	int status = refusal(s, &who, r, &why);

	if (who.node != NULL || who.ticket != NULL)
		h2_trust(h2_of(stream));
	if (status != 0)
		serve_refuse(stream, status, why);
	else if (route != ROUTE_BLOB)
		begin_call(stream, who.node);
	if (route == ROUTE_REGISTER)
		*ret_max_body = WIRE_MAX_REGISTER;
	else if (route == ROUTE_RESULTS)
		*ret_max_body = WIRE_MAX_PAGE;
}

static void refuse_message(struct h2_stream *stream, const struct serve_node *n,
			   const struct err *err)
{
	log_warn("message refused", kv_str("agent", n->name), kv_err(err));
	serve_refuse(stream, 400, err->text);
}

static void register_node(struct serve *s, struct serve_node *n, struct h2_stream *stream,
			  const void *body, size_t len)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_frame frame = { .type = WIRE_FRAME_WELCOME };
	struct serve_session *x;
	struct wire_register said;
	struct err err = { 0 };
	uint32_t version;

	if (wire_register_decode(body, len, &a, &said, &err) < 0 ||
	    wire_choose_version(&said, &version, &err) < 0) {
		refuse_message(stream, n, &err);
		return;
	}
	h2_respond_stream(stream, 200, &MESSAGE, 1, SERVE_STREAM_BYTES);
	x = serve_begin(s, n, stream);
	x->full = said.full;
	x->draining = said.draining;
	for (uint32_t i = 0; i < said.n_running; i++)
		serve_note_running(x, &said.running[i]);
	frame.welcome = (struct wire_welcome){ .version = version,
					       .epoch = s->options.epoch,
					       .session = x->id,
					       .node = n->name,
					       .ping_ms = WIRE_PING_MS,
					       .session_lost_ms = WIRE_SESSION_LOST_MS,
					       .node_lost_ms = WIRE_NODE_LOST_MS };
	if (!serve_tell(s, x, &frame))
		return;
	log_info("agent connected", kv_str("agent", n->name), kv_str("version", said.agent_version),
		 kv_int("slots", said.slots));
	s->options.owner->on_register(s->options.owner_arg, n->name, &said);
	if (n->session == x && (x->full || x->draining))
		s->options.owner->on_state(s->options.owner_arg, n->name, x->full, x->draining);
}

static void take_results(struct serve *s, struct serve_node *n, struct h2_stream *stream,
			 const void *body, size_t len)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf bytes = { .max = WIRE_MAX_ANSWER };
	struct wire_page page;
	struct wire_answer answer;
	struct err err = { 0 };

	if (wire_page_decode(body, len, &a, &page, &err) < 0) {
		refuse_message(stream, n, &err);
		return;
	}
	/* wire 5.1 */
	if (n->session == NULL || n->session->id != page.session) {
		serve_refuse(stream, 409, "no such session: register again\n");
		return;
	}
	serve_take_page(s, n->session, &page, &a, &answer);
	if (wire_answer_encode(&answer, &bytes, &err) < 0) {
		log_error("answer not sent", kv_str("agent", n->name), kv_err(&err));
		serve_refuse(stream, 500, "answer too large\n");
		return;
	}
	h2_respond(stream, 200, &MESSAGE, 1, bytes.data, bytes.len);
}

/* wire 8.3: "bytes=FIRST-", "bytes=FIRST-LAST"; *ret_end is behind LAST. False: another kind, which
 * is ignored. */
static bool read_range(const char *text, uint64_t *ret_first, uint64_t *ret_end)
{
	struct err err = { 0 };
	const char *dash;
	uint64_t first;
	uint64_t last = UINT64_MAX - 1;

	if (text == NULL || !text_starts(text, "bytes="))
		return false;
	text += 6;
	dash = strchr(text, '-');
	if (dash == NULL ||
	    num_parse_u64(text, (size_t)(dash - text), UINT64_MAX - 1, &first, &err) < 0)
		return false;
	if (dash[1] != '\0' &&
	    num_parse_u64(dash + 1, strlen(dash + 1), UINT64_MAX - 1, &last, &err) < 0)
		return false;
	if (last < first)
		return false;
	*ret_first = first;
	*ret_end = last + 1;
	return true;
}

static void send_blob(struct h2_stream *stream, const struct h2_request *r,
		      const struct serve_blob *blob)
{
	char text[96];
	struct buf range = { .data = text, .cap = sizeof(text), .max = sizeof(text) - 1 };
	struct h2_header headers[] = { { "content-type", "application/octet-stream" },
				       { "content-range", text } };
	const char *asked = h2_find_header(r->headers, r->n_headers, "range");
	uint64_t first = 0;
	uint64_t end = blob->size;
	bool part = read_range(asked, &first, &end);
	struct h2_body body;

	if (end > blob->size)
		end = blob->size;
	if (part && first >= blob->size) {
		if (buf_addf(&range, "bytes */%zu", blob->size) < 0)
			ASSERT(false);
		h2_respond(stream, 416, headers, 2, NULL, 0);
		if (blob->release != NULL)
			blob->release(blob->release_arg);
		return;
	}
	if (part &&
	    buf_addf(&range, "bytes %zu-%zu/%zu", (size_t)first, (size_t)end - 1, blob->size) < 0)
		ASSERT(false);
	body = (struct h2_body){ (const char *)blob->bytes + first, end - first, blob->release,
				 blob->release_arg };
	h2_respond_with(stream, part ? 206 : 200, headers, part ? 2 : 1, &body);
}

static void get_blob(struct serve *s, struct serve_node *n, struct h2_stream *stream,
		     const struct h2_request *r)
{
	const char *name = r->path + sizeof(BLOBS) - 1;
	struct hash_digest digest;
	struct serve_blob blob = { 0 };
	struct err err = { 0 };

	if (text_unhex(name, strlen(name), digest.bytes, HASH_SIZE, &err) < 0)
		serve_refuse(stream, 404, "not a digest\n");
	else if (!serve_may_read(n, &digest)) /* wire 8.2 */
		serve_refuse(stream, 404, "no order of this node names it\n");
	else if (!s->options.owner->open_blob(s->options.owner_arg, &digest, &blob))
		serve_refuse(stream, 404, "no longer here\n");
	else
		send_blob(stream, r, &blob);
}

/* wire 10.2, 10.4 */
static void get_result(struct serve *s, struct serve_ticket *t, struct h2_stream *stream,
		       const struct h2_request *r)
{
	const char *name = r->path + sizeof(BLOBS) - 1;
	struct serve_span span = { .end = UINT64_MAX };
	struct hash_digest digest;
	struct err err = { 0 };

	if (text_unhex(name, strlen(name), digest.bytes, HASH_SIZE, &err) < 0) {
		serve_refuse(stream, 404, "not a digest\n");
		return;
	}
	span.is_part =
	    read_range(h2_find_header(r->headers, r->n_headers, "range"), &span.first, &span.end);
	serve_fetch_begin(s, t, stream, &digest, &span);
}

static void on_request(void *arg, struct h2_stream *stream, const struct h2_request *r,
		       const void *body, size_t len)
{
	struct serve *s = arg;
	struct caller who = who_asks(s, r);
	const char *method;
	enum route route = find_route(r, &method);

	/* Things may have changed while the body came in. */
	if (!s->open) {
		serve_refuse(stream, 503, "not the leader\n");
		return;
	}
	if (who.node == NULL && (who.ticket == NULL || route != ROUTE_BLOB)) {
		serve_refuse(stream, 401, "no valid credential\n");
		return;
	}
	switch (route) {
	case ROUTE_REGISTER:
		register_node(s, who.node, stream, body, len);
		break;
	case ROUTE_RESULTS:
		take_results(s, who.node, stream, body, len);
		break;
	case ROUTE_BLOB:
		if (who.ticket != NULL)
			get_result(s, who.ticket, stream, r);
		else
			get_blob(s, who.node, stream, r);
		break;
	case ROUTE_NONE:
		serve_refuse(stream, 404, "no such path\n");
		break;
	}
}

static void on_drained(void *arg, struct h2_stream *stream)
{
	const struct serve_call *c = h2_stream_arg(stream);

	(void)arg;
	if (c != NULL && c->fetch != NULL)
		serve_fetch_more(c->fetch);
}

static void on_close(void *arg, struct h2_stream *stream)
{
	struct serve_call *c = h2_stream_arg(stream);

	if (c == NULL)
		return;
	if (c->session != NULL)
		serve_end(arg, c->session, 0, "connection lost");
	if (c->node != NULL)
		c->node->n_calls--;
	if (c->fetch != NULL)
		serve_fetch_free(c->fetch);
	mem_free(c);
}

const struct h2_handler serve_handler = {
	.on_head = on_head, .on_request = on_request, .on_drained = on_drained, .on_close = on_close
};
