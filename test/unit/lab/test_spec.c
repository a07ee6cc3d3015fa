/* Experiment files: the points they define, their order, and messages for mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/spec.h"

/* The points, one a line; or the messages. */
static struct strbuf text;
static struct spec spec;

static const char *load_with(const char *yaml, const struct spec_changes *changes)
{
    struct diag_list diags = {0};
    spec_destroy(&spec);
    strbuf_clear(&text);
    if (spec_load(&spec, "e.yaml", yaml, changes, &diags) == HEDDLE_OK)
        for (uint32_t i = 0; i < spec.n_points; i++) {
            point_describe(&spec.points[i], &text);
            strbuf_add_char(&text, '\n');
        }
    else
        diag_format(&diags, &text);
    diag_list_destroy(&diags);
    return strbuf_text(&text);
}

static const char *load(const char *yaml)
{
    return load_with(yaml, &(struct spec_changes){0});
}

static void a_minimal_file_is_a_product(void **state)
{
    (void)state;
    assert_string_equal(load("workloads: [kmn, bfs]\n"
                             "size: tiny\n"
                             "gpus: [gtx480]\n"
                             "schedulers: [lrr, gto]\n"
                             "l1d: [lru, fifo]\n"),
                        "kmn tiny, gtx480 scheduler=lrr l1d.policy=lru\n"
                        "bfs tiny, gtx480 scheduler=lrr l1d.policy=lru\n"
                        "kmn tiny, gtx480 scheduler=lrr l1d.policy=fifo\n"
                        "bfs tiny, gtx480 scheduler=lrr l1d.policy=fifo\n"
                        "kmn tiny, gtx480 scheduler=gto l1d.policy=lru\n"
                        "bfs tiny, gtx480 scheduler=gto l1d.policy=lru\n"
                        "kmn tiny, gtx480 scheduler=gto l1d.policy=fifo\n"
                        "bfs tiny, gtx480 scheduler=gto l1d.policy=fifo\n");
}

static void what_is_not_said_is_the_default(void **state)
{
    (void)state;
    assert_string_equal(load("workloads: bfs"), "bfs small, gtx480\n");
    assert_string_equal(load_with("workloads: bfs\nsize: small\ngpus: m2090",
                                  &(struct spec_changes){.size = "tiny", .gpu = "ccws"}),
                        "bfs tiny, ccws\n");
}

static void parameters_and_seeds_are_axes(void **state)
{
    (void)state;
    assert_string_equal(
        load("workloads: [bfs]\n"
             "sizes: [tiny]\n"
             "seeds: [1, 7]\n"
             "schedulers: [gto, swl: {limit: [2, 4]}]\n"
             "set: {l1d.n_ways: [4, 8], n_sms: 2}\n"
             "only: [{seed: 7, l1d.n_ways: 8}, {scheduler.limit: 2}]\n"
             "except:\n"
             "  - {scheduler: swl, seed: 1}\n"),
        "bfs tiny, gtx480 scheduler=gto l1d.n_ways=8 n_sms=2, seed 7\n"
        "bfs tiny, gtx480 scheduler=swl scheduler.limit=2 l1d.n_ways=4 n_sms=2, seed 7\n"
        "bfs tiny, gtx480 scheduler=swl scheduler.limit=2 l1d.n_ways=8 n_sms=2, seed 7\n"
        "bfs tiny, gtx480 scheduler=swl scheduler.limit=4 l1d.n_ways=8 n_sms=2, seed 7\n");
}

static void every_axis_counts(void **state)
{
    (void)state;
    assert_string_equal(load("workloads: [ss, bp]\nsizes: [tiny, small]\nseeds: [1, 2]\n"
                             "gpus: [m2090, ccws]\nonly: [{workload: bp, seed: 2}]\n"),
                        "bp tiny, m2090, seed 2\n"
                        "bp small, m2090, seed 2\n"
                        "bp tiny, ccws, seed 2\n"
                        "bp small, ccws, seed 2\n");
}

static void inputs_multiply_the_sizes(void **state)
{
    (void)state;
    assert_string_equal(
        load("workloads: bfs\n"
             "sizes: [tiny, 'paper-s4:degree=4']\n"
             "inputs: {graph: [uniform, tree], edges: [2K, 1000]}\n"
             "except: [{graph: tree, edges: 1000, size: 'tiny:edges=1000:graph=tree'}]\n"),
        "bfs tiny:edges=2000, gtx480\n"
        "bfs tiny:edges=1000, gtx480\n"
        "bfs tiny:edges=2000:graph=tree, gtx480\n"
        "bfs paper-s4:edges=2000:degree=4, gtx480\n"
        "bfs paper-s4:edges=1000:degree=4, gtx480\n"
        "bfs paper-s4:edges=2000:degree=4:graph=tree, gtx480\n"
        "bfs paper-s4:edges=1000:degree=4:graph=tree, gtx480\n");
    assert_string_equal(load_with("workloads: bfs\nsize: small\ninputs: {graph: road}",
                                  &(struct spec_changes){.size = "tiny"}),
                        "bfs tiny:graph=road, gtx480\n");
    load("workloads: all\nsize: tiny\ninputs: {graph: tree}");
    assert_int_equal(spec.n_points, 1); /* others have no such input */
}

static void all_leaves_out_those_without_the_size(void **state)
{
    (void)state;
    load("workloads: all\nsize: paper-s4");
    assert_true(spec.n_points > 0);
    for (uint32_t i = 0; i < spec.n_points; i++)
        assert_string_equal(spec.points[i].size->name, "paper-s4");
    assert_true(spec.n_points < workload_count);
}

/* --- mistakes --- */

static void expect_complaint(const char *yaml, const char *want)
{
    const char *got = load(yaml);
    if (!strstr(got, want))
        print_error("wanted: %s\ngot: %s\n", want, got);
    assert_non_null(strstr(got, want));
}

static void names_are_checked_with_their_places(void **state)
{
    (void)state;
    expect_complaint("workloads: [bfs, kmnn]\n",
                     "e.yaml:1:18: error: there is no workload 'kmnn'\n");
    expect_complaint("workloads: [bfs, kmnn]\n", "did you mean 'kmn'?");
    expect_complaint("workloads: bfs\nschedulers: [gto,\n  lrrr]\n",
                     "e.yaml:3:3: error: there is no scheduler 'lrrr'\n");
    expect_complaint("workloads: bfs\nl1d: [lru, nosuch]\n",
                     "e.yaml:2:12: error: there is no cache policy 'nosuch'\n");
    expect_complaint("workloads: bfs\nl1d: [lru, nosuch]\n", "there are: lru, fifo, random, plru");
    expect_complaint("workloads: bfs\ngpus: [gtx481]\n",
                     "e.yaml:2:8: error: there is no GPU 'gtx481'\n");
    expect_complaint("workloads: bfs\nsize: huge\n",
                     "e.yaml:2:7: error: no workload has a size 'huge'\n");
    expect_complaint("workloads: [bfs, bt]\nsize: paper-s4\n",
                     "e.yaml:1:18: error: bt has no size");
    expect_complaint("workload: [bfs]\n", "e.yaml:1:1: error: there is no key 'workload' here\n");
    expect_complaint("workload: [bfs]\n", "did you mean 'workloads'?");
    expect_complaint("size: tiny\n", "the experiment names no workloads");
    expect_complaint("workloads: bfs\nworkloads: kmn\n", "'workloads' is given twice");
    expect_complaint("", "the experiment is empty");
    expect_complaint("workloads: [bfs\n", "e.yaml:2:1: error: ");
    expect_complaint("workloads: bfs\nseeds: [one]\n",
                     "e.yaml:2:9: error: expected a whole number");
}

static void parameters_are_checked_with_their_places(void **state)
{
    (void)state;
    expect_complaint("workloads: bfs\nset:\n  l1d.n_wayz: [4]\n",
                     "e.yaml:3:16: error: there is no parameter 'l1d.n_wayz'\n");
    expect_complaint("workloads: bfs\nset:\n  l1d.n_wayz: [4]\n", "did you mean 'l1d.n_ways'?");
    expect_complaint("workloads: bfs\nset: {n_sms: [2, many]}\n",
                     "e.yaml:2:18: error: n_sms: 'many' is not a whole number\n");
    /* A machine that is wrong as a whole. */
    expect_complaint("workloads: bfs\nset: {l1d.line_bytes: 96}\n", "error: ");
    /* One mistake of many points is said once. */
    const char *got = load("workloads: [bfs, kmn]\nschedulers: [lrr, gto]\nset: {n_smz: 2}\n");
    assert_null(strstr(strstr(got, "n_smz'") + 1, "no parameter"));
}

static void a_filter_that_filters_nothing_is_a_mistake(void **state)
{
    (void)state;
    expect_complaint("workloads: bfs\nschedulers: [lrr]\nonly: [{scheduler: gto}]\n",
                     "e.yaml:3:20: error: no point has scheduler 'gto'\n");
    expect_complaint("workloads: bfs\nexcept: [{l1d.n_ways: 4}]\n",
                     "e.yaml:2:11: error: no point of the experiment has 'l1d.n_ways'\n");
    expect_complaint("workloads: bfs\nexcept: [{workload: bfs}]\n", "has no points");
}

static void inputs_are_checked_with_their_places(void **state)
{
    (void)state;
    expect_complaint("workloads: bfs\nschedulers: [lrr, gto]\ninputs:\n  graph: [tree, shrub]\n",
                     "e.yaml:4:17: error: graph: 'shrub' is not one of its values: uniform, "
                     "power-law, road, tree\n");
    assert_null(strstr(strstr(strbuf_text(&text), "shrub") + 1, "error: graph")); /* said once */
    expect_complaint("workloads: [bfs, kmn]\ninputs: {graph: tree}\n",
                     "e.yaml:2:17: error: kmn has no input 'graph'");
    expect_complaint("workloads: bfs\ninputs: [tree]\n", "inputs of workloads");
    expect_complaint("workloads: bfs\nsize: 'tinny:graph=tree'\n",
                     "e.yaml:2:7: error: no workload has a size 'tinny:graph=tree'");
}

static void what_is_missing_may_be_noted(void **state)
{
    (void)state;
    assert_string_equal(
        load_with("workloads: [bfs, nowhere]\nsize: tiny\nschedulers: [gto, nosuch]",
                  &(struct spec_changes){.notes_missing = true}),
        "bfs tiny, gtx480 scheduler=gto\n");
    assert_int_equal(spec.n_missing, 2);
    assert_string_equal(spec.missing[0], "workload 'nowhere'");
    assert_string_equal(spec.missing[1], "scheduler 'nosuch'");
}

/* --- keys --- */

static char *key_of(const char *yaml)
{
    load(yaml);
    assert_int_equal(spec.n_points, 1);
    assert_int_equal(strlen(spec.points[0].key), HASH_TEXT_BYTES - 1);
    return strdup(spec.points[0].key);
}

static void keys_tell_points_apart(void **state)
{
    (void)state;
    static const char *const different[] = {
        "workloads: bfs\nsize: tiny",
        "workloads: kmn\nsize: tiny",
        "workloads: bfs\nsize: tiny\ninputs: {graph: tree}",
        "workloads: bfs\nsize: tiny\ninputs: {graph: road}",
        "workloads: bfs\nsize: small",
        "workloads: bfs\nsize: tiny\nseeds: 2",
        "workloads: bfs\nsize: tiny\ngpus: m2090",
        "workloads: bfs\nsize: tiny\nschedulers: lrr",
        "workloads: bfs\nsize: tiny\nl1d: fifo",
        "workloads: bfs\nsize: tiny\nset: {l1d.n_ways: 8}",
    };
    enum { N = sizeof different / sizeof different[0] };
    char *keys[N];
    for (int i = 0; i < N; i++)
        keys[i] = key_of(different[i]);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(keys[i], keys[k]);
    /* The same machine in other words: gto, lru and 4 ways are what gtx480 has. */
    char *same = key_of("workloads: bfs\nsizes: [tiny]\ngpus: gtx480\nschedulers: gto\nl1d: lru\n"
                        "seeds: 1\nset: {l1d.n_ways: 4}");
    assert_string_equal(same, keys[0]);
    free(same);
    /* A limit of cycles is not part of a result's key, but of a failure's. */
    char *limited = key_of("workloads: bfs\nsize: tiny\nmax_cycles: 5");
    assert_string_equal(limited, keys[0]);
    assert_string_not_equal(spec.points[0].failure_key, limited);
    free(limited);
    free(key_of("workloads: bfs\nsize: tiny"));
    assert_string_equal(spec.points[0].failure_key, keys[0]);
    for (int i = 0; i < N; i++)
        free(keys[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimal_file_is_a_product),
        cmocka_unit_test(what_is_not_said_is_the_default),
        cmocka_unit_test(parameters_and_seeds_are_axes),
        cmocka_unit_test(every_axis_counts),
        cmocka_unit_test(inputs_multiply_the_sizes),
        cmocka_unit_test(all_leaves_out_those_without_the_size),
        cmocka_unit_test(names_are_checked_with_their_places),
        cmocka_unit_test(parameters_are_checked_with_their_places),
        cmocka_unit_test(a_filter_that_filters_nothing_is_a_mistake),
        cmocka_unit_test(inputs_are_checked_with_their_places),
        cmocka_unit_test(what_is_missing_may_be_noted),
        cmocka_unit_test(keys_tell_points_apart),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    spec_destroy(&spec);
    strbuf_destroy(&text);
    return status;
}
