/* Host vector variants, and binding a program's operations to one of them. */
#ifndef HEDDLE_EMU_BIND_H
#define HEDDLE_EMU_BIND_H

#include "emu/warp.h"

/* Variants that this build has and this host can run, best last: "generic", "avx2", "avx512". */
uint32_t host_isa_count(void);
const char *host_isa_name(uint32_t i);
/* The index of a name; NULL = the best variant. -1 if the host cannot run it. */
int host_isa_find(const char *name);

/* The loop that steps a warp, compiled for that variant. */
warp_runner host_isa_runner(uint32_t isa);

/* Sets the functions of all operations. */
void emu_bind(struct program *p, uint32_t isa);

#endif
