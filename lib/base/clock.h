/*
 * clock.h - the two clocks. Pure code never reads them: time comes in as an argument.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Milliseconds since boot, suspend included (CLOCK_BOOTTIME): for durations and deadlines. */
int64_t clock_boot_ms(void);

/* The same clock in microseconds: for measuring short pieces of work. */
int64_t clock_boot_us(void);

/* Milliseconds since 1970 (CLOCK_REALTIME): for what people and the API server read. */
int64_t clock_wall_ms(void);

/* RFC 3339 in UTC with seconds, as Kubernetes writes times: "2026-01-31T12:00:00Z". */
enum { CLOCK_TEXT = 32 };
const char *clock_print(int64_t wall_ms, char text[CLOCK_TEXT]);
/* The same with microseconds (MicroTime of Leases). */
const char *clock_print_micro(int64_t wall_ms, char text[CLOCK_TEXT]);

/* Reads RFC 3339 with 'Z' or an offset and any number of fraction digits. */
MUST_CHECK int clock_parse(const char *s, int64_t *ret_wall_ms, struct err *err);

#endif
