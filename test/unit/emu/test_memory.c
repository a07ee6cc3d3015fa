/* Device memory: where allocations lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/memory.h"
#include "ptx/lower.h"

static uint32_t state_of_random = 1;

static uint32_t random_below(uint32_t n)
{
    state_of_random = state_of_random * 1664525 + 1013904223;
    return (state_of_random >> 8) % n;
}

/* The lowest multiple of 256 that leaves 256 bytes to the allocations on both sides. */
static uint64_t first_fit(const struct dev_mem *m, uint64_t bytes)
{
    uint64_t at = DEVICE_BASE;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->allocs[i].start >= at + bytes + 256)
            return at;
        at = (m->allocs[i].start + m->allocs[i].bytes + 256 + 255) / 256 * 256;
    }
    return at;
}

static void allocations_lie_in_the_lowest_gap(void **state)
{
    (void)state;
    struct dev_mem m;
    assert_int_equal(mem_create(&m), 0);
    for (int i = 0; i < 5000; i++) {
        uint64_t bytes = 1 + random_below(3000);
        if (m.n && random_below(5) < 2) {
            assert_true(mem_free(&m, m.allocs[random_below(m.n)].start));
            continue;
        }
        uint64_t expected = first_fit(&m, bytes);
        assert_int_equal(mem_alloc(&m, bytes, NULL), expected);
    }
    mem_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_lie_in_the_lowest_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
