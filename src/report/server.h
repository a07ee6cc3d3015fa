/* The page of a store over HTTP, to this machine alone: it listens on the loopback address and
 * answers only requests that name it by that, so that no page of elsewhere can ask it. */
#ifndef HEDDLE_REPORT_SERVER_H
#define HEDDLE_REPORT_SERVER_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

enum { SERVER_DEFAULT_PORT = 8650, SERVER_MAX_PORT = 65535 };

struct server;

/* Port 0 is any that is free. NULL, with the reason in `error`, if it cannot listen. */
struct server *server_start(const char *store_path, uint16_t port, struct strbuf *error);
/* Where it listens. */
uint16_t server_port(const struct server *s);
/* Ends requests that are under way. NULL is fine. */
void server_stop(struct server *s);

#endif
