/* Stores results and finds them by their keys. */
#include <string.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/hash.h"
#include "lab/store_internal.h"

enum heddle_status store_find(struct store *s, const char *key, enum store_state *state,
                              int64_t *id)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT id, state = 'done' FROM run WHERE key = :key");
    if (!q)
        return store_fail(s, "read");
    store_bind_text(q, ":key", key);
    int step = sqlite3_step(q);
    *state = step != SQLITE_ROW         ? STORE_ABSENT
             : sqlite3_column_int(q, 1) ? STORE_DONE
                                        : STORE_FAILED;
    *id = step == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    enum heddle_status status =
        step == SQLITE_ROW || step == SQLITE_DONE ? HEDDLE_OK : store_fail(s, "read");
    sqlite3_finalize(q);
    return status;
}

/* Members of a document that have their own columns or tables. */
#define STORED_MEMBERS                                                                             \
    "'workload', 'kernel', 'size', 'seed', 'gpu', 'mode', 'scheduler', 'l1d_policy', 'l2_policy'," \
    " 'criticality', 'atomics', 'heddle_version', 'input_hash', 'output_hash', 'verified', "       \
    "'message', 'replayed', 'config',"                                                             \
    " 'stats', 'units', 'input', 'kernels', 'series'"

/* The statements below add to a finished run: its id. */
#define DONE_RUN "(SELECT id FROM run WHERE key = :key AND state = 'done')"

/* One statement after the other, each with the parameters it names. */
static const char *const run_statements[] = {
    "DELETE FROM claim WHERE key = :key",
    "DELETE FROM run WHERE key IN (:key, :failure_key) AND state = 'failed'",
    "INSERT OR IGNORE INTO config (hash, parameters)"
    " SELECT :config, json_extract(:document, '$.config')"
    " WHERE json_type(:document, '$.config') = 'object'",
    "INSERT OR IGNORE INTO run (key, state, workload, size, seed, gpu, mode, scheduler, l1d, l2,"
    " atomics, criticality, settings, model, parts, heddle_version, input_hash, output_hash,"
    " verified, exit_status, message, seconds, stored_at, config, replayed, command)"
    " SELECT iif(:status = 0, :key, :failure_key), iif(:status = 0, 'done', 'failed'),"
    " coalesce(json_extract(d, '$.workload'), json_extract(d, '$.kernel'), :workload),"
    " coalesce(json_extract(d, '$.size'), :size), coalesce(json_extract(d, '$.seed'), :seed),"
    " coalesce(json_extract(d, '$.gpu'), :gpu), json_extract(d, '$.mode'),"
    " coalesce(json_extract(d, '$.scheduler'), :scheduler),"
    " coalesce(json_extract(d, '$.l1d_policy'), :l1d), json_extract(d, '$.l2_policy'),"
    " json_extract(d, '$.atomics'), json_extract(d, '$.criticality'),"
    " :settings, :model, (SELECT json_group_object(name, digest) FROM temp.model_part WHERE name IN"
    " ('scheduler ' || coalesce(json_extract(d, '$.scheduler'), :scheduler),"
    " 'cache policy ' || coalesce(json_extract(d, '$.l1d_policy'), :l1d),"
    " 'cache policy ' || json_extract(d, '$.l2_policy'),"
    " 'cache policy ' || json_extract(d, '$.config.\"host_llc.policy\"'),"
    " 'atomics ' || json_extract(d, '$.atomics'),"
    " 'criticality ' || json_extract(d, '$.criticality'),"
    " iif(json_type(d, '$.process') IS NULL, " /* not a program of the same name */
    " 'workload ' || coalesce(json_extract(d, '$.workload'), :workload), ''))),"
    " json_extract(d, '$.heddle_version'), json_extract(d, '$.input_hash'),"
    " json_extract(d, '$.output_hash'), coalesce(json_extract(d, '$.verified'), 0), :status,"
    " coalesce(:message, json_extract(d, '$.message')), :seconds, datetime('now'),"
    " (SELECT id FROM config WHERE hash = :config),"
    " coalesce(json_extract(d, '$.replayed'), 0), :command"
    " FROM (SELECT coalesce(:document, '{}') AS d)",
    "INSERT OR IGNORE INTO inputs (run, name, value)"
    " SELECT r.id, j.key, j.value FROM run r,"
    " json_each(coalesce(json_extract(:document, '$.input'), :inputs, '{}')) j"
    " WHERE r.key = iif(:status = 0, :key, :failure_key)",
};

static const char *const stat_statements[] = {
    "INSERT OR IGNORE INTO stat_name (name, unit)"
    " SELECT j.key, coalesce(u.value, '') FROM json_each(:document, '$.stats') j"
    " LEFT JOIN json_each(:document, '$.units') u ON u.key = j.key",
    "INSERT OR IGNORE INTO stat_value (run, stat, value)"
    " SELECT " DONE_RUN ", n.id, j.value"
    " FROM json_each(:document, '$.stats') j JOIN stat_name n ON n.name = j.key"
    " WHERE " DONE_RUN " IS NOT NULL",
    "INSERT OR IGNORE INTO kernel (run, position, name)"
    " SELECT " DONE_RUN ", k.key, json_extract(k.value, '$.kernel')"
    " FROM json_each(:document, '$.kernels') k WHERE " DONE_RUN " IS NOT NULL",
    "INSERT OR IGNORE INTO kernel_value (kernel, stat, value)"
    " SELECT (SELECT id FROM kernel WHERE run = " DONE_RUN " AND position = k.key), n.id, j.value"
    " FROM json_each(:document, '$.kernels') k, json_each(k.value) j"
    " JOIN stat_name n ON n.name = j.key WHERE " DONE_RUN " IS NOT NULL",
    "WITH names AS MATERIALIZED (SELECT c.key AS at, n.id FROM json_each(:document,"
    " '$.series.columns') c JOIN stat_name n ON n.name = c.value)"
    " INSERT OR IGNORE INTO series_value (run, stat, cycle, value)"
    " SELECT " DONE_RUN ", names.id, json_extract(r.value, '$[0]'), v.value"
    " FROM json_each(:document, '$.series.rows') r, json_each(r.value) v"
    " JOIN names ON names.at = v.key WHERE v.key > 0 AND " DONE_RUN " IS NOT NULL",
    "INSERT OR IGNORE INTO details (run, name, value)"
    " SELECT " DONE_RUN ", key, iif(type IN ('object', 'array'), value, json_quote(value))"
    " FROM json_each(:document) WHERE key NOT IN (" STORED_MEMBERS ") AND type != 'null'"
    " AND " DONE_RUN " IS NOT NULL",
};

struct put_values {
    const struct store_result *result;
    const char *document, *config;
};

/* Binds those values that the statement names. */
static void bind_result(sqlite3_stmt *q, const struct put_values *v)
{
    const struct store_result *r = v->result;
    const struct {
        const char *name, *text;
    } texts[] = {
        {":key", r->key},           {":failure_key", r->failure_key ? r->failure_key : r->key},
        {":document", v->document}, {":config", v->config},
        {":workload", r->workload}, {":size", r->size},
        {":gpu", r->gpu},           {":scheduler", r->scheduler},
        {":l1d", r->l1d},           {":settings", r->settings},
        {":model", r->model},       {":message", r->message},
        {":inputs", r->inputs},     {":command", r->command},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int at = sqlite3_bind_parameter_index(q, texts[i].name);
        if (at && texts[i].text)
            sqlite3_bind_text(q, at, texts[i].text, -1, SQLITE_STATIC);
    }
    int at = sqlite3_bind_parameter_index(q, ":status");
    if (at)
        sqlite3_bind_int(q, at, r->exit_status);
    if ((at = sqlite3_bind_parameter_index(q, ":seed")))
        sqlite3_bind_int64(q, at, (int64_t)r->seed);
    if ((at = sqlite3_bind_parameter_index(q, ":seconds")))
        sqlite3_bind_double(q, at, r->seconds);
}

static bool run_statements_of(struct store *s, const char *const *statements, size_t n,
                              const struct put_values *v)
{
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *q = store_prepare(s, statements[i]);
        if (!q)
            return false;
        bind_result(q, v);
        if (!store_finish(q))
            return false;
    }
    return true;
}

static bool put_all(struct store *s, const struct put_values *v)
{
    static const char n_inputs[] = "SELECT count(DISTINCT name) FROM inputs";
    int64_t n_before = store_number(s, n_inputs);
    if (!run_statements_of(s, run_statements, sizeof run_statements / sizeof run_statements[0], v))
        return false;
    if (v->document && !run_statements_of(s, stat_statements,
                                          sizeof stat_statements / sizeof stat_statements[0], v))
        return false;
    if (store_number(s, n_inputs) != n_before && !store_make_views(s))
        return false;
    /* Statistics that are new to the store: the program knows their units. */
    return store_number(s, "SELECT count(*) FROM stat_name WHERE unit = ''") <= 0 ||
           store_add_units(s);
}

/* The digest of the document's machine: SQLite extracts it, SHA-256 is ours. */
static void config_digest(struct store *s, const char *document, char digest[HASH_TEXT_BYTES])
{
    digest[0] = 0;
    sqlite3_stmt *q = store_prepare(s, "SELECT json_extract(:document, '$.config')");
    if (!q || !document) {
        sqlite3_finalize(q);
        return;
    }
    store_bind_text(q, ":document", document);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) == SQLITE_TEXT)
        hash_of(sqlite3_column_text(q, 0), (size_t)sqlite3_column_bytes(q, 0), digest);
    sqlite3_finalize(q);
}

static bool extend_all(struct store *s, const char *key, const char *document)
{
    const struct store_result r = {.key = key};
    const struct put_values v = {.result = &r, .document = document};
    return run_statements_of(s, stat_statements, sizeof stat_statements / sizeof stat_statements[0],
                             &v) &&
           store_add_units(s);
}

/* In an arena; NULL if there is no such result. */
static const char *key_of(struct store *s, int64_t id, struct arena *arena)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT key FROM run WHERE id = :id AND state = 'done'");
    if (!q)
        return NULL;
    store_bind_int(q, ":id", id);
    const char *key = NULL;
    if (sqlite3_step(q) == SQLITE_ROW)
        key = arena_strdup(arena, (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return key;
}

enum heddle_status store_extend(struct store *s, int64_t id, const char *document)
{
    struct arena arena = {0};
    if (!store_exec(s, "BEGIN IMMEDIATE"))
        return store_fail(s, "write to");
    const char *key = key_of(s, id, &arena);
    bool ok = key && extend_all(s, key, document) && store_exec(s, "COMMIT");
    enum heddle_status status = ok ? HEDDLE_OK : store_fail(s, "write to");
    if (!ok)
        store_exec(s, "ROLLBACK");
    arena_destroy(&arena);
    return ok ? store_check_place(s) : status;
}

bool store_is_result(struct store *s, const char *text)
{
    static const char sql[] = "SELECT iif(json_valid(:text), coalesce("
                              "json_type(:text, '$.stats') = 'object', 0), 0)";
    sqlite3_stmt *q = store_prepare(s, sql);
    if (!q)
        return false;
    store_bind_text(q, ":text", text);
    bool is_result = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 0) == 1;
    sqlite3_finalize(q);
    return is_result;
}

enum heddle_status store_message(struct store *s, int64_t id, struct strbuf *out)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT coalesce(message, '') FROM run WHERE id = :id");
    if (!q)
        return store_fail(s, "read");
    store_bind_int(q, ":id", id);
    bool ok = sqlite3_step(q) == SQLITE_ROW;
    if (ok)
        strbuf_add(out, (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return ok ? HEDDLE_OK : store_fail(s, "read");
}

enum heddle_status store_count(struct store *s, int64_t id, const char *name, uint64_t *out)
{
    sqlite3_stmt *q =
        store_prepare(s, "SELECT value FROM main.stats WHERE run = :id AND name = :name");
    if (!q)
        return store_fail(s, "read");
    store_bind_int(q, ":id", id);
    store_bind_text(q, ":name", name);
    int step = sqlite3_step(q);
    *out = step == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return step == SQLITE_ROW || step == SQLITE_DONE ? HEDDLE_OK : store_fail(s, "read");
}

enum heddle_status store_put(struct store *s, const struct store_result *r, int64_t *id)
{
    char digest[HASH_TEXT_BYTES];
    enum store_state state;
    struct put_values v = {.result = r, .config = digest};
    v.document = r->document && store_is_result(s, r->document) ? r->document : NULL;
    config_digest(s, v.document, digest);
    if (!store_exec(s, "BEGIN IMMEDIATE"))
        return store_fail(s, "write to");
    enum heddle_status status = put_all(s, &v) ? HEDDLE_OK : store_fail(s, "write to");
    if (status == HEDDLE_OK)
        status =
            store_find(s, r->exit_status && r->failure_key ? r->failure_key : r->key, &state, id);
    if (status == HEDDLE_OK && !store_exec(s, "COMMIT"))
        status = store_fail(s, "write to");
    if (status != HEDDLE_OK)
        store_exec(s, "ROLLBACK");
    return status == HEDDLE_OK ? store_check_place(s) : status;
}
