/*
 * limits.h - how much the controller holds and does at once.
 */
#ifndef ACT_LIMITS_H
#define ACT_LIMITS_H

enum {
	ACT_COALESCE_MS = 2,      /* facts of this time are decided on together */
	ACT_ROUND_US = 20000,     /* of deciding in one turn of the loop */
	ACT_LOOK_MS = 10000,      /* every unfinished job is looked at so often at least */
	ACT_ARENA_KEEP = 1 << 20, /* bytes of the decisions' arena kept between rounds */

	ACT_POD_CALLS = 64,       /* writes of pods in flight */
	ACT_POD_BATCH = 64,       /* largest slow-start batch of one job */
	ACT_POD_BACKOFF_MS = 100, /* of one pod's writes, doubling ... */
	ACT_POD_BACKOFF_MAX_MS = 5000,

	ACT_STATUS_CALLS = 16,            /* status writes in flight */
	ACT_STATUS_WRITES_S = 20,         /* a second, ... */
	ACT_STATUS_BYTES_S = 1024 * 1024, /* and so many bytes ... */
	ACT_STATUS_BURST_WRITES = 20,     /* and at once */
	ACT_STATUS_BURST_BYTES = 2500000, /* at least one object of the largest size */
	ACT_STATUS_RETRY_MS = 1000,       /* after a write that had no effect */
	ACT_STATUS_INVALID_MS = 30000,    /* after a write that the server finds wrong */

	ACT_KEEP_RETRY_MS = 5000, /* after the store failed */

	ACT_MAX_INPUT = 4 << 20, /* bytes of one input that comes from the API */

	ACT_CALL_MS = 15000,        /* time limit of a request to the API server */
	ACT_NODE_STATUS_MS = 60000, /* WarpNodes are looked at so often */
	ACT_NODE_WRITE_MS = 10000,  /* between two writes of one WarpNode, ... */
	ACT_NODE_URGENT_MS = 500,   /* ... or if it comes or goes */
	ACT_TROUBLE_MS = 5000,      /* watches in trouble are told so often */
	ACT_NODE_CALLS = 16,        /* WarpNode writes in flight */
};

#endif
