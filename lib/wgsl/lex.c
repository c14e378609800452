/*
 * lex.c - text to tokens, and the discovery of template lists.
 *
 * The specification's algorithm decides which '<' open a template list ("3.9. Template
 * lists"); it runs over the tokens, which is why '>' is never joined with what follows: the
 * parser joins adjacent tokens where an operator may stand.
 */
#include "wgsl/wgsl_int.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "wgsl/hint_int.h"

/* ---- names ------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h ^ (h >> 15);
}

/* A peer may choose names that collide: at 256 KiB of text a chain stays below 40,000 links and
 * comparing hashes first keeps that harmless. */
struct wgsl_name *wgsl_intern(struct wgsl_comp *c, const char *text, size_t len)
{
	uint32_t h = hash_text(text, len);
	struct wgsl_name **bucket = &c->names[h % WGSL_NAME_BUCKETS];
	struct wgsl_name *n;

	for (n = *bucket; n != NULL; n = n->next)
		if (n->hash == h && n->len == len && memcmp(n->text, text, len) == 0)
			return n;
	n = arena_new(c->arena, struct wgsl_name);
	n->text = arena_strndup(c->arena, text, len);
	n->len = (uint32_t)len;
	n->hash = h;
	n->word = TOK_IDENT;
	n->next = *bucket;
	*bucket = n;
	return n;
}

static const char *const token_texts[TOK_COUNT_] = {
	[TOK_END] = "the end of the text",
	[TOK_IDENT] = "a name",
	[TOK_NUMBER] = "a number",
	[TOK_LPAREN] = "'('",
	[TOK_RPAREN] = "')'",
	[TOK_LBRACKET] = "'['",
	[TOK_RBRACKET] = "']'",
	[TOK_LBRACE] = "'{'",
	[TOK_RBRACE] = "'}'",
	[TOK_SEMI] = "';'",
	[TOK_COMMA] = "','",
	[TOK_COLON] = "':'",
	[TOK_DOT] = "'.'",
	[TOK_AT] = "'@'",
	[TOK_ARROW] = "'->'",
	[TOK_TEMPLATE_START] = "'<'",
	[TOK_TEMPLATE_END] = "'>'",
	[TOK_UNDERSCORE] = "'_'",
	[TOK_PLUS] = "'+'",
	[TOK_MINUS] = "'-'",
	[TOK_STAR] = "'*'",
	[TOK_SLASH] = "'/'",
	[TOK_PERCENT] = "'%'",
	[TOK_AND] = "'&'",
	[TOK_OR] = "'|'",
	[TOK_XOR] = "'^'",
	[TOK_TILDE] = "'~'",
	[TOK_NOT] = "'!'",
	[TOK_ANDAND] = "'&&'",
	[TOK_OROR] = "'||'",
	[TOK_LT] = "'<'",
	[TOK_GT] = "'>'",
	[TOK_LE] = "'<='",
	[TOK_GE] = "'>='",
	[TOK_EQ] = "'=='",
	[TOK_NE] = "'!='",
	[TOK_SHL] = "'<<'",
	[TOK_SHR] = "'>>'",
	[TOK_PLUSPLUS] = "'++'",
	[TOK_MINUSMINUS] = "'--'",
	[TOK_ASSIGN] = "'='",
	[TOK_PLUS_ASSIGN] = "'+='",
	[TOK_MINUS_ASSIGN] = "'-='",
	[TOK_STAR_ASSIGN] = "'*='",
	[TOK_SLASH_ASSIGN] = "'/='",
	[TOK_PERCENT_ASSIGN] = "'%='",
	[TOK_AND_ASSIGN] = "'&='",
	[TOK_OR_ASSIGN] = "'|='",
	[TOK_XOR_ASSIGN] = "'^='",
	[TOK_SHL_ASSIGN] = "'<<='",
	[TOK_SHR_ASSIGN] = "'>>='",
	[TOK_ALIAS] = "alias",
	[TOK_BREAK] = "break",
	[TOK_CASE] = "case",
	[TOK_CONST] = "const",
	[TOK_CONST_ASSERT] = "const_assert",
	[TOK_CONTINUE] = "continue",
	[TOK_CONTINUING] = "continuing",
	[TOK_DEFAULT] = "default",
	[TOK_DIAGNOSTIC] = "diagnostic",
	[TOK_DISCARD] = "discard",
	[TOK_ELSE] = "else",
	[TOK_ENABLE] = "enable",
	[TOK_FALSE] = "false",
	[TOK_FN] = "fn",
	[TOK_FOR] = "for",
	[TOK_IF] = "if",
	[TOK_LET] = "let",
	[TOK_LOOP] = "loop",
	[TOK_OVERRIDE] = "override",
	[TOK_REQUIRES] = "requires",
	[TOK_RETURN] = "return",
	[TOK_STRUCT] = "struct",
	[TOK_SWITCH] = "switch",
	[TOK_TRUE] = "true",
	[TOK_VAR] = "var",
	[TOK_WHILE] = "while",
};

const char *wgsl_tok_text(enum wgsl_tok_kind kind)
{
	return token_texts[kind];
}

/* The specification's reserved words. */
static const char *const reserved_words[] = {
	"NULL",
	"Self",
	"abstract",
	"active",
	"alignas",
	"alignof",
	"as",
	"asm",
	"asm_fragment",
	"async",
	"attribute",
	"auto",
	"await",
	"become",
	"cast",
	"catch",
	"class",
	"co_await",
	"co_return",
	"co_yield",
	"coherent",
	"column_major",
	"common",
	"compile",
	"compile_fragment",
	"concept",
	"const_cast",
	"consteval",
	"constexpr",
	"constinit",
	"crate",
	"debugger",
	"decltype",
	"delete",
	"demote",
	"demote_to_helper",
	"do",
	"dynamic_cast",
	"enum",
	"explicit",
	"export",
	"extends",
	"extern",
	"external",
	"fallthrough",
	"filter",
	"final",
	"finally",
	"friend",
	"from",
	"fxgroup",
	"get",
	"goto",
	"groupshared",
	"highp",
	"impl",
	"implements",
	"import",
	"inline",
	"instanceof",
	"interface",
	"layout",
	"lowp",
	"macro",
	"macro_rules",
	"match",
	"mediump",
	"meta",
	"mod",
	"module",
	"move",
	"mut",
	"mutable",
	"namespace",
	"new",
	"nil",
	"noexcept",
	"noinline",
	"nointerpolation",
	"non_coherent",
	"noncoherent",
	"noperspective",
	"null",
	"nullptr",
	"of",
	"operator",
	"package",
	"packoffset",
	"partition",
	"pass",
	"patch",
	"pixelfragment",
	"precise",
	"precision",
	"premerge",
	"priv",
	"protected",
	"pub",
	"public",
	"readonly",
	"ref",
	"regardless",
	"register",
	"reinterpret_cast",
	"require",
	"resource",
	"restrict",
	"self",
	"set",
	"shared",
	"sizeof",
	"smooth",
	"snorm",
	"static",
	"static_assert",
	"static_cast",
	"std",
	"subroutine",
	"super",
	"target",
	"template",
	"this",
	"thread_local",
	"throw",
	"trait",
	"try",
	"type",
	"typedef",
	"typeid",
	"typename",
	"typeof",
	"union",
	"unless",
	"unorm",
	"unsafe",
	"unsized",
	"use",
	"using",
	"varying",
	"virtual",
	"volatile",
	"wgsl",
	"where",
	"with",
	"writeonly",
	"yield",
};

static void init_words(struct wgsl_comp *c)
{
	for (enum wgsl_tok_kind k = TOK_ALIAS; k < TOK_COUNT_; k++)
		wgsl_intern(c, token_texts[k], strlen(token_texts[k]))->word = k;
	for (size_t i = 0; i < ARRAY_LEN(reserved_words); i++)
		wgsl_intern(c, reserved_words[i], strlen(reserved_words[i]))->is_reserved = true;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static uint32_t decode(const char *s, size_t left, size_t *n)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned char b = (unsigned char)s[0];
	size_t len = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
	uint32_t cp = b & mask[len];

	for (size_t i = 1; i < len && i < left; i++)
		cp = cp << 6 | ((unsigned char)s[i] & 0x3f);
	*n = len;
	return cp;
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || (cp >= 9 && cp <= 13) || cp == 0x85 || cp == 0x200e || cp == 0x200f ||
	       cp == 0x2028 || cp == 0x2029;
}

static bool is_line_break(uint32_t cp)
{
	return (cp >= 10 && cp <= 13) || cp == 0x85 || cp == 0x2028 || cp == 0x2029;
}

static bool is_digit(uint32_t cp)
{
	return cp >= '0' && cp <= '9';
}

static size_t ident_length(const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t n;
		uint32_t cp = decode(s + at, len - at, &n);

		if (at == 0 ? !wgsl_is_name_start(cp) : !wgsl_is_name_part(cp))
			break;
		at += n;
	}
	return at;
}

static bool is_hex(const char *s, size_t len)
{
	return len > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* Everything that could belong to a number; the parser judges it. "1.xy" is no member access of a
 * number, so a dot always belongs to it. */
static bool is_number_char(char ch)
{
	return is_digit((unsigned char)ch) || ch == '.' ||
	       (ch != '_' && (unsigned char)ch < 0x80 && wgsl_is_name_start((unsigned char)ch));
}

static size_t number_length(const char *s, size_t len)
{
	int mark = is_hex(s, len) ? 'p' : 'e';
	size_t at = 0;

	while (at < len) {
		bool is_sign = s[at] == '+' || s[at] == '-';
		bool has_mark = at > 0 && (s[at - 1] | 0x20) == mark;

		if (is_sign ? !has_mark : !is_number_char(s[at]))
			break;
		at++;
	}
	return at;
}

static const struct {
	char text[4];
	enum wgsl_tok_kind kind;
} punctuation[] = {
	/* Longer ones first; none that begins with '>'. */
	{ "<<=", TOK_SHL_ASSIGN },
	{ "->", TOK_ARROW },
	{ "&&", TOK_ANDAND },
	{ "||", TOK_OROR },
	{ "<=", TOK_LE },
	{ "==", TOK_EQ },
	{ "!=", TOK_NE },
	{ "<<", TOK_SHL },
	{ "++", TOK_PLUSPLUS },
	{ "--", TOK_MINUSMINUS },
	{ "+=", TOK_PLUS_ASSIGN },
	{ "-=", TOK_MINUS_ASSIGN },
	{ "*=", TOK_STAR_ASSIGN },
	{ "/=", TOK_SLASH_ASSIGN },
	{ "%=", TOK_PERCENT_ASSIGN },
	{ "&=", TOK_AND_ASSIGN },
	{ "|=", TOK_OR_ASSIGN },
	{ "^=", TOK_XOR_ASSIGN },
	{ "(", TOK_LPAREN },
	{ ")", TOK_RPAREN },
	{ "[", TOK_LBRACKET },
	{ "]", TOK_RBRACKET },
	{ "{", TOK_LBRACE },
	{ "}", TOK_RBRACE },
	{ ";", TOK_SEMI },
	{ ",", TOK_COMMA },
	{ ":", TOK_COLON },
	{ ".", TOK_DOT },
	{ "@", TOK_AT },
	{ "+", TOK_PLUS },
	{ "-", TOK_MINUS },
	{ "*", TOK_STAR },
	{ "/", TOK_SLASH },
	{ "%", TOK_PERCENT },
	{ "&", TOK_AND },
	{ "|", TOK_OR },
	{ "^", TOK_XOR },
	{ "~", TOK_TILDE },
	{ "!", TOK_NOT },
	{ "<", TOK_LT },
	{ ">", TOK_GT },
	{ "=", TOK_ASSIGN },
};

static enum wgsl_tok_kind punct_kind(const char *s, size_t len, size_t *n)
{
	for (size_t i = 0; i < ARRAY_LEN(punctuation); i++) {
		*n = strlen(punctuation[i].text);
		if (*n <= len && memcmp(s, punctuation[i].text, *n) == 0)
			return punctuation[i].kind;
	}
	*n = 1;
	return TOK_END;
}

/* Length of the comment at s, 0 if there is none, len + 1 if a block comment does not end. Block
 * comments nest; a counter is enough. */
static size_t comment_length(const char *s, size_t len)
{
	size_t depth = 0;
	size_t at = 0;

	if (len < 2 || s[0] != '/' || (s[1] != '/' && s[1] != '*'))
		return 0;
	if (s[1] == '/') {
		size_t n = 0;

		while (at < len && !is_line_break(decode(s + at, len - at, &n)))
			at += n;
		return at < len ? at : len;
	}
	while (at + 1 < len) {
		if (s[at] == '/' && s[at + 1] == '*') {
			depth++;
			at += 2;
		} else if (s[at] == '*' && s[at + 1] == '/') {
			depth--;
			at += 2;
			if (depth == 0)
				return at;
		} else {
			at++;
		}
	}
	return len + 1;
}

static struct wgsl_tok *add_tok(struct wgsl_comp *c, enum wgsl_tok_kind kind, size_t offset,
				size_t len)
{
	struct wgsl_tok *t;

	mem_reserve(&c->toks, &c->cap_toks, c->n_toks, sizeof(*c->toks));
	t = &c->toks[c->n_toks++];
	*t = (struct wgsl_tok){ .offset = (uint32_t)offset, .len = (uint32_t)len, .kind = kind };
	return t;
}

static bool lex_ident(struct wgsl_comp *c, size_t at, size_t n)
{
	struct wgsl_name *name = wgsl_intern(c, c->src->text + at, n);
	struct wgsl_tok *t = add_tok(c, name->word, at, n);
	struct wgsl_span span = { t->offset, t->len };

	t->name = name;
	if (n == 1 && name->text[0] == '_') {
		t->kind = TOK_UNDERSCORE;
		return true;
	}
	if (name->is_reserved)
		wgsl_error(c, span, "'%s' is a reserved word%s", name->text,
			   wgsl_hint_name(c, name->text));
	else if (n > 1 && name->text[0] == '_' && name->text[1] == '_')
		wgsl_error(c, span, "a name must not begin with two underscores%s",
			   wgsl_hint_name(c, name->text));
	else
		return true;
	return false;
}

/* What to write for a character of C. */
static const char *instead_of(char ch)
{
	switch (ch) {
	case '?':
		return ": write select(if_false, if_true, condition)";
	case '#':
		return ": it has no preprocessor";
	case '"':
	case '\'':
		return ": it has no strings";
	default:
		return "";
	}
}

/* One token or comment at `at`; its length, 0 after an error. */
static size_t lex_one(struct wgsl_comp *c, size_t at)
{
	const char *s = c->src->text + at;
	size_t left = c->src->len - at;
	size_t n = comment_length(s, left);
	struct wgsl_span here = { (uint32_t)at, 1 };
	enum wgsl_tok_kind kind;

	if (n > left) {
		wgsl_error(c, (struct wgsl_span){ (uint32_t)at, 2 }, "the comment has no end");
		return 0;
	}
	if (n > 0)
		return n;
	n = ident_length(s, left);
	if (n > 0)
		return lex_ident(c, at, n) ? n : 0;
	if (is_digit((unsigned char)s[0]) ||
	    (s[0] == '.' && left > 1 && is_digit((unsigned char)s[1]))) {
		n = number_length(s, left);
		add_tok(c, TOK_NUMBER, at, n);
		return n;
	}
	kind = punct_kind(s, left, &n);
	if (kind == TOK_END) {
		uint32_t cp = decode(s, left, &n);

		here.len = (uint32_t)n;
		if (cp > 0x20 && cp < 0x7f)
			wgsl_error(c, here, "'%c' has no meaning in WGSL%s", (char)cp,
				   instead_of((char)cp));
		else
			wgsl_error(c, here, "the character U+%04X has no meaning here", cp);
		return 0;
	}
	add_tok(c, kind, at, n);
	return n;
}

/* ---- template lists ---------------------------------------------------------------------- */

struct pending {
	size_t tok;
	size_t depth;
};

struct finder {
	struct pending *list; /* owned */
	size_t n, cap;
	size_t depth;
};

static void finder_done(struct finder *f)
{
	mem_free(f->list);
}

static void drop_inner(struct finder *f)
{
	while (f->n > 0 && f->list[f->n - 1].depth >= f->depth)
		f->n--;
}

static bool ends_statement(enum wgsl_tok_kind k)
{
	return k == TOK_SEMI || k == TOK_LBRACE || k == TOK_COLON ||
	       (k >= TOK_ASSIGN && k <= TOK_SHR_ASSIGN);
}

static void find_step(struct wgsl_comp *c, struct finder *f, size_t i)
{
	struct wgsl_tok *t = &c->toks[i];
	struct wgsl_tok *after = &c->toks[i + 1];

	if ((t->kind == TOK_IDENT || t->kind == TOK_VAR) && after->kind == TOK_LT) {
		mem_reserve(&f->list, &f->cap, f->n, sizeof(*f->list));
		f->list[f->n++] = (struct pending){ .tok = i + 1, .depth = f->depth };
	} else if (t->kind == TOK_GT && f->n > 0 && f->list[f->n - 1].depth == f->depth) {
		c->toks[f->list[--f->n].tok].kind = TOK_TEMPLATE_START;
		t->kind = TOK_TEMPLATE_END;
	} else if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACKET) {
		f->depth++;
	} else if (t->kind == TOK_RPAREN || t->kind == TOK_RBRACKET) {
		drop_inner(f);
		f->depth -= f->depth > 0;
	} else if (t->kind == TOK_ANDAND || t->kind == TOK_OROR) {
		drop_inner(f);
	} else if (ends_statement(t->kind)) {
		bool is_ge = t->kind == TOK_ASSIGN && i > 0 && c->toks[i - 1].kind == TOK_GT &&
			     c->toks[i - 1].offset + 1 == t->offset;

		if (!is_ge) {
			f->n = 0;
			f->depth = 0;
		}
	}
}

static void find_templates(struct wgsl_comp *c)
{
	AUTO(finder_done) struct finder f = { 0 };

	/* The last token is TOK_END. */
	for (size_t i = 0; i + 1 < c->n_toks; i++)
		find_step(c, &f, i);
}

bool wgsl_lex(struct wgsl_comp *c)
{
	const char *s = c->src->text;
	size_t len = c->src->len;
	size_t at = 0;

	init_words(c);
	if (!text_is_utf8(s, len)) {
		wgsl_error(c, (struct wgsl_span){ 0, 0 },
			   "the text is not UTF-8, or holds a NUL character");
		return false;
	}
	while (at < len) {
		size_t n;
		size_t step;

		if (is_blank(decode(s + at, len - at, &n))) {
			at += n;
			continue;
		}
		step = lex_one(c, at);
		if (step == 0)
			return false;
		at += step;
	}
	add_tok(c, TOK_END, len, 0);
	find_templates(c);
	return true;
}
