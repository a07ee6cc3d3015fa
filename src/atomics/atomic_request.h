/* The lanes of one atomic instruction that access one line: they are sent, ordered and performed as
 * a whole, wherever that happens. */
#ifndef HEDDLE_ATOMICS_ATOMIC_PART_H
#define HEDDLE_ATOMICS_ATOMIC_PART_H

#include "emu/overlay.h"
#include "emu/warp.h"
#include "noc/shard.h"

struct atomic_request {
    const struct op *op;
    uint32_t mask;
    uint32_t changed;      /* lanes whose value changed; all, if replayed */
    bool replayed;         /* it takes its time, but changes nothing */
    sim_time performed_at; /* set by the unit that performs it */
    uint64_t address[WARP_LANES], b[WARP_LANES], c[WARP_LANES], old[WARP_LANES];
};

/* Takes these lanes of an issued instruction. */
void atomic_request_gather(struct atomic_request *p, const struct op *op, uint32_t mask,
                           const uint64_t *address, const struct emu_atomic *operands,
                           bool replayed);
/* Performs it, lane by lane, on the contents of memory and the overlay; the overlay receives the
 * result. */
void atomic_request_perform(struct atomic_request *p, const struct dev_mem *mem,
                            struct overlay *overlay);
/* Gives the lanes of the warp the old values. */
void atomic_request_deliver(const struct atomic_request *p, struct emu_warp *w);

static inline uint32_t atomic_request_lanes(const struct atomic_request *p)
{
    return (uint32_t)__builtin_popcount(p->mask);
}

/* Bytes of its answer, given those requested: a reduction needs no values back. */
static inline uint32_t atomic_request_reply_bytes(const struct atomic_request *p, uint32_t asked)
{
    return p->op->round ? 0 : asked;
}

#endif
