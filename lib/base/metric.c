/* metric.c - see metric.h. */
#include "base/metric.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

/* All registered metrics, in order of registration. */
static struct metric *first;
static struct metric **last_at = &first;

static void enlist(struct metric *m)
{
	if (m->registered)
		return;
	ASSERT(m->bound_count <= METRIC_BUCKETS);
	m->registered = true;
	m->next = NULL;
	*last_at = m;
	last_at = &m->next;
}

static struct metric_value *value_of(struct metric *m, const char *label)
{
	struct metric_value *v;

	ASSERT((m->label != NULL) == (label != NULL));
	enlist(m);
	for (size_t i = 0; i < m->value_count; i++)
		if (text_equal(m->values[i].label, label))
			return &m->values[i];
	ASSERT(m->value_count < METRIC_VALUES);
	v = &m->values[m->value_count++];
	v->label = label;
	return v;
}

void metric_register(struct metric *m, const char *label)
{
	if (m->label != NULL && label == NULL)
		enlist(m);
	else
		value_of(m, label);
}

void metric_add(struct metric *m, const char *label, double by)
{
	ASSERT(m->type != METRIC_HISTOGRAM && (by >= 0 || m->type == METRIC_GAUGE));
	value_of(m, label)->value += by;
}

void metric_set(struct metric *m, const char *label, double value)
{
	ASSERT(m->type == METRIC_GAUGE);
	value_of(m, label)->value = value;
}

void metric_observe(struct metric *m, const char *label, double value)
{
	struct metric_value *v = value_of(m, label);
	size_t i = 0;

	ASSERT(m->type == METRIC_HISTOGRAM);
	v->value += value;
	v->count++;
	while (i < m->bound_count && value > m->upper_bounds[i])
		i++;
	if (i < m->bound_count)
		v->buckets[i]++;
}

static const char *number(double v, char text[NUM_TEXT])
{
	if (v > 1.7e308)
		return "+Inf";
	return num_print_f64(v, text);
}

static int print_plain(struct buf *b, const struct metric *m, const struct metric_value *v,
		       struct err *err)
{
	char text[NUM_TEXT];

	if (v->label == NULL)
		return buf_addfe(b, err, "%s %s\n", m->name, number(v->value, text));
	return buf_addfe(b, err, "%s{%s=\"%s\"} %s\n", m->name, m->label, v->label,
			 number(v->value, text));
}

/* The label pair with a comma behind or "", for the lines of a histogram. */
static int print_buckets(struct buf *b, const struct metric *m, const struct metric_value *v,
			 const char *pair, struct err *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->bound_count; i++) {
		char text[NUM_TEXT];

		sum += v->buckets[i];
		if (buf_addfe(b, err, "%s_bucket{%sle=\"%s\"} %llu\n", m->name, pair,
			      number(m->upper_bounds[i], text), (unsigned long long)sum) < 0)
			return err->code;
	}
	return buf_addfe(b, err, "%s_bucket{%sle=\"+Inf\"} %llu\n", m->name, pair,
			 (unsigned long long)v->count);
}

static int print_histogram(struct buf *b, const struct metric *m, const struct metric_value *v,
			   struct err *err)
{
	AUTO(buf_done) struct buf pair = { .max = 512 };
	AUTO(buf_done) struct buf braces = { .max = 512 };
	char text[NUM_TEXT];

	if (v->label != NULL) {
		if (buf_addfe(&pair, err, "%s=\"%s\",", m->label, v->label) < 0 ||
		    buf_addfe(&braces, err, "{%s=\"%s\"}", m->label, v->label) < 0)
			return err->code;
	}
	if (print_buckets(b, m, v, buf_str(&pair), err) < 0)
		return err->code;
	if (buf_addfe(b, err, "%s_sum%s %s\n", m->name, buf_str(&braces), number(v->value, text)) <
	    0)
		return err->code;
	return buf_addfe(b, err, "%s_count%s %llu\n", m->name, buf_str(&braces),
			 (unsigned long long)v->count);
}

static int print_metric(struct buf *b, const struct metric *m, struct err *err)
{
	static const char *const types[] = { "counter", "gauge", "histogram" };

	if (buf_addfe(b, err, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
		      types[m->type]) < 0)
		return err->code;
	for (size_t i = 0; i < m->value_count; i++) {
		int rc = m->type == METRIC_HISTOGRAM ? print_histogram(b, m, &m->values[i], err)
						     : print_plain(b, m, &m->values[i], err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int metric_print(struct buf *b, struct err *err)
{
	for (const struct metric *m = first; m != NULL; m = m->next)
		if (print_metric(b, m, err) < 0)
			return err_wrap(err, "metrics");
	return 0;
}
