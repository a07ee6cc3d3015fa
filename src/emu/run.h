/* Functional execution of a launch: fast, without timing. */
#ifndef HEDDLE_EMU_RUN_H
#define HEDDLE_EMU_RUN_H

#include "emu/warp.h"

/* Starts a CTA in a slot, which serves any launch of a kernel and keeps its memory between uses. */
void cta_start(struct emu *e, struct emu_cta *cta, uint64_t number);
void cta_destroy(struct emu_cta *cta);
/* Runs a CTA for at most about `slice` instructions; true if it has ended or faulted. */
bool cta_run(struct emu *e, struct emu_cta *cta, uint64_t slice);

/* Runs every CTA of e->launch. Up to `resident` CTAs make progress together, so that CTAs that wait
 * for each other finish. Stops at a fault (e->fault), or after max_insts warp instructions (0 = no
 * limit), which is a fault too. */
void emu_run(struct emu *e, uint32_t resident, uint64_t max_insts);

#endif
