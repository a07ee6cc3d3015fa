/* heddle cache curve: the miss ratio of LRU for every number of ways; the table shows powers of
 * two, JSON every number at which it changes. */
#include "analysis/lab_curve.h"
#include "analysis/lab_reuse.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"

/* Excludes the `n_left_out` loads that no cache could hit. */
static double miss_ratio(const struct lab_curve *c, uint64_t n_ways, uint64_t n_left_out)
{
    uint64_t n = c->n_loads - n_left_out;
    return n ? 1 - (double)lab_curve_hits(c, n_ways) / (double)n : 0;
}

static void print_json(const struct lab_curve *c, const struct lab_config *config,
                       const uint64_t *compulsory, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "sets", config->n_sets);
    json_uint(&w, "line_bytes", config->line_bytes);
    json_uint(&w, "loads", c->n_loads);
    if (compulsory)
        json_uint(&w, "compulsory_misses", *compulsory);
    json_begin_array(&w, "points");
    for (uint32_t ways = 1; ways <= c->n_ways; ways++) {
        if (ways > 1 && lab_curve_hits(c, ways) == lab_curve_hits(c, ways - 1))
            continue;
        json_begin_object(&w, NULL);
        json_uint(&w, "ways", ways);
        json_uint(&w, "misses", c->n_loads - lab_curve_hits(c, ways));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static void add_row(struct table *t, const struct lab_curve *c, const struct lab_config *config,
                    const uint64_t *compulsory, uint64_t n_ways)
{
    table_count(t, n_ways);
    table_count(t, n_ways * config->n_sets * config->line_bytes);
    table_count(t, c->n_loads - lab_curve_hits(c, n_ways));
    table_cell(t, "%.2f %%", 100 * miss_ratio(c, n_ways, 0));
    if (compulsory)
        table_cell(t, "%.2f %%", 100 * miss_ratio(c, n_ways, *compulsory));
}

static void print_table(const struct lab_curve *c, const struct lab_config *config,
                        const uint64_t *compulsory, struct strbuf *out)
{
    static const char *const titles[] = {"ways", "bytes", "misses", "miss ratio",
                                         "misses but first"};
    struct table t = {.titles = titles, .n_columns = compulsory ? 5 : 4, .right = "rrrrr"};
    strbuf_addf(out, "LRU, %u sets of lines of %u bytes, %s index\n", config->n_sets,
                config->line_bytes, config->index == INDEX_HASH ? "hashed" : "linear");
    uint64_t ways = 1;
    for (; ways < c->n_ways; ways *= 2)
        add_row(&t, c, config, compulsory, ways);
    add_row(&t, c, config, compulsory, c->n_ways ? c->n_ways : 1);
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add(out, "powers of two and the last: more ways miss as often; --json has every number "
                    "of ways at which something changes\n");
}

enum heddle_status cache_lab_curve(const struct cache_options *o, struct lab_stream *s,
                                   struct strbuf *out)
{
    struct lab_config config;
    struct lab_curve curve;
    enum heddle_status status = cache_lab_shape(o, s, &config);
    if (status != HEDDLE_OK)
        return status;
    if (config.stores_keep) {
        output_error("there is no such curve if stores keep lines: a store refreshes them only in "
                     "caches that hold them; use --stores evict, or replays");
        return HEDDLE_BAD_INPUT;
    }
    lab_curve_make(s, config.n_sets, config.line_bytes, config.index, &curve);
    uint64_t compulsory = o->no_compulsory ? lab_compulsory_misses(s, config.line_bytes) : 0;
    (o->json ? print_json : print_table)(&curve, &config, o->no_compulsory ? &compulsory : NULL,
                                         out);
    lab_curve_destroy(&curve);
    return HEDDLE_OK;
}
