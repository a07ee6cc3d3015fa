/* What the writer and the reader of a recording share: frames, and tables of events stored column
 * by column. The numbers of a column are similar, so they compress well, and unpacking them is a
 * short loop without branches. doc/l1d-stream.md describes the file. */
#ifndef HEDDLE_ANALYSIS_L1D_FORMAT_H
#define HEDDLE_ANALYSIS_L1D_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First versions with each feature. The checksum is in the end mark; the parameters are the
 * policy's. */
enum { L1D_FIRST_WITH_INSTS = 5, L1D_FIRST_WITH_CHECKSUM = 5, L1D_FIRST_WITH_PARAMS = 5 };

/* Each frame is a separate zstd frame with zstd's checksum; its content begins with a tag. */
#define L1D_MAGIC "HEDDLEL1D" /* the header's tag is its first letter */
enum {
    L1D_TAG_HEADER = 'H',
    L1D_TAG_ACCESSES = 'A',
    L1D_TAG_DETAILS = 'D',
    L1D_TAG_REST = 'R',
    L1D_TAG_INSTS = 'I',
    L1D_TAG_END = 'E'
};

enum {
    L1D_ACCESSES_HEAD_BYTES = 1 + 4 + 4, /* tag, SM, number of accesses */
    L1D_DETAILS_HEAD_BYTES = 1,          /* tag */
    L1D_TABLE_HEAD_BYTES = 1 + 4,        /* fills and evictions, or instructions: tag, number of
                                          * rows */
    L1D_BLOCK_EVENTS = 16384,            /* a block with this many accesses, or this many fills and
                                          * evictions, is written */
    L1D_BLOCK_RUNS = 2 * L1D_BLOCK_EVENTS, /* so is a block with this many runs of instructions */
    L1D_MAX_FRAME_BYTES = 1 << 24,         /* a frame's content is never longer */
};

/* The first byte of an event: its kind, its outcome, and for an access whether its warp is
 * critical. */
enum { L1D_KIND_MASK = 15, L1D_OUTCOME_SHIFT = 4, L1D_CRITICAL = 1 << 7 };

/* For accesses, flushes and resizes. Columns that say who loads which line have their own frame,
 * because some readers need nothing else. The last detail exists only if the header names a
 * provider. */
enum l1d_access_column {
    L1D_LINE,   /* line number; for a resize, the new number of ways */
    L1D_OFFSET, /* of the first requested byte in the line */
    L1D_WARP,
    L1D_THREAD,
    L1D_FIRST_DETAIL,
    L1D_CYCLE = L1D_FIRST_DETAIL,
    L1D_LAUNCH,
    L1D_PC,
    L1D_SECTORS, /* mask of requested sectors; 0 if lines have none */
    L1D_HOW,     /* special properties, see below */
    L1D_CRITICALITY,
    N_L1D_ACCESS_COLUMNS
};
/* Properties of an access: to local memory; a load that bypasses the cache by its cache operator; a
 * store that may allocate its line and covers every byte of the sectors it touches, so that nothing
 * is fetched; a load that bypasses the cache instead of stalling. */
enum {
    L1D_HOW_LOCAL = 1,
    L1D_HOW_AROUND = 2,
    L1D_HOW_WHOLE = 4,
    L1D_HOW_STALLED = 8,
    L1D_HOW_ALL = 15
};

/* For fills and evictions. */
enum l1d_rest_column {
    L1D_PLACE, /* accesses, flushes and resizes of the block that precede it */
    L1D_REST_CYCLE,
    L1D_REST_LINE,
    L1D_ANSWERED, /* for a fill: 0 = it answers the oldest outstanding load miss of its line;
                   * otherwise 1 + the cycles since its miss */
    N_L1D_REST_COLUMNS
};

/* For instructions: runs of consecutive instructions with no event between them. The first byte
 * says how many lanes each has. */
enum l1d_insts_column {
    L1D_INSTS_PLACE,      /* accesses, flushes and resizes of the block that precede it */
    L1D_INSTS_REST_PLACE, /* fills and evictions of the block that precede it */
    L1D_ISSUES,           /* instructions */
    N_L1D_INSTS_COLUMNS
};
/* Longer runs are split. */
enum { L1D_MAX_ISSUES = 4096, L1D_MAX_LANES = 32 };

/* Flags of the header: properties of the L1D. */
enum {
    L1D_IS_HASHED = 1,
    L1D_ALLOCATES_ON_FILL = 2,
    L1D_WRITES_BACK = 4,
    L1D_WRITE_ALLOCATES = 8,
    L1D_WRITE_EVICTS = 16,
    L1D_FLAGS_ALL = 31
};

struct l1d_table {
    uint32_t n_columns;
    uint32_t n, cap;
    uint8_t *kinds;     /* first bytes */
    uint32_t n_of[256]; /* of a table that was read: the number of events by first byte */
    uint64_t *columns[N_L1D_ACCESS_COLUMNS];
};

/* Makes room for `n` events in total. */
void l1d_table_reserve(struct l1d_table *t, uint32_t n);
void l1d_table_destroy(struct l1d_table *t);

/* An upper bound for the bytes that the events of a table need. */
size_t l1d_table_bound(const struct l1d_table *t);
/* Writes the columns from `first` to before `end`, preceded by the first bytes if `first` is 0, and
 * removes them from the table. Returns the end of what was written. */
uint8_t *l1d_table_pack(struct l1d_table *t, uint32_t first, uint32_t end, uint8_t *to);
/* Reads such columns of n events; false unless they take exactly the given bytes. */
bool l1d_table_unpack(struct l1d_table *t, uint32_t n, uint32_t first, uint32_t end,
                      const uint8_t *from, const uint8_t *from_end);

static inline void l1d_put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static inline void l1d_put_u64(uint8_t *at, uint64_t v)
{
    l1d_put_u32(at, (uint32_t)v);
    l1d_put_u32(at + 4, (uint32_t)(v >> 32));
}

static inline uint32_t l1d_get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t l1d_get_u64(const uint8_t *at)
{
    return l1d_get_u32(at) | (uint64_t)l1d_get_u32(at + 4) << 32;
}

#endif
