/*
 * store.c - see store.h: the operations and their two queues. What they do on disk is in dir.c and
 * tidy.c.
 */
#include "store/store.h"

#include <string.h>

#include "base/file.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/work.h"
#include "store/dir_int.h"

/* One worker with one operation at a time: the rest waits here, where nothing is refused. */
struct queue {
	struct store *store;    /* borrowed */
	struct work_pool *pool; /* owned */
	struct list waiting;    /* operations, owned */
	bool busy;
	int dir; /* owned: the store's directory; of the worker while busy */
};

struct store {
	char *path; /* owned */
	struct queue changes;
	struct queue reads;
	bool closing;
};

enum kind { PUT, JOIN, KEEP, REMOVE, GET, READ, LIST };

struct store_op {
	struct queue *queue; /* borrowed */
	struct list_link link;
	enum kind kind;
	char uid[STORE_UID];

	/* of the loop thread */
	union {
		store_done_fn done;
		store_joined_fn joined;
		store_read_fn read;
		store_list_fn list;
	} fn;
	void *arg;   /* borrowed */
	bool silent; /* no callback */

	/* what is asked */
	size_t n;
	struct store_blob *blobs;    /* owned; their bytes are in copy */
	char *copy;                  /* owned */
	struct store_part *parts;    /* owned */
	struct hash_digest *digests; /* owned */
	struct store_range range;

	/* the answer */
	struct err err;
	struct store_part whole;
	struct store_bytes got;
	struct store_names names;
};

static void op_free(struct store_op *op)
{
	mem_free(op->blobs);
	mem_free(op->copy);
	mem_free(op->parts);
	mem_free(op->digests);
	mem_free(op->got.bytes);
	store_names_done(&op->names);
	mem_free(op);
}

static int run_in(struct store_op *op, int dir)
{
	int rc = 0;

	switch (op->kind) {
	case PUT:
		rc = store_dir_put(dir, op->uid, op->blobs, op->n, &op->err);
		break;
	case JOIN:
		rc = store_dir_join(dir, op->uid, op->parts, op->n, &op->whole, &op->err);
		break;
	case KEEP:
		store_dir_keep(dir, op->uid, op->digests, op->n);
		break;
	case REMOVE:
		store_dir_remove(dir, op->uid, &op->range.digest);
		break;
	case GET:
		rc = store_dir_get(dir, op->uid, &op->range, &op->got, &op->err);
		break;
	case READ:
		rc = store_dir_read(dir, op->uid, &op->range, &op->got, &op->err);
		break;
	case LIST:
		rc = store_dir_list(dir, &op->names, &op->err);
		break;
	}
	return rc;
}

/* On a worker. */
static void op_run(void *item)
{
	struct store_op *op = item;
	struct queue *q = op->queue;
	int rc = store_dir_again(q->store->path, &q->dir, &op->err);

	if (rc == 0)
		rc = run_in(op, q->dir);
	else if (op->kind == KEEP || op->kind == REMOVE)
		log_warn("blobs of a job cannot be removed", kv_str("job", op->uid),
			 kv_err(&op->err));
	ASSERT(rc == op->err.code);
}

static void op_answer(struct store_op *op)
{
	const struct store_bytes *got = &op->got;

	switch (op->kind) {
	case PUT:
		op->fn.done(op->arg, &op->err);
		break;
	case JOIN:
		op->fn.joined(op->arg, op->err.code == 0 ? &op->whole : NULL, &op->err);
		break;
	case GET:
	case READ:
		op->fn.read(op->arg, got->bytes, got->len, got->size, &op->err);
		break;
	case LIST:
		op->fn.list(op->arg, (const char *const *)op->names.list, op->names.count,
			    &op->err);
		break;
	case KEEP:
	case REMOVE:
		break;
	}
}

static void queue_go_on(struct queue *q);

/* On the loop thread; from inside store_free when the store is closing. The callback may free the
 * store: it comes last. */
static void op_done(void *item)
{
	struct store_op *op = item;
	struct queue *q = op->queue;
	bool closing = q->store->closing;

	q->busy = false;
	if (!closing) {
		queue_go_on(q);
		if (!op->silent)
			op_answer(op);
	}
	op_free(op);
}

static void queue_go_on(struct queue *q)
{
	struct store_op *op = LIST_FIRST(&q->waiting, struct store_op, link);
	struct err err = { 0 };
	int rc;

	if (q->busy || op == NULL)
		return;
	list_remove(&op->link);
	q->busy = true;
	rc = work_submit(q->pool, op_run, op_done, op, &err);
	ASSERT(rc == 0); /* one at a time */
}

static struct store_op *op_new(struct queue *q, enum kind kind, const char *uid, void *arg)
{
	struct store_op *op = NEW(struct store_op);

	ASSERT(kind == LIST || store_dir_is_uid(uid));
	op->queue = q;
	op->kind = kind;
	op->arg = arg;
	memcpy(op->uid, uid, strlen(uid) + 1);
	return op;
}

static struct store_op *op_start(struct store_op *op)
{
	list_add(&op->queue->waiting, &op->link);
	queue_go_on(op->queue);
	return op;
}

/* ---- the store ---- */

static void queue_done(struct queue *q)
{
	work_pool_free(q->pool);
	file_closep(&q->dir);
	LIST_EACH (struct store_op, op, &q->waiting, link) {
		list_remove(&op->link);
		op_free(op);
	}
}

int store_open(const char *dir, struct loop *loop, struct store **ret, struct err *err)
{
	AUTO(store_freep) struct store *s = NEW(struct store);

	s->path = mem_strdup(dir);
	s->changes.store = s;
	s->reads.store = s;
	s->changes.dir = s->reads.dir = -1;
	if (store_dir_open(dir, &s->changes.dir, err) < 0)
		return err->code;
	if (work_pool_new(loop, 1, &s->changes.pool, err) < 0 ||
	    work_pool_new(loop, 1, &s->reads.pool, err) < 0)
		return err_wrap(err, "store");
	*ret = MOVE(s);
	return 0;
}

void store_free(struct store *s)
{
	if (s == NULL)
		return;
	s->closing = true;
	queue_done(&s->changes);
	queue_done(&s->reads);
	mem_free(s->path);
	mem_free(s);
}

void store_freep(struct store **s)
{
	store_free(MOVE(*s));
}

/* ---- operations ---- */

static void copy_blobs(struct store_op *op, const struct store_blob *blobs, size_t n)
{
	size_t total = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		total += blobs[i].len;
	op->n = n;
	op->blobs = mem_dup(blobs, n * sizeof(blobs[0]));
	op->copy = mem_alloc(total);
	for (size_t i = 0; i < n; i++) {
		if (blobs[i].len > 0)
			memcpy(op->copy + at, blobs[i].bytes, blobs[i].len);
		op->blobs[i].bytes = op->copy + at;
		at += blobs[i].len;
	}
}

struct store_op *store_put(struct store *s, const char *uid, const struct store_blob *blobs,
			   size_t n, store_done_fn fn, void *arg)
{
	struct store_op *op = op_new(&s->changes, PUT, uid, arg);

	op->fn.done = fn;
	copy_blobs(op, blobs, n);
	return op_start(op);
}

struct store_op *store_join(struct store *s, const char *uid, const struct store_part *parts,
			    size_t n, store_joined_fn fn, void *arg)
{
	struct store_op *op = op_new(&s->changes, JOIN, uid, arg);

	op->fn.joined = fn;
	op->n = n;
	op->parts = mem_dup(parts, n * sizeof(parts[0]));
	return op_start(op);
}

void store_keep(struct store *s, const char *uid, const struct hash_digest *digests, size_t n)
{
	struct store_op *op = op_new(&s->changes, KEEP, uid, NULL);

	op->silent = true;
	op->n = n;
	op->digests = mem_dup(digests, n * sizeof(digests[0]));
	op_start(op);
}

void store_remove(struct store *s, const char *uid, const struct hash_digest *digest)
{
	struct store_op *op = op_new(&s->changes, REMOVE, uid, NULL);

	op->silent = true;
	op->range.digest = *digest;
	op_start(op);
}

struct store_op *store_get(struct store *s, const char *uid, const struct hash_digest *digest,
			   size_t max, store_read_fn fn, void *arg)
{
	struct store_op *op = op_new(&s->reads, GET, uid, arg);

	op->fn.read = fn;
	op->range = (struct store_range){ .digest = *digest, .len = max };
	return op_start(op);
}

/* NOLINTNEXTLINE(readability-function-size): two of the parameters are the range */
struct store_op *store_read(struct store *s, const char *uid, const struct hash_digest *digest,
			    uint64_t first, size_t len, store_read_fn fn, void *arg)
{
	struct store_op *op = op_new(&s->reads, READ, uid, arg);

	ASSERT(len <= STORE_MAX_READ);
	op->fn.read = fn;
	op->range = (struct store_range){ .digest = *digest, .first = first, .len = len };
	return op_start(op);
}

struct store_op *store_list(struct store *s, store_list_fn fn, void *arg)
{
	struct store_op *op = op_new(&s->reads, LIST, "", arg);

	op->fn.list = fn;
	return op_start(op);
}

void store_op_cancel(struct store_op *op)
{
	if (op == NULL)
		return;
	op->silent = true;
	if (op->kind == PUT || op->kind == JOIN || !list_has(&op->link))
		return;
	list_remove(&op->link);
	op_free(op);
}
