/* HeteroPDP's mixes: who tells the pressure of a launch by the rule `measured`. Worked by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/hetero_mixes.h"

/* Launch 3 beside native 0, beside native 1, and beside both; native i suffers i + 1 times 0.1
 * beside a whole cache's bubble, and as much of it as the bubble has of the cache. */
static struct mixes *create_mixes(void)
{
    static const struct experiment_mix whats[] = {{.entry = 3, .natives = {0}, .n_natives = 1},
                                                  {.entry = 3, .natives = {1}, .n_natives = 1},
                                                  {.entry = 3, .natives = {0, 1}, .n_natives = 2},
                                                  {.entry = 4, .natives = {2}, .n_natives = 1}};
    struct mixes *m = xcalloc(1, sizeof *m);
    m->machine = hetero_testbed;
    for (uint32_t n = 0; n < N_EXPERIMENT_NATIVES; n++)
        for (uint32_t s = 0; s <= BUBBLE_STEPS; s++) {
            m->natives[n].table.cache[s] = 1 + 0.1 * (n + 1) * s / BUBBLE_STEPS;
            m->natives[n].table.bandwidth[s] = 1;
        }
    m->n = sizeof whats / sizeof whats[0];
    for (uint32_t i = 0; i < m->n; i++) {
        struct mixes_mix *mix = &m->items[i];
        mix->what = whats[i];
        mix->is_there = true;
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            mix->co_located_s[t] = mix->predicted_s[t] = 2e-3;
    }
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            m->entries[e].alone_s[t] = m->entries[e].predicted_s[t] = 1e-3;
    return m;
}

static void another_native_tells(void **state)
{
    (void)state;
    struct mixes *m = create_mixes();
    assert_ptr_equal(mixes_reporter(m, &m->items[0]), &m->items[1]);
    assert_ptr_equal(mixes_reporter(m, &m->items[1]), &m->items[0]);
    m->items[1].is_there = false;
    assert_null(mixes_reporter(m, &m->items[0]));
    free(m);
}

/* Neither one of the mix's own natives, nor a pair, nor one beside another launch. */
static void others_do_not_tell(void **state)
{
    (void)state;
    struct mixes *m = create_mixes();
    assert_null(mixes_reporter(m, &m->items[2]));
    assert_null(mixes_reporter(m, &m->items[3]));
    free(m);
}

/* Native 1 slows down by 0.05, a quarter of what a whole cache costs it: a bubble of 2 MB. That
 * costs native 0 a quarter of 0.1. */
static void the_bubble_is_carried_over(void **state)
{
    (void)state;
    struct mixes *m = create_mixes();
    struct mixes_choice c = {.weight = 1, .rule = PRESSURE_MEASURED};
    m->items[1].slowdown[0][HETERO_CMP] = 1.05;
    m->items[1].slowdown[0][HETERO_GPU] = 1.2; /* on the GPU a launch has no pressure on the LLC */
    m->items[0].slowdown[0][HETERO_CMP] = m->items[0].slowdown[0][HETERO_GPU] = 1.5;
    mixes_choose(m, &m->items[0], &c);
    assert_true(fabs(c.slowdown[0][HETERO_CMP] - 1.025) < 1e-12);
    assert_true(fabs(c.slowdown[0][HETERO_GPU] - 1) < 1e-12);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_native_tells),
        cmocka_unit_test(others_do_not_tell),
        cmocka_unit_test(the_bubble_is_carried_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
