/* A recording of what happened at the L1 data caches: every accepted access with its outcome, every
 * fill and every eviction, per SM in order. doc/l1d-stream.md describes the file.
 *
 * Instructions are counted for policies that depend on them: how many lanes each had, not what it
 * did.
 *
 * Left out on purpose: accesses that were refused and retried (only the accepted attempt is an
 * event; it says if the access bypassed the cache because it was refused), constant and instruction
 * caches, and the data themselves. */
#ifndef HEDDLE_ANALYSIS_L1D_STREAM_H
#define HEDDLE_ANALYSIS_L1D_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"
#include "cache/cache.h"

/* Files of the previous version are still read. They contain no instructions, no stalls and no
 * parameters of the policy. */
enum { L1D_STREAM_VERSION = 5, L1D_OLDEST_VERSION = 4 };

/* A flush precedes the evictions it consists of. A resize leaves the cache empty, with another
 * number of ways. Instructions are those issued since the previous event. */
enum l1d_event_kind {
    L1D_LOAD,
    L1D_STORE,
    L1D_ATOMIC,
    L1D_FILL,
    L1D_EVICT,
    L1D_FLUSH,
    L1D_RESIZE,
    L1D_INSTS,
    N_L1D_KINDS
};
/* Of accesses. A store is a hit if its line is allocated, even if the data have not arrived. An
 * atomic is performed at L2 and counts as a bypass. */
enum l1d_outcome { L1D_HIT, L1D_MERGE, L1D_MISS, L1D_BYPASS, N_L1D_OUTCOMES };
/* Of fills. */
enum l1d_keeping { L1D_KEPT, L1D_NOT_KEPT };

struct l1d_event {
    uint32_t sm;
    enum l1d_event_kind kind;
    uint32_t outcome; /* enum l1d_outcome; for EVICT: enum cache_evict_cause; for FILL: enum
                       * l1d_keeping; otherwise 0 */
    uint64_t cycle;   /* in the core clock, since the simulation began; 0 for INSTS */
    uint64_t line;    /* line-aligned byte address */
    /* For FILL: it answers the oldest outstanding load miss of its line; otherwise the miss of its
     * line in the given cycle. */
    bool answers_oldest;
    uint64_t asked;
    uint32_t n_ways;            /* for RESIZE: the new number of ways */
    uint32_t n_issues, n_lanes; /* for INSTS: the number of instructions, and the lanes of each */
    /* For accesses; otherwise 0. */
    uint32_t launch, pc;
    uint64_t warp_uid; /* unique in the SM during the run */
    uint64_t thread;   /* global number of the first lane's thread */
    uint64_t address;  /* first byte requested */
    uint32_t sectors;  /* mask of requested sectors; 0 if lines have none */
    bool is_local;     /* to local memory */
    bool goes_around;  /* a load that bypasses the cache by its cache operator */
    bool had_to_wait;  /* a load that its policy bypassed because it would have stalled */
    bool is_whole;     /* a store that may allocate its line and needs no fetch */
    /* If it was recorded: the criticality provider's rating of the warp. */
    bool is_critical;
    int64_t criticality;
};

/* All parameters of the policy: "name=value". */
struct l1d_params {
    bool are_told; /* false = this version of the file does not store them */
    const char *const *items;
    uint32_t n;
};

struct l1d_header {
    uint32_t version, n_sms;
    bool has_insts;          /* it stores instructions, and which loads would have stalled */
    struct cache_config l1d; /* except the name of its policy, which is below */
    const char *gpu, *scheduler, *policy;
    const char *criticality; /* the provider whose ratings are recorded; "" = none */
    struct l1d_params params;
};

/* --- Recording --- */
struct machine;
struct l1d_recorder;

/* Call it before the first launch; the recorder must outlive the last one. With `has_criticality`,
 * accesses record whether their warp was critical. */
struct l1d_recorder *l1d_recorder_create(struct machine *m, bool has_criticality, struct sink sink);
/* Writes the rest and the end mark; false if a write failed. */
bool l1d_recorder_finish(struct l1d_recorder *r);
void l1d_recorder_destroy(struct l1d_recorder *r); /* NULL is fine */

/* --- Reading --- */
struct l1d_reader;
enum l1d_read { L1D_READ_EVENT, L1D_READ_END, L1D_READ_BAD };

/* NULL, with the reason in `why`, if the file cannot be read or is not a recording. */
struct l1d_reader *l1d_reader_open(const char *path, struct strbuf *why);
const struct l1d_header *l1d_reader_header(const struct l1d_reader *r);
/* The next event. Events of an SM are in order; the SMs take turns. If the file is damaged or
 * truncated, returns BAD, with the position in `why`; everything read before is valid. */
enum l1d_read l1d_reader_next(struct l1d_reader *r, struct l1d_event *e, struct strbuf *why);
/* The same without fills and evictions, and many events at a time: those of one SM in the columns
 * of l1d_format.h, with the instructions among them, valid until the next call. Do not mix with the
 * function above. */
struct l1d_table;
/* Gives the accesses read last to the caller in exchange for `t`, a table or zeroed, whose memory
 * is reused. */
void l1d_reader_trade(struct l1d_reader *r, struct l1d_table *t);
/* From now on, skip the columns of details, or the instructions. */
void l1d_reader_skip_details(struct l1d_reader *r);
void l1d_reader_skip_insts(struct l1d_reader *r);
enum l1d_read l1d_reader_next_accesses(struct l1d_reader *r, uint32_t *sm,
                                       const struct l1d_table **accesses,
                                       const struct l1d_table **insts, struct strbuf *why);
void l1d_reader_close(struct l1d_reader *r); /* NULL is fine */

#endif
