/*
 * options.h - kwarp-agent's command line and join file (API.md section 9, docs/wire.md section 9).
 */
#ifndef AGENT_OPTIONS_H
#define AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "wire/agent.h"

struct options {
	bool help;
	bool version;
	/* Where to and as whom; owned. From the join file, or from files of their own. */
	char *address;
	char *ca_pem;
	char *credential;
	char *name;     /* what the join file or --name says: only for the log */
	uint32_t slots; /* of each device */
	const char
	    *devices[WIRE_MAX_DEVICES]; /* borrowed from argv: kinds (device.h); none: auto */
	uint32_t n_devices;
	char *state;     /* owned; NULL: nothing is kept over a restart */
	char *join_file; /* owned, like the following: what options_load reads */
	char *ca_file;
	char *token_file;
	struct wire_attribute attributes[WIRE_MAX_ATTRIBUTES]; /* in texts */
	uint32_t n_attributes;
	const char *tokens[WIRE_MAX_TOKENS]; /* borrowed from argv */
	uint32_t n_tokens;
	struct arena texts; /* owned */
	enum log_level log_level;
	enum log_format log_format;
};

extern const char options_help[];

/* ERR_INVALID: wrong usage. *ret must be passed to options_done in any case. */
MUST_CHECK int options_parse(int argc, char **argv, struct options *ret, struct err *err);
/* Read the files that the options name. */
MUST_CHECK int options_load(struct options *o, struct err *err);
/* The text of a join file into *o. */
MUST_CHECK int options_read_join(const char *text, size_t len, struct options *o, struct err *err);
void options_done(struct options *o);

#endif
