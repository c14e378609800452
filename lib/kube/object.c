/* object.c - see object.h. */
#include "kube/object.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "http/http.h"

const struct kube_resource kube_pods = { "", "v1", "pods", "Pod", true };
const struct kube_resource kube_nodes = { "", "v1", "nodes", "Node", false };
const struct kube_resource kube_namespaces = { "", "v1", "namespaces", "Namespace", false };
const struct kube_resource kube_secrets = { "", "v1", "secrets", "Secret", true };
const struct kube_resource kube_configmaps = { "", "v1", "configmaps", "ConfigMap", true };
const struct kube_resource kube_events = { "", "v1", "events", "Event", true };
const struct kube_resource kube_leases = { "coordination.k8s.io", "v1", "leases", "Lease", true };
const struct kube_resource kube_warpjobs = { "kwarp.dev", "v1alpha1", "warpjobs", "WarpJob", true };
const struct kube_resource kube_warpnodes = { "kwarp.dev", "v1alpha1", "warpnodes", "WarpNode",
					      false };
const struct kube_resource kube_warptickets = { "kwarp.dev", "v1alpha1", "warptickets",
						"WarpTicket", true };

const char *kube_api_version(const struct kube_resource *r, char text[KUBE_API_VERSION])
{
	snprintf(text, KUBE_API_VERSION, "%s%s%s", r->group, r->group[0] != '\0' ? "/" : "",
		 r->version);
	return text;
}

static bool is_path_segment(const char *s)
{
	return s[0] != '\0' && strchr(s, '/') == NULL && strchr(s, '%') == NULL &&
	       strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
}

static int add_segment(struct buf *out, const char *s, struct err *err)
{
	if (!is_path_segment(s))
		return err_set(err, ERR_INVALID, "\"%.80s\" is not a name", s);
	if (buf_addc(out, '/', err) < 0)
		return err->code;
	return http_escape(s, out, err);
}

int kube_path(const struct kube_resource *r, const char *ns, const char *name,
	      const char *subresource, struct buf *out, struct err *err)
{
	const char *segments[] = { r->group[0] != '\0' ? "apis" : "api",
				   r->group[0] != '\0' ? r->group : NULL,
				   r->version,
				   ns != NULL ? "namespaces" : NULL,
				   ns,
				   r->plural,
				   name,
				   subresource };

	for (size_t i = 0; i < ARRAY_LEN(segments); i++)
		if (segments[i] != NULL && add_segment(out, segments[i], err) < 0)
			return err->code;
	return 0;
}

const char *kube_name(const struct doc *object)
{
	return doc_str(object, "metadata.name", "");
}

const char *kube_namespace(const struct doc *object)
{
	return doc_str(object, "metadata.namespace", "");
}

const char *kube_uid(const struct doc *object)
{
	return doc_str(object, "metadata.uid", "");
}

const char *kube_rv(const struct doc *object)
{
	return doc_str(object, "metadata.resourceVersion", "");
}

bool kube_is_deleting(const struct doc *object)
{
	return doc_has(object, "metadata.deletionTimestamp");
}

static const char *member_str(const struct doc *map, const char *name)
{
	return doc_str(doc_member(map, name), "", NULL);
}

const char *kube_label(const struct doc *object, const char *name)
{
	return member_str(doc_get(object, "metadata.labels"), name);
}

const char *kube_annotation(const struct doc *object, const char *name)
{
	return member_str(doc_get(object, "metadata.annotations"), name);
}

const char *kube_controller_uid(const struct doc *object)
{
	DOC_EACH(doc_get(object, "metadata.ownerReferences"), owner)
	{
		if (doc_bool(owner, "controller", false))
			return doc_str(owner, "uid", NULL);
	}
	return NULL;
}

bool kube_key_of(const char *ns, const char *name, char key[KUBE_KEY])
{
	int n;

	if (name[0] == '\0' || strlen(name) > 253 || strlen(ns) > 63)
		return false;
	n = snprintf(key, KUBE_KEY, "%s%s%s", ns, ns[0] != '\0' ? "/" : "", name);
	return n > 0 && n < KUBE_KEY;
}

bool kube_key(const struct doc *object, char key[KUBE_KEY])
{
	return kube_key_of(kube_namespace(object), kube_name(object), key);
}

void kube_key_split(const char *key, char ns[KUBE_KEY], char name[KUBE_KEY])
{
	const char *slash = strchr(key, '/');
	size_t len = slash != NULL ? (size_t)(slash - key) : 0;

	ASSERT(strlen(key) < KUBE_KEY);
	memcpy(ns, key, len);
	ns[len] = '\0';
	snprintf(name, KUBE_KEY, "%s", slash != NULL ? slash + 1 : key);
}

static bool has_order(const char *rv, size_t len)
{
	if (len == 0 || len > 39 || rv[0] == '0')
		return false;
	return strspn(rv, "0123456789") == len;
}

bool kube_rv_compare(const char *a, const char *b, int *ret_order)
{
	size_t a_len = strlen(a);
	size_t b_len = strlen(b);

	if (has_order(a, a_len) && has_order(b, b_len)) {
		*ret_order = a_len != b_len ? (a_len < b_len ? -1 : 1) : strcmp(a, b);
		return true;
	}
	*ret_order = 0;
	return strcmp(a, b) == 0;
}

struct doc *kube_new_object(const struct kube_resource *r, const char *ns, const char *name)
{
	struct doc *object = doc_new_map();
	struct doc *metadata = doc_new_map();
	char text[KUBE_API_VERSION];

	doc_set_str(object, "apiVersion", kube_api_version(r, text));
	doc_set_str(object, "kind", r->kind);
	doc_set_str(metadata, "name", name);
	doc_set_str(metadata, "namespace", ns);
	doc_set(object, "metadata", metadata);
	return object;
}
