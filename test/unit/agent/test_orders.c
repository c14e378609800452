/* test_orders.c - every chunk of every order gets exactly one answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/orders.h"
#include "base/mem.h"

struct engine {
	struct orders *orders;
	char log[4000];
	struct order_item *on[4]; /* by slot */
	bool at_once;             /* answers from within */
	int dropped;
};

static void note(struct engine *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void note(struct engine *e, const char *fmt, ...)
{
	size_t at = strlen(e->log);
	va_list args;

	va_start(args, fmt);
	vsnprintf(e->log + at, sizeof(e->log) - at, fmt, args);
	va_end(args);
}

static void prepare(void *arg, struct order_item *o)
{
	struct engine *e = arg;

	note(e, "P%u ", o->order.dispatch.slice);
	if (e->at_once)
		orders_on_prepared(e->orders, o, WIRE_OK, "");
}

static void drop(void *arg, struct order_item *o)
{
	struct engine *e = arg;

	(void)o;
	e->dropped++;
}

static void run(void *arg, uint32_t slot, struct order_item *o)
{
	struct engine *e = arg;
	struct wire_result r = { .outcome = WIRE_OK, .message = "" };

	note(e, "R%u@%u ", o->order.chunks[o->chunk].index, slot);
	e->on[slot] = o;
	if (e->at_once)
		orders_on_result(e->orders, o, &r);
}

static void stop(void *arg, uint32_t slot)
{
	struct engine *e = arg;

	note(e, "S%u ", slot);
	e->on[slot] = NULL;
}

static void result(void *arg, const struct wire_order *o, const struct wire_result *r)
{
	(void)o;
	note(arg, "%u=%s ", r->chunk, wire_outcome_name(r->outcome));
}

static const struct orders_ops OPS = { prepare, drop, NULL, run, stop, result };

static void make(struct engine *e, uint32_t slots)
{
	*e = (struct engine){ 0 };
	e->orders = orders_new(slots, &OPS, e);
}

static void done(struct engine *e)
{
	orders_free(e->orders);
}

static void add(struct engine *e, uint32_t slice, uint32_t first, uint32_t n)
{
	struct arena *a = NEW(struct arena);
	struct wire_chunk *chunks = arena_new_array(a, struct wire_chunk, n);
	struct wire_order o = { .chunks = chunks, .n_chunks = n };

	o.dispatch = (struct wire_dispatch){
		.job_uid = "a", .slice = slice, .first_chunk = first, .n_chunks = n
	};
	for (uint32_t i = 0; i < n; i++)
		chunks[i].index = first + i;
	orders_add(e->orders, &o, a);
}

static struct order_item *nth(struct engine *e, uint32_t slice)
{
	/* The test's orders have their slice as their key. */
	static struct order_item *found;
	struct arena a = { 0 };
	uint32_t n;

	orders_list(e->orders, &a, &n);
	arena_done(&a);
	for (size_t i = 0; i < ARRAY_LEN(e->on); i++) {
		if (e->on[i] != NULL && e->on[i]->order.dispatch.slice == slice)
			found = e->on[i];
	}
	return found;
}

static void finish(struct engine *e, uint32_t slot, enum wire_outcome outcome)
{
	struct wire_result r = { .outcome = outcome, .message = "" };
	struct order_item *o = MOVE(e->on[slot]);

	orders_on_result(e->orders, o, &r);
}

static void orders_run_chunk_by_chunk_on_free_slots(void **state)
{
	AUTO(done) struct engine e;

	(void)state;
	make(&e, 1);
	e.at_once = true;
	add(&e, 0, 0, 2);
	add(&e, 1, 2, 2);
	assert_string_equal(e.log, "P0 R0@0 0=OK R1@0 1=OK P1 R2@0 2=OK R3@0 3=OK ");
	assert_int_equal(orders_count(e.orders), 0);
	assert_int_equal(e.dropped, 2);
}

static struct order_item *prepared[8];
static uint32_t n_prepared;

static void remember(void *arg, struct order_item *o)
{
	(void)arg;
	prepared[n_prepared++] = o;
}

static const struct orders_ops LATE = { remember, drop, NULL, run, stop, result };

static void the_oldest_ready_order_gets_the_slot(void **state)
{
	AUTO(done) struct engine e = { 0 };

	(void)state;
	n_prepared = 0;
	e.orders = orders_new(2, &LATE, &e);
	add(&e, 0, 0, 1);
	add(&e, 1, 1, 1);
	add(&e, 2, 2, 1);
	orders_on_prepared(e.orders, prepared[2], WIRE_OK, "");
	orders_on_prepared(e.orders, prepared[1], WIRE_OK, "");
	orders_on_prepared(e.orders, prepared[0], WIRE_OK, "");
	assert_string_equal(e.log, "R2@0 R1@1 ");
	finish(&e, 1, WIRE_TIMED_OUT);
	assert_string_equal(e.log, "R2@0 R1@1 1=TimedOut R0@1 ");
	assert_int_equal(orders_count(e.orders), 2);
}

static void a_kernel_that_does_not_compile_answers_every_chunk(void **state)
{
	AUTO(done) struct engine e = { 0 };

	(void)state;
	n_prepared = 0;
	e.orders = orders_new(1, &LATE, &e);
	add(&e, 0, 5, 3);
	orders_on_prepared(e.orders, prepared[0], WIRE_BAD_KERNEL, "no");
	assert_string_equal(e.log, "5=BadKernel 6=BadKernel 7=BadKernel ");
	assert_int_equal(e.dropped, 1);
}

static void a_cancelled_order_answers_what_is_left(void **state)
{
	AUTO(done) struct engine e = { 0 };
	struct wire_dispatch d = { .job_uid = "a", .slice = 0, .first_chunk = 0, .n_chunks = 3 };

	(void)state;
	n_prepared = 0;
	e.orders = orders_new(1, &LATE, &e);
	add(&e, 0, 0, 3);
	add(&e, 1, 3, 1);
	orders_on_prepared(e.orders, prepared[0], WIRE_OK, "");
	orders_on_prepared(e.orders, prepared[1], WIRE_OK, "");
	finish(&e, 0, WIRE_OK);
	orders_cancel(e.orders, &d);
	assert_string_equal(e.log, "R0@0 0=OK R1@0 S0 1=Cancelled 2=Cancelled R3@0 ");
	assert_ptr_equal(nth(&e, 1), prepared[1]);
	orders_cancel(e.orders, &d);
	orders_cancel_all(e.orders, "stop");
	assert_string_equal(e.log,
			    "R0@0 0=OK R1@0 S0 1=Cancelled 2=Cancelled R3@0 S0 3=Cancelled ");
	assert_int_equal(orders_count(e.orders), 0);
}

static void a_repeated_order_is_ignored_and_too_many_are_refused(void **state)
{
	AUTO(done) struct engine e = { 0 };

	(void)state;
	make(&e, 1);
	for (uint32_t i = 0; i < ORDERS_MAX_QUEUED; i++)
		add(&e, i, i, 1);
	add(&e, 0, 0, 1);
	add(&e, 999, 999, 2);
	assert_non_null(strstr(e.log, "0=Refused 999=Refused 1000=Refused "));
	assert_int_equal(orders_count(e.orders), ORDERS_MAX_QUEUED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_run_chunk_by_chunk_on_free_slots),
		cmocka_unit_test(the_oldest_ready_order_gets_the_slot),
		cmocka_unit_test(a_kernel_that_does_not_compile_answers_every_chunk),
		cmocka_unit_test(a_cancelled_order_answers_what_is_left),
		cmocka_unit_test(a_repeated_order_is_ignored_and_too_many_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
