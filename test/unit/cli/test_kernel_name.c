#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/kernel_name.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_kernel_has_the_name_of_its_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
