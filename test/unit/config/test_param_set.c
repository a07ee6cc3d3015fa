/* The loader is driven by tables, so it is tested with tables of its own: what GPUs have is tested
 * in test_gpu.c. Expected messages are written out: they are what a user has to work with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/param_set.h"

enum colour { RED, GREEN, BLUE };
static const char *const colour_names[] = {"red", "green", "blue", NULL};

struct thing {
    uint32_t count;
    uint64_t size_bytes;
    bool fast;
    enum colour colour;
    const char *label;
};

static const struct param thing_params[] = {
    PARAM_U32(struct thing, count, "3", 1, 100, "pieces", "how many"),
    PARAM_U64(struct thing, size_bytes, "4K", 0, UINT64_MAX, "bytes", "how big"),
    PARAM_BOOL(struct thing, fast, "no", "whether it hurries"),
    PARAM_ENUM(struct thing, colour, "green", colour_names, "what it looks like"),
    PARAM_STRING(struct thing, label, "none", "what it is called"),
};
enum { N_THING_PARAMS = sizeof thing_params / sizeof thing_params[0] };

struct fixture {
    struct param_set set;
    struct diag_list diags;
    struct thing thing, inner;
    struct strbuf text;
};

static int set_up(void **state)
{
    *state = xcalloc(1, sizeof(struct fixture));
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    param_set_destroy(&f->set);
    diag_list_destroy(&f->diags);
    strbuf_destroy(&f->text);
    free(f);
    return 0;
}

/* Loads `yaml` with the table bound at the top and again under "inner"; returns the messages. */
static const char *load(struct fixture *f, const char *yaml)
{
    settings_read_yaml(&f->set.settings, "t.yaml", yaml, strlen(yaml), &f->diags);
    param_set_bind(&f->set, "", thing_params, N_THING_PARAMS, &f->thing, &f->diags);
    param_set_bind(&f->set, "inner", thing_params, N_THING_PARAMS, &f->inner, &f->diags);
    param_set_finish(&f->set, &f->diags);
    diag_format(&f->diags, &f->text);
    return strbuf_text(&f->text);
}

static void values_of_every_type_are_read(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "count: 0x10\n"
                                "size_bytes: 3M\n"
                                "fast: true\n"
                                "colour: blue\n"
                                "label: \"two words\"\n"),
                        "");
    assert_int_equal(f->thing.count, 16);
    assert_int_equal(f->thing.size_bytes, 3145728);
    assert_true(f->thing.fast);
    assert_int_equal(f->thing.colour, BLUE);
    assert_string_equal(f->thing.label, "two words");
}

static void what_is_not_set_has_its_default(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "# nothing but a comment\n"), "");
    assert_int_equal(f->thing.count, 3);
    assert_int_equal(f->thing.size_bytes, 4096);
    assert_false(f->thing.fast);
    assert_int_equal(f->thing.colour, GREEN);
    assert_string_equal(f->thing.label, "none");
}

static void nested_maps_and_dotted_names_reach_tables_under_a_prefix(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "inner:\n  count: 7\ninner.fast: yes\n"), "");
    assert_int_equal(f->inner.count, 7);
    assert_true(f->inner.fast);
    assert_int_equal(f->thing.count, 3);
}

static void a_word_overrides_the_file(void **state)
{
    struct fixture *f = *state;
    load(f, "count: 5\n");
    struct param_set set = {0};
    assert_true(settings_read_yaml(&set.settings, "t.yaml", "count: 5\n", 9, &f->diags));
    assert_true(settings_add_word(&set.settings, "count=6", &f->diags));
    param_set_bind(&set, "", thing_params, N_THING_PARAMS, &f->thing, &f->diags);
    assert_int_equal(f->thing.count, 6);
    assert_string_equal(param_set_find(&set, "count")->source, "--set");
    param_set_destroy(&set);
}

static void several_mistakes_are_reported_at_their_places(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "count: many\n"
                                "size_bytes: 12Q\n"
                                "fast:   maybe\n"
                                "colour: gren\n"
                                "cuont: 4\n"
                                "inner: {count: 101}\n"),
                        "t.yaml:1:8: error: count: 'many' is not a whole number\n"
                        "    count: many\n"
                        "           ^\n"
                        "t.yaml:2:13: error: size_bytes: '12Q' is not a number of bytes such as "
                        "49152 or 48K\n"
                        "    size_bytes: 12Q\n"
                        "                ^\n"
                        "t.yaml:3:9: error: fast: 'maybe' is neither true nor false\n"
                        "    fast:   maybe\n"
                        "            ^\n"
                        "t.yaml:4:9: error: colour: 'gren' is not one of red, green, blue; did you "
                        "mean 'green'?\n"
                        "    colour: gren\n"
                        "            ^\n"
                        "t.yaml:6:16: error: inner.count: 101 is out of range, it may be 1 to 100 "
                        "pieces\n"
                        "    inner: {count: 101}\n"
                        "                   ^\n"
                        "t.yaml:5:1: error: there is no parameter 'cuont'\n"
                        "    cuont: 4\n"
                        "    ^\n"
                        "  hint: did you mean 'count'?\n");
}

static void a_name_set_twice_is_an_error(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "count: 1\nfast: no\ncount: 2\n"),
                        "t.yaml:3:1: error: 'count' is set twice, first in line 1\n"
                        "    count: 2\n"
                        "    ^\n");
}

static void what_yaml_allows_and_settings_do_not_is_named(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "count: [1, [2], {a: 3}]\n"
                                "label: &anchor x\n"
                                "inner.label: *anchor\n"
                                "? [a]\n"
                                ": 1\n"
                                "fast: yes\n"),
                        "t.yaml:1:8: error: expected a value, not a list\n"
                        "    count: [1, [2], {a: 3}]\n"
                        "           ^\n"
                        "t.yaml:3:14: error: YAML aliases are not supported here\n"
                        "    inner.label: *anchor\n"
                        "                 ^\n"
                        "  hint: write the value out\n"
                        "t.yaml:4:3: error: expected the name of a parameter\n"
                        "    ? [a]\n"
                        "      ^\n");
    assert_true(f->thing.fast);
}

static void broken_yaml_is_an_error_with_a_place(void **state)
{
    struct fixture *f = *state;
    const char *text = load(f, "count: 1\nlabel: \"never closed\n");
    assert_memory_equal(text, "t.yaml:3:1: error: ", strlen("t.yaml:3:1: error: "));
    assert_int_equal(f->thing.count, 1);
    assert_string_equal(param_set_find(&f->set, "count")->source, "t.yaml");
}

static void a_file_that_is_no_map_is_an_error(void **state)
{
    struct fixture *f = *state;
    assert_memory_equal(load(f, "- 1\n- 2\n"), "t.yaml:1:1: error: expected one map", 35);
}

static void maps_nested_too_deeply_are_refused(void **state)
{
    struct fixture *f = *state;
    struct strbuf yaml = {0};
    for (int i = 0; i < 1000; i++)
        strbuf_add(&yaml, "{a: ");
    for (int i = 0; i < 1000; i++)
        strbuf_add(&yaml, "}");
    assert_non_null(strstr(load(f, strbuf_text(&yaml)), "nested too deeply"));
    strbuf_destroy(&yaml);
}

static void bytes_that_are_no_text_are_an_error(void **state)
{
    struct fixture *f = *state;
    assert_non_null(strstr(load(f, "count: \xff\xfe\n"), "t.yaml: error: "));
}

static void sources_are_attached_to_values(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        load(f, "source: Paper, Table 1\n"
                "count: 9\n"
                "fast: on\n"
                "inner: {count: 8}\n"
                "sources:\n"
                "  fast: chosen (by us)\n"
                "  inner: {count: Paper, Table 2}\n"),
        "t.yaml:7:25: error: this tells the source of 'inner.Table 2', which is not "
        "set in this file\n"
        "      inner: {count: Paper, Table 2}\n"
        "                            ^\n");
    assert_string_equal(param_set_find(&f->set, "count")->source, "Paper, Table 1");
    assert_string_equal(param_set_find(&f->set, "fast")->source, "chosen (by us)");
    assert_string_equal(param_set_find(&f->set, "inner.count")->source, "Paper");
    assert_string_equal(param_set_find(&f->set, "colour")->source, "default");
    assert_true(bound_param_is_chosen(param_set_find(&f->set, "fast")));
    assert_false(bound_param_is_chosen(param_set_find(&f->set, "count")));
}

static void words_that_are_no_assignment_are_refused(void **state)
{
    struct fixture *f = *state;
    assert_false(settings_add_word(&f->set.settings, "count", &f->diags));
    assert_false(settings_add_word(&f->set.settings, "=3", &f->diags));
    assert_false(settings_add_word(&f->set.settings, "a b=3", &f->diags));
    assert_true(settings_add_word(&f->set.settings, "label=a=b", &f->diags));
    assert_true(settings_add_word(&f->set.settings, "count=x", &f->diags));
    assert_non_null(
        strstr(load(f, ""), "--set count=x: error: count: 'x' is not a whole number\n"));
    assert_string_equal(f->thing.label, "a=b");
}

static void printing_shows_units_and_marks_what_was_chosen(void **state)
{
    struct fixture *f = *state;
    static const char yaml[] = "count: 9\nsource: T1\nfast: on\nsources: {fast: chosen}\n";
    settings_read_yaml(&f->set.settings, "t.yaml", yaml, sizeof yaml - 1, &f->diags);
    param_set_bind(&f->set, "", thing_params, N_THING_PARAMS, &f->thing, &f->diags);
    param_set_print(&f->set, &f->text);
    assert_string_equal(strbuf_text(&f->text), "  count       9 pieces    T1\n"
                                               "  size_bytes  4096 bytes  default\n"
                                               "* fast        true        chosen\n"
                                               "  colour      green       default\n"
                                               "  label       none\n");
    strbuf_clear(&f->text);
    struct json_writer w = {.out = &f->text};
    param_set_json_values(&f->set, &w, NULL);
    assert_string_equal(strbuf_text(&f->text), "{\n  \"count\": 9,\n  \"size_bytes\": 4096,\n"
                                               "  \"fast\": true,\n  \"colour\": \"green\",\n"
                                               "  \"label\": \"none\"\n}\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(values_of_every_type_are_read),
        TEST(what_is_not_set_has_its_default),
        TEST(nested_maps_and_dotted_names_reach_tables_under_a_prefix),
        TEST(a_word_overrides_the_file),
        TEST(several_mistakes_are_reported_at_their_places),
        TEST(a_name_set_twice_is_an_error),
        TEST(what_yaml_allows_and_settings_do_not_is_named),
        TEST(broken_yaml_is_an_error_with_a_place),
        TEST(a_file_that_is_no_map_is_an_error),
        TEST(maps_nested_too_deeply_are_refused),
        TEST(bytes_that_are_no_text_are_an_error),
        TEST(sources_are_attached_to_values),
        TEST(words_that_are_no_assignment_are_refused),
        TEST(printing_shows_units_and_marks_what_was_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
