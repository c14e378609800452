/* list.c - see list.h. */
#include "base/list.h"

void list_add(struct list *l, struct list_link *link)
{
	ASSERT(link->list == NULL);
	*link = (struct list_link){ .list = l, .prev = l->last };
	if (l->last != NULL)
		l->last->next = link;
	else
		l->first = link;
	l->last = link;
	l->count++;
}

void list_add_first(struct list *l, struct list_link *link)
{
	ASSERT(link->list == NULL);
	*link = (struct list_link){ .list = l, .next = l->first };
	if (l->first != NULL)
		l->first->prev = link;
	else
		l->last = link;
	l->first = link;
	l->count++;
}

void list_remove(struct list_link *link)
{
	struct list *l = link->list;

	if (l == NULL)
		return;
	if (link->prev != NULL)
		link->prev->next = link->next;
	else
		l->first = link->next;
	if (link->next != NULL)
		link->next->prev = link->prev;
	else
		l->last = link->prev;
	l->count--;
	*link = (struct list_link){ 0 };
}

bool list_has(const struct list_link *link)
{
	return link->list != NULL;
}
