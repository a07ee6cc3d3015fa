/* Ctrl-C (S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 5.2), seen from outside: how
 * many misses of an instruction in a row bypass tells its AGG. */
#ifndef HEDDLE_TEST_CTRL_C_STAGE_H
#define HEDDLE_TEST_CTRL_C_STAGE_H

#include "paper/l1d_stage.h"

enum { A = 1, B, C };

/* One way, AGG 0 and a short sample: `n_lines` lines of the instruction leave, `n_reused` of them
 * used again before. The line that stays belongs to C. */
static inline void let_lines_leave(struct l1d *c, uint32_t pc, uint32_t n_lines, uint32_t n_reused)
{
    for (uint32_t i = 0; i < n_lines; i++) {
        load(c, 0, c->n_fresh, pc);
        if (i < n_reused)
            assert_int_equal(load(c, 0, c->n_fresh, pc), CACHE_HIT);
        c->n_fresh++;
    }
    load_fresh(c, 0, C);
}

/* How many misses of the instruction in a row bypass: 2^AGG - 1. */
static inline uint32_t bypasses_of(struct l1d *c, uint32_t pc)
{
    uint32_t n = 0;
    while (load_fresh(c, 0, pc) == CACHE_BYPASSED)
        assert_true(++n < 1000);
    return n;
}

/* Lines of A left, a sample of ten of them: how aggressive is it then? */
static inline uint32_t bypasses_after(uint32_t n_lines, uint32_t n_reused)
{
    struct l1d c;
    l1d_init(&c, "ctrl_c", "sample_period=10", 1, 1);
    let_lines_leave(&c, A, n_lines, n_reused);
    uint32_t n = bypasses_of(&c, A);
    l1d_destroy(&c);
    return n;
}

#endif
