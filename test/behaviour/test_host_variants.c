/* Numbers do not depend on the host: whichever vector instructions execute the lanes, every
 * workload counts the same statistics and hands the same bytes back, and a second run repeats the
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "emu/bind.h"
#include "heddle/heddle.h"
#include "workloads/run.h"

/* All that a run shows of itself, host.* aside. */
struct outcome {
    uint64_t output_hash;
    uint32_t n_stats;
    struct heddle_stat *stats;
};

static struct outcome run_tiny(const struct workload *w, const char *host_isa)
{
    struct heddle_options options = {.struct_size = sizeof options, .host_isa = host_isa};
    struct heddle_sim *sim = NULL;
    assert_int_equal(heddle_create(&options, &sim), HEDDLE_OK);
    assert_string_equal(heddle_host_isa(sim), host_isa);
    struct device *d = device_create_heddle(sim);
    struct workload_result result = {0};
    workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, &result);
    if (!result.verified)
        fail_msg("%s with %s: %s", w->name, host_isa, strbuf_text(&result.message));
    struct outcome o = {.output_hash = device_output_hash(d), .n_stats = heddle_stat_count(sim)};
    o.stats = xcalloc(o.n_stats, sizeof *o.stats);
    for (uint32_t i = 0; i < o.n_stats; i++)
        o.stats[i] = heddle_stat_at(sim, i);
    workload_result_destroy(&result);
    device_destroy(d);
    heddle_destroy(sim);
    return o;
}

static void assert_same(const struct workload *w, const char *what, const struct outcome *a,
                        const struct outcome *b)
{
    if (a->output_hash != b->output_hash)
        fail_msg("%s: other results %s", w->name, what);
    uint32_t compared = 0;
    for (uint32_t i = 0; i < a->n_stats; i++) {
        const struct heddle_stat *x = &a->stats[i], *y = &b->stats[i];
        if (strncmp(x->name, "host.", 5) == 0)
            continue;
        if (x->count != y->count || memcmp(&x->real, &y->real, sizeof x->real) != 0)
            fail_msg("%s: other %s %s", w->name, x->name, what);
        compared++;
    }
    assert_in_range(compared, 20, a->n_stats);
}

static void workload_is_the_same_with_every_variant(void **state)
{
    const struct workload *w = *state;
    struct outcome first = run_tiny(w, host_isa_name(0));
    struct outcome again = run_tiny(w, host_isa_name(0));
    assert_same(w, "in a second run", &first, &again);
    free(again.stats);
    for (uint32_t i = 1; i < host_isa_count(); i++) {
        struct outcome other = run_tiny(w, host_isa_name(i));
        char what[64];
        snprintf(what, sizeof what, "with %s than with %s", host_isa_name(i), host_isa_name(0));
        assert_same(w, what, &first, &other);
        free(other.stats);
    }
    free(first.stats);
}

/* Without this a hash that never changes would pass. */
static void another_input_gives_another_outcome(void **state)
{
    (void)state;
    struct outcome bfs = run_tiny(workload_find("bfs"), "generic");
    struct outcome hot = run_tiny(workload_find("hot"), "generic");
    assert_true(bfs.output_hash != hot.output_hash);
    free(bfs.stats);
    free(hot.stats);
}

int main(void)
{
    struct CMUnitTest *tests = xcalloc(workload_count + 1, sizeof *tests);
    for (uint32_t i = 0; i < workload_count; i++)
        tests[i] = (struct CMUnitTest){.name = workload_list[i]->name,
                                       .test_func = workload_is_the_same_with_every_variant,
                                       .initial_state = (void *)(uintptr_t)workload_list[i]};
    tests[workload_count] =
        (struct CMUnitTest)cmocka_unit_test(another_input_gives_another_outcome);
    int failed = _cmocka_run_group_tests("host_variants", tests, workload_count + 1, NULL, NULL);
    free(tests);
    return failed;
}
