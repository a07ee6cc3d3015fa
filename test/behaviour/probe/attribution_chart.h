/* Charts of attribution, written by hand: one letter a cycle and warp, from its assignment (cycle
 * 0) to its exit, by both engines.
 *
 *   S scheduling   B sync (barrier)   F fetch   C control hazard   D data hazard
 *   M data cache miss   R MSHR   U structural hazard (unit)   X it issues
 *
 * "D4" stands for DDDD; blanks are for the eye. What the charts rely on, from doc/machine.md: one
 * fetch a cycle brings all instructions here, so warp w can issue from cycle w + 1 on; a move of a
 * constant can be used 5 cycles after its issue, an addition 6; the load/store unit sees a load 2
 * cycles after its issue; data from L2 can be used 120 cycles after it, from L1D 3; a return waits
 * for all results. */
#ifndef HEDDLE_TEST_ATTRIBUTION_CHART_H
#define HEDDLE_TEST_ATTRIBUTION_CHART_H

#include "behaviour/probe/probe.h"

enum { MAX_WARPS = 4, MAX_CYCLES = 512 };

struct chart {
    uint64_t start;
    char letters[MAX_WARPS][MAX_CYCLES];
    uint64_t counted[MAX_WARPS][N_LATENCIES]; /* as the record of the warp has them */
    uint64_t next[MAX_WARPS];                 /* where the next span must begin */
    bool has_ended[MAX_WARPS];
};
static struct chart chart;
static const char letters[N_LATENCIES + 1] = "SBFCDMRUX";

static inline void note_start(void *user, uint32_t slot, uint64_t now)
{
    struct chart *c = user;
    c->start = now;
    c->next[slot] = now;
}

static inline void note_span(void *user, const struct latency_span *s)
{
    struct chart *c = user;
    assert_in_range(s->slot, 0, MAX_WARPS - 1);
    assert_int_equal(s->from, c->next[s->slot]); /* no gap, no overlap */
    assert_in_range(s->to - c->start, 1, MAX_CYCLES - 1);
    c->next[s->slot] = s->to;
    memset(&c->letters[s->slot][s->from - c->start], letters[s->latency], s->to - s->from);
}

static inline void note_end(void *user, const struct warp_latency *w)
{
    struct chart *c = user;
    assert_int_equal(w->start, c->start);
    assert_int_equal(w->end, c->next[w->slot]);
    memcpy(c->counted[w->slot], w->cycles, sizeof w->cycles);
    c->has_ended[w->slot] = true;
}

/* "X D4" -> "XDDDD" */
static inline void expand(const char *text, char *out)
{
    char *end = out;
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        char *rest;
        long n = strtol(text + 1, &rest, 10);
        n = rest == text + 1 ? 1 : n;
        assert_in_range(end - out + n, 1, MAX_CYCLES - 1);
        memset(end, *text, (size_t)n);
        end += n;
        text = rest - 1;
    }
    *end = '\0';
}

static inline void expect_warp(uint32_t warp, const char *text)
{
    char expected[MAX_CYCLES];
    expand(text, expected);
    assert_string_equal(chart.letters[warp], expected);
    assert_true(chart.has_ended[warp]);
    for (uint32_t i = 0; i < N_LATENCIES; i++) {
        uint64_t n = 0;
        for (const char *l = expected; *l; l++)
            n += *l == letters[i];
        assert_int_equal(chart.counted[warp][i], n);
    }
}

/* All that the charts rely on. L2 is 3 + (1 + 12 + 1) + 73 + 10 + (3 + 12 + 5) = 120 cycles away:
 * up to L1D's miss queue, a request of one flit, L2, a line of five that leave two at a time. */
static const char *const machine[] = {"n_sms=1",
                                      "sm.n_schedulers=1",
                                      "sm.fetch_insts=8",
                                      "sm.ibuffer_entries=8",
                                      "core_clock_mhz=700",
                                      "noc_clock_mhz=700",
                                      "l2_clock_mhz=700",
                                      "noc.latency_cycles=12",
                                      "memory.banks=2",
                                      "memory.rop_latency=73",
                                      "memory.l2_latency=10",
                                      NULL};

static inline struct probe open_chart(const char *const *more, const char *body, bool every_cycle)
{
    static const char *settings[24];
    struct heddle_options o = {.struct_size = sizeof o,
                               .timing = true,
                               .attribute = true,
                               .every_cycle = every_cycle,
                               .settings = settings};
    while (machine[o.n_settings]) {
        settings[o.n_settings] = machine[o.n_settings];
        o.n_settings++;
    }
    while (more && *more)
        settings[o.n_settings++] = *more++;
    struct probe p = {0};
    if (heddle_create(&o, &p.sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    char text[2048];
    int n =
        snprintf(text, sizeof text,
                 ".version 6.0\n.target sm_30\n.address_size 64\n"
                 ".global .align 128 .b8 data[512];\n"
                 ".visible .entry chart()\n{\n.reg .u32 %%x, %%y, %%z;\n.reg .f32 %%a, %%b, %%c, "
                 "%%d;\n.reg .u64 %%p;\n%s}\n",
                 body);
    if (heddle_load(p.sim, HEDDLE_PTX, "chart", text, (size_t)n, NULL, &p.module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    p.config = p.sim->config;
    return p;
}

static inline void listen_to(struct probe *p)
{
    memset(&chart, 0, sizeof chart);
    attribution_listen(machine_sm(p->sim->machine, 0)->attribution,
                       &(struct attribution_listener){note_start, note_span, note_end, &chart});
}

/* A first launch brings instructions and data; the second is drawn. L1D starts empty, L2 does not;
 * warp 0 is the next to be fetched for. */
static inline void expect_chart(const char *const *settings, const char *body, uint32_t n_warps,
                                const char *const *warps)
{
    for (int every_cycle = 0; every_cycle < 2; every_cycle++) {
        struct probe p = open_chart(settings, body, every_cycle);
        probe_launch(&p, "chart", 1, n_warps * 32, 0, NULL);
        machine_sm(p.sim->machine, 0)->fetch.last = n_warps - 1;
        listen_to(&p);
        probe_launch(&p, "chart", 1, n_warps * 32, 0, NULL);
        for (uint32_t w = 0; w < n_warps; w++)
            expect_warp(w, warps[w]);
        probe_close(&p);
    }
}

#define CHART(settings, body, ...)                                                                 \
    expect_chart(settings, body, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),           \
                 (const char *const[]){__VA_ARGS__})
#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
