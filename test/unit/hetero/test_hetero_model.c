/* Models of S3 Appendix A evaluate exactly, and model files are read and written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hetero/model.h"

enum { MAX_FEATURES = 10 };

static struct hetero_model *read_shipped(uint32_t i)
{
    struct diag_list diags = {0};
    struct hetero_model *m =
        hetero_model_read(hetero_shipped_models[i].name, hetero_shipped_models[i].text, &diags);
    assert_non_null(m);
    diag_list_destroy(&diags);
    return m;
}

static void assert_near(double got, double want)
{
    if (fabs(got - want) > 1e-12 * fabs(want))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void tables_have_the_printed_terms(void **state)
{
    (void)state;
    static const uint32_t n_terms[] = {36, 36, 55, 45}, n_zeros[] = {7, 9, 18, 16};
    assert_true(n_hetero_shipped_models >= 4); /* those of Appendix A come first */
    for (uint32_t i = 0; i < 4; i++) {
        struct hetero_model *m = read_shipped(i);
        uint32_t zeros = 0;
        for (uint32_t t = 0; t < m->n_terms; t++)
            zeros += m->terms[t].coefficient == 0;
        assert_int_equal(m->n_terms, n_terms[i]);
        assert_int_equal(zeros, n_zeros[i]);
        hetero_model_destroy(m);
    }
}

/* Features in the order of the single terms. */
static void check_all(const double values[4][MAX_FEATURES], const double want[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        struct hetero_model *m = read_shipped(i);
        assert_near(hetero_model_evaluate(m, values[i]), want[i]);
        hetero_model_destroy(m);
    }
}

static void all_ones(void **state)
{
    (void)state;
    double values[4][MAX_FEATURES];
    for (int i = 0; i < 4 * MAX_FEATURES; i++)
        values[i / MAX_FEATURES][i % MAX_FEATURES] = 1;
    check_all(values, (const double[]){0.007857667146259, 0.007573068132095, -0.03266409722817,
                                       0.0075730738177178});
}

static void primes(void **state)
{
    (void)state;
    static const double p[MAX_FEATURES] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
    double values[4][MAX_FEATURES];
    for (int i = 0; i < 4; i++)
        memcpy(values[i], p, sizeof p);
    check_all(values, (const double[]){-1.616046378420685, 0.837065920500258, -13.342029583741779,
                                       0.8370667454419944});
}

static void threads_alone(void **state)
{
    (void)state;
    double values[4][MAX_FEATURES] = {{1e6}, {1e6}, {1e6}, {1e6}};
    check_all(values, (const double[]){0.009173792, -0.461723788, 0.464380971, -0.461723788});
}

static void an_ordinary_kernel_is_negative(void **state)
{
    (void)state;
    double values[4][MAX_FEATURES] = {
        {1048576, 40, 6, 120, 18, 9, 2, 16},
        {1048576, 24, 60, 80, 4, 9, 2, 16},
        {1048576, 40, 6, 120, 18, 9, 2, 16, 1e6, 8},
        {1048576, 24, 60, 80, 4, 9, 2, 16, 8},
    };
    check_all(values, (const double[]){-14.372122445070416, -3.893213130244542, -32.56988265658255,
                                       -3.89320678872531});
}

static void a4_is_a2_and_dram(void **state)
{
    (void)state;
    struct hetero_model *a2 = read_shipped(1), *a4 = read_shipped(3);
    double v[MAX_FEATURES] = {1000, 7, 9, 0, 2, 3, 1, 64, 12}; /* no FP: its term is misprinted */
    double difference = hetero_model_evaluate(a4, v) - hetero_model_evaluate(a2, v);
    assert_true(fabs(difference - (4e-10 * 12 + 3.70901e-10 * 64 * 12)) < 1e-15);
    hetero_model_destroy(a2);
    hetero_model_destroy(a4);
}

static void written_models_are_read_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++) {
        struct hetero_model *m = read_shipped(i);
        struct strbuf once = {0}, twice = {0};
        struct diag_list diags = {0};
        m->terms[0].printed = NULL; /* as if fitted: 17 digits must do */
        m->terms[0].coefficient = 0.1 + 0.2;
        hetero_model_write(m, &once);
        struct hetero_model *again = hetero_model_read("again", strbuf_text(&once), &diags);
        assert_non_null(again);
        assert_true(again->terms[0].coefficient == 0.1 + 0.2);
        assert_string_equal(hetero_model_find_note(again, "source"),
                            hetero_model_find_note(m, "source"));
        hetero_model_write(again, &twice);
        assert_string_equal(strbuf_text(&once), strbuf_text(&twice));
        hetero_model_destroy(m);
        hetero_model_destroy(again);
        strbuf_destroy(&once);
        strbuf_destroy(&twice);
        diag_list_destroy(&diags);
    }
}

static void notes_are_one_line(void **state)
{
    (void)state;
    const char *const names[] = {"threads"};
    struct hetero_model *m = hetero_model_of_features(names, 1, false);
    struct strbuf text = {0};
    struct diag_list diags = {0};
    hetero_model_note(m, "source", "rows\nof k\r\n.csv");
    hetero_model_write(m, &text);
    struct hetero_model *again = hetero_model_read("again", strbuf_text(&text), &diags);
    assert_non_null(again);
    assert_string_equal(hetero_model_find_note(again, "source"), "rows?of k??.csv");
    hetero_model_destroy(m);
    hetero_model_destroy(again);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
}

static void byte_order_marks_are_skipped(void **state)
{
    (void)state;
    struct diag_list diags = {0};
    struct hetero_model *m = hetero_model_read("m", "\xef\xbb\xbftarget: gpu\na 1 2\n", &diags);
    assert_non_null(m);
    assert_string_equal(hetero_model_find_note(m, "target"), "gpu");
    hetero_model_destroy(m);
    diag_list_destroy(&diags);
}

static void assert_refused(const char *text, uint32_t line, uint32_t col, const char *message)
{
    struct diag_list diags = {0};
    assert_null(hetero_model_read("m", text, &diags));
    assert_int_equal(diags.n, 1);
    assert_int_equal(diags.items[0].line, line);
    assert_int_equal(diags.items[0].col, col);
    assert_non_null(strstr(diags.items[0].message, message));
    diag_list_destroy(&diags);
}

static void headers_are_checked(void **state)
{
    (void)state;
    assert_refused("target: gup\na 1 2\n", 1, 9, "there is no target 'gup': cmp or gpu");
    assert_refused("fit: 1\nscenario:  colocated\na 1 2\n", 2, 12,
                   "there is no scenario 'colocated'");
    assert_refused("a 1 2\nscenario: alone\n", 2, 1, "'scenario' must be above the terms");
    assert_refused("scenari: alone\na 1 2\n", 1, 1, "models have no 'scenari'");
    assert_refused("fit: 1\nfit: 2\na 1 2\n", 2, 1, "'fit' occurs twice");
}

static void models_of_something_else_are_noticed(void **state)
{
    (void)state;
    static const char text[] = "target: gpu\nscenario: alone\na 1 2\n";
    struct diag_list diags = {0};
    struct hetero_model *m = hetero_model_read("m", text, &diags);
    struct hetero_model *bare = hetero_model_read("m", "a 1 2\n", &diags);
    assert_true(hetero_model_is_for(m, "gpu", "alone", "m", text, &diags));
    assert_true(hetero_model_is_for(bare, "cmp", "alone", "m", "a 1 2\n", &diags));
    assert_int_equal(diags.n, 0);
    assert_false(hetero_model_is_for(m, "cmp", "alone", "m", text, &diags));
    assert_false(hetero_model_is_for(m, "gpu", "co-located", "m", text, &diags));
    assert_int_equal(diags.n, 2);
    assert_int_equal(diags.items[0].line, 1);
    assert_int_equal(diags.items[1].line, 2);
    hetero_model_destroy(m);
    hetero_model_destroy(bare);
    diag_list_destroy(&diags);
}

static void broken_models_are_refused_where_they_break(void **state)
{
    (void)state;
    assert_refused("a 1 2\na 1 3\n", 2, 1, "a single term already");
    assert_refused("a 1 2\na b 3\n", 2, 3, "no single term");
    assert_refused("a 1 2\na a 3\n", 2, 3, "no squares");
    assert_refused("a 1 2\nb 1 2\na b 3\nb a 4\n", 4, 3, "a term already");
    assert_refused("a 1 2\n1 1 3\n", 2, 1, "begins with a letter");
    assert_refused("# x\n\na 1 two\n", 3, 5, "finite number");
    assert_refused("a 1 nan\n", 1, 5, "finite number");
    assert_refused("a 1 0x1\n", 1, 5, "written in decimal");
    assert_refused("a 1 0x1p3\n", 1, 5, "written in decimal");
    assert_refused("a 1\n", 1, 1, "incomplete term");
    assert_refused("a 1 2 3\n", 1, 7, "nothing may follow");
    assert_refused("\xef\xbb\xbf# x\na 1 two\n", 2, 5, "finite number");
    assert_refused("# nothing\n", 0, 0, "no term");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_the_printed_terms),
        cmocka_unit_test(all_ones),
        cmocka_unit_test(primes),
        cmocka_unit_test(threads_alone),
        cmocka_unit_test(an_ordinary_kernel_is_negative),
        cmocka_unit_test(a4_is_a2_and_dram),
        cmocka_unit_test(written_models_are_read_back),
        cmocka_unit_test(notes_are_one_line),
        cmocka_unit_test(byte_order_marks_are_skipped),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(models_of_something_else_are_noticed),
        cmocka_unit_test(broken_models_are_refused_where_they_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
