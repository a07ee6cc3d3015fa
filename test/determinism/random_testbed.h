/* Random machines, most of them hostile: few MSHRs, queues of depth 1, odd clocks, tiny caches. */
#ifndef HEDDLE_TEST_RANDOM_TESTBED_H
#define HEDDLE_TEST_RANDOM_TESTBED_H

#include "atomics/atomics.h"
#include "base/arena.h"
#include "determinism/observe.h"
#include "determinism/random_kernel.h"

/* Same seed, same machine; its texts live in the arena. */
void random_testbed_make(struct testbed *bed, uint64_t seed, struct arena *arena);
/* More variety of machines: every registered scheduler, provider, atomics unit and policy of L1D
 * and L2, each cache allocating at the miss or on fill, few MSHRs together with short queues, short
 * lines. Separate from the function above, so that seeds that once found something still do. */
void random_testbed_widen(struct testbed *bed, uint64_t seed, struct arena *arena);
/* Address maps, hashes over many partitions, DRAM schedulers, short lines of L2. By a generator of
 * its own, for the same reason. */
void random_testbed_set_memory(struct testbed *bed, uint64_t seed);
/* With that atomics unit and its own parameters, instead of the one it has. */
void random_testbed_set_unit(struct testbed *bed, const struct atomics_desc *unit, uint64_t seed,
                             struct arena *arena);
/* Can such a machine be built? */
bool testbed_is_accepted(const struct testbed *bed);

enum { RANDOM_MAX_LAUNCHES = 4 };

/* A random kernel with its input, on a random machine. */
struct random_case {
    struct random_kernel kernel;
    struct testbed bed;
    struct arena arena;
    uint32_t input[RANDOM_INPUT_WORDS];
    struct kernel_buffer buffers[4];
    struct kernel_launch launches[RANDOM_MAX_LAUNCHES];
    struct kernel_case k;
};
void random_case_make(struct random_case *c, uint64_t seed, bool racy);
/* On a wider machine, with more launches, of other sizes too. */
void random_case_widen(struct random_case *c, uint64_t seed);
void random_case_destroy(struct random_case *c);

#endif
