/*
 * show.h - what stands in the status of WarpJobs and WarpNodes, for people.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>

#include "base/buf.h"

struct doc;

/* Everything that says how a job stands and why. */
void show_job(const struct doc *job, struct buf *out);
/* One line, as `watch` prints it when it changes. */
void show_line(const struct doc *job, struct buf *out);
bool show_is_finished(const struct doc *job, bool *ret_complete);
/* A table of WarpNodes (a list object). */
void show_nodes(const struct doc *list, struct buf *out);

#endif
