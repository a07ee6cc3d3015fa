/* Least squares, cross-validation and pruning on data whose answers are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hetero/train.h"
#include "unit/random_bits.h"

static void assert_close(double got, double want, double by)
{
    if (!(fabs(got - want) <= by))
        fail_msg("%.10g instead of %.10g", got, want);
}

static struct hetero_rows read_rows(const char *text)
{
    struct hetero_rows rows = {0};
    struct diag_list diags = {0};
    if (!hetero_rows_read(&rows, "rows.csv", text, &diags))
        fail_msg("%s", diags.items[0].message);
    diag_list_destroy(&diags);
    return rows;
}

static const char worked[] = "kernel,threads,bytes,time\n"
                             "a,1000,1e6,.010\n"
                             "b,2000,1e6,.017\n"
                             "c,1000,4e6,.034\n"
                             "d,4000,2e6,.054\n";

static void a_fit_finds_the_coefficients(void **state)
{
    (void)state;
    struct hetero_rows rows = read_rows(worked);
    struct hetero_model *m = hetero_model_of_features(rows.features, rows.n_features, true);
    assert_int_equal(hetero_fit(m, &rows, NULL, NULL), 3);
    assert_close(m->terms[0].coefficient, 2e-6, 1e-15);
    assert_close(m->terms[1].coefficient, 3e-9, 1e-18);
    assert_close(m->terms[2].coefficient, 5e-12, 1e-21);
    hetero_model_destroy(m);
    hetero_rows_destroy(&rows);
}

static void r_squared_is_about_the_mean(void **state)
{
    (void)state;
    const double times[] = {1, 2, 3, 4}, predicted[] = {1.1, 1.9, 3.2, 3.8}, equal[] = {2, 2};
    assert_close(hetero_r_squared(predicted, times, 4), 0.98, 1e-12);
    assert_close(hetero_r_squared(equal, equal, 2), 1, 0);
    assert_true(hetero_r_squared(times, equal, 2) == -INFINITY);
    const double thrice[] = {0.1, 0.1, 0.1}, nearly[] = {0.1, 0.1 + 1e-16, 0.1};
    assert_close(hetero_r_squared(nearly, thrice, 3), 1, 0); /* rounded, as fits are */
}

/* Twice the same feature, one that is always 0, and a sum of two others. */
static void dependent_columns_get_nothing(void **state)
{
    (void)state;
    struct strbuf text = {0};
    strbuf_add(&text, "kernel,time,x,x_again,none,y,sum\n");
    for (int i = 1; i <= 40; i++) {
        double x = i * i % 17 + 1, y = i * 7 % 13 + 1;
        strbuf_addf(&text, "k%d,%.17g,%g,%g,0,%g,%g\n", i, 3 * x + 2 * y, x, x, y, x + y);
    }
    struct hetero_rows rows = read_rows(strbuf_text(&text));
    struct hetero_model *m = hetero_model_of_features(rows.features, rows.n_features, true);
    bool dropped[15];
    assert_int_equal(m->n_terms, 15);
    /* x, y, x*x, x*y and y*y span all of it. */
    assert_int_equal(hetero_fit(m, &rows, NULL, dropped), 5);
    assert_true(dropped[1] && dropped[2]); /* a repeated column is not the first */
    for (uint32_t t = 0; t < m->n_terms; t++)
        assert_true(!dropped[t] || m->terms[t].coefficient == 0);
    for (uint32_t r = 0; r < rows.n_rows; r++)
        assert_close(hetero_predict_row(m, &rows, r), rows.times[r], 1e-9 * rows.times[r]);
    hetero_model_destroy(m);
    hetero_rows_destroy(&rows);
    strbuf_destroy(&text);
}

/* All columns have norm 1, but the rounded norm of the last one is greater. */
static void of_equal_columns_the_earlier_stays(void **state)
{
    (void)state;
    struct hetero_rows rows = read_rows("kernel,time,x,y,z,sum\n"
                                        "a,1,1,0,0,1\nb,2,0,1,0,1\nc,3,0,0,1,1\n");
    struct hetero_model *m = hetero_model_of_features(rows.features, rows.n_features, false);
    bool dropped[4];
    assert_int_equal(hetero_fit(m, &rows, NULL, dropped), 3);
    assert_true(!dropped[0] && !dropped[1] && !dropped[2] && dropped[3]);
    for (uint32_t t = 0; t < 3; t++)
        assert_close(m->terms[t].coefficient, t + 1, 1e-12);
    hetero_model_destroy(m);
    hetero_rows_destroy(&rows);
}

/* c is 0.0415 b, and b almost a. What is left of b and c beside a is so small that rounding would
 * decide which of them comes first. */
static void the_earlier_stays_beside_others(void **state)
{
    (void)state;
    struct hetero_rows rows = read_rows("kernel,a,d,b,c,time\n"
                                        "k0,4.879616779082964,3.807768358781543,4.8796161518365455,"
                                        "0.202507616073499,12.983115111829704\n"
                                        "k1,4.64436897959978,5.360588586522915,4.6443696647769785,"
                                        "0.19274471591870546,15.829983119123307\n"
                                        "k2,4.581410701970558,5.634038500122244,4.581410743295447,"
                                        "0.19013187492813186,16.307628776544593\n"
                                        "k3,5.512162728584826,7.196159358071489,5.5121633848605,0."
                                        "228758785884337,20.455697783213854\n"
                                        "k4,9.453923169876425,6.204677900405743,9.453925922760465,"
                                        "0.39234479548829204,22.80867156296396\n"
                                        "k5,1.2026257549090649,8.160963492520075,1."
                                        "2026256568896418,0.04990983864865794,17.64481530563818\n"
                                        "k6,7.252827204804634,8.251229937389896,7.252827282569656,"
                                        "0.30099760249240487,24.48056980784139\n"
                                        "k7,6.345556900698666,4.088012292918153,6.345557033483742,"
                                        "0.26334522788756065,15.156137189883346\n"
                                        "k8,8.728080521499106,2.230380172147467,8.728078852153,0."
                                        "36222161462142655,14.06164875100934\n"
                                        "k9,8.26386824757973,6.414484758842813,8.263867471546202,0."
                                        "34295650500712027,21.91922451241998\n"
                                        "k10,6.756529881460858,1.6323955233477414,6.75653151483159,"
                                        "0.2804009674980363,10.6969740796395\n"
                                        "k11,5.774109880322412,3.1014464266615738,5."
                                        "774109931601107,0.23962975791748772,12.55441372680567\n");
    struct hetero_model *m = hetero_model_of_features(rows.features, rows.n_features, false);
    bool dropped[4];
    assert_int_equal(hetero_fit(m, &rows, NULL, dropped), 3);
    assert_true(!dropped[0] && !dropped[1] && !dropped[2] && dropped[3]);
    hetero_model_destroy(m);
    hetero_rows_destroy(&rows);
}

enum { N_KERNELS = 21, N_SIZES = 4, PLANTED = 8 };

/* Times follow a known model; kernel PLANTED takes `factor` times as long as it says. */
static struct hetero_rows make_rows(double factor)
{
    struct strbuf text = {0};
    uint64_t random = 5;
    strbuf_add(&text, "kernel,time,threads,mem,fp\n");
    for (int k = 0; k < N_KERNELS; k++) {
        double mem = 1 + (double)(random_u64(&random) % 40);
        double fp = 1 + (double)(random_u64(&random) % 90);
        for (int s = 1; s <= N_SIZES; s++) {
            double threads = 1000.0 * s * s;
            double time = 1e-6 * threads + 2e-4 * mem + 3e-5 * fp + 4e-8 * threads * mem +
                          5e-9 * threads * fp + 6e-6 * mem * fp;
            strbuf_addf(&text, "k%d,%.17g,%g,%g,%g\n", k, k == PLANTED ? time * factor : time,
                        threads, mem, fp);
        }
    }
    struct hetero_rows rows = read_rows(strbuf_text(&text));
    strbuf_destroy(&text);
    return rows;
}

static void training_recovers_a_known_model(void **state)
{
    (void)state;
    struct hetero_rows rows = make_rows(1);
    struct train_result result;
    struct strbuf why = {0};
    assert_true(hetero_train(&rows, &train_defaults, &result, &why));
    static const double want[] = {1e-6, 2e-4, 3e-5, 4e-8, 5e-9, 6e-6};
    for (uint32_t t = 0; t < 6; t++)
        assert_close(result.model->terms[t].coefficient, want[t], 1e-9 * want[t]);
    assert_close(result.r_squared_kept, 1, 1e-12);
    assert_int_equal(result.n_kept_kernels + result.best_stage, N_KERNELS);
    assert_int_equal(result.n_stages, N_KERNELS - 15 + 1); /* down to round(45 * 21 / 63) */
    train_result_destroy(&result);
    hetero_rows_destroy(&rows);
    strbuf_destroy(&why);
}

static void assert_planted_goes_first(double factor)
{
    struct hetero_rows rows = make_rows(factor);
    struct train_result result;
    struct strbuf why = {0};
    assert_true(hetero_train(&rows, &train_defaults, &result, &why));
    assert_int_equal(result.stages[0].goes, PLANTED);
    assert_false(result.kept_kernels[PLANTED]);
    assert_true(result.best_stage >= 1);
    assert_true(result.r_squared_kept > 1 - 1e-9);
    assert_true(result.r_squared_all < result.r_squared_kept);
    train_result_destroy(&result);
    hetero_rows_destroy(&rows);
    strbuf_destroy(&why);
}

static void an_outlier_is_pruned(void **state)
{
    (void)state;
    assert_planted_goes_first(10);  /* ten times too slow */
    assert_planted_goes_first(0.1); /* ten times too fast */
}

/* With 21 folds each of the 21 kernels is one; 45 of 63 would be 15. */
static void pruning_ends_where_each_kernel_is_a_fold(void **state)
{
    (void)state;
    for (uint32_t folds = 15; folds <= N_KERNELS; folds += 6) {
        struct hetero_rows rows = make_rows(1);
        struct train_options options = train_defaults;
        struct train_result result;
        struct strbuf why = {0};
        options.folds = folds;
        options.passes = 2;
        assert_true(hetero_train(&rows, &options, &result, &why));
        assert_int_equal(result.least_kernels, 15);
        assert_int_equal(result.stages[result.n_stages - 1].n_kernels, folds);
        assert_int_equal(result.stages[result.n_stages - 1].goes, HETERO_NO_FEATURE);
        if (folds == 15)
            assert_null(result.ended_because);
        else
            assert_string_equal(result.ended_because, "each fold needs a kernel");
        train_result_destroy(&result);
        hetero_rows_destroy(&rows);
    }
}

static void without_pruning_every_kernel_stays(void **state)
{
    (void)state;
    struct hetero_rows rows = make_rows(10);
    struct train_options options = train_defaults;
    struct train_result result;
    struct strbuf why = {0};
    options.prune = false;
    assert_true(hetero_train(&rows, &options, &result, &why));
    assert_int_equal(result.n_stages, 1);
    assert_int_equal(result.n_kept_kernels, N_KERNELS);
    train_result_destroy(&result);
    hetero_rows_destroy(&rows);
}

/* Products of features cannot be learned then. */
static void without_pairs_each_feature_has_a_term(void **state)
{
    (void)state;
    struct hetero_rows rows = make_rows(1);
    struct train_options options = train_defaults;
    struct train_result result;
    struct strbuf why = {0};
    options.pairs = false;
    assert_true(hetero_train(&rows, &options, &result, &why));
    assert_int_equal(result.model->n_terms, 3);
    assert_int_equal(result.n_kept_terms, 3);
    for (uint32_t t = 0; t < 3; t++)
        assert_int_equal(result.model->terms[t].second, HETERO_NO_FEATURE);
    assert_true(result.r_squared_kept < 0.999);
    train_result_destroy(&result);
    hetero_rows_destroy(&rows);
}

static void assert_refuses(const char *text, uint32_t folds, const char *message)
{
    struct hetero_rows rows = read_rows(text);
    struct train_options options = train_defaults;
    struct train_result result;
    struct strbuf why = {0};
    options.folds = folds;
    bool ok = hetero_train(&rows, &options, &result, &why);
    if (message) {
        assert_false(ok);
        assert_non_null(strstr(strbuf_text(&why), message));
    } else {
        assert_true(ok);
    }
    train_result_destroy(&result);
    hetero_rows_destroy(&rows);
    strbuf_destroy(&why);
}

static void what_cannot_be_trained_is_refused(void **state)
{
    (void)state;
    assert_refuses(worked, 5, "4 kernels cannot be distributed to 5 folds");
    assert_refuses(worked, 4, NULL);
    assert_refuses(worked, 2, "a fold leaves fewer rows than the 3 terms");  /* two are left */
    assert_refuses("kernel,a,b,time\nx,1,1,1\ny,2,2,2\nz,3,3,3\n", 0, NULL); /* a, a*b of 3 */
    assert_refuses("kernel,a,b,c,time\nx,1,1,1,1\ny,2,2,2,2\nz,3,3,3,3\n", 0,
                   "4 of 6 terms depend on others");
    assert_refuses("kernel,a,b,time\nx,1e200,1e200,1\ny,3,4,2\nz,3,2,3\n", 0,
                   "the values of a are too large");
    assert_refuses("kernel,a,b,time\nx,1e120,1e120,1\ny,3,4,2\nz,3,2,3\n", 0,
                   "the values of a x b are too large");
    assert_refuses("kernel,a,time\nx,1,1e200\ny,2,1\n", 0, "the times are too large");
    assert_refuses("kernel,a,time\nx,1e-161,1e153\ny,0,1\n", 0, "the coefficient of a is beyond");
}

static void assert_bad(const char *text, uint32_t line, uint32_t col, const char *message)
{
    struct hetero_rows rows = {0};
    struct diag_list diags = {0};
    assert_false(hetero_rows_read(&rows, "rows.csv", text, &diags));
    assert_int_equal(diags.items[0].line, line);
    assert_int_equal(diags.items[0].col, col);
    if (!strstr(diags.items[0].message, message))
        fail_msg("%s", diags.items[0].message);
    hetero_rows_destroy(&rows);
    diag_list_destroy(&diags);
}

static void byte_order_marks_are_skipped(void **state)
{
    (void)state;
    struct hetero_rows rows = read_rows("\xef\xbb\xbfkernel,a,time\nx,1,2\n");
    assert_int_equal(rows.n_rows, 1);
    hetero_rows_destroy(&rows);
    assert_bad("\xef\xbb\xbftime,kernel,a\nsoon,x,1\n", 2, 1, "finite number");
}

static void broken_rows_are_refused_where_they_break(void **state)
{
    (void)state;
    assert_bad("kernel,a\nx,1\n", 1, 1, "the column 'time' is missing");
    assert_bad("time,a\n1,1\n", 1, 1, "the column 'kernel' is missing");
    assert_bad("time,kernel\n1,x\n", 1, 1, "no feature column");
    assert_bad("kernel,my a,time\n", 1, 8, "a feature begins with a letter");
    assert_bad("kernel,2nd,time\n", 1, 8, "a feature begins with a letter");
    assert_bad("kernel,a:b,time\n", 1, 8, "no blank and no ':'");
    assert_bad("kernel,a,a,time\n", 1, 10, "occurs twice");
    assert_bad("kernel,a,time\n\"x, y\",1,1\nx,1\n", 3, 1, "2 columns, where the first line has 3");
    assert_bad("kernel,a,time\nx,one,1\n", 2, 3, "not a finite number");
    assert_bad("kernel,a,time\nx,0x10,1\n", 2, 3, "not a finite number");
    assert_bad("kernel,a,time\n,1,1\n", 2, 1, "the kernel has no name");
    assert_bad("kernel,a,time\nx,1,0\n", 2, 5, "must be above 0");
    assert_bad("kernel,a,time\n", 0, 0, "contains no rows");
    assert_bad("", 0, 0, "contains no rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_finds_the_coefficients),
        cmocka_unit_test(r_squared_is_about_the_mean),
        cmocka_unit_test(dependent_columns_get_nothing),
        cmocka_unit_test(of_equal_columns_the_earlier_stays),
        cmocka_unit_test(the_earlier_stays_beside_others),
        cmocka_unit_test(training_recovers_a_known_model),
        cmocka_unit_test(an_outlier_is_pruned),
        cmocka_unit_test(pruning_ends_where_each_kernel_is_a_fold),
        cmocka_unit_test(without_pruning_every_kernel_stays),
        cmocka_unit_test(without_pairs_each_feature_has_a_term),
        cmocka_unit_test(what_cannot_be_trained_is_refused),
        cmocka_unit_test(byte_order_marks_are_skipped),
        cmocka_unit_test(broken_rows_are_refused_where_they_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
