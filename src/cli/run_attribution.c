#include "cli/run_attribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/table.h"
#include "gpu/sim.h"
#include "sm/attribution.h"
#include "lab/demangle.h"

static const char *const stat_names[] = {
#define LATENCY(id, name, title, help) name,
    LATENCIES(LATENCY)
#undef LATENCY
};

/* --- records as they arrive --- */

static uint64_t lifetime(const struct heddle_attributed *r)
{
    return r->end_cycle - r->start_cycle;
}

static void keep_slowest(struct slowest *s, const struct heddle_attributed *r)
{
    s->n++;
    s->sum_cycles += lifetime(r);
    uint32_t at = s->n_kept;
    while (at > 0 && lifetime(&s->kept[at - 1]) < lifetime(r))
        at--;
    if (at == N_SLOWEST)
        return;
    uint32_t last = s->n_kept < N_SLOWEST ? s->n_kept++ : N_SLOWEST - 1;
    memmove(&s->kept[at + 1], &s->kept[at], (last - at) * sizeof s->kept[0]);
    memmove(&s->kernels[at + 1], &s->kernels[at], (last - at) * sizeof s->kernels[0]);
    s->kept[at] = *r;
    snprintf(s->kernels[at], sizeof s->kernels[at], "%s", r->kernel);
}

static void write_record(struct output_stream *file, const struct heddle_attributed *r)
{
    struct strbuf line = {0};
    strbuf_addf(&line, "%s,%u,%s,%" PRIu64 ",",
                r->is_cta    ? "cta"
                : r->is_live ? "live"
                             : "warp",
                r->launch, r->kernel, r->cta);
    if (!r->is_cta)
        strbuf_addf(&line, "%u", r->warp);
    strbuf_addf(&line, ",%u,%u,%u,%" PRIu64 ",%" PRIu64, r->n_warps, r->sm, r->slot, r->start_cycle,
                r->end_cycle);
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++)
        strbuf_addf(&line, ",%" PRIu64, r->cycles[i]);
    if (r->is_cta)
        strbuf_addf(&line, ",%u,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 "\n", r->slowest_warp,
                    r->slowest_cycles, r->fastest_warp, r->fastest_cycles, r->idle_cycles);
    else
        strbuf_add(&line, ",,,,,\n");
    output_add(file, line.text, line.len);
    strbuf_destroy(&line);
}

void run_attribution_titles(struct output_stream *file)
{
    struct strbuf line = {0};
    strbuf_add(&line, "record,launch,kernel,cta,warp,n_warps,sm,slot,start_cycle,end_cycle");
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++)
        strbuf_addf(&line, ",%s", stat_names[i]);
    strbuf_add(&line, ",slowest_warp,slowest_cycles,fastest_warp,fastest_cycles,idle_cycles\n");
    output_add(file, line.text, line.len);
    strbuf_destroy(&line);
}

void run_attribution_origin(const struct run_attribution *a)
{
    enum { N_OTHER_COLUMNS = 7 + HEDDLE_N_LATENCIES + 5 }; /* empty, after the kernel's */
    struct strbuf line = {0};
    if (!a->origin.len)
        return;
    strbuf_addf(&line, "run,,%s", strbuf_text(&a->origin));
    for (int i = 0; i < N_OTHER_COLUMNS; i++)
        strbuf_add_char(&line, ',');
    strbuf_add_char(&line, '\n');
    output_add(a->file, line.text, line.len);
    strbuf_destroy(&line);
}

void run_attribution_add(void *user, const struct heddle_attributed *record)
{
    struct run_attribution *a = user;
    keep_slowest(record->is_cta ? &a->ctas : &a->warps, record);
    if (a->file)
        write_record(a->file, record);
}

/* --- one screen --- */

/* Counters of the whole run, or of one kernel. */
struct counters {
    const struct heddle_sim *sim;
    int kernel; /* -1 = all */
};

static struct heddle_stat find(struct counters c, const char *name)
{
    for (uint32_t i = 0; i < heddle_stat_count(c.sim); i++) {
        struct heddle_stat s = c.kernel < 0 ? heddle_stat_at(c.sim, i)
                                            : heddle_launched_stat_at(c.sim, (uint32_t)c.kernel, i);
        if (strcmp(s.name, name) == 0)
            return s;
    }
    return (struct heddle_stat){0};
}

static uint64_t count(struct counters c, const char *name)
{
    return find(c, name).count;
}

static double real(struct counters c, const char *name)
{
    return find(c, name).real;
}

/* Those that ended, and those still alive when the run was stopped. */
static uint64_t n_warps(struct counters c)
{
    return count(c, "warps") + count(c, "attribution.live_warps");
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

/* Shorter if there are more columns beside it. */
static void add_bar(struct table *t, double share, uint32_t n_columns)
{
    static const char full[] = "##############################";
    int longest = n_columns <= 2 ? 30 : n_columns == 3 ? 20 : 10;
    int n = (int)(share * longest / 100 + 0.5);
    table_cell(t, "%.*s", n ? n : share >= 1, full);
}

/* A longer name would make the tables wider than a screen: a number replaces it, and print_names()
 * lists them. */
enum { LONGEST_NAME = 13 };
struct label {
    char text[LONGEST_NAME + 1];
};

static struct label label_of(const struct heddle_sim *sim, const char *name)
{
    struct label l;
    uint32_t k = 0;
    while (k < heddle_launched_count(sim) &&
           strncmp(heddle_launched_name(sim, k), name, KERNEL_NAME_BYTES - 1) != 0)
        k++;
    struct arena arena = {0};
    const char *shown = demangle_kernel(
        &arena, k < heddle_launched_count(sim) ? heddle_launched_name(sim, k) : name);
    if (strlen(shown) <= LONGEST_NAME)
        snprintf(l.text, sizeof l.text, "%s", shown);
    else
        snprintf(l.text, sizeof l.text, "(%u)", (k + 1) % 1000);
    arena_destroy(&arena);
    return l;
}

static void print_names(const struct heddle_sim *sim, struct strbuf *out)
{
    struct arena arena = {0};
    for (uint32_t k = 0; k < heddle_launched_count(sim); k++) {
        const char *shown = demangle_kernel(&arena, heddle_launched_name(sim, k));
        if (strlen(shown) > LONGEST_NAME)
            strbuf_addf(out, "  (%u) %s\n", k + 1, shown);
    }
    arena_destroy(&arena);
}

/* The kernels with the most warp cycles, at most this many, largest first. */
enum { MAX_KERNELS = 4 };
static uint32_t largest_kernels(const struct heddle_sim *sim, struct counters *out)
{
    uint32_t n = 0;
    for (int k = 0; k < (int)heddle_launched_count(sim); k++) {
        struct counters c = {sim, k};
        uint64_t cycles = count(c, "sm.warp_cycles");
        uint32_t at = n;
        while (at > 0 && count(out[at - 1], "sm.warp_cycles") < cycles)
            at--;
        if (at == MAX_KERNELS)
            continue;
        n += n < MAX_KERNELS;
        memmove(&out[at + 1], &out[at], (n - 1 - at) * sizeof *out);
        out[at] = c;
    }
    return n;
}

/* The sum of all categories: the cycles of the warps, and those that count twice. */
static uint64_t attributed_cycles(struct counters c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "attribution.%s", stat_names[i]);
        sum += count(c, name);
    }
    return sum;
}

static void add_share_row(struct table *t, const char *title, const char *stat,
                          const struct counters *columns, uint32_t n)
{
    table_cell(t, "  %s", title);
    for (uint32_t i = 0; i < n; i++) {
        double share = percent(count(columns[i], stat), attributed_cycles(columns[i]));
        table_cell(t, "%.1f %%", share);
        if (i == 0)
            add_bar(t, share, n);
    }
}

/* If only one unit has hazards, the row's title says which. */
static void add_unit_rows(struct table *t, const struct counters *columns, uint32_t n)
{
    static const char *const stats[N_UNITS] = {
        [UNIT_SP] = "attribution.structural_hazard.sp",
        [UNIT_INT] = "attribution.structural_hazard.int",
        [UNIT_FP64] = "attribution.structural_hazard.fp64",
        [UNIT_SFU] = "attribution.structural_hazard.sfu",
        [UNIT_LDST] = "attribution.structural_hazard.ldst",
    };
    for (uint32_t i = 0; i < N_UNITS; i++) {
        char title[32];
        snprintf(title, sizeof title, "  %s", latency_unit_titles[i]);
        if (count(columns[0], stats[i]))
            add_share_row(t, title, stats[i], columns, n);
    }
}

static void print_shares(const struct heddle_sim *sim, struct strbuf *out)
{
    struct counters columns[MAX_KERNELS + 2] = {{sim, -1}};
    uint32_t n = 1 + largest_kernels(sim, columns + 1);
    const char *titles[MAX_KERNELS + 3] = {"  share of cycles", "all", ""};
    struct label names[MAX_KERNELS + 1];
    for (uint32_t i = 1; i < n; i++) {
        names[i] = label_of(sim, heddle_launched_name(sim, (uint32_t)columns[i].kernel));
        titles[i + 2] = names[i].text;
    }
    struct table t = {.titles = titles, .n_columns = n + 2, .right = "lrlrrrr"};
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "attribution.%s", stat_names[i]);
        add_share_row(&t, heddle_latency_name(i), name, columns, n);
        if (i == LATENCY_STRUCTURAL_HAZARD)
            add_unit_rows(&t, columns, n);
    }
    table_cell(&t, "  cycles of a warp");
    for (uint32_t i = 0; i < n; i++) {
        uint64_t warps = n_warps(columns[i]);
        table_count(&t, warps ? count(columns[i], "sm.warp_cycles") / warps : 0);
        if (i == 0)
            table_cell(&t, "on average");
    }
    table_print(&t, out);
    table_destroy(&t);
}

/* What stalled the load/store units, the cause of many hazards. */
static void print_stalls(const struct heddle_sim *sim, struct strbuf *out)
{
    static const char *const causes[][2] = {
        {"MSHRs", "l1d.reservation_fails.mshr"},
        {"entries of an MSHR", "l1d.reservation_fails.merge"},
        {"unreserved lines", "l1d.reservation_fails.line"},
        {"the miss queue", "l1d.reservation_fails.miss_queue"},
        {"the network", "l1d.reservation_fails.port"},
        {"bypass slots", "l1d.reservation_fails.bypass_table"},
    };
    struct counters all = {sim, -1};
    uint64_t stalled = count(all, "l1d.reservation_fails");
    if (!stalled)
        return;
    strbuf_addf(out,
                "Load/store units were stalled for %.1f %% of the cycles of busy SMs, for lack of",
                percent(stalled, count(all, "sm.active_cycles")));
    const char *before = "\n  ";
    for (uint32_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        double share = percent(count(all, causes[i][1]), stalled);
        if (share < 0.05)
            continue;
        strbuf_addf(out, "%s%s (%.1f %%)", before, causes[i][0], share);
        before = ", ";
    }
    strbuf_add(out, "\n");
}

/* The category with the most cycles, except for one. */
static uint32_t largest_latency(const struct heddle_attributed *r, int without)
{
    uint32_t best = without == 0;
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++)
        if ((int)i != without && r->cycles[i] > r->cycles[best])
            best = i;
    return best;
}

/* The two categories in which the slowest warps of CTAs exceed the fastest most. */
static void print_excess(struct counters all, struct strbuf *out)
{
    struct heddle_attributed more = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++) {
        char slowest[64], fastest[64];
        snprintf(slowest, sizeof slowest, "attribution.cta.slowest.%s", stat_names[i]);
        snprintf(fastest, sizeof fastest, "attribution.cta.fastest.%s", stat_names[i]);
        uint64_t s = count(all, slowest), f = count(all, fastest);
        more.cycles[i] = s > f ? s - f : 0;
        sum += more.cycles[i];
    }
    uint32_t first = largest_latency(&more, -1), second = largest_latency(&more, (int)first);
    if (sum)
        strbuf_addf(out, "\n  they have more %s (%.0f %%), %s (%.0f %%)",
                    heddle_latency_name(first), percent(more.cycles[first], sum),
                    heddle_latency_name(second), percent(more.cycles[second], sum));
}

static void print_pace(struct counters all, struct strbuf *out)
{
    uint64_t slowest = count(all, "attribution.cta.slowest_cycles"),
             fastest = count(all, "attribution.cta.fastest_cycles");
    if (!count(all, "attribution.cta.ctas"))
        return;
    strbuf_addf(out, "Slowest warps of CTAs live %.1f %% longer than the fastest",
                percent(slowest - fastest, fastest));
    strbuf_addf(out, ",\n  and %.1f %% of the warp slots are empty in the meantime",
                100 * real(all, "attribution.cta.idle"));
    print_excess(all, out);
    strbuf_add(out, "\n");
}

/* Only if there is a provider. */
static void print_criticality(struct counters all, struct strbuf *out)
{
    const char *provider = all.sim->machine->config->criticality->name;
    uint64_t samples = count(all, "attribution.criticality.samples");
    if (!samples)
        return;
    strbuf_addf(out,
                "Criticality (%s): slowest warps of CTAs are in the slower half in %.1f %% of ",
                provider, 100 * real(all, "attribution.criticality.accuracy"));
    text_count(out, samples);
    strbuf_addf(out, " samples,\n  in %.1f %% of those in which other warps are alive",
                100 * real(all, "attribution.criticality.accuracy_among_others"));
    if (!strcmp(provider, "oracle"))
        strbuf_addf(out,
                    ";\n  %.1f %% of CTAs have another slowest warp than recorded, %.1f %% one "
                    "that was fast",
                    100 * real(all, "attribution.criticality.inversion"),
                    100 * real(all, "attribution.criticality.inversion_by_fast"));
    strbuf_add(out, "\n");
}

static void add_slowest(struct table *t, const struct heddle_sim *sim, const struct slowest *s,
                        uint32_t i)
{
    const struct heddle_attributed *r = &s->kept[i];
    uint64_t sum = 0;
    for (uint32_t k = 0; k < HEDDLE_N_LATENCIES; k++)
        sum += r->cycles[k];
    if (r->is_cta)
        table_cell(t, "  CTA %" PRIu64, r->cta);
    else
        table_cell(t, "  warp %u of CTA %" PRIu64 "%s", r->warp, r->cta,
                   r->is_live ? " (lives)" : "");
    table_cell(t, "%s", label_of(sim, s->kernels[i]).text);
    table_cell(t, "%u", r->launch);
    table_cell(t, "%u", r->sm);
    table_count(t, lifetime(r));
    table_cell(t, "%.2f", (double)lifetime(r) * (double)s->n / (double)s->sum_cycles);
    uint32_t first = largest_latency(r, -1), second = largest_latency(r, (int)first);
    table_cell(t, "%s %.0f, %s %.0f", heddle_latency_name(first), percent(r->cycles[first], sum),
               heddle_latency_name(second), percent(r->cycles[second], sum));
}

static void print_slowest(const struct run_attribution *a, const struct heddle_sim *sim,
                          struct strbuf *out)
{
    static const char *const titles[] = {"  slowest", "kernel", "launch",      "SM",
                                         "cycles",    "x mean", "mostly, in %"};
    struct table t = {.titles = titles, .n_columns = 7, .right = "llrrrrl"};
    for (uint32_t i = 0; i < a->ctas.n_kept; i++)
        add_slowest(&t, sim, &a->ctas, i);
    for (uint32_t i = 0; i < a->warps.n_kept; i++)
        add_slowest(&t, sim, &a->warps, i);
    table_print(&t, out);
    table_destroy(&t);
}

void run_attribution_print(const struct run_attribution *a, const struct heddle_sim *sim,
                           struct strbuf *out)
{
    struct counters all = {sim, -1};
    uint64_t live = count(all, "attribution.live_warps");
    strbuf_add(out, "Where the cycles of ");
    text_count(out, n_warps(all));
    strbuf_addf(out, " warp%s went, in ", n_warps(all) == 1 ? "" : "s");
    text_count(out, count(all, "cycles"));
    strbuf_add(out, " cycles (doc/attribution.md):\n");
    if (live) {
        strbuf_add(out, "  (");
        text_count(out, live);
        strbuf_add(out, " of them were still alive when it was stopped)\n");
    }
    print_shares(sim, out);
    print_stalls(sim, out);
    print_pace(all, out);
    print_criticality(all, out);
    print_slowest(a, sim, out);
    print_names(sim, out);
}

/* --- JSON --- */

static void json_pace(const struct heddle_attributed *cta, struct json_writer *j)
{
    json_uint(j, "slowest_warp", cta->slowest_warp);
    json_uint(j, "slowest_cycles", cta->slowest_cycles);
    json_uint(j, "fastest_warp", cta->fastest_warp);
    json_uint(j, "fastest_cycles", cta->fastest_cycles);
    json_uint(j, "idle_cycles", cta->idle_cycles);
}

static void json_slowest(const struct slowest *s, const char *key, struct json_writer *j)
{
    json_begin_array(j, key);
    for (uint32_t i = 0; i < s->n_kept; i++) {
        const struct heddle_attributed *r = &s->kept[i];
        json_begin_object(j, NULL);
        json_string(j, "kernel", s->kernels[i]);
        json_uint(j, "launch", r->launch);
        json_uint(j, "cta", r->cta);
        if (!r->is_cta)
            json_uint(j, "warp", r->warp);
        json_uint(j, "n_warps", r->n_warps);
        json_uint(j, "sm", r->sm);
        json_uint(j, "slot", r->slot);
        json_uint(j, "start_cycle", r->start_cycle);
        json_uint(j, "end_cycle", r->end_cycle);
        if (r->is_live)
            json_bool(j, "is_live", true);
        for (uint32_t k = 0; k < HEDDLE_N_LATENCIES; k++)
            json_uint(j, stat_names[k], r->cycles[k]);
        if (r->is_cta)
            json_pace(r, j);
        json_end_object(j);
    }
    json_end_array(j);
}

void run_attribution_json(const struct run_attribution *a, struct json_writer *j)
{
    json_begin_object(j, "attribution");
    json_uint(j, "warps", a->warps.n);
    json_uint(j, "ctas", a->ctas.n);
    json_double(j, "mean_warp_cycles",
                a->warps.n ? (double)a->warps.sum_cycles / (double)a->warps.n : 0);
    json_double(j, "mean_cta_cycles",
                a->ctas.n ? (double)a->ctas.sum_cycles / (double)a->ctas.n : 0);
    json_slowest(&a->ctas, "slowest_ctas", j);
    json_slowest(&a->warps, "slowest_warps", j);
    json_end_object(j);
}
