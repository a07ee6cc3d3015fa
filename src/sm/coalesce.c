#include "sm/coalesce.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Neighbouring lanes fall into the line found last. */
static inline struct line_access *find_line(struct line_access *from, struct line_access *end,
                                            uint64_t line)
{
    while (end != from)
        if ((--end)->line == line)
            return end;
    return NULL;
}

/* One of 64 numbers for a line. Evenly spaced lines, as those of lanes usually are, have different
 * ones (Knuth, The Art of Computer Programming 3, 6.4: the golden ratio). */
static inline uint32_t number_of_line(uint64_t line)
{
    return (uint32_t)line * 0x9e3779b9u >> 26;
}

/* The lanes of a group, one after the other. A lane's access has at most 32 bytes, aligned: it lies
 * in one segment. A line whose number has not occurred yet is new; only others must be searched
 * for. */
static uint32_t coalesce_group(const uint64_t *address, uint32_t mask, uint64_t in_line,
                               struct line_access *out)
{
    uint64_t seen = 0;
    struct line_access *end = out;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = address[__builtin_ctz(m)], line = at & ~in_line;
        uint32_t lane = m & -m, segment = 1u << (at & in_line) / SEGMENT_BYTES;
        uint32_t number = number_of_line(line);
        struct line_access *a = seen >> number & 1 ? find_line(out, end, line) : NULL;
        if (a) {
            a->lanes |= lane;
            a->segments |= segment;
            continue;
        }
        seen |= 1ull << number;
        *end++ = (struct line_access){line, lane, segment};
    }
    return (uint32_t)(end - out);
}

/* Values of four lanes, or two accesses. */
typedef uint64_t of_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t order_of_lanes __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(sizeof(of_lanes) == 2 * sizeof(struct line_access) &&
                   offsetof(struct line_access, lanes) == 8 &&
                   offsetof(struct line_access, segments) == 12,
               "the line, then the lanes with the segments above them");

/* Is every lane of a full warp in a line above that of the previous one? Then no two share a
 * line. */
static inline bool lines_rise(const uint64_t *address, uint64_t in_line)
{
    order_of_lanes rising = {-1, -1, -1, -1};
#pragma GCC unroll 8
    for (uint32_t i = 0; i < WARP_LANES; i += 4) {
        const uint64_t *from = address + (i < WARP_LANES - 4 ? i : WARP_LANES - 5);
        rising &= (order_of_lanes)(*(const of_lanes *)(from + 1) & ~in_line) >
                  (order_of_lanes)(*(const of_lanes *)from & ~in_line);
    }
    return (rising[0] & rising[1] & rising[2] & rising[3]) != 0;
}

/* A full warp whose lanes have a line each, four at a time: same result as coalesce_group(). */
static uint32_t coalesce_apart(const uint64_t *address, uint64_t in_line, struct line_access *out)
{
    of_lanes lane = {1, 2, 4, 8}, segment_0 = {1ull << 32, 1ull << 32, 1ull << 32, 1ull << 32};
    for (uint32_t i = 0; i < WARP_LANES; i += 4, lane <<= 4) {
        of_lanes at = *(const of_lanes *)(address + i), line = at & ~in_line;
        of_lanes who = lane | segment_0 << (at & in_line) / SEGMENT_BYTES;
        *(of_lanes *)&out[i] = __builtin_shufflevector(line, who, 0, 4, 1, 5);
        *(of_lanes *)&out[i + 2] = __builtin_shufflevector(line, who, 2, 6, 3, 7);
    }
    return WARP_LANES;
}

/* A full warp whose lanes have the same offset in a line each: two accesses differ from the
 * previous two only in lines and lanes. */
static uint32_t coalesce_comb(uint64_t first, uint64_t step, uint64_t in_line,
                              struct line_access *out)
{
    typedef uint32_t halves __attribute__((vector_size(32)));
    uint64_t offset = first & in_line, line = first - offset;
    uint64_t segment = 1ull << (32 + offset / SEGMENT_BYTES);
    of_lanes a = {line, 1 | segment, line + step, 2 | segment}, lines = {2 * step, 0, 2 * step, 0};
    halves lanes = {0, 0, 2, 0, 0, 0, 2, 0};
#pragma GCC unroll 16
    for (uint32_t i = 0; i < WARP_LANES; i += 2) {
        *(of_lanes *)&out[i] = a;
        a = (of_lanes)((halves)a << lanes) + lines;
    }
    return WARP_LANES;
}

/* The bits of a word below `n`, and all of them from 64 on. */
static inline uint64_t bits_below(uint32_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* The bytes [from, to) of a line, touched by `lanes` of a full warp's lanes from `lane` on. */
static inline struct line_access make_run(uint64_t line, uint32_t lane, uint32_t lanes,
                                          uint32_t from, uint32_t to)
{
    return (struct line_access){.line = line,
                                .lanes = (uint32_t)(bits_below(lanes) << lane),
                                .segments = (1u << (to + SEGMENT_BYTES - 1) / SEGMENT_BYTES) -
                                            (1u << from / SEGMENT_BYTES)};
}

/* A separate function, so that the common case saves no registers. */
static __attribute__((noinline)) uint32_t split_run(uint64_t first, uint32_t step, uint32_t bytes,
                                                    uint32_t line_bytes, uint32_t group,
                                                    struct line_access *out)
{
    uint32_t n = 0, end = 0; /* of the group */
    for (uint32_t lane = 0, lanes; lane < WARP_LANES; lane += lanes) {
        if (lane == end)
            end = end + group < WARP_LANES ? end + group : WARP_LANES;
        uint64_t address = first + (uint64_t)lane * step;
        uint32_t from = (uint32_t)address & (line_bytes - 1), room = line_bytes - from;
        lanes = end - lane;
        if (lanes * step > room)
            lanes = room / step;
        uint32_t run = step ? lanes * step : bytes;
        out[n++] = make_run(address - from, lane, lanes, from, from + run);
    }
    return n;
}

enum { WHOLE_LINE = 128 }; /* four segments */

uint32_t coalesce_run(uint64_t first, uint32_t step, uint32_t bytes, uint32_t line_bytes,
                      uint32_t group, struct line_access *out)
{
    uint32_t from = (uint32_t)first & (line_bytes - 1), run = step ? step * WARP_LANES : bytes;
    if (run == WHOLE_LINE && line_bytes == WHOLE_LINE && !from &&
        group == WARP_LANES) { /* mostly */
        *out = (struct line_access){first, ~0u, 15};
        return 1;
    }
    if (group < WARP_LANES || from + run > line_bytes)
        return split_run(first, step, bytes, line_bytes, group, out);
    *out = make_run(first - from, 0, WARP_LANES, from, from + run);
    return 1;
}

/* The most common patterns are a full warp of adjacent lanes, or all at one address. The two ends
 * tell which is possible; only that one is checked. */
static bool is_run(const uint64_t *address, uint32_t bytes, uint32_t *step)
{
    uint64_t first = address[0], unlike = 0;
    uint64_t span = address[WARP_LANES - 1] - first, expected = first;
    *step = span ? bytes : 0;
    if (span != (uint64_t)*step * (WARP_LANES - 1) || first & (bytes - 1))
        return false;
    for (uint32_t i = 0; i < WARP_LANES; i++, expected += *step)
        unlike |= address[i] ^ expected;
    return !unlike;
}

static __attribute__((noinline)) uint32_t coalesce_groups(const uint64_t *address, uint32_t mask,
                                                          uint64_t in_line, uint32_t group,
                                                          struct line_access *out)
{
    uint32_t n = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += group) {
        uint32_t lanes = mask & ((1u << group) - 1) << first;
        n += coalesce_group(address, lanes, in_line, out + n);
    }
    return n;
}

uint32_t coalesce_strided(const uint64_t *address, uint32_t bytes, uint32_t line_bytes,
                          uint32_t group, struct line_access *out)
{
    uint64_t in_line = line_bytes - 1, step = address[1] - address[0];
    if (!(step & in_line))
        return coalesce_comb(address[0], step, in_line, out);
    if (step > in_line)
        return coalesce_apart(address, in_line, out);
    return coalesce_warp(address, bytes, line_bytes, group, out);
}

uint32_t coalesce_by_lane(const uint64_t *address, uint32_t mask, uint32_t line_bytes,
                          uint32_t group, struct line_access *out)
{
    if (group == WARP_LANES)
        return coalesce_group(address, mask, line_bytes - 1, out);
    return coalesce_groups(address, mask, line_bytes - 1, group, out);
}

uint32_t coalesce_warp(const uint64_t *address, uint32_t bytes, uint32_t line_bytes, uint32_t group,
                       struct line_access *out)
{
    uint32_t step;
    if (is_run(address, bytes, &step))
        return coalesce_run(address[0], step, bytes, line_bytes, group, out);
    if (lines_rise(address, line_bytes - 1))
        return coalesce_apart(address, line_bytes - 1, out);
    return coalesce_by_lane(address, ~0u, line_bytes, group, out);
}

void coalesce_describe(const uint64_t *address, uint32_t bytes, uint32_t line_bytes,
                       const struct line_access *access, uint32_t n, struct line_detail *out)
{
    uint64_t ones = (1ull << bytes) - 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lanes = access[i].lanes;
        struct line_detail d = {.address = address[__builtin_ctz(lanes)]};
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t offset = (uint32_t)address[__builtin_ctz(m)] & (line_bytes - 1);
            d.bytes[offset / 64] |= ones << offset % 64;
        }
        out[i] = d;
    }
}

void coalesce_describe_run(uint64_t first, uint32_t step, uint32_t bytes, uint32_t line_bytes,
                           const struct line_access *access, uint32_t n, struct line_detail *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lanes = access[i].lanes, n_lanes = (uint32_t)__builtin_popcount(lanes);
        uint64_t address = first + (uint64_t)(uint32_t)__builtin_ctz(lanes) * step;
        uint32_t from = (uint32_t)address & (line_bytes - 1);
        uint32_t to = from + (step ? n_lanes * step : bytes);
        out[i] = (struct line_detail){address, {bits_below(to) & ~bits_below(from), 0}};
        if (to > 64)
            out[i].bytes[1] = bits_below(to - 64) & ~bits_below(from > 64 ? from - 64 : 0);
    }
}

/* Lanes that read the same word are served together; 8- and 16-byte accesses go in halves and
 * quarters of a warp, as Fermi does. */
static uint32_t passes_of(const uint64_t *address, uint32_t mask, uint32_t words, uint32_t n_banks)
{
    uint64_t seen[64][WARP_LANES];
    uint32_t count[64] = {0}, most = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t word = address[__builtin_ctz(m)] / 4;
        for (uint32_t k = 0; k < words; k++) {
            uint32_t bank = (uint32_t)((word + k) % n_banks), i = 0;
            while (i < count[bank] && seen[bank][i] != word + k)
                i++;
            if (i < count[bank])
                continue;
            if (count[bank] < WARP_LANES)
                seen[bank][count[bank]] = word + k;
            if (++count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

static int is_conflict_free(const uint64_t *address)
{
    uint64_t apart = 0, unlike = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        apart |= address[i] - address[0] - 4ull * i;
        unlike |= address[i] ^ address[0];
    }
    return !apart || !unlike;
}

uint32_t coalesce_passes_by_lane(const uint64_t *address, uint32_t mask, uint32_t bytes,
                                 uint32_t n_banks)
{
    uint32_t words = bytes < 4 ? 1 : bytes / 4;
    uint32_t parts = words > 4 ? 4 : words, lanes = WARP_LANES / parts, passes = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t part = lanes == WARP_LANES ? mask : mask & ((1u << lanes) - 1) << first;
        if (part)
            passes += passes_of(address, part, words, n_banks);
    }
    return passes ? passes : 1;
}

uint32_t coalesce_warp_passes(const uint64_t *address, uint32_t bytes, uint32_t n_banks)
{
    if (bytes <= 4 && n_banks == WARP_LANES && is_conflict_free(address))
        return 1;
    return coalesce_passes_by_lane(address, ~0u, bytes, n_banks);
}
