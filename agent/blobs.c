/* blobs.c - see blobs.h. */
#include "agent/blobs.h"

#include <string.h>

#include "agent/link.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "hash/hash.h"

struct blob {
	struct blobs *blobs; /* borrowed */
	struct hash_digest digest;
	uint64_t size;
	char *bytes;           /* owned; NULL until it is there */
	struct link_get *get;  /* while asked for */
	struct list wants;     /* of struct blob_want */
	struct list_link link; /* in wanted, used or idle */
	bool telling;          /* stays while its wants are told */
	bool failed;           /* not asked for again unless someone else wants it */
};

struct blob_want {
	struct blob *blob; /* borrowed */
	struct list_link link;
	blobs_fn fn;
	void *arg;
};

struct blobs {
	struct link *link;  /* borrowed */
	struct map all;     /* hexadecimal digest -> struct blob, owned */
	struct list wanted; /* not there yet */
	struct list used;
	struct list idle; /* oldest first */
	size_t idle_bytes;
	size_t asking;
};

struct blobs *blobs_new(struct link *link)
{
	struct blobs *b = NEW(struct blobs);

	b->link = link;
	return b;
}

static void drop_blob(struct blob *x)
{
	char hex[HASH_HEX];

	map_remove(&x->blobs->all, hash_hex(&x->digest, hex));
	list_remove(&x->link);
	if (x->get != NULL) {
		x->blobs->asking--;
		link_get_cancel(x->get);
	}
	mem_free(x->bytes);
	mem_free(x);
}

void blobs_free(struct blobs *b)
{
	if (b == NULL)
		return;
	ASSERT(b->wanted.count == 0 && b->used.count == 0);
	while (b->idle.first != NULL)
		drop_blob(LIST_FIRST(&b->idle, struct blob, link));
	map_done(&b->all, NULL);
	mem_free(b);
}

/* Nobody wants it any more: keep it for a while, or not. */
static void settle(struct blob *x)
{
	struct blobs *b = x->blobs;

	if (x->wants.count > 0 || x->telling)
		return;
	if (x->bytes == NULL || x->size > BLOBS_IDLE_BYTES) {
		drop_blob(x);
		return;
	}
	list_remove(&x->link);
	list_add(&b->idle, &x->link);
	b->idle_bytes += x->size;
	while (b->idle_bytes > BLOBS_IDLE_BYTES) {
		struct blob *oldest = LIST_FIRST(&b->idle, struct blob, link);

		b->idle_bytes -= oldest->size;
		drop_blob(oldest);
	}
}

/* Someone who has not been told yet. */
static struct blob_want *find_untold(const struct blob *x)
{
	LIST_EACH (struct blob_want, w, &x->wants, link) {
		if (w->fn != NULL)
			return w;
	}
	return NULL;
}

/* Each want hears of it once. A callback may drop any want, and want it anew. */
static void tell(struct blob *x, const struct err *err)
{
	struct blob_want *w;

	x->telling = true;
	while ((w = find_untold(x)) != NULL) {
		blobs_fn fn = MOVE(w->fn);

		fn(w->arg, err);
	}
	x->telling = false;
	settle(x);
}

static void ask(struct blobs *b);

static void on_bytes(void *arg, struct buf *bytes, const struct err *why)
{
	struct blob *x = arg;
	struct blobs *b = x->blobs;
	struct hash_digest digest;
	struct err err = *why;

	x->get = NULL;
	b->asking--;
	if (err.code == 0) {
		hash_bytes(bytes->data, bytes->len, &digest);
		if (bytes->len != x->size || !hash_equal(&digest, &x->digest)) /* wire 8.1 */
			err_set(&err, ERR_PROTOCOL, "blob: not what its digest says");
	} else if (err.code != ERR_NOT_FOUND && err.code != ERR_TOO_BIG) {
		return; /* again in the next session */
	}
	if (err.code == 0) {
		x->bytes = buf_take(bytes);
		list_remove(&x->link);
		list_add(&b->used, &x->link);
	}
	x->failed = err.code < 0;
	tell(x, &err);
	ask(b);
}

/* Ask for what is wanted, a few at a time. */
static void ask(struct blobs *b)
{
	if (!link_is_up(b->link))
		return;
	for (struct list_link *at = b->wanted.first; at != NULL && b->asking < BLOBS_AT_ONCE;
	     at = at->next) {
		struct blob *x = CONTAINER_OF(at, struct blob, link);

		if (x->get != NULL || x->failed)
			continue;
		x->get = link_get(b->link, x->digest.bytes, x->size, on_bytes, x);
		if (x->get == NULL)
			return;
		b->asking++;
	}
}

void blobs_on_up(struct blobs *b)
{
	ask(b);
}

static struct blob *need_blob(struct blobs *b, const uint8_t digest[WIRE_DIGEST], uint64_t size)
{
	char hex[HASH_HEX];
	struct blob *x;

	text_hex(digest, WIRE_DIGEST, hex);
	x = map_get(&b->all, hex);
	if (x != NULL) {
		x->failed = false;
		return x;
	}
	x = NEW(struct blob);
	x->blobs = b;
	memcpy(x->digest.bytes, digest, WIRE_DIGEST);
	x->size = size;
	map_set(&b->all, hex, x);
	list_add(&b->wanted, &x->link);
	return x;
}

struct blob_want *blobs_want(struct blobs *b, const uint8_t digest[WIRE_DIGEST], uint64_t size,
			     blobs_fn fn, void *arg)
{
	struct blob *x = need_blob(b, digest, size);
	struct blob_want *w = NEW(struct blob_want);
	struct err err = { 0 };

	w->blob = x;
	list_add(&x->wants, &w->link);
	if (x->link.list == &b->idle) {
		b->idle_bytes -= x->size;
		list_remove(&x->link);
		list_add(&b->used, &x->link);
	}
	if (size > BLOBS_MAX_BYTES)
		err_set(&err, ERR_TOO_BIG, "blob: %llu bytes, at most %d here",
			(unsigned long long)size, BLOBS_MAX_BYTES);
	else if (size != x->size)
		err_set(&err, ERR_INVALID, "blob: two sizes for one digest");
	if (x->bytes != NULL || err.code < 0) {
		fn(arg, &err);
		return w;
	}
	w->fn = fn;
	w->arg = arg;
	ask(b);
	return w;
}

void blobs_drop(struct blob_want *w)
{
	struct blob *x;

	if (w == NULL)
		return;
	x = w->blob;
	list_remove(&w->link);
	mem_free(w);
	settle(x);
}

const void *blobs_bytes(const struct blob_want *w, size_t *ret_len)
{
	*ret_len = w->blob->size;
	return w->blob->bytes;
}
