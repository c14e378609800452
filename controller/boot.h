/*
 * boot.h - the controller's own objects, made when they are missing (DESIGN 6).
 *
 *     Namespace NS
 *     Secret    NS/kwarp-ca           tls.crt, tls.key: signs the data plane's certificate
 *     Secret    NS/kwarp-ticket-key   key: 32 bytes, shared by all controllers
 *     ConfigMap NS/kwarp-data-plane   address, ca.crt: what `kubectl warp node add` hands out
 *
 * Several controllers may do it at the same time: who comes second reads what the first made.
 */
#ifndef CONTROLLER_BOOT_H
#define CONTROLLER_BOOT_H

#include <stdint.h>

#include "base/err.h"
#include "hash/hash.h"
#include "tls/cert.h"

struct kube_client;

struct boot {
	struct tls_pair server; /* certificate for the public address, signed by the CA */
	char *ca_pem;           /* owned */
	uint8_t ticket_key[HASH_SIZE];
};

/* Read or make everything. Runs the loop meanwhile: not from callbacks. *ret is owned
 * (boot_done). ERR_INVALID: something there is not what it should be, the text names it. */
MUST_CHECK int boot_run(struct kube_client *kube, const char *ns, const char *public_address,
			struct boot *ret, struct err *err);
void boot_done(struct boot *b);

#endif
