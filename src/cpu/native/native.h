/* Shared by the native programs. */
#ifndef HEDDLE_CPU_NATIVE_H
#define HEDDLE_CPU_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/splitmix.h"

static inline uint64_t native_random(uint64_t *state)
{
    return splitmix(*state += SPLITMIX_STEP);
}

void *native_alloc(size_t bytes); /* zeroed */

void native_chase(void);
void native_lattice(void);
void native_fluid(void);
void native_matmul(void);

#endif
