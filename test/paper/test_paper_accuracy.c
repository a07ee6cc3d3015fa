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
    uint64_t second_sample; /* its cycle; 0 = while all live */
    uint32_t cta_warps;     /* 0 = all: one thread block */
};

static void sample_block(struct stage *s, struct pace *p, const struct block *b, uint32_t i)
{
    memcpy(s->times, b->ratings[i], sizeof b->ratings[i]);
    pace_sample(p, &s->view, i);
}

static void end_warp(struct stage *s, struct pace *p, uint32_t w, uint64_t now,
                     struct pace_stats *stats)
{
    uint64_t mates = 0;
    s->view.live &= ~(UINT64_C(1) << w);
    for (uint32_t other = 0; other < s->view.n_warps; other++)
        mates |= (uint64_t)(s->warps[other].cta_slot == s->warps[w].cta_slot) << other;
    struct warp_latency l = {.slot = w,
                             .cta_slot = s->warps[w].cta_slot,
                             .warp_in_cta = s->warps[w].warp_in_cta,
                             .end = now,
                             .is_last_of_cta = !(s->view.live & mates)};
    pace_end(p, &l, stats);
}

static struct pace_stats run_block(const struct block *b)
{
    struct stage s;
    struct pace_stats stats = {0};
    struct pace *p = pace_create(false);
    stage_init(&s, b->n_warps, b->cta_warps ? b->cta_warps : b->n_warps);
    for (uint32_t w = 0; w < b->n_warps; w++) {
        show_live(&s, w);
        pace_start(p, &s.view, w, 0);
    }
    sample_block(&s, p, b, 0);
    if (!b->second_sample)
        sample_block(&s, p, b, 1);
    for (uint64_t now = 1; s.view.live; now++) {
        for (uint32_t w = 0; w < b->n_warps; w++)
            if (b->lives[w] == now)
                end_warp(&s, p, w, now, &stats);
        if (b->second_sample == now)
            sample_block(&s, p, b, 1);
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
        {.n_warps = 4, .lives = {10, 20, 90, 30}, .ratings = {{5, 1, 4, 3}, {5, 4, 3, 2}}},
        {.n_warps = 4, .lives = {10, 20, 90, 30}, .ratings = {{1, 2, 9, 3}, {4, 5, 6, 7}}},
        {.n_warps = 4, .lives = {10, 20, 90, 30}, .ratings = {{9, 8, 1, 7}, {9, 8, 1, 7}}},
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
    struct pace_stats s =
        run_block(&(struct block){.n_warps = 1, .lives = {50}, .ratings = {{7}, {0}}});
    assert_int_equal(s.samples, 2);
    assert_int_equal(s.slow, 2);
    assert_int_equal(s.samples_alone, 2);
}

/* "In a thread-block": a rating is compared with those of its own block. Warps 0 and 2 are the
 * slowest of theirs and rated above the other one (5 > 1, 9 > 8), though 5 is less than both of the
 * second block. */
static void warps_of_other_blocks_do_not_matter(void **state)
{
    (void)state;
    struct pace_stats s = run_block(&(struct block){.n_warps = 4,
                                                    .lives = {20, 10, 40, 30},
                                                    .ratings = {{5, 1, 9, 8}, {5, 1, 9, 8}},
                                                    .cta_warps = 2});
    assert_int_equal(s.samples, 4);
    assert_int_equal(s.slow, 4);
}

/* "Larger than": warps that are rated equal are no slow warps. */
static void equal_ratings_are_not_larger(void **state)
{
    (void)state;
    struct pace_stats s = run_block(&(struct block){
        .n_warps = 4, .lives = {10, 20, 90, 30}, .ratings = {{5, 5, 5, 5}, {5, 5, 5, 5}}});
    assert_int_equal(s.samples, 2);
    assert_int_equal(s.slow, 0);
}

/* "Of warps in a thread-block": of those that have ended too, ours being that a warp that is still
 * there is slower than they. In the second sample warps 0 and 1 have ended; warp 2 is rated below
 * warp 3, but has outlived two of the other three. */
static void ended_warps_count_as_faster(void **state)
{
    (void)state;
    struct pace_stats s = run_block(&(struct block){.n_warps = 4,
                                                    .lives = {10, 20, 90, 30},
                                                    .ratings = {{9, 9, 3, 5}, {0, 0, 3, 5}},
                                                    .second_sample = 25});
    assert_int_equal(s.samples, 2);
    assert_int_equal(s.slow, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_warp_should_be_in_the_slower_half),
        cmocka_unit_test(a_warp_alone_is_predicted_rightly),
        cmocka_unit_test(warps_of_other_blocks_do_not_matter),
        cmocka_unit_test(equal_ratings_are_not_larger),
        cmocka_unit_test(ended_warps_count_as_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
