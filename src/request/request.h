/* What travels between those who ask for memory and the slices that serve it, and the kinds of
 * messages and networks of a machine. */
#ifndef HEDDLE_REQUEST_REQUEST_H
#define HEDDLE_REQUEST_REQUEST_H

#include "base/mem_access.h"
#include "emu/warp.h"
#include "noc/shard.h"

enum message_kind {
    MSG_REQUEST,   /* SM to partition; body = struct mem_request */
    MSG_REPLY,     /* partition to SM; the same body comes back */
    MSG_FREE,      /* partition to SM: a store's body, done with */
    MSG_CTA_START, /* dispatcher to SM; body = the CTA's number */
    MSG_CTA_DONE,  /* SM to dispatcher: one has ended */
    MSG_MUTEX,     /* SM to SM, of units that perform atomics there; body = atomics/mutex_unit.h */
    /* Of a last-level cache that applications share (cache/shared.h): */
    MSG_LLC_REPORT,   /* partition to controller; body = struct shared_report */
    MSG_LLC_SAMPLE,   /* SM to controller; body = struct llc_sample */
    MSG_LLC_DECISION, /* controller to partition; body = struct shared_decision */
    N_MESSAGE_KINDS
};

/* SMs to partitions and back; of a discrete GPU's host, CPU cores to its own and back. */
enum network { NET_UP, NET_DOWN, NET_HOST, NET_HOST_DOWN = NET_HOST + NET_DOWN, N_NETWORKS };

struct atomic_part; /* atomics/atomic_part.h */

/* What an SM that samples did in a period: its own until the next one has ended. */
struct llc_sample {
    uint64_t insts;                 /* warp instructions */
    uint64_t cycles, active_cycles; /* of its clock, and of these with a warp on it */
};

/* Who waits for the reply in the SM. */
enum request_origin {
    FROM_L1D,
    FROM_BYPASS,
    FROM_ATOMIC,
    FROM_L1I,
    FROM_L1C,
    FROM_ATOMIC_FETCH, /* like L1D, for an atomic that its SM performs */
    FROM_ATOMIC_WRITE, /* what it has changed: a store that is answered */
    FROM_CPU,          /* a CPU core's L2 */
    FROM_PCIE,         /* a transfer, past L2 */
    FROM_STORE
};
enum { N_ORIGINS = FROM_STORE + 1 };

struct mem_request {
    /* As its sender sees it; in a partition as L2 does. Of what differs then only the line is put
     * back with the reply. */
    struct mem_access access;
    enum request_origin origin;
    uint32_t sm;         /* shard id */
    uint32_t id;         /* MSHR, bypass slot or LDST record, as origin says */
    uint32_t data_bytes; /* asked for or stored */
    uint32_t to;         /* shard id of the partition */
    uint32_t flits;      /* of the message it travels in: the request, then the reply */
    uint64_t local;      /* the line's address within the partition */
    /* The partition's: the bank, and the line while `access` has the one within that bank. */
    uint32_t bank;
    uint64_t device_line;
    uint64_t n_writes;  /* of the line, by atomics of SMs, that L2 had served before */
    uint64_t queued_at; /* the cycle it entered the queue it is in */
    bool missed;        /* L2 did not have it */
    void *waiter;
    struct atomic_part *atomic; /* owned by the SM */
    struct mem_request *next;   /* in a free list */
};

#endif
