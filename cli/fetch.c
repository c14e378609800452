/* fetch.c - see fetch.h. */
#include "cli/fetch.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/sink.h"
#include "controller/decide/ticket.h"
#include "doc/doc.h"
#include "http/http.h"
#include "kube/object.h"

enum {
	BLOCK = 4 << 20, /* bytes of a request */
	BLOCK_MS = 120000,
	TRIES = 5,          /* after the first, waiting 1, 2, 4, 8, 16 s */
	TICKET_S = 300,     /* it lives so long; a new one is made when it is over */
	READY_MS = 10000,   /* to wait for a ticket's status ... */
	RENEWED_MS = 30000, /* ... again: the controller may have started anew */
	POLL_MS = 200,
	TOKEN = 32,
};

#define NEEDS "reading large results needs the rights create, get and delete on warptickets"

struct fetch {
	struct cluster *cluster; /* borrowed */
	const struct doc *job;   /* borrowed */
	const char *ns;          /* borrowed from job */
	char hex[HASH_HEX];      /* of the blob */
	char token[2 * TOKEN + 1];
	char ticket[64];        /* its name; "": there is none */
	char *address;          /* owned */
	struct http_pool *pool; /* owned */
	uint64_t at;
	uint64_t size; /* UINT64_MAX: unknown */
	int tries;
	int renewed; /* since the last progress */
};

static void fetch_done(struct fetch *f)
{
	http_pool_free(f->pool);
	mem_free(f->address);
}

/* ---- tickets ----------------------------------------------------------------------------- */

static int create_ticket(struct fetch *f, struct err *err)
{
	AUTO(doc_unrefp) struct doc *ticket = NULL;
	unsigned char bytes[TOKEN];
	unsigned char name[8];
	char hex[2 * sizeof(name) + 1];
	struct hash_digest digest;

	hash_random(bytes, sizeof(bytes));
	text_hex(bytes, sizeof(bytes), f->token);
	hash_bytes(f->token, strlen(f->token), &digest);
	hash_random(name, sizeof(name));
	snprintf(f->ticket, sizeof(f->ticket), "result-%s", text_hex(name, sizeof(name), hex));
	ticket = ticket_build(f->job, f->ticket, &digest, TICKET_S);
	if (cluster_create(f->cluster, &kube_warptickets, f->ns, ticket, err) == 0)
		return 0;
	f->ticket[0] = '\0';
	return err_wrap(err, "%s", err->code == ERR_DENIED ? NEEDS : "WarpTicket");
}

static void remove_ticket(struct fetch *f)
{
	struct err ignored = { 0 };

	if (f->ticket[0] != '\0' &&
	    cluster_delete(f->cluster, &kube_warptickets, f->ns, f->ticket, &ignored) < 0)
		err_clear(&ignored); /* it expires */
	f->ticket[0] = '\0';
}

/* Where its status says that it is good. */
static int open_pool(struct fetch *f, const struct doc *ticket, struct err *err)
{
	const char *address = doc_str(ticket, "status.dataPlane.address", NULL);
	const char *ca = doc_str(ticket, "status.dataPlane.ca", "");

	if (address == NULL)
		return err_set(err, ERR_INVALID,
			       "the ticket does not say where to read: apply the CRDs of this "
			       "version (crds/warptickets.yaml)");
	http_pool_free(MOVE(f->pool));
	mem_free(f->address);
	f->address = mem_strdup(address);
	return http_pool_new(cluster_http(f->cluster),
			     &(struct http_tls){ .ca = ca, .ca_len = strlen(ca) }, &f->pool, err);
}

/* 1: it is Ready; 0: nobody has looked at it yet. */
static int look_at_ticket(struct fetch *f, struct err *err)
{
	AUTO(doc_unrefp) struct doc *ticket = NULL;
	const struct doc *conditions;
	const struct doc *ready;

	if (cluster_get(f->cluster, &kube_warptickets, f->ns, f->ticket, &ticket, err) < 0)
		return err_wrap(err, "%s", err->code == ERR_DENIED ? NEEDS : "WarpTicket");
	conditions = doc_get(ticket, "status.conditions");
	ready = doc_condition(conditions, "Ready");
	if (ready == NULL)
		return 0;
	if (!doc_condition_true(conditions, "Ready"))
		return err_set(err, ERR_UNAVAILABLE, "%s: %s", doc_str(ready, "reason", ""),
			       doc_str(ready, "message", ""));
	return open_pool(f, ticket, err) < 0 ? err->code : 1;
}

static int take_ticket(struct fetch *f, int64_t wait_ms, struct err *err)
{
	int64_t until_ms = clock_boot_ms() + wait_ms;

	if (create_ticket(f, err) < 0)
		return err->code;
	for (;;) {
		int rc = look_at_ticket(f, err);

		if (rc != 0)
			return rc < 0 ? rc : 0;
		if (cluster_is_interrupted(f->cluster))
			return err_set(err, ERR_UNAVAILABLE, "interrupted");
		if (clock_boot_ms() > until_ms)
			return err_set(err, ERR_TIMEOUT,
				       "no controller has answered WarpTicket %s within %d s: is "
				       "one running that keeps results (--store)?",
				       f->ticket, (int)(wait_ms / 1000));
		cluster_wait(f->cluster, POLL_MS);
	}
}

/* ---- parts ------------------------------------------------------------------------------- */

/* bytes FIRST-LAST/SIZE; without FIRST and LAST (416) *ret_first is UINT64_MAX. */
static bool read_range(const char *s, uint64_t *ret_first, uint64_t *ret_last, uint64_t *ret_size)
{
	const char *slash = s != NULL && text_starts(s, "bytes ") ? strchr(s, '/') : NULL;
	const char *dash = slash != NULL ? strchr(s, '-') : NULL;
	struct err err = { 0 };

	if (slash == NULL ||
	    num_parse_u64(slash + 1, strlen(slash + 1), INT64_MAX, ret_size, &err) < 0)
		return false;
	s += strlen("bytes ");
	*ret_first = UINT64_MAX;
	if (*s == '*' && s + 1 == slash)
		return true;
	return dash != NULL && dash < slash &&
	       num_parse_u64(s, (size_t)(dash - s), INT64_MAX, ret_first, &err) == 0 &&
	       num_parse_u64(dash + 1, (size_t)(slash - dash - 1), INT64_MAX, ret_last, &err) == 0;
}

static enum fetch_step wrong(struct err *err, enum err_code code, const char *text)
{
	err_clear(err);
	err_set(err, code, "%s", text);
	return FETCH_GIVE_UP;
}

enum fetch_step fetch_judge(int status, const char *range, uint64_t at, size_t len, uint64_t *size,
			    struct err *err)
{
	uint64_t first;
	uint64_t last = 0;
	uint64_t total;

	if (status == 0)
		return err_retryable(err->code) ? FETCH_AGAIN : FETCH_GIVE_UP;
	if (status == 401)
		return FETCH_RENEW;
	if (status == 404)
		return wrong(err, ERR_NOT_FOUND,
			     "the controller does not keep this result any more, or never did "
			     "(spec.blobTTLSecondsAfterFinished)");
	if (status >= 500) {
		err_clear(err);
		err_set(err, ERR_UNAVAILABLE, "the data plane answers %d", status);
		return FETCH_AGAIN;
	}
	if ((status != 206 && status != 416) || !read_range(range, &first, &last, &total) ||
	    (*size != UINT64_MAX && *size != total))
		return wrong(err, ERR_PROTOCOL, "the data plane's answer makes no sense");
	if (status == 416)
		return total == at ? FETCH_DONE
				   : wrong(err, ERR_PROTOCOL, "the result ends too early");
	if (first != at || last < first || last >= total || last - first + 1 != len)
		return wrong(err, ERR_PROTOCOL, "the data plane sent another part");
	*size = total;
	return FETCH_TAKE;
}

struct part {
	struct fetch *fetch;
	struct sink *to;
	struct err *err;
	enum fetch_step step;
	bool is_done;
};

static void on_part(void *arg, const struct http_answer *answer, const struct err *err)
{
	struct part *p = arg;
	struct fetch *f = p->fetch;

	p->is_done = true;
	if (answer == NULL) {
		*p->err = *err;
		p->step = fetch_judge(0, NULL, f->at, 0, &f->size, p->err);
		return;
	}
	p->step = fetch_judge(answer->status, http_answer_header(answer, "content-range", 0), f->at,
			      answer->body.len, &f->size, p->err);
	if (p->step != FETCH_TAKE)
		return;
	if (sink_add(p->to, buf_str(&answer->body), answer->body.len, p->err) < 0)
		p->step = FETCH_GIVE_UP;
	else
		f->at += answer->body.len;
}

static enum fetch_step ask(struct fetch *f, struct sink *to, struct err *err)
{
	AUTO(http_request_freep) struct http_request *request = NULL;
	struct part p = { .fetch = f, .to = to, .err = err };
	char url[512];
	char range[80];
	const char *headers[] = { range, NULL };
	struct loop *loop = cluster_loop(f->cluster);

	snprintf(url, sizeof(url), "https://%s/v1/blobs/%s", f->address, f->hex);
	snprintf(range, sizeof(range), "Range: bytes=%llu-%llu", (unsigned long long)f->at,
		 (unsigned long long)f->at + BLOCK - 1);
	if (http_start(f->pool,
		       &(struct http_spec){ .url = url,
					    .headers = headers,
					    .bearer = f->token,
					    .timeout_ms = BLOCK_MS,
					    .max_body = BLOCK,
					    .on_done = on_part,
					    .arg = &p },
		       &request, err) < 0)
		return FETCH_GIVE_UP;
	while (!p.is_done && !cluster_is_interrupted(f->cluster))
		loop_turn(loop, 1000);
	if (p.is_done)
		return p.step;
	return wrong(err, ERR_UNAVAILABLE, "interrupted");
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Wait for the next try. */
static int wait_again(struct fetch *f, struct err *err)
{
	int64_t until_ms = clock_boot_ms() + (1000LL << f->tries);

	if (f->tries++ >= TRIES)
		return err->code;
	err_clear(err);
	while (!cluster_is_interrupted(f->cluster) && clock_boot_ms() < until_ms)
		cluster_wait(f->cluster, POLL_MS);
	return cluster_is_interrupted(f->cluster) ? err_set(err, ERR_UNAVAILABLE, "interrupted")
						  : 0;
}

static int renew(struct fetch *f, struct err *err)
{
	if (f->renewed++ > 0)
		return err_set(err, ERR_DENIED, "the data plane does not take the ticket");
	remove_ticket(f);
	return take_ticket(f, RENEWED_MS, err);
}

static int fetch_all(struct fetch *f, struct sink *to, struct err *err)
{
	if (take_ticket(f, READY_MS, err) < 0)
		return err->code;
	while (f->at != f->size) {
		switch (ask(f, to, err)) {
		case FETCH_TAKE:
			f->tries = 0;
			f->renewed = 0;
			break;
		case FETCH_DONE:
			return 0;
		case FETCH_AGAIN:
			if (wait_again(f, err) < 0)
				return err->code;
			break;
		case FETCH_RENEW:
			if (renew(f, err) < 0)
				return err->code;
			break;
		case FETCH_GIVE_UP:
			return err->code;
		}
	}
	return 0;
}

int fetch_blob(struct cluster *c, const struct doc *job, const struct hash_digest *sha256,
	       struct sink *to, struct err *err)
{
	AUTO(fetch_done) struct fetch f = { .cluster = c, .job = job, .size = UINT64_MAX };
	int rc;

	f.ns = doc_str(job, "metadata.namespace", "");
	hash_hex(sha256, f.hex);
	rc = fetch_all(&f, to, err);
	remove_ticket(&f);
	return rc;
}
