/* S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017. What section 4.3.3 says about the
 * accuracy of criticality prediction. Expectations are derived from the sentences above them. */
#include "paper/sched_stage.h"
#include "sm/pace.h"

/* A thread block of warps that live for so many cycles each. The provider rates them twice while
 * all live, then they end in the order of their lives. */
struct block {
    uint32_t n_warps;
    uint64_t lives[4];
    int64_t ratings[2][4];
};

static struct pace_stats run_block(const struct block *b)
{
    struct stage s;
    struct pace_stats stats = {0};
    struct pace *p = pace_create(false);
    stage_init(&s, b->n_warps, b->n_warps);
    for (uint32_t w = 0; w < b->n_warps; w++) {
        show_live(&s, w);
        pace_start(p, &s.view, w, 0);
    }
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(s.times, b->ratings[i], sizeof b->ratings[i]);
        pace_sample(p, &s.view, i);
    }
    for (uint64_t now = 1; s.view.live; now++)
        for (uint32_t w = 0; w < b->n_warps; w++)
            if (b->lives[w] == now) {
                s.view.live &= ~(UINT64_C(1) << w);
                struct warp_latency l = {
                    .slot = w, .warp_in_cta = w, .end = now, .is_last_of_cta = !s.view.live};
                pace_end(p, &l, &stats);
            }
    pace_destroy(p);
    return stats;
}

/* "I compare the periodic prediction outcomes with the slowest, critical warp based on its total
 * execution time. [...] If a warp's criticality is larger than 50% of warps in a thread-block, this
 * warp is a slow warp. [...] I count the prediction accuracy as the frequency that the critical
 * warp is identified as a slow warp." Warp 2 lives longest; two of four have smaller ratings in the
 * first sample (1, 3), one in the second (2). Ratings of others alone do not matter. */
static void the_slowest_warp_should_be_in_the_slower_half(void **state)
{
    (void)state;
    static const struct block blocks[] = {
        {4, {10, 20, 90, 30}, {{5, 1, 4, 3}, {5, 4, 3, 2}}},
        {4, {10, 20, 90, 30}, {{1, 2, 9, 3}, {4, 5, 6, 7}}},
        {4, {10, 20, 90, 30}, {{9, 8, 1, 7}, {9, 8, 1, 7}}},
    };
    static const uint64_t right[] = {1, 2, 0};
    for (uint32_t i = 0; i < 3; i++) {
        struct pace_stats s = run_block(&blocks[i]);
        assert_int_equal(s.samples, 2);
        assert_int_equal(s.slow, right[i]);
    }
}

/* "CPL results in an 100% prediction accuracy for NW because [...] a thread-block has only one or
 * two warps": a warp that is alone is its slowest. */
static void a_warp_alone_is_predicted_rightly(void **state)
{
    (void)state;
    struct pace_stats s = run_block(&(struct block){1, {50}, {{7}, {0}}});
    assert_int_equal(s.samples, 2);
    assert_int_equal(s.slow, 2);
    assert_int_equal(s.samples_alone, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_warp_should_be_in_the_slower_half),
        cmocka_unit_test(a_warp_alone_is_predicted_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
