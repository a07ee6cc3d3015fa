/* Writes recordings: events of an SM go into its block, blocks into frames. A full block is written
 * out, so memory does not grow with the recording. */
#ifndef HEDDLE_ANALYSIS_L1D_WRITER_H
#define HEDDLE_ANALYSIS_L1D_WRITER_H

#include <zstd.h>

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"

struct l1d_writer {
    struct sink sink;
    ZSTD_CCtx *zstd;
    uint8_t *content, *packed;
    size_t content_cap, packed_cap;
    bool failed;
    uint64_t sum; /* checksum of everything written */
    uint32_t line_bytes;
    bool has_criticality;
};

/* The events of one SM that are not written yet. */
struct l1d_block {
    uint32_t sm;
    struct l1d_table accesses, rest, insts;
    bool is_flushing;
    uint64_t n_accesses, n_rest; /* written */
    uint64_t n_thread_insts;     /* in all */
};

/* Writes the header. */
void l1d_writer_begin(struct l1d_writer *w, const struct l1d_header *h, struct sink sink);
void l1d_writer_destroy(struct l1d_writer *w);

void l1d_block_init(struct l1d_block *b, const struct l1d_writer *w, uint32_t sm);
void l1d_block_destroy(struct l1d_block *b);
/* Adds any event except instructions. The evictions of a flush are added one by one: the flush
 * itself is inserted before the first of them. */
void l1d_block_add(struct l1d_block *b, const struct l1d_writer *w, const struct l1d_event *e);
/* Adds the issue of an instruction with `n_lanes` lanes. */
void l1d_block_add_issue(struct l1d_block *b, uint32_t n_lanes);
bool l1d_block_is_full(const struct l1d_block *b);

/* Writes and empties a block. */
void l1d_writer_put(struct l1d_writer *w, struct l1d_block *b);
/* Writes the rest of all blocks and the end mark; false if a write failed. */
bool l1d_writer_end(struct l1d_writer *w, struct l1d_block *blocks, uint32_t n);

#endif
