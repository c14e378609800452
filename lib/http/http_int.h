/* http_int.h - what client and requests share. */
#ifndef HTTP_HTTP_INT_H
#define HTTP_HTTP_INT_H

#include <curl/curl.h>

#include "base/list.h"
#include "http/http.h"

struct http {
	struct loop *loop;  /* borrowed */
	CURLM *multi;       /* owned */
	char *user_agent;   /* owned */
	bool due;           /* curl has something to do */
	struct list events; /* requests with something to deliver */
	size_t pool_count;
	size_t request_count;
};

struct http_pool {
	struct http *http; /* borrowed */
	CURLSH *share;     /* owned: the connections */
	char *ca;          /* owned, like the following */
	size_t ca_len;
	char *cert;
	size_t cert_len;
	char *key;
	size_t key_len;
	char *server_name; /* NULL = the URL's */
	char *proxy;       /* NULL = the environment's */
	bool insecure;
	size_t refs; /* its owner's and one of each request */
};

void http_pool_ref(struct http_pool *p);

/* The transfer ended with this code. */
void http_request_ended(struct http_request *r, CURLcode code);
/* Call its callbacks for what has come. */
void http_request_deliver(struct http_request *r);
struct http_request *http_request_of_link(struct list_link *link);

#endif
