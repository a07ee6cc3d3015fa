/* The rows of statistics of a machine. */
#include <string.h>

#include "gpu/stat_row.h"

static double get_ipc(const struct machine_totals *t)
{
    return stat_ratio(t->run.thread_insts, t->cycles);
}

static double get_mpki(const struct machine_totals *t)
{
    return 1000 * stat_ratio(t->l1d.misses + t->l1d.bypasses, t->run.thread_insts);
}

static double get_mpki_no_bypass(const struct machine_totals *t)
{
    return 1000 * stat_ratio(t->l1d.misses, t->run.thread_insts);
}

static double get_hit_rate(const struct machine_totals *t)
{
    return stat_ratio(t->l1d.hits + t->l1d.merges, t->l1d.loads - t->l1d.bypasses);
}

static double get_kept_loads(const struct machine_totals *t)
{
    return (double)(t->l1d.loads - t->l1d.bypasses);
}

static double get_access_ratio(const struct machine_totals *t)
{
    return stat_ratio(t->l1d.loads + t->l1d.stores, t->run.thread_insts);
}

static double get_zero_reuse(const struct machine_totals *t)
{
    return stat_ratio(t->l1d.evictions_unused, t->l1d.evictions);
}

static double get_occupancy(const struct machine_totals *t)
{
    return stat_ratio(t->sm.warp_cycles, t->cycles * t->n_sms * t->warps_per_sm);
}

#define STALL(name, cause, help)                                                                   \
    ROW_COUNT("l1d.reservation_fails." name, "cycles", help, sm.stall_cycles[cause])

static const struct stat_row rows[] = {
    ROW_COUNT("cycles", "core cycles", "time of all launches, including overheads", cycles),
    ROW_COUNT("wait_cycles", "core cycles",
              "time after launches: from the end of each until stores, write-backs and credits are "
              "done and the next one may begin",
              wait_cycles),
    ROW_COUNT(
        "elapsed_cycles", "core cycles",
        "cycles + wait_cycles: where the time axis of --series, --timeline and --attribute-out "
        "ends",
        elapsed_cycles),
    ROW_RATIO("ipc", "instructions/cycle", "thread instructions per core cycle", get_ipc),
    ROW_RATIO("occupancy", "fraction", "resident warps relative to the machine's maximum",
              get_occupancy),
#define COUNTER(field, name, unit, help) ROW_COUNT(name, unit, help, sm.field),
    SM_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) ROW_COUNT("l1d." name, "accesses", help, l1d.field),
        CACHE_COUNTERS(COUNTER)
#undef COUNTER
            ROW_RATIO("l1d.mpki", "per 1000 instructions",
                      "misses and bypasses per 1000 thread instructions", get_mpki),
    ROW_RATIO("l1d.mpki_no_bypass", "per 1000 instructions", "misses per 1000 thread instructions",
              get_mpki_no_bypass),
    ROW_RATIO("l1d.hit_rate", "fraction", "hits and merges among loads that were not bypassed",
              get_hit_rate),
    ROW_RATIO("l1d.kept_loads", "accesses", "loads that were not bypassed: L1D's traffic in S2",
              get_kept_loads),
    ROW_RATIO("l1d.access_ratio", "fraction",
              "L1D loads and stores per thread instruction: S2's memory access ratio",
              get_access_ratio),
    ROW_RATIO("l1d.zero_reuse", "fraction", "replaced lines that were never hit or merged with",
              get_zero_reuse),
    ROW_COUNT("l1d.lru_differences", "decisions", "decisions that differed from LRU's",
              lru_differences),
    ROW_COUNT("l1d.reservation_fails", "cycles", "cycles accesses waited at L1D, for any cause",
              reservation_fails),
    STALL("mshr", STALL_MSHR, "cycles an access waited for a free MSHR"),
    STALL("merge", STALL_MERGE, "cycles an access waited for a free entry in its line's MSHR"),
    STALL("line", STALL_LINE, "cycles an access waited for a line that is not reserved"),
    STALL("miss_queue", STALL_MISS_QUEUE, "cycles an access waited for the miss queue"),
    STALL("port", STALL_PORT, "cycles an access waited for the interconnect"),
    STALL("bypass_table", STALL_BYPASS_TABLE, "cycles an access waited for a bypass slot"),
    STALL("atomics", STALL_ATOMICS,
          "cycles an atomic waited for the queue of those that the SM performs"),
#define COUNTER(field, name, help) ROW_COUNT("l1i." name, "accesses", help, l1i.field),
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) ROW_COUNT("l1c." name, "accesses", help, l1c.field),
        CACHE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, unit, help) ROW_COUNT(name, unit, help, slice.field),
            SLICE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) ROW_COUNT("l2." name, "accesses", help, l2.field),
                CACHE_COUNTERS(COUNTER)
#undef COUNTER
                    ROW_COUNT("noc.messages_up", "messages", "requests sent to partitions",
                              up_tx.messages),
    ROW_COUNT("noc.flits_up", "flits", "flits sent to partitions", up_tx.flits),
    ROW_COUNT("noc.messages_down", "messages", "replies sent to SMs", down_tx.messages),
    ROW_COUNT("noc.flits_down", "flits", "flits sent to SMs", down_tx.flits),
#define COUNTER(field, name, unit, help) ROW_COUNT("dram." name, unit, help, dram.field),
    DRAM_COUNTERS(COUNTER)
#undef COUNTER
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* --- all tables --- */

/* What determines which rows a machine has. */
struct row_kinds {
    bool is_attributed, is_discrete;
    uint32_t n_apps;
};

enum { N_TABLES = 4 };

/* The tables of rows, in order; the last are empty if the machine lacks what they count. */
static void list_tables(struct row_kinds k, struct stat_table tables[N_TABLES])
{
    tables[0] = (struct stat_table){rows, N_ROWS, NULL};
    tables[1] =
        (struct stat_table){attribution_rows, k.is_attributed ? n_attribution_rows : 0, NULL};
    tables[2] = (struct stat_table){mix_rows, mix_row_count(k.n_apps), "hetero"};
    tables[3] = (struct stat_table){host_rows, k.is_discrete ? n_host_rows : 0, "i7-s9150"};
}

static uint32_t own_rows(struct row_kinds k)
{
    struct stat_table tables[N_TABLES];
    uint32_t n = 0;
    list_tables(k, tables);
    for (uint32_t i = 0; i < N_TABLES; i++)
        n += tables[i].n;
    return n;
}

static const struct row_kinds all_kinds = {true, true, MIX_MAX_APPS};

uint32_t machine_first_declared_stat(const struct machine *m)
{
    return own_rows(
        m ? (struct row_kinds){m->options.attribute, machine_is_discrete(m), m->llc.n_apps}
          : all_kinds);
}

/* --- what kinds of parts declare --- */

static const struct machine_part_kind *const shipped_kinds[] = {
#define KIND(kind) &kind,
    MACHINE_PART_KINDS(KIND)
#undef KIND
};
enum { N_SHIPPED_KINDS = sizeof shipped_kinds / sizeof shipped_kinds[0] };

static uint32_t counter_count(const struct machine *m)
{
    uint32_t n = 0;
    for (uint32_t k = 0; !m && k < N_SHIPPED_KINDS; k++)
        n += shipped_kinds[k]->n_counters;
    for (uint32_t group = 0; m && group < m->graph.n_groups; group++)
        n += machine_kind(m, group)->n_counters;
    return n;
}

/* The totals of no machine have all counters. */
static void list_counters(struct machine_totals *t)
{
    assert(counter_count(NULL) <= MACHINE_MAX_PART_COUNTERS);
    for (uint32_t k = 0; k < N_SHIPPED_KINDS; k++)
        for (uint32_t c = 0; c < shipped_kinds[k]->n_counters; c++)
            t->counters[t->n_counters++] = &shipped_kinds[k]->counters[c];
}

static const char *counter_gpu(uint32_t i)
{
    uint32_t k = 0;
    for (; k < N_SHIPPED_KINDS && i >= shipped_kinds[k]->n_counters; k++)
        i -= shipped_kinds[k]->n_counters;
    return k < N_SHIPPED_KINDS ? shipped_kinds[k]->gpu : NULL;
}

/* --- all --- */

uint32_t machine_first_mechanism_stat(const struct machine *m)
{
    return machine_first_declared_stat(m) + counter_count(m);
}

uint32_t machine_stat_count(const struct machine *m)
{
    return machine_first_mechanism_stat(m) + (m ? m->mechanisms.n : 0);
}

const char *machine_stat_gpu(uint32_t i)
{
    struct stat_table tables[N_TABLES];
    list_tables(all_kinds, tables);
    for (uint32_t k = 0; k < N_TABLES; k++) {
        if (i < tables[k].n)
            return tables[k].gpu;
        i -= tables[k].n;
    }
    return counter_gpu(i);
}

static struct heddle_stat counter_stat(const struct machine_totals *t, uint32_t i)
{
    const struct part_counter *c = t->counters[i];
    return (struct heddle_stat){
        .name = c->name, .unit = c->unit, .help = c->help, .count = t->counted[i]};
}

static struct heddle_stat read_row(const struct stat_row *r, const struct machine_totals *t)
{
    struct heddle_stat s = {
        .name = r->name, .unit = r->unit, .help = r->help, .is_real = r->get || r->get_of};
    if (r->get)
        s.real = r->get(t);
    else if (r->get_of)
        s.real = r->get_of(t, r->app);
    else
        memcpy(&s.count, (const char *)t + r->at, sizeof s.count);
    return s;
}

struct heddle_stat machine_totals_stat(const struct machine_totals *t, uint32_t i)
{
    const struct row_kinds kinds = {t->is_attributed, t->is_discrete, t->mix_now.n_apps};
    struct stat_table tables[N_TABLES];
    list_tables(t->mechanisms.of ? kinds : all_kinds, tables);
    for (uint32_t k = 0; k < N_TABLES; k++) {
        if (i < tables[k].n)
            return read_row(&tables[k].rows[i], t);
        i -= tables[k].n;
    }
    return i < t->n_counters ? counter_stat(t, i)
                             : mechanism_totals_stat(&t->mechanisms, i - t->n_counters);
}

struct heddle_stat machine_stat_at(const struct machine *m, uint32_t i)
{
    struct machine_totals t = {0};
    if (m)
        machine_totals_take(m, machine_cycle(m), &t);
    else
        list_counters(&t);
    return machine_totals_stat(&t, i);
}
