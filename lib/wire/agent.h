/*
 * agent.h - what an agent and the controller say to each other beside orders and results:
 * registration, the frames of the stream, pages of results and their answers.
 *
 * docs/wire.md is the specification. A session is
 *
 *     POST /v1/register   struct wire_register  -> 200 and a stream of frames, the first WELCOME
 *     POST /v1/results    struct wire_page      -> struct wire_answer
 *     GET  /v1/blobs/HEX  (Range allowed)       -> the bytes whose SHA-256 is HEX
 *
 * all with `authorization: Bearer <credential>`. Encoders and decoders follow codec.h.
 */
#ifndef WIRE_AGENT_H
#define WIRE_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "wire/order.h"

enum {
	WIRE_VERSION = 1, /* of the protocol: the newest that we speak */
	WIRE_OLDEST = 1,  /* the oldest that we speak */
	WIRE_MAX_TOKENS = 64,
	WIRE_MAX_ATTRIBUTES = 64,
	WIRE_MAX_NUMBERS = 64,
	WIRE_MAX_DEVICES = 16,
	WIRE_MAX_SLOTS = 256,
	WIRE_MAX_RUNNING = 1024,
	WIRE_MAX_HELD = 65536, /* results, and so dispatches, that an agent may hold */
	WIRE_MAX_JOBS = 16384, /* in one list of runs */
	WIRE_MAX_RUNS = 65536, /* of one job in such a list */
	WIRE_MAX_PARTS = 16384,
	WIRE_MAX_REGISTER = 8 << 20, /* bytes */
	WIRE_MAX_PAGE = 4 << 20,
	WIRE_MAX_ANSWER = 4 << 20,
	/* How long a session lives without hearing from the peer, milliseconds. */
	WIRE_PING_MS = 5000,
	WIRE_SESSION_LOST_MS = 15000,
	WIRE_NODE_LOST_MS = 15000, /* after the session */
};

/* Consecutive chunks. */
struct wire_run {
	uint32_t first;
	uint32_t count; /* at least 1 */
};

/* Chunks of one job. */
struct wire_job_runs {
	char job_uid[WIRE_UID];
	const struct wire_run *runs;
	uint32_t n_runs;
};

struct wire_attribute {
	const char *key;
	const char *value;
};

struct wire_number {
	const char *key;
	uint64_t value;
};

enum wire_self_test { WIRE_TEST_PASSED = 1, WIRE_TEST_FAILED = 2 };

struct wire_device {
	const char *id;
	const char *backend; /* "Native", "Vulkan", "Cuda" */
	const char *vendor;
	const char *name;
	const char *driver;
	uint64_t memory_mib;
	uint32_t abilities; /* enum wire_need, as the self-test showed them */
	enum wire_self_test self_test;
	const char *self_test_reason; /* "" if passed */
};

struct wire_register {
	uint32_t version; /* newest and oldest that the agent speaks */
	uint32_t oldest;
	const char *agent_version;
	const char *const *tokens;
	uint32_t n_tokens;
	const struct wire_attribute *attributes;
	uint32_t n_attributes;
	const struct wire_number *numbers;
	uint32_t n_numbers;
	const struct wire_device *devices;
	uint32_t n_devices;
	uint32_t slots;
	uint32_t abilities; /* that all devices share: what an order may need */
	/* Orders that it still runs or has queued, and those of which it holds results that it will
	 * offer. What stands in neither list is lost. A dispatch may stand in both. */
	const struct wire_dispatch *running;
	uint32_t n_running;
	const struct wire_dispatch *held;
	uint32_t n_held;
	uint64_t highest_epoch; /* heard within the last 60 s */
	bool full;              /* takes no new orders: holds too many results */
	bool draining;
};

struct wire_welcome {
	uint32_t version; /* chosen by the controller */
	uint64_t epoch;
	uint64_t session; /* not 0; goes into every page */
	const char *node; /* the name that the credential stands for */
	uint32_t ping_ms;
	uint32_t session_lost_ms;
	uint32_t node_lost_ms;
};

/* Stop these; unfinished chunks are answered CANCELLED. */
struct wire_cancel {
	const struct wire_dispatch *dispatches;
	uint32_t n_dispatches;
};

/* Results of these chunks need not be kept any longer. */
struct wire_decided {
	const struct wire_job_runs *jobs;
	uint32_t n_jobs;
};

enum wire_close_reason {
	WIRE_CLOSE_REPLACED = 1, /* another session of the same node began */
	WIRE_CLOSE_LEAVING = 2,  /* the controller stops or no longer leads: connect again */
	WIRE_CLOSE_DENIED = 3,   /* the credential is no longer valid */
	WIRE_CLOSE_PROTOCOL = 4, /* the agent broke the rules */
};

struct wire_close {
	enum wire_close_reason reason;
	const char *text;
};

enum wire_frame_type {
	WIRE_FRAME_WELCOME = 1,
	WIRE_FRAME_ORDER = 2,
	WIRE_FRAME_CANCEL = 3,
	WIRE_FRAME_DECIDED = 4,
	WIRE_FRAME_CLOSE = 5,
};

/* One message of the stream; the member that `type` names is set. */
struct wire_frame {
	enum wire_frame_type type;
	union {
		struct wire_welcome welcome;
		struct wire_order order;
		struct wire_cancel cancel;
		struct wire_decided decided;
		struct wire_close close;
	};
};

/* Results of any number of dispatches. A page without parts tells of `full` and `draining`. */
struct wire_page {
	uint64_t session;
	const struct wire_results *parts;
	uint32_t n_parts;
	bool full;
	bool draining;
	/* With this page everything that was held at registration has been offered: what neither
	 * has a result nor stood in `running` is lost. */
	bool offered;
};

/* Of the results in a page. Those in no list are taken, but not decided: keep them. */
struct wire_answer {
	uint64_t epoch;
	const struct wire_job_runs *decided;
	uint32_t n_decided;
	const struct wire_job_runs *refused; /* no valid ticket: they never count, drop them */
	uint32_t n_refused;
	const char *reason; /* of the refusals */
};

MUST_CHECK int wire_register_encode(const struct wire_register *r, struct buf *out,
				    struct err *err);
MUST_CHECK int wire_register_decode(const void *bytes, size_t len, struct arena *a,
				    struct wire_register *ret, struct err *err);
MUST_CHECK int wire_page_encode(const struct wire_page *p, struct buf *out, struct err *err);
MUST_CHECK int wire_page_decode(const void *bytes, size_t len, struct arena *a,
				struct wire_page *ret, struct err *err);
MUST_CHECK int wire_answer_encode(const struct wire_answer *x, struct buf *out, struct err *err);
MUST_CHECK int wire_answer_decode(const void *bytes, size_t len, struct arena *a,
				  struct wire_answer *ret, struct err *err);

/* The protocol version that both sides speak, or ERR_INVALID with a text for the log. */
MUST_CHECK int wire_choose_version(const struct wire_register *r, uint32_t *ret, struct err *err);

/* A frame with its header (docs/wire.md 4.1). */
enum { WIRE_FRAME_HEADER = 5 };
MUST_CHECK int wire_frame_encode(const struct wire_frame *f, struct buf *out, struct err *err);

/* Look at the first `len` bytes of the stream. Returns 0 and *ret_size = size of the first frame
 * with its header, 0 if more bytes are needed. ERR_PROTOCOL: unknown type or too long. */
MUST_CHECK int wire_frame_size(const void *bytes, size_t len, size_t *ret_size, struct err *err);
/* Decode one whole frame of exactly the size that wire_frame_size gave. */
MUST_CHECK int wire_frame_decode(const void *bytes, size_t size, struct arena *a,
				 struct wire_frame *ret, struct err *err);

#endif
