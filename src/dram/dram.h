/* One DRAM channel: banks, row buffers, command timing, FR-FCFS with a finite queue. Counts time in
 * its own command clock. Requests carry a tag that is returned; the channel knows nothing else
 * about the requester.
 *
 * In each command cycle at most one command is issued, in this order of preference:
 *   1. a read or write of one burst to an open row whose timing allows it now: for the oldest such
 *      request;
 *   2. an activate or precharge for the oldest request whose bank allows it now. A closed bank is
 *      activated for its oldest request; an open one is precharged for its oldest request, but
 *      never while a queued request, older or younger, still needs the open row.
 * Under `fcfs` only the oldest request of all gets commands. dram.c and dram_timing.h define what
 * "allows" means. Data occupy the bus for burst_cycles. A read is done when its last data have
 * arrived, a write when its last command is issued (its data follow). */
#ifndef HEDDLE_DRAM_DRAM_H
#define HEDDLE_DRAM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/divider.h"
#include "base/strbuf.h"
#include "config/param.h"

/* In command-clock cycles unless stated otherwise; names as in GPGPU-Sim and data sheets. */
struct dram_config {
    uint32_t n_banks, n_bank_groups;
    uint32_t row_bytes,
        bus_bytes_per_cycle;        /* bytes per command-clock cycle, at the full data rate */
    uint32_t burst_cycles;          /* of the data bus, for one read or write command */
    uint32_t bank_interleave_bytes; /* for the address map below */
    uint32_t queue_entries;
    uint32_t t_ccd, t_ccdl, t_rrd, t_rcd, t_ras, t_rp, t_rc, t_cl, t_wl, t_cdlr /* write to read */,
        t_wr, t_rtp;
    uint32_t scheduler; /* enum dram_scheduler */
    bool permute_banks; /* for the address map below */
    bool no_fast_paths; /* dram_push() plans from the whole queue; the results are the same */
};
enum dram_scheduler { DRAM_FR_FCFS, DRAM_FCFS };
enum { DRAM_MAX_BANKS = 64, DRAM_MAX_QUEUE = 64 };
extern const struct param dram_params[];
extern const uint32_t n_dram_params;
/* Are the timing parameters consistent? If not, `flaw` names those that are not. */
bool dram_config_sound(const struct dram_config *c, struct param_flaw *flaw);

struct dram;
struct dram_request {
    uint64_t tag;
    uint32_t row;
    uint32_t bytes; /* moved in whole bursts; the last may be partly unused */
    uint32_t bank;
    bool write;
};

#define DRAM_COUNTERS(COUNTER)                                                                     \
    COUNTER(reads, "reads", "requests", "read requests served")                                    \
    COUNTER(writes, "writes", "requests", "write requests served")                                 \
    COUNTER(row_hits, "row_hits", "requests",                                                      \
            "requests that found their row open: no activate was given for them")                  \
    COUNTER(activates, "activates", "commands", "rows opened")                                     \
    COUNTER(precharges, "precharges", "commands", "rows closed")                                   \
    COUNTER(bytes, "bytes", "bytes", "data asked for and moved")                                   \
    COUNTER(busy_cycles, "busy_cycles", "cycles", "command-clock cycles the data bus was in use")  \
    COUNTER(queue_area, "queue_area", "requests x cycles",                                         \
            "requests in the queue, summed over command-clock cycles")                             \
    COUNTER(queue_stays, "queue_stays", "requests x cycles",                                       \
            "cycles from entering the queue to leaving it, summed over requests")

struct dram_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    DRAM_COUNTERS(COUNTER)
#undef COUNTER
};
void dram_stats_add(struct dram_stats *into, const struct dram_stats *from);
/* The identities of a channel, or of the sum over channels, once dram_is_idle(). If some do not
 * hold: false, and one line in `why` for each. */
bool dram_stats_check(const struct dram_stats *s, struct strbuf *why);

struct dram *dram_create(const struct dram_config *config);
void dram_destroy(struct dram *d);

bool dram_has_room(const struct dram *d);
/* `now` is the current command cycle (the last that has begun): the request may be served from
 * cycle now + 1 on, whether or not dram_tick(now) has been called yet. */
void dram_push(struct dram *d, const struct dram_request *r, uint64_t now);

/* One command cycle: issues at most one command. Cycles must not go backwards. Only cycles at which
 * dram_next() says nothing can happen may be skipped; the results are identical. */
void dram_tick(struct dram *d, uint64_t now);
/* All command cycles before `before`: the same as dram_tick() for each of them. */
void dram_advance(struct dram *d, uint64_t before);
/* A future request. It arrives in command cycle `now`; if `between` is not 0, after the command of
 * that cycle was issued. */
struct dram_arrival {
    struct dram_request request;
    uint64_t now;
    uint64_t between; /* 0 = not */
    uint64_t from;    /* the same in the sender's cycles */
};
/* For each of `n` requests, in order, that may enter before cycle `until` of the sender:
 * dram_advance() and, if there is room, dram_push(). Returns how many have entered. */
uint32_t dram_enter(struct dram *d, const struct dram_arrival *a, uint32_t n, uint64_t until);
/* The first cycle >= now at which dram_tick() would do something or a request is done; ~0 if never
 * (nothing queued). dram_push() may make it earlier. */
uint64_t dram_next(const struct dram *d, uint64_t now);
/* The cycle of the next command, according to the current plan; ~0 if there is none. */
uint64_t dram_next_command(const struct dram *d);
/* A finished request, and when it finished. */
struct dram_done {
    uint64_t at, tag;
    bool write;
};
/* Takes one request that is done by `now`, in order of completion; false if there is none. MODEL: a
 * finished request may wait outside the queue indefinitely. Each read has an MSHR for its answer,
 * which bounds their number. */
bool dram_pop(struct dram *d, uint64_t now, struct dram_done *out);
/* Takes all finished requests, including those that will be done later at a known time, in order of
 * completion; returns how many. The array is valid until the channel is used again. */
uint32_t dram_take_done(struct dram *d, const struct dram_done **done);
/* When the first request is done or will be, at a known time; ~0 if there is none. */
uint64_t dram_first_done(const struct dram *d);

/* Nothing is queued, and all finished requests have been taken. */
bool dram_is_idle(const struct dram *d);
const struct dram_stats *dram_stats(struct dram *d);
/* Reads that are done, or will be at a known time, and have not been taken yet. */
uint32_t dram_n_read(const struct dram *d);
/* What the channel waits for; nothing if no request is queued. */
void dram_describe_wait(const struct dram *d, struct strbuf *out);

/* Observes commands as they are issued; NULL = no observer. */
enum dram_command_kind { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE };
struct dram_command {
    uint64_t at;
    enum dram_command_kind kind;
    uint32_t bank, row; /* of a precharge: the row that the request needs, not the one it closes */
    uint64_t tag;       /* of the request */
};
void dram_observe(struct dram *d, void (*observer)(void *user, const struct dram_command *c),
                  void *user);

/* --- address mapping (address.c) --- */
/* Splits device addresses over partitions, banks, rows and columns. */
struct address_map {
    uint32_t n_partitions, interleave_bytes; /* consecutive chunks go to consecutive partitions */
    uint32_t n_banks, row_bytes;
    uint32_t bank_interleave_bytes; /* within a partition, consecutive pieces of this size go to
                                     * consecutive banks; 0 = row_bytes */
    bool hash_partitions; /* n_partitions is a power of two, and strides are spread over them */
    bool keep_banks;      /* the row does not permute banks */
};
struct dram_address {
    uint32_t partition, bank, row, column;
    uint64_t local; /* address within the partition, without gaps: for its L2 slice's set index */
};
/* Two parts of the split, for callers that need no more. */
static inline uint64_t address_chunk(const struct address_map *m, uint64_t address)
{
    uint32_t bytes = m->interleave_bytes; /* usually a power of two: no division */
    return bytes & (bytes - 1) ? address / bytes : address >> __builtin_ctz(bytes);
}
uint32_t address_hash_any(uint64_t chunk, uint32_t n_partitions);
static inline uint32_t address_hash(uint64_t chunk, uint32_t n_partitions)
{
    uint32_t bits = (uint32_t)__builtin_ctz(n_partitions);
    if (bits < 4 || bits > 7)
        return address_hash_any(chunk, n_partitions);
    chunk ^= chunk >> 8 * bits; /* at most 16 groups: four foldings */
    chunk ^= chunk >> 4 * bits;
    chunk ^= chunk >> 2 * bits;
    chunk ^= chunk >> bits;
    return (uint32_t)chunk & (n_partitions - 1);
}
static inline uint32_t address_partition(const struct address_map *m, uint64_t address)
{
    uint64_t chunk = address_chunk(m, address);
    return m->hash_partitions ? address_hash(chunk, m->n_partitions)
                              : (uint32_t)(chunk % m->n_partitions);
}
static inline uint64_t address_local(const struct address_map *m, uint64_t address)
{
    uint64_t chunk = address_chunk(m, address), bytes = m->interleave_bytes;
    return chunk / m->n_partitions * bytes + (address - chunk * bytes);
}
/* One-to-one for any number of partitions and banks (6, 12, not only powers of two). The bank is
 * permuted with low row bits, unless it is kept: by xor when n_banks is a power of two, else by
 * rotation. */
struct dram_address address_split(const struct address_map *m, uint64_t address);

/* The same for addresses within a partition (dram_address.local), with divisions prepared; shifts
 * if everything is a power of two. */
struct bank_map {
    struct divider piece_bytes, n_banks, row_bytes;
    bool shifts; /* everything is, and a row holds whole pieces */
    bool keep_banks;
    uint8_t piece_shift, bank_shift, rows_shift /* one row in each bank */;
};
struct dram_place {
    uint32_t bank, row, column;
};
struct bank_map bank_map_make(const struct address_map *m);
struct dram_place bank_map_divide(const struct bank_map *m, uint64_t local);
static inline struct dram_place bank_map_shift(const struct bank_map *m, uint64_t local)
{
    uint64_t piece = local >> m->piece_shift, in_piece = local & (m->piece_bytes.divisor - 1);
    uint64_t in_bank = piece >> m->bank_shift << m->piece_shift | in_piece;
    uint64_t row = local >> m->rows_shift;
    uint64_t permuted = m->keep_banks ? piece : piece ^ row;
    return (struct dram_place){.bank = (uint32_t)permuted & (m->n_banks.divisor - 1),
                               .row = (uint32_t)row,
                               .column = (uint32_t)in_bank & (m->row_bytes.divisor - 1)};
}
static inline struct dram_place bank_map_place(const struct bank_map *m, uint64_t local)
{
    return m->shifts ? bank_map_shift(m, local) : bank_map_divide(m, local);
}

#endif
