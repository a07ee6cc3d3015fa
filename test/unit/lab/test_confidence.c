/* Intervals of confidence against published numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/confidence.h"

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975. */
static void quantiles_are_those_of_tables(void **state)
{
    (void)state;
    static const struct {
        uint32_t degrees;
        double t;
    } rows[] = {{1, 12.706}, {2, 4.303},  {4, 2.776},  {9, 2.262},  {30, 2.042},
                {31, 2.040}, {40, 2.021}, {60, 2.000}, {100, 1.984}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(confidence_student_t(rows[i].degrees) - rows[i].t) < 0.0006);
}

/* By hand: mean 3, s = sqrt(10 / 4), t(4) = 2.7764, half = 2.7764 * 1.5811 / sqrt(5). */
static void an_interval_is_worked_out(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4, 5};
    struct confidence c = confidence_of(values, 5);
    assert_int_equal(c.n, 5);
    assert_true(c.mean == 3);
    assert_true(fabs(c.half - 1.96324) < 1e-4);
    assert_true(isnan(confidence_of(values, 1).half) && confidence_of(values, 1).mean == 1);
    assert_true(isnan(confidence_of(values, 0).mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_tables),
        cmocka_unit_test(an_interval_is_worked_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
