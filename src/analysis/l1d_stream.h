/* A recording of what happened at the L1 data caches: every accepted access with its outcome, every
 * answer to a miss and every line that left, per SM in order. doc/l1d-stream.md describes the file.
 *
 * Instructions are counted for policies that go by them: how many lanes each had, not what it did.
 *
 * Left out on purpose: accesses that were refused and tried again (only their acceptance is an
 * event, and that one bypassed the cache because it was refused), constant and instruction
 * caches, the data themselves. */
#ifndef HEDDLE_ANALYSIS_L1D_STREAM_H
#define HEDDLE_ANALYSIS_L1D_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"
#include "cache/cache.h"

/* Files of the version before tell neither of instructions nor of stalls nor of the policy's
 * parameters, and are read too. */
enum { L1D_STREAM_VERSION = 5, L1D_OLDEST_VERSION = 4 };

/* A flush is told before the evictions it consists of. A resize leaves the cache empty, with
 * another number of ways. Instructions are those that issued since the event before. */
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
/* Of accesses. A store is a hit if its line has a place, whether the data are there or not; an
 * atomic is performed at L2, which is a bypass. */
enum l1d_outcome { L1D_HIT, L1D_MERGE, L1D_MISS, L1D_BYPASS, N_L1D_OUTCOMES };
/* Of fills. */
enum l1d_keeping { L1D_KEPT, L1D_NOT_KEPT };

struct l1d_event {
    uint32_t sm;
    enum l1d_event_kind kind;
    uint32_t outcome; /* enum l1d_outcome; of EVICT: enum cache_evict_cause; of FILL: enum
                         l1d_keeping; else 0 */
    uint64_t cycle;   /* of the core clock, since the simulation began; of INSTS 0 */
    uint64_t line;    /* line-aligned byte address */
    /* Of FILL: it answers the load miss of its line that has waited longest; else the miss of its
     * line in that cycle. */
    bool answers_oldest;
    uint64_t asked;
    uint32_t n_ways;            /* of RESIZE: from now on */
    uint32_t n_issues, n_lanes; /* of INSTS: so many instructions, each of so many lanes */
    /* Of accesses only, else 0. */
    uint32_t launch, pc;
    uint64_t warp_uid; /* unique in the SM over the run */
    uint64_t thread;   /* global number of the first lane's thread */
    uint64_t address;  /* first byte asked for */
    uint32_t sectors;  /* asked for, as a mask; 0 where lines have none */
    bool is_local;     /* to local memory */
    bool goes_around;  /* a load that the program sends around the cache */
    bool had_to_wait;  /* a load that its policy sent around the cache because of that */
    bool is_whole;     /* a store that may bring its line and leaves nothing of it to be fetched */
    /* If the recording has it: the criticality provider's rating of the warp. */
    bool is_critical;
    int64_t criticality;
};

/* Of the policy, all that it has: "name=value". */
struct l1d_params {
    bool are_told; /* else the file is of a version that does not */
    const char *const *items;
    uint32_t n;
};

struct l1d_header {
    uint32_t version, n_sms;
    bool has_insts;          /* it tells of instructions, and of who had to wait */
    struct cache_config l1d; /* all but the name of its policy, which is below */
    const char *gpu, *scheduler, *policy;
    const char *criticality; /* the provider whose word is recorded; "" = none's */
    struct l1d_params params;
};

/* --- Recording --- */
struct machine;
struct l1d_recorder;

/* Before the first launch. The recorder outlives the last one. With `has_criticality` accesses tell
 * how critical their warp was. */
struct l1d_recorder *l1d_recorder_create(struct machine *m, bool has_criticality, struct sink sink);
/* Writes what is left and the end mark; false if anything could not be written. */
bool l1d_recorder_finish(struct l1d_recorder *r);
void l1d_recorder_destroy(struct l1d_recorder *r); /* NULL is fine */

/* --- Reading --- */
struct l1d_reader;
enum l1d_read { L1D_READ_EVENT, L1D_READ_END, L1D_READ_BAD };

/* NULL, with the reason in `why`, if the file cannot be read or is no recording. */
struct l1d_reader *l1d_reader_open(const char *path, struct strbuf *why);
const struct l1d_header *l1d_reader_header(const struct l1d_reader *r);
/* The next event. Those of an SM come in order, the SMs take turns. A file that is damaged or ends
 * early is BAD, with the place in `why`; what was read before it is sound. */
enum l1d_read l1d_reader_next(struct l1d_reader *r, struct l1d_event *e, struct strbuf *why);
/* The same for who wants no fills and evictions, only the others, and many at a time: those of one
 * SM in the columns of l1d_format.h, until the next call, with the instructions among them. Not to
 * be mixed with the above. */
struct l1d_table;
/* Hands over the accesses that were read last, and takes the room of `t`, a table or zeroed, for
 * the next ones. */
void l1d_reader_trade(struct l1d_reader *r, struct l1d_table *t);
/* From now on without the columns of details, or without instructions. */
void l1d_reader_skip_details(struct l1d_reader *r);
void l1d_reader_skip_insts(struct l1d_reader *r);
enum l1d_read l1d_reader_next_accesses(struct l1d_reader *r, uint32_t *sm,
                                       const struct l1d_table **accesses,
                                       const struct l1d_table **insts, struct strbuf *why);
void l1d_reader_close(struct l1d_reader *r); /* NULL is fine */

#endif
