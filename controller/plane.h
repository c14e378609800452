/*
 * plane.h - joins the data plane (serve) to what decides and acts (act), and knows the nodes'
 * credentials from their Secrets and people's tickets (tickets.h).
 *
 *     plane_new(&options, &p, err);       listens, closed
 *     act_new(... plane_for_act, p ...)
 *     plane_set_act(p, act);
 *
 * Secret kwarp-node-NAME in the controller's namespace holds the SHA-256 of the credential of
 * WarpNode NAME, as hexadecimal digits under the key "sha256".
 */
#ifndef CONTROLLER_PLANE_H
#define CONTROLLER_PLANE_H

#include <stdint.h>

#include "base/err.h"
#include "controller/act/act.h"
#include "hash/hash.h"

struct kube_client;
struct loop;
struct plane;

struct plane_options {
	struct loop *loop;        /* borrowed */
	struct kube_client *kube; /* borrowed */
	const char *ns;
	const char *address;        /* HOST:PORT to listen on */
	const char *public_address; /* what peers dial */
	const char *ca_pem;         /* whom they trust there */
	const char *cert_pem;
	const char *key_pem;
	uint8_t ticket_key[HASH_SIZE];
	uint64_t epoch;
};

MUST_CHECK int plane_new(const struct plane_options *options, struct plane **ret, struct err *err);
void plane_free(struct plane *p); /* accepts NULL; before the act is freed */
void plane_freep(struct plane **p);
void plane_set_act(struct plane *p, struct act *act);

extern const struct act_plane plane_for_act;

#endif
