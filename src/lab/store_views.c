/* The views of a store whose columns depend on its content, and which rows belong to this Heddle's
 * model. */
#include <sqlite3.h>
#include <string.h>

#include "lab/model.h"
#include "lab/store_internal.h"

/* The main statistics, which are columns of `results` and `kernels`, with an underscore for the
 * dot. */
static const char *const main_stats[] = {
    "cycles",    "warp_insts",   "thread_insts",   "ipc",          "l1d.loads",
    "l1d.hits",  "l1d.merges",   "l1d.misses",     "l1d.bypasses", "l1d.mpki",
    "l2.misses", "noc.flits_up", "noc.flits_down", "dram.bytes"};
enum { N_MAIN_STATS = sizeof main_stats / sizeof main_stats[0] };

/* Looked up one by one, so that only the columns that a query names cost time. */
static void add_main_stats(struct strbuf *sql, const char *table, const char *owner)
{
    for (size_t i = 0; i < N_MAIN_STATS; i++) {
        strbuf_addf(sql,
                    ", (SELECT value FROM %s WHERE %s AND stat = (SELECT id FROM stat_name"
                    " WHERE name = '%s')) AS ",
                    table, owner, main_stats[i]);
        for (const char *c = main_stats[i]; *c; c++)
            strbuf_add_char(sql, *c == '.' ? '_' : *c);
    }
}

/* The columns before and after the inputs and the statistics. */
static const char first_columns[] =
    "r.id, r.state, r.workload, r.size, r.seed, r.gpu, r.scheduler, r.l1d, r.l2, r.atomics,"
    " r.criticality, r.settings";
static const char last_columns[] =
    "r.verified, r.replayed, r.message, r.seconds, r.stored_at, r.model, r.command";

/* An input whose name is a column of the view becomes `input_NAME`. */
static bool is_taken(const char *name)
{
    static const char *const others[] = {
        "id",      "state",   "workload",  "size",     "seed",        "gpu",      "scheduler",
        "l1d",     "l2",      "atomics",   "settings", "criticality", "verified", "replayed",
        "message", "seconds", "stored_at", "model",    "command"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    for (size_t i = 0; i < N_MAIN_STATS; i++)
        if (strcmp(name, main_stats[i]) == 0)
            return true;
    return false;
}

static void add_quoted(struct strbuf *sql, const char *text, char quote)
{
    strbuf_add_char(sql, quote);
    for (; *text; text++) {
        if (*text == quote)
            strbuf_add_char(sql, quote);
        strbuf_add_char(sql, *text);
    }
    strbuf_add_char(sql, quote);
}

/* A column for every input that a run of the store has. */
static bool add_inputs(struct store *s, struct strbuf *sql)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT DISTINCT name FROM inputs ORDER BY name");
    int step = SQLITE_ERROR;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        struct strbuf column = {0};
        strbuf_addf(&column, "%s%s", is_taken(name) ? "input_" : "", name);
        strbuf_add(sql, ", (SELECT value FROM inputs WHERE run = r.id AND name = ");
        add_quoted(sql, name, '\'');
        strbuf_add(sql, ") AS ");
        add_quoted(sql, strbuf_text(&column), '"');
        strbuf_destroy(&column);
    }
    sqlite3_finalize(q);
    return step == SQLITE_DONE;
}

bool store_make_views(struct store *s)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "DROP VIEW IF EXISTS results; DROP VIEW IF EXISTS kernels;"
                     " CREATE VIEW kernels AS SELECT k.run, k.position, k.name AS kernel");
    add_main_stats(&sql, "kernel_value", "kernel = k.id");
    strbuf_addf(&sql, " FROM kernel k; CREATE VIEW results AS SELECT %s", first_columns);
    bool ok = add_inputs(s, &sql);
    add_main_stats(&sql, "stat_value", "run = r.id");
    strbuf_addf(&sql, ", %s FROM run r", last_columns);
    ok = ok && store_exec(s, strbuf_text(&sql));
    strbuf_destroy(&sql);
    return ok;
}

/* --- the current model --- */

bool store_note_model(struct store *s)
{
    uint32_t n;
    const struct model_part *parts = model_parts(&n);
    if (!store_exec(
            s, "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE model_part (name TEXT PRIMARY KEY,"
               " digest TEXT NOT NULL) WITHOUT ROWID"))
        return false;
    sqlite3_stmt *q = store_prepare(s, "INSERT INTO temp.model_part VALUES (? || ' ' || ?, ?)");
    bool ok = q != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        sqlite3_bind_text(q, 1, parts[i].kind, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, parts[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, parts[i].digest, -1, SQLITE_STATIC);
        ok = sqlite3_step(q) == SQLITE_DONE;
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return ok;
}

/* Runs whose sources are current: every digest of the run's `parts` is current, and each of its
 * known mechanisms has a digest there. */
static const char current_runs[] =
    "INSERT INTO temp.current_run SELECT id FROM run WHERE model = :model AND parts NOT IN"
    " (SELECT p.parts FROM (SELECT DISTINCT parts FROM run) p, json_each(p.parts) j"
    " LEFT JOIN temp.model_part m ON m.name = j.key AND m.digest = j.value"
    " WHERE m.name IS NULL) AND NOT EXISTS (SELECT 1 FROM temp.model_part m WHERE m.name IN"
    " ('scheduler ' || scheduler, 'cache policy ' || l1d, 'cache policy ' || l2,"
    " 'atomics ' || atomics, 'criticality ' || criticality)"
    " AND m.name NOT IN (SELECT key FROM json_each(parts)))";

/* The views of the store restricted to current rows. Names are looked up in `temp` first. */
static const char current_views[] =
    "CREATE TEMP VIEW results AS SELECT * FROM main.results WHERE id IN temp.current_run;"
    "CREATE TEMP VIEW stats AS SELECT * FROM main.stats WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW parameters AS SELECT * FROM main.parameters WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW inputs AS SELECT * FROM main.inputs WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW kernels AS SELECT * FROM main.kernels WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW kernel_stats AS SELECT * FROM main.kernel_stats WHERE run IN "
    "temp.current_run;"
    "CREATE TEMP VIEW series AS SELECT * FROM main.series WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW details AS SELECT * FROM main.details WHERE run IN temp.current_run;"
    "CREATE TEMP VIEW per_pc AS SELECT * FROM main.per_pc WHERE run IN temp.current_run;";

enum heddle_status store_list_current(struct store *s)
{
    if (!store_exec(s, "CREATE TEMP TABLE IF NOT EXISTS current_run (id INTEGER PRIMARY KEY);"
                       " DELETE FROM temp.current_run;"
                       " INSERT OR IGNORE INTO temp.model_part SELECT name, digest FROM"
                       " main.plugin_build"))
        return store_fail(s, "read");
    sqlite3_stmt *q = store_prepare(s, current_runs);
    if (q)
        store_bind_text(q, ":model", model_engine_version());
    return store_finish(q) ? HEDDLE_OK : store_fail(s, "read");
}

enum heddle_status store_show_current(struct store *s, int64_t *n_hidden)
{
    enum heddle_status status = store_list_current(s);
    if (status != HEDDLE_OK)
        return status;
    if (!store_exec(s, current_views))
        return store_fail(s, "read");
    *n_hidden = store_number(s, "SELECT (SELECT count(*) FROM run) - (SELECT count(*) FROM"
                                " temp.current_run)");
    return *n_hidden < 0 ? store_fail(s, "read") : HEDDLE_OK;
}
