/* ranges.c - a sorted array of disjoint ranges; see ranges.h. */
#include "base/ranges.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void ranges_done(struct ranges *s)
{
	mem_free(s->list);
	*s = (struct ranges){ 0 };
}

/* The first range whose last is >= n; s->count if there is none. */
static size_t find(const struct ranges *s, uint64_t n)
{
	size_t low = 0;
	size_t high = s->count;

	if (high > 0 && s->list[high - 1].last < n)
		return high;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->list[mid].last < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Replace the ranges from..to-1 by the n (0 to 2) in `with`. */
static void replace(struct ranges *s, size_t from, size_t to, const struct range *with, size_t n)
{
	size_t tail = s->count - to;

	mem_reserve(&s->list, &s->cap, s->count + n, sizeof(*s->list));
	memmove(&s->list[from + n], &s->list[to], tail * sizeof(*s->list));
	for (size_t i = 0; i < n; i++)
		s->list[from + i] = with[i];
	s->count = from + n + tail;
}

void ranges_add(struct ranges *s, uint64_t first, uint64_t last)
{
	struct range r = { .first = first, .last = last };
	size_t from = find(s, first > 0 ? first - 1 : 0);
	size_t to = from;

	ASSERT(first <= last);
	if (from < s->count && s->list[from].first <= first && s->list[from].last >= last)
		return;
	while (to < s->count && (last == UINT64_MAX || s->list[to].first <= last + 1)) {
		r.first = s->list[to].first < r.first ? s->list[to].first : r.first;
		r.last = s->list[to].last > r.last ? s->list[to].last : r.last;
		to++;
	}
	if (to == from + 1)
		s->list[from] = r;
	else
		replace(s, from, to, &r, 1);
}

void ranges_add_one(struct ranges *s, uint64_t n)
{
	ranges_add(s, n, n);
}

void ranges_remove(struct ranges *s, uint64_t first, uint64_t last)
{
	struct range rest[2];
	size_t n = 0;
	size_t from = find(s, first);
	size_t to = from;

	ASSERT(first <= last);
	while (to < s->count && s->list[to].first <= last)
		to++;
	if (to == from)
		return;
	if (s->list[from].first < first)
		rest[n++] = (struct range){ s->list[from].first, first - 1 };
	if (s->list[to - 1].last > last)
		rest[n++] = (struct range){ last + 1, s->list[to - 1].last };
	replace(s, from, to, rest, n);
}

void ranges_copy(struct ranges *to, const struct ranges *from)
{
	struct ranges copy = { 0 };

	if (from->count > 0) {
		copy.list = mem_dup(from->list, from->count * sizeof(*from->list));
		copy.count = from->count;
		copy.cap = from->count;
	}
	ranges_done(to);
	*to = copy;
}

bool ranges_has(const struct ranges *s, uint64_t n)
{
	size_t at = find(s, n);

	return at < s->count && s->list[at].first <= n;
}

bool ranges_equal(const struct ranges *a, const struct ranges *b)
{
	return a->count == b->count &&
	       (a->count == 0 || memcmp(a->list, b->list, a->count * sizeof(*a->list)) == 0);
}

uint64_t ranges_total(const struct ranges *s)
{
	uint64_t total = 0;

	RANGES_EACH(s, r)
	{
		total += r->last - r->first + 1;
	}
	return total;
}

size_t ranges_count_with(const struct ranges *s, uint64_t n)
{
	size_t at = find(s, n);
	bool after = at > 0 && s->list[at - 1].last + 1 == n;
	bool before;

	if (at < s->count && s->list[at].first <= n)
		return s->count;
	before = at < s->count && n + 1 == s->list[at].first;
	return s->count + 1 - after - before;
}

uint64_t ranges_gap(const struct ranges *s, uint64_t from, uint64_t end)
{
	size_t at = find(s, from);

	/* Ranges do not touch, so what follows a range is a gap. */
	if (at < s->count && s->list[at].first <= from) {
		if (s->list[at].last >= end)
			return end;
		from = s->list[at].last + 1;
	}
	return from < end ? from : end;
}

uint64_t ranges_next(const struct ranges *s, uint64_t from, uint64_t end)
{
	size_t at = find(s, from);
	uint64_t n;

	if (at == s->count)
		return end;
	n = s->list[at].first > from ? s->list[at].first : from;
	return n < end ? n : end;
}

int ranges_print(const struct ranges *s, struct buf *b, struct err *err)
{
	RANGES_EACH(s, r)
	{
		const char *comma = r > s->list ? "," : "";
		unsigned long long first = r->first;
		unsigned long long last = r->last;
		int rc = first == last ? buf_addfe(b, err, "%s%llu", comma, first)
				       : buf_addfe(b, err, "%s%llu-%llu", comma, first, last);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* One "5" or "5-9" of len bytes. */
static int parse_range(const char *s, size_t len, uint64_t end, struct range *ret, struct err *err)
{
	const char *dash = memchr(s, '-', len);
	size_t n = dash != NULL ? (size_t)(dash - s) : len;
	uint64_t max = end > 0 ? end - 1 : 0;

	if (num_parse_u64(s, n, max, &ret->first, err) < 0)
		return err->code;
	ret->last = ret->first;
	if (dash != NULL && num_parse_u64(dash + 1, len - n - 1, max, &ret->last, err) < 0)
		return err->code;
	if (ret->first > ret->last || ret->last >= end)
		return err_set(err, ERR_INVALID, "\"%.*s\" is not a range", (int)len, s);
	return 0;
}

static int parse(const char *text, size_t len, uint64_t end, size_t max, struct ranges *s,
		 struct err *err)
{
	const char *stop = text + len;

	while (text < stop) {
		const char *comma = memchr(text, ',', (size_t)(stop - text));
		const char *to = comma != NULL ? comma : stop;
		struct range r;

		if (s->count == max)
			return err_set(err, ERR_TOO_BIG, "more than %zu ranges", max);
		if (to - text > 64)
			return err_set(err, ERR_INVALID, "\"%.20s...\" is not a range", text);
		if (parse_range(text, (size_t)(to - text), end, &r, err) < 0)
			return err->code;
		if (s->count > 0 && s->list[s->count - 1].last >= r.first)
			return err_set(err, ERR_INVALID, "ranges are not ascending at \"%.*s\"",
				       (int)(to - text), text);
		ranges_add(s, r.first, r.last);
		if (comma != NULL && to + 1 == stop)
			return err_set(err, ERR_INVALID, "ranges end in a comma");
		text = to + 1;
	}
	return 0;
}

int ranges_parse(const char *text, size_t len, uint64_t end, size_t max, struct ranges *ret,
		 struct err *err)
{
	struct ranges s = { 0 };

	if (parse(text, len, end, max, &s, err) < 0) {
		ranges_done(&s);
		return err->code;
	}
	ranges_done(ret);
	*ret = s;
	return 0;
}
