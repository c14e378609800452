/* log.c - formatting of log lines and their rate limit; see log.h. */
#include "base/log.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	LINE_MAX_BYTES = 8192,
	VALUE_MAX_BYTES = 2048,
	LINES_PER_WINDOW = 20,
	WINDOW_MS = 10000,
	TRACKED = 256, /* messages whose rate is known; power of two */
};

/* One per message; messages are constants, so their address names them. */
struct rate {
	const char *message; /* static; NULL = free */
	int64_t window_start_ms;
	int64_t passed;
	int64_t dropped;
};

static struct {
	pthread_mutex_t lock;
	enum log_level least;
	enum log_format format;
	const char *program; /* static; NULL = not said */
	struct rate rates[TRACKED];
	void (*capture)(const char *line, void *arg);
	void *capture_arg; /* borrowed */
} logger = { .lock = PTHREAD_MUTEX_INITIALIZER, .least = LOG_INFO };

static const char *const level_names[] = { "debug", "info", "warn", "error" };

void log_setup(enum log_level least, enum log_format format, const char *program)
{
	logger.least = least;
	logger.format = format;
	logger.program = program;
}

int log_parse_level(const char *s, enum log_level *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
		if (strcmp(s, level_names[i]) != 0)
			continue;
		*ret = (enum log_level)i;
		return 0;
	}
	return err_set(err, ERR_INVALID, "log level %.40s: must be debug, info, warn or error", s);
}

int log_parse_format(const char *s, enum log_format *ret, struct err *err)
{
	if (strcmp(s, "json") != 0 && strcmp(s, "text") != 0)
		return err_set(err, ERR_INVALID, "log format %.40s: must be json or text", s);
	*ret = s[0] == 'j' ? LOG_JSON : LOG_TEXT;
	return 0;
}

bool log_enabled(enum log_level level)
{
	return level >= logger.least;
}

/* A line is cut when it is too long, never lost: LINE_MAX_BYTES leaves room for the fixed parts. */
static void add(struct buf *b, const char *s, size_t n)
{
	struct err err = { 0 };

	if (buf_add(b, s, n, &err) < 0)
		err_clear(&err);
}

static void add_text(struct buf *b, const char *s)
{
	add(b, s, strlen(s));
}

static void add_escape(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (c == '\n')
		add_text(b, "\\n");
	else if (c == '"' || c == '\\')
		add(b, (const char[]){ '\\', (char)c }, 2);
	else
		add(b, text, sizeof(text));
}

static void add_quoted(struct buf *b, const char *s)
{
	size_t len = strnlen(s, VALUE_MAX_BYTES);
	bool utf8 = text_is_utf8(s, len);

	add_text(b, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f || (c >= 0x80 && !utf8))
			add_escape(b, c);
		else
			add(b, &s[i], 1);
	}
	add_text(b, "\"");
}

static bool is_plain(const char *s)
{
	if (s[0] == '\0' || strlen(s) > VALUE_MAX_BYTES || !text_is_utf8(s, strlen(s)))
		return false;
	for (; *s != '\0'; s++)
		if ((unsigned char)*s <= ' ' || *s == '"' || *s == '\\' || *s == '=' || *s == 0x7f)
			return false;
	return true;
}

static void add_number(struct buf *b, int64_t v)
{
	if (buf_addf(b, "%lld", (long long)v) < 0)
		return;
}

static void add_kv(struct buf *b, const struct log_kv *kv)
{
	bool json = logger.format == LOG_JSON;
	const char *str = kv->str != NULL ? kv->str : "";

	add_text(b, json ? "," : " ");
	if (json)
		add_quoted(b, kv->key);
	else
		add_text(b, kv->key);
	add_text(b, json ? ":" : "=");
	if (kv->kind == LOG_KV_INT)
		add_number(b, kv->num);
	else if (!json && is_plain(str))
		add_text(b, str);
	else
		add_quoted(b, str);
}

static void add_head(struct buf *b, enum log_level level, const char *message)
{
	char time[CLOCK_TEXT];

	clock_print_micro(clock_wall_ms(), time);
	if (logger.format == LOG_JSON) {
		add_text(b, "{\"time\":\"");
		add_text(b, time);
		add_text(b, "\",\"level\":\"");
		add_text(b, level_names[level]);
		add_text(b, "\",\"msg\":");
		add_quoted(b, message);
		if (logger.program != NULL)
			add_kv(b, &(struct log_kv){ .key = "program", .str = logger.program });
		return;
	}
	add_text(b, time);
	add_text(b, " ");
	add_text(b, level_names[level]);
	add_text(b, " ");
	add_text(b, message);
}

static struct rate *rate_of(const char *message)
{
	size_t at = ((uintptr_t)message >> 3) * 0x9e3779b9u;

	for (size_t i = 0; i < TRACKED; i++) {
		struct rate *r = &logger.rates[(at + i) & (TRACKED - 1)];

		if (r->message != NULL && r->message != message)
			continue;
		r->message = message;
		return r;
	}
	return NULL;
}

/* True if the line may pass; *ret_dropped says how many before it did not. */
static bool passes(const char *message, int64_t *ret_dropped)
{
	struct rate *r = rate_of(message);
	int64_t now_ms = clock_boot_ms();

	*ret_dropped = 0;
	if (r == NULL)
		return true;
	if (now_ms - r->window_start_ms >= WINDOW_MS) {
		r->window_start_ms = now_ms;
		r->passed = 0;
	}
	if (r->passed >= LINES_PER_WINDOW) {
		r->dropped++;
		return false;
	}
	r->passed++;
	*ret_dropped = r->dropped;
	r->dropped = 0;
	return true;
}

static void put_line(const char *line, size_t len)
{
	if (logger.capture != NULL) {
		logger.capture(line, logger.capture_arg);
		return;
	}
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, line, len);

		if (n <= 0)
			return;
		line += n;
		len -= (size_t)n;
	}
}

static void write_locked(enum log_level level, const char *message, const struct log_kv *kvs)
{
	AUTO(buf_done) struct buf b = { .max = LINE_MAX_BYTES };
	int64_t dropped;

	if (!passes(message, &dropped))
		return;
	add_head(&b, level, message);
	for (; kvs->key != NULL; kvs++)
		add_kv(&b, kvs);
	if (dropped > 0)
		add_kv(&b,
		       &(struct log_kv){ .key = "dropped", .kind = LOG_KV_INT, .num = dropped });
	b.max = LINE_MAX_BYTES + 16;
	add_text(&b, logger.format == LOG_JSON ? "}" : "");
	if (logger.capture == NULL)
		add_text(&b, "\n");
	put_line(buf_str(&b), b.len);
}

void log_write(enum log_level level, const char *message, const struct log_kv *kvs)
{
	if (!log_enabled(level))
		return;
	pthread_mutex_lock(&logger.lock);
	write_locked(level, message, kvs);
	pthread_mutex_unlock(&logger.lock);
}

void log_capture(void (*fn)(const char *line, void *arg), void *arg)
{
	pthread_mutex_lock(&logger.lock);
	logger.capture = fn;
	logger.capture_arg = arg;
	memset(logger.rates, 0, sizeof(logger.rates));
	pthread_mutex_unlock(&logger.lock);
}
