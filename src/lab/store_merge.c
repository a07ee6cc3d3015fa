/* Copies the results of one store into another. */
#include "lab/store_merge.h"

#include <sqlite3.h>

#include "lab/store_internal.h"

/* Results that both stores have and that differ in simulated numbers: a key has one result, so one
 * of the two is wrong. */
static const char find_conflict[] =
    "SELECT b.workload, b.size, b.seed, coalesce(b.gpu, ''), coalesce(b.scheduler, ''),"
    " coalesce(b.l1d, ''), a.id, b.id FROM other.run b JOIN main.run a ON a.key = b.key"
    " WHERE a.state = 'done' AND b.state = 'done' AND EXISTS (SELECT 1 FROM other.stat_value v"
    " JOIN other.stat_name n ON n.id = v.stat LEFT JOIN main.stat_name m ON m.name = n.name"
    " LEFT JOIN main.stat_value w ON w.run = a.id AND w.stat = m.id"
    " WHERE v.run = b.id AND n.name NOT LIKE 'host.%' AND w.value IS NOT v.value) LIMIT 1";

/* A result replaces a failure; existing results are kept. */
static const char *const before[] = {
    "DELETE FROM main.run WHERE state = 'failed'"
    " AND key IN (SELECT key FROM other.run WHERE state = 'done')",
    "INSERT OR IGNORE INTO main.config (hash, parameters) SELECT hash, parameters FROM "
    "other.config",
    "INSERT OR IGNORE INTO main.stat_name (name, unit) SELECT name, unit FROM other.stat_name",
    "CREATE TEMP TABLE moved (old INTEGER PRIMARY KEY, new INTEGER)",
    "INSERT INTO temp.moved (old) SELECT b.id FROM other.run b"
    " WHERE NOT EXISTS (SELECT 1 FROM main.run a WHERE a.key = b.key)",
};

static const char *const after[] = {
    "INSERT INTO main.plugin_build SELECT * FROM other.plugin_build WHERE true ON CONFLICT (name)"
    " DO UPDATE SET digest = excluded.digest, noted_at = excluded.noted_at"
    " WHERE excluded.noted_at > noted_at",
    "UPDATE temp.moved SET new = (SELECT a.id FROM other.run b JOIN main.run a ON a.key = b.key"
    " WHERE b.id = old)",
    "INSERT INTO main.stat_value (run, stat, value) SELECT m.new, n.id, v.value FROM temp.moved m"
    " JOIN other.stat_value v ON v.run = m.old JOIN other.stat_name o ON o.id = v.stat"
    " JOIN main.stat_name n ON n.name = o.name",
    "INSERT INTO main.inputs (run, name, value) SELECT m.new, i.name, i.value FROM temp.moved m"
    " JOIN other.inputs i ON i.run = m.old",
    "INSERT INTO main.details (run, name, value) SELECT m.new, d.name, d.value FROM temp.moved m"
    " JOIN other.details d ON d.run = m.old",
    "INSERT INTO main.kernel (run, position, name) SELECT m.new, k.position, k.name"
    " FROM temp.moved m JOIN other.kernel k ON k.run = m.old",
    "INSERT INTO main.kernel_value (kernel, stat, value) SELECT k.id, n.id, v.value"
    " FROM temp.moved m JOIN other.kernel b ON b.run = m.old"
    " JOIN main.kernel k ON k.run = m.new AND k.position = b.position"
    " JOIN other.kernel_value v ON v.kernel = b.id JOIN other.stat_name o ON o.id = v.stat"
    " JOIN main.stat_name n ON n.name = o.name",
    "INSERT INTO main.series_value (run, stat, cycle, value) SELECT m.new, n.id, v.cycle, v.value"
    " FROM temp.moved m JOIN other.series_value v ON v.run = m.old"
    " JOIN other.stat_name o ON o.id = v.stat JOIN main.stat_name n ON n.name = o.name",
};

static bool exec_all(struct store *s, const char *const *statements, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = store_exec(s, statements[i]);
    return ok;
}

/* All columns except the id, with the configuration's number in this store. */
static bool copy_runs(struct store *s)
{
    struct strbuf sql = {0};
    sqlite3_stmt *q =
        store_prepare(s, "SELECT group_concat(name, ', ') FROM pragma_table_info('run')"
                         " WHERE name NOT IN ('id', 'config')");
    bool ok = q && sqlite3_step(q) == SQLITE_ROW;
    const char *columns = ok ? (const char *)sqlite3_column_text(q, 0) : "";
    strbuf_addf(&sql,
                "INSERT INTO main.run (%s, config) SELECT %s, (SELECT c.id FROM main.config c"
                " JOIN other.config o ON o.hash = c.hash WHERE o.id = b.config)"
                " FROM other.run b WHERE b.id IN (SELECT old FROM temp.moved) ORDER BY b.id",
                columns, columns);
    sqlite3_finalize(q);
    ok = ok && store_exec(s, strbuf_text(&sql));
    strbuf_destroy(&sql);
    return ok;
}

static enum heddle_status check_conflicts(struct store *s, const char *path)
{
    sqlite3_stmt *q = store_prepare(s, find_conflict);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    enum heddle_status status = step == SQLITE_DONE ? HEDDLE_OK : HEDDLE_WRONG_RESULT;
    if (step == SQLITE_ROW) {
        strbuf_clear(&s->error);
        strbuf_addf(
            &s->error,
            "%s and %s have different results of the same point: %s (%s), seed %lld, %s %s %s, "
            "%lld and %lld there\n  one of the runs was wrong; nothing is taken from %s\n",
            s->path, path, sqlite3_column_text(q, 0), sqlite3_column_text(q, 1),
            (long long)sqlite3_column_int64(q, 2), sqlite3_column_text(q, 3),
            sqlite3_column_text(q, 4), sqlite3_column_text(q, 5),
            (long long)sqlite3_column_int64(q, 6), (long long)sqlite3_column_int64(q, 7), path);
    } else if (step != SQLITE_DONE) {
        status = store_fail(s, "merge into");
    }
    sqlite3_finalize(q);
    return status;
}

static enum heddle_status copy_all(struct store *s, const char *path, struct store_merged *merged)
{
    enum heddle_status status = check_conflicts(s, path);
    if (status != HEDDLE_OK)
        return status;
    if (!exec_all(s, before, sizeof before / sizeof before[0]) || !copy_runs(s) ||
        !exec_all(s, after, sizeof after / sizeof after[0]) || !store_make_views(s))
        return store_fail(s, "merge into");
    int64_t n_all = store_number(s, "SELECT count(*) FROM other.run");
    merged->n_taken = store_number(s, "SELECT count(*) FROM temp.moved");
    merged->n_there = n_all - merged->n_taken;
    return HEDDLE_OK;
}

/* A store that cannot be merged reports its own error. */
static enum heddle_status check_source(struct store *s, const char *path)
{
    struct store *other = NULL;
    enum heddle_status status = store_open(path, STORE_READ, &other);
    if (status != HEDDLE_OK) {
        strbuf_clear(&s->error);
        strbuf_add(&s->error, strbuf_text(&other->error));
    }
    store_close(other);
    return status;
}

enum heddle_status store_merge(struct store *s, const char *path, struct store_merged *merged)
{
    enum heddle_status status = check_source(s, path);
    if (status != HEDDLE_OK)
        return status;
    sqlite3_stmt *q = store_prepare(s, "ATTACH :path AS other");
    if (q)
        store_bind_text(q, ":path", path);
    if (!store_finish(q))
        return store_fail(s, "merge into");
    status =
        store_exec(s, "BEGIN IMMEDIATE") ? copy_all(s, path, merged) : store_fail(s, "write to");
    if (status == HEDDLE_OK && !store_exec(s, "DROP TABLE temp.moved; COMMIT"))
        status = store_fail(s, "write to");
    if (status != HEDDLE_OK)
        store_exec(s, "ROLLBACK");
    store_exec(s, "DETACH other");
    return status == HEDDLE_OK ? store_check_place(s) : status;
}
