#include "lab/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file_status.h"
#include "config/number.h"
#include "lab/model.h"
#include "lab/point.h"
#include "lab/store_internal.h"

const struct result_stat *result_find(const struct result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_stats; i++)
        if (strcmp(r->stats[i].name, name) == 0)
            return &r->stats[i];
    return NULL;
}

double result_value(const struct result *r, const char *name)
{
    const struct result_stat *s = result_find(r, name);
    return s ? s->value : 0;
}

static const char *text_at(sqlite3_stmt *q, int column, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(q, column);
    return arena_strdup(arena, text ? text : "");
}

/* --- one result --- */

static bool load_stats(struct store *s, struct result *r, struct arena *arena)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT name, value, unit, count(*) OVER () FROM stats"
                                       " WHERE run = :run ORDER BY (SELECT id FROM stat_name n"
                                       " WHERE n.name = stats.name)");
    if (!q)
        return false;
    int step;
    store_bind_int(q, ":run", r->id);
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        if (!r->stats)
            r->stats = ARENA_ARRAY(arena, struct result_stat, sqlite3_column_int64(q, 3));
        r->stats[r->n_stats++] = (struct result_stat){text_at(q, 0, arena), text_at(q, 2, arena),
                                                      sqlite3_column_double(q, 1),
                                                      sqlite3_column_type(q, 1) == SQLITE_FLOAT};
    }
    sqlite3_finalize(q);
    return step == SQLITE_DONE;
}

enum heddle_status result_load(struct store *s, int64_t id, struct result_set *set,
                               struct arena *arena)
{
    sqlite3_stmt *q = store_prepare(
        s,
        "SELECT workload, size, seed, coalesce(gpu, '') || coalesce(' ' || scheduler, '') ||"
        " coalesce(' ' || l1d, '') || iif(settings = '', '', ' ' || settings), state, gpu,"
        " scheduler, l1d, mode, model, settings, (SELECT json_extract(parameters,"
        " '$.core_clock_mhz') FROM config WHERE config.id = run.config) FROM run WHERE id = :id");
    if (!q)
        return store_fail(s, "read");
    store_bind_int(q, ":id", id);
    int step = sqlite3_step(q);
    if (step != SQLITE_ROW || strcmp((const char *)sqlite3_column_text(q, 4), "done") != 0) {
        strbuf_clear(&s->error);
        strbuf_addf(&s->error, "%s: result %" PRId64 " %s\n", s->path, id,
                    step == SQLITE_ROW ? "failed, there is nothing to compare" : "is not there");
        sqlite3_finalize(q);
        return HEDDLE_BAD_INPUT;
    }
    struct result r = {.id = id,
                       .workload = text_at(q, 0, arena),
                       .size = text_at(q, 1, arena),
                       .seed = (uint64_t)sqlite3_column_int64(q, 2),
                       .machine = text_at(q, 3, arena),
                       .gpu = text_at(q, 5, arena),
                       .scheduler = text_at(q, 6, arena),
                       .l1d = text_at(q, 7, arena),
                       .mode = text_at(q, 8, arena),
                       .model = text_at(q, 9, arena),
                       .settings = text_at(q, 10, arena),
                       .core_clock_mhz = sqlite3_column_double(q, 11)};
    sqlite3_finalize(q);
    if (!load_stats(s, &r, arena))
        return store_fail(s, "read");
    ARRAY_RESERVE(set->items, set->cap, set->n + 1);
    set->items[set->n++] = r;
    return HEDDLE_OK;
}

enum heddle_status result_load_kernels(struct store *s, int64_t id, const char *stat,
                                       struct arena *arena, struct result_kernel **out, uint32_t *n)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT kernel, value, count(*) OVER () FROM kernel_stats"
                                       " WHERE run = :id AND name = :stat ORDER BY position");
    *n = 0;
    if (!q)
        return store_fail(s, "read");
    store_bind_int(q, ":id", id);
    store_bind_text(q, ":stat", stat);
    while (sqlite3_step(q) == SQLITE_ROW) {
        if (!*n)
            *out = ARENA_ARRAY(arena, struct result_kernel, sqlite3_column_int64(q, 2));
        (*out)[(*n)++] = (struct result_kernel){text_at(q, 0, arena), sqlite3_column_double(q, 1)};
    }
    sqlite3_finalize(q);
    return HEDDLE_OK;
}

/* --- by their properties --- */

enum { MAX_CONDITIONS = 16 };

struct condition {
    const char *name, *value;
};

/* "scheduler=lrr,l1d.n_ways=4" */
static uint32_t split_conditions(const char *word, struct condition *out, struct arena *arena)
{
    char *text = arena_strdup(arena, word), *rest = NULL;
    uint32_t n = 0;
    for (char *piece = strtok_r(text, ",", &rest); piece; piece = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(piece, '=');
        if (!equals || equals == piece || n == MAX_CONDITIONS)
            return 0;
        *equals = 0;
        out[n++] = (struct condition){piece, equals + 1};
    }
    return n;
}

static const char *const columns[] = {"workload",    "size", "seed", "gpu",
                                      "scheduler",   "l1d",  "l2",   "atomics",
                                      "criticality", "mode", "model"};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static bool is_column(const char *name)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (strcmp(name, columns[i]) == 0)
            return true;
    return false;
}

/* Does some machine of the store have a parameter of that name, or some workload an input? */
static bool is_parameter(struct store *s, const char *name)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT 1 FROM config c, json_each(c.parameters) j"
                                       " WHERE j.key = :name UNION ALL"
                                       " SELECT 1 FROM inputs WHERE name = :name LIMIT 1");
    if (!q)
        return false;
    store_bind_text(q, ":name", name);
    bool is_there = sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return is_there;
}

/* The column that the name begins, or a misspelling of one. */
static const char *nearest_column(const char *name)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (strncmp(columns[i], name, strlen(name)) == 0)
            return columns[i];
    return suggest_nearest(name, columns, N_COLUMNS);
}

static bool check_names(struct store *s, const struct condition *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (is_column(c[i].name) || is_parameter(s, c[i].name))
            continue;
        const char *near = nearest_column(c[i].name);
        strbuf_clear(&s->error);
        strbuf_addf(&s->error,
                    "results have no '%s'\n  %s%s%sknown names are workload, size, seed, gpu, "
                    "scheduler, l1d, l2, atomics, criticality, mode, model, the parameters of GPUs "
                    "and the inputs of workloads\n",
                    c[i].name, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
        return false;
    }
    return true;
}

static bool names_model(const struct condition *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(c[i].name, "model") == 0)
            return true;
    return false;
}

/* Values are bound; names are from the list above or bound too: no user text becomes SQL. */
static sqlite3_stmt *prepare_search(struct store *s, const struct condition *c, uint32_t n,
                                    bool only_current)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "SELECT id, model FROM run r WHERE state = 'done'");
    if (only_current && store_list_current(s) == HEDDLE_OK)
        strbuf_add(&sql, " AND r.id IN temp.current_run");
    for (uint32_t i = 0; i < n; i++)
        if (is_column(c[i].name))
            strbuf_addf(&sql, " AND CAST(r.%s AS TEXT) = :v%u", c[i].name, i);
        else
            strbuf_addf(&sql,
                        " AND EXISTS (SELECT 1 FROM parameters p WHERE p.run = r.id AND p.name ="
                        " :n%u AND CAST(p.value AS TEXT) = :v%u UNION ALL SELECT 1 FROM inputs i"
                        " WHERE i.run = r.id AND i.name = :n%u AND CAST(i.value AS TEXT) = :v%u)",
                        i, i, i, i);
    strbuf_add(&sql, " ORDER BY workload, size, seed, id");
    sqlite3_stmt *q = store_prepare(s, strbuf_text(&sql));
    for (uint32_t i = 0; q && i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, ":v%u", i);
        store_bind_text(q, name, c[i].value);
        snprintf(name, sizeof name, ":n%u", i);
        if (sqlite3_bind_parameter_index(q, name))
            store_bind_text(q, name, c[i].name);
    }
    strbuf_destroy(&sql);
    return q;
}

/* Nothing was found; there may be results of another model. */
static enum heddle_status none_found(struct store *s, const char *word, const struct condition *c,
                                     uint32_t n)
{
    sqlite3_stmt *q = names_model(c, n) ? NULL : prepare_search(s, c, n, false);
    strbuf_clear(&s->error);
    if (q && sqlite3_step(q) == SQLITE_ROW)
        strbuf_addf(&s->error,
                    "%s has results with %s only for other versions of the model, not for this one "
                    "(%s)\n  run the experiment again, or name that version: %s,model=%s\n",
                    s->path, word, model_engine_version(), word,
                    (const char *)sqlite3_column_text(q, 1));
    else
        strbuf_addf(&s->error, "%s has no result with %s\n", s->path, word);
    sqlite3_finalize(q);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status read_matching(struct store *s, const char *word, struct result_set *set,
                                        struct arena *arena)
{
    struct condition conditions[MAX_CONDITIONS];
    uint32_t n = split_conditions(word, conditions, arena);
    strbuf_clear(&s->error);
    if (!n) {
        strbuf_addf(&s->error, "'%s' is neither an id, nor a file, nor name=value,name=value\n",
                    word);
        return HEDDLE_BAD_INPUT;
    }
    if (!check_names(s, conditions, n))
        return HEDDLE_BAD_INPUT;
    sqlite3_stmt *q = prepare_search(s, conditions, n, !names_model(conditions, n));
    if (!q)
        return store_fail(s, "read");
    enum heddle_status status = HEDDLE_OK;
    int step;
    while (status == HEDDLE_OK && (step = sqlite3_step(q)) == SQLITE_ROW)
        status = result_load(s, sqlite3_column_int64(q, 0), set, arena);
    sqlite3_finalize(q);
    if (status == HEDDLE_OK && step != SQLITE_DONE)
        return store_fail(s, "read");
    return status == HEDDLE_OK && !set->n ? none_found(s, word, conditions, n) : status;
}

/* --- from files --- */

/* Puts every document of a text into an in-memory store; false if there is anything else in it. */
static bool import_documents(struct store *s, const char *text)
{
    static const char sql[] =
        "SELECT value, coalesce(json_extract(value, '$.status'),"
        " coalesce(json_extract(value, '$.verified'), 1) = 0)"
        " FROM json_each(iif(json_type(:text) = 'array', :text, json_array(json(:text))))";
    sqlite3_stmt *q = store_prepare(s, sql);
    int64_t id;
    bool ok = q != NULL;
    if (q)
        store_bind_text(q, ":text", text);
    for (int i = 0, step; ok && (step = sqlite3_step(q)) != SQLITE_DONE; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        struct store_result r = {.key = key,
                                 .document = (const char *)sqlite3_column_text(q, 0),
                                 .workload = "",
                                 .size = "-",
                                 .settings = "",
                                 .model = "",
                                 .exit_status = sqlite3_column_int(q, 1)};
        ok = step == SQLITE_ROW && store_is_result(s, r.document) &&
             store_put(s, &r, &id) == HEDDLE_OK;
    }
    sqlite3_finalize(q);
    return ok;
}

static enum heddle_status read_file(const char *path, struct result_set *set, struct arena *arena,
                                    struct strbuf *error)
{
    struct strbuf text = {0};
    struct store *s = NULL;
    int failure = strbuf_read_file(&text, path);
    enum heddle_status status;
    if (failure) {
        strbuf_addf(error, "cannot read %s: %s\n", path, strerror(failure));
        status = file_read_status(failure);
    } else if ((status = store_open(NULL, STORE_MEMORY, &s)) != HEDDLE_OK) {
        strbuf_add(error, strbuf_text(&s->error));
    } else if (!import_documents(s, strbuf_text(&text))) {
        strbuf_addf(error, "%s contains no results in the format of `heddle run --json`\n", path);
        status = HEDDLE_BAD_INPUT;
    } else {
        int64_t n = store_number(s, "SELECT count(*) FROM run");
        for (int64_t id = 1; status == HEDDLE_OK && id <= n; id++)
            status = result_load(s, id, set, arena);
        if (status != HEDDLE_OK)
            strbuf_addf(error, "%s: %s", path, strbuf_text(&s->error));
    }
    store_close(s);
    strbuf_destroy(&text);
    return status;
}

static bool names_file(const char *word)
{
    size_t n = strlen(word);
    return n > 5 && strcmp(word + n - 5, ".json") == 0;
}

enum heddle_status result_set_read(struct store *s, const char *word, struct result_set *set,
                                   struct arena *arena, struct strbuf *error)
{
    uint64_t id;
    set->label = word;
    if (names_file(word))
        return read_file(word, set, arena, error);
    if (!s) {
        strbuf_addf(error, "'%s' is not a .json file; a result of a store needs --store FILE\n",
                    word);
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = number_parse_u64(word, &id)
                                    ? result_load(s, (int64_t)id, set, arena)
                                    : read_matching(s, word, set, arena);
    if (status != HEDDLE_OK)
        strbuf_add(error, strbuf_text(&s->error));
    return status;
}
