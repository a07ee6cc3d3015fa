#include "analysis/locality.h"

#include <stdlib.h>

#include "analysis/lab_map.h"
#include "analysis/lab_replay.h"
#include "analysis/lab_reuse.h"

/* --- the run --- */

struct owner {
    uint64_t warp, thread;
};

/* For every line that an SM has missed: who missed it last. A hit finds the line that this miss
 * brought; otherwise there would have been a later miss. */
struct owners {
    struct lab_map *lines; /* by SM; the index in `items` */
    struct owner *items;
    size_t n, cap;
};

static void miss(struct owners *o, const struct l1d_event *e)
{
    uint64_t *at = lab_map_at(&o->lines[e->sm], e->line, UINT64_MAX);
    if (*at == UINT64_MAX) {
        ARRAY_RESERVE(o->items, o->cap, o->n + 1);
        *at = o->n++;
    }
    o->items[*at] = (struct owner){e->warp_uid, e->thread};
}

static void hit(struct owners *o, const struct l1d_event *e, struct locality *out)
{
    uint64_t at = *lab_map_at(&o->lines[e->sm], e->line, UINT64_MAX);
    const struct lab_access access = {.warp = e->warp_uid, .thread = e->thread};
    struct owner owner = at < o->n ? o->items[at] : (struct owner){UINT64_MAX, UINT64_MAX};
    switch (lab_locality_of(owner.warp, owner.thread, &access)) {
    case LAB_INTRA_THREAD:
        out->intra_thread++;
        break;
    case LAB_INTER_THREAD:
        out->inter_thread++;
        break;
    default:
        out->inter_warp++;
    }
}

static void take_event(struct owners *o, const struct l1d_event *e, struct locality *out)
{
    bool is_access = e->kind == L1D_LOAD || e->kind == L1D_STORE;
    if (is_access && e->outcome == L1D_MISS)
        miss(o, e);
    else if (e->kind == L1D_LOAD && (e->outcome == L1D_HIT || e->outcome == L1D_MERGE))
        hit(o, e, out);
}

static bool measure_run(const char *path, struct locality *out, struct strbuf *why)
{
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r)
        return false;
    uint32_t n_sms = l1d_reader_header(r)->n_sms;
    struct owners o = {.lines = xcalloc((size_t)n_sms + 1, sizeof *o.lines)};
    struct l1d_event e;
    enum l1d_read read;
    while ((read = l1d_reader_next(r, &e, why)) == L1D_READ_EVENT)
        take_event(&o, &e, out);
    l1d_reader_close(r);
    for (uint32_t i = 0; i < n_sms; i++)
        lab_map_destroy(&o.lines[i]);
    free(o.lines);
    free(o.items);
    return read == L1D_READ_END;
}

/* --- the bounds --- */

static bool measure_bounds(const char *path, const struct cache_config *l1d, struct locality *out,
                           struct strbuf *why)
{
    struct lab_stream s = {0};
    bool ok = lab_stream_open_recording(&s, path, why);
    if (ok) {
        lab_stream_skip_insts(&s);
        ok = lab_stream_load(&s, why);
    }
    if (ok) {
        struct lab_config config = {.n_sets = s.n_sets,
                                    .n_ways = s.n_ways,
                                    .line_bytes = s.line_bytes,
                                    .index = l1d->index,
                                    .stores_keep = !l1d->write_evict};
        struct lab_job jobs[] = {{.config = config}, {.config = config}};
        struct lab_reuse reuse;
        jobs[0].config.policy = lab_policy_find("belady");
        jobs[1].config.policy = lab_policy_find("lru");
        lab_replay_all(&s, jobs, 2); /* cannot fail: it writes no log */
        lab_unbounded_measure(&s, &config, &reuse);
        out->belady_misses = jobs[0].result.stats.misses;
        out->lru_misses = jobs[1].result.stats.misses;
        out->unbounded_misses = reuse.compulsory_misses + reuse.other_misses;
        out->unbounded_intra_thread = reuse.hits[LAB_INTRA_THREAD];
        out->unbounded_inter_thread = reuse.hits[LAB_INTER_THREAD];
        out->unbounded_inter_warp = reuse.hits[LAB_INTER_WARP];
    }
    lab_stream_destroy(&s);
    return ok;
}

bool locality_measure(const char *path, const struct cache_config *l1d, uint32_t parts,
                      struct locality *out, struct strbuf *why)
{
    *out = (struct locality){.parts = parts};
    return (!(parts & LOCALITY_RUN) || measure_run(path, out, why)) &&
           (!(parts & LOCALITY_BOUNDS) || measure_bounds(path, l1d, out, why));
}

/* --- statistics --- */

static double per_thousand(uint64_t n, const struct locality *l)
{
    return l->n_thread_insts ? 1000.0 * (double)n / (double)l->n_thread_insts : 0;
}

struct row {
    uint32_t part;
    struct heddle_stat stat;
};

static struct row row_at(const struct locality *l, uint32_t i)
{
    const struct locality none = {0};
    l = l ? l : &none;
    const struct row rows[] = {
#define COUNTER(in, field, its_name, its_unit, its_help)                                           \
    {in, {.name = its_name, .unit = its_unit, .help = its_help, .count = l->field}},
#define PKI(in, its_name, its_help, expression)                                                    \
    {in,                                                                                           \
     {.name = its_name,                                                                            \
      .unit = "per 1000 instructions",                                                             \
      .help = its_help,                                                                            \
      .is_real = true,                                                                             \
      .real = per_thousand(expression, l)}},
#include "analysis/locality.def"
    };
    return rows[i];
}

uint32_t locality_stat_count(void)
{
    static const uint8_t parts[] = {
#define COUNTER(part, field, name, unit, help) part,
#define PKI(part, name, help, expression)      part,
#include "analysis/locality.def"
    };
    return sizeof parts;
}

struct heddle_stat locality_stat_at(const struct locality *l, uint32_t i)
{
    return row_at(l, i).stat;
}

uint32_t locality_stat_part(uint32_t i)
{
    return row_at(NULL, i).part;
}
