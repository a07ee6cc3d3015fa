/* Coalesces the lanes' addresses into accesses of lines, as the GPU generation does. */
#ifndef HEDDLE_SM_COALESCE_H
#define HEDDLE_SM_COALESCE_H

#include <stdint.h>

#include "cache/cache.h"
#include "ptx/program.h"

/* Local accesses of several words may need more lines than lanes. */
enum { MAX_LINE_ACCESSES = 128, SEGMENT_BYTES = CACHE_SEGMENT_BYTES };

static inline uint32_t coalesce_all_segments(uint32_t line_bytes)
{
    return (1u << line_bytes / SEGMENT_BYTES) - 1;
}

/* Joins the accesses of lanes that fall into one line, separately for each group of `group` lanes;
 * in order of their first lane. Returns their number. */
uint32_t coalesce_by_lane(const uint64_t *address, uint32_t mask, uint32_t line_bytes,
                          uint32_t group, struct line_access *out);

/* The same for a full warp with `bytes` bytes per lane, faster for common patterns. */
uint32_t coalesce_warp(const uint64_t *address, uint32_t bytes, uint32_t line_bytes, uint32_t group,
                       struct line_access *out);

/* The same for a full warp of adjacent lanes (step = bytes) or at one address (step = 0), aligned
 * to their size; `first` is the first lane's address. */
uint32_t coalesce_run(uint64_t first, uint32_t step, uint32_t bytes, uint32_t line_bytes,
                      uint32_t group, struct line_access *out);

/* The same for a full warp of evenly spaced lanes, less than 2^32 bytes apart. */
uint32_t coalesce_strided(const uint64_t *address, uint32_t bytes, uint32_t line_bytes,
                          uint32_t group, struct line_access *out);

/* The details of these accesses. */
void coalesce_describe(const uint64_t *address, uint32_t bytes, uint32_t line_bytes,
                       const struct line_access *access, uint32_t n, struct line_detail *out);
void coalesce_describe_run(uint64_t first, uint32_t step, uint32_t bytes, uint32_t line_bytes,
                           const struct line_access *access, uint32_t n, struct line_detail *out);

/* The most lanes that access different words of one shared memory bank: the number of passes. */
uint32_t coalesce_passes_by_lane(const uint64_t *address, uint32_t mask, uint32_t bytes,
                                 uint32_t n_banks);
/* The same for a full warp, faster for common patterns. */
uint32_t coalesce_warp_passes(const uint64_t *address, uint32_t bytes, uint32_t n_banks);

#endif
