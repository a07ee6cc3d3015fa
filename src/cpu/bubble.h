/* Bubbles (J. Mars et al.: Bubble-Up, MICRO 2011; S3 chapter 6): generated programs that put a
 * known pressure on a shared memory system, so that the slowdown of a neighbour can be measured.
 *
 *     cache_bubble_I       streams over a buffer of I/8 of the last-level cache, a load per line
 *                          and nothing else
 *     bandwidth_bubble_I   streams over four last-level caches, a store per line, which is read
 *                          and later written back: 128 bytes. Other instructions between the
 *                          stores limit it to I/8 of the memory's bandwidth. (Loads could not do
 *                          this: the window holds few of them when others lie between.)
 *
 * I is 0 to 8; with 0 a bubble does not access memory.
 *
 * MODEL: a run of a bubble has a million instructions, or cpu.insts; the next run continues where
 * the last one stopped in the buffer. A core with few outstanding misses may not reach that rate:
 * the bandwidth of a bubble is what its core counts. */
#ifndef HEDDLE_CPU_BUBBLE_H
#define HEDDLE_CPU_BUBBLE_H

#include "cpu/source.h"

enum { BUBBLE_STEPS = 8, BUBBLE_INSTS = 1000000, BUBBLE_LLCS = 4 };

/* What bubbles need to know about a machine. */
struct bubble_machine {
    uint64_t llc_bytes;
    uint32_t cpu_mhz, width;  /* of a core: instructions per cycle */
    uint32_t memory_mb_per_s; /* the bandwidth that counts as 8/8 */
};

/* Is that the name of a bubble? */
bool cpu_is_bubble(const char *name);
/* NULL if it is not. A run has `insts` instructions; 0 = BUBBLE_INSTS. */
struct cpu_source *cpu_bubble_open(const char *name, const struct bubble_machine *m,
                                   uint64_t insts);

#endif
