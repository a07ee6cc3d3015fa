/* Schedulers that become another one at the edge of their parameters, cycle by cycle on random
 * programs, each with a case where they must differ; and the skipping SM against one that asks
 * every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/random_bits.h"
#include "unit/sched/mock_sm.h"
#include "unit/sched/sched_params.h"

enum { N_CTAS = 8, PROGRAM_LENGTH = 12, N_SEEDS = 40 };

struct random_ctas {
    struct mock_cta ctas[N_CTAS];
    char programs[N_CTAS][MOCK_CTA_WARPS][PROGRAM_LENGTH + 1];
};

/* CTAs of 1 to 4 warps. All warps of a CTA have the same number of barriers, so none waits
 * forever. */
static void make_ctas(struct random_ctas *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    for (uint32_t c = 0; c < N_CTAS; c++) {
        uint32_t n_barriers = (uint32_t)(random_u64(&seed) % 3);
        r->ctas[c].n_warps = 1 + (uint32_t)(random_u64(&seed) % 4);
        for (uint32_t w = 0; w < r->ctas[c].n_warps; w++) {
            char *text = r->programs[c][w];
            uint32_t length = 6 + (uint32_t)(random_u64(&seed) % (PROGRAM_LENGTH - 5));
            for (uint32_t i = 0; i < length; i++)
                text[i] = "aaadl"[random_u64(&seed) % 5];
            for (uint32_t i = 0; i < n_barriers; i++)
                text[2 + 2 * i] = 'b';
            r->ctas[c].programs[w] = text;
        }
    }
}

static void run(struct mock_sm *m, const struct random_ctas *r, bool steps, const char *scheduler,
                const char *words, uint32_t n_warps, uint32_t n_slots)
{
    struct arena arena = {0};
    const struct scheduler_desc *d = scheduler_find(scheduler);
    const void *params = sched_params(d, words, &arena);
    assert_non_null(params);
    *m = (struct mock_sm){.ctas = r->ctas, .n_ctas = N_CTAS, .steps = steps};
    mock_run(m, d, params, n_warps, n_slots);
    if (m->view.live || m->n_ctas)
        fail_msg("%s %s does not finish: %s", scheduler, words, m->chart[0]);
    arena_destroy(&arena);
}

/* On how many random machines the two schedulers issue the same warps in the same cycles. */
static uint32_t count_equal(const char *a, const char *a_params, const char *b,
                            const char *b_params)
{
    static struct random_ctas r;
    static struct mock_sm ma, mb;
    uint32_t n_equal = 0;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        uint32_t n_warps = 4 + (uint32_t)seed % 9, n_slots = 1 + (uint32_t)seed % 3;
        make_ctas(&r, seed);
        run(&ma, &r, false, a, a_params, n_warps, n_slots);
        run(&mb, &r, false, b, b_params, n_warps, n_slots);
        n_equal += memcmp(ma.chart, mb.chart, sizeof ma.chart) == 0;
    }
    return n_equal;
}

static const struct {
    const char *scheduler, *equal, *differing; /* parameters at the edge and off it */
    const char *other;
} edges[] = {
    {"swl", "limit=12", "limit=2", "gto"},
    {"two_level", "group_size=12 inner=lrr", "group_size=2 inner=lrr", "lrr"},
    {"two_level", "group_size=12 inner=gto", "group_size=2 inner=gto", "gto"},
    {"two_level_gto", "group_size=12 switch_on=long", "group_size=2 switch_on=long", "gto"},
    /* Groups of one warp: the outer order is all there is, and greedy. */
    {"two_level", "group_size=1 outer=lrr switch_on=any", "group_size=1 outer=lrr switch_on=long",
     "gtrr"},
    {"two_level", "group_size=1 outer=gto switch_on=any", "group_size=2 outer=gto switch_on=any",
     "gto"},
};

static void schedulers_meet_at_the_edge_of_their_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        uint32_t n = count_equal(edges[i].scheduler, edges[i].equal, edges[i].other, "");
        if (n != N_SEEDS)
            fail_msg("%s %s equals %s on %u of %d machines only", edges[i].scheduler,
                     edges[i].equal, edges[i].other, n, N_SEEDS);
        n = count_equal(edges[i].scheduler, edges[i].differing, edges[i].other, "");
        if (n > N_SEEDS / 4)
            fail_msg("%s %s equals %s on %u of %d machines", edges[i].scheduler, edges[i].differing,
                     edges[i].other, n, N_SEEDS);
    }
}

static void different_rules_give_different_orders(void **state)
{
    (void)state;
    static const char *const names[] = {"lrr", "gto", "oldest", "gtrr"};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(count_equal(names[i], "", names[k], "") < N_SEEDS / 4);
}

/* Asking every cycle, several times, gives the charts of asking only when something changed. */
static void nothing_depends_on_how_often_a_scheduler_is_asked(void **state)
{
    (void)state;
    static struct random_ctas r;
    static struct mock_sm skipping, stepping;
    static const char *const limits[] = {"", "limit=1", "limit=3"};
    static const char *const groups[] = {"", "group_size=1", "group_size=3 outer=gto"};
    for (uint32_t i = 0; i < scheduler_count(); i++)
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            const char *name = scheduler_at(i)->name;
            const char *params = strcmp(name, "swl") == 0             ? limits[seed % 3]
                                 : strncmp(name, "two_level", 9) == 0 ? groups[seed % 3]
                                                                      : "";
            uint32_t n_warps = 4 + (uint32_t)seed % 9, n_slots = 1 + (uint32_t)seed % 3;
            make_ctas(&r, seed);
            run(&skipping, &r, false, name, params, n_warps, n_slots);
            run(&stepping, &r, true, name, params, n_warps, n_slots);
            for (uint32_t slot = 0; slot < n_slots; slot++)
                assert_string_equal(skipping.chart[slot], stepping.chart[slot]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedulers_meet_at_the_edge_of_their_parameters),
        cmocka_unit_test(different_rules_give_different_orders),
        cmocka_unit_test(nothing_depends_on_how_often_a_scheduler_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
