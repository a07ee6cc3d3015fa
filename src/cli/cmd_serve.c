/* heddle serve: the page of a store, live. */
#include <inttypes.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "report/server.h"

struct serve_command {
    const char *store;
    struct given_u64 port;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct serve_command, store, "FILE",
                "the store, which may be filled at the same time"),
    OPTION_GIVEN("port", struct serve_command, port, "N",
                 "the port, 8650 if not given; 0 selects a free one"),
};

/* A store that cannot be read now is an error; one that disappears later is reported on the
 * page. */
static enum heddle_status check_store(const char *path)
{
    struct store *s = NULL;
    enum heddle_status status = lab_open_store(path, STORE_READ, &s);
    store_close(s);
    return status;
}

static enum heddle_status serve(const char *store, uint16_t port)
{
    struct strbuf text = {0};
    struct server *s = server_start(store, port, &text);
    if (!s) {
        output_failure(strbuf_text(&text));
        strbuf_destroy(&text);
        return HEDDLE_ENVIRONMENT;
    }
    output_stop_when_asked();
    strbuf_addf(&text, "http://127.0.0.1:%u/ shows %s; Ctrl-C ends it\n", server_port(s), store);
    enum heddle_status status = output_take(&text);
    while (status == HEDDLE_OK && !output_is_asked_to_stop())
        usleep(100000);
    server_stop(s);
    return status;
}

static enum heddle_status run_serve(const void *values, const struct text_list *operands)
{
    const struct serve_command *o = values;
    (void)operands;
    if (!o->store) {
        output_error("heddle serve needs --store FILE");
        return HEDDLE_BAD_INPUT;
    }
    if (o->port.value > SERVER_MAX_PORT) {
        output_error("--port: 0 to %d, not %" PRIu64, SERVER_MAX_PORT, o->port.value);
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = check_store(o->store);
    uint16_t port = o->port.is_given ? (uint16_t)o->port.value : SERVER_DEFAULT_PORT;
    return status == HEDDLE_OK ? serve(o->store, port) : status;
}

static const char *const examples[] = {
    "heddle serve --store results.db",
    "while `heddle sweep` fills results.db, in another terminal",
    NULL,
};

const struct command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "show the page of a store live, to this machine",
    .description =
        "Serves the page of `heddle report` on the loopback address. It shows new results as "
        "sweeps store them, the progress of sweeps, and their remaining time. Ctrl-C ends it.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct serve_command),
    .min_operands = 0,
    .max_operands = 0,
    .examples = examples,
    .run = run_serve,
};
