/* Unloaded latencies: a single thread follows pointers through footprints that fit into L1D, into
 * L2, and into neither. Each load must take exactly the sum of the configured stages; the sum is
 * written out below from doc/machine.md, clock edges included. */
#include "probe.h"

enum { N_LOGGED = 1024, LINE = 128 };
enum level { IN_L1D, IN_L2, IN_DRAM };

/* --- the stages --- */

static sim_time up_to_tick(sim_time t, const struct clock_domain *clock)
{
    return (t + clock->period - 1) / clock->period * clock->period;
}

static sim_time through_port(const struct machine *m, sim_time t, uint32_t flits,
                             uint32_t flits_per_cycle)
{
    const struct clock_domain *noc = &m->clocks[CLOCK_NOC];
    uint32_t cycles = (flits + flits_per_cycle - 1) / flits_per_cycle;
    return up_to_tick(t, noc) + (sim_time)cycles * noc->period;
}

static uint32_t flits_of(const struct machine_config *c, uint32_t data_bytes)
{
    return (c->noc.header_bytes + data_bytes + c->noc.flit_bytes - 1) / c->noc.flit_bytes;
}

/* Ports are this many flits wide at the sender and at the receiver. */
static sim_time across_network(const struct machine *m, sim_time t, uint32_t flits,
                               uint32_t tx_width, uint32_t rx_width,
                               const struct clock_domain *receiver)
{
    t = through_port(m, t, flits, tx_width);
    t += (sim_time)m->config->noc.latency_cycles * m->clocks[CLOCK_NOC].period;
    t = up_to_tick(t, receiver);
    t = through_port(m, t, flits, rx_width);
    return up_to_tick(t, receiver);
}

/* Which rows are open, as the test itself follows them. */
struct rows {
    uint32_t open[64][64]; /* row + 1; 0 = none */
};

/* What a load of a few bytes fetches. */
static uint32_t fetched_bytes(const struct cache_config *c)
{
    return c->sector_bytes < LINE ? c->sector_bytes : LINE;
}

/* Command cycles from the one after the request's arrival to its last data. */
static uint32_t dram_cycles(const struct machine *m, struct rows *rows, uint64_t address)
{
    const struct dram_config *d = &m->config->dram;
    struct dram_address a = address_split(&m->memory.map, address);
    uint32_t *open = &rows->open[a.partition][a.bank], cycles = 0;
    if (*open != a.row + 1)
        cycles = *open ? d->t_rp + d->t_rcd : d->t_rcd;
    *open = a.row + 1;
    uint32_t burst = d->bus_bytes_per_cycle * d->burst_cycles;
    uint32_t l1d = fetched_bytes(&m->config->sm.l1d), l2 = fetched_bytes(&m->config->l2);
    uint32_t n_bursts = ((l1d > l2 ? l1d : l2) + burst - 1) / burst;
    uint32_t gap = d->t_ccd > d->burst_cycles ? d->t_ccd : d->burst_cycles;
    if (d->n_bank_groups > 1 && d->t_ccdl > gap)
        gap = d->t_ccdl;
    return 1 + cycles + (n_bursts - 1) * gap + d->t_cl + d->burst_cycles;
}

/* The core cycle in which an instruction that needs the load's result issues, if the load issues in
 * `issue`. */
static uint64_t expected_use(const struct machine *m, struct rows *rows, enum level level,
                             uint64_t address, uint64_t issue)
{
    const struct machine_config *c = m->config;
    const struct clock_domain *core = &m->clocks[CLOCK_CORE], *l2 = &m->clocks[CLOCK_L2];
    const struct clock_domain *dram = &m->clocks[CLOCK_DRAM];
    uint64_t access = issue + 2; /* one cycle to read the address, then the load/store unit */
    if (level == IN_L1D)
        return access + c->sm.l1d_latency;
    sim_time t = (access + 1) * core->period; /* a cycle in the miss queue */
    uint32_t up = c->noc.flits_per_cycle_up, down = c->noc.flits_per_cycle_down;
    t = across_network(m, t, flits_of(c, 0), up, up * c->memory.banks, l2);
    t += (sim_time)c->memory.rop_latency * l2->period;
    if (level == IN_DRAM) {
        t += l2->period; /* a cycle in the queue to DRAM */
        t = t / dram->period * dram->period;
        t += (sim_time)dram_cycles(m, rows, address) * dram->period;
        t = up_to_tick(t, l2) + (sim_time)c->memory.dram_latency * l2->period;
    }
    t += (sim_time)c->memory.l2_latency * l2->period;
    t = across_network(m, t, flits_of(c, fetched_bytes(&c->sm.l1d)), down * c->memory.banks, down,
                       core);
    return t / core->period;
}

/* --- the chase --- */

struct range {
    uint64_t least, most;
};

static void lay_chain(struct probe *p, uint64_t base, uint64_t n_lines)
{
    for (uint64_t i = 0; i < n_lines; i++) {
        uint64_t next = base + (i + 1) % n_lines * LINE;
        assert_int_equal(heddle_write(p->sim, base + i * LINE, &next, sizeof next), HEDDLE_OK);
    }
}

/* Compares each logged load with the sum of the stages; returns the shortest and the longest. */
static struct range compare(struct probe *p, enum level level, uint64_t base, uint64_t n_lines,
                            uint64_t n_warm, const uint32_t (*log)[2])
{
    static struct rows rows;
    memset(&rows, 0, sizeof rows);
    struct range r = {UINT64_MAX, 0};
    for (uint64_t i = 0; level == IN_DRAM && i < n_warm; i++)
        dram_cycles(p->sim->machine, &rows, base + i % n_lines * LINE);
    for (uint64_t i = 0; i < N_LOGGED; i++) {
        uint64_t issue = log[i][0] + 1ull; /* right after the clock was read */
        uint64_t address = base + (n_warm + i) % n_lines * LINE;
        uint64_t use = expected_use(p->sim->machine, &rows, level, address, issue);
        assert_int_equal(log[i][1], use + 1);
        r.least = use - issue < r.least ? use - issue : r.least;
        r.most = use - issue > r.most ? use - issue : r.most;
    }
    return r;
}

static struct range chase_with(const char *gpu, const char *setting, enum level level,
                               uint64_t bytes)
{
    const char *const one_sm[] = {"n_sms=1", setting, NULL}; /* so that it keeps its instructions */
    struct probe p = probe_open(gpu, one_sm);
    uint64_t n_lines = bytes / LINE, n_warm = level == IN_DRAM ? n_lines : 2 * n_lines;
    uint64_t base = probe_alloc(&p, bytes, 1 << 20), out = probe_alloc(&p, 8 * N_LOGGED, 256);
    uint32_t log[N_LOGGED][2];
    lay_chain(&p, base, n_lines);
    PROBE_LAUNCH(&p, "chase", 1, 1, out, base, 1, 1); /* brings the instructions */
    PROBE_LAUNCH(&p, "chase", 1, 1, out, base, n_warm, N_LOGGED);
    probe_read(&p, out, log, sizeof log);
    struct range r = compare(&p, level, base, n_lines, n_warm, log);
    probe_close(&p);
    return r;
}

static uint64_t l2_bytes(const struct machine_config *c)
{
    return (uint64_t)c->l2.n_sets * c->l2.n_ways * c->l2.line_bytes * c->memory.banks *
           c->memory.n_partitions;
}

static struct range chase(const char *gpu, enum level level, uint64_t bytes)
{
    return chase_with(gpu, NULL, level, bytes);
}

/* The chase keeps its log in shared memory, which takes ways away where there is a carve-out. */
static uint64_t l1d_ways(const struct machine_config *c)
{
    enum { LOG_BYTES = 8192 };
    uint32_t n_ctas = 0; /* what an SM would hold of CTAs with one warp, if there were that many */
    while (n_ctas < c->gpu->ctas_per_sm && (n_ctas + 1) * LOG_BYTES <= c->gpu->shared_bytes_per_sm)
        n_ctas++;
    return strcmp(c->sm.carveout, "none") == 0 ? c->sm.l1d.n_ways
           : n_ctas * LOG_BYTES == 96 << 10    ? c->sm.l1d.n_ways - 48 /* of 2 KB each */
                                               : 0;
}

static uint64_t l1d_bytes(const struct machine_config *c)
{
    return (uint64_t)c->sm.l1d.n_sets * l1d_ways(c) * c->sm.l1d.line_bytes;
}

/* The plateaus end where the caches do: a footprint of one more line per set misses everywhere. */
static void latencies_are_the_sums_of_their_stages_on(const char *gpu, struct range *l2,
                                                      struct range *dram)
{
    struct probe p = probe_open(gpu, NULL);
    const struct machine_config *c = p.config;
    uint64_t l1d = l1d_bytes(c), all_l2 = l2_bytes(c);
    uint64_t beyond_l1d = l1d / l1d_ways(c) * (l1d_ways(c) + 1);
    uint64_t beyond_l2 = all_l2 / c->l2.n_ways * (c->l2.n_ways + 1);
    chase(gpu, IN_L1D, l1d / 4);
    struct range hit = chase(gpu, IN_L1D, l1d);
    assert_int_equal(hit.least, hit.most);
    chase(gpu, IN_L2, beyond_l1d);
    *l2 = chase(gpu, IN_L2, all_l2 / 4 * 3);
    chase(gpu, IN_DRAM, beyond_l2);
    *dram = chase(gpu, IN_DRAM, 2 * all_l2);
    print_message("%s: L1D %u, L2 %u-%u, DRAM %u-%u core cycles\n", gpu, (unsigned)hit.least,
                  (unsigned)l2->least, (unsigned)l2->most, (unsigned)dram->least,
                  (unsigned)dram->most);
    probe_close(&p);
}

/* S3 Tables 3.1, 4.1 and 5.1: at least 120 cycles to L2, 220 to DRAM. Those are the latencies in
 * GPGPU-Sim's file, to which the network and the caches and DRAM themselves are added. */
static void latencies_of_the_gtx480(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "gtx480-ch3", "gtx480-cawa"};
    for (uint32_t i = 0; i < 3; i++) {
        struct range l2, dram;
        latencies_are_the_sums_of_their_stages_on(gpus[i], &l2, &dram);
        assert_in_range(l2.least, 120, 180);
        assert_in_range(dram.least, 220, 300);
    }
}

static void latencies_of_the_m2090(void **state)
{
    (void)state;
    struct range l2, dram;
    latencies_are_the_sums_of_their_stages_on("m2090", &l2, &dram);
}

static void latencies_of_the_ccws_machine(void **state)
{
    (void)state;
    struct range l2, dram;
    latencies_are_the_sums_of_their_stages_on("ccws", &l2, &dram);
}

/* V2: 28 cycles to L1D, 193 to L2. */
static void latencies_of_the_v100(void **state)
{
    (void)state;
    struct range l2, dram;
    latencies_are_the_sums_of_their_stages_on("v100", &l2, &dram);
    assert_int_equal(l2.least, 193);
    assert_int_equal(chase("v100", IN_L1D, 4096).most, 28);
    assert_in_range(dram.least, 400, 405);
}

/* What shared memory does not take is L1D: 128 KB in ways of 2 KB. The chase's CTAs take 8 KB each.
 */
static void a_carve_out_moves_the_end_of_the_first_plateau(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        uint64_t shared_bytes;
    } cases[] = {{"sm.carveout=8K", 8 << 10},        {"sm.carveout=32K", 32 << 10},
                 {"sm.carveout=0,8K,64K", 64 << 10}, {"ctas_per_sm=1", 8 << 10},
                 {"ctas_per_sm=3", 32 << 10},        {"ctas_per_sm=4", 32 << 10},
                 {"ctas_per_sm=5", 64 << 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t l1d = (128 << 10) - cases[i].shared_bytes, n_ways = l1d / 2048;
        chase_with("v100", cases[i].setting, IN_L1D, l1d);
        chase_with("v100", cases[i].setting, IN_L2, l1d / n_ways * (n_ways + 1));
    }
}

/* A port that SMs share adds no time for an SM that uses it alone. */
static void a_shared_port_costs_nothing_to_one_alone(void **state)
{
    (void)state;
    static const char *const settings[] = {"noc.sms_per_port=2", "noc.sms_per_port=5"};
    for (uint32_t i = 0; i < 2; i++) {
        chase_with("gtx480", settings[i], IN_L2, 64 << 10);
        chase_with("v100", settings[i], IN_DRAM, 7 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_of_the_gtx480),
        cmocka_unit_test(latencies_of_the_m2090),
        cmocka_unit_test(latencies_of_the_ccws_machine),
        cmocka_unit_test(latencies_of_the_v100),
        cmocka_unit_test(a_carve_out_moves_the_end_of_the_first_plateau),
        cmocka_unit_test(a_shared_port_costs_nothing_to_one_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
