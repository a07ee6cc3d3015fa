/* The lanes of one atomic instruction that fall into one line: what travels, is ordered and is
 * performed as a whole, wherever that happens. */
#ifndef HEDDLE_ATOMICS_ATOMIC_PART_H
#define HEDDLE_ATOMICS_ATOMIC_PART_H

#include "emu/overlay.h"
#include "emu/warp.h"
#include "noc/shard.h"

struct atomic_part {
    const struct op *op;
    uint32_t mask;
    uint32_t changed;      /* lanes that found another value than they left: all, if replayed */
    bool replayed;         /* it takes its time, and changes nothing */
    sim_time performed_at; /* noted by whoever performs it */
    uint64_t address[WARP_LANES], b[WARP_LANES], c[WARP_LANES], old[WARP_LANES];
};

/* Takes these lanes of an instruction that has been issued. */
void atomic_part_gather(struct atomic_part *p, const struct op *op, uint32_t mask,
                        const uint64_t *address, const struct emu_atomic *operands, bool replayed);
/* Performs it, lane by lane, on what memory and the overlay hold; the overlay has the result. */
void atomic_part_perform(struct atomic_part *p, const struct dev_mem *mem, struct overlay *overlay);
/* Gives the lanes of the warp the values that they found. */
void atomic_part_deliver(const struct atomic_part *p, struct emu_warp *w);

static inline uint32_t atomic_part_lanes(const struct atomic_part *p)
{
    return (uint32_t)__builtin_popcount(p->mask);
}

/* Of its answer, if it asked for so many: a reduction wants no values back. */
static inline uint32_t atomic_part_reply_bytes(const struct atomic_part *p, uint32_t asked)
{
    return p->op->round ? 0 : asked;
}

#endif
