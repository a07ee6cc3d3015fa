#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/markdown.h"

#define TEN    "123456789 "
#define EIGHTY TEN TEN TEN TEN TEN TEN TEN TEN
#define NINETY EIGHTY TEN

static void check(const char *page, const char *wrapped)
{
    struct strbuf text = {0};
    strbuf_add(&text, page);
    markdown_wrap(&text);
    assert_string_equal(strbuf_text(&text), wrapped);
    strbuf_destroy(&text);
}

static void lines_have_at_most_100_columns(void **state)
{
    (void)state;
    check(NINETY "1234567890 next\n", NINETY "1234567890\nnext\n");
    check(NINETY "12345678901\n", EIGHTY "123456789\n12345678901\n");
    check("one\ntwo\n", "one two\n");
}

static void list_items_are_indented(void **state)
{
    (void)state;
    check("- " NINETY "12345678\n- x\n\ny\n", "- " NINETY "12345678\n- x\n\ny\n");
    check("- " NINETY "123456789\n- x\n", "- " EIGHTY "123456789\n  123456789\n- x\n");
}

static void no_wrapped_line_begins_with_a_mark_of_markdown(void **state)
{
    (void)state;
    check(NINETY "12345678 - b\n", NINETY "12345678 -\nb\n");
    check(NINETY "123456789 - b\n", EIGHTY "123456789\n123456789 - b\n");
    check(NINETY "1234567 12. b\n", EIGHTY "123456789\n1234567 12. b\n");
    check(NINETY "1234567 123 b\n", NINETY "1234567\n123 b\n");
}

static void short_code_stays_on_one_line(void **state)
{
    (void)state;
    check(NINETY "`a b c d` e\n", NINETY "`a b c d`\ne\n");
    check(NINETY "`a b c de f`.\n", EIGHTY "123456789\n`a b c de f`.\n");
    check("`" NINETY "12345678 b`\n", "`" NINETY "12345678\nb`\n");
    check(NINETY "it`s 123456 b\n", NINETY "it`s\n123456 b\n");
}

static void tables_headings_and_code_stay_as_they_are(void **state)
{
    (void)state;
    static const char page[] =
        "# A " NINETY NINETY "\n\n| a | " NINETY NINETY "|\n\n```\n" NINETY NINETY
        "\n- x\n```\n\n    " NINETY NINETY "\n<!-- " NINETY NINETY " -->\n";
    check(page, page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_at_most_100_columns),
        cmocka_unit_test(list_items_are_indented),
        cmocka_unit_test(no_wrapped_line_begins_with_a_mark_of_markdown),
        cmocka_unit_test(short_code_stays_on_one_line),
        cmocka_unit_test(tables_headings_and_code_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
