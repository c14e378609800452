/* options.c - see options.h. */
#include "agent/options.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "doc/doc.h"

enum { MAX_FILE = 256 << 10, OWN_TOKENS = 8, MAX_TEXT = 256 };

const char options_help[] =
    "kwarp-agent: run chunks of WarpJobs on this machine\n"
    "\n"
    "usage: kwarp-agent --join FILE [options]\n"
    "       kwarp-agent --controller HOST:PORT --controller-ca FILE --token-file FILE [options]\n"
    "\n"
    "  --join FILE            what `kubectl warp node add` printed; \"-\" is standard input\n"
    "  --controller HOST:PORT where to connect, instead of a join file\n"
    "  --controller-ca FILE   the CA to trust (PEM)\n"
    "  --token-file FILE      the credential\n"
    "  --name NAME            only for the log: the credential says who this is\n"
    "  --slots N              orders that run at the same time on each device [1]\n"
    "  --device KIND          auto (real GPUs and the CPU), native (the CPU), vulkan (every "
    "Vulkan\n"
    "                         device), vulkan:INDEX or vulkan:ID (one); repeatable [auto]\n"
    "  --attribute KEY=VALUE  what attr(\"KEY\", \"VALUE\") in a predicate finds; repeatable\n"
    "  --token NAME           what has(\"NAME\") finds; repeatable\n"
    "  --state DIR            keep undecided results over a restart\n"
    "  --log-format json|text [text]   --log-level debug|info|warn|error [info]\n"
    "  --version, --help\n";

static int set_once(char **to, const char *value, const char *option, struct err *err)
{
	if (*to != NULL)
		return err_set(err, ERR_INVALID, "%s is given twice", option);
	*to = mem_strdup(value);
	return 0;
}

static int add_attribute(struct options *o, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');

	if (equals == NULL || equals == text)
		return err_set(err, ERR_INVALID, "--attribute %s: KEY=VALUE expected", text);
	if (o->n_attributes == WIRE_MAX_ATTRIBUTES)
		return err_set(err, ERR_INVALID, "more than %d attributes", WIRE_MAX_ATTRIBUTES);
	if (strlen(text) > MAX_TEXT || !text_is_utf8(text, strlen(text)))
		return err_set(err, ERR_INVALID, "--attribute %.20s...: too long or not UTF-8",
			       text);
	o->attributes[o->n_attributes].key =
	    arena_strndup(&o->texts, text, (size_t)(equals - text));
	o->attributes[o->n_attributes++].value = arena_strdup(&o->texts, equals + 1);
	return 0;
}

static int add_token(struct options *o, const char *text, struct err *err)
{
	/* Some are our own. */
	if (o->n_tokens >= WIRE_MAX_TOKENS - OWN_TOKENS)
		return err_set(err, ERR_INVALID, "more than %d tokens",
			       WIRE_MAX_TOKENS - OWN_TOKENS);
	if (text[0] == '\0' || strlen(text) > MAX_TEXT || !text_is_utf8(text, strlen(text)))
		return err_set(err, ERR_INVALID, "--token: empty, too long or not UTF-8");
	o->tokens[o->n_tokens++] = text;
	return 0;
}

static int add_device(struct options *o, const char *kind, struct err *err)
{
	if (text_equal(kind, "cuda"))
		return err_set(err, ERR_INVALID, "--device cuda: not in this version");
	if (!text_equal(kind, "auto") && !text_equal(kind, "native") &&
	    !text_equal(kind, "vulkan") && !text_starts(kind, "vulkan:"))
		return err_set(err, ERR_INVALID,
			       "--device %s: auto, native, vulkan or vulkan:DEVICE expected", kind);
	if (o->n_devices == WIRE_MAX_DEVICES)
		return err_set(err, ERR_INVALID, "more than %d devices", WIRE_MAX_DEVICES);
	o->devices[o->n_devices++] = kind;
	return 0;
}

static int set_slots(struct options *o, const char *text, struct err *err)
{
	int64_t n;

	if (num_parse_i64(text, strlen(text), 1, WIRE_MAX_SLOTS, &n, err) < 0)
		return err_wrap(err, "--slots");
	o->slots = (uint32_t)n;
	return 0;
}

static int take_value(struct options *o, const char *option, const char *value, struct err *err)
{
	if (text_equal(option, "--join"))
		return set_once(&o->join_file, value, option, err);
	if (text_equal(option, "--controller"))
		return set_once(&o->address, value, option, err);
	if (text_equal(option, "--controller-ca"))
		return set_once(&o->ca_file, value, option, err);
	if (text_equal(option, "--token-file"))
		return set_once(&o->token_file, value, option, err);
	if (text_equal(option, "--name"))
		return set_once(&o->name, value, option, err);
	if (text_equal(option, "--slots"))
		return set_slots(o, value, err);
	if (text_equal(option, "--device"))
		return add_device(o, value, err);
	if (text_equal(option, "--attribute"))
		return add_attribute(o, value, err);
	if (text_equal(option, "--token"))
		return add_token(o, value, err);
	if (text_equal(option, "--state"))
		return set_once(&o->state, value, option, err);
	if (text_equal(option, "--log-format"))
		return log_parse_format(value, &o->log_format, err);
	if (text_equal(option, "--log-level"))
		return log_parse_level(value, &o->log_level, err);
	return err_set(err, ERR_INVALID, "unknown option %s", option);
}

static int check_all(const struct options *o, struct err *err)
{
	bool files = o->address != NULL || o->ca_file != NULL || o->token_file != NULL;

	if (o->join_file != NULL && files)
		return err_set(err, ERR_INVALID,
			       "--join holds what --controller, --controller-ca and --token-file "
			       "say: give one or the others");
	if (o->join_file == NULL &&
	    (o->address == NULL || o->ca_file == NULL || o->token_file == NULL))
		return err_set(err, ERR_INVALID,
			       "--join, or --controller, --controller-ca and --token-file needed");
	return 0;
}

int options_parse(int argc, char **argv, struct options *ret, struct err *err)
{
	*ret = (struct options){ .slots = 1, .log_level = LOG_INFO, .log_format = LOG_TEXT };
	for (int i = 1; i < argc; i++) {
		char option[64];
		const char *equals = strchr(argv[i], '=');
		const char *value = equals != NULL ? equals + 1 : argv[i + 1];
		size_t len = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);

		if (!text_starts(argv[i], "--") || len >= sizeof(option))
			return err_set(err, ERR_INVALID, "unexpected %s", argv[i]);
		memcpy(option, argv[i], len);
		option[len] = '\0';
		if (text_equal(option, "--help") || text_equal(option, "--version")) {
			ret->help = ret->help || text_equal(option, "--help");
			ret->version = ret->version || text_equal(option, "--version");
			continue;
		}
		if (value == NULL)
			return err_set(err, ERR_INVALID, "%s needs a value", option);
		if (take_value(ret, option, value, err) < 0)
			return err->code;
		i += equals == NULL;
	}
	if (ret->help || ret->version)
		return 0;
	return check_all(ret, err);
}

/* ---- files ------------------------------------------------------------------------------- */

int options_read_join(const char *text, size_t len, struct options *o, struct err *err)
{
	AUTO(doc_unrefp) struct doc *d = NULL;
	const struct {
		const char *key;
		char **to;
		bool required;
	} rows[] = {
		{ "address", &o->address, true },
		{ "credential", &o->credential, true },
		{ "ca", &o->ca_pem, true },
		{ "name", &o->name, false },
	};

	if (doc_parse_yaml(text, len, NULL, &d, err) < 0)
		return err_wrap(err, "join file");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *value = doc_str(d, rows[i].key, NULL);

		if (value == NULL && !rows[i].required)
			continue;
		if (value == NULL || value[0] == '\0')
			return err_set(err, ERR_INVALID, "join file: no %s", rows[i].key);
		mem_free(*rows[i].to);
		*rows[i].to = mem_strdup(value);
	}
	return 0;
}

static int read_text(const char *path, struct buf *b, struct err *err)
{
	if (file_read(path, b, err) < 0)
		return err->code;
	while (b->len > 0 && strchr(" \t\r\n", b->data[b->len - 1]) != NULL)
		b->data[--b->len] = '\0';
	if (b->len == 0)
		return err_set(err, ERR_INVALID, "%s is empty", path);
	return 0;
}

int options_load(struct options *o, struct err *err)
{
	AUTO(buf_done) struct buf text = { .max = MAX_FILE };
	AUTO(buf_done) struct buf token = { .max = 8 << 10 };

	if (o->join_file != NULL) {
		if (read_text(o->join_file, &text, err) < 0)
			return err->code;
		return options_read_join(text.data, text.len, o, err);
	}
	if (read_text(o->ca_file, &text, err) < 0 || read_text(o->token_file, &token, err) < 0)
		return err->code;
	o->ca_pem = buf_take(&text);
	o->credential = buf_take(&token);
	return 0;
}

void options_done(struct options *o)
{
	char *const owned[] = { o->address, o->ca_pem,    o->credential, o->name,
				o->state,   o->join_file, o->ca_file,    o->token_file };

	for (size_t i = 0; i < ARRAY_LEN(owned); i++)
		mem_free(owned[i]);
	arena_done(&o->texts);
	*o = (struct options){ 0 };
}
