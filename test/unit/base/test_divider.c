/* The divider against the host's own division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/divider.h"
#include "unit/random_bits.h"

static void assert_divides(uint32_t divisor, uint64_t n)
{
    struct divider d = divider_make(divisor);
    uint64_t quotient = divider_div(&d, n);
    assert_int_equal(quotient, n / divisor);
    assert_int_equal(divider_div_multiple(&d, n), n / divisor);
    assert_int_equal(divider_rem(&d, n, quotient), n % divisor);
    if (n < UINT64_MAX / divisor || (divisor == 1u << 16 && n == UINT64_MAX >> 16)) /* 2^64 */
        assert_int_equal(divider_div_small(&d, n), n / divisor);
    if (n <= UINT64_MAX - divisor) {
        assert_int_equal(divider_div_up(&d, n), n / divisor + (n % divisor != 0));
        assert_int_equal(divider_div_up_multiple(&d, n), n / divisor + (n % divisor != 0));
    }
}

/* Where an estimate that is off by one would show: on both sides of multiples, and at the ends. */
static void multiples_and_their_neighbours_are_exact(void **state)
{
    (void)state;
    static const uint32_t divisors[] = {1,
                                        2,
                                        3,
                                        5,
                                        6,
                                        7,
                                        12,
                                        25,
                                        33,
                                        100,
                                        1u << 16,
                                        1u << 24,
                                        1000003,
                                        1u << 31,
                                        24,
                                        4096,
                                        4097,
                                        UINT32_MAX,
                                        UINT32_MAX - 1,
                                        641};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        uint64_t d = divisors[i], most = UINT64_MAX / d;
        uint64_t quotients[] = {0, 1, 2, 1000, most / 3, most - 1, most};
        for (size_t k = 0; k < sizeof quotients / sizeof quotients[0]; k++)
            for (int64_t off = -1; off <= 1; off++)
                assert_divides((uint32_t)d, quotients[k] * d + (uint64_t)off);
        assert_divides((uint32_t)d, UINT64_MAX);
    }
}

static void random_divisions_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint32_t divisor = (uint32_t)(random_u64(&seed) >> (32 + random_u64(&seed) % 32)) | 1;
        assert_divides(divisor, random_u64(&seed) >> random_u64(&seed) % 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_and_their_neighbours_are_exact),
        cmocka_unit_test(random_divisions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
