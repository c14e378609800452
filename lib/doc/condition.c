/* condition.c - Kubernetes conditions. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

enum { MAX_MESSAGE = 1024 };

const struct doc *doc_condition(const struct doc *conditions, const char *type)
{
	DOC_EACH(conditions, c)
	{
		if (text_equal(doc_str(c, "type", NULL), type))
			return c;
	}
	return NULL;
}

bool doc_condition_true(const struct doc *conditions, const char *type)
{
	return text_equal(doc_str(doc_condition(conditions, type), "status", NULL), "True");
}

/* A string of at most MAX_MESSAGE bytes, cut between characters. */
static struct doc *cut_message(const char *s)
{
	size_t len = s != NULL ? strlen(s) : 0;

	if (len > MAX_MESSAGE) {
		len = MAX_MESSAGE - 3;
		while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
			len--;
		return doc_new_strf("%.*s...", (int)len, s);
	}
	return doc_new_strn(s != NULL ? s : "", len);
}

/* Set a member if it differs; value is taken. True if it did. */
static bool change(struct doc *map, const char *key, struct doc *value)
{
	if (doc_equal(doc_member(map, key), value)) {
		doc_unref(value);
		return false;
	}
	doc_set(map, key, value);
	return true;
}

bool doc_condition_set(struct doc *conditions, const struct doc_condition *c)
{
	struct doc *own = doc_unconst(doc_condition(conditions, c->type));
	bool changed;

	ASSERT(c->status != NULL && c->reason != NULL && *c->reason != '\0');
	if (own == NULL) {
		own = doc_new_map();
		doc_set_str(own, "type", c->type);
		doc_add(conditions, own);
	}
	changed = change(own, "status", doc_new_str(c->status));
	if (changed) {
		char when[CLOCK_TEXT];

		doc_set_str(own, "lastTransitionTime", clock_print(c->now_ms, when));
	}
	changed |= change(own, "reason", doc_new_str(c->reason));
	changed |= change(own, "message", cut_message(c->message));
	changed |= change(own, "observedGeneration", doc_new_int(c->observed_generation));
	return changed;
}
