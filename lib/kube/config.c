/* config.c - see config.h. */
#include "kube/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "doc/doc.h"

enum {
	MAX_FILE = 4 * 1024 * 1024,
	MAX_PEM = 1024 * 1024,
	MAX_TOKEN = 64 * 1024,
	MAX_FILES = 32,
};

static const char service_account[] = "/var/run/secrets/kubernetes.io/serviceaccount";

void kube_config_where_env(struct kube_config_where *where)
{
	/* NOLINTBEGIN(concurrency-mt-unsafe): at start there is one thread */
	where->env_kubeconfig = getenv("KUBECONFIG");
	where->home = getenv("HOME");
	where->service_host = getenv("KUBERNETES_SERVICE_HOST");
	where->service_port = getenv("KUBERNETES_SERVICE_PORT");
	/* NOLINTEND(concurrency-mt-unsafe) */
}

static void wipe(struct buf *b)
{
	if (b->data != NULL)
		explicit_bzero(b->data, b->cap);
	buf_done(b);
}

void kube_config_done(struct kube_config *c)
{
	char *const texts[] = { c->server,   c->ns,          c->context, c->server_name,
				c->proxy,    c->impersonate, c->ca_file, c->cert_file,
				c->key_file, c->token_file };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		mem_free(texts[i]);
	for (size_t i = 0; i < KUBE_MAX_GROUPS; i++)
		mem_free(c->impersonate_groups[i]);
	if (c->token != NULL)
		explicit_bzero(c->token, strlen(c->token));
	mem_free(c->token);
	buf_done(&c->ca);
	buf_done(&c->cert);
	wipe(&c->key);
	*c = (struct kube_config){ 0 };
}

/* ---- paths ---- */

static char *join(const char *folder, size_t folder_len, const char *name)
{
	AUTO(buf_done) struct buf b = { .max = folder_len + strlen(name) + 1 };
	struct err err = { 0 };

	if (buf_add(&b, folder, folder_len, &err) < 0 || buf_addc(&b, '/', &err) < 0 ||
	    buf_adds(&b, name, &err) < 0)
		ASSERT(!"the size was counted");
	return buf_take(&b);
}

/* A path in a kubeconfig is relative to that file. */
static char *relative_to(const char *kubeconfig, const char *name)
{
	const char *slash = strrchr(kubeconfig, '/');

	if (name[0] == '/' || slash == NULL)
		return mem_strdup(name);
	return join(kubeconfig, (size_t)(slash - kubeconfig), name);
}

/* ---- merged kubeconfig files ---- */

struct file {
	char *path; /* owned */
	struct doc *doc;
};

struct files {
	struct file files[MAX_FILES];
	size_t count;
};

static void files_done(struct files *f)
{
	for (size_t i = 0; i < f->count; i++) {
		mem_free(f->files[i].path);
		doc_unref(f->files[i].doc);
	}
}

static int add_file(struct files *f, const char *path, bool must_exist, struct err *err)
{
	AUTO(buf_done) struct buf text = { .max = MAX_FILE };
	struct doc *doc = NULL;

	if (f->count == MAX_FILES)
		return err_set(err, ERR_TOO_BIG, "more than %d kubeconfig files", MAX_FILES);
	if (file_read(path, &text, err) < 0) {
		if (must_exist || err->code != ERR_NOT_FOUND)
			return err_wrap(err, "kubeconfig");
		err_clear(err);
		return 0;
	}
	if (doc_parse_yaml(text.data, text.len, NULL, &doc, err) < 0)
		return err_wrap(err, "kubeconfig %s", path);
	explicit_bzero(text.data, text.len);
	f->files[f->count++] = (struct file){ .path = mem_strdup(path), .doc = doc };
	return 0;
}

static int add_list(struct files *f, const char *list, struct err *err)
{
	while (*list != '\0') {
		size_t len = strcspn(list, ":");
		AUTO(mem_freep) char *path = mem_strndup(list, len);

		if (len > 0 && add_file(f, path, false, err) < 0)
			return err->code;
		list += len + (list[len] == ':');
	}
	return 0;
}

static const char *current_context(const struct files *f)
{
	for (size_t i = 0; i < f->count; i++) {
		const char *name = doc_str(f->files[i].doc, "current-context", "");

		if (name[0] != '\0')
			return name;
	}
	return "";
}

/* The value of `what` ("cluster") of the entry with that name in the lists `lists` ("clusters") of
 * the first file that has it, or NULL. */
static const struct doc *find(const struct files *f, const char *lists, const char *what,
			      const char *name, const char **ret_path)
{
	for (size_t i = 0; i < f->count; i++) {
		DOC_EACH(doc_member(f->files[i].doc, lists), entry)
		{
			if (strcmp(doc_str(entry, "name", ""), name) != 0)
				continue;
			*ret_path = f->files[i].path;
			return doc_member(entry, what);
		}
	}
	return NULL;
}

static char *str_or_null(const struct doc *d, const char *key)
{
	const char *s = doc_str(doc_member(d, key), "", "");

	return s[0] != '\0' ? mem_strdup(s) : NULL;
}

/* KEY-data (base64) into *ret_bytes, else KEY (a path) into *ret_file. */
static int load_data(const struct doc *d, const char *key, const char *config_path,
		     struct buf *ret_bytes, char **ret_file, struct err *err)
{
	AUTO(buf_done) struct buf data_key = { .max = 64 };
	const char *data;
	const char *path = doc_str(doc_member(d, key), "", "");

	if (buf_addfe(&data_key, err, "%s-data", key) < 0)
		return err->code;
	data = doc_str(doc_member(d, buf_str(&data_key)), "", "");
	ret_bytes->max = MAX_PEM;
	if (data[0] != '\0') {
		if (text_unbase64(data, strlen(data), ret_bytes, err) < 0)
			return err_wrap(err, "%s", buf_str(&data_key));
		return 0;
	}
	if (path[0] != '\0')
		*ret_file = relative_to(config_path, path);
	return 0;
}

static int load_cluster(const struct doc *d, const char *path, struct kube_config *c,
			struct err *err)
{
	size_t len;

	c->server = str_or_null(d, "server");
	if (c->server == NULL)
		return err_set(err, ERR_INVALID, "no server");
	if (!text_starts(c->server, "https://") && !text_starts(c->server, "http://"))
		return err_set(err, ERR_INVALID,
			       "server %.100s: must begin with https:// or http://", c->server);
	len = strlen(c->server);
	while (len > 0 && c->server[len - 1] == '/')
		c->server[--len] = '\0';
	c->server_name = str_or_null(d, "tls-server-name");
	c->proxy = str_or_null(d, "proxy-url");
	c->insecure = doc_bool(d, "insecure-skip-tls-verify", false);
	return load_data(d, "certificate-authority", path, &c->ca, &c->ca_file, err);
}

/* What we do not do is said by name, not found out by a 401. */
static int refuse_unsupported(const struct doc *d, struct err *err)
{
	if (doc_has(d, "exec"))
		return err_set(
		    err, ERR_INVALID,
		    "exec plugin \"%.80s\": exec plugins are not supported; use a token, "
		    "a tokenFile or a client certificate",
		    doc_str(d, "exec.command", ""));
	if (doc_has(d, "auth-provider"))
		return err_set(err, ERR_INVALID, "auth-provider \"%.80s\" is not supported",
			       doc_str(d, "auth-provider.name", ""));
	if (doc_has(d, "username") || doc_has(d, "password"))
		return err_set(err, ERR_INVALID, "username and password are not supported");
	if (doc_has(d, "as-uid") || doc_has(d, "as-user-extra"))
		return err_set(err, ERR_INVALID, "as-uid and as-user-extra are not supported");
	return 0;
}

static int load_groups(const struct doc *d, struct kube_config *c, struct err *err)
{
	size_t n = 0;

	DOC_EACH(doc_member(d, "as-groups"), group)
	{
		const char *name;

		if (doc_read_str(group, "", 253, &name, err) < 0)
			return err_wrap(err, "as-groups");
		if (n == KUBE_MAX_GROUPS)
			return err_set(err, ERR_TOO_BIG, "more than %d as-groups", KUBE_MAX_GROUPS);
		c->impersonate_groups[n++] = mem_strdup(name);
	}
	return 0;
}

static int load_user(const struct doc *d, const char *path, struct kube_config *c, struct err *err)
{
	const char *token_file = doc_str(doc_member(d, "tokenFile"), "", "");

	if (refuse_unsupported(d, err) < 0 ||
	    load_data(d, "client-certificate", path, &c->cert, &c->cert_file, err) < 0 ||
	    load_data(d, "client-key", path, &c->key, &c->key_file, err) < 0 ||
	    load_groups(d, c, err) < 0)
		return err->code;
	if (token_file[0] != '\0')
		c->token_file = relative_to(path, token_file);
	c->token = str_or_null(d, "token");
	c->impersonate = str_or_null(d, "as");
	if ((c->cert.len > 0 || c->cert_file != NULL) != (c->key.len > 0 || c->key_file != NULL))
		return err_set(err, ERR_INVALID, "a client certificate needs its key");
	return 0;
}

static int load_context(const struct files *f, const char *name, struct kube_config *c,
			struct err *err)
{
	const char *path;
	const struct doc *context = find(f, "contexts", "context", name, &path);
	const char *cluster_name = doc_str(context, "cluster", "");
	const char *user_name = doc_str(context, "user", "");
	const struct doc *cluster;
	const struct doc *user;

	if (context == NULL)
		return err_set(err, ERR_NOT_FOUND, "kubeconfig: no context \"%.80s\"", name);
	c->context = mem_strdup(name);
	c->ns = mem_strdup(doc_str(context, "namespace", "default"));
	cluster = find(f, "clusters", "cluster", cluster_name, &path);
	if (cluster == NULL)
		return err_set(err, ERR_NOT_FOUND, "kubeconfig: no cluster \"%.80s\"",
			       cluster_name);
	if (load_cluster(cluster, path, c, err) < 0)
		return err_wrap(err, "kubeconfig %s: cluster %.60s", path, cluster_name);
	if (user_name[0] == '\0')
		return 0;
	user = find(f, "users", "user", user_name, &path);
	if (user == NULL)
		return err_set(err, ERR_NOT_FOUND, "kubeconfig: no user \"%.80s\"", user_name);
	if (load_user(user, path, c, err) < 0)
		return err_wrap(err, "kubeconfig %s: user %.60s", path, user_name);
	return 0;
}

static int load_files(const struct files *f, const struct kube_config_where *where,
		      struct kube_config *c, struct err *err)
{
	const char *name = where->context != NULL ? where->context : current_context(f);

	if (f->count == 0)
		return err_set(err, ERR_NOT_FOUND,
			       "no cluster: give --kubeconfig, set KUBECONFIG or write "
			       "~/.kube/config");
	if (name[0] == '\0')
		return err_set(err, ERR_NOT_FOUND, "kubeconfig %s: no current-context",
			       f->files[0].path);
	return load_context(f, name, c, err);
}

/* ---- in the cluster ---- */

static bool is_in_cluster(const struct kube_config_where *where, char **ret_token_file)
{
	const char *dir = where->service_dir != NULL ? where->service_dir : service_account;
	AUTO(mem_freep) char *path = join(dir, strlen(dir), "token");
	AUTO(buf_done) struct buf b = { .max = MAX_TOKEN };
	struct err err = { 0 };

	if (where->service_host == NULL || where->service_host[0] == '\0')
		return false;
	if (file_read(path, &b, &err) < 0)
		return false;
	*ret_token_file = MOVE(path);
	return true;
}

static int load_in_cluster(const struct kube_config_where *where, struct kube_config *c,
			   struct err *err)
{
	const char *dir = where->service_dir != NULL ? where->service_dir : service_account;
	const char *port = where->service_port != NULL ? where->service_port : "443";
	bool v6 = strchr(where->service_host, ':') != NULL;
	AUTO(mem_freep) char *ns_path = join(dir, strlen(dir), "namespace");
	AUTO(buf_done) struct buf server = { .max = 1024 };
	AUTO(buf_done) struct buf ns = { .max = 256 };

	if (buf_addfe(&server, err, "https://%s%s%s:%s", v6 ? "[" : "", where->service_host,
		      v6 ? "]" : "", port) < 0)
		return err->code;
	if (file_read(ns_path, &ns, err) < 0)
		err_clear(err);
	c->server = buf_take(&server);
	c->ns = ns.len > 0 ? buf_take(&ns) : mem_strdup("default");
	c->context = mem_strdup("in-cluster");
	c->ca_file = join(dir, strlen(dir), "ca.crt");
	return 0;
}

static int load(const struct kube_config_where *where, struct kube_config *c, struct err *err)
{
	AUTO(files_done) struct files f = { 0 };

	if (where->kubeconfig != NULL) {
		if (add_file(&f, where->kubeconfig, true, err) < 0)
			return err->code;
		return load_files(&f, where, c, err);
	}
	if (is_in_cluster(where, &c->token_file))
		return load_in_cluster(where, c, err);
	if (where->env_kubeconfig != NULL && where->env_kubeconfig[0] != '\0') {
		if (add_list(&f, where->env_kubeconfig, err) < 0)
			return err->code;
	} else if (where->home != NULL) {
		AUTO(mem_freep) char *path = join(where->home, strlen(where->home), ".kube/config");

		if (add_file(&f, path, false, err) < 0)
			return err->code;
	}
	return load_files(&f, where, c, err);
}

int kube_config_load(const struct kube_config_where *where, struct kube_config *ret,
		     struct err *err)
{
	AUTO(kube_config_done) struct kube_config c = { 0 };

	if (load(where, &c, err) < 0)
		return err->code;
	*ret = c;
	memset(&c, 0, sizeof(c));
	return 0;
}

/* ---- credentials ---- */

void kube_creds_done(struct kube_creds *c)
{
	buf_done(&c->ca);
	buf_done(&c->cert);
	wipe(&c->key);
	wipe(&c->token);
}

static int read_pem(const char *file, const struct buf *inline_bytes, struct buf *ret,
		    struct err *err)
{
	ret->max = MAX_PEM;
	if (file == NULL)
		return buf_add(ret, buf_str(inline_bytes), inline_bytes->len, err);
	if (file_read(file, ret, err) < 0)
		return err->code;
	if (strstr(buf_str(ret), "-----BEGIN ") == NULL)
		return err_set(err, ERR_INVALID, "%s: no PEM", file);
	return 0;
}

static int read_token(const struct kube_config *c, struct buf *ret, struct err *err)
{
	size_t blanks;

	ret->max = MAX_TOKEN;
	if (c->token_file == NULL)
		return c->token != NULL ? buf_adds(ret, c->token, err) : 0;
	if (file_read(c->token_file, ret, err) < 0)
		return err->code;
	while (ret->len > 0 && (unsigned char)ret->data[ret->len - 1] <= ' ')
		ret->data[--ret->len] = '\0';
	blanks = strspn(buf_str(ret), " \t\r\n");
	buf_drop(ret, blanks);
	if (ret->len == 0)
		return err_set(err, ERR_INVALID, "%s: empty", c->token_file);
	return 0;
}

int kube_creds_read(const struct kube_config *c, struct kube_creds *ret, struct err *err)
{
	AUTO(kube_creds_done) struct kube_creds creds = { 0 };

	if (read_pem(c->ca_file, &c->ca, &creds.ca, err) < 0 ||
	    read_pem(c->cert_file, &c->cert, &creds.cert, err) < 0 ||
	    read_pem(c->key_file, &c->key, &creds.key, err) < 0 ||
	    read_token(c, &creds.token, err) < 0)
		return err_wrap(err, "credentials");
	*ret = creds;
	memset(&creds, 0, sizeof(creds));
	return 0;
}

bool kube_config_has_files(const struct kube_config *c)
{
	return c->ca_file != NULL || c->cert_file != NULL || c->key_file != NULL ||
	       c->token_file != NULL;
}
