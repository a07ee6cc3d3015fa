#include "sm/coalesce.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Neighbours lie in the line found last. */
static inline struct line_access *find_line(struct line_access *from, struct line_access *end,
                                            uint64_t line)
{
    while (end != from)
        if ((--end)->line == line)
            return end;
    return NULL;
}

/* One of 64 numbers for a line. Lines that lie evenly apart, as those of lanes mostly do, have
 * different ones (Knuth, The Art of Computer Programming 3, 6.4: the golden ratio). */
static inline uint32_t number_of_line(uint64_t line)
{
    return (uint32_t)line * 0x9e3779b9u >> 26;
}

/* The lanes of a group, one after the other. A lane's access has at most 32 bytes, aligned: it lies
 * in one segment. A line whose number nobody has seen is new; only others have to be looked for. */
static uint32_t coalesce_group(const uint64_t *address, uint32_t mask, uint64_t ones,
                               uint64_t in_line, struct line_access *out)
{
    uint64_t seen = 0;
    struct line_access *end = out;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = address[__builtin_ctz(m)], offset = at & in_line, line = at & ~in_line;
        uint64_t touched = ones << offset % 64;
        uint32_t lane = m & -m, segment = 1u << offset / SEGMENT_BYTES;
        uint32_t number = number_of_line(line);
        struct line_access *a = seen >> number & 1 ? find_line(out, end, line) : NULL;
        if (a) {
            a->lanes |= lane;
            a->segments |= segment;
            a->bytes[offset / 64] |= touched;
            continue;
        }
        seen |= 1ull << number;
        a = end++;
        a->line = line;
        a->address = at;
        a->lanes = lane;
        a->segments = segment;
        memset(a->bytes, 0, sizeof a->bytes);
        a->bytes[offset / 64] = touched;
    }
    return (uint32_t)(end - out);
}

/* Values of four lanes, and of two fields of an access. */
typedef uint64_t of_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t order_of_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t of_fields __attribute__((vector_size(16), aligned(8), may_alias));

/* Does every lane of a full warp have a line above that of the one before? Then no two have the
 * same. */
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

/* A full warp whose lanes have a line each, four at a time: as coalesce_group() has it. */
static uint32_t coalesce_apart(const uint64_t *address, uint64_t ones, uint64_t in_line,
                               struct line_access *out)
{
    of_lanes lane = {1, 2, 4, 8}, segment_0 = {1ull << 32, 1ull << 32, 1ull << 32, 1ull << 32};
    for (uint32_t first = 0; first < WARP_LANES; first += 4, lane <<= 4) {
        of_lanes at = *(const of_lanes *)(address + first), line = at & ~in_line;
        of_lanes who = lane | segment_0 << (at & in_line) / SEGMENT_BYTES; /* lanes, segments */
        of_lanes touched = (ones & (of_lanes){~0ull, ~0ull, ~0ull, ~0ull}) << (at & in_line % 64);
        of_lanes low = (of_lanes)((at & in_line & 64) == 0), bytes_0 = touched & low,
                 bytes_1 = touched & ~low;
        of_lanes where[2] = {__builtin_shufflevector(line, at, 0, 4, 2, 6),
                             __builtin_shufflevector(line, at, 1, 5, 3, 7)};
        of_lanes what[2] = {__builtin_shufflevector(who, bytes_0, 0, 4, 2, 6),
                            __builtin_shufflevector(who, bytes_0, 1, 5, 3, 7)};
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; i++, out++) {
            *(of_fields *)&out->line = ((const of_fields *)&where[i % 2])[i / 2];
            *(of_fields *)&out->lanes = ((const of_fields *)&what[i % 2])[i / 2];
            out->bytes[1] = bytes_1[i];
        }
    }
    return WARP_LANES;
}

/* All but the last field of an access, side by side. */
typedef uint64_t most_fields __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(offsetof(struct line_access, address) == 8 &&
                   offsetof(struct line_access, lanes) == 16 &&
                   offsetof(struct line_access, segments) == 20 &&
                   offsetof(struct line_access, bytes) == 24,
               "see coalesce_comb()");

/* A full warp whose lanes have the same place in a line each: accesses differ by that line and the
 * lane. */
static uint32_t coalesce_comb(uint64_t first, uint64_t step, uint64_t ones, uint64_t in_line,
                              struct line_access *out)
{
    uint64_t offset = first & in_line, touched = ones << offset % 64, is_high = offset / 64;
    uint64_t lane_0 = 1, segment = 1ull << (32 + offset / SEGMENT_BYTES);
    most_fields a = {first - offset, first, lane_0 | segment, is_high ? 0 : touched};
    most_fields more = {step, step, lane_0, 0}, doubled = {0, 0, 1, 0};
#pragma GCC unroll 4
    for (uint32_t i = 0; i < WARP_LANES; i++, a += more, more <<= doubled) {
        *(most_fields *)&out[i] = a;
        out[i].bytes[1] = is_high ? touched : 0;
    }
    return WARP_LANES;
}

/* The bits of a word below `n`, and all of them from 64 on. */
static inline uint64_t bits_below(uint32_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* A full warp's lanes [lane, lane + lanes) have the bytes [from, to) of a line. */
static inline struct line_access make_run(uint64_t address, uint32_t lane, uint32_t lanes,
                                          uint32_t from, uint32_t to)
{
    struct line_access a = {.line = address - from,
                            .address = address,
                            .lanes = (uint32_t)(bits_below(lanes) << lane),
                            .segments = (1u << (to + SEGMENT_BYTES - 1) / SEGMENT_BYTES) -
                                        (1u << from / SEGMENT_BYTES),
                            .bytes = {bits_below(to) & ~bits_below(from), 0}};
    if (to > 64)
        a.bytes[1] = bits_below(to - 64) & ~bits_below(from > 64 ? from - 64 : 0);
    return a;
}

/* Apart, so that the common case saves no registers. */
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
        out[n++] = make_run(address, lane, lanes, from, from + run);
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
        *out = (struct line_access){first, first, ~0u, 15, {~0ull, ~0ull}};
        return 1;
    }
    if (group < WARP_LANES || from + run > line_bytes)
        return split_run(first, step, bytes, line_bytes, group, out);
    *out = make_run(first, 0, WARP_LANES, from, from + run);
    return 1;
}

/* The most common shapes are a full warp side by side, or all at one place. The ends tell which it
 * can be; only that one is looked for. */
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
                                                          uint64_t ones, uint64_t in_line,
                                                          uint32_t group, struct line_access *out)
{
    uint32_t n = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += group) {
        uint32_t lanes = mask & ((1u << group) - 1) << first;
        n += coalesce_group(address, lanes, ones, in_line, out + n);
    }
    return n;
}

uint32_t coalesce_strided(const uint64_t *address, uint32_t bytes, uint32_t line_bytes,
                          uint32_t group, struct line_access *out)
{
    uint64_t ones = (1ull << bytes) - 1, in_line = line_bytes - 1, step = address[1] - address[0];
    if (!(step & in_line))
        return coalesce_comb(address[0], step, ones, in_line, out);
    if (step > in_line)
        return coalesce_apart(address, ones, in_line, out);
    return coalesce(address, ~0u, bytes, line_bytes, group, out);
}

uint32_t coalesce(const uint64_t *address, uint32_t mask, uint32_t bytes, uint32_t line_bytes,
                  uint32_t group, struct line_access *out)
{
    uint64_t ones = (1ull << bytes) - 1, in_line = line_bytes - 1;
    uint32_t step;
    if (mask == ~0u) {
        if (is_run(address, bytes, &step))
            return coalesce_run(address[0], step, bytes, line_bytes, group, out);
        if (lines_rise(address, in_line))
            return coalesce_apart(address, ones, in_line, out);
    }
    if (group == WARP_LANES)
        return coalesce_group(address, mask, ones, in_line, out);
    return coalesce_groups(address, mask, ones, in_line, group, out);
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

uint32_t shared_passes(const uint64_t *address, uint32_t mask, uint32_t bytes, uint32_t n_banks)
{
    uint32_t words = bytes < 4 ? 1 : bytes / 4;
    if (words == 1 && mask == ~0u && n_banks == WARP_LANES && is_conflict_free(address))
        return 1;
    uint32_t parts = words > 4 ? 4 : words, lanes = WARP_LANES / parts, passes = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t part = lanes == WARP_LANES ? mask : mask & ((1u << lanes) - 1) << first;
        if (part)
            passes += passes_of(address, part, words, n_banks);
    }
    return passes ? passes : 1;
}
