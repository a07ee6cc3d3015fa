#include "cli/compare_why.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/table.h"
#include "sm/attribution.h"

static const char *const names[WHY_SIDES] = {"A", "B"};

static double stat(const struct why *w, int side, const char *name)
{
    const struct result_stat *s = result_find(&w->sides[side].set.items[0], name);
    return s ? s->value : 0;
}

/* --- whole runs --- */

enum fact_kind {
    AMOUNT,
    SHARE,   /* a fraction, printed in percent */
    IF_ANY,  /* an amount, omitted if both have none */
    STALLED, /* a part of the cycles L1D was stalled, shown if the runs differ in it */
};
static const struct fact {
    const char *title, *stat;
    enum fact_kind kind;
} facts[] = {
    {"cycles", "cycles", AMOUNT},
    {"loads at L1D", "l1d.loads", AMOUNT},
    {"  hit rate", "l1d.hit_rate", SHARE},
    {"  hits on lines of the thread", "locality.intra_thread", AMOUNT},
    {"    of the warp's other threads", "locality.inter_thread", AMOUNT},
    {"    of other warps", "locality.inter_warp", AMOUNT},
    {"  misses", "l1d.misses", AMOUNT},
    {"  bypasses", "l1d.bypasses", IF_ANY},
    {"  evictions", "l1d.evictions", AMOUNT},
    {"cycles L1D was stalled", "l1d.reservation_fails", AMOUNT},
    {"  for an MSHR", "l1d.reservation_fails.mshr", STALLED},
    {"  for room in its line's MSHR", "l1d.reservation_fails.merge", STALLED},
    {"  for a line not reserved", "l1d.reservation_fails.line", STALLED},
    {"  for the miss queue", "l1d.reservation_fails.miss_queue", STALLED},
    {"  for the network", "l1d.reservation_fails.port", STALLED},
    {"  for a bypass slot", "l1d.reservation_fails.bypass_table", STALLED},
    {"accesses to L2", "l2.accesses", AMOUNT},
    {"DRAM bytes", "dram.bytes", AMOUNT},
};

/* A cause of stalls is of interest if the runs differ in it by a hundredth of the stalls of the one
 * with more. */
static bool is_of_interest(const struct why *w, const struct fact *f)
{
    double a = stat(w, 0, f->stat), b = stat(w, 1, f->stat);
    if (f->kind == IF_ANY)
        return a > 0 || b > 0;
    if (f->kind != STALLED)
        return true;
    double all_a = stat(w, 0, "l1d.reservation_fails"), all_b = stat(w, 1, "l1d.reservation_fails");
    return 100 * fabs(a - b) >= (all_a > all_b ? all_a : all_b) && a != b;
}

static void add_numbers(struct table *t, double a, double b)
{
    table_count(t, (uint64_t)a);
    table_count(t, (uint64_t)b);
    if (a > 0)
        table_cell(t, "%.3f", b / a);
    else
        table_cell(t, "-");
}

static void add_shares(struct table *t, double a, double b)
{
    table_cell(t, "%.1f %%", 100 * a);
    table_cell(t, "%.1f %%", 100 * b);
    table_cell(t, "%+.1f", 100 * (b - a));
}

/* Unknown for a scheduler without victim tags. */
static void add_vta_hits(struct table *t, uint64_t n)
{
    if (n)
        table_count(t, n);
    else
        table_cell(t, "-");
}

static double share_of(const struct why *w, int side, const char *latency)
{
    char name[64];
    double all = stat(w, side, "sm.warp_cycles");
    snprintf(name, sizeof name, "attribution.%s", latency);
    return all > 0 ? stat(w, side, name) / all : 0;
}

static void print_whole(const struct why *w, struct strbuf *out)
{
    static const char *const titles[] = {"", "A", "B", "B/A or B-A"};
    struct table t = {.titles = titles, .n_columns = 4, .right = "lrrr"};
    for (uint32_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (!is_of_interest(w, &facts[i]))
            continue;
        table_cell(&t, "%s", facts[i].title);
        double a = stat(w, 0, facts[i].stat), b = stat(w, 1, facts[i].stat);
        (facts[i].kind == SHARE ? add_shares : add_numbers)(&t, a, b);
    }
    const struct why_step *a = &w->sides[0].whole, *b = &w->sides[1].whole;
    table_cell(&t, "VTA hits (ccws counts them)");
    add_vta_hits(&t, a->vta_hits);
    add_vta_hits(&t, b->vta_hits);
    table_cell(&t, "-");
    table_cell(&t, "resident warps that may load");
    add_shares(&t, a->resident_warps > 0 ? a->warps_may_load / a->resident_warps : 0,
               b->resident_warps > 0 ? b->warps_may_load / b->resident_warps : 0);
    table_cell(&t, "cycles of a warp");
    add_numbers(&t, stat(w, 0, "sm.warp_cycles") / stat(w, 0, "warps"),
                stat(w, 1, "sm.warp_cycles") / stat(w, 1, "warps"));
#define LATENCY(id, name, title, help)                                                             \
    table_cell(&t, "  " title);                                                                    \
    add_shares(&t, share_of(w, 0, name), share_of(w, 1, name));
    LATENCIES(LATENCY)
#undef LATENCY
    table_print(&t, out);
    table_destroy(&t);
}

/* --- over time --- */

static void print_time(const struct why *w, struct strbuf *out)
{
    static const char *const titles[WHY_STEPS + 1] = {
        "by eighths of each run", "1", "2", "3", "4", "5", "6", "7", "8"};
    struct table t = {.titles = titles, .n_columns = WHY_STEPS + 1, .right = "lrrrrrrrr"};
    for (int k = 0; k < WHY_SIDES; k++) {
        table_cell(&t, "%s: L1D hit rate, %%", names[k]);
        for (int i = 0; i < WHY_STEPS; i++)
            table_cell(&t, "%.1f", 100 * w->sides[k].steps[i].hit_rate);
    }
    for (int k = 0; k < WHY_SIDES; k++) {
        table_cell(&t, "%s: warps that may load", names[k]);
        for (int i = 0; i < WHY_STEPS; i++)
            table_cell(&t, "%.0f", w->sides[k].steps[i].warps_may_load);
        table_cell(&t, "   of resident ones");
        for (int i = 0; i < WHY_STEPS; i++)
            table_cell(&t, "%.0f", w->sides[k].steps[i].resident_warps);
    }
    table_print(&t, out);
    table_destroy(&t);
}

void why_print(const struct why *w, const char *const *runs, struct strbuf *out)
{
    double a = stat(w, 0, "cycles"), b = stat(w, 1, "cycles");
    for (int i = 0; i < WHY_SIDES; i++)
        strbuf_addf(out, "%s: %s\n", names[i], runs[i]);
    strbuf_addf(out, "B is %.3f times as fast as A.\n", b > 0 ? a / b : 0);
    print_whole(w, out);
    print_time(w, out);
}

/* --- JSON --- */

static void json_step(struct json_writer *j, const char *key, const struct why_step *s)
{
    json_begin_object(j, key);
    json_double(j, "l1d_hit_rate", s->hit_rate);
    json_double(j, "resident_warps", s->resident_warps);
    json_double(j, "warps_may_load", s->warps_may_load);
    json_uint(j, "vta_hits", s->vta_hits);
    json_end_object(j);
}

void why_json(const struct why *w, const char *const *runs, struct strbuf *out)
{
    struct json_writer j = {.out = out};
    json_begin_object(&j, NULL);
    for (int k = 0; k < WHY_SIDES; k++) {
        json_begin_object(&j, k ? "b" : "a");
        json_string(&j, "run", runs[k]);
        for (uint32_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
            json_double(&j, facts[i].stat, stat(w, k, facts[i].stat));
        json_begin_object(&j, "share_of_warp_cycles");
#define LATENCY(id, name, title, help) json_double(&j, name, share_of(w, k, name));
        LATENCIES(LATENCY)
#undef LATENCY
        json_end_object(&j);
        json_step(&j, "whole", &w->sides[k].whole);
        json_begin_array(&j, "steps");
        for (int i = 0; i < WHY_STEPS; i++)
            json_step(&j, NULL, &w->sides[k].steps[i]);
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_object(&j);
}
