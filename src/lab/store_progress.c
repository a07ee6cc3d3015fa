#include "lab/store_progress.h"

#include <sqlite3.h>

#include "lab/store_internal.h"

static void bind_process(sqlite3_stmt *q, const struct store_process *here)
{
    store_bind_text(q, ":host", here->host);
    store_bind_int(q, ":pid", here->pid);
}

enum heddle_status store_note_sweep(struct store *s, const struct store_progress *p)
{
    struct store_process here;
    store_this_process(&here);
    sqlite3_stmt *q =
        store_prepare(s, "INSERT OR REPLACE INTO sweep (host, pid, process_id, points, done, run,"
                         " running, seconds) VALUES (:host, :pid, :process, :points, :done, :run,"
                         " :running, :seconds)");
    if (!q)
        return store_fail(s, "write to");
    bind_process(q, &here);
    store_bind_text(q, ":process", here.start);
    store_bind_int(q, ":points", p->n_points);
    store_bind_int(q, ":done", p->n_done);
    store_bind_int(q, ":run", p->n_run);
    store_bind_int(q, ":running", p->n_running);
    sqlite3_bind_double(q, sqlite3_bind_parameter_index(q, ":seconds"), p->seconds);
    return store_finish(q) ? HEDDLE_OK : store_fail(s, "write to");
}

enum heddle_status store_end_sweep(struct store *s)
{
    struct store_process here;
    store_this_process(&here);
    sqlite3_stmt *q = store_prepare(s, "DELETE FROM sweep WHERE host = :host AND pid = :pid");
    if (!q)
        return store_fail(s, "write to");
    bind_process(q, &here);
    return store_finish(q) ? HEDDLE_OK : store_fail(s, "write to");
}

static void add_sweep(struct store_sweeps *out, const struct store_progress *p)
{
    double left = p->n_run ? p->seconds / p->n_run * (p->n_points - p->n_done) : -1;
    out->seconds_left = left > out->seconds_left ? left : out->seconds_left;
    out->n_sweeps++;
    out->all.n_points += p->n_points;
    out->all.n_done += p->n_done;
    out->all.n_run += p->n_run;
    out->all.n_running += p->n_running;
}

enum heddle_status store_find_sweeps(struct store *s, struct store_sweeps *out)
{
    sqlite3_stmt *q = store_prepare(
        s, "SELECT host, pid, process_id, points, done, run, running, seconds FROM sweep");
    int step = SQLITE_ERROR;
    *out = (struct store_sweeps){.seconds_left = -1};
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const struct store_progress p = {.n_points = (uint32_t)sqlite3_column_int64(q, 3),
                                         .n_done = (uint32_t)sqlite3_column_int64(q, 4),
                                         .n_run = (uint32_t)sqlite3_column_int64(q, 5),
                                         .n_running = (uint32_t)sqlite3_column_int64(q, 6),
                                         .seconds = sqlite3_column_double(q, 7)};
        if (store_is_alive((const char *)sqlite3_column_text(q, 0), sqlite3_column_int64(q, 1),
                           (const char *)sqlite3_column_text(q, 2)))
            add_sweep(out, &p);
    }
    enum heddle_status status = step == SQLITE_DONE ? HEDDLE_OK : store_fail(s, "read");
    sqlite3_finalize(q);
    return status;
}
