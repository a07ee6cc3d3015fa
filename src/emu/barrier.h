/* CTA barriers. A warp arrives as a whole; waiting warps are released when enough have arrived. */
#ifndef HEDDLE_EMU_BARRIER_H
#define HEDDLE_EMU_BARRIER_H

#include "emu/warp.h"

void barrier_arrive(struct emu_warp *w, const struct op *op, uint32_t mask);
/* A warp of the CTA has ended: barriers that waited for all others may open now. */
void barrier_warp_done(struct emu_cta *cta);

#endif
