/* CCWS with four warps that lose locality (S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt:
 * Cache-conscious wavefront scheduling. MICRO 2012, section 3.3) and an L1D of one line. */
#ifndef HEDDLE_TEST_LOCALITY_STAGE_H
#define HEDDLE_TEST_LOCALITY_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/sched/ccws_stage.h"

/* Slots and ages are in no order, so that they cannot be mistaken for one another: warp 0 loses
 * locality, and these are the others. */
enum { N_WARPS = 4, OLD = 1 << 1, MIDDLE = 1 << 3, YOUNG = 1 << 2, OTHERS = OLD | MIDDLE | YOUNG };
static const uint64_t ages[N_WARPS] = {3, 1, 4, 2};

/* Four live warps, base 100, and an L1D of one line. */
static inline void start_beside(struct ccws_stage *s, const char *words, const char *policy,
                                const char *policy_words)
{
    assert_true(stage_init(s, words, N_WARPS, policy, policy_words, 1, 1));
    for (uint32_t w = 0; w < N_WARPS; w++)
        stage_start(s, w, ages[w]);
}

static inline void start(struct ccws_stage *s, const char *words)
{
    start_beside(s, words, "lru", "");
}

static inline void issue(struct ccws_stage *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        stage_issue(s, 0);
}

static inline enum cache_answer load_in(struct ccws_stage *s, uint32_t warp, char line,
                                        enum mem_space space)
{
    struct mem_access a = stage_access(s, warp, (uint64_t)line * STAGE_LINE_BYTES, MEM_LOAD);
    a.space = space;
    struct cache_result r = stage_load(s, &a);
    if (r.answer == CACHE_MISS)
        stage_fill(s, r.mshr);
    return (enum cache_answer)r.answer;
}

static inline enum cache_answer load(struct ccws_stage *s, uint32_t warp, char line)
{
    return load_in(s, warp, line, MEM_GLOBAL);
}

static inline void store(struct ccws_stage *s, uint32_t warp, char line)
{
    struct mem_access a = stage_access(s, warp, (uint64_t)line * STAGE_LINE_BYTES, MEM_STORE);
    stage_store(s, &a);
}

/* The warp misses a line that it had and lost: one VTA hit. */
static inline void lose_locality(struct ccws_stage *s, uint32_t warp)
{
    load(s, warp, (char)('a' + 2 * warp));
    load(s, warp, (char)('b' + 2 * warp));
    load(s, warp, (char)('a' + 2 * warp));
}

static inline uint64_t blocked_next_cycle(struct ccws_stage *s)
{
    stage_advance(s, 1);
    return stage_blocked(s, ISSUE_LOAD);
}

#endif
