/* uses: h2 */
/*
 * fuzz_h2.c - any bytes as what a peer sends to a server (even first byte) or a client (odd):
 * never a crash, a leak or a hang, and every stream is closed exactly once.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "h2/h2.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int open_streams;

static void on_head(void *arg, struct h2_stream *s, const struct h2_request *r, size_t *ret_max)
{
	(void)arg;
	open_streams++;
	*ret_max = 100;
	if (r->path[0] == '\0' || r->n_headers > 3)
		h2_respond(s, 404, NULL, 0, NULL, 0);
}

static void on_request(void *arg, struct h2_stream *s, const struct h2_request *r, const void *body,
		       size_t len)
{
	(void)arg;
	if (r->n_headers == 0) {
		h2_respond(s, 200, NULL, 0, body, len);
		return;
	}
	h2_respond_stream(s, 200, NULL, 0, 1000);
	if (!h2_write(s, "text", 4))
		h2_end(s);
}

static void on_close(void *arg, struct h2_stream *s)
{
	(void)arg;
	(void)s;
	open_streams--;
}

static const struct h2_handler HANDLER = { .on_head = on_head,
					   .on_request = on_request,
					   .on_close = on_close };

static void on_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	(void)arg;
	(void)s;
	(void)bytes;
	(void)len;
}

static void on_end(void *arg, struct h2_stream *s, int status, const struct err *err)
{
	(void)arg;
	(void)s;
	(void)status;
	(void)err;
	open_streams--;
}

static const struct h2_client CLIENT = { .on_body = on_body, .on_end = on_end };

static void feed(struct h2 *h, const uint8_t *bytes, size_t len)
{
	AUTO(buf_done) struct buf out = { .max = 1 << 20 };
	struct err err = { 0 };

	while (len > 0) {
		size_t n = len < 50 ? len : 50;

		if (h2_input(h, bytes, n, &err) < 0 || h2_output(h, &out, &err) < 0)
			return;
		bytes += n;
		len -= n;
	}
	(void)(h2_tick(h, 5000, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char magic[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	struct h2_request r = { .method = "GET", .path = "/" };
	struct err err = { 0 };
	struct h2 *h;

	if (len == 0)
		return 0;
	open_streams = 0;
	if (bytes[0] % 2 == 0) {
		h = h2_server_new(&HANDLER, NULL);
		ASSERT(h2_input(h, magic, sizeof(magic) - 1, &err) == 0);
	} else {
		h = h2_client_new("localhost:1");
		for (int i = 0; i < 3; i++)
			open_streams +=
			    h2_request(h, &r, "body", i == 2 ? 4 : 0, &CLIENT, NULL) != NULL;
	}
	feed(h, bytes + 1, len - 1);
	h2_free(h);
	ASSERT(open_streams == 0);
	return 0;
}
