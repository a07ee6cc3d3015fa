/* Which registers hold a value that may still be read, at the borders of the blocks. A register
 * that some path reads before writing is alive at the function's entry. Blocks that cannot be
 * reached have nothing alive, and keep nothing alive elsewhere. */
#ifndef HEDDLE_PTX_LIVENESS_H
#define HEDDLE_PTX_LIVENESS_H

#include "ptx/cfg.h"

struct ptx_reg_set {
    const uint32_t *regs; /* register indices, ascending */
    uint32_t n;
};

struct ptx_liveness {
    struct ptx_reg_set *in, *out; /* per block: alive before its first and after its last */
};

struct ptx_liveness *ptx_liveness_build(const struct ptx_cfg *cfg, struct arena *arena);

#endif
