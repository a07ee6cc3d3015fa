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

static const struct manner plain = {"skip", false, 0, NULL, false};

static bool same_run(const char *workload, const struct testbed *a, const struct testbed *b,
                     struct strbuf *why)
{
    const struct workload *w = workload_find(workload);
    struct strbuf x = {0}, y = {0};
    assert_int_equal(observe_workload(w, a, &plain, &x), HEDDLE_OK);
    assert_int_equal(observe_workload(w, b, &plain, &y), HEDDLE_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(swl_without_a_limit_is_gto),
                                       cmocka_unit_test(one_group_of_all_warps_is_its_inner_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
