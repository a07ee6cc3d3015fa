/* Clock periods: the published examples, and for odd frequencies the definition itself: equal
 * products of period and frequency, no common divisor left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "noc/shard.h"

static void assert_periods(uint32_t n, const uint32_t *mhz, const uint32_t *periods)
{
    struct clock_domain d[4] = {0};
    for (uint32_t i = 0; i < n; i++)
        d[i].mhz = mhz[i];
    assert_true(clocks_resolve(d, n));
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(d[i].period, periods[i]);
}
#define LIST(...) ((uint32_t[]){__VA_ARGS__})

static void known_machines_have_their_periods(void **state)
{
    (void)state;
    assert_periods(3, LIST(1300, 650, 800), LIST(8, 16, 13));    /* ccws */
    assert_periods(2, LIST(700, 924), LIST(33, 25));             /* gtx480 */
    assert_periods(3, LIST(650, 650, 924), LIST(462, 462, 325)); /* m2090 */
    assert_periods(4, LIST(700, 700, 700, 700), LIST(1, 1, 1, 1));
    assert_periods(1, LIST(1837), LIST(1));
    assert_periods(2, LIST(1, 1000), LIST(1000, 1));
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static void odd_clocks_keep_their_exact_ratio(void **state)
{
    (void)state;
    for (uint32_t a = 1; a < 1500; a += 97)
        for (uint32_t b = 1; b < 1500; b += 101)
            for (uint32_t c = 1; c < 1500; c += 307) {
                struct clock_domain d[] = {{.mhz = a}, {.mhz = b}, {.mhz = c}};
                assert_true(clocks_resolve(d, 3));
                uint64_t per_us = (uint64_t)a * d[0].period;
                assert_int_equal((uint64_t)b * d[1].period, per_us);
                assert_int_equal((uint64_t)c * d[2].period, per_us);
                uint32_t common =
                    common_divisor(d[0].period, common_divisor(d[1].period, d[2].period));
                assert_int_equal(common, 1);
            }
}

static void clocks_without_a_usable_unit_are_refused(void **state)
{
    (void)state;
    /* Primes: the period of each is the product of the others. */
    struct clock_domain three[] = {{.mhz = 9973}, {.mhz = 9967}, {.mhz = 9949}};
    assert_false(clocks_resolve(three, 3));
    struct clock_domain many[] = {{.mhz = 4294967291u}, {.mhz = 4294967279u}, {.mhz = 4294967231u}};
    assert_false(clocks_resolve(many, 3));
    struct clock_domain fine[] = {{.mhz = 3967}, {.mhz = 3989}, {.mhz = 4001}};
    assert_true(clocks_resolve(fine, 3));
    assert_int_equal(fine[0].period, 3989 * 4001);
}

static void cycles_are_counted_from_the_edge(void **state)
{
    (void)state;
    struct clock_domain d = {.period = 13};
    assert_int_equal(clock_cycle_at(&d, 0), 0);
    assert_int_equal(clock_cycle_at(&d, 1), 1);
    assert_int_equal(clock_cycle_at(&d, 13), 1);
    assert_int_equal(clock_cycle_at(&d, 14), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_machines_have_their_periods),
        cmocka_unit_test(odd_clocks_keep_their_exact_ratio),
        cmocka_unit_test(clocks_without_a_usable_unit_are_refused),
        cmocka_unit_test(cycles_are_counted_from_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
