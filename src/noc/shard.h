/* The machine is a graph of shards that communicate only by messages over links with a latency.
 *
 * Time is counted in units such that every clock's period is an integer number of them. Each shard
 * advances independently to the end of a quantum; then messages are exchanged. A message is usable
 * at the receiver from `at` on. No link is faster than a quantum is long, so no result depends on
 * the length of a quantum or on the order in which shards run. A receiver serves its messages in
 * the order (at, sender, order of sending). */
#ifndef HEDDLE_NOC_SHARD_H
#define HEDDLE_NOC_SHARD_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef uint64_t sim_time;
#define TIME_NEVER UINT64_MAX

struct clock_domain {
    const char *name;
    uint32_t mhz;
    uint32_t period; /* time units; set by clocks_resolve() */
};
/* Divides the frequencies by their gcd and sets the periods: 1300/650/800 MHz give 8/16/13. Returns
 * false, with periods of 0, if a period would exceed CLOCK_MAX_PERIOD: frequencies with so small a
 * common divisor are a configuration error. */
bool clocks_resolve(struct clock_domain *domains, uint32_t n);
enum { CLOCK_MAX_PERIOD = 1 << 24 }; /* leaves 2^40 cycles before time overflows */
/* The first cycle of the clock at or after t, and its time. */
static inline uint64_t clock_cycle_at(const struct clock_domain *d, sim_time t)
{
    return (t + d->period - 1) / d->period;
}

struct message {
    sim_time at;   /* usable at the receiver from this time on */
    void *body;    /* payload; the message transfers its ownership */
    uint32_t from; /* shard id of the sender */
    uint32_t to;
    uint32_t kind; /* defined by the machine */
    uint32_t flits;
};

struct engine;
struct shard;
struct shard_ops {
    const char *kind; /* "sm", "partition" */
    /* Does everything due before `until`. Each message is taken at the receiver's first tick at or
     * after its time, and none of these messages stays in the inbox: one that the shard has no room
     * for waits in a separate buffer (rx_port), so that it does not delay those behind it.
     * Afterwards shard->next, at or after `until`, is the earliest time at which the shard has
     * something to do by itself (TIME_NEVER if only a message can change that). Called only if next
     * or the first message is before `until`. Accesses nothing outside the shard. */
    void (*advance)(struct shard *s, sim_time until);
    /* Is nothing outstanding? Distinguishes the end of a run from a deadlock. */
    bool (*is_idle)(const struct shard *s);
    /* Says which shard it is and what it waits for: "SM 3: ...", further lines indented. Called
     * only while it is not idle. */
    void (*describe_wait)(const struct shard *s, struct strbuf *out);
    /* For parts that use ticker_advance() (ticker.h): `take` takes a message; `tick` does the work
     * of a cycle and returns the next cycle with work. An unknown kind of message is a bug of the
     * sender: assert. */
    void (*take)(struct shard *s, const struct message *m, uint64_t now);
    uint64_t (*tick)(struct shard *s, uint64_t now);
};

/* What may be sent to the shards of a group. */
struct shard_link {
    sim_time latency;  /* the least latency */
    uint32_t messages; /* bit mask of the kinds that may be sent; none = there is no link */
};

/* The messages that have arrived for a shard, sorted by (at, from, order). Before `first` are
 * messages already taken. After the last one is a sentinel that never becomes due, so that readers
 * need not check for an empty inbox. */
struct inbox {
    const struct message *first;
    struct message *end;
    struct message *items, *last_place; /* last position of the sentinel; `end` stays below it */
};

/* With several threads: what a shard sent in one quantum. One array with a linked list for each
 * receiver. */
struct outbox {
    struct letter {
        struct message message;
        uint32_t next; /* index + 1 of the next message to the same receiver */
    } * items;
    uint32_t n, cap;
    struct outbox_list {
        uint32_t first, last; /* index + 1; first is 0 if there is none for that receiver */
    } * to;
};

/* Which shards sent to a shard in one quantum; its letter_flag says whether any did. One byte per
 * sender, so that senders on different threads write different bytes; readers check eight at a
 * time. */
struct letterbox {
    uint64_t *senders;
};

enum { SHARD_NETWORKS = 4 };

struct tx_port;
struct rx_port;

/* Outboxes and letterboxes come in pairs: during a quantum, senders write to one side while
 * receivers take in what was written to the other side in the previous quantum. So nothing is read
 * while it is written, and one synchronisation of the threads per quantum is enough. */
struct shard {
    const struct shard_ops *ops;
    sim_time next;
    /* Its ports (below, and port.h) may lack credits; then `starved` is set. Before the next
     * advance() the engine sets credit_at to the time at which enough credits will be back;
     * TIME_NEVER if unknown. */
    sim_time credit_at;
    struct inbox inbox; /* internal to the engine */
    sim_time until;     /* likewise: the end of the current quantum */
    uint32_t id;
    bool starved;
    uint32_t tick;         /* it takes and sends messages at multiples of this; 0 = at any time */
    sim_time min_latency;  /* smallest latency it may send with; checked */
    struct engine *engine; /* from here on internal to the engine, except for the ports */
    struct tx_port *tx[SHARD_NETWORKS];
    struct rx_port *rx[SHARD_NETWORKS];
    sim_time *wake;         /* its wake-up time: an entry of the engine's array */
    sim_time first_arrival; /* when the first message of its outbox is usable */
    struct outbox out[2];
    struct letterbox letters[2];
    const struct shard_link *links; /* by the receiver's group; NULL = no links are declared */
};

/* The first message usable before `until`, or NULL; remove it with shard_take(). */
static inline const struct message *shard_peek(const struct shard *s, sim_time until)
{
    const struct message *m = s->inbox.first;
    return m->at < until ? m : NULL;
}
static inline void shard_take(struct shard *s)
{
    assert(s->inbox.first != s->inbox.end);
    s->inbox.first++;
}
/* Removes all messages before `m`, which was reached by iterating from the first. */
static inline void shard_take_until(struct shard *s, const struct message *m)
{
    assert(m <= s->inbox.end);
    s->inbox.first = m;
}
/* Removes one message that was reached in the same way; those before it keep their order. */
static inline void shard_take_single(struct shard *s, const struct message *m)
{
    struct message *to = s->inbox.items + (m - s->inbox.items);
    for (; to != s->inbox.first; to--)
        *to = to[-1];
    shard_take(s);
}
struct team;

/* Is there anything in a shard's letterboxes? One cache line each, because any thread may write
 * it. */
struct letter_flag {
    _Alignas(64) atomic_bool set[2];
};

/* What a member of the team has collected about its shards; one cache line each. */
struct engine_member {
    _Alignas(64) uint64_t quantum; /* the last quantum in which it had any */
    sim_time earliest[2]; /* when the first of them, or of the messages they sent, is due; per
                           * half */
};

/* Shards that advance together. */
struct engine_half {
    uint32_t first, n;
    sim_time *wake;    /* their entries in engine.wake */
    sim_time earliest; /* when the first of them is due */
    sim_time end;      /* the time they have reached */
};

/* Zero it, fill it in except for the internal fields, then call engine_connect(). */
struct engine {
    struct shard **shards; /* indexed by id */
    uint32_t n;
    /* Shards before this one send only to the others, and the others only to them, so that the two
     * halves can advance in turn (engine.c). 0: any shard may send to any other. */
    uint32_t n_first;
    /* By shard id, for shard.links. NULL = only the halves restrict who may send to whom. */
    const uint32_t *group_of;
    struct team *team; /* distributes the shards of a quantum; NULL = the caller runs them all */
    sim_time now;      /* start of the current quantum */
    sim_time quantum;  /* in time units; at most the smallest link latency */
    sim_time period;   /* a quantum also ends at multiples of this (visibility); 0 = none */
    bool skip;         /* false = step through every quantum, even if nothing happens */
    /* Called at a multiple of `period` before anything at that time happens; all shards are at
     * rest. With `skip` only at the first boundary after a shard has asked for it; at the others it
     * must have nothing to do. */
    void (*at_boundary)(void *user, sim_time t);
    void *user;
    /* Internal to the engine. Members of the team read these and write the flags below. */
    sim_time limit;    /* what shards do before this time is not visible outside them */
    sim_time end;      /* messages must not arrive before this: the receiver may have advanced so
                        * far */
    uint32_t side;     /* the side of the outboxes and letterboxes that is written to */
    uint64_t n_quanta; /* quanta that a team has begun */
    sim_time boundary; /* the first multiple of `period` from `now` on that has not been passed */
    /* When each shard next has something to do, by itself or because of a message. Adjacent, or a
     * cache line apart while a team runs, whose members write them. */
    sim_time *wake;
    struct engine_half halves[2]; /* the second is empty if any shard may send to any other */
    sim_time first_arrival;       /* the earliest wake-up time brought forward by a message sent in
                          * this quantum */
    struct letter_flag *letter_flags;
    struct engine_member *members;
    _Alignas(64) atomic_bool boundary_requested; /* some shard awaits at_boundary() */
    atomic_bool any_failed;                      /* some shard reported a failure */
    atomic_bool any_starved;                     /* some shard lacks credits */
};

/* May one shard send to the other? Not within one of two halves; over a declared link, if links are
 * declared. */
static inline bool engine_may_send(const struct engine *e, uint32_t from, uint32_t to)
{
    bool halves = !e->n_first || (from < e->n_first) != (to < e->n_first);
    return halves && (!e->group_of || e->shards[from]->links[e->group_of[to]].messages);
}

/* Sets a flag. Any number of threads may do so; later ones do not write the cache line again. */
static inline void engine_note(atomic_bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}
/* Called by an advancing shard: the run cannot continue. */
static inline void shard_fail(struct shard *s)
{
    engine_note(&s->engine->any_failed);
}
/* Called by an advancing shard: it has work for engine.at_boundary(). */
static inline void shard_await_boundary(struct shard *s)
{
    engine_note(&s->engine->boundary_requested);
}
/* Called by an advancing shard: one of its ports lacks credits. */
static inline void shard_starve(struct shard *s)
{
    s->starved = true;
    engine_note(&s->engine->any_starved);
}

/* Moves the last message of an inbox in front of those with a later time. */
void inbox_sort_in(struct message *last);
/* The same for a box without a free entry; makes room first. */
void inbox_tidy(struct inbox *box);
/* Puts a message into the sender's outbox for a shard, because other threads may be using that
 * shard's inbox. */
void outbox_add(struct shard *s, uint32_t to, const struct message *m);

/* Most messages are later than those before them. So the message is written in place first, and
 * only moved if it is not the latest. The move comes last, so that the caller has no values to
 * preserve. */
static inline __attribute__((always_inline)) void inbox_add(struct inbox *box, struct message m)
{
    struct message *end = box->end;
    *end = m;
    end[1].at = TIME_NEVER;
    box->end = end + 1;
    if (end + 1 == box->last_place)
        inbox_tidy(box);
    else if (m.at <= end[-1].at)
        inbox_sort_in(end);
}

/* With one thread the message goes into the receiver's inbox at once. It is usable only after this
 * quantum, so it makes no difference whether the receiver has already run. */
static inline __attribute__((always_inline)) void shard_deliver(struct shard *to, struct message m)
{
    struct engine *e = to->engine;
    assert(m.at >= e->end); /* otherwise the receiver might have passed that time */
    if (m.at < *to->wake) {
        *to->wake = m.at;
        if (m.at < e->first_arrival)
            e->first_arrival = m.at;
    }
    inbox_add(&to->inbox, m); /* last, so that a call has no values to preserve */
}

/* Puts a message into the inbox of a shard, whatever its sender and receiver. */
static inline void shard_hand_to(struct shard *s, uint32_t to, struct message m)
{
    if (s->engine->team)
        outbox_add(s, to, &m);
    else
        shard_deliver(s->engine->shards[to], m);
}

/* Sends like shard_send(), for callers that have checked the latency (port.h). */
static inline void shard_post(struct shard *s, struct message m)
{
    m.from = s->id;
    shard_hand_to(s, m.to, m);
}

/* May the shard send that message at time `now`? */
static inline bool shard_may_send(const struct shard *s, sim_time now, const struct message *m)
{
    const struct engine *e = s->engine;
    if (m->to >= e->n)
        return false;
    if (!e->group_of)
        return m->at >= now + s->min_latency && engine_may_send(e, s->id, m->to);
    const struct shard_link *l = &s->links[e->group_of[m->to]];
    return m->at >= now + l->latency && m->kind < 32 && l->messages >> m->kind & 1;
}

/* Sends. m.at must be at least the latency of the link after the sender's time `now`, and the link
 * must carry the message's kind. If no links are declared, any kind is allowed, and the latency is
 * `min_latency`. Fills in m.from. */
static inline void shard_send(struct shard *s, sim_time now, struct message m)
{
    assert(shard_may_send(s, now, &m));
    shard_post(s, m);
}

/* Gives the shards what they need to send to each other. Call it once, before anything is sent. */
void engine_connect(struct engine *e);
/* Frees what the engine gave to the shards; the bodies of messages belong to their owners. */
void engine_destroy(struct engine *e);
/* Is a message in flight? Credits do not count. */
bool engine_has_mail(const struct engine *e);
/* Is a message in flight to one of `n` shards? */
bool engine_has_mail_for(const struct engine *e, uint32_t first, uint32_t n);

enum engine_end { ENGINE_DONE, ENGINE_DEADLOCK, ENGINE_LIMIT };

/* Runs until is_done() returns true between quanta, nothing can happen any more, or `limit` is
 * reached. At the limit, all events before it have happened and no others, and `now` is the limit.
 * If nothing can happen any more, that is a deadlock; without is_done() (NULL) it is the end,
 * provided that every shard is idle. May be called again to continue. A caller that may want to
 * stop a run sets limits at which it checks: between them some shards are ahead of others. After
 * the other ends `now` depends on the quantum, so results do not use it. */
enum engine_end engine_run(struct engine *e, bool (*is_done)(void *user), void *user,
                           sim_time limit);
/* Writes what shards that are not idle wait for, one paragraph each. Of adjacent shards of one
 * kind, describes at most `most_of_a_kind` and counts the rest. */
void engine_describe_wait(const struct engine *e, uint32_t most_of_a_kind, struct strbuf *out);
/* The same for `n` shards. */
void engine_describe_wait_of(const struct engine *e, uint32_t first, uint32_t n,
                             uint32_t most_of_a_kind, struct strbuf *out);

#endif
