/* S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017. What section 3.5 says about the oracle
 * of CAWS and about criticality inversion. Expectations are derived from the sentences above them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "paper/sched_stage.h"
#include "sm/pace.h"

/* Records of a run with RR, read as a run with the oracle reads them. */
struct recorded_run {
    struct arena arena;
    char path[32];
    const char *params[1]; /* the file is the provider's only parameter */
    const void *input;
};

static void record_run(struct recorded_run *r, const char *rows)
{
    struct strbuf why = {0};
    *r = (struct recorded_run){.path = "/tmp/oracle_XXXXXX", .params = {r->path}};
    int file = mkstemp(r->path);
    assert_true(dprintf(file, "record,launch,cta,warp,start_cycle,end_cycle\n%s", rows) > 0);
    close(file);
    r->input = criticality_find("oracle")->load(r->params, &r->arena, &why);
    assert_non_null(r->input);
    unlink(r->path);
    strbuf_destroy(&why);
}

/* 3.5: "I encode the oracle warp criticality information based on the warp execution time with the
 * baseline RR policy": of this warp, in this launch, from its start to its own end. Critical is the
 * slowest of its thread block. */
static void the_oracle_gives_the_execution_times_of_the_recorded_run(void **state)
{
    (void)state;
    static const int64_t times[2][4] = {{50, 90, 230, 10}, {300, 1}};
    const struct criticality_desc *oracle = criticality_find("oracle");
    struct recorded_run r;
    record_run(&r, "warp,1,0,0,100,150\nwarp,1,0,1,100,190\ncta,1,0,,100,190\n"
                   "warp,1,1,0,170,400\nwarp,1,1,1,170,180\n"
                   "warp,2,0,0,500,800\nwarp,2,0,1,500,501\n");
    for (uint32_t launch = 0; launch < 2; launch++) {
        struct stage s;
        uint32_t n = launch ? 2 : 4;
        stage_init(&s, n, 2);
        struct criticality *c = criticality_create(oracle, r.params, r.input, &s.view);
        for (uint32_t w = 0; w < n; w++) {
            s.warps[w].launch = launch;
            show_live(&s, w);
            oracle->on_warp_start(c, w, 0);
        }
        for (uint32_t w = 0; w < n; w++) {
            assert_int_equal(oracle->value(c, w, 0), times[launch][w]);
            assert_int_equal(oracle->is_critical(c, w, 0), times[launch][w] > times[launch][w ^ 1]);
        }
        criticality_destroy(c);
    }
    arena_destroy(&r.arena);
}

/* "Of this warp": of its thread block in the grid, not of the one that was first in the same place
 * of an SM. Block 7 runs in slot 0. */
static void the_oracle_goes_by_the_block_of_the_grid(void **state)
{
    (void)state;
    const struct criticality_desc *oracle = criticality_find("oracle");
    struct recorded_run r;
    struct stage s;
    record_run(&r, "warp,1,0,0,0,10\nwarp,1,7,0,0,70\n");
    stage_init(&s, 1, 1);
    struct criticality *c = criticality_create(oracle, r.params, r.input, &s.view);
    s.warps[0].cta = 7;
    show_live(&s, 0);
    oracle->on_warp_start(c, 0, 0);
    assert_int_equal(oracle->value(c, 0, 0), 70);
    criticality_destroy(c);
    arena_destroy(&r.arena);
}

/* A thread block of three warps. The oracle said that `expected`, 0 or 1, would be the slowest, but
 * it is `slowest`; the other one of these is next, and warp 2 the fastest. */
static void end_block(struct pace *p, uint32_t expected, uint32_t slowest, struct pace_stats *s)
{
    enum { N = 3, LAST = 2 };
    struct sched_warp warps[N] = {{.warp_in_cta = 0}, {.warp_in_cta = 1}, {.warp_in_cta = 2}};
    struct sched_view view = {.n_warps = N, .warps = warps};
    for (uint32_t w = 0; w < N; w++)
        pace_start(p, &view, w, w == expected ? 120 : w == LAST ? 110 : 100);
    for (uint32_t w = 0; w < N; w++)
        pace_end(p,
                 &(struct warp_latency){.slot = w,
                                        .warp_in_cta = w,
                                        .end = w == slowest ? 90
                                               : w == LAST  ? 70
                                                            : 80,
                                        .is_last_of_cta = w == LAST},
                 s);
}

/* 3.5 and Table 3.3: "a fast running warp become a new critical warp"; "criticality inversion
 * within a thread-block". 8.89 % are 4 of the 45 thread blocks of the first round, 2.22 % are 1. */
static void a_new_critical_warp_is_an_inversion(void **state)
{
    (void)state;
    static const struct {
        uint32_t inverted;
        double share;
    } rows[] = {{4, 0.0889}, {1, 0.0222}, {0, 0}};
    for (uint32_t i = 0; i < 3; i++) {
        struct pace *p = pace_create(true);
        struct pace_stats s = {0};
        for (uint32_t block = 0; block < 45; block++)
            end_block(p, block % 2, block < rows[i].inverted ? 1 - block % 2 : block % 2, &s);
        assert_int_equal(s.ctas, 45);
        assert_int_equal(s.inversions_by_fast, s.inversions);
        double off = (double)s.inversions / (double)s.ctas - rows[i].share;
        assert_true(off > -0.00005 && off < 0.00005);
        pace_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_gives_the_execution_times_of_the_recorded_run),
        cmocka_unit_test(the_oracle_goes_by_the_block_of_the_grid),
        cmocka_unit_test(a_new_critical_warp_is_an_inversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
