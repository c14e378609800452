/*
 * link.h - a peer of the data plane, joined to it by memory.
 */
#ifndef TEST_SERVE_LINK_H
#define TEST_SERVE_LINK_H

#include <stdbool.h>

#include "base/buf.h"
#include "h2/h2.h"

struct serve;

/* A peer's end of a connection, and the plane's. */
struct link {
	struct h2 *server, *client;
	const char *credential; /* borrowed; NULL: none */
	const char *range;      /* borrowed: sent with GET; NULL: none */
	struct buf stream;      /* frames of the registration */
	struct buf body;        /* of the last other answer */
	int status, ends, stream_status;
	bool stream_ended;
	bool broken; /* the last answer did not end well */
};

/* Frames of an answer go to link.stream; bodies to link.body. */
extern const struct h2_client link_stream;
extern const struct h2_client link_client;

void link_make(struct link *l, struct serve *s, const char *credential);
void link_done(struct link *l);
/* One way, once; both ways, until nothing is left to say. */
void link_pass(struct h2 *from, struct h2 *to);
void link_pump(struct link *l);
/* One request; link_pump brings what is answered at once. body: NULL = none. */
struct h2_stream *link_ask(struct link *l, const char *method, const char *path,
			   const struct buf *body, const struct h2_client *client);

#endif
