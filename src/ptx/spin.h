/* Spin loops: loops in which lanes wait until memory changes, such as those that take a lock.
 *
 * A lock that ends on machines with a SIMT stack is written
 *
 *     while (!done) if (try_lock()) { critical section; unlock(); done = true; }
 *
 * where lanes reconverge after the `if`. clang moves the critical section out of the loop, so that
 * the immediate post-dominator of the branch that leaves the loop is the critical section: the lane
 * with the lock would wait there for lanes that wait for the lock. The form relies on a compiler
 * that keeps the structure of the source.
 *
 * MODEL: in modules with `.pragma "heddle.late_reconvergence"`, which is added to what clang
 * writes, lanes that leave a spin loop reconverge late: at the end of what encloses the loop (the
 * side of a branch, an iteration of a loop, the function) instead of the immediate post-dominator.
 * Other PTX is executed as it is written, as are functions that exchange values between lanes
 * (vote, shfl, bar.warp.sync, ...) or call others that do: they depend on where lanes reconverge.
 *
 * A spin loop is the part of a natural loop around one back edge, if
 *   - it repeats an attempt: an atomic or a volatile load, whose address and operands are the same
 *     in every iteration (those of an update by compare-and-swap are not), and which is no
 *     addition, which makes progress;
 *   - it has no stores, calls, barriers or table branches;
 *   - nothing but memory decides whether lanes leave: no register that one iteration passes to the
 *     next, such as a counter of attempts, has an influence on that. */
#ifndef HEDDLE_PTX_SPIN_H
#define HEDDLE_PTX_SPIN_H

#include "ptx/cfg.h"

enum ptx_spin_kind {
    PTX_SPIN_REPEATS = 1,          /* goes back, within a spin loop */
    PTX_SPIN_LATE = 2,             /* its lanes reconverge late */
    PTX_SPIN_LEAVES_BY_TARGET = 4, /* lanes that take it leave, others stay */
};

struct ptx_spin {
    uint8_t *kinds; /* per instruction: of a branch of a spin loop; otherwise 0 */
    uint32_t *meet; /* per instruction with PTX_SPIN_LATE: the instruction where its lanes
                     * reconverge; n_insts = at the function's end */
};

/* NULL if the function has no spin loop. Memory comes from the arena. */
struct ptx_spin *ptx_spin_find(const struct ptx_cfg *cfg, struct arena *arena);

#endif
