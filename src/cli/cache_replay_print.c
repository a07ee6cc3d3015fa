/* The output of replays: one row, or one object, per cache and policy. */
#include <string.h>

#include "analysis/lab_params.h"
#include "base/json.h"
#include "cli/cache_replay.h"
#include "cli/table.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Bypassed loads are excluded (S2 section 6.3.1). */
static double hit_rate(const struct cache_stats *c)
{
    return share(c->hits, c->hits + c->misses);
}

/* Over all loads, so that policies with and without bypassing can be compared. */
static double hits_per_load(const struct cache_stats *c)
{
    return share(c->hits, c->loads);
}

static double zero_reuse(const struct cache_stats *c)
{
    return share(c->evictions_unused, c->evictions);
}

/* Misses among the loads that some cache could have hit (S2 Figure 4). */
static double miss_rate(const struct cache_stats *c, uint64_t compulsory)
{
    return share(c->misses + c->bypasses - compulsory, c->loads - compulsory);
}

static double mpki(const struct cache_stats *c, uint64_t n_insts)
{
    return 1000 * share(c->misses + c->bypasses, n_insts);
}

static void json_recorded(struct json_writer *w, const struct lab_stream *s)
{
    json_begin_object(w, "recorded");
    json_string(w, "gpu", s->gpu);
    json_string(w, "policy", s->policy);
    json_begin_array(w, "params");
    for (uint32_t i = 0; i < s->params.n; i++)
        json_string(w, NULL, s->params.items[i]);
    json_end_array(w);
    json_uint(w, "hits", s->recorded[L1D_HIT]);
    json_uint(w, "merges", s->recorded[L1D_MERGE]);
    json_uint(w, "misses", s->recorded[L1D_MISS]);
    json_uint(w, "bypasses", s->recorded[L1D_BYPASS]);
    json_end_object(w);
}

static void json_replay(struct json_writer *w, const struct replays *r, uint32_t i)
{
    const struct lab_config *c = &r->jobs[i].config;
    const struct lab_result *result = &r->jobs[i].result;
    const struct cache_stats *t = &result->stats;
    json_begin_object(w, NULL);
    json_string(w, "policy", c->policy->name);
    json_uint(w, "sets", c->n_sets);
    json_uint(w, "ways", c->n_ways);
    json_uint(w, "line_bytes", c->line_bytes);
    json_uint(w, "sector_bytes", c->sector_bytes ? c->sector_bytes : c->line_bytes);
    param_set_json_values(&r->params[i], w, "params");
    json_uint(w, "loads", t->loads);
    json_uint(w, "hits", t->hits);
    json_uint(w, "misses", t->misses);
    json_uint(w, "sector_misses", t->sector_misses);
    json_uint(w, "bypasses", t->bypasses);
    json_uint(w, "stores", t->stores);
    json_uint(w, "evictions", t->evictions);
    json_uint(w, "write_evictions", t->write_evictions);
    json_double(w, "zero_reuse_fraction", zero_reuse(t));
    json_double(w, "hit_rate", hit_rate(t));
    json_double(w, "hits_per_load", hits_per_load(t));
    if (r->compulsory) {
        json_uint(w, "compulsory_misses", r->compulsory[i]);
        json_double(w, "miss_rate_without_compulsory", miss_rate(t, r->compulsory[i]));
    }
    json_uint(w, "lru_differences", result->n_differences);
    if (result->n_differences)
        json_uint(w, "first_lru_difference", result->first_difference);
    json_uint(w, "hits_intra_thread", result->localities[LAB_INTRA_THREAD]);
    json_uint(w, "hits_inter_thread", result->localities[LAB_INTER_THREAD]);
    json_uint(w, "hits_inter_warp", result->localities[LAB_INTER_WARP]);
    if (r->n_thread_insts)
        json_double(w, "mpki", mpki(t, r->n_thread_insts));
    json_end_object(w);
}

void cache_replays_json(const struct replays *r, struct strbuf *out)
{
    const struct lab_config *c = &r->jobs[0].config;
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "index", c->index == INDEX_HASH ? "hash" : "linear");
    json_string(&w, "stores", c->stores_keep ? "keep" : "evict");
    if (r->stream->gpu)
        json_recorded(&w, r->stream);
    json_begin_array(&w, "replays");
    for (uint32_t i = 0; i < r->n; i++)
        json_replay(&w, r, i);
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static bool has_sectors(const struct lab_stream *s)
{
    return s->sector_bytes && s->sector_bytes < s->line_bytes;
}

/* The values of a row besides its name and its cache. */
struct row {
    struct cache_stats stats;
    const struct lab_result *result; /* NULL for the run itself */
    const uint64_t *compulsory;      /* NULL = not printed */
};

static void add_row(struct table *t, const struct replays *r, const struct row *row)
{
    const struct cache_stats *c = &row->stats;
    const struct lab_result *result = row->result;
    table_count(t, c->loads);
    table_count(t, c->hits);
    table_count(t, c->misses);
    if (has_sectors(r->stream) && result)
        table_count(t, c->sector_misses);
    else if (has_sectors(r->stream))
        table_cell(t, "-");
    table_count(t, c->bypasses);
    table_cell(t, "%.2f %%", 100 * hit_rate(c));
    table_cell(t, "%.2f %%", 100 * hits_per_load(c));
    if (r->compulsory && row->compulsory)
        table_cell(t, "%.2f %%", 100 * miss_rate(c, *row->compulsory));
    else if (r->compulsory)
        table_cell(t, "-");
    if (result) {
        table_count(t, c->evictions);
        table_cell(t, "%.2f %%", 100 * zero_reuse(c));
        for (int i = 0; i < N_LAB_LOCALITIES; i++)
            table_count(t, result->localities[i]);
        table_count(t, result->n_differences);
    }
    if (result && result->n_differences)
        table_count(t, result->first_difference);
    for (int i = 0; i < (result ? !result->n_differences : 7); i++)
        table_cell(t, "-");
    if (r->n_thread_insts)
        table_cell(t, "%.3f", mpki(c, r->n_thread_insts));
}

static void add_name(struct table *t, const struct replays *r, const char *name, uint32_t n_sets,
                     uint32_t n_ways, uint32_t line_bytes)
{
    table_cell(t, "%s", name);
    if (r->one_shape)
        return;
    table_count(t, n_sets);
    table_count(t, n_ways);
    table_count(t, line_bytes);
}

/* The outcomes of the loads in the run itself; a merge counts as a hit. */
static void add_recorded(struct table *t, const struct replays *r)
{
    const struct lab_stream *s = r->stream;
    struct row row = {.stats = {.hits = s->recorded[L1D_HIT] + s->recorded[L1D_MERGE],
                                .misses = s->recorded[L1D_MISS],
                                .bypasses = s->recorded[L1D_BYPASS]}};
    row.stats.loads = row.stats.hits + row.stats.misses + row.stats.bypasses;
    for (uint32_t i = 0; i < r->n && r->compulsory; i++)
        if (r->jobs[i].config.line_bytes == s->line_bytes)
            row.compulsory = &r->compulsory[i];
    add_name(t, r, "(recorded)", s->n_sets, s->n_ways, s->line_bytes);
    add_row(t, r, &row);
}

/* Is everything as in the run, except for fills? */
static bool is_as_recorded(const struct lab_config *c, const struct lab_stream *s)
{
    return strcmp(c->policy->name, s->policy) == 0 &&
           lab_params_are(&s->params, c->policy, c->params) && c->n_sets == s->n_sets &&
           c->n_ways == s->n_ways && c->line_bytes == s->line_bytes && c->index == s->index &&
           c->stores_keep == s->stores_keep && (!has_sectors(s) || c->sector_bytes);
}

/* How far the replay of the recorded cache and policy differs from the run: the effect of immediate
 * fills. */
static void print_distance(const struct replays *r, struct strbuf *out)
{
    const struct lab_stream *s = r->stream;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct cache_stats *t = &r->jobs[i].result.stats;
        if (!is_as_recorded(&r->jobs[i].config, s) || !t->loads)
            continue;
        double here = (double)(t->misses + t->bypasses);
        double there = (double)(s->recorded[L1D_MISS] + s->recorded[L1D_BYPASS]);
        strbuf_addf(
            out, "under %s, immediate fills change misses and bypasses by %+.3f %% of the loads\n",
            s->policy, 100 * (here - there) / (double)t->loads);
        return;
    }
}

/* What was recorded, with the policy's parameters that are not at their defaults. */
static void print_origin(const struct lab_stream *s, struct strbuf *out)
{
    struct strbuf params = {0};
    lab_params_print(&s->params, lab_policy_find(s->policy), &params);
    strbuf_addf(out, "recorded on %s under %s%s%s, merges counted as hits\n", s->gpu, s->policy,
                params.len ? " with " : "", strbuf_text(&params));
    strbuf_destroy(&params);
}

static void print_head(const struct replays *r, struct strbuf *out)
{
    const struct lab_config *c = &r->jobs[0].config;
    if (r->one_shape)
        strbuf_addf(out, "%u sets of %u ways of %u bytes, ", c->n_sets, c->n_ways, c->line_bytes);
    if (r->one_shape && c->sector_bytes)
        strbuf_addf(out, "sectors of %u bytes, ", c->sector_bytes);
    strbuf_addf(out, "%s index, stores %s lines, %u SMs\n",
                c->index == INDEX_HASH ? "hashed" : "linear", c->stores_keep ? "keep" : "remove",
                r->stream->n_sms);
}

void cache_replays_table(const struct replays *r, struct strbuf *out)
{
    static const char *const shape[] = {"sets", "ways", "line"};
    static const char *const counts[] = {"loads",    "hits",     "misses",  "of sectors",
                                         "bypasses", "hit rate", "of loads"};
    static const char *const more[] = {"evictions",  "zero reuse", "intra-thread", "inter-thread",
                                       "inter-warp", "unlike LRU", "first"};
    const char *titles[TABLE_MAX_COLUMNS] = {"policy"};
    uint32_t n = 1;
    for (int i = 0; i < 3 && !r->one_shape; i++)
        titles[n++] = shape[i];
    for (int i = 0; i < 7; i++)
        if (i != 3 || has_sectors(r->stream))
            titles[n++] = counts[i];
    if (r->compulsory)
        titles[n++] = "misses but first";
    for (int i = 0; i < 7; i++)
        titles[n++] = more[i];
    if (r->n_thread_insts)
        titles[n++] = "MPKI";
    struct table t = {.titles = titles, .n_columns = n, .right = "lrrrrrrrrrrrrrrrrrrr"};
    print_head(r, out);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct lab_config *c = &r->jobs[i].config;
        struct row row = {.stats = r->jobs[i].result.stats,
                          .result = &r->jobs[i].result,
                          .compulsory = r->compulsory ? &r->compulsory[i] : NULL};
        add_name(&t, r, c->policy->name, c->n_sets, c->n_ways, c->line_bytes);
        add_row(&t, r, &row);
    }
    if (r->stream->gpu)
        add_recorded(&t, r);
    table_print(&t, out);
    table_destroy(&t);
    if (r->stream->gpu)
        print_distance(r, out);
    if (r->stream->gpu)
        print_origin(r->stream, out);
}
