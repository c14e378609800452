/* test_store.c - objects never go back in time, lists replace, indexes follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kube/object.h"
#include "kube/store.h"

static struct buf notes;
static struct kube_store *store;

static void on_change(void *arg, const struct kube_change *c)
{
	(void)arg;
	buf_note(&notes, "%s%s:%s>%s ", c->from_list ? "list " : "", c->key,
		 c->old ? kube_rv(c->old) : "", c->new ? kube_rv(c->new) : "");
}

static const char *label_of(const struct doc *object)
{
	return kube_label(object, "kwarp.dev/job");
}

static int start(void **state)
{
	(void)state;
	notes = (struct buf){ .max = 10000 };
	store =
	    kube_store_new(&(struct kube_store_spec){ .on_change = on_change, .index = label_of });
	return 0;
}

static int end(void **state)
{
	(void)state;
	kube_store_free(store);
	buf_done(&notes);
	return 0;
}

static struct doc *object(const char *name, const char *uid, const char *rv, const char *job)
{
	struct doc *o = kube_new_object(&kube_pods, "ns", name);
	struct doc *m = doc_edit(o, "metadata");

	doc_set_str(m, "uid", uid);
	doc_set_str(m, "resourceVersion", rv);
	doc_set(m, "managedFields", doc_new_list());
	if (job != NULL) {
		doc_set(m, "labels", doc_new_map());
		doc_set_str(doc_edit(m, "labels"), "kwarp.dev/job", job);
	}
	return o;
}

static void expect(const char *want)
{
	assert_string_equal(buf_str(&notes), want);
	buf_reset(&notes);
}

static void keeps_the_newest_version_whatever_the_order(void **state)
{
	(void)state;
	kube_store_set(store, object("a", "u", "9", NULL));
	kube_store_set(store, object("a", "u", "8", NULL));
	kube_store_put(store, object("a", "u", "9", NULL));
	kube_store_put(store, object("a", "u", "10", NULL));
	kube_store_set(store, object("a", "u", "10", NULL));
	expect("ns/a:>9 ns/a:9>10 ");
	assert_true(doc_is_frozen(kube_store_get(store, "ns/a")));
	assert_false(doc_has(kube_store_get(store, "ns/a"), "metadata.managedFields"));
}

static void an_answer_does_not_bring_back_what_was_deleted(void **state)
{
	(void)state;
	kube_store_set(store, object("a", "u", "5", NULL));
	kube_store_set_rv(store, "5");
	kube_store_remove(store, object("a", "u", "7", NULL));
	kube_store_set_rv(store, "7");
	kube_store_put(store, object("a", "u", "6", NULL));
	expect("ns/a:>5 ns/a:5> ");
	kube_store_put(store, object("a", "u2", "8", NULL));
	expect("ns/a:>8 ");
}

static void a_late_deletion_spares_the_new_object_of_that_name(void **state)
{
	(void)state;
	kube_store_set(store, object("a", "u1", "5", NULL));
	kube_store_put(store, object("a", "u2", "9", NULL));
	kube_store_remove(store, object("a", "u1", "8", NULL));
	kube_store_forget(store, "ns/a", "u1");
	expect("ns/a:>5 ns/a:5> ns/a:>9 ");
	kube_store_forget(store, "ns/a", "u2");
	expect("ns/a:9> ");
}

static void a_list_replaces_but_keeps_what_is_newer(void **state)
{
	(void)state;
	kube_store_put(store, object("mine", "m", "21", NULL));
	kube_store_put(store, object("old", "o", "3", NULL));
	kube_store_put(store, object("newer", "n", "22", NULL));
	kube_store_list_begin(store);
	kube_store_list_add(store, object("newer", "n", "4", NULL));
	kube_store_list_add(store, object("x", "x", "5", NULL));
	expect("ns/mine:>21 ns/old:>3 ns/newer:>22 ");
	assert_false(kube_store_is_synced(store));
	kube_store_list_end(store, "20");
	expect("list ns/old:3> list ns/x:>5 ");
	assert_true(kube_store_is_synced(store));
	assert_int_equal(kube_store_count(store), 3);
	assert_string_equal(kube_store_rv(store), "20");
	assert_true(kube_store_has_reached(store, "20"));
	assert_false(kube_store_has_reached(store, "21"));
}

static void a_list_that_was_begun_again_leaves_no_trace(void **state)
{
	(void)state;
	kube_store_list_begin(store);
	kube_store_list_add(store, object("half", "h", "1", NULL));
	kube_store_list_begin(store);
	kube_store_list_add(store, object("a", "a", "1", NULL));
	kube_store_list_add(store, object("b", "b", "2", NULL));
	kube_store_list_remove(store, object("b", "b", "3", NULL));
	kube_store_list_end(store, "3");
	expect("list ns/a:>1 ");
}

static void a_cluster_restored_from_a_copy_replaces_everything(void **state)
{
	(void)state;
	kube_store_list_begin(store);
	kube_store_list_add(store, object("a", "a", "90", NULL));
	kube_store_list_end(store, "100");
	kube_store_list_begin(store);
	kube_store_list_add(store, object("a", "a", "40", NULL));
	kube_store_list_end(store, "50");
	expect("list ns/a:>90 list ns/a:90> list ns/a:>40 ");
	assert_string_equal(kube_store_rv(store), "50");
}

static void finds_objects_by_index(void **state)
{
	char names[100] = "";

	(void)state;
	kube_store_set(store, object("a", "a", "1", "pi"));
	kube_store_set(store, object("b", "b", "2", "pi"));
	kube_store_set(store, object("c", "c", "3", "other"));
	kube_store_set(store, object("d", "d", "4", NULL));
	assert_int_equal(kube_store_count_in(store, "pi"), 2);
	kube_store_set(store, object("a", "a", "5", "other"));
	kube_store_set(store, object("c", "c2", "6", "pi"));
	KUBE_STORE_EACH_IN(store, "pi", e)
	{
		strncat(names, kube_name(kube_store_object(e)), 10);
	}
	assert_string_equal(names, "bc");
	kube_store_remove(store, object("b", "b", "7", "pi"));
	kube_store_remove(store, object("c", "c2", "8", "pi"));
	assert_int_equal(kube_store_count_in(store, "pi"), 0);
	assert_null(kube_store_first_in(store, "pi"));
	assert_int_equal(kube_store_count_in(store, "other"), 1);
	names[0] = '\0';
	KUBE_STORE_EACH(store, o)
	{
		strncat(names, kube_name(o), 10);
	}
	assert_string_equal(names, "ad");
}

static void versions_without_an_order_take_the_later_arrival(void **state)
{
	(void)state;
	kube_store_set(store, object("a", "u", "x9", NULL));
	kube_store_set(store, object("a", "u", "x9", NULL));
	kube_store_set(store, object("a", "u", "x1", NULL));
	expect("ns/a:>x9 ns/a:x9>x1 ");
}

static void ignores_objects_without_a_usable_name(void **state)
{
	struct doc *bare = doc_new_map();

	(void)state;
	kube_store_set(store, bare);
	kube_store_remove(store, doc_new_map());
	kube_store_put(store, doc_new_str("x"));
	expect("");
}

#define T(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(keeps_the_newest_version_whatever_the_order),
		T(an_answer_does_not_bring_back_what_was_deleted),
		T(a_late_deletion_spares_the_new_object_of_that_name),
		T(a_list_replaces_but_keeps_what_is_newer),
		T(a_list_that_was_begun_again_leaves_no_trace),
		T(a_cluster_restored_from_a_copy_replaces_everything),
		T(finds_objects_by_index),
		T(versions_without_an_order_take_the_later_arrival),
		T(ignores_objects_without_a_usable_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
