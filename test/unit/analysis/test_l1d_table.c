/* The tables that a recording is made of: as doc/l1d-stream.md says, and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/l1d_checks.h"
#include "analysis/l1d_writer.h"
#include "unit/random_bits.h"

/* Three events of three columns, written by hand after doc/l1d-stream.md. */
static void a_table_is_as_the_page_says(void **state)
{
    (void)state;
    static const uint8_t want[] = {
        0x20, 0x00, 0x01,                                  /* first bytes */
        2,    5,    0,    0,    0,    0,    0,    0,    0, /* 5, 4, 260: differences 0, -1, 256 */
        0x00, 0xff, 0x00, 0x00, 0xff, 0x01,                /* */
        0,    7,    0,    0,    0,    0,    0,    0,    0, /* 7, 7, 7 */
        1,    0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* -128, -1, -1 */
        0x00, 0x7f, 0x00,
    };
    uint8_t bytes[200];
    struct l1d_table t = {.n_columns = 3};
    l1d_table_reserve(&t, 3);
    t.n = 3;
    memcpy(t.kinds, want, 3);
    memcpy(t.columns[0], (uint64_t[]){5, 4, 260}, 24);
    memcpy(t.columns[1], (uint64_t[]){7, 7, 7}, 24);
    memcpy(t.columns[2], (uint64_t[]){-128ull, -1ull, -1ull}, 24);
    assert_true(l1d_table_bound(&t) >= sizeof want);
    uint8_t *parted = l1d_table_pack(&t, 0, 1, bytes); /* in two frames, say */
    assert_int_equal(parted - bytes, 18);
    assert_int_equal(l1d_table_pack(&t, 1, 3, parted) - bytes, sizeof want);
    assert_memory_equal(bytes, want, sizeof want);
    assert_true(l1d_table_unpack(&t, 3, 0, 3, want, want + sizeof want));
    assert_true(t.n == 3 && t.columns[0][2] == 260 && t.columns[1][2] == 7);
    assert_true(t.columns[2][0] == -128ull && t.columns[2][2] == -1ull);
    for (size_t n = 0; n < sizeof want; n++) /* cut anywhere */
        assert_false(l1d_table_unpack(&t, 3, 0, 3, want, want + n));
    for (size_t n = 18; n < sizeof want; n++)
        assert_false(l1d_table_unpack(&t, 3, 1, 3, want + 18, want + n));
    memcpy(bytes, want, sizeof want); /* a byte too many, a width there is not */
    assert_false(l1d_table_unpack(&t, 3, 0, 3, bytes, bytes + sizeof want + 1));
    bytes[3] = 9;
    assert_false(l1d_table_unpack(&t, 3, 0, 3, bytes, bytes + sizeof bytes));
    l1d_table_destroy(&t);
}

/* One run of instructions, among two accesses and three of the rest: may it be? */
static bool may_be(uint8_t n_lanes, uint64_t n_issues, uint64_t place, uint64_t rest_place)
{
    uint64_t places[] = {place}, rest_places[] = {rest_place}, issues[] = {n_issues};
    struct l1d_table t = {.n_columns = N_L1D_INSTS_COLUMNS,
                          .n = 1,
                          .kinds = &n_lanes,
                          .columns = {places, rest_places, issues}};
    return l1d_are_insts(&t, 2, 3);
}

static void runs_of_instructions_make_sense(void **state)
{
    (void)state;
    assert_true(may_be(0, 1, 0, 0) && may_be(32, 4096, 2, 3));
    assert_false(may_be(33, 1, 0, 0) || may_be(1, 0, 0, 0) || may_be(1, 4097, 0, 0));
    assert_false(may_be(1, 1, 3, 0) || may_be(1, 1, 0, 4));
    /* The writer's own: a run ends when it is as long as one may be, when lanes change, and when
     * something happens. */
    const struct l1d_writer writer = {.line_bytes = 128};
    static const uint8_t lanes[] = {7, 7, 0, 7};
    static const uint64_t issues[] = {4096, 1, 1, 1}, places[] = {0, 0, 0, 1};
    struct l1d_block b;
    l1d_block_init(&b, &writer, 0);
    for (int i = 0; i < 4097; i++)
        l1d_block_add_issue(&b, 7);
    l1d_block_add_issue(&b, 0);
    l1d_block_add(&b, &writer, &(struct l1d_event){.kind = L1D_LOAD});
    l1d_block_add_issue(&b, 7);
    assert_int_equal(b.insts.n, 4);
    assert_memory_equal(b.insts.kinds, lanes, sizeof lanes);
    assert_memory_equal(b.insts.columns[L1D_ISSUES], issues, sizeof issues);
    assert_memory_equal(b.insts.columns[L1D_INSTS_PLACE], places, sizeof places);
    assert_int_equal(b.n_thread_insts, 4098 * 7);
    assert_true(l1d_are_insts(&b.insts, 1, 0));
    l1d_block_destroy(&b);
}

/* Both sides of every width. */
static void every_number_comes_back(void **state)
{
    (void)state;
    enum { N = 300 };
    static uint8_t bytes[N * 100];
    uint64_t want[N], seed = 9;
    for (unsigned bits = 0; bits < 64; bits++)
        for (int k = 0; k < 3; k++) {
            struct l1d_table t = {.n_columns = 1};
            l1d_table_reserve(&t, N);
            t.n = N;
            want[0] = (1ull << bits) - (uint64_t)(k == 1);
            for (uint32_t i = 1; i < N; i++) {
                uint64_t d = random_u64(&seed) & ((1ull << bits) - 1);
                want[i] = want[i - 1] + (random_u64(&seed) & 1 ? d : -d - (uint64_t)(k == 2));
            }
            memset(t.kinds, 0, N);
            memcpy(t.columns[0], want, sizeof want);
            uint8_t *end = l1d_table_pack(&t, 0, 1, bytes);
            assert_true(l1d_table_unpack(&t, N, 0, 1, bytes, end));
            assert_memory_equal(t.columns[0], want, sizeof want);
            l1d_table_destroy(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_as_the_page_says),
        cmocka_unit_test(runs_of_instructions_make_sense),
        cmocka_unit_test(every_number_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
