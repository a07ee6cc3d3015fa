/* What an arena returns: zeroed, aligned, not overlapping, whatever the sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "unit/random_bits.h"

enum { N_PIECES = 400, LARGEST = 200 * 1024 };

/* Each piece is filled with its own number, which must still be there when all are. */
static void fill_and_check(struct arena *a, uint64_t seed)
{
    static unsigned char *pieces[N_PIECES];
    static size_t sizes[N_PIECES];
    uint64_t random = seed;
    for (size_t i = 0; i < N_PIECES; i++) {
        uint64_t bits = random_u64(&random);
        sizes[i] = bits % 64 ? bits % 3000 : bits % LARGEST; /* some need their own block */
        pieces[i] = arena_alloc(a, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (size_t i = 0; i < N_PIECES; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i % 255 + 1);
}

/* The second arena gets the memory that the first has left behind. */
static void pieces_are_zeroed_and_apart(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 2; round++) {
        struct arena a = {0};
        assert_non_null(arena_alloc(&a, 0));
        fill_and_check(&a, round);
        arena_destroy(&a);
        assert_null(a.blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_zeroed_and_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
