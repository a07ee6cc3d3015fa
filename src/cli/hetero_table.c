/* heddle hetero table: the slowdown of a native program beside bubbles of graded pressure, and its
 * own pressure on memory, on the testbed. */
#include "cli/hetero_table.h"

#include "base/json.h"
#include "cli/hetero_experiment.h"
#include "cli/output.h"
#include "cli/table.h"

enum { N_STEPS = BUBBLE_STEPS + 1 };
static const char *const kinds[TABLE_N_KINDS] = {"cache", "bandwidth"};

static uint32_t add(struct testbed_runs *runs, const struct hetero_options *o, const char *natives)
{
    return testbed_add(
        runs, o,
        &(struct testbed_point){.on = "gpu", .launch = TESTBED_NO_LAUNCH, .natives = natives});
}

void table_add(struct table_runs *t, struct testbed_runs *runs, const struct hetero_options *o,
               const char *native)
{
    t->alone = add(runs, o, native);
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
        for (uint32_t i = 0; i < N_STEPS; i++)
            t->beside[k][i] =
                add(runs, o, arena_printf(&runs->arena, "%s,%s_bubble_%u", native, kinds[k], i));
}

bool table_is_there(const struct table_runs *t, const struct testbed_runs *runs)
{
    bool all = testbed_has(runs, t->alone);
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
        for (uint32_t i = 0; i < N_STEPS; i++)
            all &= testbed_has(runs, t->beside[k][i]);
    return all;
}

struct bubble_table table_slowdowns(const struct table_runs *t, const struct testbed_runs *runs)
{
    struct bubble_table table;
    double alone = testbed_native_seconds(runs, t->alone, 0);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        table.cache[i] = testbed_native_seconds(runs, t->beside[TABLE_CACHE][i], 0) / alone;
        table.bandwidth[i] = testbed_native_seconds(runs, t->beside[TABLE_BANDWIDTH][i], 0) / alone;
    }
    return table;
}

/* DRAM bytes are counted up to the end of the simulation, which is the end of its first run. */
struct native_alone table_alone(const struct table_runs *t, const struct testbed_runs *runs)
{
    double seconds = testbed_native_seconds(runs, t->alone, 0);
    double misses = testbed_stat(runs, t->alone, "cpu0.llc_misses");
    double occupied = testbed_stat(runs, t->alone, "llc.cpu0.occupancy");
    double bytes = testbed_stat(runs, t->alone, "host_dram.bytes");
    return (struct native_alone){
        .seconds = seconds,
        .mpki = 1000 * misses / testbed_stat(runs, t->alone, "cpu0.insts"),
        .misses_per_second = misses / seconds,
        .pressure = {.llc_bytes = occupied * runs->llc_bytes, .dram_gbps = 1e-9 * bytes / seconds}};
}

/* --- the command --- */

struct measured {
    const char *native;
    struct table_runs table;
    struct testbed_runs runs;
};

/* A native program of the experiment is measured as in the experiment. */
static enum heddle_status measure(struct measured *m, const struct hetero_options *o)
{
    struct hetero_options here = *o;
    uint32_t known = experiment_find_native(m->native);
    const char *word = m->native;
    if (known < N_EXPERIMENT_NATIVES) {
        here = experiment_options(o, &m->runs.arena);
        word = experiment_natives[known].word;
    }
    table_add(&m->table, &m->runs, &here, word);
    return testbed_go(&m->runs, &here);
}

static void write_pressure(struct json_writer *w, const char *key, double llc_bytes, double gbps)
{
    json_begin_object(w, key);
    json_double(w, "llc_bytes", llc_bytes);
    json_double(w, "dram_gbps", gbps);
    json_end_object(w);
}

/* As in the `natives` of `heddle hetero choose`. */
static void write_native(const struct measured *m, const struct native_alone *p,
                         struct json_writer *w)
{
    struct bubble_table slowdowns = table_slowdowns(&m->table, &m->runs);
    const double *steps[TABLE_N_KINDS] = {slowdowns.cache, slowdowns.bandwidth};
    json_begin_object(w, NULL);
    json_string(w, "name", m->native);
    json_double(w, "llc_misses", p->misses_per_second);
    write_pressure(w, "pressure", p->pressure.llc_bytes, p->pressure.dram_gbps);
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++) {
        json_begin_array(w, kinds[k]);
        for (uint32_t i = 0; i < N_STEPS; i++)
            json_double(w, NULL, steps[k][i]);
        json_end_array(w);
    }
    json_end_object(w);
}

/* What does not matter for a choice. */
static void write_measured(const struct measured *m, const struct native_alone *p,
                           struct json_writer *w)
{
    json_begin_object(w, "measured");
    json_double(w, "seconds", p->seconds);
    json_double(w, "llc_mpki", p->mpki);
    json_string(w, "alone_id", testbed_id(&m->runs, m->table.alone));
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++) {
        json_begin_array(w, k ? "bandwidth_ids" : "cache_ids");
        for (uint32_t i = 0; i < N_STEPS; i++)
            json_string(w, NULL, testbed_id(&m->runs, m->table.beside[k][i]));
        json_end_array(w);
    }
    json_end_object(w);
}

/* The input of --hetero-natives and, with a kernel's times, of `heddle hetero choose`. */
static void print_json(const struct measured *m, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    struct native_alone p = table_alone(&m->table, &m->runs);
    json_begin_object(&w, NULL);
    write_pressure(&w, "machine", m->runs.llc_bytes, m->runs.dram_gbps);
    json_begin_array(&w, "natives");
    write_native(m, &p, &w);
    json_end_array(&w);
    write_measured(m, &p, &w);
    json_end_object(&w);
}

static void print_text(const struct measured *m, struct strbuf *out)
{
    struct table t = {.n_columns = 3, .right = "rrr"};
    struct native_alone p = table_alone(&m->table, &m->runs);
    struct bubble_table slowdowns = table_slowdowns(&m->table, &m->runs);
    const double *steps[TABLE_N_KINDS] = {slowdowns.cache, slowdowns.bandwidth};
    strbuf_addf(out,
                "%s alone: %.3f ms, %.2f LLC misses per 1,000 instructions, %.2f GB/s of DRAM, "
                "%.2f MB of the LLC\n",
                m->native, 1e3 * p.seconds, p.mpki, p.pressure.dram_gbps,
                p.pressure.llc_bytes / (1 << 20));
    table_cell(&t, "  bubble");
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
        table_cell(&t, "%s", kinds[k]);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        table_cell(&t, "  %u/8", i);
        for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
            table_cell(&t, "%.3f", steps[k][i]);
    }
    table_print(&t, out);
    table_destroy(&t);
}

enum heddle_status hetero_cmd_table(const struct hetero_options *o, const char *native,
                                    struct strbuf *out)
{
    struct measured m = {.native = native};
    enum heddle_status status = measure(&m, o);
    if (status == HEDDLE_OK && o->json)
        print_json(&m, out);
    else if (status == HEDDLE_OK)
        print_text(&m, out);
    testbed_destroy(&m.runs);
    return status;
}
