/* What the writer and the reader of a recording share: frames, and how numbers are written. */
#ifndef HEDDLE_ANALYSIS_L1D_FORMAT_H
#define HEDDLE_ANALYSIS_L1D_FORMAT_H

#include <stdint.h>
#include <string.h>

/* Each frame is a zstd frame of its own, with zstd's checksum; its content begins with a tag. */
#define L1D_MAGIC "HEDDLEL1D" /* the header's tag is its first letter */
enum { L1D_TAG_HEADER = 'H', L1D_TAG_BLOCK = 'B', L1D_TAG_END = 'E' };

enum {
    L1D_BLOCK_HEAD_BYTES = 1 + 4 + 4, /* tag, SM, number of events */
    L1D_BLOCK_BYTES = 64 * 1024,      /* content at which a block is written */
    L1D_MAX_FRAME_BYTES = 1 << 20,    /* content that a frame never exceeds */
    L1D_MAX_EVENT_BYTES = 1 + 8 * 10,
};

/* What an event is written relative to: the previous one in its block; zeros at its start. */
struct l1d_previous {
    uint64_t cycle, line_number, warp_uid, thread;
    uint64_t launch, pc;
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

#endif
