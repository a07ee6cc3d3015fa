#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sched/mock_sm.h"

static void a_scheduler_comes_from_a_shared_object(void **state)
{
    (void)state;
    struct strbuf why = {0};
    if (!scheduler_load(HEDDLE_PLUGIN_DIR "/plugin_youngest.so", &why))
        fail_msg("%s", strbuf_text(&why));
    static const struct mock_cta ctas[] = {{3, {"aa", "la", "ada"}}};
    struct mock_sm m = {.ctas = ctas, .n_ctas = 1};
    mock_run(&m, scheduler_find("youngest"), NULL, 3, 1);
    /* By hand: warp 2 waits for its operand until cycle 4, warp 1 for its load until cycle 8. */
    assert_string_equal(m.chart[0], "221020..1");
    strbuf_destroy(&why);
}

static void unfit_shared_objects_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *reason;
    } unfit[] = {
        {HEDDLE_PLUGIN_DIR "/plugin_outdated.so", "compile it again"},
        {HEDDLE_PLUGIN_DIR "/no_such_plugin.so", "cannot load it"},
        {"libm.so.6", "does not export 'heddle_scheduler'"},
    };
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++) {
        struct strbuf why = {0};
        uint32_t n = scheduler_count();
        assert_false(scheduler_load(unfit[i].path, &why));
        assert_non_null(strstr(strbuf_text(&why), unfit[i].reason));
        assert_int_equal(scheduler_count(), n);
        strbuf_destroy(&why);
    }
}

static void the_page_shows_the_file_that_is_compiled(void **state)
{
    (void)state;
    struct strbuf page = {0}, file = {0};
    assert_int_equal(strbuf_read_file(&page, HEDDLE_SOURCE_DIR "/doc/schedulers.md"), 0);
    assert_int_equal(strbuf_read_file(&file, HEDDLE_SOURCE_DIR "/examples/youngest.c"), 0);
    assert_non_null(strstr(strbuf_text(&page), strbuf_text(&file)));
    strbuf_destroy(&page);
    strbuf_destroy(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scheduler_comes_from_a_shared_object),
        cmocka_unit_test(unfit_shared_objects_are_refused),
        cmocka_unit_test(the_page_shows_the_file_that_is_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
