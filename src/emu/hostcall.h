/* Functions that kernels call and the simulator supplies: printf, malloc, assertions. */
#ifndef HEDDLE_EMU_HOSTCALL_H
#define HEDDLE_EMU_HOSTCALL_H

#include "emu/warp.h"

void host_call(struct emu_warp *w, const struct call_site *site, uint32_t mask);

#endif
