/* Which registers hold a value that may still be read, at block boundaries. A register that some
 * path reads before writing is live at the function's entry. Unreachable blocks have no live
 * registers and keep none alive elsewhere. */
#ifndef HEDDLE_PTX_LIVENESS_H
#define HEDDLE_PTX_LIVENESS_H

#include "ptx/cfg.h"

struct ptx_liveness {
    uint32_t *globals; /* the registers live at some boundary, ascending; sets are indexed by
                        * these */
    uint32_t n_globals, n_words;
    uint64_t *in, *out; /* a bit set of n_words words per block */
};

struct ptx_liveness *ptx_liveness_build(const struct ptx_cfg *cfg, struct arena *arena);

/* The registers live before a block's first instruction, or after its last: writes them to `regs`,
 * which has room for n_globals, and returns how many. */
uint32_t ptx_alive_in(const struct ptx_liveness *live, uint32_t block, uint32_t *regs);
uint32_t ptx_alive_out(const struct ptx_liveness *live, uint32_t block, uint32_t *regs);

#endif
