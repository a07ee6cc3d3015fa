/* Finds the shards that are due, in one pass over their wake-up times. Most shards are not due, and
 * most machines have tens of shards, so comparing four at a time pays off where the host can do it.
 * The scalar loop below is the reference. */
#ifndef HEDDLE_NOC_WAKES_H
#define HEDDLE_NOC_WAKES_H

#include "noc/shard.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

/* Times are compared in groups of this size: arrays of them are padded with TIME_NEVER and aligned
 * to a group. */
enum { WAKE_GROUP = 8, WAKES_AT_MOST = 64 };

#if defined __AVX2__
struct wake_scan {
    __m256i limit, first; /* with the top bit flipped, because comparisons are signed */
};

static inline uint64_t wakes_scan_four(struct wake_scan *s, const sim_time *wake)
{
    __m256i at = _mm256_load_si256((const __m256i *)wake) ^ _mm256_set1_epi64x(INT64_MIN);
    __m256i is_due = _mm256_cmpgt_epi64(s->limit, at);
    __m256i is_first = _mm256_andnot_si256(is_due, _mm256_cmpgt_epi64(s->first, at));
    s->first = _mm256_blendv_epi8(s->first, at, is_first);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(is_due));
}
#endif

struct wakes {
    uint64_t due;   /* a bit for each time before `end` */
    sim_time later; /* the earliest of the others */
};

/* Examines the first `n` times, at most WAKES_AT_MOST. Not inline: it uses all of the host's vector
 * registers. */
static __attribute__((noinline)) struct wakes wakes_before(const sim_time *wake, uint32_t n,
                                                           sim_time end)
{
    struct wakes w = {.later = TIME_NEVER};
    n = n < WAKES_AT_MOST ? n : WAKES_AT_MOST;
#if defined __AVX2__
    const __m256i flip = _mm256_set1_epi64x(INT64_MIN);
    struct wake_scan s = {.limit = _mm256_set1_epi64x((int64_t)end) ^ flip,
                          .first = _mm256_set1_epi64x(INT64_MAX)};
    for (uint32_t i = 0; i < n; i += WAKE_GROUP) {
        uint64_t low = wakes_scan_four(&s, wake + i), high = wakes_scan_four(&s, wake + i + 4);
        w.due |= (low | high << 4) << i;
    }
    int64_t first[4];
    _mm256_storeu_si256((__m256i *)first, s.first ^ flip);
    for (uint32_t i = 0; i < 4; i++)
        w.later = w.later < (sim_time)first[i] ? w.later : (sim_time)first[i];
#else
    for (uint32_t i = 0; i < n; i++) {
        if (wake[i] < end)
            w.due |= UINT64_C(1) << i;
        else if (wake[i] < w.later)
            w.later = wake[i];
    }
#endif
    return w;
}

#endif
