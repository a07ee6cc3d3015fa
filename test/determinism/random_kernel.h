/* Random kernels that always end: nested branches and loops with trip counts from data, every kind
 * of memory, atomics, barriers and shuffles in uniform flow, calls, predication.
 *
 * A race-free kernel writes only what its thread owns, or adds to counters nobody reads before the
 * end: its results are those of functional execution. A racy one also reads and writes words all
 * threads share, uses the results of atomics on them, and reads clocks: what it computes depends on
 * the machine, but not on how the machine is simulated. */
#ifndef HEDDLE_TEST_RANDOM_KERNEL_H
#define HEDDLE_TEST_RANDOM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum {
    RANDOM_INPUT_WORDS = 4096, /* read only */
    RANDOM_OWN_WORDS = 16,     /* of each thread, in global, local and shared memory */
    RANDOM_COUNTERS = 64,
};

struct random_kernel {
    struct strbuf ptx; /* entry "k" with four buffers: input, own, counters, common */
    uint32_t grid, block, launches;
    bool racy;
};

/* Same seed, same kernel. */
void random_kernel_make(struct random_kernel *k, uint64_t seed, bool racy);
void random_kernel_destroy(struct random_kernel *k);

#endif
