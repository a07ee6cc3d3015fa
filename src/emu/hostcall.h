/* Functions that kernels call and the simulator supplies: printf, malloc, assertions. */
#ifndef HEDDLE_EMU_HOSTCALL_H
#define HEDDLE_EMU_HOSTCALL_H

#include "emu/warp.h"

void host_call(struct emu_warp *w, const struct call_site *site, uint32_t mask);

/* Is it malloc or free? */
bool is_heap_call(const struct call_site *site);
/* Under timing: records that lanes of the warp make such a call. The warp waits until
 * heap_perform(). */
void heap_put_off(struct emu_warp *w, const struct call_site *site, uint32_t mask);
/* Performs the recorded calls; their warps continue, or have faulted. True if something was freed:
 * then cached address ranges are no longer valid. */
bool heap_perform(struct heap_calls *h);
void emu_forget_ranges(struct emu *e);

#endif
