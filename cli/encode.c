/* encode.c - see encode.h. */
#include "cli/encode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "doc/doc.h"
#include "hash/hash.h"
#include "vote/value.h"

/* As lib/vote prints them; NaN is the canonical one. */
static bool read_special(const char *s, size_t len, double *ret)
{
	static const char *const names[] = { "NaN", "Infinity", "-Infinity" };
	const double values[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (len == strlen(names[i]) && memcmp(s, names[i], len) == 0) {
			*ret = values[i];
			return true;
		}
	}
	return false;
}

/* The f32 that prints as this text. One rounding of the f64 may miss it by one. */
static int read_f32(const char *s, size_t len, double wide, float *ret, struct err *err)
{
	const float near = (float)wide;
	const float tries[] = { near, nextafterf(near, -INFINITY), nextafterf(near, INFINITY) };
	char text[NUM_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
		num_print_f32(tries[i], text);
		if (strlen(text) == len && memcmp(text, s, len) == 0) {
			*ret = tries[i];
			return 0;
		}
	}
	return err_set(err, ERR_INVALID, "%.*s is no f32", (int)(len < 40 ? len : 40), s);
}

static int add_float(enum vote_type t, const char *s, size_t len, struct buf *out, struct err *err)
{
	unsigned char bytes[8];
	double wide = 0;
	uint64_t bits64;
	uint32_t bits32;
	float narrow;
	bool special = read_special(s, len, &wide);

	if (!special && num_parse_f64(s, len, &wide, err) < 0)
		return err->code;
	if (t == VOTE_F64) {
		memcpy(&bits64, &wide, sizeof(bits64));
		num_put_u64(bytes, isnan(wide) ? 0x7ff8000000000000u : bits64);
		return buf_add(out, bytes, 8, err);
	}
	narrow = (float)wide;
	if (!special && read_f32(s, len, wide, &narrow, err) < 0)
		return err->code;
	memcpy(&bits32, &narrow, sizeof(bits32));
	num_put_u32(bytes, isnan(wide) ? 0x7fc00000u : bits32);
	return buf_add(out, bytes, 4, err);
}

static int add_scalar(enum vote_type t, const char *s, size_t len, struct buf *out, struct err *err)
{
	size_t size = vote_type_size(t);
	unsigned char bytes[8];
	int64_t i = 0;
	uint64_t u;

	switch (t) {
	case VOTE_I32:
	case VOTE_I64:
		if (num_parse_i64(s, len, t == VOTE_I32 ? INT32_MIN : INT64_MIN,
				  t == VOTE_I32 ? INT32_MAX : INT64_MAX, &i, err) < 0)
			return err->code;
		u = (uint64_t)i;
		break;
	case VOTE_U32:
	case VOTE_U64:
		if (num_parse_u64(s, len, t == VOTE_U32 ? UINT32_MAX : UINT64_MAX, &u, err) < 0)
			return err->code;
		break;
	case VOTE_F32:
	case VOTE_F64:
		return add_float(t, s, len, out, err);
	}
	if (size == 4)
		num_put_u32(bytes, (uint32_t)u);
	else
		num_put_u64(bytes, u);
	return buf_add(out, bytes, size, err);
}

/* Of the scalars in turn, from the first again after the last. */
struct types {
	enum vote_type of[VOTE_MAX_TYPES];
	size_t n;
};

/* "u32" or "u32,f32". */
static int read_types(const char *s, struct types *ret, struct err *err)
{
	char name[8];

	for (ret->n = 0; ret->n < VOTE_MAX_TYPES; s++) {
		size_t len = strcspn(s, ",");

		snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : 0), s);
		if (vote_type_parse(name, &ret->of[ret->n++], err) < 0)
			return err->code;
		s += len;
		if (*s == '\0')
			return 0;
	}
	return err_set(err, ERR_INVALID, "more than %d types", VOTE_MAX_TYPES);
}

/* "1", or "[1,2]" whose texts may stand in quotes. Returns how many there were in *ret_n. */
static int add_all(const struct types *t, const char *s, struct buf *out, int64_t *ret_n,
		   struct err *err)
{
	size_t len = strlen(s);
	int64_t n = 0;

	if (s[0] != '[') {
		*ret_n = 1;
		return add_scalar(t->of[0], s, len, out, err);
	}
	if (s[len - 1] != ']')
		return err_set(err, ERR_INVALID, "the list does not end");
	for (s++; *s != ']'; n++) {
		size_t part = strcspn(s, ",]");
		bool quoted = part >= 2 && s[0] == '"' && s[part - 1] == '"';

		if (add_scalar(t->of[(size_t)n % t->n], s + quoted, part - 2 * (size_t)quoted, out,
			       err) < 0)
			return err->code;
		s += part;
		if (s[0] == ',' && s[1] != ']')
			s++;
		else if (s[0] != ']' || s[1] != '\0')
			return err_set(err, ERR_INVALID, "not a list of numbers");
	}
	*ret_n = n;
	return 0;
}

static int check_digest(const struct doc *result, const struct buf *out, size_t at, struct err *err)
{
	const char *hex = doc_str(result, "sha256", NULL);
	struct hash_digest wanted;
	struct hash_digest got;

	if (hex == NULL)
		return 0;
	if (hash_parse(hex, strlen(hex), &wanted, err) < 0)
		return err_wrap(err, "sha256");
	hash_bytes(buf_str(out) + at, out->len - at, &got);
	if (!hash_equal(&wanted, &got))
		return err_set(err, ERR_INVALID, "value and sha256 of the status do not agree");
	return 0;
}

int encode_result(const struct doc *result, struct buf *out, struct err *err)
{
	const char *name = doc_str(result, "name", "");
	const char *value = doc_str(result, "value", "");
	const char *type = doc_str(result, "type", NULL);
	size_t at = out->len;
	struct types t;
	int64_t n = 0;

	if (type == NULL)
		return err_set(err, ERR_INVALID,
			       "result %s is of types that the status does not name: there is only "
			       "its text",
			       name);
	if (read_types(type, &t, err) < 0 || add_all(&t, value, out, &n, err) < 0)
		return err_wrap(err, "result %s", name);
	if (n != doc_int(result, "length", -1))
		return err_set(err, ERR_INVALID, "result %s: %lld values, but its length is %lld",
			       name, (long long)n, (long long)doc_int(result, "length", -1));
	if (check_digest(result, out, at, err) < 0)
		return err_wrap(err, "result %s", name);
	return 0;
}
