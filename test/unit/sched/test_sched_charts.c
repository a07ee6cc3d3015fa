/* Issue orders computed by hand from the rules of doc/schedulers.md, on the mock SM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/sched/mock_sm.h"
#include "unit/sched/sched_params.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct mock_cta three_warps[] = {{3, {"aladaa", "aalaa", "lada"}}};
static const struct mock_cta four_warps[] = {{4, {"aladaa", "aala", "lada", "ala"}}};
/* The second CTA starts in the slot that the first warp leaves. */
static const struct mock_cta reused_slot[] = {{2, {"a", "aaaa"}}, {1, {"aaa"}}};
static const struct mock_cta barrier[] = {{2, {"aba", "aaba"}}, {1, {"aa"}}};
static const struct mock_cta barrier_pair[] = {{2, {"aba", "aba"}}};
static const struct mock_cta two_slots[] = {{4, {"ala", "aaa", "aaaa", "la"}}};

#define CTAS(list) list, LENGTH(list)

static const struct {
    const char *scheduler, *params;
    uint32_t n_warps, n_slots;
    const struct mock_cta *ctas;
    size_t n_ctas;
    const char *charts[2]; /* per issue slot */
} charts[] = {
    {"lrr", "", 3, 1, CTAS(three_warps), {"012011..202012010"}},
    {"gto", "", 3, 1, CTAS(three_warps), {"001112.00.110022..2"}},
    {"oldest", "", 3, 1, CTAS(three_warps), {"001112.00.100122..2"}},
    {"gtrr", "", 3, 1, CTAS(three_warps), {"001112.00.1122002"}},

    /* Cycle 11: warp 2 is ready, but warp 0 of the active group waits for an operand, no longer. */
    {"two_level", "group_size=2", 4, 1, CTAS(four_warps), {"01011233001.00232..2"}},
    {"two_level", "group_size=2 switch_on=any", 4, 1, CTAS(four_warps), {"01011233001223002"}},
    {"two_level_gto", "", 4, 1, CTAS(four_warps), {"00111233001223002"}},
    {"swl", "limit=2", 4, 1, CTAS(four_warps), {"00111..00.100233...223.2"}},

    /* Age and greed belong to the warp, turns to the slot. */
    {"lrr", "", 2, 1, CTAS(reused_slot), {"01010101"}},
    {"gto", "", 2, 1, CTAS(reused_slot), {"01111000"}},
    {"oldest", "", 2, 1, CTAS(reused_slot), {"01111000"}},
    {"gtrr", "", 2, 1, CTAS(reused_slot), {"01111000"}},

    /* Warp 1 runs beyond the limit while warp 0 waits for it; warp 2, of another CTA, does not. */
    {"swl", "limit=1", 3, 1, CTAS(barrier), {"001110122"}},
    /* A group that waits at a barrier gives way to the one it waits for. */
    {"two_level", "group_size=1", 2, 1, CTAS(barrier_pair), {"001110"}},

    {"lrr", "", 4, 2, CTAS(two_slots), {"020222..0", "1311...3"}},
    {"gto", "", 4, 2, CTAS(two_slots), {"002222.0", "1113.....3"}},
    /* The limit is the SM's: warp 2 waits for the end of warp 1 in the other issue slot. Warp 2
     * ends in cycle 6 before the second slot picks. */
    {"swl", "limit=2", 4, 2, CTAS(two_slots), {"00.22220", "111...3.....3"}},
};

static void issue_orders_are_those_written_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(charts); i++)
        for (int steps = 0; steps < 2; steps++) {
            struct arena arena = {0};
            const struct scheduler_desc *d = scheduler_find(charts[i].scheduler);
            assert_non_null(d);
            const void *params = sched_params(d, charts[i].params, &arena);
            assert_non_null(params);
            struct mock_sm m = {
                .ctas = charts[i].ctas, .n_ctas = (uint32_t)charts[i].n_ctas, .steps = steps};
            mock_run(&m, d, params, charts[i].n_warps, charts[i].n_slots);
            for (uint32_t slot = 0; slot < charts[i].n_slots; slot++)
                if (strcmp(m.chart[slot], charts[i].charts[slot]) != 0)
                    fail_msg("%s %s, issue slot %u: %s, by hand %s", d->name, charts[i].params,
                             slot, m.chart[slot], charts[i].charts[slot]);
            arena_destroy(&arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(issue_orders_are_those_written_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
