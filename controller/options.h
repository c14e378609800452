/*
 * options.h - the command line of kwarp-controller.
 */
#ifndef CONTROLLER_OPTIONS_H
#define CONTROLLER_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"

struct options {
	const char *kubeconfig; /* NULL: in-cluster, KUBECONFIG, ~/.kube/config */
	const char *ns;
	const char *data_address;   /* HOST:PORT to listen on, HOST numeric */
	const char *public_address; /* HOST:PORT that agents dial */
	const char *store;          /* directory; NULL: none */
	bool leader_elect;
	enum log_format log_format;
	enum log_level log_level;
	bool help;
	bool version;
	char service[320]; /* what public_address points to when it was not given */
};

extern const char options_usage[];

/* Strings are borrowed from argv and from *ret, which must stay where it is. ERR_INVALID: wrong
 * usage, the text says what. */
MUST_CHECK int options_parse(int argc, char *const *argv, struct options *ret, struct err *err);

/* Cut "HOST:PORT" or "[ADDR]:PORT": the host without brackets. ERR_INVALID. */
enum { OPTIONS_HOST = 256 };
MUST_CHECK int options_split(const char *address, char host[OPTIONS_HOST], int *ret_port,
			     struct err *err);

#endif
