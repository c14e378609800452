/* session.c - see session.h. */
#include "agent/session.h"

enum session_verdict session_on_welcome(struct session *s, const struct wire_welcome *w,
					int64_t now_ms)
{
	bool lower = w->epoch < s->epoch;

	if (lower && now_ms - s->heard_ms < SESSION_EPOCH_MS) /* wire 7.2 */
		return SESSION_REFUSE;
	s->epoch = w->epoch;
	s->heard_ms = now_ms;
	s->id = w->session;
	s->reached = true;
	s->closed = 0;
	return lower ? SESSION_ACCEPT_LOWER : SESSION_ACCEPT;
}

void session_on_heard(struct session *s, int64_t now_ms)
{
	if (s->id != 0)
		s->heard_ms = now_ms;
}

void session_on_close(struct session *s, const struct wire_close *c)
{
	s->closed = c->reason;
}

void session_on_mute(struct session *s)
{
	s->mute = true;
}

/* wire 2.8 */
int64_t session_on_end(struct session *s, uint32_t random)
{
	int64_t delay;

	if (s->closed == WIRE_CLOSE_REPLACED || s->closed == WIRE_CLOSE_DENIED || s->mute)
		s->delay_ms = SESSION_LAST_MS;
	else if (s->reached || s->delay_ms == 0)
		s->delay_ms = SESSION_FIRST_MS;
	delay = s->delay_ms / 2 + (int64_t)(random % (uint32_t)(s->delay_ms / 2 + 1));
	s->delay_ms *= 2;
	if (s->delay_ms > SESSION_LAST_MS)
		s->delay_ms = SESSION_LAST_MS;
	s->id = 0;
	s->reached = false;
	s->mute = false;
	s->closed = 0;
	return delay;
}

uint64_t session_highest_epoch(const struct session *s, int64_t now_ms)
{
	return now_ms - s->heard_ms < SESSION_EPOCH_MS ? s->epoch : 0;
}
