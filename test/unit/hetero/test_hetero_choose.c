/* Bubble-up tables, pressures and choices: worked numbers for S3 Equations 6.1 to 6.6. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hetero/choose.h"

static const struct bubble_table table = {
    .cache = {1, 1.01, 1.03, 1.08, 1.15, 1.25, 1.4, 1.55, 1.7},
    .bandwidth = {1, 1.01, 1.02, 1.04, 1.08, 1.15, 1.26, 1.42, 1.65},
};

static void assert_close(double got, double want, double by)
{
    if (!(fabs(got - want) <= by))
        fail_msg("%.10g instead of %.10g", got, want);
}

static double slowdown(double llc_mb, double gbps)
{
    return bubble_effect_of(&table, &hetero_testbed, (struct pressure){llc_mb * (1 << 20), gbps})
        .both;
}

static void tables_are_interpolated_and_held_at_the_ends(void **state)
{
    (void)state;
    assert_close(slowdown(0, 0), 1, 1e-12);
    assert_close(slowdown(0.5, 0), 1.005, 1e-12);
    assert_close(slowdown(6.25, 0), 1.4375, 1e-12);
    assert_close(slowdown(8, 0), 1.7, 1e-12);
    assert_close(slowdown(20, 0), 1.7, 1e-12);
    assert_close(slowdown(0, 1.375), 1.005, 1e-12);
    assert_close(slowdown(0, 5.12), 1.018618, 5e-7);
    assert_close(slowdown(0, 30), 1.65, 1e-12);
    assert_close(slowdown(6.25, 30), 1.4375 + 0.65, 1e-12); /* both add up */
}

static void a_kernel_on_the_cmp_presses_on_the_cache(void **state)
{
    (void)state;
    const double buffer = 64 << 20;
    const struct hetero_machine *m = &hetero_testbed; /* 3 free cores of 8 lanes */
    assert_close(pressure_on_cmp(m, PRESSURE_LIVE, 1048576, buffer).llc_bytes, 1536, 1e-9);
    assert_close(pressure_on_cmp(m, PRESSURE_LIVE, 512, buffer).llc_bytes, 3 << 20, 1e-6);
    assert_close(pressure_on_cmp(m, PRESSURE_LIVE, 16, buffer).llc_bytes, 8 << 20, 0);
    assert_close(pressure_on_cmp(m, PRESSURE_FOOTPRINT, 1048576, 1000).llc_bytes, 1000, 0);
    assert_close(pressure_on_cmp(m, PRESSURE_FOOTPRINT, 1048576, buffer).llc_bytes, 8 << 20, 0);
    assert_close(pressure_on_cmp(m, PRESSURE_LIVE, 16, buffer).dram_gbps, 0, 0);
}

static void a_reporter_tells_the_pressure_of_a_kernel(void **state)
{
    (void)state;
    const struct hetero_machine *m = &hetero_testbed;
    assert_close(pressure_measured(m, &table, 0.98).llc_bytes, 0, 0);
    assert_close(pressure_measured(m, &table, 1).llc_bytes, 0, 0);
    assert_close(pressure_measured(m, &table, 1.005).llc_bytes, 0.5 * (1 << 20), 1e-3);
    assert_close(pressure_measured(m, &table, 1.4375).llc_bytes, 6.25 * (1 << 20), 1e-3);
    assert_close(pressure_measured(m, &table, 1.7).llc_bytes, 8 << 20, 1e-3);
    assert_close(pressure_measured(m, &table, 2.5).llc_bytes, 8 << 20, 0); /* held */
    assert_close(pressure_measured(m, &table, 1.4375).dram_gbps, 0, 0);
}

static void a_kernel_on_the_gpu_presses_on_bandwidth(void **state)
{
    (void)state;
    const struct hetero_machine *m = &hetero_testbed;
    assert_close(pressure_on_gpu(m, 256e6, 0.05).dram_gbps, 5.12, 1e-12);
    assert_close(pressure_on_gpu(m, 256e6, 0.01).dram_gbps, 11.8, 0); /* what PCIe carries */
    assert_close(pressure_on_gpu(m, 256e6, 0.05).llc_bytes, 0, 0);
}

static void other_natives_add_their_pressure(void **state)
{
    (void)state;
    struct hetero_native natives[2] = {
        {.table = &table, .own = {.llc_bytes = 1 << 20, .dram_gbps = 2.75}},
        {.table = &table, .own = {.llc_bytes = 4 << 20, .dram_gbps = 0}},
    };
    struct pressure kernel[HETERO_N_TARGETS] = {{.llc_bytes = 2 << 20}, {.dram_gbps = 5.5}};
    hetero_apply_bubbles(&hetero_testbed, kernel, natives, 2);
    assert_close(natives[0].slowdown[HETERO_CMP], 1.4, 1e-12);         /* 2 + 4 MB */
    assert_close(natives[0].slowdown[HETERO_GPU], 1.15 + 0.02, 1e-12); /* 4 MB, 5.5 GB/s */
    assert_close(natives[1].slowdown[HETERO_CMP], 1.08 + 0.01, 1e-12); /* 3 MB, 2.75 GB/s */
    assert_close(natives[1].slowdown[HETERO_GPU], 1.01 + 0.04, 1e-12); /* 1 MB, 8.25 GB/s */
}

struct one_native {
    double alone[2], co_located[2], native[2], weight;
};

static struct hetero_answer ask(const struct one_native *n, enum hetero_goal goal)
{
    struct hetero_native native = {
        .weight = n->weight > 0 ? n->weight : 1,
        .slowdown = {n->native[0], n->native[1]},
    };
    struct hetero_question q = {
        .goal = goal,
        .alone_s = {n->alone[0], n->alone[1]},
        .co_located_s = {n->co_located[0], n->co_located[1]},
        .natives = &native,
        .n_natives = 1,
    };
    return hetero_choose(&q);
}

static void fairness_is_least_over_greatest_slowdown(void **state) /* Equation 6.1 */
{
    (void)state;
    struct one_native n = {{1, 1}, {1.5, 1.8}, {1.2, 0.9}, 1};
    struct hetero_answer a = ask(&n, GOAL_FAIRNESS);
    assert_close(a.score[GOAL_FAIRNESS][HETERO_CMP], 0.8, 1e-12);
    assert_close(a.score[GOAL_FAIRNESS][HETERO_GPU], 0.5, 1e-12); /* below 1 stays below 1 */
    assert_close(a.fairness_ratio, 1.6, 1e-12);                   /* Equation 6.2 */
    assert_int_equal(a.target, HETERO_CMP);
}

static void fairness_of_three(void **state)
{
    (void)state;
    struct hetero_native natives[2] = {{.weight = 1, .slowdown = {1.1, 1.1}},
                                       {.weight = 1, .slowdown = {2.2, 2.2}}};
    struct hetero_question q = {
        .alone_s = {1, 1}, .co_located_s = {1.65, 1.65}, .natives = natives, .n_natives = 2};
    assert_close(hetero_choose(&q).score[GOAL_FAIRNESS][HETERO_CMP], 0.5, 1e-12);
}

static void a_low_fairness_ratio_prefers_the_gpu(void **state)
{
    (void)state;
    struct one_native n = {{1, 1}, {1, 1}, {1 / 0.3, 1 / 0.6}, 1};
    struct hetero_answer a = ask(&n, GOAL_FAIRNESS);
    assert_close(a.fairness_ratio, 0.5, 1e-12);
    assert_int_equal(a.target, HETERO_GPU);
}

static void a_kernels_slowdown_is_on_the_same_target(void **state) /* Equation 6.6 */
{
    (void)state;
    struct one_native n = {{4, 2}, {8, 3.2}, {1.5, 1.1}, 1};
    struct hetero_answer a = ask(&n, GOAL_FAIRNESS);
    assert_close(a.kernel_slowdown[REFERENCE_SAME][HETERO_CMP], 2, 1e-12);
    assert_close(a.kernel_slowdown[REFERENCE_SAME][HETERO_GPU], 1.6, 1e-12);
    assert_close(a.kernel_slowdown[REFERENCE_BEST][HETERO_CMP], 4, 1e-12);
    assert_close(a.kernel_slowdown[REFERENCE_BEST][HETERO_GPU], 1.6, 1e-12);
    n.co_located[1] = 1.8;
    a = ask(&n, GOAL_FAIRNESS);
    assert_close(a.kernel_slowdown[REFERENCE_SAME][HETERO_GPU], 0.9, 1e-12);
}

static void weights_move_the_choice(void **state) /* Equations 6.3 and 6.4 */
{
    (void)state;
    static const struct {
        double weight, cmp, gpu;
        enum hetero_target target;
    } rows[] = {
        {0.5, 0.375, 0.34375, HETERO_CMP},
        {1, 0.75, 0.6875, HETERO_CMP},
        {1.5, 0.8889, 0.9697, HETERO_GPU},
        {2.5, 0.5333, 0.5818, HETERO_GPU},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct one_native n = {{1, 1}, {2, 1.6}, {1.5, 1.1}, rows[i].weight};
        struct hetero_answer a = ask(&n, GOAL_FAIRNESS);
        assert_close(a.score[GOAL_FAIRNESS][HETERO_CMP], rows[i].cmp, 5e-5);
        assert_close(a.score[GOAL_FAIRNESS][HETERO_GPU], rows[i].gpu, 5e-5);
        assert_int_equal(a.target, rows[i].target);
    }
}

static void throughput_and_weighted_speed(void **state)
{
    (void)state;
    static const struct {
        struct one_native n;
        double throughput[2], weighted[2];
    } rows[] = {
        {{{4, 2}, {8, 3.2}, {1.5, 1.1}, 2.5}, {0.9167, 1.5341}, {0.5476, 0.8279}},
        {{{2, 10}, {5, 11}, {1.4, 1.2}, 2.5}, {1.1143, 1.0152}, {0.6245, 0.6472}},
        {{{3, 3}, {3.3, 4.5}, {1.3, 1.05}, 2.5}, {1.6783, 1.6190}, {0.8092, 0.8707}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hetero_answer a = ask(&rows[i].n, GOAL_THROUGHPUT);
        for (int t = 0; t < HETERO_N_TARGETS; t++) {
            assert_close(a.score[GOAL_THROUGHPUT][t], rows[i].throughput[t], 5e-5);
            assert_close(a.score[GOAL_WEIGHTED][t], rows[i].weighted[t], 5e-5);
        }
        assert_int_equal(a.target, rows[i].throughput[1] > rows[i].throughput[0]);
        assert_int_equal(ask(&rows[i].n, GOAL_WEIGHTED).target,
                         rows[i].weighted[1] > rows[i].weighted[0]);
    }
}

static void ties_go_to_the_shorter_time_then_to_the_cmp(void **state)
{
    (void)state;
    struct one_native n = {{1, 1}, {1.4, 1.4}, {2, 2}, 1}; /* 0.7 / 0.7 */
    assert_int_equal(ask(&n, GOAL_FAIRNESS).target, HETERO_CMP);
    struct one_native shorter = {{2, 1}, {2.8, 1.4}, {2, 2}, 1};
    assert_int_equal(ask(&shorter, GOAL_FAIRNESS).target, HETERO_GPU);
    struct one_native little = {{1, 1 - 1e-12}, {1.4, 1.4 - 1.4e-12}, {2, 2}, 1}; /* a tie */
    assert_int_equal(ask(&little, GOAL_FAIRNESS).target, HETERO_GPU);
    n.native[1] = 2 * (1 - 0.9e-9); /* within 1e-9: still a tie */
    assert_int_equal(ask(&n, GOAL_FAIRNESS).target, HETERO_CMP);
    n.native[1] = 2 * (1 - 1.1e-9); /* beyond: fairer on the GPU */
    assert_int_equal(ask(&n, GOAL_FAIRNESS).target, HETERO_GPU);
}

static void without_natives_the_time_alone_decides(void **state)
{
    (void)state;
    struct hetero_question q = {.alone_s = {4, 2}, .co_located_s = {1, 9}};
    assert_int_equal(hetero_choose(&q).target, HETERO_GPU);
    q.alone_s[HETERO_GPU] = 4;
    assert_int_equal(hetero_choose(&q).target, HETERO_CMP);
    q.alone_s[HETERO_GPU] = 4 * (1 - 1e-15); /* however little shorter */
    assert_int_equal(hetero_choose(&q).target, HETERO_GPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_interpolated_and_held_at_the_ends),
        cmocka_unit_test(a_kernel_on_the_cmp_presses_on_the_cache),
        cmocka_unit_test(a_reporter_tells_the_pressure_of_a_kernel),
        cmocka_unit_test(a_kernel_on_the_gpu_presses_on_bandwidth),
        cmocka_unit_test(other_natives_add_their_pressure),
        cmocka_unit_test(fairness_is_least_over_greatest_slowdown),
        cmocka_unit_test(fairness_of_three),
        cmocka_unit_test(a_low_fairness_ratio_prefers_the_gpu),
        cmocka_unit_test(a_kernels_slowdown_is_on_the_same_target),
        cmocka_unit_test(weights_move_the_choice),
        cmocka_unit_test(throughput_and_weighted_speed),
        cmocka_unit_test(ties_go_to_the_shorter_time_then_to_the_cmp),
        cmocka_unit_test(without_natives_the_time_alone_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
