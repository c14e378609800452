/*
 * log.h - one line per fact: level, constant message, key-value pairs.
 *
 *     log_info("job started", kv_str("job", key), kv_int("attempt", n));
 *
 * JSON in the cluster, text on a terminal, always on standard error. Values never go into the
 * message. lib/ logs only debug. May be called from any thread. Each message is limited to
 * 20 lines in 10 s; the next line that passes says how many were dropped.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_TEXT, LOG_JSON };

struct log_kv {
	const char *key; /* borrowed; NULL ends the list */
	enum { LOG_KV_STR, LOG_KV_INT, LOG_KV_ERR } kind;
	const char *str; /* borrowed */
	int64_t num;
};

static inline struct log_kv kv_str(const char *key, const char *value)
{
	return (struct log_kv){ .key = key, .kind = LOG_KV_STR, .str = value };
}

static inline struct log_kv kv_int(const char *key, int64_t value)
{
	return (struct log_kv){ .key = key, .kind = LOG_KV_INT, .num = value };
}

/* Prints the text of the error under the key "err". */
static inline struct log_kv kv_err(const struct err *err)
{
	return (struct log_kv){ .key = "err", .kind = LOG_KV_ERR, .str = err->text };
}

/* Default: LOG_INFO, LOG_TEXT. Called once at start, before other threads exist. */
void log_setup(enum log_level least, enum log_format format, const char *program);
MUST_CHECK int log_parse_level(const char *s, enum log_level *ret, struct err *err);
MUST_CHECK int log_parse_format(const char *s, enum log_format *ret, struct err *err);
bool log_enabled(enum log_level level);

void log_write(enum log_level level, const char *message, const struct log_kv *kvs);

/* Only tests: lines go to fn instead of standard error; NULL restores. */
void log_capture(void (*fn)(const char *line, void *arg), void *arg);

#define log_at(level, message, ...)                                                                \
	log_write((level), (message), (const struct log_kv[]){ { 0 }, ##__VA_ARGS__, { 0 } } + 1)
#define log_debug(message, ...) log_at(LOG_DEBUG, message, ##__VA_ARGS__)
#define log_info(message, ...) log_at(LOG_INFO, message, ##__VA_ARGS__)
#define log_warn(message, ...) log_at(LOG_WARN, message, ##__VA_ARGS__)
#define log_error(message, ...) log_at(LOG_ERROR, message, ##__VA_ARGS__)

#endif
