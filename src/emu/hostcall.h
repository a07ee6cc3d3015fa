/* Functions that kernels call and the simulator supplies: printf, malloc, assertions. */
#ifndef HEDDLE_EMU_HOSTCALL_H
#define HEDDLE_EMU_HOSTCALL_H

#include "emu/warp.h"

void host_call(struct emu_warp *w, const struct call_site *site, uint32_t mask);

/* Is it one of malloc or free? */
bool is_heap_call(const struct call_site *site);
/* Under timing: takes down that lanes of the warp make such a call. It waits until heap_perform().
 */
void heap_put_off(struct emu_warp *w, const struct call_site *site, uint32_t mask);
/* Performs and forgets the calls; their warps go on, or have faulted. True if something was freed:
 * then nobody who uses the memory may go by the ranges it remembers. */
bool heap_perform(struct heap_calls *h);
void emu_forget_ranges(struct emu *e);

#endif
