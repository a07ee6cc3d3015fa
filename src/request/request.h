/* Requests between SMs (or CPU cores) and the slices that serve them, and the message types and
 * networks of a machine. */
#ifndef HEDDLE_REQUEST_REQUEST_H
#define HEDDLE_REQUEST_REQUEST_H

#include "base/mem_access.h"
#include "emu/warp.h"
#include "noc/shard.h"

/* An SM may take replies and returned stores ahead of time. It takes a message of any other kind in
 * exactly the cycle in which the message is due, and does nothing ahead past that cycle that the
 * message could change (sm_set_handler()). */
enum message_kind {
    MSG_REQUEST,   /* SM to partition; body = struct mem_request */
    MSG_REPLY,     /* partition to SM; returns the same body */
    MSG_FREE,      /* partition to SM: returns a store's body */
    MSG_CTA_START, /* dispatcher to SM; body = the CTA's number */
    MSG_CTA_DONE,  /* SM to dispatcher: a CTA has ended */
    MSG_MUTEX,     /* SM to SM, between units that perform atomics; body = atomics/mutex_unit.h */
    /* For a last-level cache shared by applications (cache/shared.h): */
    MSG_LLC_REPORT,   /* partition to controller; body = struct shared_report */
    MSG_LLC_SAMPLE,   /* SM to controller; body = struct llc_sample */
    MSG_LLC_DECISION, /* controller to partition; body = struct shared_decision */
    N_MESSAGE_KINDS,
    MAX_MESSAGE_KINDS = 32 /* with those of new parts: the bits of part_link.messages */
};

/* From SMs to partitions and back; with a discrete GPU, from CPU cores to the host's own partitions
 * and back. */
enum network { NET_UP, NET_DOWN, NET_HOST, NET_HOST_DOWN = NET_HOST + NET_DOWN, N_NETWORKS };

struct atomic_request; /* atomics/atomic_request.h */

/* What a sampling SM did in a period. The SM owns it until the next period has ended. */
struct llc_sample {
    uint64_t insts;                 /* warp instructions */
    uint64_t cycles, active_cycles; /* cycles of its clock, and those with a warp on the SM */
};

/* What waits for the reply in the SM. */
enum request_origin {
    FROM_L1D,
    FROM_BYPASS,
    FROM_ATOMIC,
    FROM_L1I,
    FROM_L1C,
    FROM_ATOMIC_FETCH, /* as for L1D, for an atomic that the SM performs */
    FROM_ATOMIC_WRITE, /* the changed data of such an atomic: an acknowledged store */
    FROM_CPU,          /* a CPU core's L2 */
    FROM_PCIE,         /* a transfer, past L2 */
    FROM_STORE
};
enum { N_ORIGINS = FROM_STORE + 1 };

struct mem_request {
    /* As the sender sees it; in a partition, as L2 sees it. The reply restores only the line. */
    struct mem_access access;
    enum request_origin origin;
    uint32_t sm;         /* shard id */
    uint32_t id;         /* MSHR, bypass slot or LDST record, as origin says */
    uint32_t data_bytes; /* bytes requested or stored */
    uint32_t to;         /* shard id of the partition */
    uint32_t flits;      /* of the message that carries it: the request, then the reply */
    uint64_t local;      /* the line's address inside the partition */
    /* Used by the partition: the bank, and the full line while `access` holds the line inside that
     * bank. */
    uint32_t bank;
    uint64_t device_line;
    uint64_t n_writes;  /* atomics of SMs that wrote this line and that L2 had served before */
    uint64_t queued_at; /* the cycle at which it entered its current queue */
    bool missed;        /* it missed in L2 */
    void *waiter;
    struct atomic_request *atomic; /* owned by the SM */
    struct mem_request *next;      /* link in a free list */
};

#endif
