/* One DRAM channel: banks, row buffers, command timing, FR-FCFS with a finite queue. Counts time in
 * its own command clock. Knows nothing of who asks: requests carry a tag that comes back.
 *
 * Each command cycle at most one command is given, in this order of preference:
 *   1. a read or write to an open row whose timing allows it now: the oldest such request;
 *   2. an activate or precharge for the oldest request whose bank allows it now and whose bank has
 *      no older-or-equal row hit still wanted (a precharge never closes a row that a queued
 *      request hits).
 * Data occupy the bus for burst_cycles. A read is done when its last data are in, a write when its
 * command is given (its data follow). */
#ifndef HEDDLE_DRAM_DRAM_H
#define HEDDLE_DRAM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "config/param.h"

/* In command-clock cycles unless said otherwise; names as GPGPU-Sim and the data sheets use them.
 */
struct dram_config {
    uint32_t n_banks, n_bank_groups;
    uint32_t row_bytes, bus_bytes_per_cycle; /* data per command-clock cycle, data rate included */
    uint32_t queue_entries;
    uint32_t t_ccd, t_ccdl, t_rrd, t_rcd, t_ras, t_rp, t_rc, t_cl, t_wl, t_cdlr /* write to read */,
        t_wr, t_rtp;
    uint32_t scheduler; /* 0 = fr_fcfs, 1 = fcfs */
};
extern const struct param dram_params[];
extern const uint32_t n_dram_params;

struct dram;
struct dram_request {
    uint32_t bank, row, column; /* column in bytes within the row */
    uint32_t bytes;             /* a multiple of the burst */
    bool write;
    uint64_t tag;
};

#define DRAM_COUNTERS(COUNTER)                                                                     \
    COUNTER(reads, "reads", "requests", "read requests served")                                    \
    COUNTER(writes, "writes", "requests", "write requests served")                                 \
    COUNTER(row_hits, "row_hits", "requests",                                                      \
            "requests that found their row open when they came to be served first")                \
    COUNTER(activates, "activates", "commands", "rows opened")                                     \
    COUNTER(precharges, "precharges", "commands", "rows closed")                                   \
    COUNTER(bytes, "bytes", "bytes", "data moved")                                                 \
    COUNTER(busy_cycles, "busy_cycles", "cycles", "command-clock cycles the data bus was in use")

struct dram_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    DRAM_COUNTERS(COUNTER)
#undef COUNTER
};

struct dram *dram_create(const struct dram_config *config);
void dram_destroy(struct dram *d);

bool dram_has_room(const struct dram *d);
/* `now` is the current command cycle; the request may be served from the next tick on. */
void dram_push(struct dram *d, const struct dram_request *r, uint64_t now);

/* One command cycle: gives at most one command. Cycles must not go backwards; cycles at which
 * dram_next() says nothing can happen may be left out, with identical results. */
void dram_tick(struct dram *d, uint64_t now);
/* The first cycle >= now at which dram_tick() would do something or a read becomes done; ~0 if
 * never (nothing queued). */
uint64_t dram_next(const struct dram *d, uint64_t now);
/* Takes one request that is done by `now`; false if there is none. Reads in order of completion. */
bool dram_pop(struct dram *d, uint64_t now, struct dram_request *out);

const struct dram_stats *dram_stats(const struct dram *d);
void dram_describe_wait(const struct dram *d, struct strbuf *out);

/* --- address mapping (address.c) --- */
/* Splits device addresses over partitions, banks, rows and columns. */
struct address_map {
    uint32_t n_partitions, interleave_bytes; /* consecutive chunks go to consecutive partitions */
    uint32_t n_banks, row_bytes;
};
struct dram_address {
    uint32_t partition, bank, row, column;
    uint64_t local; /* address within the partition: compact, for its L2 slice's set index */
};
/* Works for any number of partitions (6, 12, not only powers of two), and is one-to-one. Bank bits
 * lie above the column, permuted with low row bits (xor) when n_banks is a power of two. */
struct dram_address address_split(const struct address_map *m, uint64_t address);

#endif
