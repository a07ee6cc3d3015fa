/* Control-flow graph of one function, immediate post-dominators, natural loops. */
#ifndef HEDDLE_PTX_CFG_H
#define HEDDLE_PTX_CFG_H

#include "ptx/ptx.h"

enum { PTX_NO_BLOCK = 0xffffffffu, PTX_NO_LOOP = 0xffffffffu };

struct ptx_block {
    uint32_t first, end; /* instructions [first, end) */
    uint32_t *succs;     /* block numbers; a guarded branch has [target, fall-through]; the
                          * function's end is not among them */
    uint32_t n_succs;
    uint32_t *preds;
    uint32_t n_preds;
    uint32_t ipdom; /* immediate post-dominator; PTX_NO_BLOCK = only the function's end */
    uint32_t idom;  /* immediate dominator; PTX_NO_BLOCK for the entry and unreachable blocks */
    uint32_t loop;  /* the innermost loop around it, or PTX_NO_LOOP */
    uint32_t loop_depth;
    bool reachable;
};

struct ptx_loop {
    uint32_t header; /* block */
    uint32_t outer;  /* the loop around it, or PTX_NO_LOOP */
    uint32_t depth;  /* 1 = outermost */
    uint32_t n_blocks;
};

struct ptx_cfg {
    const struct ptx_func *func;
    struct ptx_block *blocks; /* in program order; block 0 is the entry */
    uint32_t n_blocks;
    uint32_t *block_of; /* per instruction */
    uint32_t *order;    /* reachable blocks in reverse postorder: dominators come first */
    uint32_t n_order;
    struct ptx_loop *loops;
    uint32_t n_loops;
};

/* The function must have a body. Memory comes from the arena. */
struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f, struct arena *arena);

/* Where threads that diverge at instruction i reconverge: the index of the first instruction of the
 * immediate post-dominator of i's block, or f->n_insts if they only meet at the end. */
uint32_t ptx_cfg_reconvergence(const struct ptx_cfg *cfg, uint32_t i);

/* The region of the branch that ends a block: the blocks where lanes may be from the branch until
 * they reconverge. `in_region` is set for each block; `list`, with room for n_blocks + 1, gets the
 * block itself, which is in the region only if lanes come back to it, and then those of the region.
 * Returns the length of the list. */
uint32_t ptx_cfg_region(const struct ptx_cfg *cfg, uint32_t block, bool *in_region, uint32_t *list);

/* Does the block belong to the loop, directly or in a loop within it? */
bool ptx_cfg_in_loop(const struct ptx_cfg *cfg, uint32_t block, uint32_t loop);

#endif
