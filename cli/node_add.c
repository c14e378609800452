/* node_add.c - see node_add.h. */
#include "cli/node_add.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "controller/decide/node.h"
#include "doc/doc.h"
#include "hash/hash.h"
#include "kube/object.h"

enum { CREDENTIAL = 32 };

static int check(const struct node_add *n, struct err *err)
{
	const char *const labels[] = { n->owner, n->zone };

	if (!text_is_dns_name(n->name) || strlen(n->name) > 63)
		return err_set(err, ERR_INVALID,
			       "%.80s: a node's name is a DNS name of at most 63 characters",
			       n->name);
	if (n->pool != NULL && !text_is_dns_label(n->pool))
		return err_set(err, ERR_INVALID, "--pool %.80s: not a DNS label", n->pool);
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (labels[i] != NULL && strlen(labels[i]) > 253)
			return err_set(err, ERR_INVALID, "%.20s...: at most 253 characters",
				       labels[i]);
	return 0;
}

/* The Secret holds the digest of the credential's text, never the credential. */
static struct doc *secret_of(const struct node_add *n, const char *credential)
{
	AUTO(buf_done) struct buf name = { .max = 256 };
	AUTO(buf_done) struct buf base64 = { .max = 256 };
	struct hash_digest digest;
	struct err err = { 0 };
	char hex[HASH_HEX];
	struct doc *secret;

	hash_bytes(credential, strlen(credential), &digest);
	hash_hex(&digest, hex);
	buf_note(&name, "kwarp-node-%s", n->name);
	ASSERT(text_base64(hex, strlen(hex), &base64, &err) == 0);
	secret = kube_new_object(&kube_secrets, n->ns, buf_str(&name));
	doc_set_path(secret, "metadata.labels['kwarp.dev/node']", doc_new_str(n->name));
	doc_set_path(secret, "data.sha256", doc_new_str(buf_str(&base64)));
	return secret;
}

static void print_join(const struct node_add *n, const struct doc *map, const char *credential,
		       struct buf *out)
{
	const char *ca = doc_str(doc_member(doc_get(map, "data"), "ca.crt"), "", "");

	buf_note(out, "# kwarp-agent --join FILE; whoever has this file is node %s\n", n->name);
	buf_note(out, "address: %s\n", doc_str(map, "data.address", ""));
	buf_note(out, "name: %s\n", n->name);
	buf_note(out, "credential: \"%s\"\n", credential);
	buf_note(out, "ca: |\n");
	while (*ca != '\0') {
		size_t len = strcspn(ca, "\n");

		buf_note(out, "  %.*s\n", (int)len, ca);
		ca += len + (ca[len] == '\n');
	}
}

static int read_map(struct cluster *c, const struct node_add *n, struct doc **ret, struct err *err)
{
	if (cluster_get(c, &kube_configmaps, n->ns, "kwarp-data-plane", ret, err) == 0)
		return 0;
	if (err->code != ERR_NOT_FOUND)
		return err->code;
	err_clear(err);
	return err_set(err, ERR_NOT_FOUND,
		       "ConfigMap kwarp-data-plane is not in namespace %s: has kwarp-controller "
		       "started there (--namespace)?",
		       n->ns);
}

int node_add(struct cluster *c, const struct node_add *n, struct buf *out, struct err *err)
{
	AUTO(doc_unrefp) struct doc *map = NULL;
	AUTO(doc_unrefp) struct doc *node = NULL;
	AUTO(doc_unrefp) struct doc *secret = NULL;
	unsigned char bytes[CREDENTIAL];
	char credential[2 * CREDENTIAL + 1];

	if (check(n, err) < 0 || read_map(c, n, &map, err) < 0)
		return err->code;
	hash_random(bytes, sizeof(bytes));
	text_hex(bytes, sizeof(bytes), credential);
	node = node_warp_build(n->name, n->owner, n->zone, n->pool);
	secret = secret_of(n, credential);
	if (cluster_put(c, &kube_warpnodes, NULL, node, err) < 0)
		return err_wrap(err, "WarpNode %s", n->name);
	if (cluster_put(c, &kube_secrets, n->ns, secret, err) < 0)
		return err_wrap(err, "Secret kwarp-node-%s", n->name);
	print_join(n, map, credential, out);
	return 0;
}
