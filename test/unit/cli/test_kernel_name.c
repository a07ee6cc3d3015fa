#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/kernel_name.h"
#include "lab/demangle.h"

/* The symbols are what clang and nvcc write for the declarations beside them. */
static const struct {
    const char *symbol, *name;
} cases[] = {
    {"_Z5scalePff", "scale"},                  /* void scale(float *, float) */
    {"_ZN4deep2er6negateEPi", "negate"},       /* deep::er::negate(int *) */
    {"_Z5twiceIiEvPT_", "twice"},              /* template twice<int> */
    {"_ZN2la5twiceIfEEvPT_", "twice"},         /* la::twice<float> */
    {"_ZL6hiddenPi", "hidden"},                /* static void hidden(int *) */
    {"_ZN12_GLOBAL__N_16hiddenEPi", "hidden"}, /* in an unnamed namespace */
    {"plain", "plain"},                        /* extern "C" */
    {"_Z", "_Z"},                              /* and what is no symbol of C++ */
    {"_Z0", "_Z0"},
    {"_Z9short", "_Z9short"},
    {"_ZN", "_ZN"},
    {"_Z99999999999999999999999x", "_Z99999999999999999999999x"},
    {"", ""},
};

static void a_kernel_has_the_name_of_its_source(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(kernel_name_in_source(&arena, cases[i].symbol), cases[i].name);
    arena_destroy(&arena);
}

static void tables_show_names_without_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *shown;
    } names[] = {
        {"_Z5scalePff", "scale"},
        {"_ZN3geo5scaleIfEEvPT_NS_1VIS1_EE", "geo::scale<float>"},
        {"_ZN12_GLOBAL__N_16hiddenEPi", "(anonymous namespace)::hidden"},
        {"_Z4callPFviE", "call"}, /* void call(void (*)(int)) */
        {"_Z9short", "_Z9short"},
        {"plain", "plain"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(demangle_kernel(&arena, names[i].symbol), names[i].shown);
    arena_destroy(&arena);
}

/* Symbols of PTX that only begin like one of C++ stay. */
static void texts_show_whole_names(void **state)
{
    (void)state;
    struct strbuf out = {0};
    demangle_text("in kernel '_Z5scalePff': ld.param.u64 %rd1, [_Z5scalePff_param_0]; 1_Z2fiv",
                  &out);
    assert_string_equal(
        strbuf_text(&out),
        "in kernel 'scale(float*, float)': ld.param.u64 %rd1, [_Z5scalePff_param_0]; 1_Z2fiv");
    strbuf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_the_name_of_its_source),
        cmocka_unit_test(tables_show_names_without_parameters),
        cmocka_unit_test(texts_show_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
