/* link.c - see link.h. */
#include "agent/link.h"

#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/text.h"
#include "h2/conn.h"
#include "hash/hash.h"
#include "tls/tls.h"

enum { MAX_STREAM = WIRE_MAX_ORDER + (1 << 20), MAX_ERROR_TEXT = 512 };

struct link {
	struct loop *loop;      /* borrowed */
	struct work_pool *pool; /* borrowed */
	char *address;          /* owned */
	char *bearer;           /* owned; secret */
	struct tls_config *tls; /* owned */
	const struct link_ops *ops;
	void *arg;

	struct h2_conn *conn;     /* owned; NULL when down */
	struct h2 *h2;            /* borrowed from conn, once open */
	struct h2_stream *stream; /* borrowed: the registration */
	int stream_status;
	struct buf frames;
	struct h2_stream *post; /* borrowed: the page */
	struct buf answer;
	struct list gets;
};

struct link_get {
	struct link *link;        /* borrowed */
	struct h2_stream *stream; /* borrowed */
	struct list_link in_link;
	int status;
	struct buf bytes;
	bool too_big;
	link_blob_fn fn; /* NULL: cancelled */
	void *arg;
};

int link_new(const struct link_options *options, const struct link_ops *ops, void *arg,
	     struct link **ret, struct err *err)
{
	AUTO(buf_done) struct buf bearer = { .max = 16 << 10 };
	struct tls_config *tls = NULL;
	struct link *l;

	if (buf_addfe(&bearer, err, "Bearer %s", options->credential) < 0)
		return err_wrap(err, "credential");
	if (tls_client_new(options->ca_pem, &tls, err) < 0)
		return err->code;
	l = NEW(struct link);
	l->loop = options->loop;
	l->pool = options->pool;
	l->address = mem_strdup(options->address);
	l->bearer = buf_take(&bearer);
	l->tls = tls;
	l->ops = ops;
	l->arg = arg;
	l->frames.max = MAX_STREAM;
	l->answer.max = WIRE_MAX_ANSWER;
	*ret = l;
	return 0;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void forget(struct link *l)
{
	l->conn = NULL;
	l->h2 = NULL;
	l->stream = NULL;
	l->post = NULL;
	l->stream_status = 0;
	buf_done(&l->frames);
	buf_done(&l->answer);
}

void link_end(struct link *l, const struct err *err)
{
	struct h2_conn *conn = l->conn;
	struct err why = *err;

	if (conn == NULL)
		return;
	forget(l);
	h2_conn_free(conn); /* gets end here */
	l->ops->on_down(l->arg, &why);
}

static void on_conn_end(void *arg, struct h2_conn *c, const struct err *err)
{
	struct link *l = arg;
	struct err why = *err;

	if (l->conn != c)
		return;
	if (why.code == 0)
		err_set(&why, ERR_UNAVAILABLE, "the controller ended the connection");
	forget(l);
	l->ops->on_down(l->arg, &why);
}

void link_free(struct link *l)
{
	struct h2_conn *conn;

	if (l == NULL)
		return;
	conn = l->conn;
	forget(l);
	LIST_EACH (struct link_get, g, &l->gets, in_link) {
		g->fn = NULL;
	}
	h2_conn_free(conn);
	tls_config_free(l->tls);
	mem_free(l->address);
	mem_free(l->bearer);
	mem_free(l);
}

bool link_is_up(const struct link *l)
{
	return l->stream != NULL;
}

bool link_is_posting(const struct link *l)
{
	return l->post != NULL;
}

static void end_with(struct link *l, enum err_code code, const char *what, int status)
{
	struct err err = { 0 };

	if (status != 0)
		err_set(&err, code, "%s: status %d", what, status);
	else
		err_set(&err, code, "%s", what);
	link_end(l, &err);
}

/* ---- the stream of frames ---------------------------------------------------------------- */

/* True while the session goes on. */
static bool take_frame(struct link *l, size_t size)
{
	struct arena *arena = NEW(struct arena);
	struct wire_frame frame;
	struct err err = { 0 };
	int rc = wire_frame_decode(l->frames.data, size, arena, &frame, &err);

	buf_drop(&l->frames, size);
	if (rc == 0)
		l->ops->on_frame(l->arg, &frame, &arena);
	else
		link_end(l, &err);
	if (arena != NULL)
		arena_done(arena);
	mem_free(arena);
	return l->stream != NULL;
}

static void take_frames(struct link *l, struct h2_stream *s)
{
	struct err err = { 0 };
	size_t size = 0;

	while (l->stream == s) {
		if (wire_frame_size(l->frames.data, l->frames.len, &size, &err) < 0) {
			link_end(l, &err);
			return;
		}
		if (size == 0 || size > l->frames.len)
			break;
		if (!take_frame(l, size))
			return;
	}
	if (l->frames.len == 0)
		buf_done(&l->frames);
}

static void on_stream_status(void *arg, struct h2_stream *s, int status)
{
	struct link *l = arg;

	if (l->stream == s)
		l->stream_status = status;
}

static void on_stream_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct link *l = arg;
	struct err err = { 0 };

	if (l->stream != s)
		return;
	if (l->stream_status != 200) {
		/* The text of a refusal, for the log. */
		if (l->frames.len + len <= MAX_ERROR_TEXT &&
		    buf_add(&l->frames, bytes, len, &err) < 0)
			err_clear(&err);
		return;
	}
	if (buf_add(&l->frames, bytes, len, &err) < 0) {
		link_end(l, &err);
		return;
	}
	take_frames(l, s);
}

static void on_stream_end(void *arg, struct h2_stream *s, int status, const struct err *why)
{
	struct link *l = arg;
	struct err err = *why;

	if (l->stream != s)
		return;
	if (status == 200 && err.code == 0)
		err_set(&err, ERR_UNAVAILABLE, "the session was ended");
	else if (status != 0 && status != 200) {
		size_t n = strcspn(buf_str(&l->frames), "\n");

		err_clear(&err);
		err_set(&err, status == 401 ? ERR_DENIED : ERR_UNAVAILABLE,
			"registration: status %d: %.*s", status, (int)n, buf_str(&l->frames));
	}
	link_end(l, &err);
}

static const struct h2_client stream_client = { on_stream_status, on_stream_body, on_stream_end };

static struct h2_stream *request(struct link *l, const char *method, const char *path,
				 const struct buf *body, const struct h2_client *client, void *arg)
{
	const struct h2_header headers[] = { { "authorization", l->bearer },
					     { "content-type", "application/x-protobuf" } };
	struct h2_request r = { .method = method,
				.path = path,
				.headers = headers,
				.n_headers = body != NULL ? 2 : 1 };

	return h2_request(l->h2, &r, body != NULL ? body->data : NULL, body != NULL ? body->len : 0,
			  client, arg);
}

static void on_open(void *arg, struct h2_conn *c, struct h2 *h)
{
	AUTO(buf_done) struct buf body = { .max = WIRE_MAX_REGISTER };
	struct link *l = arg;

	if (l->conn != c)
		return;
	l->h2 = h;
	if (!l->ops->on_open(l->arg, &body)) {
		end_with(l, ERR_INVALID, "registration cannot be sent", 0);
		return;
	}
	l->stream = request(l, "POST", "/v1/register", &body, &stream_client, l);
	if (l->stream == NULL)
		end_with(l, ERR_UNAVAILABLE, "the connection takes no requests", 0);
}

static const struct h2_conn_events conn_events = { on_open, on_conn_end };

void link_connect(struct link *l)
{
	struct h2_target target = {
		.loop = l->loop, .resolver = l->pool, .address = l->address, .config = l->tls
	};
	struct err err = { 0 };

	ASSERT(l->conn == NULL);
	if (h2_connect(&target, &conn_events, l, &l->conn, &err) < 0)
		l->ops->on_down(l->arg, &err);
}

/* ---- pages ------------------------------------------------------------------------------- */

static void on_answer_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct link *l = arg;
	struct err err = { 0 };

	if (l->post == s && buf_add(&l->answer, bytes, len, &err) < 0)
		link_end(l, &err);
}

static void on_answer_end(void *arg, struct h2_stream *s, int status, const struct err *why)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct link *l = arg;
	struct wire_answer answer;
	struct err err = *why;
	int rc;

	if (l->post != s)
		return;
	l->post = NULL;
	if (status != 200 || err.code < 0) {
		end_with(l, ERR_UNAVAILABLE, "results were not taken", status);
		return;
	}
	rc = wire_answer_decode(l->answer.data, l->answer.len, &a, &answer, &err);
	buf_done(&l->answer);
	if (rc < 0)
		link_end(l, &err);
	else
		l->ops->on_answer(l->arg, &answer);
}

static const struct h2_client answer_client = { NULL, on_answer_body, on_answer_end };

void link_post(struct link *l, const struct buf *page)
{
	ASSERT(l->stream != NULL && l->post == NULL);
	l->post = request(l, "POST", "/v1/results", page, &answer_client, l);
	if (l->post == NULL)
		end_with(l, ERR_UNAVAILABLE, "the connection takes no requests", 0);
}

/* ---- blobs ------------------------------------------------------------------------------- */

static void on_blob_status(void *arg, struct h2_stream *s, int status)
{
	struct link_get *g = arg;

	(void)s;
	g->status = status;
}

static void on_blob_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct link_get *g = arg;
	struct err err = { 0 };

	if (g->status != 200 || g->too_big)
		return;
	if (buf_add(&g->bytes, bytes, len, &err) < 0) {
		g->too_big = true;
		h2_reset(s);
	}
}

static void on_blob_end(void *arg, struct h2_stream *s, int status, const struct err *why)
{
	struct link_get *g = arg;
	struct err err = { 0 };

	(void)s;
	list_remove(&g->in_link);
	if (g->too_big)
		err_set(&err, ERR_TOO_BIG, "blob: more than %zu bytes", g->bytes.max);
	else if (status == 404)
		err_set(&err, ERR_NOT_FOUND, "blob: the controller does not have it");
	else if (why->code < 0 || status != 200)
		err_set(&err, ERR_UNAVAILABLE, "blob: status %d", status);
	if (g->fn != NULL)
		g->fn(g->arg, &g->bytes, &err);
	buf_done(&g->bytes);
	mem_free(g);
}

static const struct h2_client blob_client = { on_blob_status, on_blob_body, on_blob_end };

struct link_get *link_get(struct link *l, const uint8_t digest[WIRE_DIGEST], size_t max,
			  link_blob_fn fn, void *arg)
{
	char path[16 + 2 * WIRE_DIGEST] = "/v1/blobs/";
	struct link_get *g;

	ASSERT(l->stream != NULL);
	text_hex(digest, WIRE_DIGEST, path + strlen(path));
	g = NEW(struct link_get);
	g->link = l;
	g->bytes.max = max;
	g->fn = fn;
	g->arg = arg;
	g->stream = request(l, "GET", path, NULL, &blob_client, g);
	if (g->stream == NULL) {
		mem_free(g);
		return NULL;
	}
	list_add(&l->gets, &g->in_link);
	return g;
}

void link_get_cancel(struct link_get *g)
{
	g->fn = NULL;
	h2_reset(g->stream);
}
