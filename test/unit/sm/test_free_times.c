/* The ring of times in order, against an array in which the earliest is searched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sm/free_times.h"
#include "unit/random_bits.h"

static uint32_t earliest(const uint64_t *times, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (times[i] < times[best])
            best = i;
    return best;
}

/* Times that mostly grow, sometimes fall back behind several others, and often are equal. */
static void the_first_is_the_earliest_whatever_comes(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t n = 1; n <= FREE_TIMES_MAX; n++) {
        struct free_times f = free_times_of(n);
        uint64_t naive[FREE_TIMES_MAX] = {0}, now = 0;
        for (uint32_t step = 0; step < 2000; step++) {
            uint32_t i = earliest(naive, n);
            assert_int_equal(free_times_first(&f), naive[i]);
            now += random_u64(&seed) % 3;
            naive[i] = now + random_u64(&seed) % 9;
            free_times_take(&f, naive[i]);
        }
    }
}

/* Times that never fall back, as those of a single unit's collectors: the short way. */
static void times_in_order_need_no_search(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t n = 1; n <= FREE_TIMES_MAX; n++) {
        struct free_times f = free_times_of(n), general = f;
        uint64_t naive[FREE_TIMES_MAX] = {0}, now = 0;
        for (uint32_t step = 0; step < 500; step++) {
            uint32_t i = earliest(naive, n);
            assert_int_equal(free_times_first(&f), naive[i]);
            assert_int_equal(free_times_first(&general), naive[i]);
            naive[i] = now += random_u64(&seed) % 3;
            free_times_take_in_order(&f, now);
            free_times_take(&general, now);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_the_earliest_whatever_comes),
        cmocka_unit_test(times_in_order_need_no_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
