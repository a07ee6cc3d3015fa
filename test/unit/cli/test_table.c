#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/table.h"

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    (void)state;
    static const char *const titles[] = {"name", "n", "what"};
    struct table t = {.titles = titles, .n_columns = 3, .right = "lrl"};
    table_cell(&t, "a");
    table_count(&t, 1234567);
    table_cell(&t, "x%d", 1);
    table_cell(&t, "longer");
    table_count(&t, 12);
    table_cell(&t, "%s", "");
    struct strbuf out = {0};
    table_print(&t, &out);
    assert_string_equal(strbuf_text(&out), "name            n  what\n"
                                           "a       1,234,567  x1\n"
                                           "longer         12  \n");
    strbuf_destroy(&out);
    table_destroy(&t);
}

static void counts_are_grouped_by_thousands(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {999999, "999,999"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf out = {0};
        text_count(&out, cases[i].value);
        assert_string_equal(strbuf_text(&out), cases[i].text);
        strbuf_destroy(&out);
    }
}

static void text_is_wrapped_between_words(void **state)
{
    (void)state;
    struct strbuf out = {0};
    text_wrap(&out, "one two three four\nfive averyverylongword", 2, 0, 9);
    assert_string_equal(strbuf_text(&out),
                        "one two\n  three\n  four\n  five\n  averyverylongword\n");
    strbuf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(counts_are_grouped_by_thousands),
        cmocka_unit_test(text_is_wrapped_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
