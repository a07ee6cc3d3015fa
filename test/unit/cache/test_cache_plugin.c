/* The example of doc/adding-a-policy.md, built as a shared object and loaded, behaves as the page
 * says; unsound plug-ins are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/cache.h"
#include "gpu/plugins.h"
#include "sched/scheduler.h"

enum { LINE_BYTES = 128 };

static const struct cache_policy_desc *load_example(void)
{
    struct strbuf why = {0};
    if (!cache_policy_find("one_in_n") &&
        !plugins_load(HEDDLE_PLUGIN_DIR "/plugin_one_in_n.so", &why))
        fail_msg("%s", strbuf_text(&why));
    strbuf_destroy(&why);
    return cache_policy_find("one_in_n");
}

/* One load after another, H(it), M(iss, kept) or B(ypass). */
static void play(struct cache *c, const char *lines, char *answers)
{
    static const char letters[] = {[CACHE_HIT] = 'H', [CACHE_MISS] = 'M', [CACHE_BYPASSED] = 'B'};
    const struct cache_resources roomy = {true, true, true};
    for (; *lines; lines++, answers++) {
        struct mem_access a = {.line = (uint64_t)*lines * LINE_BYTES, .sector_mask = 1};
        struct cache_result r = cache_load(c, &a, roomy, c);
        if (r.answer == CACHE_MISS)
            cache_fill(c, r.mshr, 0);
        *answers = letters[r.answer];
    }
    *answers = '\0';
}

static struct cache *make(const struct cache_policy_desc *d, const void *params)
{
    struct cache_config config = {.n_sets = 1,
                                  .n_ways = 2,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = 1,
                                  .mshr_merges = 1};
    return cache_create(&config, d, params, 48, 1);
}

static void the_example_keeps_one_miss_in_n(void **state)
{
    (void)state;
    const struct cache_policy_desc *d = load_example();
    char answers[32];
    struct cache *c = make(d, NULL); /* n = 4 */
    play(c, "abcdefghda", answers);
    assert_string_equal(answers, "BBBMBBBMHB");
    cache_destroy(c);

    uint32_t two = 2;
    c = make(d, &two);
    /* A loop of three lines, which LRU with two ways loses: b and a are kept; c bypasses, then
     * takes the place of a, which b was used after. */
    play(c, "abcabcabcabc", answers);
    assert_string_equal(answers, "BMBMHBHHMBHH");
    cache_destroy(c);
}

static void with_n_of_1_the_example_is_lru(void **state)
{
    (void)state;
    uint32_t one = 1;
    char ours[32], lru[32];
    struct cache *c = make(load_example(), &one), *reference = make(cache_policy_find("lru"), NULL);
    play(c, "abacbcdabbacd", ours);
    play(reference, "abacbcdabbacd", lru);
    assert_string_equal(ours, lru);
    uint64_t n, first;
    cache_lru_differences(c, &n, &first);
    assert_int_equal(n, 0);
    cache_destroy(c);
    cache_destroy(reference);
}

/* Parameters of a plug-in are set like anybody's. */
static void the_examples_parameter_can_be_set(void **state)
{
    (void)state;
    struct param_set set = {0};
    struct diag_list diags = {0};
    assert_true(settings_add_word(&set.settings, "l1d.policy.n=2", &diags));
    const uint32_t *n = cache_policy_bind(load_example(), &set, "l1d", &diags);
    param_set_finish(&set, &diags);
    assert_int_equal(diags.n, 0);
    assert_int_equal(*n, 2);
    struct strbuf parts = {0};
    assert_int_equal(load_example()->cost_bits(NULL, n, &parts), 1);
    assert_string_equal(strbuf_text(&parts), "counter 1\n");
    strbuf_destroy(&parts);
    param_set_destroy(&set);
    diag_list_destroy(&diags);
}

static void the_page_shows_the_file_that_is_compiled(void **state)
{
    (void)state;
    struct strbuf page = {0}, file = {0};
    assert_int_equal(strbuf_read_file(&page, HEDDLE_SOURCE_DIR "/doc/adding-a-policy.md"), 0);
    assert_int_equal(strbuf_read_file(&file, HEDDLE_SOURCE_DIR "/examples/one_in_n.c"), 0);
    assert_non_null(strstr(strbuf_text(&page), strbuf_text(&file)));
    strbuf_destroy(&page);
    strbuf_destroy(&file);
}

static void any_kind_is_loaded_and_unfit_objects_are_refused(void **state)
{
    (void)state;
    struct strbuf why = {0};
    load_example();
    assert_null(scheduler_find("youngest"));
    assert_true(plugins_load(HEDDLE_PLUGIN_DIR "/plugin_youngest.so", &why));
    assert_non_null(scheduler_find("youngest"));
    /* Naming an object again changes nothing. */
    uint32_t n_schedulers = scheduler_count();
    assert_true(plugins_load(HEDDLE_PLUGIN_DIR "/plugin_youngest.so", &why));
    assert_int_equal(scheduler_count(), n_schedulers);
    static const struct {
        const char *path, *reason;
    } unfit[] = {
        {HEDDLE_PLUGIN_DIR "/plugin_outdated.so", "compile it again"},
        {HEDDLE_PLUGIN_DIR "/no_such_plugin.so", "cannot load it"},
        {"libm.so.6", "exports none of heddle_cache_policy"},
    };
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++) {
        uint32_t n = cache_policy_count();
        strbuf_clear(&why);
        assert_false(plugins_load(unfit[i].path, &why));
        assert_non_null(strstr(strbuf_text(&why), unfit[i].reason));
        assert_int_equal(cache_policy_count(), n);
    }
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_keeps_one_miss_in_n),
        cmocka_unit_test(with_n_of_1_the_example_is_lru),
        cmocka_unit_test(the_examples_parameter_can_be_set),
        cmocka_unit_test(the_page_shows_the_file_that_is_compiled),
        cmocka_unit_test(any_kind_is_loaded_and_unfit_objects_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
