/* uses: kube */
/*
 * kube_smoke.c - lib/kube against a real API server.
 *
 *     kube_smoke KUBECONFIG calls          each verb, refusals, preconditions
 *     kube_smoke KUBECONFIG many COUNT     COUNT objects created, listed, watched, deleted
 *     kube_smoke KUBECONFIG follow NAME [SILENCE_MS]
 *                                          watch until the ConfigMap NAME is there, at most 90 s;
 *                                          a watch that is silent for that long is closed
 *     kube_smoke KUBECONFIG lead LEASE_MS HOLD_MS
 *                                          "leading EPOCH" when it leads; "released" after HOLD_MS
 *
 * The last line is "N passed, N failed".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "kube/kube.h"

static int passed;
static int failed;

static struct loop *loop;
static struct http *http;
static struct kube_client *client;

static void check(bool ok, const char *name, const struct err *err)
{
	passed += ok;
	failed += !ok;
	printf("%s %s%s%s\n", ok ? "ok  " : "FAIL", name, err != NULL && !ok ? ": " : "",
	       err != NULL && !ok ? err->text : "");
	fflush(stdout);
}

static void die(const char *what, const struct err *err)
{
	printf("FAIL %s: %s\n0 passed, 1 failed\n", what, err->text);
	exit(1);
}

static void connect_to(const char *kubeconfig)
{
	struct kube_config_where where = { .kubeconfig = kubeconfig };
	struct kube_config config = { 0 };
	struct err err = { 0 };

	if (loop_new(&loop, &err) < 0 || http_new(loop, "kube-smoke/1", &http, &err) < 0 ||
	    kube_config_load(&where, &config, &err) < 0 ||
	    kube_client_new(
		&(struct kube_client_spec){ .loop = loop, .http = http, .config = &config },
		&client, &err) < 0)
		die("start", &err);
}

static struct doc *config_map(const char *name, const char *value)
{
	struct doc *o = kube_new_object(&kube_configmaps, "default", name);

	doc_set_path(o, "metadata.labels.smoke", doc_new_str("yes"));
	doc_set_path(o, "data.key", doc_new_str(value));
	return o;
}

static struct kube_spec on_map(enum kube_verb verb, const char *name, const struct doc *body)
{
	return (struct kube_spec){ .verb = verb,
				   .resource = &kube_configmaps,
				   .ns = "default",
				   .name = name,
				   .body = body };
}

/* ---- calls ---- */

static void expect(const char *what, struct kube_spec spec, int code, struct doc **ret)
{
	struct err err = { 0 };
	int rc = kube_call_wait(client, &spec, ret, &err);

	check(rc == code, what, &err);
	if (rc != 0 && code != 0)
		printf("     %s\n", err.text);
}

static void test_writes(void)
{
	AUTO(doc_unrefp) struct doc *map = config_map("smoke-a", "one");
	AUTO(doc_unrefp) struct doc *made = NULL;
	AUTO(doc_unrefp) struct doc *changed = NULL;
	AUTO(doc_unrefp) struct doc *patched = NULL;
	AUTO(doc_unrefp) struct doc *merge = doc_new_map();
	AUTO(doc_unrefp) struct doc *ops = doc_new_list();
	AUTO(doc_unrefp) struct doc *op = doc_new_map();
	AUTO(doc_unrefp) struct doc *edited = NULL;

	expect("create", on_map(KUBE_CREATE, NULL, map), 0, &made);
	expect("create again is EXISTS", on_map(KUBE_CREATE, NULL, map), ERR_EXISTS, NULL);
	edited = doc_copy(made);
	doc_set_path(edited, "data.key", doc_new_str("two"));
	expect("update", on_map(KUBE_UPDATE, "smoke-a", edited), 0, &changed);
	check(strcmp(doc_str(changed, "data.key", ""), "two") == 0, "update changes", NULL);
	expect("update of an old version is CONFLICT", on_map(KUBE_UPDATE, "smoke-a", edited),
	       ERR_CONFLICT, NULL);
	doc_set_path(merge, "data.more", doc_new_str("x"));
	expect("merge patch", on_map(KUBE_PATCH_MERGE, "smoke-a", merge), 0, NULL);
	doc_set_str(op, "op", "replace");
	doc_set_str(op, "path", "/data/key");
	doc_set_str(op, "value", "three");
	doc_add(ops, doc_ref(op));
	expect("JSON patch", on_map(KUBE_PATCH_JSON, "smoke-a", ops), 0, &patched);
	check(strcmp(doc_str(patched, "data.key", ""), "three") == 0 &&
		  strcmp(doc_str(patched, "data.more", ""), "x") == 0,
	      "patches change", NULL);
}

static void test_apply_and_delete(void)
{
	AUTO(doc_unrefp) struct doc *map = config_map("smoke-a", "applied");
	AUTO(doc_unrefp) struct doc *applied = NULL;
	AUTO(doc_unrefp) struct doc *wrong = kube_delete_options("no-such-uid", NULL, -1);
	AUTO(doc_unrefp) struct doc *right = NULL;

	expect("server-side apply", on_map(KUBE_APPLY, "smoke-a", map), 0, &applied);
	check(strcmp(doc_str(applied, "data.key", ""), "applied") == 0, "apply changes", NULL);
	expect("delete with another uid is CONFLICT", on_map(KUBE_DELETE, "smoke-a", wrong),
	       ERR_CONFLICT, NULL);
	right = kube_delete_options(kube_uid(applied), kube_rv(applied), 0);
	expect("delete with uid and version", on_map(KUBE_DELETE, "smoke-a", right), 0, NULL);
	expect("get is NOT_FOUND", on_map(KUBE_GET, "smoke-a", NULL), ERR_NOT_FOUND, NULL);
}

static void test_calls(void)
{
	AUTO(doc_unrefp) struct doc *list = NULL;
	AUTO(doc_unrefp) struct doc *bad = doc_new_map();
	struct kube_spec spaces = { .verb = KUBE_LIST, .resource = &kube_namespaces };
	int64_t server_ms = 0;

	expect("list", spaces, 0, &list);
	check(doc_count(doc_get(list, "items")) >= 1, "list has items", NULL);
	check(kube_client_server_now_ms(client, &server_ms) &&
		  llabs(server_ms - clock_wall_ms()) < 5000,
	      "the server's clock", NULL);
	spaces.metadata_only = true;
	doc_unref(MOVE(list));
	expect("list metadata only", spaces, 0, &list);
	check(strcmp(doc_str(list, "kind", ""), "PartialObjectMetadataList") == 0, "metadata only",
	      NULL);
	expect("raw path", (struct kube_spec){ .verb = KUBE_GET, .path = "/version" }, 0, NULL);
	doc_set_path(bad, "metadata.name", doc_new_str("UPPER"));
	expect("a bad name is INVALID", on_map(KUBE_CREATE, NULL, bad), ERR_INVALID, NULL);
	test_writes();
	test_apply_and_delete();
}

/* ---- many ---- */

enum { MAX_MANY = 5000 };

static struct kube_call *calls[MAX_MANY];
static int done;
static int errors;

static void on_done(void *arg, const struct kube_answer *a)
{
	struct kube_call **call = arg;

	done++;
	if (a->err->code != 0 && errors++ < 3)
		printf("     %s\n", a->err->text);
	kube_call_free(MOVE(*call));
}

static void all_of(enum kube_verb verb, int count, const char *what)
{
	int64_t start_ms = clock_boot_ms();

	done = 0;
	errors = 0;
	for (int i = 0; i < count; i++) {
		AUTO(doc_unrefp) struct doc *map = NULL;
		char name[64];
		struct err err = { 0 };
		struct kube_spec spec;

		snprintf(name, sizeof(name), "smoke-%05d", i);
		map = config_map(name, "v");
		spec = on_map(verb, verb == KUBE_CREATE ? NULL : name,
			      verb == KUBE_CREATE ? map : NULL);
		spec.on_done = on_done;
		spec.arg = &calls[i];
		if (kube_call_start(client, &spec, &calls[i], &err) < 0)
			die(what, &err);
	}
	while (done < count)
		loop_turn(loop, -1);
	check(errors == 0, what, NULL);
	printf("     %s: %d in %lld ms\n", what, count, (long long)(clock_boot_ms() - start_ms));
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

struct follower {
	struct kube_store *store;
	struct kube_reflector *reflector;
	int64_t start_ms;
	int64_t synced_ms;
	int changes;
};

static void on_change(void *arg, const struct kube_change *c)
{
	struct follower *f = arg;

	(void)c;
	f->changes++;
}

static void on_synced(void *arg)
{
	struct follower *f = arg;

	f->synced_ms = clock_boot_ms() - f->start_ms;
}

static void follow(struct follower *f, bool no_watchlist, int64_t silence_ms)
{
	struct err err = { 0 };

	*f = (struct follower){ .start_ms = clock_boot_ms() };
	f->store = kube_store_new(&(struct kube_store_spec){ .on_change = on_change, .arg = f });
	if (kube_reflector_start(
		&(struct kube_reflector_spec){ .client = client,
					       .resource = &kube_configmaps,
					       .ns = "default",
					       .watch = { .label_selector = "smoke=yes",
							  .no_watchlist = no_watchlist,
							  .silence_ms = silence_ms },
					       .store = f->store,
					       .on_synced = on_synced,
					       .arg = f },
		&f->reflector, &err) < 0)
		die("reflector", &err);
}

static void unfollow(struct follower *f)
{
	kube_reflector_free(f->reflector);
	kube_store_free(f->store);
}

static bool wait_until(const struct follower *f, size_t count, int64_t limit_ms)
{
	int64_t end_ms = clock_boot_ms() + limit_ms;

	while (clock_boot_ms() < end_ms) {
		if (kube_store_is_synced(f->store) && kube_store_count(f->store) == count)
			return true;
		loop_turn(loop, 100);
	}
	printf("     has %zu of %zu, trouble: %s\n", kube_store_count(f->store), count,
	       kube_watch_trouble(kube_reflector_watch(f->reflector))->text);
	return false;
}

static void test_many(int count)
{
	struct follower early;
	struct follower listed;
	struct follower streamed;

	follow(&early, false, 0);
	check(wait_until(&early, 0, 10000), "an empty collection is synced", NULL);
	all_of(KUBE_CREATE, count, "create many");
	check(wait_until(&early, (size_t)count, 20000), "a watch sees all of them", NULL);
	follow(&listed, true, 0);
	check(wait_until(&listed, (size_t)count, 20000), "a list has all of them", NULL);
	follow(&streamed, false, 0);
	check(wait_until(&streamed, (size_t)count, 20000), "a WatchList has all of them", NULL);
	printf("     synced: list %lld ms, WatchList %lld ms; WatchList was %s\n",
	       (long long)listed.synced_ms, (long long)streamed.synced_ms,
	       kube_watch_counts(kube_reflector_watch(streamed.reflector))->streams == 1
		   ? "used"
		   : "not used");
	printf("     descriptors: %d\n", count_fds());
	check(count_fds() < 40, "few connections carry everything", NULL);
	all_of(KUBE_DELETE, count, "delete many");
	check(wait_until(&early, 0, 20000), "deletions are seen", NULL);
	check(wait_until(&listed, 0, 20000), "also after a list", NULL);
	check(wait_until(&streamed, 0, 20000), "also after a WatchList", NULL);
	check(early.changes == 2 * count, "each change comes once", NULL);
	unfollow(&early);
	unfollow(&listed);
	unfollow(&streamed);
}

/* ---- follow ---- */

static void test_follow(const char *name, int64_t silence_ms)
{
	int64_t end_ms = clock_boot_ms() + 90000;
	struct follower f;
	char key[KUBE_KEY];

	follow(&f, false, silence_ms);
	kube_key_of("default", name, key);
	printf("following\n");
	fflush(stdout);
	while (clock_boot_ms() < end_ms && kube_store_get(f.store, key) == NULL)
		loop_turn(loop, 100);
	check(kube_store_get(f.store, key) != NULL, "the watch goes on by itself",
	      kube_watch_trouble(kube_reflector_watch(f.reflector)));
	printf("     lists %llu, streams %llu, silent %llu\n",
	       (unsigned long long)kube_watch_counts(kube_reflector_watch(f.reflector))->lists,
	       (unsigned long long)kube_watch_counts(kube_reflector_watch(f.reflector))->streams,
	       (unsigned long long)kube_watch_counts(kube_reflector_watch(f.reflector))->silent);
	unfollow(&f);
}

/* ---- lead ---- */

struct leader {
	struct kube_lease *lease;
	struct timer *timer;
	int64_t hold_ms;
	bool over;
};

static void on_leading(void *arg, int64_t epoch)
{
	struct leader *l = arg;

	printf("leading %lld\n", (long long)epoch);
	fflush(stdout);
	check(kube_lease_left_ms(l->lease, clock_boot_ms()) > 0, "leadership is certain", NULL);
	timer_start(l->timer, l->hold_ms);
}

static void on_lost(void *arg, const char *why)
{
	struct leader *l = arg;

	printf("lost: %s\n", why);
	failed++;
	l->over = true;
}

static void on_released(void *arg)
{
	struct leader *l = arg;

	printf("released\n");
	l->over = true;
}

static void on_held(void *arg)
{
	struct leader *l = arg;

	check(kube_lease_is_leading(l->lease), "it leads until it releases", NULL);
	kube_lease_release(l->lease, on_released, l);
}

static void test_lead(int64_t lease_ms, int64_t hold_ms)
{
	struct leader l = { .hold_ms = hold_ms };
	struct err err = { 0 };

	l.timer = timer_new(loop, "hold", on_held, &l);
	if (kube_lease_start(&(struct kube_lease_spec){ .client = client,
							.ns = "default",
							.name = "smoke",
							.lease_ms = lease_ms,
							.renew_ms = lease_ms * 2 / 3,
							.retry_ms = lease_ms / 8,
							.on_leading = on_leading,
							.on_lost = on_lost,
							.arg = &l },
			     &l.lease, &err) < 0)
		die("lease", &err);
	while (!l.over)
		loop_turn(loop, -1);
	kube_lease_free(l.lease);
	timer_free(l.timer);
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int64_t count = 0;
	int64_t silence_ms = 0;

	if (argc < 3 || (strcmp(argv[2], "calls") != 0 && argc < 4)) {
		fprintf(
		    stderr,
		    "usage: kube_smoke KUBECONFIG calls | many COUNT | follow NAME | lead ...\n");
		return 2;
	}
	connect_to(argv[1]);
	if (argc > 4 && num_parse_i64(argv[4], strlen(argv[4]), 1, 600000, &silence_ms, &err) < 0)
		die("SILENCE_MS", &err);
	if (strcmp(argv[2], "calls") == 0)
		test_calls();
	else if (strcmp(argv[2], "follow") == 0)
		test_follow(argv[3], silence_ms);
	else if (strcmp(argv[2], "lead") == 0 &&
		 num_parse_i64(argv[3], strlen(argv[3]), 100, 60000, &count, &err) == 0)
		test_lead(count, silence_ms);
	else if (num_parse_i64(argv[3], strlen(argv[3]), 1, MAX_MANY, &count, &err) == 0)
		test_many((int)count);
	kube_client_free(client);
	http_free(http);
	loop_free(loop);
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
