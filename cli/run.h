/*
 * run.h - `kubectl warp run`: a job in one process tree, with the controller's own rules, reducers
 * and runner.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/files.h"

struct doc;

struct run_request {
	const struct files *files;
	size_t job;         /* which of files->jobs */
	uint32_t slots;     /* 0: one, which uses all CPUs */
	const char *save;   /* a folder for the results of a complete job; NULL: none */
	const char *device; /* NULL or "native"; "vulkan" (the first), "vulkan:INDEX|ID" */
	void (*progress)(void *arg, const char *line); /* NULL: nobody looks */
	void *arg;
};

struct run_answer {
	struct doc *job; /* owned: the finished WarpJob object, status included */
	bool complete;   /* Complete, not Failed */
};
void run_answer_done(struct run_answer *a);

/* Runs it to its end. A job that fails is a success of this function: *ret says so. Fails
 * when this machine cannot run anything (no runner, no memory). */
MUST_CHECK int run_job(const struct run_request *request, struct run_answer *ret, struct err *err);

/* The results for people: one line each, "hits=7853998330". */
void run_print(const struct doc *job, struct buf *out);
/* One of them: an entry of status.results. */
void run_print_result(const struct doc *result, struct buf *out);

#endif
