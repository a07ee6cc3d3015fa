/* Atomics performed in an SM, on its L1D, under mutexes (S1 section 3): the SM's side, which is the
 * same for atom_naive, atom_dir and atom_hybrid. A network (struct mutex_net) locates, acquires and
 * releases mutexes. There are two: a directory (mutex_home.c) and rings (mutex_ring.c).
 *
 * A mutex protects the lines whose number has the same remainder. In an SM it is idle, waiting, or
 * held. Its requests, each the lanes of an instruction in a line, are performed in the order of
 * their arrival, by one unit, as soon as the mutex is held and their data are present. When none is
 * left, or `hold_max` have been performed, changed lines are written to L2. The mutex is released
 * when the writes are acknowledged and a visibility boundary has passed since the last request was
 * performed. So the next holder finds all values in the memory image, and no message carries any.
 *
 * A fetched line stays in L1D after the release and is reused if no other SM has held the mutex in
 * between (an `unchanged` grant). With `spec_fetch` data are requested together with the mutex, and
 * used if no other SM can have written them since: the last release belongs to an earlier epoch
 * than the grant (`mature`), and the request to the same (not stale).
 *
 * A cycle (mutex_unit_step()) has this order: received grants, writes, releases, requests for
 * mutexes, the network, whose grants to its own SM take effect at once, fetches, and one request is
 * performed. */
#ifndef HEDDLE_ATOMICS_MUTEX_UNIT_H
#define HEDDLE_ATOMICS_MUTEX_UNIT_H

#include "atomics/mutex_grid.h"
#include "atomics/write_ledger.h"
#include "request/request.h"

#define CYCLE_NONE UINT64_MAX

/* The parameters of all three; a unit has those in its table, the others are 0. */
struct mutex_params {
    uint32_t mutexes, rows, hop_cycles, queue, hold_max, per_cycle, busy_wires, epoch_cycles;
    bool spec_fetch;
};

#define MUTEX_COUNTERS(COUNTER)                                                                    \
    COUNTER(performed_in_sm, "operations", "lane operations performed in SMs")                     \
    COUNTER(performed_requests, "requests", "requests performed in SMs")                           \
    COUNTER(acquires, "acquires", "mutexes acquired")                                              \
    COUNTER(self_satisfied, "acquires", "of these, granted by the SM itself in the same cycle")    \
    COUNTER(unchanged, "acquires", "of these, for mutexes that the SM itself had held last")       \
    COUNTER(mutex_wait, "cycles", "from requesting a mutex to holding it")                         \
    COUNTER(token_wait, "cycles",                                                                  \
            "of this, until the token first reached the ring member that was asked")               \
    COUNTER(held_cycles, "cycles", "from acquiring a mutex to releasing it")                       \
    COUNTER(fetches, "fetches", "fetches of data, including speculative ones")                     \
    COUNTER(writes, "writes", "changed lines written to L2")                                       \
    COUNTER(retained_used, "requests", "requests whose line an earlier hold had left in L1D")      \
    COUNTER(spec_fetches, "fetches", "fetches sent before the mutex was held")                     \
    COUNTER(spec_used, "fetches", "of these, used")                                                \
    COUNTER(spec_refetched, "fetches", "of these, repeated because they might have been stale")    \
    COUNTER(spec_unneeded, "fetches",                                                              \
            "of these, discarded: the grant was unchanged, so the retained line could be used")    \
    COUNTER(retained_overwritten, "requests",                                                      \
            "uses of a retained line that another SM's plain store had changed; hardware would "   \
            "need an invalidation")                                                                \
    COUNTER(stale_data_used, "requests", "requests performed on old data: always 0, else an error")

struct mutex_stats {
#define COUNTER(field, unit, help) uint64_t field;
    MUTEX_COUNTERS(COUNTER)
#undef COUNTER
};

/* Data in flight to the unit. */
struct mutex_fetch {
    struct mem_access access; /* of the request that started it, with the sectors wanted */
    uint32_t mutex;
    bool in_use, sent;
    bool speculative; /* it is not known yet whether they can be used */
    bool around;      /* they bypass L1D, which has another copy */
    bool fresh;       /* first drop a copy in L1D, and fetches of it in flight */
    bool dropped;     /* no longer wanted */
    bool arrived, kept;
    uint64_t n_writes; /* writes that L2 had served */
};

/* Lanes of an instruction in a line, as the unit keeps them. */
struct mutex_request {
    struct mem_request *request;
    uint64_t ready_at; /* when they can be performed, apart from the unit and earlier requests */
    uint64_t number;   /* in order of arrival */
    uint64_t n_writes; /* writes included in their data */
    uint32_t fetch;    /* number + 1 of the fetch that brings their data; 0 = none */
    uint32_t next;     /* number + 1 */
    bool has_data, retained;
};

/* A line that the unit has data of. */
struct mutex_line {
    uint64_t line;
    uint32_t sectors;    /* it has */
    bool in_l1d;         /* and keeps there; otherwise only until they are written */
    uint64_t changed[2]; /* bytes that L2 does not have yet */
    uint64_t n_writes;   /* writes included in the data, including our own */
    sim_time since;      /* the data are from that time or later, with respect to others' stores */
    uint64_t hold;       /* number of the acquisition under which it was fetched */
    struct mem_access access;
    struct mutex_line *next;
};

enum mutex_phase { MUTEX_IDLE, MUTEX_WAITING, MUTEX_HELD };

struct mutex {
    enum mutex_phase phase;
    bool was_unchanged;         /* the last grant to this SM was unchanged */
    uint32_t first, last, n;    /* requests: number + 1, and how many */
    uint32_t n_performed;       /* since it was acquired */
    uint32_t n_acks;            /* writes in flight */
    uint64_t asked_at, held_at; /* cycles */
    uint64_t drain_at;          /* writes may begin */
    uint64_t visible_at;        /* when what was performed becomes visible */
    uint64_t hold;              /* counts acquires */
    struct mutex_line *lines;
};

struct mutex_unit;

/* Messages between SMs, packed into a message body. */
enum mutex_message { MUTEX_ASK, MUTEX_GRANT, MUTEX_RELEASE, MUTEX_TAKEN, MUTEX_FREED };
struct mutex_text {
    enum mutex_message kind;
    uint32_t mutex;
    uint32_t holder; /* of TAKEN and FREED */
    bool mature, unchanged;
};
uintptr_t mutex_text_pack(struct mutex_text t);
struct mutex_text mutex_text_unpack(uintptr_t word);

/* How mutexes are located. All functions are required. */
struct mutex_net {
    size_t (*state_bytes)(const struct mutex_unit *u); /* of mutex_unit.net, zeroed */
    void (*create)(struct mutex_unit *u);
    void (*destroy)(struct mutex_unit *u);
    /* This SM requests a mutex; or releases it. Recorded here, done in step(). */
    void (*ask)(struct mutex_unit *u, uint32_t mutex, uint64_t now);
    void (*release)(struct mutex_unit *u, uint32_t mutex, uint64_t now);
    /* A message other than GRANT has arrived. */
    void (*hear)(struct mutex_unit *u, uint32_t from, struct mutex_text t, uint64_t now);
    /* Grants what can be granted. */
    void (*step)(struct mutex_unit *u, uint64_t now);
    /* The next cycle after `now` with something to do; CYCLE_NONE = only after a message. */
    uint64_t (*next)(const struct mutex_unit *u, uint64_t now);
    bool (*is_idle)(const struct mutex_unit *u);
};
extern const struct mutex_net mutex_home_net, mutex_ring_net, mutex_rows_net;

/* What the SM does for its unit. */
struct mutex_host {
    /* Requests data; false if there is no room now. They arrive through mutex_unit_data(). */
    bool (*fetch)(void *sm, struct mutex_fetch *f, uint32_t number, uint64_t now);
    /* Writes bytes of a line to L2; false if there is no room now. Then
     * mutex_unit_acknowledge(). */
    bool (*write)(void *sm, const struct mutex_line *l, uint32_t mutex, uint64_t now);
    /* The sectors of the line that L1D has. */
    uint32_t (*sectors)(void *sm, uint64_t line);
    void (*drop)(void *sm, uint64_t line);
    void (*send)(void *sm, uint32_t to, uint64_t at, uintptr_t text, uint64_t now);
    /* Performs a request, whose results follow `busy` cycles later; returns which bytes changed. */
    void (*perform)(void *sm, struct mem_request *r, uint32_t busy, uint64_t now,
                    uint64_t changed[2]);
};

struct mutex_setup {
    const struct mutex_params *params;
    const struct mutex_net *net;
    const struct mutex_host *host;
    void *sm;
    uint32_t index, n_sms;
    uint32_t line_bytes, per_cycle; /* lane operations; params.per_cycle takes precedence */
    sim_time period, visibility;
    struct write_ledger *ledger;
};

struct mutex_unit {
    const struct mutex_params *params;
    const struct mutex_net *ops;
    const struct mutex_host *host;
    void *sm;
    void *net; /* the network's state */
    uint32_t index, line_bytes, per_cycle;
    struct mutex_grid grid;
    sim_time period, visibility;
    struct write_ledger *ledger;
    uint64_t due; /* the next cycle in which step() has something to do */
    bool retry;   /* something found no room in this cycle */
    bool lost;    /* L1D has lost a line since requests were examined */
    uint64_t busy_until;
    uint64_t n_entered;
    struct mutex *mutexes;
    uint32_t *active, n_active; /* mutexes that are not idle or have requests */
    struct mutex_request *requests;
    uint32_t *free_requests, n_free;
    struct mutex_fetch *fetches;
    uint32_t n_fetches, cap_fetches;
    struct mutex_line *free_lines;
    struct mutex_stats stats;
};

struct mutex_unit *mutex_unit_create(const struct mutex_setup *setup);
void mutex_unit_destroy(struct mutex_unit *u);

static inline bool mutex_unit_has_room(const struct mutex_unit *u)
{
    return u->n_free > 0;
}
/* Adds a request; there must be room. This cycle's step() examines it. */
void mutex_unit_enter(struct mutex_unit *u, struct mem_request *r, uint64_t now);
void mutex_unit_step(struct mutex_unit *u, uint64_t now);
/* What found no room in the last cycle (mutex_unit.retry) is retried before anything else of the
 * SM takes freed resources: otherwise spinning loads could keep the holder of a mutex waiting
 * forever. */
void mutex_unit_retry(struct mutex_unit *u, uint64_t now);
/* Messages that the SM receives before the step of a cycle. */
void mutex_unit_hear(struct mutex_unit *u, uint32_t from, uintptr_t text, uint64_t now);
/* Data have arrived, which L1D has kept or not. */
void mutex_unit_data(struct mutex_unit *u, uint32_t fetch, uint64_t n_writes, bool kept,
                     uint64_t now);
void mutex_unit_acknowledge(struct mutex_unit *u, uint32_t mutex, uint64_t now);
/* L1D has lost a line, for whatever reason. */
void mutex_unit_lose(struct mutex_unit *u, uint64_t line);
/* The SM stores to the line: the unit's changes are written first, and the line is no longer
 * retained. False if there is no room for the write now. */
bool mutex_unit_store(struct mutex_unit *u, uint64_t line, uint64_t now);
bool mutex_unit_is_idle(const struct mutex_unit *u);
/* Are the counters of an idle unit consistent, and was no stale data used? One line in `why` for
 * each violation. */
bool mutex_unit_check(const struct mutex_unit *u, struct strbuf *why);
void mutex_unit_describe(const struct mutex_unit *u, struct strbuf *out);

/* --- for networks --- */
void mutex_unit_granted(struct mutex_unit *u, uint32_t mutex, bool mature, bool unchanged,
                        uint64_t now);
/* Sends `t` over `hops` hops. */
void mutex_unit_send(struct mutex_unit *u, uint32_t to, uint32_t hops, struct mutex_text t,
                     uint64_t now);
static inline bool mutex_is_earlier_epoch(const struct mutex_unit *u, uint64_t cycle, uint64_t now)
{
    uint32_t e = u->params->epoch_cycles;
    return e && cycle / e < now / e;
}

#endif
