/* main.c - kwarp-agent: see options.h for its usage, agent.h for what it does. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "agent/agent.h"
#include "agent/options.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct program {
	struct agent *agent; /* owned */
	bool stopping;
};

static void on_signal(void *arg, int sig)
{
	struct program *p = arg;

	(void)sig;
	p->stopping = true;
	if (p->agent != NULL)
		agent_stop(p->agent);
}

static int serve(const struct options *o, struct loop *loop, struct err *err)
{
	static const int signals[] = { SIGTERM, SIGINT, 0 };
	struct program p = { 0 };

	/* Before there are other threads, so that they do not get them either. */
	if (loop_on_signals(loop, signals, on_signal, &p, err) < 0 ||
	    agent_new(loop, o, &p.agent, err) < 0)
		return err->code;
	if (agent_probe(p.agent, err) < 0) {
		agent_free(p.agent);
		return err->code;
	}
	if (!p.stopping) {
		agent_start(p.agent);
		loop_run(loop);
	}
	agent_free(p.agent);
	return 0;
}

static int run(struct options *o, struct err *err)
{
	AUTO(loop_freep) struct loop *loop = NULL;

	if (options_load(o, err) < 0 || loop_new(&loop, err) < 0)
		return err->code;
	return serve(o, loop, err);
}

int main(int argc, char **argv)
{
	AUTO(options_done) struct options o = { 0 };
	struct err err = { 0 };

	if (options_parse(argc, argv, &o, &err) < 0) {
		fprintf(stderr, "kwarp-agent: %s (see --help)\n", err.text);
		return EXIT_USAGE;
	}
	if (o.help || o.version) {
		fputs(o.help ? options_help : "kwarp-agent " KWARP_VERSION "\n", stdout);
		return EXIT_OK;
	}
	log_setup(o.log_level, o.log_format, "kwarp-agent");
	signal(SIGPIPE, SIG_IGN);
	if (run(&o, &err) < 0) {
		fprintf(stderr, "kwarp-agent: %s\n", err.text);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
