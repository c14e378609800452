/* server.c - the small HTTP server of the tests of lib/http, here as well. */
#include "../http/server.c"
