/* heddle hetero table: what a native program suffers beside bubbles of graded pressure, and how it
 * presses on memory itself, on the testbed. */
#include "base/json.h"
#include "cli/hetero_testbed.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cpu/bubble.h"

enum { N_STEPS = BUBBLE_STEPS + 1, N_KINDS = 2 };
static const char *const kinds[N_KINDS] = {"cache", "bandwidth"};

struct measured {
    const char *native;
    uint32_t alone, beside[N_KINDS][N_STEPS];
    struct testbed_runs runs;
};

static uint32_t add(struct measured *m, const struct hetero_options *o, const char *natives)
{
    return testbed_add(&m->runs, o,
                       &(struct testbed_point){NULL, NULL, "gpu", TESTBED_NO_LAUNCH, natives});
}

static enum heddle_status measure(struct measured *m, const struct hetero_options *o)
{
    m->alone = add(m, o, m->native);
    for (uint32_t k = 0; k < N_KINDS; k++)
        for (uint32_t i = 0; i < N_STEPS; i++)
            m->beside[k][i] =
                add(m, o, arena_printf(&m->runs.arena, "%s,%s_bubble_%u", m->native, kinds[k], i));
    return testbed_go(&m->runs, o);
}

static double slowdown(const struct measured *m, uint32_t kind, uint32_t step)
{
    return testbed_native_seconds(&m->runs, m->beside[kind][step], 0) /
           testbed_native_seconds(&m->runs, m->alone, 0);
}

/* Of the native alone: */
struct pressure {
    double seconds, mpki, misses_per_second, llc_bytes, dram_gbps;
};

/* DRAM bytes are those up to the end of the simulation, which is that of its first run. */
static struct pressure pressure_of(const struct measured *m)
{
    const struct testbed_runs *r = &m->runs;
    double seconds = testbed_native_seconds(r, m->alone, 0);
    double misses = testbed_stat(r, m->alone, "cpu0.llc_misses");
    return (struct pressure){
        .seconds = seconds,
        .mpki = 1000 * misses / testbed_stat(r, m->alone, "cpu0.insts"),
        .misses_per_second = misses / seconds,
        .llc_bytes = testbed_stat(r, m->alone, "llc.cpu0.occupancy") * r->llc_bytes,
        .dram_gbps = 1e-9 * testbed_stat(r, m->alone, "host_dram.bytes") / seconds};
}

static void print_json(const struct measured *m, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    struct pressure p = pressure_of(m);
    json_begin_object(&w, NULL);
    json_string(&w, "name", m->native);
    json_double(&w, "seconds", p.seconds);
    json_double(&w, "llc_mpki", p.mpki);
    json_double(&w, "llc_misses", p.misses_per_second);
    json_begin_object(&w, "pressure");
    json_double(&w, "llc_bytes", p.llc_bytes);
    json_double(&w, "dram_gbps", p.dram_gbps);
    json_end_object(&w);
    for (uint32_t k = 0; k < N_KINDS; k++) {
        json_begin_array(&w, kinds[k]);
        for (uint32_t i = 0; i < N_STEPS; i++)
            json_double(&w, NULL, slowdown(m, k, i));
        json_end_array(&w);
    }
    json_string(&w, "alone_id", testbed_id(&m->runs, m->alone));
    for (uint32_t k = 0; k < N_KINDS; k++) {
        json_begin_array(&w, k ? "bandwidth_ids" : "cache_ids");
        for (uint32_t i = 0; i < N_STEPS; i++)
            json_string(&w, NULL, testbed_id(&m->runs, m->beside[k][i]));
        json_end_array(&w);
    }
    json_end_object(&w);
}

static void print_text(const struct measured *m, struct strbuf *out)
{
    struct table t = {.n_columns = 3, .right = "rrr"};
    struct pressure p = pressure_of(m);
    strbuf_addf(out,
                "%s alone: %.3f ms, %.2f LLC misses per 1,000 instructions, %.2f GB/s of DRAM, "
                "%.2f MB of the LLC\n",
                m->native, 1e3 * p.seconds, p.mpki, p.dram_gbps, p.llc_bytes / (1 << 20));
    table_cell(&t, "  bubble");
    for (uint32_t k = 0; k < N_KINDS; k++)
        table_cell(&t, "%s", kinds[k]);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        table_cell(&t, "  %u/8", i);
        for (uint32_t k = 0; k < N_KINDS; k++)
            table_cell(&t, "%.3f", slowdown(m, k, i));
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
