/* What the writer and the reader of a recording share: frames, and how numbers are written. Reading
 * is inline: who reads millions of events does not want to be called for each. */
#ifndef HEDDLE_ANALYSIS_L1D_FORMAT_H
#define HEDDLE_ANALYSIS_L1D_FORMAT_H

#include <stdint.h>
#include <string.h>

#include "analysis/l1d_stream.h"

/* Each frame is a zstd frame of its own, with zstd's checksum; its content begins with a tag. */
#define L1D_MAGIC "HEDDLEL1D" /* the header's tag is its first letter */
enum { L1D_TAG_HEADER = 'H', L1D_TAG_BLOCK = 'B', L1D_TAG_END = 'E' };

enum {
    L1D_BLOCK_HEAD_BYTES = 1 + 4 + 4, /* tag, SM, number of events */
    L1D_BLOCK_BYTES = 64 * 1024,      /* content at which a block is written */
    L1D_MAX_FRAME_BYTES = 1 << 20,    /* content that a frame never exceeds */
    L1D_MIN_EVENT_BYTES = 3,
    L1D_MAX_EVENT_BYTES = 1 + 9 * 10,
};

/* The first byte of an event: its kind, its outcome, and of an access whether its warp is critical.
 */
enum { L1D_OUTCOME_SHIFT = 4, L1D_CRITICAL = 1 << 7 };

/* What an event is written relative to: the previous one in its block; zeros at its start. */
struct l1d_previous {
    uint64_t cycle, line_number, warp_uid, thread;
    uint64_t launch, pc, criticality;
};

static inline void put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Seven bits a byte, low ones first; the top bit says that more follow. */
static inline uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (uint8_t)(v | 0x80);
    *at++ = (uint8_t)v;
    return at;
}

/* Small differences of either sign become small numbers: 0, -1, 1, -2, ... -> 0, 1, 2, 3, ... */
static inline uint8_t *put_difference(uint8_t *at, uint64_t v, uint64_t *previous)
{
    uint64_t d = v - *previous;
    *previous = v;
    return put_varint(at, d << 1 ^ (0 - (d >> 63)));
}

/* --- Reading. A frame has room behind it for one more event, whatever is there: one that is cut
 * off is read all the same, and then seen to lie outside. --- */
enum { L1D_ROOM_BYTES = L1D_MAX_EVENT_BYTES + 1 };

/* A block of events, unpacked and proved to be what was written. */
struct l1d_block {
    uint32_t sm, line_bytes, n_left;
    bool has_criticality;
    const uint8_t *at, *end;
    struct l1d_previous previous;
};

/* The rest of a number of several bytes; one of more than ten is nonsense, and lies outside. */
static inline uint64_t l1d_get_long(struct l1d_block *b, uint64_t v)
{
    v &= 0x7f;
    for (unsigned shift = 7; shift < 64; shift += 7) {
        uint8_t byte = *b->at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    b->at = b->end + 1;
    return 0;
}

static inline uint64_t l1d_get_varint(struct l1d_block *b)
{
    uint64_t v = *b->at++;
    return __builtin_expect(v < 0x80, 1) ? v : l1d_get_long(b, v);
}

static inline uint64_t l1d_get_difference(struct l1d_block *b, uint64_t *value)
{
    uint64_t d = l1d_get_varint(b);
    return *value += d >> 1 ^ (0 - (d & 1));
}

/* The next of n_left events; false if the block does not hold it, or holds more than its last. */
static inline bool l1d_get_event(struct l1d_block *b, struct l1d_event *e)
{
    struct l1d_previous *p = &b->previous;
    uint8_t first = *b->at++;
    e->sm = b->sm;
    e->kind = first & 15;
    e->outcome = (first & ~L1D_CRITICAL) >> L1D_OUTCOME_SHIFT;
    e->is_critical = first & L1D_CRITICAL;
    e->criticality = 0;
    e->cycle = p->cycle += l1d_get_varint(b);
    e->line = l1d_get_difference(b, &p->line_number) * b->line_bytes;
    if (e->kind == L1D_FILL || e->kind == L1D_EVICT) {
        e->launch = e->pc = 0;
        e->warp_uid = e->thread = e->address = 0;
    } else {
        e->launch = (uint32_t)l1d_get_difference(b, &p->launch);
        e->pc = (uint32_t)l1d_get_difference(b, &p->pc);
        e->warp_uid = l1d_get_difference(b, &p->warp_uid);
        e->thread = l1d_get_difference(b, &p->thread);
        e->address = e->line + l1d_get_varint(b);
        if (b->has_criticality)
            e->criticality = (int64_t)l1d_get_difference(b, &p->criticality);
    }
    b->n_left--;
    bool fits = b->n_left ? b->at <= b->end : b->at == b->end;
    return e->kind < N_L1D_KINDS && e->outcome < N_L1D_OUTCOMES && fits &&
           (!e->is_critical || b->has_criticality);
}

#endif
