/* A DRAM channel against charts written by hand from the data sheet rules with the timings of
 * GPGPU-Sim's GTX 480: CCD 2, CCDL 3, RRD 6, RCD 12, RAS 28, RP 12, RC 40, CL 12, WL 4, CDLR 5,
 * WR 12, RTP 2, a burst of 2 cycles. A request pushed at cycle 0 may be served from cycle 1 on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_driver.h"
#include "unit/random_bits.h"

enum { BURST = 64, LINE = 128 };

struct bench {
    struct dram *dram;
    struct command_log *log;
    uint64_t now; /* the next cycle to tick */
    uint64_t done_at[4096];
};

static struct bench bench_new(struct dram_config c)
{
    struct bench b = {.dram = dram_create(&c), .log = calloc(1, sizeof *b.log)};
    dram_observe(b.dram, log_command, b.log);
    return b;
}

static void bench_free(struct bench *b)
{
    dram_destroy(b->dram);
    free(b->log);
}

/* Ticks up to and without `end`; notes when the request of each tag was done. */
static void run_to(struct bench *b, uint64_t end)
{
    for (; b->now < end; b->now++) {
        struct dram_done r;
        dram_tick(b->dram, b->now);
        while (dram_pop(b->dram, b->now, &r))
            b->done_at[r.tag] = b->now;
    }
}

static void push(struct bench *b, struct dram_request r)
{
    dram_push(b->dram, &r, b->now - 1);
}

struct expected {
    uint64_t at;
    enum dram_command_kind kind;
    uint64_t tag;
};

/* The commands given from the `from`-th on are exactly these. */
static void assert_commands(const struct bench *b, uint32_t from, const struct expected *chart,
                            uint32_t n)
{
    assert_int_equal(b->log->n, from + n);
    for (uint32_t i = 0; i < n; i++) {
        const struct dram_command *c = &b->log->items[from + i];
        assert_int_equal(c->at, chart[i].at);
        assert_int_equal(c->kind, chart[i].kind);
        assert_int_equal(c->tag, chart[i].tag);
    }
}
#define ASSERT_COMMANDS(b, from, ...)                                                              \
    assert_commands(b, from, (struct expected[]){__VA_ARGS__},                                     \
                    sizeof((struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

/* A bench whose bank 0 has row 5 open and nothing else to remember, at cycle 101. */
static struct bench bench_with_open_row(struct dram_config c)
{
    struct bench b = bench_new(c);
    b.now = 1;
    push(&b, dram_read(0, 5, BURST, 0));
    run_to(&b, 101);
    b.log->n = 0;
    return b;
}

static void row_empty_read_takes_rcd_cl_and_a_burst(void **state)
{
    (void)state;
    struct bench b = bench_new(gtx480_dram());
    struct dram_done out;
    b.now = 1;
    push(&b, dram_read(3, 5, BURST, 77));
    run_to(&b, 27);
    assert_false(dram_pop(b.dram, 26, &out));
    assert_int_equal(dram_next(b.dram, 26), 27);
    assert_true(dram_pop(b.dram, 27, &out));
    assert_int_equal(out.at, 27);
    assert_int_equal(out.tag, 77);
    assert_false(out.write);
    ASSERT_COMMANDS(&b, 0, {1, DRAM_ACTIVATE, 77}, {13, DRAM_READ, 77});
    assert_int_equal(dram_next(b.dram, 28), UINT64_MAX);
    bench_free(&b);
}

static void row_hit_takes_cl_and_a_burst(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    struct dram_done out;
    push(&b, dram_read(0, 5, BURST, 1));
    run_to(&b, 115);
    assert_false(dram_pop(b.dram, 114, &out));
    assert_true(dram_pop(b.dram, 115, &out));
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1});
    assert_int_equal(dram_stats(b.dram)->row_hits, 1);
    bench_free(&b);
}

static void row_conflict_adds_precharge_and_activate(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_read(0, 6, BURST, 1));
    run_to(&b, 200);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_PRECHARGE, 1}, {113, DRAM_ACTIVATE, 1}, {125, DRAM_READ, 1});
    assert_int_equal(b.done_at[1], 139);
    bench_free(&b);
}

static void early_conflict_waits_for_ras_and_rc(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    c.t_rc = 45; /* longer than RAS + RP, so that both can be seen */
    struct bench b = bench_new(c);
    b.now = 1;
    push(&b, dram_read(0, 5, BURST, 0));
    push(&b, dram_read(0, 6, BURST, 1));
    run_to(&b, 100);
    ASSERT_COMMANDS(&b, 0, {1, DRAM_ACTIVATE, 0}, {13, DRAM_READ, 0},
                    {29, DRAM_PRECHARGE, 1} /* 1 + RAS */, {46, DRAM_ACTIVATE, 1} /* 1 + RC */,
                    {58, DRAM_READ, 1});
    bench_free(&b);
}

static void precharge_waits_for_rtp_after_a_read(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    c.t_rtp = 9;
    struct bench b = bench_with_open_row(c);
    push(&b, dram_read(0, 5, BURST, 1));
    push(&b, dram_read(0, 6, BURST, 2));
    run_to(&b, 112);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1}, {110, DRAM_PRECHARGE, 2});
    bench_free(&b);
}

static void precharge_waits_for_write_recovery(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_write(0, 5, BURST, 1));
    push(&b, dram_write(0, 6, BURST, 2));
    run_to(&b, 121);
    /* 101 + WL 4 + burst 2 + WR 12 */
    ASSERT_COMMANDS(&b, 0, {101, DRAM_WRITE, 1}, {119, DRAM_PRECHARGE, 2});
    assert_int_equal(b.done_at[1], 101); /* a write is done when commanded */
    bench_free(&b);
}

static void activates_are_rrd_apart(void **state)
{
    (void)state;
    struct bench b = bench_new(gtx480_dram());
    b.now = 1;
    for (uint32_t bank = 0; bank < 3; bank++)
        push(&b, dram_read(bank, 5, BURST, bank));
    run_to(&b, 60);
    ASSERT_COMMANDS(&b, 0, {1, DRAM_ACTIVATE, 0}, {7, DRAM_ACTIVATE, 1}, {13, DRAM_READ, 0},
                    {14, DRAM_ACTIVATE, 2} /* a read at 13 comes first */, {19, DRAM_READ, 1},
                    {26, DRAM_READ, 2});
    bench_free(&b);
}

static void bursts_of_a_line_are_ccdl_apart_in_a_bank_group(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_read(0, 5, LINE, 1));
    run_to(&b, 140);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1}, {104, DRAM_READ, 1});
    assert_int_equal(b.done_at[1], 118);
    bench_free(&b);
}

static void without_bank_groups_bursts_are_ccd_apart(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    c.n_bank_groups = 1;
    struct bench b = bench_with_open_row(c);
    push(&b, dram_read(0, 5, LINE, 1));
    run_to(&b, 140);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1}, {103, DRAM_READ, 1});
    assert_int_equal(b.done_at[1], 117);
    bench_free(&b);
}

/* Banks 0 and 4 share a group, bank 1 is in another: its burst fits between two of the others. */
static void other_bank_groups_fill_the_gaps(void **state)
{
    (void)state;
    struct bench b = bench_new(gtx480_dram());
    b.now = 1;
    push(&b, dram_read(0, 5, BURST, 0));
    push(&b, dram_read(4, 5, BURST, 0));
    push(&b, dram_read(1, 5, BURST, 0));
    run_to(&b, 101);
    b.log->n = 0;
    push(&b, dram_read(0, 5, BURST, 1));
    push(&b, dram_read(4, 5, BURST, 2));
    push(&b, dram_read(1, 5, BURST, 3));
    run_to(&b, 140);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1}, {103, DRAM_READ, 3}, {105, DRAM_READ, 2});
    bench_free(&b);
}

static void read_after_write_waits_for_cdlr(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_write(0, 5, BURST, 1));
    run_to(&b, 102);
    push(&b, dram_read(0, 5, BURST, 2));
    run_to(&b, 140);
    /* 101 + WL 4 + burst 2 + CDLR 5 */
    ASSERT_COMMANDS(&b, 0, {101, DRAM_WRITE, 1}, {112, DRAM_READ, 2});
    bench_free(&b);
}

static void write_after_read_leaves_the_bus_two_cycles(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_read(0, 5, BURST, 1));
    push(&b, dram_write(0, 5, BURST, 2));
    run_to(&b, 140);
    /* data read 113 and 114, two cycles free, data written from 117 on: command at 117 - WL */
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 1}, {113, DRAM_WRITE, 2});
    bench_free(&b);
}

static void row_hits_pass_an_older_conflict(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_read(0, 6, BURST, 1));
    push(&b, dram_read(0, 5, BURST, 2));
    push(&b, dram_read(0, 5, BURST, 3));
    run_to(&b, 160);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_READ, 2}, {104, DRAM_READ, 3}, {106, DRAM_PRECHARGE, 1},
                    {118, DRAM_ACTIVATE, 1}, {130, DRAM_READ, 1});
    bench_free(&b);
}

static void fcfs_serves_in_order_of_arrival(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    c.scheduler = DRAM_FCFS;
    struct bench b = bench_with_open_row(c);
    push(&b, dram_read(0, 6, BURST, 1));
    push(&b, dram_read(0, 5, BURST, 2));
    run_to(&b, 200);
    ASSERT_COMMANDS(&b, 0, {101, DRAM_PRECHARGE, 1}, {113, DRAM_ACTIVATE, 1}, {125, DRAM_READ, 1},
                    {141, DRAM_PRECHARGE, 2} /* 113 + RAS */, {153, DRAM_ACTIVATE, 2},
                    {165, DRAM_READ, 2});
    bench_free(&b);
}

/* While the oldest request's bank works, FR-FCFS opens others; FCFS leaves them alone. */
static void only_fr_fcfs_overlaps_banks(void **state)
{
    (void)state;
    for (uint32_t scheduler = DRAM_FR_FCFS; scheduler <= DRAM_FCFS; scheduler++) {
        struct dram_config c = gtx480_dram();
        c.scheduler = scheduler;
        struct bench b = bench_new(c);
        b.now = 1;
        push(&b, dram_read(0, 5, BURST, 1));
        push(&b, dram_read(1, 5, BURST, 2));
        run_to(&b, 60);
        assert_int_equal(b.done_at[1], 27);
        assert_int_equal(b.done_at[2], scheduler == DRAM_FCFS ? 40 : 33);
        bench_free(&b);
    }
}

/* The starvation that dram.c documents: as long as row hits arrive, the older conflict waits. */
static void an_endless_row_hit_stream_starves_a_conflict(void **state)
{
    (void)state;
    struct bench b = bench_with_open_row(gtx480_dram());
    push(&b, dram_read(0, 6, BURST, 1));
    push(&b, dram_read(0, 5, BURST, 2)); /* one is always waiting while another is served */
    while (b.now < 1000) {
        push(&b, dram_read(0, 5, BURST, 2));
        run_to(&b, b.now + 3);
    }
    assert_int_equal(b.done_at[1], 0);
    run_to(&b, 1100);
    assert_in_range(b.done_at[1], 1000, 1050);
    bench_free(&b);
}

/* Keeps the queue full with n lines of one partition; returns bus use in per mille. */
static uint64_t bus_use(struct dram_config c, const struct address_map *map,
                        struct dram_request (*make)(const struct address_map *map, uint32_t i),
                        uint32_t n)
{
    struct bench b = bench_new(c);
    b.now = 1;
    for (uint32_t sent = 0; sent < n || !dram_is_idle(b.dram);) {
        for (; sent < n && dram_has_room(b.dram); sent++)
            push(&b, make(map, sent));
        run_to(&b, b.now + 1);
    }
    uint64_t use = dram_stats(b.dram)->busy_cycles * 1000 / b.now;
    assert_int_equal(dram_stats(b.dram)->bytes, (uint64_t)n * LINE);
    bench_free(&b);
    return use;
}

static struct dram_request read_at(const struct address_map *map, uint64_t address)
{
    struct dram_address a = address_split(map, address);
    return dram_read(a.bank, a.row, LINE, 0);
}

static struct dram_request next_line(const struct address_map *map, uint32_t i)
{
    return read_at(map, (uint64_t)i * LINE);
}

static struct dram_request next_row(const struct address_map *map, uint32_t i)
{
    return read_at(map, (uint64_t)i * map->row_bytes);
}

/* Reads and writes in turn, 64 MB apart, each stream in disorder within 64 lines. */
static struct dram_request copied_line(const struct address_map *map, uint32_t i)
{
    uint64_t seed = i, disorder = random_u64(&seed) % 64;
    struct dram_request r = read_at(map, (i / 2 ^ disorder) * LINE + i % 2 * (UINT64_C(64) << 20));
    r.write = i % 2;
    return r;
}

static struct address_map one_partition(const struct dram_config *c, uint32_t bank_interleave)
{
    return (struct address_map){.n_partitions = 1,
                                .interleave_bytes = 256,
                                .n_banks = c->n_banks,
                                .row_bytes = c->row_bytes,
                                .bank_interleave_bytes = bank_interleave};
}

static void streaming_row_hits_fill_the_bus(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    struct address_map map = one_partition(&c, 256);
    assert_in_range(bus_use(c, &map, next_line, 4000), 985, 1000);
}

/* Two bursts take two CCDL of 3 cycles, 4 of which carry data, unless there are no groups. */
static void a_stream_within_a_bank_group_is_bound_by_ccdl(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    struct address_map map = one_partition(&c, 0);
    map.row_bytes = 1 << 20; /* all of it in one row */
    assert_in_range(bus_use(c, &map, next_line, 4000), 660, 667);
    c.n_bank_groups = 1;
    assert_in_range(bus_use(c, &map, next_line, 4000), 990, 1000);
}

/* Turning the bus between reads and writes costs; a deeper queue makes the turns fewer. The values
 * are those that doc/dram.md gives. */
static void a_copy_uses_the_bus_better_with_a_deeper_queue(void **state)
{
    (void)state;
    static const struct {
        uint32_t queue_entries, bank_interleave, per_mille;
    } measured[] = {{16, 512, 859}, {32, 512, 929}, {64, 512, 962}, {16, 4096, 744}};
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        struct dram_config c = gtx480_dram();
        c.queue_entries = measured[i].queue_entries;
        struct address_map map = one_partition(&c, measured[i].bank_interleave);
        assert_in_range(bus_use(c, &map, copied_line, 20000), measured[i].per_mille - 5,
                        measured[i].per_mille + 5);
    }
}

static void new_rows_in_one_bank_are_rc_apart(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    struct address_map map = one_partition(&c, 0);
    map.n_banks = 1;
    /* 4 data cycles in each RC of 40 */
    assert_in_range(bus_use(c, &map, next_row, 500), 98, 100);
}

static void new_rows_everywhere_are_rrd_apart(void **state)
{
    (void)state;
    struct dram_config c = gtx480_dram();
    struct address_map map = one_partition(&c, 0);
    c.t_rrd = 16;
    /* 4 data cycles to each activate of 16 */
    assert_in_range(bus_use(c, &map, next_row, 500), 230, 250);
}

static void parameters_default_to_the_gtx480(void **state)
{
    (void)state;
    struct dram_config parsed = {0}, expected = gtx480_dram();
    struct arena arena = {0};
    struct strbuf why = {0};
    for (uint32_t i = 0; i < n_dram_params; i++)
        assert_true(
            param_store(&dram_params[i], &parsed, dram_params[i].default_text, &arena, &why));
    /* The struct may be padded after its last member. */
    assert_memory_equal(&parsed, &expected, offsetof(struct dram_config, permute_banks));
    assert_int_equal(parsed.permute_banks, expected.permute_banks);
    arena_destroy(&arena);
    strbuf_destroy(&why);
}

static void a_waiting_channel_says_what_comes_next(void **state)
{
    (void)state;
    struct bench b = bench_new(gtx480_dram());
    struct strbuf text = {0};
    dram_describe_wait(b.dram, &text);
    assert_string_equal(strbuf_text(&text), "");
    b.now = 1;
    push(&b, dram_read(3, 9, BURST, 1));
    run_to(&b, 2);
    dram_describe_wait(b.dram, &text);
    assert_string_equal(strbuf_text(&text), "DRAM: 1 of 64 queue entries in use; "
                                            "next command at cycle 13: read bank 3 row 9\n");
    run_to(&b, 13);
    assert_int_equal(dram_n_read(b.dram), 0);
    run_to(&b, 14); /* cycle 13 is over, its data are still to come */
    assert_int_equal(dram_n_read(b.dram), 1);
    strbuf_clear(&text);
    dram_describe_wait(b.dram, &text);
    assert_string_equal(strbuf_text(&text), "");
    strbuf_destroy(&text);
    bench_free(&b);
}

static void broken_counters_are_reported(void **state)
{
    (void)state;
    struct dram_stats good = {.reads = 3, .writes = 1, .row_hits = 2, .activates = 2};
    struct dram_stats lost = good, mistimed = good;
    struct strbuf why = {0};
    lost.reads--;
    mistimed.queue_stays++;
    assert_true(dram_stats_check(&good, &why));
    assert_false(dram_stats_check(&lost, &why));
    assert_string_equal(strbuf_text(&why),
                        "dram: reads + writes = row_hits + activates: 3 is not 4\n");
    assert_false(dram_stats_check(&mistimed, &why));
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_empty_read_takes_rcd_cl_and_a_burst),
        cmocka_unit_test(row_hit_takes_cl_and_a_burst),
        cmocka_unit_test(row_conflict_adds_precharge_and_activate),
        cmocka_unit_test(early_conflict_waits_for_ras_and_rc),
        cmocka_unit_test(precharge_waits_for_rtp_after_a_read),
        cmocka_unit_test(precharge_waits_for_write_recovery),
        cmocka_unit_test(activates_are_rrd_apart),
        cmocka_unit_test(bursts_of_a_line_are_ccdl_apart_in_a_bank_group),
        cmocka_unit_test(without_bank_groups_bursts_are_ccd_apart),
        cmocka_unit_test(other_bank_groups_fill_the_gaps),
        cmocka_unit_test(read_after_write_waits_for_cdlr),
        cmocka_unit_test(write_after_read_leaves_the_bus_two_cycles),
        cmocka_unit_test(row_hits_pass_an_older_conflict),
        cmocka_unit_test(fcfs_serves_in_order_of_arrival),
        cmocka_unit_test(only_fr_fcfs_overlaps_banks),
        cmocka_unit_test(an_endless_row_hit_stream_starves_a_conflict),
        cmocka_unit_test(streaming_row_hits_fill_the_bus),
        cmocka_unit_test(a_stream_within_a_bank_group_is_bound_by_ccdl),
        cmocka_unit_test(a_copy_uses_the_bus_better_with_a_deeper_queue),
        cmocka_unit_test(new_rows_in_one_bank_are_rc_apart),
        cmocka_unit_test(new_rows_everywhere_are_rrd_apart),
        cmocka_unit_test(parameters_default_to_the_gtx480),
        cmocka_unit_test(a_waiting_channel_says_what_comes_next),
        cmocka_unit_test(broken_counters_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
