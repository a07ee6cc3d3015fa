/* What the writer and the reader of a recording share: frames, and tables of events that are
 * written column by column. Numbers of one column are alike, so they pack well, and unpacking them
 * is a short loop without decisions. doc/l1d-stream.md describes the file. */
#ifndef HEDDLE_ANALYSIS_L1D_FORMAT_H
#define HEDDLE_ANALYSIS_L1D_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each frame is a zstd frame of its own, with zstd's checksum; its content begins with a tag. */
#define L1D_MAGIC "HEDDLEL1D" /* the header's tag is its first letter */
enum { L1D_TAG_HEADER = 'H', L1D_TAG_ACCESSES = 'A', L1D_TAG_REST = 'R', L1D_TAG_END = 'E' };

enum {
    L1D_ACCESSES_HEAD_BYTES = 1 + 4 + 4, /* tag, SM, number of accesses */
    L1D_REST_HEAD_BYTES = 1 + 4,         /* tag, number of events */
    L1D_BLOCK_EVENTS = 4096,             /* of either kind, at which a block is written */
    L1D_MAX_FRAME_BYTES = 1 << 24,       /* content that a frame never exceeds */
};

/* The first byte of an event: its kind, its outcome, and of an access whether its warp is critical.
 */
enum { L1D_KIND_MASK = 15, L1D_OUTCOME_SHIFT = 4, L1D_CRITICAL = 1 << 7 };

/* Of accesses and flushes; the last one only if the header names a provider. */
enum l1d_access_column {
    L1D_CYCLE,
    L1D_LINE, /* its number */
    L1D_LAUNCH,
    L1D_PC,
    L1D_WARP,
    L1D_THREAD,
    L1D_OFFSET, /* of the first byte in the line */
    L1D_CRITICALITY,
    N_L1D_ACCESS_COLUMNS
};
/* Of the rest: fills and evictions. */
enum l1d_rest_column {
    L1D_PLACE, /* accesses and flushes of the block before it */
    L1D_REST_CYCLE,
    L1D_REST_LINE,
    N_L1D_REST_COLUMNS
};

struct l1d_table {
    uint32_t n_columns;
    uint32_t n, cap;
    uint8_t *kinds; /* first bytes */
    uint64_t *columns[N_L1D_ACCESS_COLUMNS];
};

/* Makes room for `n` events in all. */
void l1d_table_reserve(struct l1d_table *t, uint32_t n);
void l1d_table_destroy(struct l1d_table *t);

/* The most bytes that the events of a table may need. */
size_t l1d_table_bound(const struct l1d_table *t);
/* Writes them and empties the table; returns where they end. */
uint8_t *l1d_table_pack(struct l1d_table *t, uint8_t *at);
/* Reads n events, and nothing but them; false if the bytes are not as many. */
bool l1d_table_unpack(struct l1d_table *t, uint32_t n, const uint8_t *at, const uint8_t *end);

static inline void put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#endif
