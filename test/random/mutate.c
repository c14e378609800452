/* mutate.c - see random.h: random_mutate. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "test/random/random_int.h"

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* The token at or behind a place of the text. */
static void token_at(const struct buf *text, size_t at, size_t *from, size_t *to)
{
	const char *s = buf_str(text);

	while (at > 0 && is_word(s[at]) && is_word(s[at - 1]))
		at--;
	while (at < text->len && isspace((unsigned char)s[at]))
		at++;
	*from = *to = at;
	while (*to < text->len && is_word(s[*to]))
		++*to;
	if (*to == at && at < text->len)
		++*to;
}

static size_t somewhere(struct random_choices *c, size_t len)
{
	uint32_t high = random_choose(c, 65536);

	return len == 0 ? 0 : (size_t)high * len / 65536;
}

/* At most text->max: what does not fit stays as it was. */
static void replace(struct buf *text, size_t from, size_t to, const char *by, size_t len)
{
	AUTO(buf_done) struct buf out = { .max = text->max };
	struct err err = { 0 };
	struct buf before = *text;

	if (buf_add(&out, buf_str(text), from, &err) < 0 || buf_add(&out, by, len, &err) < 0 ||
	    buf_adds(&out, buf_str(text) + to, &err) < 0)
		return;
	*text = out;
	out = before;
}

static void change(struct random_choices *c, struct buf *text)
{
	static const char *const others[] = {
		"0",     "1u",    "-1",     "(",     ")",       "{",      "}",      "<",
		">",     ";",     "vec3f",  "u32",   "i32",     "f32",    "bool",   "array",
		"&",     "*",     "return", "break", "if",      "loop",   "var",    "let",
		"const", "while", "fn",     "@",     "struct",  "mat2x2", "atomic", "0x7fffffff",
		"ptr",   "1e38f", "o",      "main",  "default", "u",      ".",      ",",
	};
	size_t from, to, a, b;
	const char *by;

	token_at(text, somewhere(c, text->len), &from, &to);
	switch (random_choose(c, 4)) {
	case 0: /* nothing */
		replace(text, from, to, "", 0);
		break;
	case 1: /* one of the language */
		by = others[random_choose(c, (uint32_t)ARRAY_LEN(others))];
		replace(text, from, to, by, strlen(by));
		break;
	case 2: { /* one of the text's own */
		AUTO(buf_done) struct buf copy = { .max = 4096 };

		token_at(text, somewhere(c, text->len), &a, &b);
		buf_note(&copy, "%.*s", (int)(b - a), buf_str(text) + a);
		replace(text, from, to, buf_str(&copy), copy.len);
		break;
	}
	default: { /* a part of the text again */
		AUTO(buf_done) struct buf copy = { .max = 4096 };

		a = somewhere(c, text->len);
		b = a + random_choose(c, 200);
		b = b < text->len ? b : text->len;
		buf_note(&copy, "%.*s", (int)(b - a), buf_str(text) + a);
		replace(text, from, from, buf_str(&copy), copy.len);
		break;
	}
	}
}

void random_mutate(struct random_choices *c, struct buf *text)
{
	uint32_t n = 1 + random_choose(c, 6);

	for (uint32_t i = 0; i < n; i++)
		change(c, text);
}
