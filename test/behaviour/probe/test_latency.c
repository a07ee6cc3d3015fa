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

/* Ports are so many flits wide at the sender and at the receiver. */
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

/* Command cycles from the one after the request's arrival to its last data. */
static uint32_t dram_cycles(const struct machine *m, struct rows *rows, uint64_t address)
{
    const struct dram_config *d = &m->config->dram;
    struct dram_address a = address_split(&m->map, address);
    uint32_t *open = &rows->open[a.partition][a.bank], cycles = 0;
    if (*open != a.row + 1)
        cycles = *open ? d->t_rp + d->t_rcd : d->t_rcd;
    *open = a.row + 1;
    uint32_t n_bursts = LINE / (d->bus_bytes_per_cycle * d->burst_cycles);
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
    t = across_network(m, t, flits_of(c, LINE), down * c->memory.banks, down, core);
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

static struct range chase(const char *gpu, enum level level, uint64_t bytes)
{
    static const char *const one_sm[] = {"n_sms=1", NULL}; /* so that it keeps its instructions */
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

static uint64_t l1d_bytes(const struct machine_config *c)
{
    return (uint64_t)c->sm.l1d.n_sets * c->sm.l1d.n_ways * c->sm.l1d.line_bytes;
}

static uint64_t l2_bytes(const struct machine_config *c)
{
    return (uint64_t)c->l2.n_sets * c->l2.n_ways * c->l2.line_bytes * c->memory.banks *
           c->memory.n_partitions;
}

/* The plateaus end where the caches do: a footprint of one more line per set misses everywhere. */
static void latencies_are_the_sums_of_their_stages_on(const char *gpu, struct range *l2,
                                                      struct range *dram)
{
    struct probe p = probe_open(gpu, NULL);
    const struct machine_config *c = p.config;
    uint64_t l1d = l1d_bytes(c), all_l2 = l2_bytes(c);
    uint64_t beyond_l1d = l1d / c->sm.l1d.n_ways * (c->sm.l1d.n_ways + 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_of_the_gtx480),
        cmocka_unit_test(latencies_of_the_m2090),
        cmocka_unit_test(latencies_of_the_ccws_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
