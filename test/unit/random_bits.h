/* Random bit patterns for tests, biased towards the places where arithmetic goes wrong. */
#ifndef HEDDLE_TEST_RANDOM_BITS_H
#define HEDDLE_TEST_RANDOM_BITS_H

#include <stdint.h>

/* splitmix64: any seed will do. */
static inline uint64_t random_u64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* A float of the given layout: half of them uniform, the others zeros, infinities, NaNs,
 * subnormals, ones with a short fraction (exact results and ties) or an exponent near an edge. */
static inline uint64_t random_float(uint64_t *state, unsigned fraction_bits, unsigned exponent_bits)
{
    uint64_t r = random_u64(state);
    uint64_t sign = (r >> 8 & 1) << (fraction_bits + exponent_bits);
    uint64_t fraction_mask = (1ull << fraction_bits) - 1;
    uint64_t exponent_mask = (1ull << exponent_bits) - 1;
    uint64_t exponent = random_u64(state) & exponent_mask;
    uint64_t fraction = random_u64(state) & fraction_mask;
    uint64_t bias = exponent_mask >> 1, near = random_u64(state) % 8;
    switch (r & 15) {
    case 0: /* zero or infinity */
        return sign | (r >> 9 & 1 ? exponent_mask << fraction_bits : 0);
    case 1: /* NaN, or rarely infinity */
        return sign | exponent_mask << fraction_bits | fraction;
    case 2: /* subnormal */
        return sign | fraction >> r / 16 % fraction_bits;
    case 3: /* nearly overflowing */
        exponent = exponent_mask - 1 - near;
        break;
    case 4: /* nearly subnormal */
        exponent = 1 + near;
        break;
    case 5: /* near one */
        exponent = bias - 4 + near;
        break;
    case 6: /* where an ulp is about one */
        exponent = (bias + fraction_bits - 4 + near) & exponent_mask;
        break;
    case 7: /* few bits, at the top or all but the last ones */
        fraction = fraction_mask & ~(fraction_mask >> r / 16 % 8);
        fraction ^= r >> 20 & 3;
        break;
    default:
        break;
    }
    return sign | exponent << fraction_bits | fraction;
}

/* An integer: half of them uniform, the others near powers of two and their negatives. */
static inline uint64_t random_int(uint64_t *state, unsigned bits)
{
    uint64_t r = random_u64(state), v = random_u64(state);
    if (r & 1)
        v = (1ull << (r >> 1) % bits) + (r >> 8) % 5 - 2;
    if (r >> 12 & 1)
        v = 0 - v;
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

#endif
