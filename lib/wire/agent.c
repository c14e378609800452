/* agent.c - the tables of registration, pages and answers; see agent.h. */
#include "wire/agent.h"

#include <string.h>

#include "wire/agent_int.h"
#include "wire/codec.h"
#include "wire/codec_int.h"

enum { MAX_SHORT = 256, ALL_ABILITIES = WIRE_NEEDS_ALL };

/* wire 3.7 */
static int check_run(const void *value, struct err *err)
{
	const struct wire_run *r = value;

	if ((uint64_t)r->first + r->count > WIRE_MAX_CHUNKS)
		return err_set(err, ERR_PROTOCOL, "count: %u chunks from %u", r->count, r->first);
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_run, m, ##__VA_ARGS__)
static const struct wire_field run_fields[] = {
	F(1, U32, first),
	F(2, U32, count, .required = true),
};
#undef F
static const struct wire_type run_type = WIRE_TYPE("run", struct wire_run, run_fields, check_run);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_job_runs, m, ##__VA_ARGS__)
static const struct wire_field job_runs_fields[] = {
	F(1, CHARS, job_uid, .max = WIRE_UID, .required = true),
	F(2, MSGS, runs, WIRE_COUNT(struct wire_job_runs, n_runs), .max = WIRE_MAX_RUNS,
	  .sub = &run_type),
};
#undef F
const struct wire_type wire_job_runs_type =
    WIRE_TYPE("job", struct wire_job_runs, job_runs_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_attribute, m, ##__VA_ARGS__)
static const struct wire_field attribute_fields[] = {
	F(1, STR, key, .max = MAX_SHORT, .required = true),
	F(2, STR, value, .max = MAX_SHORT),
};
#undef F
static const struct wire_type attribute_type =
    WIRE_TYPE("attribute", struct wire_attribute, attribute_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_number, m, ##__VA_ARGS__)
static const struct wire_field number_fields[] = {
	F(1, STR, key, .max = MAX_SHORT, .required = true),
	F(2, U64, value, .max = INT64_MAX),
};
#undef F
static const struct wire_type number_type =
    WIRE_TYPE("number", struct wire_number, number_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_device, m, ##__VA_ARGS__)
static const struct wire_field device_fields[] = {
	F(1, STR, id, .max = MAX_SHORT, .required = true),
	F(2, STR, backend, .max = MAX_SHORT, .required = true),
	F(3, STR, vendor, .max = MAX_SHORT),
	F(4, STR, name, .max = MAX_SHORT),
	F(5, STR, driver, .max = MAX_SHORT),
	F(6, U64, memory_mib, .max = INT64_MAX),
	F(7, U32, abilities, .max = ALL_ABILITIES),
	F(8, U32, self_test, .max = WIRE_TEST_FAILED, .required = true),
	F(9, STR, self_test_reason, .max = WIRE_MAX_MESSAGE),
};
#undef F
static const struct wire_type device_type =
    WIRE_TYPE("device", struct wire_device, device_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_register, m, ##__VA_ARGS__)
#define C(m) WIRE_COUNT(struct wire_register, m)
static const struct wire_field register_fields[] = {
	F(1, U32, version, .required = true),
	F(2, U32, oldest, .required = true),
	F(3, STR, agent_version, .max = MAX_SHORT),
	F(4, STRS, tokens, C(n_tokens), .max = WIRE_MAX_TOKENS),
	F(5, MSGS, attributes, C(n_attributes), .max = WIRE_MAX_ATTRIBUTES, .sub = &attribute_type),
	F(6, MSGS, numbers, C(n_numbers), .max = WIRE_MAX_NUMBERS, .sub = &number_type),
	F(7, MSGS, devices, C(n_devices), .max = WIRE_MAX_DEVICES, .sub = &device_type),
	F(8, U32, slots, .max = WIRE_MAX_SLOTS, .required = true),
	F(9, U32, abilities, .max = ALL_ABILITIES),
	F(10, MSGS, running, C(n_running), .max = WIRE_MAX_RUNNING, .sub = &wire_dispatch_type),
	F(11, MSGS, held, C(n_held), .max = WIRE_MAX_HELD, .sub = &wire_dispatch_type),
	F(12, U64, highest_epoch),
	F(13, BOOL, full),
	F(14, BOOL, draining),
};
#undef F
#undef C
static const struct wire_type register_type = WIRE_TYPE(
    "register", struct wire_register, register_fields, NULL, .max_bytes = WIRE_MAX_REGISTER);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_page, m, ##__VA_ARGS__)
static const struct wire_field page_fields[] = {
	F(1, U64, session, .required = true),
	F(2, MSGS, parts, WIRE_COUNT(struct wire_page, n_parts), .max = WIRE_MAX_PARTS,
	  .sub = &wire_results_type),
	F(3, BOOL, full),
	F(4, BOOL, draining),
	F(5, BOOL, offered),
};
#undef F
static const struct wire_type page_type =
    WIRE_TYPE("page", struct wire_page, page_fields, NULL, .max_bytes = WIRE_MAX_PAGE);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_answer, m, ##__VA_ARGS__)
#define C(m) WIRE_COUNT(struct wire_answer, m)
static const struct wire_field answer_fields[] = {
	F(1, U64, epoch),
	F(2, MSGS, decided, C(n_decided), .max = WIRE_MAX_JOBS, .sub = &wire_job_runs_type),
	F(3, MSGS, refused, C(n_refused), .max = WIRE_MAX_JOBS, .sub = &wire_job_runs_type),
	F(4, STR, reason, .max = WIRE_MAX_MESSAGE),
};
#undef F
#undef C
static const struct wire_type answer_type =
    WIRE_TYPE("answer", struct wire_answer, answer_fields, NULL, .max_bytes = WIRE_MAX_ANSWER);

int wire_register_encode(const struct wire_register *r, struct buf *out, struct err *err)
{
	return wire_encode(&register_type, r, out, err);
}

int wire_register_decode(const void *bytes, size_t len, struct arena *a, struct wire_register *ret,
			 struct err *err)
{
	return wire_decode(&register_type, bytes, len, a, ret, err);
}

int wire_page_encode(const struct wire_page *p, struct buf *out, struct err *err)
{
	return wire_encode(&page_type, p, out, err);
}

int wire_page_decode(const void *bytes, size_t len, struct arena *a, struct wire_page *ret,
		     struct err *err)
{
	return wire_decode(&page_type, bytes, len, a, ret, err);
}

int wire_answer_encode(const struct wire_answer *x, struct buf *out, struct err *err)
{
	return wire_encode(&answer_type, x, out, err);
}

int wire_answer_decode(const void *bytes, size_t len, struct arena *a, struct wire_answer *ret,
		       struct err *err)
{
	return wire_decode(&answer_type, bytes, len, a, ret, err);
}

/* wire 2.3 */
int wire_choose_version(const struct wire_register *r, uint32_t *ret, struct err *err)
{
	if (r->oldest > r->version)
		return err_set(err, ERR_INVALID, "versions %u to %u", r->oldest, r->version);
	if (r->version < WIRE_OLDEST || r->oldest > WIRE_VERSION)
		return err_set(err, ERR_INVALID,
			       "protocol versions %u to %u where %d to %d are spoken", r->oldest,
			       r->version, WIRE_OLDEST, WIRE_VERSION);
	/* cppcheck-suppress knownConditionTrueFalse ; as long as there is only one version */
	*ret = r->version < WIRE_VERSION ? r->version : WIRE_VERSION;
	return 0;
}
