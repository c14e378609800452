/*
 * life.h - one run of kwarp-controller: start, lead, serve, stop.
 */
#ifndef CONTROLLER_LIFE_H
#define CONTROLLER_LIFE_H

#include "base/err.h"
#include "controller/options.h"

/* Until SIGTERM or SIGINT (0), or until it cannot go on: no API server configuration, no port to
 * listen on, or leadership is over. */
MUST_CHECK int life_run(const struct options *o, struct err *err);

#endif
