/* Bandwidths: what a machine moves when nothing but one resource limits it. */
#include "probe.h"

#include "dram/dram_timing.h"

static double per_core_cycle(const struct machine_config *c, double bytes_per_cycle, uint32_t mhz)
{
    return bytes_per_cycle * mhz / c->gpu->core_clock_mhz;
}

static double dram_limit(const struct machine_config *c)
{
    return per_core_cycle(c, (double)c->memory.n_partitions * c->dram.bus_bytes_per_cycle,
                          c->run.dram_clock_mhz);
}

static uint32_t flits_of(const struct machine_config *c, uint32_t data_bytes)
{
    return (c->noc.header_bytes + data_bytes + c->noc.flit_bytes - 1) / c->noc.flit_bytes;
}

/* Bytes read and written a core cycle when the ports on the busier side of the network never rest:
 * a line copied is a request, a store with its data, and a reply with data. */
static double network_limit(const struct machine_config *c)
{
    double n_ports = (double)c->memory.n_partitions * c->memory.banks;
    n_ports = n_ports < c->gpu->n_sms ? n_ports : c->gpu->n_sms;
    double up = n_ports * c->noc.flits_per_cycle_up / (flits_of(c, 0) + flits_of(c, 128));
    double down = n_ports * c->noc.flits_per_cycle_down / flits_of(c, 128);
    return per_core_cycle(c, 2 * 128 * (up < down ? up : down), c->run.noc_clock_mhz);
}

/* Copies `bytes`, `n_times` over, by CTAs of 256 threads that move 16 bytes each. */
static void copy(struct probe *p, uint64_t bytes, uint32_t n_times)
{
    uint64_t from = probe_alloc(p, bytes, 1 << 20), to = probe_alloc(p, bytes, 1 << 20);
    PROBE_LAUNCH(p, "copy", (uint32_t)(bytes / (16 * 256)), 256, to, from, n_times, 0);
}

/* Much more than L2 holds of what is written. */
static uint64_t copied_bytes(const struct machine_config *c)
{
    uint64_t l2 = (uint64_t)c->l2.n_sets * c->l2.n_ways * c->l2.line_bytes * c->memory.banks *
                  c->memory.n_partitions;
    return l2 > 1 << 20 ? 5 * l2 : 4 << 20;
}

static double share_of_dram(const char *gpu, const char *const *settings)
{
    struct probe p = probe_open(gpu, settings);
    double dram = dram_limit(p.config);
    copy(&p, copied_bytes(p.config), 1);
    double got = (double)probe_count(&p, "dram.bytes") / (double)probe_count(&p, "cycles");
    print_message("%s: %.1f of %.1f B/cycle, %.1f %%\n", gpu, got, dram, 100 * got / dram);
    probe_close(&p);
    return got / dram;
}

/* The six SMs of hetero do not fill its DRAM or its network; test_testbed.c has i7-s9150. Both are
 * the last ones. */
#define N_DISCRETE (n_gpu_names - 2)

/* The share that turns of the bus leave, if it turns twice for each `lines` that it moves. Between
 * the last data written and the first read it rests for t_cdlr + t_cl, the other way for a few
 * cycles. */
static double share_between_turns(const struct machine_config *c, double lines)
{
    double moves = lines * 128 / c->dram.bus_bytes_per_cycle;
    return moves / (moves + c->dram.t_cdlr + c->dram.t_cl + DRAM_BUS_TURN_CYCLES);
}

/* A lower bound: half of the queue's lines are read and half are written, and the bus turns after
 * each half, as if none arrived in the meantime; and each row, all of whose lines are used, is
 * opened once, as if no transfer hid that. */
static double least_share(const struct machine_config *c)
{
    double row = (double)c->dram.row_bytes / c->dram.bus_bytes_per_cycle;
    double opened = row / (row + c->dram.t_rp + c->dram.t_rcd);
    return opened * share_between_turns(c, c->dram.queue_entries);
}

/* At most: each line that is served makes room for one more. Half of those that come while one half
 * of the queue is served are of its kind, half of those that come while these are served, and so
 * on: twice as many lines between turns. Rows are opened for nothing. */
static double most_share(const struct machine_config *c)
{
    return share_between_turns(c, 2.0 * c->dram.queue_entries);
}

static void a_streaming_copy_uses_dram(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_DISCRETE; i++) {
        struct probe p = probe_open(gpu_names[i], NULL);
        double least = least_share(p.config), most = most_share(p.config);
        probe_close(&p);
        double got = share_of_dram(gpu_names[i], NULL);
        print_message("%s: %.1f to %.1f %%\n", gpu_names[i], 100 * least, 100 * most);
        assert_true(got > least && got < most);
    }
}

/* Deeper queues and more MSHRs in L2 than the source has use more of it: neither is what DRAM
 * itself could do. */
static void a_copy_is_limited_by_queues_and_mshrs(void **state)
{
    (void)state;
    static const char *const deep[] = {"dram.queue_entries=64", "l2.n_mshrs=64",
                                       "dram.bank_interleave_bytes=512", NULL};
    assert_true(share_of_dram("gtx480-ch3", deep) > share_of_dram("gtx480-ch3", NULL));
}

/* Bandwidths of ports: the copied data stay in L2 and bypass L1D, with buffers deep enough that
 * nothing waits for credits. */
#define PAST_L1D                                                                                   \
    "sm.l1d_global=false", "sm.bypass_slots=256", "scheduler=lrr", "noc.buffer_flits=256",         \
        "l2.write_back=true" /* otherwise stores are forwarded to DRAM */,                         \
        "l2.write_allocate=true", "l2.write_evict=false"

/* Core cycles in which a port of that many flits per network cycle passes the upward traffic of
 * `lines` copied lines: a request and a store with its data. The downward traffic is less. */
static double cycles_up(const struct machine_config *c, double lines, uint32_t n_wide)
{
    double flits = lines * (flits_of(c, 0) + flits_of(c, 128));
    return flits / (n_wide * c->noc.flits_per_cycle_up) * c->gpu->core_clock_mhz /
           c->run.noc_clock_mhz;
}

/* The same of a reply with its data. */
static double cycles_down(const struct machine_config *c, double lines, uint32_t n_wide)
{
    double flits = lines * flits_of(c, 128);
    return flits / (n_wide * c->noc.flits_per_cycle_down) * c->gpu->core_clock_mhz /
           c->run.noc_clock_mhz;
}

/* Core cycles from a load to its data without contention (doc/machine.md), rounded up to the next
 * cycle of each clock. */
static double round_trip(const struct machine_config *c)
{
    double noc = 2 * c->noc.latency_cycles + 2.0 * flits_of(c, 0) + 2.0 * flits_of(c, 128) + 4;
    double l2 = c->memory.rop_latency + c->memory.l2_latency + 2;
    return 3 + noc * c->gpu->core_clock_mhz / c->run.noc_clock_mhz +
           l2 * c->gpu->core_clock_mhz / c->run.l2_clock_mhz;
}

/* Flits that have come through the ports of partitions. */
static double passed_flits(const struct probe *p)
{
    return (double)probe_count(p, "l2.loads") * flits_of(p->config, 0) +
           (double)probe_count(p, "l2.stores") * flits_of(p->config, 128);
}

/* All SMs copy 64 KB that lie in one partition, until the launch is cut off; an earlier launch has
 * brought them into L2. The port of the partition, as wide as it has banks, always has something to
 * pass: of the 512 lines in flight it passes some in a round trip, not all. It passes nothing for a
 * round trip at the start, while the data of the first loads are in flight, and what it passes in
 * another round trip at the end is not counted yet. In between, L2 answers in order, and its
 * replies wait in a short queue: at worst loads follow loads, and each takes as long as its reply,
 * then stores follow stores. */
static void the_port_of_a_partition_always_passes_something(void **state)
{
    (void)state;
    enum { N_CTAS = 16, N_CYCLES = 20000, FOREVER = 1 << 20 };
    static const char *const one_partition[] = {PAST_L1D, "memory.interleave_bytes=65536",
                                                "memory.hash_partitions=false", NULL};
    for (uint32_t i = 0; i < N_DISCRETE; i++) {
        struct probe p = probe_open_for(gpu_names[i], one_partition, N_CYCLES);
        const struct machine_config *c = p.config;
        double lines = N_CTAS * 32, flits = lines * (flits_of(c, 0) + flits_of(c, 128));
        double rate = flits / cycles_up(c, lines, c->memory.banks);
        assert_true(flits > rate * round_trip(c));
        uint64_t at = probe_alloc(&p, N_CTAS * 4096, 1 << 20);
        PROBE_LAUNCH(&p, "copy", N_CTAS, 256, at, at, 1, 0);
        double before = passed_flits(&p), cycles = (double)probe_count(&p, "cycles");
        PROBE_CUT(&p, "copy", N_CTAS, 256, at, at, FOREVER, 0);
        cycles = (double)probe_count(&p, "cycles") - cycles;
        double passed = passed_flits(&p) - before;
        print_message("%s: %.0f flits of %.0f\n", gpu_names[i], passed, rate * cycles);
        assert_true(passed <= rate * cycles);
        double least = (flits_of(c, 0) + flits_of(c, 128)) / (2.0 * flits_of(c, 128));
        assert_true(passed > least * rate * (cycles - 2 * round_trip(c)));
        probe_close(&p);
    }
}

/* As much for each SM, copied again and again; the share of the network's bandwidth that is used.
 * At least: of each line only one access is in flight, so an access finds at most all others of its
 * SM in the SM's ports, and all others of its partition in the partition's, and then waits for
 * nothing. Once in that time every line is copied. */
static double share_of_network(const char *gpu, const char *hash, double *least)
{
    const char *const settings[] = {PAST_L1D, hash, NULL};
    struct probe p = probe_open(gpu, settings);
    const struct machine_config *c = p.config;
    double network = network_limit(c);
    uint32_t n_times = 64, bytes = c->gpu->n_sms * 3 * 4096, port = c->noc.sms_per_port;
    double of_port = 3 * 32.0 * port, of_partition = bytes / 128.0 / c->memory.n_partitions;
    copy(&p, bytes, n_times);
    double got = 2.0 * bytes * n_times / (double)probe_count(&p, "cycles");
    double turn = cycles_up(c, of_port, 1) + cycles_up(c, of_partition, c->memory.banks) +
                  cycles_down(c, of_partition, c->memory.banks) + cycles_down(c, of_port, 1) +
                  round_trip(c);
    *least = 2.0 * bytes / turn / network;
    print_message("%s: %.1f of %.1f B/cycle, %.1f %%, at least %.1f %%\n", gpu, got, network,
                  100 * got / network, 100 * *least);
    probe_close(&p);
    return got / network;
}

static void a_copy_within_l2_uses_the_network(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_DISCRETE; i++) {
        double least,
            share = share_of_network(gpu_names[i], "memory.hash_partitions=false", &least);
        assert_true(share > least && share <= 1);
    }
}

/* SMs that go in step visit partitions in turn, so that all are visited. Where these are hashed
 * some have no visitor while others have several. */
static void hashed_partitions_are_met_by_chance(void **state)
{
    (void)state;
    double least, in_turn = share_of_network("v100", "memory.hash_partitions=false", &least);
    double hashed = share_of_network("v100", "memory.hash_partitions=true", &least);
    assert_true(hashed > least && hashed < in_turn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_streaming_copy_uses_dram),
        cmocka_unit_test(a_copy_is_limited_by_queues_and_mshrs),
        cmocka_unit_test(the_port_of_a_partition_always_passes_something),
        cmocka_unit_test(a_copy_within_l2_uses_the_network),
        cmocka_unit_test(hashed_partitions_are_met_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
