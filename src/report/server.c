#include "report/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "base/arena.h"
#include "base/json.h"
#include "lab/store_progress.h"
#include "report/report.h"

/* One thread answers all requests, so its state needs no lock. */
struct server {
    struct MHD_Daemon *daemon;
    char *store_path;
    struct strbuf version, data; /* the document of that version, built once */
};

struct answer {
    unsigned status;
    const char *type;
    struct strbuf body;
};

/* --- answers --- */

static void answer_error(struct answer *a, unsigned status, const char *message)
{
    a->status = status;
    a->type = "application/json";
    strbuf_clear(&a->body);
    strbuf_add(&a->body, "{\"error\":");
    json_add_quoted(&a->body, message);
    strbuf_add(&a->body, "}");
}

/* The store is opened for each answer: it may be removed, replaced or damaged in between. */
static struct store *open_store(const struct server *v, struct answer *a)
{
    struct store *s = NULL;
    if (store_open(v->store_path, STORE_READ, &s) == HEDDLE_OK)
        return s;
    answer_error(a, MHD_HTTP_SERVICE_UNAVAILABLE, strbuf_text(&s->error));
    store_close(s);
    return NULL;
}

/* The document of the current version, kept until there is another. */
static enum heddle_status refresh(struct server *v, struct store *s)
{
    struct strbuf version = {0};
    const struct report_options options = {.store_name = v->store_path, .is_live = true};
    enum heddle_status status = report_version(s, &version);
    bool is_known = v->data.len && strcmp(strbuf_text(&version), strbuf_text(&v->version)) == 0;
    if (status == HEDDLE_OK && !is_known) {
        strbuf_clear(&v->data);
        strbuf_clear(&v->version);
        status = report_data(s, &options, &v->data);
        if (status == HEDDLE_OK)
            strbuf_add(&v->version, strbuf_text(&version));
        else
            strbuf_clear(&v->data);
    }
    strbuf_destroy(&version);
    return status;
}

static enum heddle_status answer_page(struct server *v, struct store *s, struct answer *a)
{
    enum heddle_status status = refresh(v, s);
    a->type = "text/html; charset=utf-8";
    if (status == HEDDLE_OK)
        report_page(&v->data, &a->body);
    return status;
}

static enum heddle_status answer_data(struct server *v, struct store *s, struct answer *a)
{
    enum heddle_status status = refresh(v, s);
    if (status == HEDDLE_OK)
        strbuf_add_n(&a->body, strbuf_text(&v->data), v->data.len);
    return status;
}

static enum heddle_status answer_progress(struct server *v, struct store *s, struct answer *a)
{
    (void)v;
    struct store_sweeps sweeps;
    struct strbuf version = {0};
    enum heddle_status status = store_find_sweeps(s, &sweeps);
    if (status == HEDDLE_OK)
        status = report_version(s, &version);
    strbuf_add(&a->body, "{\"version\":");
    json_add_quoted(&a->body, strbuf_text(&version));
    strbuf_addf(&a->body, ",\"sweeps\":%u,\"points\":%u,\"points_done\":%u,\"running\":%u",
                sweeps.n_sweeps, sweeps.all.n_points, sweeps.all.n_done, sweeps.all.n_running);
    if (sweeps.seconds_left < 0)
        strbuf_add(&a->body, ",\"seconds_left\":null}");
    else
        strbuf_addf(&a->body, ",\"seconds_left\":%.0f}", sweeps.seconds_left);
    strbuf_destroy(&version);
    return status;
}

static const struct path {
    const char *name;
    enum heddle_status (*answer)(struct server *v, struct store *s, struct answer *a);
} paths[] = {
    {"/", answer_page},
    {"/data.json", answer_data},
    {"/progress.json", answer_progress},
};
enum { N_PATHS = sizeof paths / sizeof paths[0] };

static void answer_path(struct server *v, const struct path *p, struct answer *a)
{
    struct store *s = open_store(v, a);
    if (s && p->answer(v, s, a) != HEDDLE_OK)
        answer_error(a, MHD_HTTP_SERVICE_UNAVAILABLE, strbuf_text(&s->error));
    store_close(s);
}

/* --- requests --- */

/* A foreign page whose name resolves to this machine (DNS rebinding) sends another host name. */
static bool names_this_machine(struct MHD_Connection *c)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    for (size_t i = 0; host && i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(host, names[i], n) == 0 && (host[n] == ':' || !host[n]))
            return true;
    }
    return false;
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct answer *a)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        a->body.len, (void *)strbuf_text(&a->body), MHD_RESPMEM_MUST_COPY);
    strbuf_destroy(&a->body);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    enum MHD_Result result = MHD_queue_response(c, a->status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **state)
{
    (void)version, (void)upload, (void)upload_bytes, (void)state;
    struct server *v = user;
    struct answer a = {.status = MHD_HTTP_OK, .type = "application/json"};
    const struct path *found = NULL;
    for (int i = 0; i < N_PATHS; i++)
        if (strcmp(url, paths[i].name) == 0)
            found = &paths[i];
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        answer_error(&a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET");
    else if (!names_this_machine(c))
        answer_error(&a, MHD_HTTP_FORBIDDEN, "only for this machine: http://127.0.0.1");
    else if (!found)
        answer_error(&a, MHD_HTTP_NOT_FOUND, "there is no such page");
    else
        answer_path(v, found, &a);
    return send_answer(c, &a);
}

/* --- its life --- */

struct server *server_start(const char *store_path, uint16_t port, struct strbuf *error)
{
    struct server *v = xcalloc(1, sizeof *v);
    const struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    v->store_path = strdup(store_path);
    errno = 0;
    v->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle, v,
                                 MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&here,
                                 MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    if (v->daemon)
        return v;
    if (errno == EADDRINUSE)
        strbuf_addf(error, "port %u is in use; name another with --port N, or 0 for any\n", port);
    else
        strbuf_addf(error, "cannot listen on port %u: %s\n", port, strerror(errno));
    server_stop(v);
    return NULL;
}

uint16_t server_port(const struct server *s)
{
    return MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void server_stop(struct server *s)
{
    if (!s)
        return;
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
    strbuf_destroy(&s->version);
    strbuf_destroy(&s->data);
    free(s->store_path);
    free(s);
}
