/* heddle cache reuse: distances over all and by PC, and what a cache without bounds would hit. */
#include <inttypes.h>
#include <string.h>

#include "analysis/lab_reuse.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"
#include "config/number.h"

static const char *const distance_names[N_LAB_DISTANCES] = {"accesses", "lines"};
static const char *const locality_names[N_LAB_LOCALITIES] = {"intra_thread", "inter_thread",
                                                             "inter_warp"};

/* S2 calls a workload cache-insufficient from there on. */
static const double insufficient_ratio = 0.01;

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static double access_ratio(const struct lab_reuse *r, uint64_t n_insts)
{
    return (double)(r->n_loads + r->n_stores + r->n_atomics) / (double)n_insts;
}

static const char *s2_class(double ratio)
{
    return ratio > insufficient_ratio ? "cache-insufficient" : "cache-sufficient";
}

static enum heddle_status parse_ranges(const char *text, struct lab_ranges *out)
{
    struct arena arena = {0};
    char *rest = arena_strdup(&arena, text ? text : "4,8,64");
    bool ok = true;
    for (char *word; ok && (word = strsep(&rest, ","));) {
        uint64_t end = 0;
        ok = out->n < LAB_MAX_RANGES - 1 && number_parse_u64(word, &end) && end < UINT32_MAX &&
             (!out->n || end > out->ends[out->n - 1]);
        if (ok)
            out->ends[out->n++] = (uint32_t)end;
    }
    arena_destroy(&arena);
    if (ok)
        return HEDDLE_OK;
    output_error("--ranges %s: expected up to %d ascending numbers, such as 4,8,64", text,
                 LAB_MAX_RANGES - 1);
    return HEDDLE_BAD_INPUT;
}

static void range_name(const struct lab_ranges *g, uint32_t i, char name[32])
{
    uint32_t first = i ? g->ends[i - 1] + 1 : 0;
    if (i == g->n)
        snprintf(name, 32, ">%u", g->ends[i - 1]);
    else if (first == g->ends[i])
        snprintf(name, 32, "%u", first);
    else
        snprintf(name, 32, "%u-%u", first, g->ends[i]);
}

static void json_distances(struct json_writer *w, const struct lab_distances *d,
                           const struct lab_ranges *g)
{
    json_uint(w, "reuses", d->n);
    for (int kind = 0; kind < N_LAB_DISTANCES; kind++) {
        json_begin_object(w, distance_names[kind]);
        json_uint(w, "median", d->median[kind]);
        for (uint32_t i = 0; i <= g->n; i++) {
            char name[32];
            range_name(g, i, name);
            json_uint(w, name, d->in_range[kind][i]);
        }
        json_end_object(w);
    }
}

static void json_unbounded(struct json_writer *w, const struct lab_reuse *r)
{
    json_begin_object(w, "unbounded");
    json_uint(w, "compulsory_misses", r->compulsory_misses);
    json_uint(w, "other_misses", r->other_misses);
    for (int i = 0; i < N_LAB_LOCALITIES; i++)
        json_uint(w, locality_names[i], r->hits[i]);
    json_end_object(w);
}

static void print_json(const struct lab_reuse *r, const struct lab_ranges *g, uint64_t n_insts,
                       struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "loads", r->n_loads);
    json_uint(&w, "stores", r->n_stores);
    json_uint(&w, "atomics", r->n_atomics);
    if (n_insts) {
        json_double(&w, "memory_access_ratio", access_ratio(r, n_insts));
        json_string(&w, "s2_class", s2_class(access_ratio(r, n_insts)));
    }
    json_unbounded(&w, r);
    json_begin_object(&w, "distances");
    json_distances(&w, &r->all, g);
    json_end_object(&w);
    json_begin_array(&w, "by_pc");
    for (uint32_t i = 0; i < r->n_pcs; i++) {
        json_begin_object(&w, NULL);
        json_uint(&w, "pc", r->pcs[i].pc);
        json_distances(&w, &r->pcs[i], g);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static void print_unbounded(const struct lab_reuse *r, struct strbuf *out)
{
    static const char *const hit_names[N_LAB_LOCALITIES] = {
        "hits, same thread", "hits, other thread of the warp", "hits, other warp"};
    struct table t = {.n_columns = 3, .right = "lrr"};
    for (int i = 0; i < N_LAB_LOCALITIES; i++) {
        table_cell(&t, "  %s", hit_names[i]);
        table_count(&t, r->hits[i]);
        table_cell(&t, "%.2f %%", percent(r->hits[i], r->n_loads));
    }
    table_cell(&t, "  compulsory misses");
    table_count(&t, r->compulsory_misses);
    table_cell(&t, "%.2f %%", percent(r->compulsory_misses, r->n_loads));
    table_cell(&t, "  misses of removed lines");
    table_count(&t, r->other_misses);
    table_cell(&t, "%.2f %%", percent(r->other_misses, r->n_loads));
    strbuf_add(out, "A cache without bounds:\n");
    table_print(&t, out);
    table_destroy(&t);
}

static void add_row(struct table *t, const struct lab_distances *d, const struct lab_ranges *g,
                    enum lab_distance kind)
{
    table_count(t, d->n);
    for (uint32_t i = 0; i <= g->n; i++)
        table_cell(t, "%.1f %%", percent(d->in_range[kind][i], d->n));
    table_cell(t, "%u", d->median[kind]);
}

static void print_distances(const struct lab_reuse *r, const struct lab_ranges *g,
                            enum lab_distance kind, struct strbuf *out)
{
    char names[LAB_MAX_RANGES][32];
    const char *titles[LAB_MAX_RANGES + 3] = {"PC", "reuses"};
    for (uint32_t i = 0; i <= g->n; i++) {
        range_name(g, i, names[i]);
        titles[2 + i] = names[i];
    }
    titles[g->n + 3] = "median";
    struct table t = {.titles = titles, .n_columns = g->n + 4, .right = "rrrrrrrrrrrrrrrrrrrrrrr"};
    table_cell(&t, "all");
    add_row(&t, &r->all, g, kind);
    for (uint32_t i = 0; i < r->n_pcs; i++) {
        table_cell(&t, "%u", r->pcs[i].pc);
        add_row(&t, &r->pcs[i], g, kind);
    }
    strbuf_addf(out, "\nReuse distances, %s:\n",
                kind == LAB_S2 ? "loads of the set in between (S2)"
                               : "distinct other lines of the set in between (S3)");
    table_print(&t, out);
    table_destroy(&t);
}

static void print_tables(const struct lab_reuse *r, const struct lab_ranges *g, uint64_t n_insts,
                         struct strbuf *out)
{
    strbuf_addf(out, "%" PRIu64 " loads, %" PRIu64 " stores, %" PRIu64 " atomics\n", r->n_loads,
                r->n_stores, r->n_atomics);
    if (n_insts)
        strbuf_addf(out, "memory access ratio %.3f %%: %s (S2)\n", 100 * access_ratio(r, n_insts),
                    s2_class(access_ratio(r, n_insts)));
    print_unbounded(r, out);
    print_distances(r, g, LAB_S2, out);
    print_distances(r, g, LAB_S3, out);
}

enum heddle_status cache_lab_reuse(const struct cache_options *o, struct lab_stream *s,
                                   struct strbuf *out)
{
    struct lab_config config;
    struct lab_ranges ranges = {0};
    struct lab_reuse r;
    enum heddle_status status = cache_lab_shape(o, s, &config);
    if (status == HEDDLE_OK)
        status = parse_ranges(o->ranges, &ranges);
    if (status != HEDDLE_OK)
        return status;
    lab_reuse_measure(s, &config, &ranges, &r);
    (o->json ? print_json : print_tables)(&r, &ranges, o->n_thread_insts, out);
    lab_reuse_destroy(&r);
    return HEDDLE_OK;
}
