/* options.c - see options.h. */
#include "controller/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"

const char options_usage[] =
    "usage: kwarp-controller [OPTION...]\n"
    "\n"
    "  --kubeconfig FILE          how to reach the API server [in-cluster, else KUBECONFIG,\n"
    "                             else ~/.kube/config]\n"
    "  --namespace NAME           where its own objects live [kwarp-system]\n"
    "  --data-address HOST:PORT   listen here for agents, HOST numeric [0.0.0.0:8443]\n"
    "  --public-address HOST:PORT what agents dial [the data address, or the Service\n"
    "                             kwarp-controller when that is no address to dial]\n"
    "  --store DIR                keep results that are too large for a status here; shared by\n"
    "                             all controllers [such jobs are refused]\n"
    "  --leader-elect=BOOL        several controllers, one leads [true]\n"
    "  --log-format json|text     [text on a terminal, else json]\n"
    "  --log-level LEVEL          debug, info, warn or error [info]\n"
    "  --version                  print the version\n"
    "  --help                     print this\n";

static int parse_bool(const char *name, const char *value, bool *ret, struct err *err)
{
	if (strcmp(value, "true") == 0)
		*ret = true;
	else if (strcmp(value, "false") == 0)
		*ret = false;
	else
		return err_set(err, ERR_INVALID, "%s=%.40s: must be true or false", name, value);
	return 0;
}

static int set(struct options *o, const char *name, const char *value, struct err *err)
{
	if (strcmp(name, "--kubeconfig") == 0)
		o->kubeconfig = value;
	else if (strcmp(name, "--namespace") == 0)
		o->ns = value;
	else if (strcmp(name, "--data-address") == 0)
		o->data_address = value;
	else if (strcmp(name, "--public-address") == 0)
		o->public_address = value;
	else if (strcmp(name, "--leader-elect") == 0)
		return parse_bool(name, value, &o->leader_elect, err);
	else if (strcmp(name, "--log-format") == 0)
		return log_parse_format(value, &o->log_format, err);
	else if (strcmp(name, "--log-level") == 0)
		return log_parse_level(value, &o->log_level, err);
	else if (strcmp(name, "--store") == 0)
		o->store = value;
	else
		return err_set(err, ERR_INVALID, "unknown option %.100s", name);
	return 0;
}

/* "--name=value", or "--name" and the next argument. */
static int parse_one(struct options *o, char *const *argv, int argc, int *at, struct err *err)
{
	const char *arg = argv[*at];
	const char *equals = strchr(arg, '=');
	char name[64];
	size_t len = equals != NULL ? (size_t)(equals - arg) : strlen(arg);

	if (!text_starts(arg, "--") || len >= sizeof(name))
		return err_set(err, ERR_INVALID, "unexpected argument %.100s", arg);
	memcpy(name, arg, len);
	name[len] = '\0';
	if (equals != NULL)
		return set(o, name, equals + 1, err);
	if (strcmp(name, "--leader-elect") == 0) {
		o->leader_elect = true;
		return 0;
	}
	if (*at + 1 >= argc)
		return err_set(err, ERR_INVALID, "%s needs a value", name);
	*at += 1;
	return set(o, name, argv[*at], err);
}

static int check(struct options *o, struct err *err)
{
	char host[OPTIONS_HOST] = "";
	int port = 0;

	if (o->store != NULL && *o->store == '\0')
		return err_set(err, ERR_INVALID, "--store: must be a directory");
	if (o->store != NULL && text_starts(o->store, "s3://"))
		return err_set(err, ERR_INVALID,
			       "--store %.100s: buckets are not available in this version; use a "
			       "directory",
			       o->store);
	if (!text_is_dns_label(o->ns))
		return err_set(err, ERR_INVALID, "--namespace %.63s: not a namespace's name",
			       o->ns);
	if (options_split(o->data_address, host, &port, err) < 0)
		return err_wrap(err, "--data-address");
	if (o->public_address == NULL) {
		o->public_address = o->data_address;
		if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0) {
			snprintf(o->service, sizeof(o->service), "kwarp-controller.%s.svc:%d",
				 o->ns, port);
			o->public_address = o->service;
		}
	}
	if (options_split(o->public_address, host, &port, err) < 0)
		return err_wrap(err, "--public-address");
	if (port == 0)
		return err_set(err, ERR_INVALID, "--public-address: port 0 cannot be dialled");
	return 0;
}

int options_parse(int argc, char *const *argv, struct options *ret, struct err *err)
{
	*ret = (struct options){
		.ns = "kwarp-system",
		.data_address = "0.0.0.0:8443",
		.leader_elect = true,
		.log_format = isatty(STDERR_FILENO) ? LOG_TEXT : LOG_JSON,
		.log_level = LOG_INFO,
	};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			ret->help = true;
		else if (strcmp(argv[i], "--version") == 0)
			ret->version = true;
		else if (parse_one(ret, argv, argc, &i, err) < 0)
			return err->code;
	}
	return ret->help || ret->version ? 0 : check(ret, err);
}

int options_split(const char *address, char host[OPTIONS_HOST], int *ret_port, struct err *err)
{
	const char *colon = strrchr(address, ':');
	const char *from = address;
	size_t len;
	int64_t port;

	if (colon == NULL || colon == address)
		return err_set(err, ERR_INVALID, "%.100s: must be HOST:PORT", address);
	len = (size_t)(colon - from);
	if (from[0] == '[' && from[len - 1] == ']') {
		from++;
		len -= 2;
	} else if (memchr(from, ':', len) != NULL) {
		return err_set(err, ERR_INVALID, "%.100s: an IPv6 address needs brackets", address);
	}
	if (len == 0 || len >= OPTIONS_HOST)
		return err_set(err, ERR_INVALID, "%.100s: must be HOST:PORT", address);
	if (num_parse_i64(colon + 1, strlen(colon + 1), 0, 65535, &port, err) < 0)
		return err_wrap(err, "port");
	memcpy(host, from, len);
	host[len] = '\0';
	*ret_port = (int)port;
	return 0;
}
