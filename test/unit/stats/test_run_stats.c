/* The counters' names and units are an interface: scripts read them. The values here are counted by
 * hand, not read back from the table that is tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/host.h"
#include "stats/run_stats.h"

/* Two warps of 32 and 10 lanes, one CTA: 3 integer instructions, 1 branch that parts, 1 load. */
static struct run_stats small_run(void)
{
    struct run_stats s = {.warp_insts = 10,
                          .thread_insts = 210,
                          .launches = 1,
                          .ctas = 1,
                          .warps = 2,
                          .divergent_branches = 1,
                          .global_load_bytes = 168,
                          .host_seconds = 0.5,
                          .host_peak_rss_bytes = 4096};
    s.insts[PTX_CLASS_INT] = 6;
    s.insts[PTX_CLASS_BRANCH] = 2;
    s.insts[PTX_CLASS_LD_GLOBAL] = 2;
    return s;
}

static struct heddle_stat find(const struct run_stats *s, const char *name)
{
    for (uint32_t i = 0; i < run_stats_count(); i++)
        if (strcmp(run_stats_at(s, i).name, name) == 0)
            return run_stats_at(s, i);
    fail_msg("no statistic named %s", name);
    return (struct heddle_stat){0};
}

static void values_are_found_under_their_names(void **state)
{
    (void)state;
    struct run_stats s = small_run();
    assert_int_equal(find(&s, "warp_insts").count, 10);
    assert_int_equal(find(&s, "thread_insts").count, 210);
    assert_int_equal(find(&s, "insts.int").count, 6);
    assert_int_equal(find(&s, "insts.branch").count, 2);
    assert_int_equal(find(&s, "insts.ld_global").count, 2);
    assert_int_equal(find(&s, "insts.misc").count, 0);
    assert_int_equal(find(&s, "global.load_bytes").count, 168);
    assert_int_equal(find(&s, "host.peak_rss_bytes").count, 4096);
    assert_string_equal(find(&s, "global.load_bytes").unit, "bytes");
}

static void rates_are_derived(void **state)
{
    (void)state;
    struct run_stats s = small_run();
    struct heddle_stat seconds = find(&s, "host.seconds");
    struct heddle_stat speed = find(&s, "host.warp_insts_per_second");
    assert_true(seconds.is_real && speed.is_real);
    assert_true(seconds.real == 0.5);
    assert_true(speed.real == 20.0);
    s.host_seconds = 0;
    assert_true(find(&s, "host.warp_insts_per_second").real == 0.0);
}

static void names_are_unique_and_described(void **state)
{
    (void)state;
    struct run_stats s = {0};
    for (uint32_t i = 0; i < run_stats_count(); i++) {
        struct heddle_stat a = run_stats_at(&s, i);
        assert_true(a.name && *a.name && a.unit && *a.unit && a.help && *a.help);
        assert_int_equal(strspn(a.name, "abcdefghijklmnopqrstuvwxyz0123456789_."), strlen(a.name));
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(a.name, run_stats_at(&s, j).name);
    }
}

static void adding_sums_counters_and_keeps_the_highest_mark(void **state)
{
    (void)state;
    struct run_stats sum = small_run(), more = small_run();
    more.host_peak_rss_bytes = 1024;
    run_stats_add(&sum, &more);
    assert_int_equal(sum.warp_insts, 20);
    assert_int_equal(sum.insts[PTX_CLASS_INT], 12);
    assert_int_equal(sum.host_peak_rss_bytes, 4096);
    assert_true(sum.host_seconds == 1.0);
    more.host_peak_rss_bytes = 8192;
    run_stats_add(&sum, &more);
    assert_int_equal(sum.host_peak_rss_bytes, 8192);
    /* Every integer but the high-water mark is a sum: none may be forgotten. */
    struct run_stats ones, two;
    memset(&ones, 0, sizeof ones);
    for (size_t i = 0; i < offsetof(struct run_stats, host_seconds) / 8; i++)
        ((uint64_t *)&ones)[i] = 1;
    two = ones;
    run_stats_add(&two, &ones);
    for (uint32_t i = 0; i < run_stats_count(); i++) {
        struct heddle_stat stat = run_stats_at(&two, i);
        if (!stat.is_real)
            assert_int_equal(stat.count, strcmp(stat.name, "host.peak_rss_bytes") == 0 ? 1 : 2);
    }
}

static void a_consistent_run_passes_the_check(void **state)
{
    (void)state;
    struct run_stats s = small_run(), none = {0};
    struct strbuf why = {0};
    assert_true(run_stats_check(&s, &why));
    assert_true(run_stats_check(&none, &why));
    assert_int_equal(why.len, 0);
    strbuf_destroy(&why);
}

static void assert_caught(struct run_stats s, const char *word)
{
    struct strbuf why = {0};
    assert_false(run_stats_check(&s, &why));
    assert_non_null(strstr(strbuf_text(&why), word));
    strbuf_destroy(&why);
}

static void each_broken_identity_is_named(void **state)
{
    (void)state;
    struct run_stats s = small_run();
    s.insts[PTX_CLASS_FP32]++;
    assert_caught(s, "insts_of_all_classes");
    s = small_run();
    s.thread_insts = 321;
    assert_caught(s, "thread_insts");
    s = small_run();
    s.divergent_branches = 3;
    assert_caught(s, "divergent_branches");
    s = small_run();
    s.barriers = 1;
    assert_caught(s, "barriers");
    s = small_run();
    s.atomics = 1;
    assert_caught(s, "atomics");
    s = small_run();
    s.ctas = 3;
    assert_caught(s, "ctas");
}

static void the_host_clock_moves_and_memory_is_counted(void **state)
{
    (void)state;
    double start = host_now_seconds();
    assert_true(host_peak_rss_bytes() > 100 * 1024 && host_peak_rss_bytes() < (1ull << 40));
    while (host_now_seconds() == start)
        ;
    assert_true(host_now_seconds() > start && host_now_seconds() < start + 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_under_their_names),
        cmocka_unit_test(rates_are_derived),
        cmocka_unit_test(names_are_unique_and_described),
        cmocka_unit_test(adding_sums_counters_and_keeps_the_highest_mark),
        cmocka_unit_test(a_consistent_run_passes_the_check),
        cmocka_unit_test(each_broken_identity_is_named),
        cmocka_unit_test(the_host_clock_moves_and_memory_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
