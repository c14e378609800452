/*
 * list.h - an intrusive doubly linked list.
 *
 *     struct list jobs = { 0 };                 zero is an empty list
 *     list_add(&jobs, &job->link);
 *     LIST_EACH(struct job, j, &jobs, link) { ... }   j may be removed and freed inside
 *
 * The list owns nothing. A link that is in no list has list == NULL.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct list_link {
	struct list *list; /* borrowed: the list it is in, NULL if none */
	struct list_link *next;
	struct list_link *prev;
};

struct list {
	struct list_link *first; /* borrowed */
	struct list_link *last;  /* borrowed */
	size_t count;
};

void list_add(struct list *l, struct list_link *link);       /* at the end */
void list_add_first(struct list *l, struct list_link *link); /* at the front */
void list_remove(struct list_link *link);                    /* no-op for a link in no list */
bool list_has(const struct list_link *link);                 /* true if in some list */

#define LIST_ITEM(link, type, member) ((link) ? CONTAINER_OF(link, type, member) : NULL)
#define LIST_FIRST(l, type, member) LIST_ITEM((l)->first, type, member)

/* The next link is read before the body runs, so the body may remove and free its own item
 * (and no other). */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a declared name take none */
#define LIST_EACH(type, var, l, member)                                                            \
	for (struct list_link *var##_l = (l)->first, *var##_n = var##_l ? var##_l->next : NULL;    \
	     var##_l != NULL; var##_l = var##_n, var##_n = var##_l ? var##_l->next : NULL)         \
		for (type *var = CONTAINER_OF(var##_l, type, member); var != NULL; var = NULL)
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
