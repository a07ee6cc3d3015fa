/* The units of statistics; results contain only those of mechanisms. */
#include <sqlite3.h>

#include "analysis/locality.h"
#include "gpu/machine.h"
#include "lab/store_internal.h"
#include "stats/run_stats.h"

static bool add_unit(sqlite3_stmt *q, struct heddle_stat stat)
{
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, stat.name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, stat.unit, -1, SQLITE_STATIC);
    return sqlite3_step(q) == SQLITE_DONE;
}

/* Columns of time series that are not statistics of whole runs. */
static const struct heddle_stat series_only[] = {{.name = "resident_warps", .unit = "warps"},
                                                 {.name = "resident_ctas", .unit = "CTAs"}};

bool store_add_units(struct store *s)
{
    static const char sql[] = "INSERT INTO stat_name (name, unit) VALUES (?, ?)"
                              " ON CONFLICT (name) DO UPDATE SET unit = excluded.unit";
    const struct run_stats none = {0};
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK;
    for (uint32_t i = 0; ok && i < machine_stat_count(NULL); i++)
        ok = add_unit(q, machine_stat_at(NULL, i));
    for (uint32_t i = 0; ok && i < run_stats_count(); i++)
        ok = add_unit(q, run_stats_at(&none, i));
    for (uint32_t i = 0; ok && i < locality_stat_count(); i++)
        ok = add_unit(q, locality_stat_at(NULL, i));
    for (uint32_t i = 0; ok && i < n_listed; i++)
        ok = add_unit(q, listed[i].stat);
    for (size_t i = 0; ok && i < sizeof series_only / sizeof series_only[0]; i++)
        ok = add_unit(q, series_only[i]);
    sqlite3_finalize(q);
    arena_destroy(&arena);
    return ok;
}
