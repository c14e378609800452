/*
 * session.h - the agent's decisions about sessions: whom to believe, when to try again.
 *
 * Pure: time comes in. docs/wire.md 2.8, 7.2.
 */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/agent.h"

enum {
	SESSION_FIRST_MS = 100, /* before the first new try */
	SESSION_LAST_MS = 5000,
	SESSION_EPOCH_MS = 60000, /* how long a lower epoch is refused */
};

/* Zero is a fresh one. */
struct session {
	uint64_t epoch;                /* highest heard */
	int64_t heard_ms;              /* when it was heard last */
	int64_t delay_ms;              /* of the next try, before it is cut */
	uint64_t id;                   /* of the current session; 0: none */
	bool reached;                  /* the current or last session had its WELCOME */
	bool mute;                     /* what the agent has to say cannot be encoded */
	enum wire_close_reason closed; /* why the controller ended it; 0 */
};

enum session_verdict {
	SESSION_ACCEPT = 1,
	SESSION_ACCEPT_LOWER, /* a lower epoch, after a minute: log a warning */
	SESSION_REFUSE,       /* a lower epoch: end the connection, try again later */
};
enum session_verdict session_on_welcome(struct session *s, const struct wire_welcome *w,
					int64_t now_ms);
/* Anything was heard in the session. */
void session_on_heard(struct session *s, int64_t now_ms);
void session_on_close(struct session *s, const struct wire_close *c);
/* What the agent has to say cannot be encoded. A new session alone does not help: the next try
 * comes late, however well this one began. */
void session_on_mute(struct session *s);
/* The session or attempt is over; random: any number. Returns the delay before the next try. */
int64_t session_on_end(struct session *s, uint32_t random);

/* What goes into the registration. */
uint64_t session_highest_epoch(const struct session *s, int64_t now_ms);

#endif
