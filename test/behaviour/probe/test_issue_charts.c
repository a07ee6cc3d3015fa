/* Charts of issue, written by hand: one character a cycle, the warp that issues or '.'.
 *
 * Four warps of one CTA run
 *     a: x = 1     b: p = 1 < 2     c: if (p) x = x + 1     d: x = x + 1     e: ret
 * on an SM that fetches all of it at once, so that warp w can issue from cycle w + 1 on (one fetch
 * a cycle). The result of an addition can be used 6 cycles after issue: one to read operands, one
 * to reach the unit, four in it; what reads no register takes 5. So c waits for b + 5, d for c + 6,
 * and the return, which waits for all results, for d + 6. A warp has one register only, in a bank
 * of its own, and its predicate in none: no bank is wanted twice. */
#include "probe.h"

static const char kernel[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                             ".visible .entry chart()\n{\n.reg .u32 %x;\n.reg .pred %p;\n"
                             "mov.u32 %x, 1;\nsetp.lt.u32 %p, 1, 2;\n"
                             "@%p add.u32 %x, %x, 1;\nadd.u32 %x, %x, 1;\nret;\n}\n"
                             ".visible .entry meet()\n{\n.reg .u32 %x;\n"
                             "mov.u32 %x, 1;\nbar.sync 0;\nret;\n}\n";

static struct issue_trace trace;

enum { MAX_CYCLES = 64 };

static void draw(uint32_t scheduler, char *chart)
{
    uint64_t start = trace.items[0].cycle;
    memset(chart, '.', MAX_CYCLES);
    uint64_t end = 0;
    for (uint32_t i = 0; i < trace.n; i++) {
        if (trace.items[i].scheduler != scheduler)
            continue;
        uint64_t at = trace.items[i].cycle - start;
        assert_in_range(at, end, MAX_CYCLES - 2); /* one a cycle */
        chart[at] = (char)('0' + trace.items[i].slot);
        end = at + 1;
    }
    chart[end] = '\0';
}

static void expect_chart_of(const char *entry, uint32_t n_insts, const char *scheduler,
                            const char *more, uint32_t n_schedulers, const char *const *charts)
{
    char name[64], n[32], chart[MAX_CYCLES];
    snprintf(name, sizeof name, "scheduler=%s", scheduler);
    snprintf(n, sizeof n, "sm.n_schedulers=%u", n_schedulers);
    const char *settings[] = {"n_sms=1", "sm.fetch_insts=8", "sm.ibuffer_entries=8", name, n, more,
                              NULL};
    struct probe p = probe_open_text("gtx480", settings, kernel);
    probe_launch(&p, entry, 1, 128, 0, NULL);      /* brings the instructions */
    machine_sm(p.sim->machine, 0)->fetch.last = 3; /* the next fetch is warp 0's */
    probe_trace(&p, &trace);
    probe_launch(&p, entry, 1, 128, 0, NULL);
    assert_int_equal(trace.n, 4 * n_insts);
    for (uint32_t s = 0; s < n_schedulers; s++) {
        draw(s, chart);
        assert_string_equal(chart, charts[s]);
    }
    probe_close(&p);
}

static void expect_chart(const char *scheduler, const char *more, uint32_t n_schedulers,
                         const char *const *charts)
{
    expect_chart_of("chart", 5, scheduler, more, n_schedulers, charts);
}

/* Each in turn: four cycles later every warp is ready again, until c must wait. */
static void lrr_takes_each_in_turn(void **state)
{
    (void)state;
    const char *chart = "01230123.0123..0123..0123";
    /*       instruction aaaabbbb cccc  dddd  eeee */
    expect_chart("lrr", NULL, 1, &chart);
}

/* Stays with a warp until it stalls: warp 3 continues with b in cycle 9 although warp 1, which is
 * older, is ready again. */
static void gto_stays_with_a_warp(void **state)
{
    (void)state;
    const char *chart = "00112203312.03.12.03.12..3";
    /*       instruction abababcabcc dc dd ed ee  e */
    expect_chart("gto", NULL, 1, &chart);
}

/* Leaves warp 3 for the older warp 1 in cycle 9. */
static void oldest_goes_back_to_the_oldest(void **state)
{
    (void)state;
    const char *chart = "00112203132.0.132.0.132....3";
    /*       instruction abababcacbc d dcd e ede    e */
    expect_chart("oldest", NULL, 1, &chart);
}

/* Two warps at a time: 2 may begin when 0 has ended, 3 when 1 has. */
static void swl_lets_two_warps_run(void **state)
{
    (void)state;
    const char *chart = "0011..0.1...0.1...022133.2..3..2..3..2..3";
    /*       instruction abab  c c   d d   eabeab c  c  d  d  e  e */
    expect_chart("swl", "scheduler.limit=2", 1, &chart);
}

/* Even warps belong to one scheduler, odd ones to the other, which starts a cycle later. */
static void two_schedulers_issue_side_by_side(void **state)
{
    (void)state;
    const char *charts[] = {"0022..0.2...0.2...0.2",   /* abab  c c   d d   e e */
                            ".1133..1.3...1.3...1.3"}; /* abab  c c   d d   e e, one later */
    expect_chart("gto", NULL, 2, charts);
}

/* After warp 2 it is warp 3's turn, though warp 0, which is older, is ready again in cycle 6. */
static void gtrr_goes_on_with_the_next_warp(void **state)
{
    (void)state;
    const char *chart = "00112233012.3.012.3.012.3";
    /*       instruction ababababccc c ddd d eee e */
    expect_chart("gtrr", NULL, 1, &chart);
}

/* Two groups of two. No warp waits for long, so the first group keeps its turn to its end although
 * it has nothing to issue most of the time. */
static void two_level_does_not_switch_at_short_stalls(void **state)
{
    (void)state;
    const char *chart = "0101...01....01....012323...23....23....23";
    /*       instruction aabb   cc    dd    eeaabb   cc    dd    ee */
    expect_chart("two_level", "scheduler.group_size=2", 1, &chart);
}

/* a: x = 1     b: barrier     e: ret Waiting at a barrier is a long stall. The group that opens it,
 * in cycle 7, continues; its returns wait for x, 5 cycles after a. The previous launch began with
 * warps 0 and 1 and so ended with them; now it is the turn of the next group. */
static void two_level_switches_at_a_barrier(void **state)
{
    (void)state;
    const char *chart = "23230101.0123";
    /*       instruction aabbaabb eeee */
    expect_chart_of("meet", 3, "two_level", "scheduler.group_size=2", 1, &chart);
}

/* Groups of two that yield as soon as none of their warps is ready. In cycle 6 the second group
 * continues with warp 3 although warp 0 is ready. In cycle 8 the first group resumes with the warp
 * where it stopped, 1, before the older one. */
static void two_level_gto_is_greedy_for_its_group(void **state)
{
    (void)state;
    const char *chart = "00112233102.3.102.3.102.3";
    /*       instruction ababababccc c ddd d eee e */
    expect_chart("two_level_gto", NULL, 1, &chart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_takes_each_in_turn),
        cmocka_unit_test(gto_stays_with_a_warp),
        cmocka_unit_test(oldest_goes_back_to_the_oldest),
        cmocka_unit_test(swl_lets_two_warps_run),
        cmocka_unit_test(two_schedulers_issue_side_by_side),
        cmocka_unit_test(gtrr_goes_on_with_the_next_warp),
        cmocka_unit_test(two_level_does_not_switch_at_short_stalls),
        cmocka_unit_test(two_level_switches_at_a_barrier),
        cmocka_unit_test(two_level_gto_is_greedy_for_its_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
