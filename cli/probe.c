/* probe.c - see probe.h. */
#include "cli/probe.h"

#include "base/err.h"
#include "base/mem.h"

struct probe {
	struct probe_request request;
	struct run_input *inputs; /* owned copy of request.inputs */
	run_result_fn fn;
	void *arg;
	struct run_call *call; /* borrowed: compilation in flight */
	struct run_slot *slot; /* owned */
};

static void refuse(struct probe *p, const char *why)
{
	p->fn(p->arg, &(struct wire_result){ .outcome = WIRE_REFUSED, .message = why });
}

static void on_result(void *arg, const struct wire_result *result)
{
	struct probe *p = arg;

	p->fn(p->arg, result);
}

static void on_kernel(void *arg, struct run_kernel *kernel, const char *text, const struct err *why)
{
	struct probe *p = arg;
	const struct wire_order *o = p->request.order;
	const struct run_work work = { .kernel = kernel,
				       .chunk = &o->chunks[0],
				       .inputs = p->inputs,
				       .n_inputs = o->n_inputs,
				       .discard = o->discard,
				       .iterations = o->iterations,
				       .timeout_ms = o->chunk_timeout_ms,
				       .memory_mib = o->memory_mib,
				       .probe = true };
	struct err err = { 0 };

	p->call = NULL;
	if (kernel == NULL)
		refuse(p, *text != '\0' ? text : why->text);
	else if (run_slot_new(p->request.host, &(struct run_slot_options){ 0 }, &p->slot, &err) <
		     0 ||
		 run_chunk(p->slot, &work, on_result, p, &err) < 0)
		refuse(p, err.text);
}

struct probe *probe_new(const struct probe_request *request, run_result_fn fn, void *arg)
{
	struct probe *p = NEW(struct probe);
	struct run_source source = request->source;

	p->request = *request;
	p->inputs = NEW_ARRAY(struct run_input, request->order->n_inputs);
	for (uint32_t i = 0; i < request->order->n_inputs; i++)
		p->inputs[i] = request->inputs[i];
	p->fn = fn;
	p->arg = arg;
	source.reverse = true;
	source.target = RUN_NATIVE;
	source.modes = 0;
	p->call = run_load(request->host, &source, on_kernel, p);
	return p;
}

void probe_free(struct probe *p)
{
	if (p == NULL)
		return;
	if (p->call != NULL)
		run_call_cancel(p->call);
	run_slot_free(p->slot);
	mem_free(p->inputs);
	mem_free(p);
}
