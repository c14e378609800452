/* test_config.c - kubeconfig files, merging, in-cluster credentials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "kube/config.h"

static char dir[] = "/tmp/kube-config-XXXXXX";
static char path_text[8][256];

static const char *put(int slot, const char *name, const char *text)
{
	struct err err = { 0 };

	snprintf(path_text[slot], sizeof(path_text[slot]), "%s/%s", dir, name);
	assert_int_equal(file_write(path_text[slot], text, strlen(text), true, &err), 0);
	return path_text[slot];
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
	char command[300];
	static const char *const names[] = {
		"a", "b", "ca.crt", "token", "namespace", "cert", "key"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(command, sizeof(command), "%s/%s", dir, names[i]);
		unlink(command);
	}
	return rmdir(dir);
}

#define CONFIG(current, cluster, user)                                                             \
	"apiVersion: v1\nkind: Config\ncurrent-context: " current "\n"                             \
	"contexts:\n- {name: one, context: {cluster: c, user: u, namespace: team}}\n"              \
	"- {name: two, context: {cluster: c, user: u}}\n"                                          \
	"clusters:\n- name: c\n  cluster: " cluster "\nusers:\n- name: u\n  user: " user "\n"

static void reads_a_file_with_inline_data(void **state)
{
	AUTO(kube_config_done) struct kube_config c = { 0 };
	AUTO(kube_creds_done) struct kube_creds creds = { 0 };
	struct kube_config_where where = { 0 };
	struct err err = { 0 };

	(void)state;
	where.kubeconfig =
	    put(0, "a",
		CONFIG("one",
		       "{server: 'https://h:6443/', certificate-authority-data: Q0E=, "
		       "tls-server-name: name, proxy-url: 'socks5://p'}",
		       "{client-certificate-data: Q0VSVA==, client-key-data: S0VZ, "
		       "as: boss, as-groups: [dev, ops]}"));
	assert_int_equal(kube_config_load(&where, &c, &err), 0);
	assert_string_equal(c.server, "https://h:6443");
	assert_string_equal(c.ns, "team");
	assert_string_equal(c.context, "one");
	assert_string_equal(c.server_name, "name");
	assert_string_equal(c.proxy, "socks5://p");
	assert_string_equal(c.impersonate, "boss");
	assert_string_equal(c.impersonate_groups[1], "ops");
	assert_null(c.impersonate_groups[2]);
	assert_false(kube_config_has_files(&c));
	assert_int_equal(kube_creds_read(&c, &creds, &err), 0);
	assert_string_equal(buf_str(&creds.ca), "CA");
	assert_string_equal(buf_str(&creds.cert), "CERT");
	assert_string_equal(buf_str(&creds.key), "KEY");
	assert_int_equal(creds.token.len, 0);
}

static void reads_files_relative_to_the_kubeconfig_and_reads_them_again(void **state)
{
	AUTO(kube_config_done) struct kube_config c = { 0 };
	struct kube_creds creds = { 0 };
	struct kube_config_where where = { 0 };
	struct err err = { 0 };

	(void)state;
	where.kubeconfig = put(0, "a",
			       CONFIG("two", "{server: 'https://h', certificate-authority: ca.crt}",
				      "{tokenFile: token, token: old}"));
	where.context = "two";
	put(1, "ca.crt", "-----BEGIN CERTIFICATE-----\n");
	put(2, "token", "  first\n");
	assert_int_equal(kube_config_load(&where, &c, &err), 0);
	assert_string_equal(c.ns, "default");
	assert_true(kube_config_has_files(&c));
	assert_int_equal(kube_creds_read(&c, &creds, &err), 0);
	assert_string_equal(buf_str(&creds.token), "first");
	kube_creds_done(&creds);
	put(2, "token", "second");
	assert_int_equal(kube_creds_read(&c, &creds, &err), 0);
	assert_string_equal(buf_str(&creds.token), "second");
	kube_creds_done(&creds);
	put(2, "token", "\n");
	assert_int_equal(kube_creds_read(&c, &creds, &err), ERR_INVALID);
	err_clear(&err);
	put(2, "token", "x");
	put(1, "ca.crt", "");
	assert_int_equal(kube_creds_read(&c, &creds, &err), ERR_INVALID);
}

static void the_first_file_of_a_list_wins(void **state)
{
	AUTO(kube_config_done) struct kube_config c = { 0 };
	struct kube_config_where where = { 0 };
	char list[600];
	struct err err = { 0 };

	(void)state;
	put(0, "a", "clusters:\n- {name: c, cluster: {server: 'https://first'}}\n");
	put(1, "b", CONFIG("one", "{server: 'https://second'}", "{token: t}"));
	snprintf(list, sizeof(list), "%s:/no/such/file::%s", path_text[0], path_text[1]);
	where.env_kubeconfig = list;
	assert_int_equal(kube_config_load(&where, &c, &err), 0);
	assert_string_equal(c.server, "https://first");
	assert_string_equal(c.token, "t");
}

static void in_cluster_comes_before_the_environment_but_after_the_option(void **state)
{
	AUTO(kube_config_done) struct kube_config c = { 0 };
	AUTO(kube_config_done) struct kube_config d = { 0 };
	struct kube_config_where where = { .service_host = "fd00::1",
					   .service_port = "443",
					   .service_dir = dir };
	struct err err = { 0 };

	(void)state;
	put(1, "ca.crt", "-----BEGIN CERTIFICATE-----\n");
	put(2, "token", "t");
	put(3, "namespace", "kwarp-system");
	where.env_kubeconfig = put(0, "a", CONFIG("one", "{server: 'https://file'}", "{token: t}"));
	assert_int_equal(kube_config_load(&where, &c, &err), 0);
	assert_string_equal(c.server, "https://[fd00::1]:443");
	assert_string_equal(c.ns, "kwarp-system");
	assert_non_null(strstr(c.token_file, "/token"));
	where.kubeconfig = where.env_kubeconfig;
	assert_int_equal(kube_config_load(&where, &d, &err), 0);
	assert_string_equal(d.server, "https://file");
}

static const struct {
	const char *text;
	const char *message;
} wrong[] = {
	{ CONFIG("one", "{server: 'https://h'}", "{exec: {command: aws}}"),
	  "exec plugin \"aws\": exec plugins are not supported" },
	{ CONFIG("one", "{server: 'https://h'}", "{auth-provider: {name: gcp}}"),
	  "auth-provider \"gcp\" is not supported" },
	{ CONFIG("one", "{server: 'https://h'}", "{username: a, password: b}"),
	  "username and password are not supported" },
	{ CONFIG("one", "{server: 'https://h'}", "{client-certificate-data: Q0E=}"),
	  "a client certificate needs its key" },
	{ CONFIG("one", "{server: h}", "{}"), "must begin with https://" },
	{ CONFIG("one", "{}", "{}"), "no server" },
	{ CONFIG("three", "{server: 'https://h'}", "{}"), "no context \"three\"" },
	{ CONFIG("''", "{server: 'https://h'}", "{}"), "no current-context" },
	{ CONFIG("one", "{server: 'https://h', certificate-authority-data: '*'}", "{}"),
	  "certificate-authority-data" },
	{ "contexts:\n- {name: a, context: {cluster: x}}\ncurrent-context: a\n",
	  "no cluster \"x\"" },
	{ "a: [", "line" },
};

static void says_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct kube_config c = { 0 };
		struct kube_config_where where = { .kubeconfig = put(0, "a", wrong[i].text) };
		struct err err = { 0 };

		assert_true(kube_config_load(&where, &c, &err) < 0);
		if (strstr(err.text, wrong[i].message) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", err.text, wrong[i].message);
	}
}

static void says_where_it_looked_when_there_is_nothing(void **state)
{
	struct kube_config c = { 0 };
	struct kube_config_where where = { .home = "/no/such/home" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(kube_config_load(&where, &c, &err), ERR_NOT_FOUND);
	assert_non_null(strstr(err.text, "--kubeconfig"));
	err_clear(&err);
	where.kubeconfig = "/no/such/file";
	assert_int_equal(kube_config_load(&where, &c, &err), ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_file_with_inline_data),
		cmocka_unit_test(reads_files_relative_to_the_kubeconfig_and_reads_them_again),
		cmocka_unit_test(the_first_file_of_a_list_wins),
		cmocka_unit_test(in_cluster_comes_before_the_environment_but_after_the_option),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(says_where_it_looked_when_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
