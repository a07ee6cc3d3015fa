/* Mechanisms at the end of their range are other mechanisms, cycle for cycle; and in between they
 * are not, or the comparison would show nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/observe.h"

static const struct manner plain = {.name = "skip"};

/* Statistics of a mechanism exist only there: its lines are removed. */
static void leave_out_mechanisms(struct strbuf *text)
{
    static const char *const prefixes[] = {"scheduler.", "criticality.", "l1d.policy.",
                                           "l2.policy."};
    struct strbuf kept = {0};
    for (const char *line = strbuf_text(text); *line;) {
        size_t n = strcspn(line, "\n");
        n += line[n] == '\n';
        bool is_out = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            is_out |= strncmp(line, prefixes[i], strlen(prefixes[i])) == 0;
        if (!is_out)
            strbuf_add_n(&kept, line, n);
        line += n;
    }
    strbuf_destroy(text);
    *text = kept;
}

static bool same_run(const char *workload, const struct testbed *a, const struct testbed *b,
                     struct strbuf *why)
{
    const struct workload *w = workload_find(workload);
    struct strbuf x = {0}, y = {0};
    assert_int_equal(observe_workload(w, a, &plain, &x), HEDDLE_OK);
    assert_int_equal(observe_workload(w, b, &plain, &y), HEDDLE_OK);
    leave_out_mechanisms(&x);
    leave_out_mechanisms(&y);
    bool same = observations_agree(&x, &y, why);
    strbuf_destroy(&x);
    strbuf_destroy(&y);
    return same;
}

/* `end` is the mechanism at the end of its range, `within` inside it, `other` what it must be. */
static void expect_degenerate(const struct testbed *end, const struct testbed *within,
                              const struct testbed *other)
{
    static const char *const workloads[] = {"bp", "nw", "srk"};
    struct strbuf why = {0};
    bool differs = false;
    for (uint32_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        if (!same_run(workloads[i], end, other, &why))
            fail_msg("%s: %s is not %s:\n%s", workloads[i], end->name, other->name,
                     strbuf_text(&why));
        differs |= !same_run(workloads[i], within, other, &why);
    }
    if (!differs)
        fail_msg("%s is %s everywhere", within->name, other->name);
    strbuf_destroy(&why);
}

static void swl_without_a_limit_is_gto(void **state)
{
    (void)state;
    expect_degenerate(
        &(struct testbed){"swl(64)", "gtx480", {"scheduler=swl", "scheduler.limit=64"}},
        &(struct testbed){"swl(2)", "gtx480", {"scheduler=swl", "scheduler.limit=2"}},
        &(struct testbed){"gto", "gtx480", {"scheduler=gto"}});
}

static void one_group_of_all_warps_is_its_inner_order(void **state)
{
    (void)state;
    expect_degenerate(
        &(struct testbed){
            "two_level(64)", "gtx480", {"scheduler=two_level", "scheduler.group_size=64"}},
        &(struct testbed){
            "two_level(2)", "gtx480", {"scheduler=two_level", "scheduler.group_size=2"}},
        &(struct testbed){"lrr", "gtx480", {"scheduler=lrr"}});
    expect_degenerate(
        &(struct testbed){
            "two_level_gto(64)", "gtx480", {"scheduler=two_level_gto", "scheduler.group_size=64"}},
        &(struct testbed){
            "two_level_gto(2)", "gtx480", {"scheduler=two_level_gto", "scheduler.group_size=2"}},
        &(struct testbed){"gto", "gtx480", {"scheduler=gto"}});
}

static void ccws_in_a_cache_that_holds_everything_is_gto(void **state)
{
    (void)state;
    expect_degenerate(
        &(struct testbed){"ccws, huge L1D", "ccws", {"scheduler=ccws", "l1d.n_sets=16384"}},
        &(struct testbed){"ccws", "ccws", {"scheduler=ccws"}},
        &(struct testbed){"gto, huge L1D", "ccws", {"scheduler=gto", "l1d.n_sets=16384"}});
}

/* So little room that every mechanism has something to do. */
#define TIGHT "n_sms=2", "l1d.n_sets=2"

static void protection_of_no_length_is_lru(void **state)
{
    (void)state;
    const struct testbed lru = {"lru", "gtx480", {TIGHT, "l1d.policy=lru"}};
    const struct testbed dlp = {"dlp", "gtx480", {TIGHT, "l1d.policy=dlp"}};
    const struct testbed pdp = {"pdp", "gtx480", {TIGHT, "l1d.policy=pdp"}};
    expect_degenerate(
        &(struct testbed){"dlp(0)", "gtx480", {TIGHT, "l1d.policy=dlp", "l1d.policy.pd_max=0"}},
        &dlp, &lru);
    expect_degenerate(
        &(struct testbed){"pdp(0)", "gtx480", {TIGHT, "l1d.policy=pdp", "l1d.policy.pd_max=0"}},
        &pdp, &lru);
}

/* 4 bits of life cannot outlast the turn of 16 ways. */
static void protection_in_sixteen_ways_is_lru(void **state)
{
    (void)state;
    const char *workload = "nw";
    struct strbuf why = {0};
    static const struct testbed dlp[] = {
        {"dlp, 16 ways", "gtx480-cawa", {TIGHT, "l1d.policy=dlp"}},
        {"dlp, 8 ways",
         "gtx480-cawa",
         {TIGHT, "l1d.policy=dlp", "l1d.n_ways=8", "l1d.index=hash"}}};
    static const struct testbed lru[] = {
        {"lru, 16 ways", "gtx480-cawa", {TIGHT, "l1d.policy=lru"}},
        {"lru, 8 ways",
         "gtx480-cawa",
         {TIGHT, "l1d.policy=lru", "l1d.n_ways=8", "l1d.index=hash"}}};
    if (!same_run(workload, &dlp[0], &lru[0], &why))
        fail_msg("%s", strbuf_text(&why));
    if (same_run(workload, &dlp[1], &lru[1], &why))
        fail_msg("with 8 ways it is LRU too");
    strbuf_destroy(&why);
}

static void control_that_never_bypasses_is_lru(void **state)
{
    (void)state;
    expect_degenerate(&(struct testbed){"ctrl_c(0)",
                                        "gtx480",
                                        {TIGHT, "l1d.policy=ctrl_c", "l1d.policy.agg_max=0"}},
                      &(struct testbed){"ctrl_c", "gtx480", {TIGHT, "l1d.policy=ctrl_c"}},
                      &(struct testbed){"lru", "gtx480", {TIGHT, "l1d.policy=lru"}});
}

#define PLENTY "l1d.n_mshrs=4096", "l1d.mshr_merges=64", "sm.miss_queue=1024", "l1d.n_ways=64"

static void stalls_that_never_come_are_not_bypassed(void **state)
{
    (void)state;
    expect_degenerate(
        &(struct testbed){"stall_bypass, plenty", "gtx480", {"l1d.policy=stall_bypass", PLENTY}},
        &(struct testbed){"stall_bypass", "gtx480", {"l1d.policy=stall_bypass"}},
        &(struct testbed){"lru, plenty", "gtx480", {"l1d.policy=lru", PLENTY}});
}

static void a_decided_duel_is_its_winner(void **state)
{
    (void)state;
    const struct testbed duel = {"drrip", "gtx480", {"l1d.policy=drrip"}};
    expect_degenerate(
        &(struct testbed){"drrip(srrip)", "gtx480", {"l1d.policy=drrip", "l1d.policy.force=srrip"}},
        &duel, &(struct testbed){"srrip", "gtx480", {"l1d.policy=srrip"}});
    expect_degenerate(
        &(struct testbed){"drrip(brrip)", "gtx480", {"l1d.policy=drrip", "l1d.policy.force=brrip"}},
        &duel, &(struct testbed){"brrip", "gtx480", {"l1d.policy=brrip"}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swl_without_a_limit_is_gto),
        cmocka_unit_test(one_group_of_all_warps_is_its_inner_order),
        cmocka_unit_test(ccws_in_a_cache_that_holds_everything_is_gto),
        cmocka_unit_test(protection_of_no_length_is_lru),
        cmocka_unit_test(protection_in_sixteen_ways_is_lru),
        cmocka_unit_test(control_that_never_bypasses_is_lru),
        cmocka_unit_test(stalls_that_never_come_are_not_bypassed),
        cmocka_unit_test(a_decided_duel_is_its_winner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
