/*
 * save.h - the results of a finished job as files.
 */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "base/err.h"

struct job;

/* Write each result of the job to FOLDER/JOB.OUTPUT: its elements in order, little-endian, without
 * padding; the bytes whose SHA-256 the status shows. The folder is made if it is missing. Outputs
 * with reduce: None or Discard have no result. */
MUST_CHECK int save_results(const struct job *j, const char *folder, struct err *err);

#endif
