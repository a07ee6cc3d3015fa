/* Scripts for the bench of slice_bench.h, and their expected results. */
#include "unit/slice/slice_bench.h"

static struct script script; /* of the test that runs */

struct script *new_script(void)
{
    memset(&script, 0, sizeof script);
    script.port_flits = 1;
    script.config = (struct slice_config){.memory = {.banks = 2,
                                                     .input_queue = 4,
                                                     .rop_latency = 20,
                                                     .l2_latency = 5,
                                                     .dram_latency = 7,
                                                     .dram_queue = 8,
                                                     .reply_queue = 4,
                                                     .atomics_per_cycle = 1},
                                          .l2 = {.n_sets = 16,
                                                 .n_ways = 8,
                                                 .line_bytes = LINE,
                                                 .sector_bytes = LINE,
                                                 .n_mshrs = 16,
                                                 .mshr_merges = 8,
                                                 .allocate_on_fill = true,
                                                 .write_back = true,
                                                 .write_allocate = true},
                                          .l2_policy = cache_policy_find("lru"),
                                          .atomics = atomics_find("at_l2"),
                                          .noc = {.flit_bytes = LINE,
                                                  .header_bytes = 8,
                                                  .max_data_bytes = LINE,
                                                  .latency_cycles = LATENCY,
                                                  .flits_per_cycle_up = 1,
                                                  .flits_per_cycle_down = 1},
                                          .dram = {.n_banks = 4,
                                                   .n_bank_groups = 1,
                                                   .row_bytes = 1024,
                                                   .bus_bytes_per_cycle = 64,
                                                   .burst_cycles = 2, /* a line is one burst */
                                                   .queue_entries = 16,
                                                   .t_ccd = 2,
                                                   .t_rrd = 4,
                                                   .t_rcd = 9,
                                                   .t_ras = 20,
                                                   .t_rp = 8,
                                                   .t_rc = 28,
                                                   .t_cl = 11,
                                                   .t_wl = 4,
                                                   .t_cdlr = 5,
                                                   .t_wr = 12,
                                                   .t_rtp = 4}};
    return &script;
}

uint32_t add_ask(struct script *s, uint32_t sm, struct ask a)
{
    assert_true(s->n_asks[sm] < MAX_ASKS);
    s->asks[sm][s->n_asks[sm]] = a;
    return s->n_asks[sm]++;
}

uint32_t add_load(struct script *s, uint32_t sm, uint64_t from, uint32_t line)
{
    return add_ask(s, sm, (struct ask){.from = from, .kind = MEM_LOAD, .line = line});
}

uint32_t add_atomic(struct script *s, uint32_t sm, uint64_t from, uint32_t line, uint32_t lanes)
{
    return add_ask(s, sm,
                   (struct ask){.from = from,
                                .kind = MEM_ATOMIC,
                                .line = line,
                                .segments = 1,
                                .lanes = lanes,
                                .add = 1});
}

void warm_lines(struct script *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_load(s, 0, 0, i);
}

const struct ask *ask_of(const struct bench *b, uint32_t sm, uint32_t i)
{
    return &b->s.asks[sm][i];
}

uint64_t latency(const struct bench *b, uint32_t sm, uint32_t i)
{
    const struct ask *a = ask_of(b, sm, i);
    assert_true(a->answered > a->sent);
    return a->answered - a->sent;
}

uint64_t way_up(uint32_t flits, const struct script *s)
{
    return 2 * flits + LATENCY + s->config.memory.rop_latency;
}
uint64_t way_down(uint32_t flits, const struct script *s)
{
    return s->config.memory.l2_latency + 2 * flits + LATENCY;
}
uint64_t hit_latency(const struct script *s)
{
    return way_up(HEADER_FLITS, s) + way_down(LINE_FLITS, s);
}
