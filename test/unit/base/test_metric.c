/* test_metric.c - the text format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/metric.h"

static const double bounds[] = { 0.1, 1 };

static struct metric plain = { .name = "a_total", .help = "A.", .type = METRIC_COUNTER };
static struct metric labelled = {
	.name = "b", .help = "B.", .type = METRIC_GAUGE, .label = "kind"
};
static struct metric histogram = { .name = "c_seconds",
				   .help = "C.",
				   .type = METRIC_HISTOGRAM,
				   .upper_bounds = bounds,
				   .bound_count = 2 };
static struct metric histogram_labelled = { .name = "d_seconds",
					    .help = "D.",
					    .type = METRIC_HISTOGRAM,
					    .label = "op",
					    .upper_bounds = bounds,
					    .bound_count = 1 };

static void prints_the_text_format(void **state)
{
	struct buf b = { .max = 10000 };
	struct err err = { 0 };

	(void)state;
	metric_register(&plain, NULL);
	metric_set(&labelled, "x", 1.5);
	metric_add(&labelled, "x", -1);
	metric_set(&labelled, "y", 3);
	metric_observe(&histogram, NULL, 0.05);
	metric_observe(&histogram, NULL, 1);
	metric_observe(&histogram, NULL, 10);
	metric_observe(&histogram_labelled, "get", 0.25);
	assert_int_equal(metric_print(&b, &err), 0);
	assert_string_equal(buf_str(&b), "# HELP a_total A.\n"
					 "# TYPE a_total counter\n"
					 "a_total 0\n"
					 "# HELP b B.\n"
					 "# TYPE b gauge\n"
					 "b{kind=\"x\"} 0.5\n"
					 "b{kind=\"y\"} 3\n"
					 "# HELP c_seconds C.\n"
					 "# TYPE c_seconds histogram\n"
					 "c_seconds_bucket{le=\"0.1\"} 1\n"
					 "c_seconds_bucket{le=\"1\"} 2\n"
					 "c_seconds_bucket{le=\"+Inf\"} 3\n"
					 "c_seconds_sum 11.05\n"
					 "c_seconds_count 3\n"
					 "# HELP d_seconds D.\n"
					 "# TYPE d_seconds histogram\n"
					 "d_seconds_bucket{op=\"get\",le=\"0.1\"} 0\n"
					 "d_seconds_bucket{op=\"get\",le=\"+Inf\"} 1\n"
					 "d_seconds_sum{op=\"get\"} 0.25\n"
					 "d_seconds_count{op=\"get\"} 1\n");
	buf_done(&b);
}

static void refuses_a_buffer_that_is_too_small(void **state)
{
	struct buf b = { .max = 20 };
	struct err err = { 0 };

	(void)state;
	metric_add(&plain, NULL, 1);
	assert_int_equal(metric_print(&b, &err), ERR_TOO_BIG);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_the_text_format),
		cmocka_unit_test(refuses_a_buffer_that_is_too_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
