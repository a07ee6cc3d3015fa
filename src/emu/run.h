/* Functional execution of a launch: as fast as it goes, without time. */
#ifndef HEDDLE_EMU_RUN_H
#define HEDDLE_EMU_RUN_H

#include "emu/warp.h"

/* CTA slots that can be used for any launch of a kernel; keeps its memory between uses. */
void cta_start(struct emu *e, struct emu_cta *cta, uint64_t number);
void cta_destroy(struct emu_cta *cta);
/* Runs a CTA for about `slice` instructions at most; true if it has ended, or a fault ended it. */
bool cta_run(struct emu *e, struct emu_cta *cta, uint64_t slice);

/* Runs every CTA of e->launch. Up to `resident` CTAs make progress together, so that CTAs that
 * wait for each other finish. Stops at a fault (e->fault), or after max_insts warp instructions
 * (0 = no limit), which is a fault too. */
void emu_run(struct emu *e, uint32_t resident, uint64_t max_insts);

#endif
