#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

struct values {
    bool loud;
    const char *name;
    struct text_list extras;
    uint64_t count, size_bytes;
    struct dim3 grid, offset;
};

static const struct option options[] = {
    OPTION_FLAG("loud", struct values, loud, "makes noise"),
    OPTION_TEXT("name", struct values, name, "NAME", "what it is called"),
    OPTION_LIST("extra", struct values, extras, "X", "one more"),
    OPTION_U64("count", struct values, count, "N", "how many"),
    OPTION_BYTES("size", struct values, size_bytes, "BYTES", "how big"),
    OPTION_DIM3("grid", struct values, grid, "shape"),
    OPTION_OFFSET("offset", struct values, offset, "shift"),
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

struct parsed {
    struct arena arena;
    struct diag_list diags;
    struct values values;
    struct text_list operands;
    struct strbuf messages;
    bool ok;
};

static void parse(struct parsed *p, uint32_t n, const char *const *words)
{
    *p = (struct parsed){.values = {.count = 7}};
    p->ok =
        options_parse(options, N_OPTIONS, n, words, &p->values, &p->operands, &p->arena, &p->diags);
    diag_format(&p->diags, &p->messages);
}
#define PARSE(p, ...)                                                                              \
    parse((p), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                             \
          (const char *[]){__VA_ARGS__})

static void end(struct parsed *p)
{
    arena_destroy(&p->arena);
    diag_list_destroy(&p->diags);
    strbuf_destroy(&p->messages);
}

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    struct parsed p;
    PARSE(&p, "one", "--loud", "--name", "x", "--extra=a=b", "--extra", "c", "--count=0x10",
          "--size", "4K", "two", "--grid", "64,2", "--offset=0,3,0", "--", "--loud");
    assert_true(p.ok);
    assert_true(p.values.loud);
    assert_string_equal(p.values.name, "x");
    assert_int_equal(p.values.extras.n, 2);
    assert_string_equal(p.values.extras.items[0], "a=b");
    assert_string_equal(p.values.extras.items[1], "c");
    assert_int_equal(p.values.count, 16);
    assert_int_equal(p.values.size_bytes, 4096);
    assert_int_equal(p.values.grid.v[0], 64);
    assert_int_equal(p.values.grid.v[1], 2);
    assert_int_equal(p.values.grid.v[2], 1);
    assert_int_equal(p.values.offset.v[0], 0);
    assert_int_equal(p.values.offset.v[1], 3);
    assert_int_equal(p.operands.n, 3);
    assert_string_equal(p.operands.items[1], "two");
    assert_string_equal(p.operands.items[2], "--loud");
    end(&p);
}

static void what_is_not_given_keeps_its_default(void **state)
{
    (void)state;
    struct parsed p;
    PARSE(&p, "word");
    assert_true(p.ok);
    assert_int_equal(p.values.count, 7);
    assert_false(p.values.loud);
    assert_null(p.values.name);
    end(&p);
}

static void lists_grow_without_limit(void **state)
{
    (void)state;
    const char *words[200];
    for (int i = 0; i < 200; i += 2) {
        words[i] = "--extra";
        words[i + 1] = i % 4 ? "odd" : "even";
    }
    struct parsed p;
    parse(&p, 200, words);
    assert_int_equal(p.values.extras.n, 100);
    assert_string_equal(p.values.extras.items[0], "even");
    assert_string_equal(p.values.extras.items[99], "odd");
    end(&p);
}

static void several_mistakes_are_reported(void **state)
{
    (void)state;
    struct parsed p;
    PARSE(&p, "--luod", "--loud=1", "-l", "--count", "many", "--size=1Q", "--grid", "0,1",
          "--offset", "1,2,3,4", "--name");
    assert_false(p.ok);
    assert_string_equal(
        strbuf_text(&p.messages),
        "error: there is no option '--luod'\n"
        "  hint: did you mean '--loud'?\n"
        "error: --loud takes no value\n"
        "error: there is no option '-l'\n"
        "  hint: options begin with two dashes\n"
        "error: --count many: expected a whole number from 0 to "
        "18446744073709551615, such as 5000 or 5M\n"
        "error: --size 1Q: expected a number of bytes from 0 to "
        "18446744073709551615, such as 4096 or 4K\n"
        "error: --grid 0,1: expected up to three numbers from 1 to 4294967295, such as "
        "64,2,1\n"
        "error: --offset 1,2,3,4: expected up to three numbers from 0 to 4294967295, "
        "such as 16,0,0\n"
        "error: --name needs a value: --name NAME\n");
    end(&p);
}

static void dimensions_are_one_to_three_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      ",",
                                      "1,",
                                      "1,,1",
                                      "1,1,1,",
                                      "1,1,1,1",
                                      "-1",
                                      "a",
                                      "1 ,1",
                                      "4294967296",
                                      "99999999999999999999",
                                      "0x"};
    struct dim3 d;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (dim3_parse(bad[i], 0, &d))
            fail_msg("'%s' was accepted", bad[i]);
    assert_true(dim3_parse("4294967295", 1, &d));
    assert_true(d.v[0] == UINT32_MAX && d.v[1] == 1 && d.v[2] == 1);
    assert_true(dim3_parse("5", 0, &d));
    assert_true(d.v[0] == 5 && d.v[1] == 0 && d.v[2] == 0);
    assert_false(dim3_parse("5,0", 1, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(what_is_not_given_keeps_its_default),
        cmocka_unit_test(lists_grow_without_limit),
        cmocka_unit_test(several_mistakes_are_reported),
        cmocka_unit_test(dimensions_are_one_to_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
