/* Random machines, most of them hostile: few MSHRs, queues of depth 1, odd clocks, tiny caches. */
#ifndef HEDDLE_TEST_RANDOM_TESTBED_H
#define HEDDLE_TEST_RANDOM_TESTBED_H

#include "base/arena.h"
#include "determinism/observe.h"

/* Same seed, same machine; its texts live in the arena. */
void random_testbed_make(struct testbed *bed, uint64_t seed, struct arena *arena);

#endif
