/*
 * metric.h - counters, gauges and histograms, printed in the Prometheus text format.
 *
 *     static struct metric chunks_total = {
 *             .name = "kwarp_chunks_total", .help = "Chunks decided.", .type = METRIC_COUNTER,
 *             .label = "outcome" };
 *     metric_add(&chunks_total, "accepted", 1);
 *
 * A metric is a static object beside the code that changes it and registers itself at its first
 * use. At most one label, with at most 64 values from the program's own words (never a job, pod
 * or node name). Only the loop thread may change metrics.
 */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };
enum { METRIC_VALUES = 64, METRIC_BUCKETS = 16 };

struct metric_value {
	const char *label; /* borrowed, static */
	double value;      /* counter, gauge; sum of a histogram */
	uint64_t count;    /* histogram */
	uint64_t buckets[METRIC_BUCKETS];
};

struct metric {
	const char *name; /* static */
	const char *help; /* static */
	enum metric_type type;
	const char *label;          /* static; NULL = none */
	const double *upper_bounds; /* histogram: ascending, at most METRIC_BUCKETS */
	size_t bound_count;
	struct metric_value values[METRIC_VALUES];
	size_t value_count;
	struct metric *next; /* borrowed: the list of all registered metrics */
	bool registered;
};

/* Register without a sample, so that a counter shows 0 from the start. label: NULL if none. */
void metric_register(struct metric *m, const char *label);
void metric_add(struct metric *m, const char *label, double by);
void metric_set(struct metric *m, const char *label, double value);
void metric_observe(struct metric *m, const char *label, double value);

/* All registered metrics. ERR_TOO_BIG if b is too small. */
MUST_CHECK int metric_print(struct buf *b, struct err *err);

#endif
