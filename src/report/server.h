/* Serves the page of a store over HTTP, to this machine only: it listens on the loopback address
 * and answers only requests that use that address as host, so that no other web page can query
 * it. */
#ifndef HEDDLE_REPORT_SERVER_H
#define HEDDLE_REPORT_SERVER_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

enum { SERVER_DEFAULT_PORT = 8650, SERVER_MAX_PORT = 65535 };

struct server;

/* Port 0 selects a free one. NULL, with the reason in `error`, if it cannot listen. */
struct server *server_start(const char *store_path, uint16_t port, struct strbuf *error);
/* Where it listens. */
uint16_t server_port(const struct server *s);
/* Ends requests in progress. NULL is fine. */
void server_stop(struct server *s);

#endif
