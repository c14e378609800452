/* main.c - kwarp-controller: watches WarpJobs, decides, serves agents. */
#include <stdio.h>

#include "controller/life.h"
#include "controller/options.h"

int main(int argc, char **argv)
{
	struct options o;
	struct err err = { 0 };

	if (options_parse(argc, argv, &o, &err) < 0) {
		fprintf(stderr, "kwarp-controller: %s (see --help)\n", err.text);
		return 2;
	}
	if (o.help) {
		fputs(options_usage, stdout);
		return 0;
	}
	if (o.version) {
		printf("kwarp-controller %s\n", KWARP_VERSION);
		return 0;
	}
	log_setup(o.log_level, o.log_format, "kwarp-controller");
	if (life_run(&o, &err) < 0) {
		fprintf(stderr, "kwarp-controller: %s\n", err.text);
		return 1;
	}
	return 0;
}
