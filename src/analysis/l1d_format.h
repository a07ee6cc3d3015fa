/* What the writer and the reader of a recording share: frames, and tables of events that are
 * written column by column. Numbers of one column are alike, so they pack well, and unpacking them
 * is a short loop without decisions. doc/l1d-stream.md describes the file. */
#ifndef HEDDLE_ANALYSIS_L1D_FORMAT_H
#define HEDDLE_ANALYSIS_L1D_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Versions. The checksum is that of the end mark, the parameters are those of the policy. */
enum { L1D_FIRST_WITH_INSTS = 5, L1D_FIRST_WITH_CHECKSUM = 5, L1D_FIRST_WITH_PARAMS = 5 };

/* Each frame is a zstd frame of its own, with zstd's checksum; its content begins with a tag. */
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
    L1D_TABLE_HEAD_BYTES = 1 + 4,        /* of the rest and of instructions: tag, number of rows */
    L1D_BLOCK_EVENTS = 16384,            /* of either kind, at which a block is written */
    L1D_BLOCK_RUNS = 2 * L1D_BLOCK_EVENTS, /* of instructions, at which it is too */
    L1D_MAX_FRAME_BYTES = 1 << 24,         /* content that a frame never exceeds */
};

/* The first byte of an event: its kind, its outcome, and of an access whether its warp is critical.
 */
enum { L1D_KIND_MASK = 15, L1D_OUTCOME_SHIFT = 4, L1D_CRITICAL = 1 << 7 };

/* Of accesses, flushes and resizes. Who loads which line is in a frame of its own, which is all
 * that some want to know; the last detail is there only if the header names a provider. */
enum l1d_access_column {
    L1D_LINE,   /* its number; of a resize the ways there are from now on */
    L1D_OFFSET, /* of the first byte in the line */
    L1D_WARP,
    L1D_THREAD,
    L1D_FIRST_DETAIL,
    L1D_CYCLE = L1D_FIRST_DETAIL,
    L1D_LAUNCH,
    L1D_PC,
    L1D_SECTORS, /* asked for, as a mask; 0 where lines have none */
    L1D_HOW,     /* what is special about it, see below */
    L1D_CRITICALITY,
    N_L1D_ACCESS_COLUMNS
};
/* An access to local memory; a load that the program sends around the cache; a store that may bring
 * its line and writes every byte of what it touches, so that nothing is fetched; a load that goes
 * around the cache rather than wait. */
enum {
    L1D_HOW_LOCAL = 1,
    L1D_HOW_AROUND = 2,
    L1D_HOW_WHOLE = 4,
    L1D_HOW_STALLED = 8,
    L1D_HOW_ALL = 15
};

/* Of the rest: fills and evictions. */
enum l1d_rest_column {
    L1D_PLACE, /* accesses, flushes and resizes of the block before it */
    L1D_REST_CYCLE,
    L1D_REST_LINE,
    L1D_ANSWERED, /* of a fill: 0 = the oldest unanswered load miss of its line; else 1 + the cycles
                     since its miss */
    N_L1D_REST_COLUMNS
};

/* Of instructions: runs of them, each of as many lanes as the first byte says, one after the other
 * without an event in between. */
enum l1d_insts_column {
    L1D_INSTS_PLACE,      /* accesses, flushes and resizes of the block before it */
    L1D_INSTS_REST_PLACE, /* fills and evictions of the block before it */
    L1D_ISSUES,           /* instructions */
    N_L1D_INSTS_COLUMNS
};
/* A longer run is several. */
enum { L1D_MAX_ISSUES = 4096, L1D_MAX_LANES = 32 };

/* Flags of the header: what the L1D is like. */
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
    uint32_t n_of[256]; /* how many events begin with that byte, of a table that was read */
    uint64_t *columns[N_L1D_ACCESS_COLUMNS];
};

/* Makes room for `n` events in all. */
void l1d_table_reserve(struct l1d_table *t, uint32_t n);
void l1d_table_destroy(struct l1d_table *t);

/* The most bytes that the events of a table may need. */
size_t l1d_table_bound(const struct l1d_table *t);
/* Writes columns from `first` to before `end`, before column 0 the first bytes; returns where they
 * end. What it has written is in the table no more. */
uint8_t *l1d_table_pack(struct l1d_table *t, uint32_t first, uint32_t end, uint8_t *to);
/* Reads such columns of n events, and nothing but them; false if the bytes are not as many. */
bool l1d_table_unpack(struct l1d_table *t, uint32_t n, uint32_t first, uint32_t end,
                      const uint8_t *from, const uint8_t *from_end);

static inline void put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

static inline void put_u64(uint8_t *at, uint64_t v)
{
    put_u32(at, (uint32_t)v);
    put_u32(at + 4, (uint32_t)(v >> 32));
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get_u64(const uint8_t *at)
{
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

#endif
