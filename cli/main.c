/* main.c - kubectl-warp: kwarp from the command line, with and without a cluster. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/check.h"
#include "cli/cluster.h"
#include "cli/files.h"
#include "cli/node_add.h"
#include "cli/result.h"
#include "cli/run.h"
#include "cli/show.h"
#include "doc/doc.h"
#include "kube/object.h"

enum { OK = 0, FAILED = 1, USAGE = 2, MAX_OUT = 256 << 20, WATCH_MS = 500 };

static const char usage[] =
    "usage: kubectl warp COMMAND\n"
    "\n"
    "  run -f FILE... [-o text|json] [--slots N] [--device native|vulkan[:INDEX|:ID]]\n"
    "                                              a whole job on this machine, without a "
    "cluster;\n"
    "                                              files may also hold the ConfigMaps it reads\n"
    "      [--save FOLDER]                         each result as FOLDER/JOB.OUTPUT, "
    "little-endian\n"
    "  check KERNEL.wgsl | check [-f] FILE...      compile kernels and say what was found; YAML\n"
    "                                              files may also hold the ConfigMaps\n"
    "  node add NAME [--owner O] [--zone Z] [--pool P]\n"
    "                                              let a machine join; prints its join file\n"
    "  nodes                                       the machines that have joined\n"
    "  cordon NODE | uncordon NODE                 let nothing new start there, or again\n"
    "  explain JOB                                 how a job stands, and why\n"
    "  watch JOB                                   follow it to its end\n"
    "  result JOB [OUTPUT] [-o FILE]               what it computed; with -o the bytes of one "
    "output,\n"
    "                                              little-endian (-: standard output)\n"
    "  --version, --help\n"
    "\n"
    "commands that need a cluster take --kubeconfig FILE, --context NAME, -n NAMESPACE\n"
    "(node add: the controller's namespace [kwarp-system])\n";

/* Everything that may hold bytes of others is printed here: a terminal obeys some. */
static void say(FILE *to, struct buf *text)
{
	if (text->data == NULL)
		return;
	text_defuse(text->data);
	fputs(text->data, to);
}

/* One line. */
static int complain(const struct err *err)
{
	struct err shown = *err;

	for (char *p = shown.text; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = '?';
	text_defuse(shown.text);
	fprintf(stderr, "kubectl-warp: %s\n", shown.text);
	return FAILED;
}

static int misuse(const char *fmt, const char *what)
{
	fprintf(stderr, "kubectl-warp: %s%s (kubectl warp --help says what there is)\n", fmt, what);
	return USAGE;
}

/* ---- run -------------------------------------------------------------------------------- */

struct run_args {
	const char *files[FILES_MAX];
	size_t n_files;
	bool json;
	uint32_t slots;
	const char *device; /* borrowed from argv; NULL: native */
	const char *save;   /* borrowed from argv; NULL: print only */
};

/* "" behind the last argument. */
static const char *arg_at(int argc, char **argv, int at)
{
	return at < argc && argv[at] != NULL ? argv[at] : "";
}

/* The value of an option that takes one, "-f FILE" or "--slots=N"; NULL if it is not this one. */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
	const char *arg = arg_at(argc, argv, *at);
	size_t len = strlen(name);

	if (strcmp(arg, name) == 0)
		return arg_at(argc, argv, ++*at);
	if (text_starts(arg, name) && arg[len] == '=')
		return arg + len + 1;
	return NULL;
}

/* A file, with -f or behind one with it. */
static int parse_run_file(int argc, char **argv, int *at, struct run_args *ret)
{
	const char *v = value_of("-f", argc, argv, at);

	if (v == NULL)
		v = value_of("--filename", argc, argv, at);
	/* "-f a.yaml b.yaml", as a shell expands "-f *.yaml" */
	if (v == NULL && arg_at(argc, argv, *at)[0] != '-' && ret->n_files > 0)
		v = arg_at(argc, argv, *at);
	if (v == NULL)
		return misuse("unexpected argument ", arg_at(argc, argv, *at));
	if (*v == '\0' || ret->n_files == FILES_MAX)
		return misuse("-f needs a file", "");
	ret->files[ret->n_files++] = v;
	return OK;
}

/* One option or file; *at moves behind it. */
static int parse_run_arg(int argc, char **argv, int *at, struct run_args *ret)
{
	struct err err = { 0 };
	uint64_t n = 0;
	const char *v = value_of("-o", argc, argv, at);

	if (v == NULL)
		v = value_of("--output", argc, argv, at);
	if (v != NULL) {
		ret->json = strcmp(v, "json") == 0;
		return ret->json || strcmp(v, "text") == 0
			   ? OK
			   : misuse("-o takes text or json, not ", v);
	}
	v = value_of("--slots", argc, argv, at);
	if (v != NULL) {
		if (num_parse_u64(v, strlen(v), 256, &n, &err) < 0 || n == 0)
			return misuse("--slots takes 1 to 256, not ", v);
		ret->slots = (uint32_t)n;
		return OK;
	}
	v = value_of("--device", argc, argv, at);
	if (v != NULL) {
		ret->device = v;
		return strcmp(v, "native") == 0 || strcmp(v, "vulkan") == 0 ||
			       text_starts(v, "vulkan:")
			   ? OK
			   : misuse("--device takes native, vulkan or vulkan:DEVICE, not ", v);
	}
	v = value_of("--save", argc, argv, at);
	if (v != NULL) {
		ret->save = v;
		return *v != '\0' ? OK : misuse("--save needs a folder", "");
	}
	return parse_run_file(argc, argv, at, ret);
}

static int parse_run(int argc, char **argv, struct run_args *ret)
{
	for (int i = 0; i < argc; i++)
		if (parse_run_arg(argc, argv, &i, ret) != OK)
			return USAGE;
	return ret->n_files > 0 ? OK : misuse("run needs -f FILE", "");
}

static void show_progress(void *arg, const char *line)
{
	AUTO(buf_done) struct buf text = { .max = 1024 };

	(void)arg;
	buf_note(&text, "%-78.78s", line);
	fputs("\r", stderr);
	say(stderr, &text);
	fflush(stderr);
}

static void print_job(const struct run_answer *a, bool json)
{
	AUTO(buf_done) struct buf out = { .max = MAX_OUT };
	struct err err = { 0 };

	if (json) {
		if (doc_print(a->job, DOC_PRETTY, &out, &err) == 0)
			printf("%s\n", buf_str(&out));
		return;
	}
	run_print(a->job, &out);
	say(stdout, &out);
	if (a->complete)
		return;
	buf_reset(&out);
	buf_note(&out, "kubectl-warp: %s: %s\n", doc_str(a->job, "metadata.name", ""),
		 doc_str(a->job, "status.why", "failed"));
	say(stderr, &out);
}

static int run_one(const struct files *files, size_t job, const struct run_args *args)
{
	AUTO(run_answer_done) struct run_answer answer = { 0 };
	struct err err = { 0 };
	bool terminal = isatty(STDERR_FILENO) == 1;
	int rc = run_job(&(struct run_request){ .files = files,
						.job = job,
						.slots = args->slots,
						.device = args->device,
						.save = args->save,
						.progress = terminal ? show_progress : NULL },
			 &answer, &err);

	if (terminal)
		fprintf(stderr, "\r%-78s\r", "");
	if (rc < 0)
		return complain(&err);
	print_job(&answer, args->json);
	return answer.complete ? OK : FAILED;
}

/* Each problem of a WarpJob on its own line. */
static int refuse(const struct files *files, const char *path, const struct err *err)
{
	AUTO(buf_done) struct buf out = { .max = 2 * FILES_MAX_PROBLEMS };

	if (files->problems.len == 0)
		return complain(err);
	buf_note(&out, "kubectl-warp: %s: not a valid WarpJob:\n%s", path,
		 buf_str(&files->problems));
	say(stderr, &out);
	return FAILED;
}

static int cmd_run(int argc, char **argv)
{
	AUTO(files_done) struct files files = { 0 };
	struct run_args args = { 0 };
	struct err err = { 0 };
	int ret = parse_run(argc, argv, &args);

	if (ret != OK)
		return ret;
	for (size_t i = 0; i < args.n_files; i++)
		if (files_add(&files, args.files[i], &err) < 0)
			return refuse(&files, args.files[i], &err);
	if (files.n_jobs == 0)
		return misuse("no WarpJob in the given files", "");
	for (size_t i = 0; i < files.n_jobs; i++) {
		int rc = run_one(&files, i, &args);

		ret = rc > ret ? rc : ret;
	}
	return ret;
}

/* ---- check ------------------------------------------------------------------------------ */

/* Files with -f or without; *ret_jobs: they are manifests. */
static int parse_check(int argc, char **argv, struct run_args *ret, bool *ret_jobs)
{
	static const char takes[] = "check takes one WGSL file, or WarpJobs and their ConfigMaps";

	*ret_jobs = false;
	for (int i = 0; i < argc; i++) {
		const char *v = value_of("-f", argc, argv, &i);

		if (v == NULL)
			v = value_of("--filename", argc, argv, &i);
		if (v != NULL)
			*ret_jobs = true;
		else if (argv[i][0] == '-')
			return misuse("unexpected argument ", argv[i]);
		else
			v = argv[i];
		if (*v == '\0' || ret->n_files == FILES_MAX)
			return misuse(takes, "");
		ret->files[ret->n_files++] = v;
		*ret_jobs = *ret_jobs || text_ends(v, ".yaml") || text_ends(v, ".yml");
	}
	return ret->n_files == 1 || (ret->n_files > 1 && *ret_jobs) ? OK : misuse(takes, "");
}

static int cmd_check(int argc, char **argv)
{
	AUTO(buf_done) struct buf out = { .max = 16 << 20 };
	struct run_args args = { 0 };
	struct err err = { 0 };
	bool jobs = false;
	bool good = false;
	int ret = parse_check(argc, argv, &args, &jobs);

	if (ret != OK)
		return ret;
	ret = jobs ? check_jobs(args.files, args.n_files, &out, &good, &err)
		   : check_kernel(args.files[0], &out, &good, &err);
	if (ret < 0)
		return complain(&err);
	say(good ? stdout : stderr, &out);
	return good ? OK : FAILED;
}

/* ---- with a cluster --------------------------------------------------------------------- */

struct cluster_args {
	struct cluster_options cluster;
	struct node_add node;
	const char *file;     /* of result; NULL: print */
	const char *words[4]; /* what is no option */
	size_t n_words;
};

static int parse_cluster(int argc, char **argv, struct cluster_args *ret)
{
	const struct {
		const char *name;
		const char **to;
	} options[] = {
		{ "--kubeconfig", &ret->cluster.kubeconfig },
		{ "--context", &ret->cluster.context },
		{ "-n", &ret->cluster.ns },
		{ "--namespace", &ret->cluster.ns },
		{ "--owner", &ret->node.owner },
		{ "--zone", &ret->node.zone },
		{ "--pool", &ret->node.pool },
		{ "-o", &ret->file },
		{ "--output", &ret->file },
	};

	for (int i = 0; i < argc; i++) {
		const char *v = NULL;

		for (size_t k = 0; k < ARRAY_LEN(options) && v == NULL; k++) {
			v = value_of(options[k].name, argc, argv, &i);
			if (v != NULL)
				*options[k].to = v;
		}
		if (v != NULL && *v == '\0')
			return misuse("a value is missing after ", arg_at(argc, argv, i - 1));
		if (v != NULL)
			continue;
		if (arg_at(argc, argv, i)[0] == '-' || ret->n_words == ARRAY_LEN(ret->words))
			return misuse("unexpected argument ", arg_at(argc, argv, i));
		ret->words[ret->n_words++] = arg_at(argc, argv, i);
	}
	return OK;
}

static int print_out(struct buf *out)
{
	say(stdout, out);
	return OK;
}

static int cmd_node(struct cluster *c, struct cluster_args *args)
{
	AUTO(buf_done) struct buf out = { .max = 1 << 20 };
	struct err err = { 0 };

	args->node.name = args->words[1];
	args->node.ns = args->cluster.ns != NULL ? args->cluster.ns : "kwarp-system";
	if (node_add(c, &args->node, &out, &err) < 0)
		return complain(&err);
	return print_out(&out);
}

static int cmd_nodes(struct cluster *c, struct cluster_args *args)
{
	AUTO(buf_done) struct buf out = { .max = 64 << 20 };
	AUTO(doc_unrefp) struct doc *list = NULL;
	struct err err = { 0 };

	(void)args;
	if (cluster_list(c, &kube_warpnodes, NULL, &list, &err) < 0)
		return complain(&err);
	show_nodes(list, &out);
	return print_out(&out);
}

static int pause_node(struct cluster *c, const char *name, bool paused)
{
	AUTO(doc_unrefp) struct doc *patch = doc_new_map();
	struct err err = { 0 };

	doc_set_path(patch, "spec.paused", doc_new_bool(paused));
	if (cluster_patch(c, &kube_warpnodes, NULL, name, patch, &err) < 0)
		return complain(&err);
	printf("%s %s\n", name, paused ? "cordoned" : "uncordoned");
	return OK;
}

static int cmd_cordon(struct cluster *c, struct cluster_args *args)
{
	return pause_node(c, args->words[0], true);
}

static int cmd_uncordon(struct cluster *c, struct cluster_args *args)
{
	return pause_node(c, args->words[0], false);
}

static int cmd_explain(struct cluster *c, struct cluster_args *args)
{
	AUTO(buf_done) struct buf out = { .max = 4 << 20 };
	AUTO(doc_unrefp) struct doc *job = NULL;
	struct err err = { 0 };

	if (cluster_get(c, &kube_warpjobs, cluster_namespace(c), args->words[0], &job, &err) < 0)
		return complain(&err);
	show_job(job, &out);
	return print_out(&out);
}

static int cmd_watch(struct cluster *c, struct cluster_args *args)
{
	AUTO(buf_done) struct buf last = { .max = 64 * 1024 };
	bool complete = false;

	for (;;) {
		AUTO(buf_done) struct buf line = { .max = 64 * 1024 };
		AUTO(doc_unrefp) struct doc *job = NULL;
		struct err err = { 0 };

		if (cluster_get(c, &kube_warpjobs, cluster_namespace(c), args->words[0], &job,
				&err) < 0)
			return complain(&err);
		show_line(job, &line);
		if (strcmp(buf_str(&line), buf_str(&last)) != 0) {
			buf_reset(&last);
			buf_note(&last, "%s", buf_str(&line));
			say(stdout, &line);
			fflush(stdout);
		}
		if (show_is_finished(job, &complete))
			return complete ? OK : FAILED;
		cluster_wait(c, WATCH_MS);
	}
}

static int cmd_result(struct cluster *c, struct cluster_args *args)
{
	AUTO(buf_done) struct buf out = { .max = 4 << 20 };
	struct result_request request = { .job = args->words[0],
					  .output = args->n_words > 1 ? args->words[1] : NULL,
					  .file = args->file };
	struct err err = { 0 };

	if (text_equal(args->file, "-") && isatty(STDOUT_FILENO) == 1)
		return misuse("bytes do not go to a terminal: -o FILE", "");
	if (result_get(c, &request, &out, &err) < 0)
		return complain(&err);
	return print_out(&out);
}

static const struct {
	const char *verb;
	size_t words; /* behind the verb */
	int (*run)(struct cluster *c, struct cluster_args *args);
	const char *usage;
} cluster_verbs[] = {
	{ "node", 2, cmd_node, "node add NAME" },
	{ "nodes", 0, cmd_nodes, "nodes" },
	{ "cordon", 1, cmd_cordon, "cordon NODE" },
	{ "uncordon", 1, cmd_uncordon, "uncordon NODE" },
	{ "explain", 1, cmd_explain, "explain JOB" },
	{ "watch", 1, cmd_watch, "watch JOB" },
	{ "result", 1, cmd_result, "result JOB [OUTPUT] [-o FILE]" },
};

static int with_cluster(size_t verb, int argc, char **argv)
{
	AUTO(cluster_closep) struct cluster *c = NULL;
	struct cluster_args args = { 0 };
	struct err err = { 0 };
	bool is_result;
	int ret = parse_cluster(argc, argv, &args);

	if (ret != OK)
		return ret;
	is_result = strcmp(cluster_verbs[verb].verb, "result") == 0;
	if (args.file != NULL && !is_result)
		return misuse("-o is for result, not for ", cluster_verbs[verb].verb);
	if ((args.n_words != cluster_verbs[verb].words && !(is_result && args.n_words == 2)) ||
	    (strcmp(cluster_verbs[verb].verb, "node") == 0 && !text_equal(args.words[0], "add")))
		return misuse("expected ", cluster_verbs[verb].usage);
	/* What is half written is removed first. */
	args.cluster.catch_signals = args.file != NULL;
	if (cluster_open(&args.cluster, &c, &err) < 0)
		return complain(&err);
	return cluster_verbs[verb].run(c, &args);
}

static bool is_help(const char *arg)
{
	return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

/* What a mistyped verb was meant to be. */
static int unknown_verb(const char *verb)
{
	char text[96] = "";

	for (size_t i = 0; i < ARRAY_LEN(cluster_verbs); i++)
		if (text_is_near(verb, cluster_verbs[i].verb))
			snprintf(text, sizeof(text), "%.40s; did you mean %s?", verb,
				 cluster_verbs[i].verb);
	if (text_is_near(verb, "check"))
		snprintf(text, sizeof(text), "%.40s; did you mean check?", verb);
	return misuse("unknown command ", text[0] != '\0' ? text : verb);
}

int main(int argc, char **argv)
{
	static const char *const later[] = { "audit", "release", "retry", "put" };
	const char *verb = arg_at(argc, argv, 1);

	log_setup(LOG_WARN, LOG_TEXT, "kubectl-warp");
	if (strcmp(verb, "--version") == 0) {
		printf("kubectl-warp %s\n", KWARP_VERSION);
		return OK;
	}
	if (is_help(verb) || strcmp(verb, "help") == 0 || (argc > 2 && is_help(argv[argc - 1]))) {
		printf("%s", usage);
		return OK;
	}
	if (strcmp(verb, "run") == 0)
		return cmd_run(argc - 2, argv + 2);
	if (strcmp(verb, "check") == 0)
		return cmd_check(argc - 2, argv + 2);
	for (size_t i = 0; i < ARRAY_LEN(cluster_verbs); i++)
		if (strcmp(verb, cluster_verbs[i].verb) == 0)
			return with_cluster(i, argc - 2, argv + 2);
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		if (strcmp(verb, later[i]) == 0)
			return misuse("not available in this version: ", verb);
	if (*verb != '\0')
		return unknown_verb(verb);
	fprintf(stderr, "%s", usage);
	return USAGE;
}
