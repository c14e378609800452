/*
 * agent_int.h - tables shared by registration and frames.
 */
#ifndef WIRE_AGENT_INT_H
#define WIRE_AGENT_INT_H

#include "wire/codec_int.h"

extern const struct wire_type wire_job_runs_type;

#endif
