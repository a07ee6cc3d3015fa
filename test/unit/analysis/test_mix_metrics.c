/* The contract's worked example: ratios of 0.8 and 0.9. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/mix_metrics.h"

static void expect(double value, double expected, double within)
{
    assert_true(fabs(value - expected) <= within);
}

static void speedups_are_added_and_fairness_is_their_harmonic_mean(void **state)
{
    (void)state;
    const double ratios[] = {0.8, 0.9};
    expect(mix_weighted_speedup(ratios, 2), 1.7, 1e-12);
    expect(mix_fairness(ratios, 2), 0.847, 5e-4);
}

static void a_program_that_stands_still_is_not_treated_fairly(void **state)
{
    (void)state;
    const double ratios[] = {1, 0};
    expect(mix_weighted_speedup(ratios, 2), 1, 0);
    expect(mix_fairness(ratios, 2), 0, 0);
    expect(mix_fairness(ratios, 1), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedups_are_added_and_fairness_is_their_harmonic_mean),
        cmocka_unit_test(a_program_that_stands_still_is_not_treated_fairly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
