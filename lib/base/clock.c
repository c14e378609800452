/* clock.c - see clock.h. */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"

static int64_t read_us(clockid_t id)
{
	struct timespec ts;

	ASSERT(clock_gettime(id, &ts) == 0);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_boot_us(void)
{
	return read_us(CLOCK_BOOTTIME);
}

int64_t clock_boot_ms(void)
{
	return read_us(CLOCK_BOOTTIME) / 1000;
}

int64_t clock_wall_ms(void)
{
	return read_us(CLOCK_REALTIME) / 1000;
}

static void split(int64_t wall_ms, struct tm *ret)
{
	time_t seconds = (time_t)(wall_ms / 1000);

	ASSERT(wall_ms >= 0 && gmtime_r(&seconds, ret) != NULL);
}

const char *clock_print(int64_t wall_ms, char text[CLOCK_TEXT])
{
	struct tm tm;

	split(wall_ms, &tm);
	strftime(text, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text;
}

const char *clock_print_micro(int64_t wall_ms, char text[CLOCK_TEXT])
{
	struct tm tm;
	size_t n;

	split(wall_ms, &tm);
	n = strftime(text, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, CLOCK_TEXT - n, ".%03d000Z", (int)(wall_ms % 1000));
	return text;
}

/* Milliseconds of ".123456"; moves *s behind the digits. */
static int64_t fraction_ms(const char **s)
{
	int64_t ms = 0;
	int64_t unit = 100;

	if (**s != '.')
		return 0;
	for ((*s)++; **s >= '0' && **s <= '9'; (*s)++) {
		ms += (**s - '0') * unit;
		unit /= 10;
	}
	return ms;
}

/* Minutes east of UTC of "Z", "+02:00"; -1 day if it is neither. */
static int offset_minutes(const char *s)
{
	struct err err = { 0 };
	uint64_t hours = 0;
	uint64_t minutes = 0;

	if (strcmp(s, "Z") == 0 || strcmp(s, "z") == 0)
		return 0;
	if ((s[0] != '+' && s[0] != '-') || strlen(s) != 6 || s[3] != ':' ||
	    num_parse_u64(s + 1, 2, 23, &hours, &err) < 0 ||
	    num_parse_u64(s + 4, 2, 59, &minutes, &err) < 0)
		return -24 * 60;
	return (s[0] == '-' ? -1 : 1) * (int)(hours * 60 + minutes);
}

int clock_parse(const char *s, int64_t *ret_wall_ms, struct err *err)
{
	struct tm tm = { 0 };
	const char *rest = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t ms;
	int offset;

	if (rest == NULL)
		return err_set(err, ERR_INVALID, "\"%.40s\" is not a time (RFC 3339)", s);
	ms = fraction_ms(&rest);
	offset = offset_minutes(rest);
	if (offset <= -24 * 60)
		return err_set(err, ERR_INVALID, "\"%.40s\" is not a time (RFC 3339)", s);
	*ret_wall_ms = (int64_t)timegm(&tm) * 1000 + ms - (int64_t)offset * 60000;
	return 0;
}
