/* journal.c - see journal.h. */
#include "agent/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* rename */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "hash/hash.h"
#include "wire/codec.h"

enum {
	HEADER = 13, /* length of the body, its checksum (8 bytes), kind */
	MAX_BODY = WIRE_MAX_ANSWER + 64,
	MAX_WAITING = 64 << 20,
	MAX_FILE = 512 << 20,
	SLACK = 4 << 20, /* of useless bytes before the file is written anew */
	GATHER_MS = 5,
};

enum kind { KIND_RESULT = 1, KIND_DECIDED = 2 };

/* One write of a worker. */
struct batch {
	int fd; /* borrowed */
	struct buf bytes;
	char *path; /* owned: write anew and rename to this; NULL: append */
	int new_fd; /* what rewriting opened; owned until taken */
	struct err err;
	bool ran;
	struct journal *journal; /* borrowed */
};

struct journal {
	char *path;             /* owned */
	int fd;                 /* owned */
	struct held *held;      /* borrowed */
	struct work_pool *pool; /* borrowed; NULL before journal_start and after the end */
	struct buf waiting;     /* not yet with a worker */
	struct timer *timer;    /* owned: gathers what comes at the same time */
	struct batch *batch;    /* owned: with a worker */
	uint64_t size;          /* bytes in the file once all is written */
	bool broken;            /* a write failed: said once */
};

static uint64_t checksum(const void *bytes, size_t len)
{
	struct hash_digest d;

	hash_bytes(bytes, len, &d);
	return num_get_u64(d.bytes);
}

/* ---- reading ----------------------------------------------------------------------------- */

static int replay_result(struct journal *j, const char *body, size_t len, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_results r;

	if (wire_results_decode(body, len, &a, &r, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < r.n_results; i++)
		held_add(j->held, &r.dispatch, r.ticket, &r.results[i]);
	return 0;
}

static int replay_decided(struct journal *j, const char *body, size_t len, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_answer x;

	if (wire_answer_decode(body, len, &a, &x, err) < 0)
		return err->code;
	held_drop(j->held, x.decided, x.n_decided);
	return 0;
}

/* Returns how many bytes at the front are good. */
static size_t replay(struct journal *j, const struct buf *file)
{
	size_t at = 0;

	while (file->len - at >= HEADER) {
		const char *h = file->data + at;
		size_t len = num_get_u32(h);
		struct err err = { 0 };
		int rc = ERR_INVALID;

		if (len > MAX_BODY || len > file->len - at - HEADER ||
		    num_get_u64(h + 4) != checksum(h + 12, len + 1))
			break;
		if (h[12] == KIND_RESULT)
			rc = replay_result(j, h + HEADER, len, &err);
		else if (h[12] == KIND_DECIDED)
			rc = replay_decided(j, h + HEADER, len, &err);
		if (rc < 0)
			log_warn("record in the state file skipped", kv_err(&err));
		at += HEADER + len;
	}
	return at;
}

int journal_open(const char *path, struct held *held, struct journal **ret, struct err *err)
{
	AUTO(buf_done) struct buf file = { .max = MAX_FILE };
	struct journal *j = NEW(struct journal);
	size_t good;

	j->path = mem_strdup(path);
	j->held = held;
	j->waiting.max = MAX_WAITING;
	j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (j->fd < 0)
		err_errno(err, errno, "open %s", path);
	else if (flock(j->fd, LOCK_EX | LOCK_NB) < 0)
		err_set(err, ERR_CONFLICT, "%s is in use by another agent", path);
	else if (file_read(path, &file, err) == 0) {
		good = replay(j, &file);
		j->size = good;
		if (good < file.len) {
			log_warn("end of the state file cut off",
				 kv_int("bytes", (int64_t)(file.len - good)));
			if (ftruncate(j->fd, (off_t)good) < 0)
				err_errno(err, errno, "truncate %s", path);
		}
	}
	if (err->code < 0) {
		journal_close(j);
		return err->code;
	}
	*ret = j;
	return 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int write_all(int fd, const char *bytes, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "write the state file");
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_anew(struct batch *b, struct err *err)
{
	AUTO(buf_done) struct buf beside = { .max = 4096 };

	if (buf_addfe(&beside, err, "%s.new", b->path) < 0)
		return err->code;
	b->new_fd = open(beside.data, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (b->new_fd < 0)
		return err_errno(err, errno, "open %s", beside.data);
	if (flock(b->new_fd, LOCK_EX | LOCK_NB) < 0)
		return err_errno(err, errno, "lock %s", beside.data);
	if (write_all(b->new_fd, b->bytes.data, b->bytes.len, err) < 0)
		return err->code;
	if (rename(beside.data, b->path) < 0)
		return err_errno(err, errno, "rename %s", beside.data);
	return 0;
}

static void run_batch(void *item)
{
	struct batch *b = item;

	b->ran = true;
	if (b->path != NULL) {
		if (write_anew(b, &b->err) < 0)
			file_closep(&b->new_fd);
	} else {
		(void)(write_all(b->fd, b->bytes.data, b->bytes.len, &b->err) == 0);
	}
	buf_done(&b->bytes);
}

static void send_batch(struct journal *j);

static void batch_done(void *item)
{
	struct batch *b = item;
	struct journal *j = b->journal;
	struct err err = { 0 };

	if (!b->ran) /* the pool ends */
		run_batch(b);
	if (b->new_fd >= 0) {
		file_closep(&j->fd);
		j->fd = b->new_fd;
	}
	err = b->err;
	buf_done(&b->bytes);
	mem_free(b->path);
	mem_free(b);
	j->batch = NULL;
	if (err.code < 0 && !j->broken) {
		j->broken = true;
		log_error("results are not kept over a restart", kv_err(&err));
	}
	send_batch(j);
}

static void submit(struct journal *j, struct batch *b)
{
	struct err err = { 0 };

	j->batch = b;
	if (work_submit(j->pool, run_batch, batch_done, b, &err) < 0) {
		run_batch(b);
		batch_done(b);
	}
}

static void start_anew(struct journal *j);

static void send_batch(struct journal *j)
{
	struct batch *b;

	if (j->pool == NULL || j->batch != NULL || j->waiting.len == 0)
		return;
	/* What is held takes at most about twice as many bytes in the file as in memory. */
	if (j->size > SLACK + 2 * held_bytes(j->held)) {
		start_anew(j);
		return;
	}
	b = NEW(struct batch);
	b->journal = j;
	b->fd = j->fd;
	b->new_fd = -1;
	b->bytes = j->waiting;
	j->waiting = (struct buf){ .max = MAX_WAITING };
	submit(j, b);
}

static int put_record(struct buf *to, enum kind kind, const struct buf *body, struct err *err)
{
	size_t before = to->len;
	char header[HEADER] = { 0 };

	header[12] = (char)kind;
	num_put_u32(header, (uint32_t)body->len);
	if (buf_add(to, header, HEADER, err) < 0)
		return err->code;
	if (buf_add(to, body->data, body->len, err) < 0) {
		to->len = before;
		return err->code;
	}
	num_put_u64(to->data + before + 4, checksum(to->data + before + 12, body->len + 1));
	return 0;
}

static int put_result(struct buf *to, const struct wire_dispatch *d, const uint8_t *ticket,
		      const struct wire_result *r, struct err *err)
{
	AUTO(buf_done) struct buf body = { .max = MAX_BODY };
	struct wire_results one = { .dispatch = *d, .results = r, .n_results = 1 };

	memcpy(one.ticket, ticket, WIRE_DIGEST);
	if (wire_results_encode(&one, &body, err) < 0)
		return err->code;
	return put_record(to, KIND_RESULT, &body, err);
}

static void note(struct journal *j, size_t before, const struct err *err)
{
	if (err->code < 0 && !j->broken) {
		j->broken = true;
		log_error("results are not kept over a restart", kv_err(err));
	}
	j->size += j->waiting.len - before;
	if (j->pool != NULL && !timer_is_running(j->timer))
		timer_start(j->timer, GATHER_MS);
}

void journal_add(struct journal *j, const struct wire_dispatch *d, const uint8_t *ticket,
		 const struct wire_result *r)
{
	size_t before = j->waiting.len;
	struct err err = { 0 };

	if (held_is_kept(r->outcome))
		(void)(put_result(&j->waiting, d, ticket, r, &err) == 0);
	note(j, before, &err);
}

struct copy {
	struct buf bytes;
	struct err err;
};

static void copy_result(void *arg, const struct wire_dispatch *d, const uint8_t *ticket,
			const struct wire_result *r)
{
	struct copy *c = arg;

	if (c->err.code == 0)
		(void)(put_result(&c->bytes, d, ticket, r, &c->err) == 0);
}

/* Replace the file by what is held now: what waits is part of that. */
static void start_anew(struct journal *j)
{
	struct copy c = { .bytes.max = MAX_FILE };
	struct batch *b;

	held_each(j->held, copy_result, &c);
	if (c.err.code < 0) {
		log_error("state file not written anew", kv_err(&c.err));
		buf_done(&c.bytes);
		return;
	}
	buf_reset(&j->waiting);
	b = NEW(struct batch);
	b->journal = j;
	b->fd = j->fd;
	b->new_fd = -1;
	b->path = mem_strdup(j->path);
	b->bytes = c.bytes;
	j->size = c.bytes.len;
	submit(j, b);
}

void journal_drop(struct journal *j, const struct wire_job_runs *jobs, size_t n)
{
	AUTO(buf_done) struct buf body = { .max = MAX_BODY };
	struct wire_answer x = { .decided = jobs, .n_decided = (uint32_t)n, .reason = "" };
	size_t before = j->waiting.len;
	struct err err = { 0 };

	if (n == 0)
		return;
	if (wire_answer_encode(&x, &body, &err) == 0)
		(void)(put_record(&j->waiting, KIND_DECIDED, &body, &err) == 0);
	note(j, before, &err);
}

static void on_timer(void *arg)
{
	send_batch(arg);
}

void journal_start(struct journal *j, struct loop *loop, struct work_pool *pool)
{
	j->pool = pool;
	j->timer = timer_new(loop, "journal", on_timer, j);
	send_batch(j);
}

void journal_stop(struct journal *j)
{
	timer_free(MOVE(j->timer));
	j->pool = NULL;
}

uint64_t journal_size(const struct journal *j)
{
	return j->size;
}

void journal_close(struct journal *j)
{
	struct err err = { 0 };

	if (j == NULL)
		return;
	ASSERT(j->batch == NULL && j->timer == NULL);
	if (j->waiting.len > 0 && write_all(j->fd, j->waiting.data, j->waiting.len, &err) < 0)
		log_error("results are not kept over a restart", kv_err(&err));
	buf_done(&j->waiting);
	file_closep(&j->fd);
	mem_free(j->path);
	mem_free(j);
}
