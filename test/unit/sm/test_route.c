/* The short ways to a line's partition lead where the address map says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sm/send.h"
#include "unit/random_bits.h"

enum { FIRST_PARTITION = 80, N_LINES = 2000 };

static void expect_routes(struct address_map map)
{
    static struct sm sm;
    static const struct sm_config config;
    sm.config = &config;
    uint64_t seed = 9;
    map.n_banks = 16;
    map.row_bytes = 1024;
    sm.out.first_partition = FIRST_PARTITION;
    sm_plan_routes(&sm, &map);
    for (uint32_t i = 0; i < N_LINES; i++) {
        uint64_t line = (random_u64(&seed) >> i % 48) & ~127ull; /* near and far */
        struct dram_address at = address_split(&map, line);
        struct route route = sm_route(&sm, line);
        assert_int_equal(route.to, FIRST_PARTITION + at.partition);
        assert_int_equal(route.local, at.local);
    }
}

static void a_request_goes_where_its_line_lies(void **state)
{
    (void)state;
    static const uint32_t hashed[] = {1, 2, 8, 32, 64, 256}, others[] = {1, 6, 12, 64, 5001};
    static const uint32_t bytes[] = {128, 256, 384, 4096};
    for (uint32_t b = 0; b < 4; b++) {
        for (uint32_t i = 0; i < 6; i++)
            expect_routes((struct address_map){
                .n_partitions = hashed[i], .interleave_bytes = bytes[b], .hash_partitions = true});
        for (uint32_t i = 0; i < 5; i++)
            expect_routes(
                (struct address_map){.n_partitions = others[i], .interleave_bytes = bytes[b]});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_request_goes_where_its_line_lies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
