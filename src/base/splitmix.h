/* SplitMix64: the state is the seed plus a multiple of a constant, the output a mix of it. */
#ifndef HEDDLE_BASE_SPLITMIX_H
#define HEDDLE_BASE_SPLITMIX_H

#include <stdint.h>

#define SPLITMIX_STEP 0x9e3779b97f4a7c15ull

static inline uint64_t splitmix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

#endif
