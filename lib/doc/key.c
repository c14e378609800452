/* key.c - member names; those of the Kubernetes API are shared, which halves what a pod takes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doc/doc_int.h"

enum { KEY_SIZE = 32 };

/* Sorted by strcmp, for bsearch (a test walks it). */
static const char common[][KEY_SIZE] = {
	"acceptedIndexes",
	"annotations",
	"apiVersion",
	"args",
	"attributes",
	"blockOwnerDeletion",
	"capabilities",
	"chunks",
	"class",
	"conditions",
	"containerID",
	"containerStatuses",
	"containers",
	"controller",
	"cpu",
	"creationTimestamp",
	"effect",
	"env",
	"exitCode",
	"finishedAt",
	"generateName",
	"generation",
	"hostIP",
	"image",
	"imageID",
	"imagePullPolicy",
	"key",
	"kind",
	"kwarp.dev/chunks",
	"kwarp.dev/job",
	"kwarp.dev/job-uid",
	"kwarp.dev/node",
	"kwarp.dev/replica",
	"kwarp.dev/slice",
	"kwarp.dev/slots",
	"labels",
	"lastProbeTime",
	"lastTransitionTime",
	"limits",
	"memory",
	"message",
	"metadata",
	"name",
	"namespace",
	"nodeName",
	"object",
	"observedGeneration",
	"operator",
	"ownerReferences",
	"phase",
	"ready",
	"reason",
	"requests",
	"resourceVersion",
	"resources",
	"restartCount",
	"restartPolicy",
	"running",
	"schedulerName",
	"securityContext",
	"spec",
	"startTime",
	"started",
	"startedAt",
	"state",
	"status",
	"terminated",
	"terminationGracePeriodSeconds",
	"tolerations",
	"type",
	"uid",
	"value",
	"waiting",
};

struct word {
	const char *text;
	size_t len;
};

static int compare_word(const void *a, const void *b)
{
	const struct word *w = a;
	const char *entry = b;
	int c = strncmp(w->text, entry, w->len);

	return c != 0 ? c : -(entry[w->len] != '\0');
}

char *doc_key_new(const char *s, size_t len)
{
	struct word w = { .text = s, .len = len };
	union {
		const char *c;
		char *m;
	} found = { .c = NULL };

	if (len < KEY_SIZE)
		found.c = bsearch(&w, common, ARRAY_LEN(common), KEY_SIZE, compare_word);
	return found.m != NULL ? found.m : mem_strndup(s, len);
}

void doc_key_free(char *key)
{
	uintptr_t at = (uintptr_t)key;

	if (at >= (uintptr_t)common && at < (uintptr_t)common + sizeof(common))
		return;
	mem_free(key);
}
