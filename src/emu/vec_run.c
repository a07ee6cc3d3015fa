/* Special registers and the loop that steps a warp. Compiled once per host vector variant. */
#include "emu/vec.h"

/* OpenCL's launch parameters are passed in environment registers, as NVIDIA's compiler does: 3..5
 * hold the global offset; 6, the number of dimensions, is ours. */
static uint32_t environment_register(const struct emu_launch *l, uint32_t n)
{
    return n >= 3 && n <= 5 ? l->offset[n - 3] : n == 6 ? l->work_dim : 0;
}

static uint32_t lane_mask(uint32_t sreg, uint32_t lane)
{
    uint32_t bit = 1u << lane;
    switch (sreg) {
    case PTX_SREG_LANEMASK_EQ:
        return bit;
    case PTX_SREG_LANEMASK_LT:
        return bit - 1;
    case PTX_SREG_LANEMASK_LE:
        return bit | (bit - 1);
    case PTX_SREG_LANEMASK_GT:
        return ~(bit | (bit - 1));
    default: /* GE */
        return ~(bit - 1);
    }
}

/* Registers with one value for the whole warp. MODEL: without timing the clock counts executed warp
 * instructions, and there is one SM. */
static uint64_t uniform_register(const struct emu_warp *w, uint32_t sreg)
{
    const struct emu *e = w->emu;
    const struct emu_launch *l = &e->launch;
    uint64_t clock = e->overlay ? e->cycle : e->stats->warp_insts;
    if (sreg >= PTX_SREG_ENVREG0)
        return environment_register(l, sreg - PTX_SREG_ENVREG0);
    if (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z)
        return l->block[sreg - PTX_SREG_NTID_X];
    if (sreg >= PTX_SREG_CTAID_X && sreg <= PTX_SREG_CTAID_Z)
        return w->cta->id[sreg - PTX_SREG_CTAID_X];
    if (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z)
        return l->grid[sreg - PTX_SREG_NCTAID_X];
    switch (sreg) {
    case PTX_SREG_WARPID:
        return w->id;
    case PTX_SREG_NWARPID:
        return w->cta->n_warps;
    case PTX_SREG_NSMID:
        return e->n_sms;
    case PTX_SREG_GRIDID:
        return l->number;
    case PTX_SREG_CLOCK:
    case PTX_SREG_GLOBALTIMER_LO:
        return (uint32_t)clock;
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_GLOBALTIMER_HI:
        return clock >> 32;
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
        return clock;
    case PTX_SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared_bytes;
    case PTX_SREG_TOTAL_SMEM_SIZE:
        return l->shared_bytes;
    default: /* SMID */
        return e->smid;
    }
}

/* The 32 values of a register that differs between lanes. */
static const uint32_t *lane_values(const struct emu_warp *w, uint32_t sreg, uint32_t *scratch)
{
    if (sreg <= PTX_SREG_TID_Z)
        return w->tid[sreg - PTX_SREG_TID_X];
    for (uint32_t i = 0; i < WARP_LANES; i++)
        scratch[i] = sreg == PTX_SREG_LANEID ? i : lane_mask(sreg, i);
    return scratch;
}

static bool differs_between_lanes(uint32_t sreg)
{
    return sreg <= PTX_SREG_TID_Z || sreg == PTX_SREG_LANEID ||
           (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT);
}

static inline void move_sreg(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    uint32_t sreg = (uint32_t)op->imm, scratch[WARP_LANES];
    void *row = warp_row(w, op->dst);
    if (differs_between_lanes(sreg)) {
        const uint32_t *values = lane_values(w, sreg, scratch);
        if (op->flags & OP_DST64) {
            for (uint32_t i = 0; i < WARP_LANES; i++)
                ((uint64_t *)row)[i] = mask >> i & 1 ? values[i] : ((uint64_t *)row)[i];
        } else {
            for (uint32_t i = 0; i < WARP_LANES; i++)
                ((uint32_t *)row)[i] = mask >> i & 1 ? values[i] : ((uint32_t *)row)[i];
        }
        return;
    }
    vec_broadcast(row, op, mask, uniform_register(w, sreg));
}

static void move_sreg_some(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    move_sreg(w, op, mask);
}

static void move_sreg_all(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    (void)mask;
    move_sreg(w, op, ~0u);
}

const vec_table VEC_NAME(vec_sreg) = {[EXEC_MOV_SREG] = {move_sreg_some, move_sreg_all}};

static __attribute__((noinline)) uint64_t run_slice(struct emu_warp *w, uint64_t slice)
{
    uint64_t n = 0;
    while (w->state == WARP_RUNNING && n < slice) {
        emu_step(w);
        n++;
    }
    return n;
}

/* A timing model runs one operation at a time: it should not pay for the loop. */
uint64_t VEC_NAME(vec_run)(struct emu_warp *w, uint64_t slice)
{
    if (slice != 1 || w->state != WARP_RUNNING)
        return run_slice(w, slice);
    emu_step(w);
    return 1;
}
