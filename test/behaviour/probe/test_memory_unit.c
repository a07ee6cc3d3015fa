/* The load/store unit: how many requests and passes an access is, what they cost, and how many
 * misses are in flight at once. */
#include "probe.h"

static struct issue_trace trace;

/* --- coalescing --- */

static uint64_t requests_of(const char *gpu, uint64_t scale)
{
    struct probe p = probe_open(gpu, NULL);
    uint64_t from = probe_alloc(&p, 32 * 128 + 128, 128);
    PROBE_LAUNCH(&p, "spread", 1, 32, from, scale);
    uint64_t n = probe_count(&p, "sm.load_requests");
    assert_int_equal(n, probe_count(&p, "l1d.loads"));
    probe_close(&p);
    return n;
}

static void a_warp_is_coalesced_into_lines(void **state)
{
    (void)state;
    assert_int_equal(requests_of("gtx480", 4), 1);    /* 128 adjacent bytes */
    assert_int_equal(requests_of("gtx480", 0), 1);    /* all the same word */
    assert_int_equal(requests_of("gtx480", 8), 2);    /* 256 bytes */
    assert_int_equal(requests_of("gtx480", 128), 32); /* fully divergent */
}

/* An adjacent half-warp is half a line, so a line is requested twice. */
static void half_warps_are_coalesced_apart(void **state)
{
    (void)state;
    assert_int_equal(requests_of("ccws", 4), 2);
    assert_int_equal(requests_of("ccws", 0), 2);
    assert_int_equal(requests_of("ccws", 8), 2);
    assert_int_equal(requests_of("ccws", 128), 32);
}

/* A line of 128 bytes comes back in one message: its header and data fill five flits of 32. */
static void a_unit_stride_load_moves_one_line(void **state)
{
    (void)state;
    uint64_t down[2], up[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct probe p = probe_open("gtx480", NULL);
        uint64_t from = probe_alloc(&p, 64 * 128, 128);
        PROBE_LAUNCH(&p, "spread", 1, 32, from, i ? 128 : 4);
        down[i] = probe_count(&p, "noc.flits_down");
        up[i] = probe_count(&p, "noc.flits_up");
        probe_close(&p);
    }
    assert_int_equal(down[1] - down[0], 31 * 5);
    assert_int_equal(up[1] - up[0], 31);
}

/* --- sectors --- */

struct traffic {
    uint64_t requests, sectors, flits_down, dram_sectors;
};

/* Of one warp's load, less what a load of a single sector has beside it. */
static struct traffic traffic_of(uint64_t scale)
{
    struct probe p = probe_open("v100", NULL);
    uint64_t from = probe_alloc(&p, 64 * 128, 4096);
    PROBE_LAUNCH(&p, "spread", 1, 32, from, scale);
    struct traffic t = {probe_count(&p, "l1d.loads"), probe_count(&p, "l1d.sectors_fetched"),
                        probe_count(&p, "noc.flits_down"), probe_count(&p, "l2.sectors_read")};
    probe_close(&p);
    return t;
}

/* A sector with its header is a flit of 40 bytes, a line of four with one header four flits. */
static void a_load_fetches_the_sectors_that_its_lanes_touch(void **state)
{
    (void)state;
    static const struct {
        uint64_t scale, requests, sectors, flits;
    } cases[] = {{0, 1, 1, 1},    {4, 1, 4, 4},     {8, 2, 8, 8},
                 {32, 8, 32, 32}, {64, 16, 32, 32}, {128, 32, 32, 32}};
    struct traffic base = traffic_of(0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct traffic t = traffic_of(cases[i].scale);
        assert_int_equal(t.requests, cases[i].requests);
        assert_int_equal(t.sectors, cases[i].sectors);
        assert_int_equal(t.flits_down - base.flits_down, cases[i].flits - 1);
        assert_int_equal(t.dram_sectors - base.dram_sectors, cases[i].sectors - 1);
    }
}

static void a_line_may_lack_the_sector_asked_for(void **state)
{
    (void)state;
    static const char *const settings[] = {"flush_l1=false", "n_sms=1", NULL};
    struct probe p = probe_open("v100", settings);
    uint64_t from = probe_alloc(&p, 128, 128);
    static const struct {
        uint64_t offset, misses, sector_misses, hits;
    } steps[] = {{0, 1, 0, 0}, {32, 2, 1, 0}, {0, 2, 1, 1}, {32, 2, 1, 2}, {96, 3, 2, 2}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        PROBE_LAUNCH(&p, "spread", 1, 32, from + steps[i].offset, 0);
        assert_int_equal(probe_count(&p, "l1d.misses"), steps[i].misses);
        assert_int_equal(probe_count(&p, "l1d.sector_misses"), steps[i].sector_misses);
        assert_int_equal(probe_count(&p, "l1d.hits"), steps[i].hits);
        assert_int_equal(probe_count(&p, "l2.sector_misses"), steps[i].sector_misses);
    }
    probe_close(&p);
}

/* --- shared memory --- */

static uint32_t gap_after_load(const struct issue_trace *t, uint32_t from_end)
{
    return (uint32_t)(t->items[t->n - from_end + 1].cycle - t->items[t->n - from_end].cycle);
}

static void expect_passes(const char *kernel, uint64_t scale, uint32_t passes)
{
    struct probe p = probe_open("gtx480", NULL);
    probe_trace(&p, &trace);
    PROBE_LAUNCH(&p, kernel, 1, 32, scale);
    assert_int_equal(probe_count(&p, "shared.passes"), passes);
    /* Last of all: the load, the addition that waits for it, the return. Two cycles to the unit,
     * then a pass each cycle. */
    assert_int_equal(gap_after_load(&trace, 3), 2 + passes - 1 + p.config->sm.shared_latency);
    probe_close(&p);
}

static void shared_memory_serves_a_word_of_each_bank_in_a_pass(void **state)
{
    (void)state;
    expect_passes("spread_shared", 4, 1);       /* every bank once */
    expect_passes("spread_shared", 0, 1);       /* broadcast */
    expect_passes("spread_shared", 8, 2);       /* two words in every other bank */
    expect_passes("spread_shared", 12, 1);      /* an odd stride covers all banks */
    expect_passes("spread_shared", 64, 16);     /* two banks */
    expect_passes("spread_shared", 128, 32);    /* one bank */
    expect_passes("spread_shared_64", 8, 2);    /* 256 bytes */
    expect_passes("spread_shared_64", 128, 32); /* two banks, 16 lanes at a time */
}

/* The second load begins when the first has had all its passes. */
static void shared_accesses_wait_for_each_other_s_passes(void **state)
{
    (void)state;
    struct probe p = probe_open("gtx480", NULL);
    probe_trace(&p, &trace);
    PROBE_LAUNCH(&p, "spread_shared_twice", 1, 32, 128);
    const struct sm_issue *last = &trace.items[trace.n - 1], *sum = last - 2, *first = sum - 2;
    assert_int_equal(sum->cycle - first->cycle, 2 + 32 + 31 + p.config->sm.shared_latency);
    probe_close(&p);
}

/* --- local memory and constants --- */

/* When the instruction of that number issues, counted from the kernel's first. */
static uint64_t issued_at(const struct issue_trace *t, uint32_t number)
{
    return t->items[number].cycle;
}

static void local_and_constant_accesses_hit_their_caches(void **state)
{
    (void)state;
    static const char *const one_sm[] = {"n_sms=1", NULL};
    struct probe p = probe_open("gtx480", one_sm);
    const struct sm_config *sm = &p.config->sm;
    probe_launch(&p, "local_and_const", 1, 32, 0, NULL); /* brings instructions and constants */
    probe_trace(&p, &trace);
    probe_launch(&p, "local_and_const", 1, 32, 0, NULL);
    /* A word of 32 threads is one line: the second store finds it, or brings it, as does the load.
     */
    assert_int_equal(probe_count(&p, "l1d.loads"), 2);
    assert_int_equal(probe_count(&p, "l1d.stores"), 2);
    assert_int_equal(probe_count(&p, "l1c.misses"), 1);
    /* No register holds the address, so there is none to read. */
    assert_int_equal(issued_at(&trace, 6) - issued_at(&trace, 5), 1 + sm->const_latency);
    probe_close(&p);
}

struct constants {
    uint64_t loads, hits, misses, flits_down;
};

static struct constants read_constants(struct probe *p, uint64_t offset, uint64_t apart,
                                       uint64_t step)
{
    PROBE_LAUNCH(p, "spread_const", 1, 32, offset, apart, step);
    return (struct constants){probe_count(p, "l1c.loads"), probe_count(p, "l1c.hits"),
                              probe_count(p, "l1c.misses"), probe_count(p, "noc.flits_down")};
}

static uint64_t constant_requests_of(const char *gpu, const char *const *settings, uint64_t apart,
                                     uint64_t step)
{
    struct probe p = probe_open(gpu, settings);
    uint64_t n = read_constants(&p, 0, apart, step).loads;
    assert_int_equal(probe_count(&p, "l1d.loads"), 0);
    probe_close(&p);
    return n;
}

/* The constant cache has lines of 64 bytes, L1D of 128: a lane 60 bytes after the first is in the
 * same line, one 64 bytes after is not. */
static void constants_are_coalesced_into_lines_of_their_own_cache(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "m2090", "v100"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        assert_int_equal(constant_requests_of(gpus[i], NULL, 0, 0), 1);
        assert_int_equal(constant_requests_of(gpus[i], NULL, 60, 0), 1);
        assert_int_equal(constant_requests_of(gpus[i], NULL, 64, 0), 2);
        assert_int_equal(constant_requests_of(gpus[i], NULL, 64, 128), 32);
    }
    static const char *const short_l1d[] = {"l1d.line_bytes=32", "l1d.sector_bytes=32", NULL};
    assert_int_equal(constant_requests_of("gtx480", short_l1d, 60, 0), 1);
    assert_int_equal(constant_requests_of("gtx480", short_l1d, 64, 0), 2);
    static const char *const long_l1c[] = {"l1c.line_bytes=128", "l1c.sector_bytes=128", NULL};
    assert_int_equal(constant_requests_of("gtx480", long_l1c, 124, 0), 1);
    assert_int_equal(constant_requests_of("gtx480", long_l1c, 128, 0), 2);
}

/* 64 sets of two ways of 64 bytes hold 8 KB: what was read once is there, and the next line is one
 * too many in its set. A miss brings 64 bytes, with their header three flits of 32. */
static void the_constant_cache_holds_what_its_size_says(void **state)
{
    (void)state;
    static const char *const settings[] = {"n_sms=1", "flush_l1=false", NULL};
    struct probe p = probe_open("gtx480", settings);
    read_constants(&p, 0, 0, 0); /* brings instructions too */
    uint64_t flits = probe_count(&p, "noc.flits_down");
    struct constants c = {0};
    for (uint64_t kb = 0; kb < 8; kb += 2)
        c = read_constants(&p, kb << 10, 64, 128);
    assert_int_equal(c.misses, 128);
    assert_int_equal(c.flits_down - flits, 127 * 3);
    for (uint64_t kb = 0; kb < 8; kb += 2)
        c = read_constants(&p, kb << 10, 64, 128);
    assert_int_equal(c.misses, 128);
    assert_int_equal(c.hits, 1 + 128);
    read_constants(&p, 8192, 0, 0); /* pushes out the line at 0, the oldest of its set */
    assert_int_equal(read_constants(&p, 4096, 0, 0).misses, 129);
    assert_int_equal(read_constants(&p, 0, 0, 0).misses, 130);
    probe_close(&p);
}

/* 32 adjacent words are a line: one store, one load that finds it, and the store of the result.
 * Arguments of a function need no access. */
static void a_variable_by_its_name_is_local_memory(void **state)
{
    (void)state;
    struct probe p = probe_open("gtx480", NULL);
    uint64_t to = probe_alloc(&p, 128, 128);
    uint32_t got[32];
    PROBE_LAUNCH(&p, "named_local", 1, 32, to);
    assert_int_equal(probe_count(&p, "l1d.stores"), 2);
    assert_int_equal(probe_count(&p, "l1d.loads"), 1);
    assert_int_equal(probe_count(&p, "local.store_bytes"), 128);
    assert_int_equal(probe_count(&p, "local.load_bytes"), 128);
    probe_read(&p, to, got, sizeof got);
    assert_int_equal(got[31], 62);
    probe_close(&p);
}

/* DRAM reads of threads that write `words` words of local memory each and read them four times. */
static uint64_t dram_reads_of_local(const char *gpu, uint32_t n_ctas, uint64_t words)
{
    struct probe p = probe_open(gpu, NULL);
    PROBE_LAUNCH(&p, "local_array", n_ctas, 256, words, 4);
    uint64_t n = probe_count(&p, "dram.reads");
    probe_close(&p);
    return n;
}

/* A word of a CTA of 256 threads is 1 KB. What an SM has is more than its L1D holds and is read
 * from L2 again and again. While it is half of L2, only instructions come from DRAM; if it is four
 * times as much, lines do. The array is 1 KB: words that are not touched take no place. */
static void local_memory_that_fits_into_l2_stays_there(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t l2_kb, n_sms;
    } cases[] = {{"gtx480", 768, 15}, {"m2090", 768, 16}, {"ccws", 1024, 30}, {"v100", 6144, 80}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t n_sms = cases[i].n_sms, words = cases[i].l2_kb / n_sms;
        uint64_t half = dram_reads_of_local(cases[i].gpu, n_sms, words / 2);
        uint64_t much = dram_reads_of_local(cases[i].gpu, 4 * n_sms, words);
        print_message("%s: %llu and %llu DRAM reads\n", cases[i].gpu, (unsigned long long)half,
                      (unsigned long long)much);
        assert_true(half < 8);
        assert_true(much > cases[i].l2_kb * 1024 / 128);
    }
}

/* 32 words of one warp are 4 KB. They spread over the sets of L1D, whatever else the machine could
 * hold, so that only what no store brings is missed: stores of v100 leave no line. */
static void the_words_of_a_warp_spread_over_the_sets_of_l1d(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t misses;
    } cases[] = {{"gtx480", 0}, {"gtx480-cawa", 0}, {"m2090", 0}, {"ccws", 0}, {"v100", 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct probe p = probe_open(cases[i].gpu, NULL);
        PROBE_LAUNCH(&p, "local_array", 1, 32, 32, 4);
        assert_int_equal(probe_count(&p, "l1d.loads"), 4 * 32);
        assert_int_equal(probe_count(&p, "l1d.misses"), cases[i].misses);
        assert_int_equal(probe_count(&p, "l1d.evictions"), 0);
        probe_close(&p);
    }
}

/* Stores of v100 write through, each warp's word is a line: as many lines as warps have words. */
static void each_warp_has_local_memory_of_its_own(void **state)
{
    (void)state;
    enum { N_SMS = 80, WARPS = 8, CTAS = 8, WORDS = 4 };
    struct probe p = probe_open("v100", NULL);
    PROBE_LAUNCH(&p, "local_array", N_SMS * CTAS, WARPS * 32, WORDS, 1);
    assert_int_equal(probe_count(&p, "l2.store_misses"), N_SMS * CTAS * WARPS * WORDS);
    probe_close(&p);
}

/* --- the way to memory --- */

/* Partitions that a warp reaches whose lanes are `n_partitions` chunks apart from each other.
 */
static uint32_t partitions_reached(const char *hash)
{
    const char *settings[] = {"n_sms=1", hash, NULL};
    struct probe p = probe_open("v100", settings);
    const struct memory_config *m = &p.config->memory;
    uint64_t scale = (uint64_t)m->n_partitions * m->interleave_bytes, before[64];
    uint64_t from = probe_alloc(&p, 32 * scale, 1 << 20), reached = 0, requests = 0;
    assert_int_equal(m->n_partitions, 64);
    PROBE_LAUNCH(&p, "spread", 1, 32, from, 0); /* brings the instructions */
    for (uint32_t i = 0; i < 64; i++)
        before[i] = machine_slice(p.sim->machine, i)->stats.accesses;
    PROBE_LAUNCH(&p, "spread", 1, 32, from + scale / 2, scale);
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t n = machine_slice(p.sim->machine, i)->stats.accesses - before[i];
        reached += n > 0;
        requests += n;
    }
    assert_int_equal(requests, 32);
    probe_close(&p);
    return (uint32_t)reached;
}

/* Such a stride changes no digit of a chunk's number but the second; their sum is the
 * partition. */
static void strides_meet_in_one_partition_unless_it_is_hashed(void **state)
{
    (void)state;
    assert_int_equal(partitions_reached("memory.hash_partitions=false"), 1);
    assert_int_equal(partitions_reached("memory.hash_partitions=true"), 32);
}

/* --- atomics --- */

/* Core cycles for each of many reductions of a whole warp into one line, all clocks alike. */
static double cycles_per_reduction(const char *rate)
{
    static const char text[] =
        ".version 6.0\n.target sm_30\n.address_size 64\n"
        ".visible .entry reduce(.param .u64 to, .param .u64 n)\n{\n.reg .pred %p;\n"
        ".reg .b32 %t;\n.reg .b64 %a, %n, %x;\nld.param.u64 %a, [to];\nld.param.u64 %n, [n];\n"
        "mov.u32 %t, %tid.x;\nand.b32 %t, %t, 31;\nmul.wide.u32 %x, %t, 4;\n"
        "add.u64 %a, %a, %x;\nAGAIN:\nred.global.add.u32 [%a], 1;\nsub.u64 %n, %n, 1;\n"
        "setp.ne.u64 %p, %n, 0;\n@%p bra AGAIN;\nret;\n}\n";
    const char *settings[] = {
        "n_sms=1", "core_clock_mhz=700", "noc_clock_mhz=700", "l2_clock_mhz=700", rate, NULL};
    enum { N_WARPS = 8, N = 32 };
    struct probe p = probe_open_text("gtx480", settings, text);
    uint64_t to = probe_alloc(&p, 128, 128), cycles[3];
    for (uint32_t i = 0; i < 3; i++) {
        PROBE_LAUNCH(&p, "reduce", 1, N_WARPS * 32, to, i < 2 ? N : 2 * N);
        cycles[i] = probe_count(&p, "cycles");
    }
    probe_close(&p);
    uint64_t short_run = cycles[1] - cycles[0], long_run = cycles[2] - cycles[1];
    return (double)(long_run - short_run) / (N_WARPS * N);
}

static void a_bank_performs_so_many_lanes_a_cycle(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        double cycles;
    } cases[] = {{"memory.atomics_per_cycle=1", 32},
                 {"memory.atomics_per_cycle=2", 16},
                 {"memory.atomics_per_cycle=4", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double got = cycles_per_reduction(cases[i].rate);
        print_message("%s: %.2f cycles a reduction\n", cases[i].rate, got);
        assert_true(got > 0.98 * cases[i].cycles && got < 1.02 * cases[i].cycles);
    }
}

/* --- misses in flight --- */

/* Core cycles for each of many loads that miss L1D and hit L2, one SM alone. */
static double cycles_per_miss(uint32_t n_mshrs)
{
    char mshrs[32];
    snprintf(mshrs, sizeof mshrs, "l1d.n_mshrs=%u", n_mshrs);
    const char *settings[] = {"n_sms=1", mshrs, "scheduler=lrr", NULL};
    struct probe p = probe_open("gtx480", settings);
    uint64_t n_lines = 4096, from = probe_alloc(&p, n_lines * 128, 1 << 20);
    PROBE_LAUNCH(&p, "lines", 1, 256, from, n_lines / 256, 256 * 128); /* brings it into L2 */
    uint64_t before = probe_count(&p, "cycles"), misses = probe_count(&p, "l1d.misses");
    PROBE_LAUNCH(&p, "lines", 1, 256, from, n_lines / 256, 256 * 128);
    misses = probe_count(&p, "l1d.misses") - misses;
    assert_int_equal(misses, n_lines);
    double cycles = (double)(probe_count(&p, "cycles") - before) / (double)misses;
    probe_close(&p);
    return cycles;
}

/* An MSHR is taken two cycles after issue, when L1D is accessed, and free again when the data
 * are there: 156 of the 158 cycles of an unloaded L2 access. A reply occupies the SM's port for
 * five flits. The slower of the two sets the pace; the knee lies at 156 / 5 = 31 MSHRs. The
 * eight warps load in turn: a greedy scheduler holds back those whose loads the unit has room for,
 * and beyond the knee the port rests for a tenth of the time. */
static void misses_are_limited_by_mshrs_then_by_the_port(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 128; n *= 2) {
        double want = 156.0 / n > 5 ? 156.0 / n : 5, got = cycles_per_miss(n);
        print_message("%u MSHRs: %.2f cycles a miss, expected %.2f\n", n, got, want);
        assert_true(got > 0.99 * want && got < 1.02 * want);
    }
}

/* Core cycles per load that misses L1D and hits L2, for SMs that share a port. */
static double cycles_per_shared_miss(uint32_t n_sms, uint32_t sms_per_port)
{
    char sms[32], port[32];
    snprintf(sms, sizeof sms, "n_sms=%u", n_sms);
    snprintf(port, sizeof port, "noc.sms_per_port=%u", sms_per_port);
    const char *settings[] = {sms, port, "l1d.n_mshrs=128", "noc.buffer_flits=256", NULL};
    struct probe p = probe_open("gtx480", settings);
    uint64_t n_times = 8, n_lines = n_times * n_sms * 256;
    uint64_t from = probe_alloc(&p, n_lines * 128, 1 << 20), before = 0;
    for (uint32_t i = 0; i < 2; i++) { /* the first time brings it into L2 */
        before = probe_count(&p, "cycles");
        PROBE_LAUNCH(&p, "lines", n_sms, 256, from, n_times, n_sms * 256 * 128);
    }
    double cycles = (double)(probe_count(&p, "cycles") - before) / (double)(n_times * 256);
    probe_close(&p);
    return cycles;
}

/* A reply has five flits: each SM gets one in five cycles, and in ten or fifteen if two or three
 * share a port. Of three SMs of which two share one, those two are the last. */
static void sms_may_share_a_port(void **state)
{
    (void)state;
    static const struct {
        uint32_t n_sms, sms_per_port;
        double cycles;
    } cases[] = {{1, 1, 5}, {1, 3, 5}, {2, 1, 5}, {2, 2, 10}, {2, 3, 10}, {3, 2, 10}, {3, 3, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double got = cycles_per_shared_miss(cases[i].n_sms, cases[i].sms_per_port);
        print_message("%u SMs, %u a port: %.2f cycles a miss, expected %.0f\n", cases[i].n_sms,
                      cases[i].sms_per_port, got, cases[i].cycles);
        assert_true(got > 0.99 * cases[i].cycles && got < 1.05 * cases[i].cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_is_coalesced_into_lines),
        cmocka_unit_test(half_warps_are_coalesced_apart),
        cmocka_unit_test(a_unit_stride_load_moves_one_line),
        cmocka_unit_test(a_load_fetches_the_sectors_that_its_lanes_touch),
        cmocka_unit_test(a_line_may_lack_the_sector_asked_for),
        cmocka_unit_test(shared_memory_serves_a_word_of_each_bank_in_a_pass),
        cmocka_unit_test(shared_accesses_wait_for_each_other_s_passes),
        cmocka_unit_test(local_and_constant_accesses_hit_their_caches),
        cmocka_unit_test(constants_are_coalesced_into_lines_of_their_own_cache),
        cmocka_unit_test(the_constant_cache_holds_what_its_size_says),
        cmocka_unit_test(a_variable_by_its_name_is_local_memory),
        cmocka_unit_test(local_memory_that_fits_into_l2_stays_there),
        cmocka_unit_test(the_words_of_a_warp_spread_over_the_sets_of_l1d),
        cmocka_unit_test(each_warp_has_local_memory_of_its_own),
        cmocka_unit_test(strides_meet_in_one_partition_unless_it_is_hashed),
        cmocka_unit_test(a_bank_performs_so_many_lanes_a_cycle),
        cmocka_unit_test(misses_are_limited_by_mshrs_then_by_the_port),
        cmocka_unit_test(sms_may_share_a_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
