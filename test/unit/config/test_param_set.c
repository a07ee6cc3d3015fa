/* The loader is driven by tables, so it is tested with its own tables: test_gpu.c tests those of
 * GPUs. Expected messages are written out: they are what a user sees. */
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
                        "t.yaml:3:1: error: 'count' is set twice, first on line 1\n"
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
                        "t.yaml:1:8: error: expected a value, found a list\n"
                        "    count: [1, [2], {a: 3}]\n"
                        "           ^\n"
                        "t.yaml:3:14: error: YAML aliases are not supported\n"
                        "    inner.label: *anchor\n"
                        "                 ^\n"
                        "  hint: write the value here\n"
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

/* Line and column are counted by hand: columns in characters, of which the umlaut is one. */
static void bytes_that_are_no_text_are_an_error_at_their_place(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        load(f, "count: 1\nlabel: \xc3\xa4 \xff\xfe\n"),
        "t.yaml:2:10: error: byte 19 of the file, 0xff, is not text: invalid leading "
        "UTF-8 octet\n"
        "  hint: a configuration file must be YAML text in UTF-8\n");
}

static void a_binary_file_is_an_error_at_its_first_strange_byte(void **state)
{
    struct fixture *f = *state;
    static const char elf[] = "\x7f"
                              "ELF\x02\x01\x01\0\0\0\n\0";
    settings_read_yaml(&f->set.settings, "a.out", elf, sizeof elf - 1, &f->diags);
    diag_format(&f->diags, &f->text);
    assert_string_equal(
        strbuf_text(&f->text),
        "a.out:1:1: error: byte 0 of the file, 0x7f, is not text: control characters "
        "are not allowed\n"
        "  hint: a configuration file must be YAML text in UTF-8\n");
}

static void a_value_with_a_nul_in_it_is_not_cut_short(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(load(f, "count: \"5\\0x\"\n"),
                        "t.yaml:1:8: error: the value of 'count' contains a NUL\n"
                        "    count: \"5\\0x\"\n"
                        "           ^\n");
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
        "t.yaml:7:25: error: this gives the source of 'inner.Table 2', which is not "
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

static void printing_shows_ranges_meanings_places_and_reasons(void **state)
{
    struct fixture *f = *state;
    static const char yaml[] = "count: 9\nsource: T1\nlabel: x\n"
                               "sources: {label: chosen (a short one)}\n";
    settings_read_yaml(&f->set.settings, "t.yaml", yaml, sizeof yaml - 1, &f->diags);
    settings_add_word(&f->set.settings, "fast=on", &f->diags);
    param_set_bind(&f->set, "", thing_params, N_THING_PARAMS, &f->thing, &f->diags);
    param_set_print(&f->set, &f->text);
    assert_string_equal(strbuf_text(&f->text),
                        "  count       9 pieces    1 to 100            how many\n"
                        "                t.yaml:1: T1\n"
                        "  size_bytes  4096 bytes  at least 0          how big\n"
                        "                default\n"
                        "  fast        true        true | false        whether it hurries\n"
                        "                --set fast=on\n"
                        "  colour      green       red | green | blue  what it looks like\n"
                        "                default\n"
                        "* label       x                               what it is called\n"
                        "                t.yaml:3: chosen (a short one)\n");
    strbuf_clear(&f->text);
    struct json_writer w = {.out = &f->text};
    param_set_json_values(&f->set, &w, NULL);
    assert_string_equal(strbuf_text(&f->text), "{\n  \"count\": 9,\n  \"size_bytes\": 4096,\n"
                                               "  \"fast\": true,\n  \"colour\": \"green\",\n"
                                               "  \"label\": \"x\"\n}\n");
}

/* Complains of two or three parameters after reading a base, a file and words; returns the text. */
static const char *complain(struct fixture *f, const char *base, const char *yaml, const char *word,
                            const char *const *names)
{
    struct param_set *set = &f->set;
    settings_read_yaml(&set->settings, "base.yaml", base, strlen(base), &f->diags);
    settings_read_yaml(&set->settings, "t.yaml", yaml, strlen(yaml), &f->diags);
    if (word)
        settings_add_word(&set->settings, word, &f->diags);
    param_set_bind(set, "", thing_params, N_THING_PARAMS, &f->thing, &f->diags);
    param_set_bind(set, "inner", thing_params, N_THING_PARAMS, &f->inner, &f->diags);
    param_set_complain(set, DIAG_ERROR, "inner", names, "do it", &f->diags, "no %d", 7);
    diag_format(&f->diags, &f->text);
    diag_list_destroy(&f->diags);
    const char *text = arena_strdup(&set->settings.arena, strbuf_text(&f->text));
    strbuf_clear(&f->text);
    set->n = set->settings.n = 0;
    return text;
}

static void values_that_do_not_go_together_are_blamed_on_the_nearest(void **state)
{
    struct fixture *f = *state;
    static const char base[] = "inner: {count: 1}\n", own[] = "inner: {fast: yes}\n";
    const char *const *two = PARAM_NAMES("count", "fast");
    assert_string_equal(complain(f, base, "", NULL, two), "base.yaml:1:16: error: no 7\n"
                                                          "    inner: {count: 1}\n"
                                                          "                   ^\n"
                                                          "  hint: do it\n");
    /* A file goes before its base, whichever name comes first. */
    assert_string_equal(complain(f, base, own, NULL, two), "t.yaml:1:15: error: no 7\n"
                                                           "    inner: {fast: yes}\n"
                                                           "                  ^\n"
                                                           "  hint: do it\n"
                                                           "base.yaml:1:16: note: inner.count is 1 "
                                                           "here\n"
                                                           "    inner: {count: 1}\n"
                                                           "                   ^\n");
    /* Of one file, the first name. */
    assert_string_equal(complain(f, "", "inner: {fast: yes, count: 1}\n", NULL, two),
                        "t.yaml:1:27: error: no 7\n"
                        "    inner: {fast: yes, count: 1}\n"
                        "                              ^\n"
                        "  hint: do it\n"
                        "t.yaml:1:15: note: inner.fast is true here\n"
                        "    inner: {fast: yes, count: 1}\n"
                        "                  ^\n");
    /* A word goes before any file, and overrides. */
    assert_string_equal(complain(f, base, own, "inner.count=2", two),
                        "--set inner.count=2: error: no 7\n"
                        "  hint: do it\n"
                        "t.yaml:1:15: note: inner.fast is true here\n"
                        "    inner: {fast: yes}\n"
                        "                  ^\n");
    /* Nothing was set. */
    assert_string_equal(complain(f, "", "", NULL, two), "error: no 7\n  hint: do it\n");
}

static const char *explain(const void *user, const char *name, struct arena *arena)
{
    return strcmp(name, "cuont") == 0 ? arena_printf(arena, "%s!", (const char *)user) : NULL;
}

static void a_name_nobody_knows_is_explained_by_who_knows_better(void **state)
{
    struct fixture *f = *state;
    f->set.explain = explain;
    f->set.explain_user = "ask";
    const char *text = load(f, "cuont: 1\ncolur: 2\ninner: 3\n");
    assert_non_null(strstr(text, "'cuont'\n    cuont: 1\n    ^\n  hint: ask!\n"));
    assert_non_null(strstr(text, "'colur'\n    colur: 2\n    ^\n  hint: did you mean 'colour'?\n"));
    assert_non_null(strstr(text, "hint: this is a section: it holds inner.count and others\n"));
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
        TEST(bytes_that_are_no_text_are_an_error_at_their_place),
        TEST(a_binary_file_is_an_error_at_its_first_strange_byte),
        TEST(a_value_with_a_nul_in_it_is_not_cut_short),
        TEST(sources_are_attached_to_values),
        TEST(words_that_are_no_assignment_are_refused),
        TEST(printing_shows_ranges_meanings_places_and_reasons),
        TEST(values_that_do_not_go_together_are_blamed_on_the_nearest),
        TEST(a_name_nobody_knows_is_explained_by_who_knows_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
