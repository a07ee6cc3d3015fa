/* heddle cache reuse: distances over all and by PC, and the hits of an unbounded cache. One row per
 * file if there are several recordings. */
#include "cli/cache_reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/table.h"
#include "config/number.h"

static const char *const distance_names[N_LAB_DISTANCES] = {"accesses", "lines"};
static const char *const locality_names[N_LAB_LOCALITIES] = {"intra_thread", "inter_thread",
                                                             "inter_warp"};

/* S2 calls a workload cache-insufficient from this ratio on. */
static const double insufficient_ratio = 0.01;

double reuse_percent(uint64_t part, uint64_t whole)
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

void reuse_range_name(const struct lab_ranges *g, uint32_t i, char name[REUSE_NAME_BYTES])
{
    uint32_t first = i ? g->ends[i - 1] + 1 : 0;
    if (i == g->n)
        snprintf(name, REUSE_NAME_BYTES, ">%u", g->ends[i - 1]);
    else if (first == g->ends[i])
        snprintf(name, REUSE_NAME_BYTES, "%u", first);
    else
        snprintf(name, REUSE_NAME_BYTES, "%u-%u", first, g->ends[i]);
}

static void json_distances(struct json_writer *w, const struct lab_distances *d,
                           const struct lab_ranges *g)
{
    json_uint(w, "reuses", d->n);
    for (int kind = 0; kind < N_LAB_DISTANCES; kind++) {
        json_begin_object(w, distance_names[kind]);
        json_uint(w, "median", d->median[kind]);
        for (uint32_t i = 0; i <= g->n; i++) {
            char name[REUSE_NAME_BYTES];
            reuse_range_name(g, i, name);
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

static void json_file(struct json_writer *w, const struct reuse_of_files *f, uint32_t file)
{
    const struct lab_reuse *r = &f->of[file];
    json_begin_object(w, NULL);
    if (f->n > 1)
        json_string(w, "file", f->paths[file]);
    json_uint(w, "loads", r->n_loads);
    json_uint(w, "stores", r->n_stores);
    json_uint(w, "atomics", r->n_atomics);
    if (f->n_insts) {
        json_double(w, "memory_access_ratio", access_ratio(r, f->n_insts));
        json_string(w, "s2_class", s2_class(access_ratio(r, f->n_insts)));
    }
    json_unbounded(w, r);
    json_begin_object(w, "distances");
    json_distances(w, &r->all, &f->ranges);
    json_end_object(w);
    json_begin_array(w, "by_pc");
    for (uint32_t i = 0; i < r->n_pcs; i++) {
        json_begin_object(w, NULL);
        json_uint(w, "pc", r->pcs[i].pc);
        json_distances(w, &r->pcs[i], &f->ranges);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void print_json(const struct reuse_of_files *f, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    if (f->n > 1)
        json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < f->n; i++)
        json_file(&w, f, i);
    if (f->n > 1)
        json_end_array(&w);
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
        table_cell(&t, "%.2f %%", reuse_percent(r->hits[i], r->n_loads));
    }
    table_cell(&t, "  compulsory misses");
    table_count(&t, r->compulsory_misses);
    table_cell(&t, "%.2f %%", reuse_percent(r->compulsory_misses, r->n_loads));
    table_cell(&t, "  misses of removed lines");
    table_count(&t, r->other_misses);
    table_cell(&t, "%.2f %%", reuse_percent(r->other_misses, r->n_loads));
    strbuf_add(out, "An unbounded cache:\n");
    table_print(&t, out);
    table_destroy(&t);
}

static void add_row(struct table *t, const struct lab_distances *d, const struct lab_ranges *g,
                    enum lab_distance kind)
{
    table_count(t, d->n);
    for (uint32_t i = 0; i <= g->n; i++)
        table_cell(t, "%.1f %%", reuse_percent(d->in_range[kind][i], d->n));
    table_cell(t, "%u", d->median[kind]);
}

/* Titles of a table of distances, whose rows are called `row`; `names` has room for them. */
static struct table begin_table(const struct lab_ranges *g, const char *row, const char **titles,
                                char names[][REUSE_NAME_BYTES])
{
    titles[0] = row;
    titles[1] = "reuses";
    for (uint32_t i = 0; i <= g->n; i++) {
        reuse_range_name(g, i, names[i]);
        titles[2 + i] = names[i];
    }
    titles[g->n + 3] = "median";
    return (struct table){
        .titles = titles, .n_columns = g->n + 4, .right = "rrrrrrrrrrrrrrrrrrrrrrr"};
}

static const char *const distance_meanings[N_LAB_DISTANCES] = {
    "loads of the set in between (S2)", "distinct other lines of the set in between (S3)"};

static void print_distances(const struct lab_reuse *r, const struct lab_ranges *g,
                            enum lab_distance kind, struct strbuf *out)
{
    char names[LAB_MAX_RANGES][REUSE_NAME_BYTES];
    const char *titles[LAB_MAX_RANGES + 3];
    struct table t = begin_table(g, "PC", titles, names);
    table_cell(&t, "all");
    add_row(&t, &r->all, g, kind);
    for (uint32_t i = 0; i < r->n_pcs; i++) {
        table_cell(&t, "%u", r->pcs[i].pc);
        add_row(&t, &r->pcs[i], g, kind);
    }
    strbuf_addf(out, "\nReuse distances%s, %s:\n", g->is_critical_only ? " of critical warps" : "",
                distance_meanings[kind]);
    table_print(&t, out);
    table_destroy(&t);
}

static void print_one(const struct reuse_of_files *f, struct strbuf *out)
{
    const struct lab_reuse *r = &f->of[0];
    text_quantity(out, r->n_loads, "load");
    strbuf_add(out, ", ");
    text_quantity(out, r->n_stores, "store");
    strbuf_add(out, ", ");
    text_quantity(out, r->n_atomics, "atomic");
    strbuf_add_char(out, '\n');
    if (f->n_insts)
        strbuf_addf(out, "memory access ratio %.3f %%: %s (S2)\n",
                    100 * access_ratio(r, f->n_insts), s2_class(access_ratio(r, f->n_insts)));
    print_unbounded(r, out);
    for (enum lab_distance kind = 0; kind < N_LAB_DISTANCES; kind++)
        print_distances(r, &f->ranges, kind, out);
}

static void print_several(const struct reuse_of_files *f, struct strbuf *out)
{
    for (enum lab_distance kind = 0; kind < N_LAB_DISTANCES; kind++) {
        char names[LAB_MAX_RANGES][REUSE_NAME_BYTES];
        const char *titles[LAB_MAX_RANGES + 3];
        struct table t = begin_table(&f->ranges, "file", titles, names);
        for (uint32_t i = 0; i < f->n; i++) {
            table_cell(&t, "%s", f->paths[i]);
            add_row(&t, &f->of[i].all, &f->ranges, kind);
        }
        strbuf_addf(out, "%sReuse distances, %s:\n", kind ? "\n" : "", distance_meanings[kind]);
        table_print(&t, out);
        table_destroy(&t);
    }
}

/* --- measuring --- */

static enum heddle_status choose_distance(const struct cache_options *o, struct reuse_of_files *f)
{
    f->drawn = LAB_S3;
    for (enum lab_distance kind = 0; o->distance && kind < N_LAB_DISTANCES; kind++)
        if (strcmp(o->distance, distance_names[kind]) == 0) {
            f->drawn = kind;
            return HEDDLE_OK;
        }
    return o->distance ? output_unknown("distance", o->distance, distance_names, N_LAB_DISTANCES,
                                        "`heddle help cache` explains them")
                       : HEDDLE_OK;
}

/* The whole stream; a recording is read in parts. */
static enum heddle_status measure_all(struct lab_stream *s, struct lab_reuse_run *r,
                                      const char *path)
{
    struct strbuf why = {0};
    bool ok = true;
    lab_reuse_take(r, s->items, s->n);
    while (s->reader && ok) {
        s->n = 0;
        ok = lab_stream_more(s, &why);
        lab_reuse_take(r, s->items, s->n);
    }
    if (!ok)
        output_error("%s: %s", path, strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status measure(const struct cache_options *o, struct reuse_of_files *f,
                                  const char *path)
{
    struct lab_stream s = {0};
    struct lab_config config;
    enum heddle_status status = cache_lab_read(o, path, true, &s);
    lab_stream_skip_insts(&s);
    if (status == HEDDLE_OK && o->critical && !s.has_criticality) {
        output_error(
            "%s does not contain which warps were critical: record it with --record-criticality",
            path);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = cache_lab_shape(o, &s, &config);
    if (status == HEDDLE_OK) {
        struct lab_reuse_run *r = lab_reuse_begin(s.n_sms, &config, &f->ranges);
        status = measure_all(&s, r, path);
        lab_reuse_end(r, &f->of[f->n++]);
        cache_lab_warn_of_nothing(path, &s);
    }
    lab_stream_destroy(&s);
    return status;
}

enum heddle_status cache_lab_reuse(const struct cache_options *o, const char *const *paths,
                                   uint32_t n, struct strbuf *out)
{
    struct reuse_of_files f = {
        .paths = paths, .of = xcalloc(n, sizeof *f.of), .n_insts = o->n_thread_insts.value};
    enum heddle_status status = parse_ranges(o->ranges, &f.ranges);
    f.ranges.is_critical_only = o->critical;
    if (status == HEDDLE_OK)
        status = choose_distance(o, &f);
    for (uint32_t i = 0; i < n && status == HEDDLE_OK; i++)
        status = measure(o, &f, paths[i]);
    if (status == HEDDLE_OK && o->svg)
        status = reuse_draw(&f, o->svg);
    if (status == HEDDLE_OK)
        (o->json ? print_json : n > 1 ? print_several : print_one)(&f, out);
    for (uint32_t i = 0; i < f.n; i++)
        lab_reuse_destroy(&f.of[i]);
    free(f.of);
    return status;
}
