/*
 * job_view.h - a WarpJob document as a plain struct: checked, with the defaults of the CRD.
 *
 * The struct borrows its strings from the document (and a few from the arena): it lives as long
 * as both. What the schema refuses already is checked again, since `kubectl warp run` has no
 * API server; the error names the field.
 */
#ifndef DECIDE_JOB_VIEW_H
#define DECIDE_JOB_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ranges.h"
#include "vote/reduce.h"
#include "wire/order.h"

struct arena;
struct doc;

enum {
	JOB_MAX_CHUNKS = 1000000,
	JOB_MAX_MANIFEST = 4096,
	JOB_MAX_INPUTS = 64,
	JOB_MAX_OUTPUTS = 64,
	JOB_MAX_KERNEL = 256 * 1024,
	JOB_MAX_REPLICAS = 9,
	JOB_MAX_OBJECT = 1200000, /* bytes of a WarpJob with its largest status */
};

enum job_spread { JOB_NODE, JOB_DEVICE, JOB_OWNER, JOB_VENDOR, JOB_ZONE };
enum job_source { JOB_INLINE, JOB_CONFIG_MAP, JOB_DATASET, JOB_HTTP };

/* A uniform field and the text of its value: a number or an expression. */
struct job_param {
	const char *field;
	const char *text;
};

struct job_input {
	const char *name;
	enum job_source source;
	const char *inline_text; /* base64 */
	size_t inline_len;
	const char *ref_name; /* ConfigMap */
	const char *ref_key;
	const char *offset; /* expressions, NULL = 0 and all the rest */
	const char *length;
};

struct job_output {
	const char *name;
	const char *length; /* expression, NULL without one */
	enum vote_reducer reduce;
	uint32_t k;
};

struct job_spec {
	const char *ns;
	const char *name;
	const char *uid;
	int64_t generation;

	const char *kernel; /* the WGSL text */
	size_t kernel_len;
	const char *entry_point; /* "" = the only one */
	struct wire_constant constants[WIRE_MAX_CONSTANTS];
	size_t n_constants;

	int64_t count; /* of chunks; 0: from manifestFrom or chosen from the range */
	const struct job_param *params;
	size_t n_params;
	const struct doc *manifest; /* list of maps, or NULL */
	const char *manifest_map;   /* manifestFrom: ConfigMap and key */
	const char *manifest_key;
	bool has_range;
	int64_t range_lo;
	int64_t range_hi;
	const char *invocations; /* NULL: from the first runtime-sized output */

	struct job_input inputs[JOB_MAX_INPUTS];
	size_t n_inputs;
	struct job_output outputs[JOB_MAX_OUTPUTS];
	size_t n_outputs;

	int64_t replicas;
	int64_t agree;
	int64_t max_replicas;
	enum job_spread spread;
	bool strict; /* numerics: Strict */
	bool exact;  /* compare: Exact: by digest, whatever the kernel's class */
	/* What this version refuses: NULL, or the reason ("NotSupported", ...) and the text. */
	const char *refused_reason;
	const char *refused;

	const char *where;     /* NULL: any node */
	const char *node_name; /* NULL: any node */
	int64_t parallelism;   /* 0: all slots */
	int64_t chunks_per_slice;
	int64_t chunk_timeout_ms;
	uint64_t iterations;
	int64_t memory_mib; /* 0: no limit of its own */
	int64_t backoff_limit;
	int64_t max_failed;
	int64_t deadline_s; /* 0: none */
	int64_t success;    /* accepted chunks; 0: all */
	bool suspend;
	int64_t ttl_s; /* -1: never */
	int64_t blob_ttl_s;
	bool pods; /* podPolicy: PerSlice */
	int64_t pod_history;
	int64_t priority;
	const char *managed_by; /* NULL: ours */
};

/* The spec as far as deciding needs it. ERR_INVALID or ERR_TOO_BIG: "spec.chunks.count: ...". */
MUST_CHECK int job_view(const struct doc *warpjob, struct arena *arena, struct job_spec *ret,
			struct err *err);

/* What the status records. Zero is a job without a status. */
struct job_record {
	const char *state; /* "" without a status */
	struct ranges accepted;
	struct ranges failed;
	const char *partial; /* "" = none */
	int64_t total;
	int64_t unverified;
	int64_t asked, agreed, mismatched, lost;
	int64_t start_wall_ms; /* 0: not started */
	int64_t end_wall_ms;   /* 0: not ended */
	uint64_t epoch;
	const char *kernel_sha256; /* "" = none */
	const struct doc *inputs;  /* status.inputs or NULL */
	bool complete;             /* condition Complete or Failed is True */
	bool failed_job;
	bool suspended; /* condition Suspended is True */
};
void job_record_done(struct job_record *r);

/* ERR_INVALID: the status contradicts itself, the text says where. *ret is owned (ranges), its
 * strings are borrowed from the document. */
MUST_CHECK int job_view_status(const struct doc *warpjob, struct job_record *ret, struct err *err);

/*
 * The table behind job_view, also for the test that walks it and the CRD: path below spec, type
 * ("string", "integer", "boolean"), the CRD's bounds (of a string: of its length), and where in
 * struct job_spec the value goes. Ends with path NULL.
 */
struct job_view_field {
	const char *path;
	const char *type;
	int64_t min;
	int64_t max;
	size_t offset;
};
extern const struct job_view_field job_view_fields[];

#endif
