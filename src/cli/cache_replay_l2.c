/* The output of replays in a write-back cache: loads, stores, and DRAM requests. */
#include "base/json.h"
#include "cli/cache_replay.h"
#include "cli/table.h"

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
    json_uint(w, "bypasses", t->bypasses);
    json_uint(w, "drops", t->drops);
    json_uint(w, "stores", t->stores);
    json_uint(w, "store_hits", t->store_hits);
    json_uint(w, "store_misses", t->store_misses);
    json_uint(w, "store_bypasses", t->store_bypasses);
    json_uint(w, "evictions", t->evictions);
    json_uint(w, "dram_reads", result->dram_reads);
    json_uint(w, "dram_writes", result->dram_writes);
    json_uint(w, "stale_reads", result->stale_reads);
    json_uint(w, "lru_differences", result->n_differences);
    if (result->n_differences)
        json_uint(w, "first_lru_difference", result->first_difference);
    json_end_object(w);
}

void cache_replays_l2_json(const struct replays *r, struct strbuf *out)
{
    const struct lab_config *c = &r->jobs[0].config;
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "index", c->index == INDEX_HASH ? "hash" : "linear");
    json_string(&w, "stores", "write_back");
    json_bool(&w, "flushed", c->flush_at_end);
    json_begin_array(&w, "replays");
    for (uint32_t i = 0; i < r->n; i++)
        json_replay(&w, r, i);
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static void add_row(struct table *t, const struct replays *r, uint32_t i)
{
    const struct lab_config *c = &r->jobs[i].config;
    const struct lab_result *result = &r->jobs[i].result;
    const struct cache_stats *s = &result->stats;
    table_cell(t, "%s", c->policy->name);
    if (!r->one_shape) {
        table_count(t, c->n_sets);
        table_count(t, c->n_ways);
        table_count(t, c->line_bytes);
    }
    const uint64_t counts[] = {
        s->loads,           s->hits,      s->misses,          s->bypasses,
        s->drops,           s->stores,    s->store_hits,      s->store_misses,
        s->store_bypasses,  s->evictions, result->dram_reads, result->dram_writes,
        result->stale_reads};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        table_count(t, counts[k]);
}

static bool is_any_stale(const struct replays *r)
{
    bool is_stale = false;
    for (uint32_t i = 0; i < r->n; i++)
        is_stale = is_stale || r->jobs[i].result.stale_reads;
    return is_stale;
}

void cache_replays_l2_table(const struct replays *r, struct strbuf *out)
{
    static const char *const shape[] = {"sets", "ways", "line"};
    static const char *const counts[] = {
        "loads",  "hits",     "misses",    "bypasses",   "drops",       "stores",     "hits",
        "misses", "bypasses", "evictions", "DRAM reads", "DRAM writes", "stale reads"};
    const struct lab_config *c = &r->jobs[0].config;
    const char *titles[TABLE_MAX_COLUMNS] = {"policy"};
    uint32_t n = 1;
    for (int i = 0; i < 3 && !r->one_shape; i++)
        titles[n++] = shape[i];
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        titles[n++] = counts[i];
    struct table t = {.titles = titles, .n_columns = n, .right = "lrrrrrrrrrrrrrrrrrrr"};
    if (r->one_shape)
        strbuf_addf(out, "%u sets of %u ways of %u bytes, ", c->n_sets, c->n_ways, c->line_bytes);
    if (c->sector_bytes)
        strbuf_addf(out, "sectors of %u bytes, ", c->sector_bytes);
    strbuf_addf(out, "%s index, stores are written back%s, one cache for all SMs\n",
                c->index == INDEX_HASH ? "hashed" : "linear",
                c->flush_at_end ? " and flushed at the end" : "");
    for (uint32_t i = 0; i < r->n; i++)
        add_row(&t, r, i);
    table_print(&t, out);
    table_destroy(&t);
    if (is_any_stale(r))
        strbuf_add(out,
                   "stale reads: loads need data that were dropped; the annotations are unsound\n");
}
