/* Sizes with a difference: how they are written, named and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workloads/workload.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct workload_size sizes[] = {
    {"tiny", {10, 7, 0}}, {"small", {1000, 7, 2}}, {NULL, {0}}};

static const struct workload_input inputs[] = {
    {"count", NULL, 2, 5000000, "how many"},
    {"colour", colours, 0, 0, "which"},
    {NULL, NULL, 0, 0, NULL},
};

static const struct workload sample = {.name = "sample",
                                       .param_names = {"count", "fixed", "colour"},
                                       .sizes = sizes,
                                       .inputs = inputs};
static const struct workload plain = {
    .name = "plain", .param_names = {"count"}, .sizes = sizes, .inputs = NULL};

static struct arena arena;
static struct strbuf why;

static const struct workload_size *make(const struct workload *w, const char *text)
{
    strbuf_clear(&why);
    return workload_make_size(w, text, &arena, &why);
}

static int clean(void **state)
{
    (void)state;
    strbuf_destroy(&why);
    arena_destroy(&arena);
    return 0;
}

static void a_plain_name_is_the_size_of_the_table(void **state)
{
    (void)state;
    assert_ptr_equal(make(&sample, "tiny"), &sizes[0]);
    assert_ptr_equal(make(&plain, "small"), &sizes[1]);
}

static void inputs_replace_what_the_size_says(void **state)
{
    (void)state;
    const struct workload_size *s = make(&sample, "tiny:colour=blue:count=3M");
    assert_int_equal(s->p[0], 3000000);
    assert_int_equal(s->p[1], 7);
    assert_int_equal(s->p[2], 2);
    s = make(&sample, "small:count=2");
    assert_int_equal(s->p[0], 2);
    assert_int_equal(s->p[2], 2);
}

static void equal_inputs_have_equal_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"tiny:colour=blue:count=3M", "tiny:count=3000000:colour=blue"},
        {"tiny:count=3000K:colour=blue", "tiny:count=3000000:colour=blue"},
        {"tiny:count=3:count=4", "tiny:count=4"}, /* the last counts */
        {"tiny:count=10", "tiny"},
        {"small:colour=blue", "small"},
        {"small:colour=red", "small:colour=red"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct workload_size *s = make(&sample, cases[i].text);
        assert_non_null(s);
        assert_string_equal(s->name, cases[i].name);
        /* The name gives the same size. */
        assert_memory_equal(make(&sample, s->name)->p, s->p, sizeof s->p);
    }
}

static void mistakes_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"tiny:count=1", "count: '1' is not one of its values: 2 to 5000000"},
        {"tiny:count=5000001", "count: '5000001' is not one of its values: 2 to 5000000"},
        {"tiny:count=-3", "count: '-3' is not one of its values: 2 to 5000000"},
        {"tiny:count=", "count: '' is not one of its values: 2 to 5000000"},
        {"tiny:count=99999999999999999999",
         "count: '99999999999999999999' is not one of its values: 2 to 5000000"},
        {"tiny:colour=pink", "colour: 'pink' is not one of its values: red, green, blue"},
        {"tiny:colour=1", "colour: '1' is not one of its values: red, green, blue"},
        {"tiny:color=red", "sample has no input 'color'; did you mean 'colour'?"},
        {"tiny:fixed=7", "sample has no input 'fixed'; it has count, colour"},
        {"tiny:count", "'count' is not NAME=VALUE"},
        {"tiny:", "'' is not NAME=VALUE"},
        {"huge", ""},
        {"huge:count=3", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(make(&sample, cases[i].text));
        assert_string_equal(strbuf_text(&why), cases[i].why);
    }
    assert_null(make(&plain, "tiny:count=3"));
    assert_string_equal(strbuf_text(&why), "plain has no input 'count', only sizes");
}

static void both_ends_of_a_range_are_allowed(void **state)
{
    (void)state;
    assert_int_equal(make(&sample, "tiny:count=2")->p[0], 2);
    assert_int_equal(make(&sample, "tiny:count=5M")->p[0], 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_name_is_the_size_of_the_table),
        cmocka_unit_test(inputs_replace_what_the_size_says),
        cmocka_unit_test(equal_inputs_have_equal_names),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(both_ends_of_a_range_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
