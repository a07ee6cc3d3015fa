/* The machine is a graph of shards that communicate only by messages over links with a latency.
 *
 * Time is counted in units such that every clock's period is a whole number of them. Each shard
 * advances on its own to the end of a quantum; then messages are exchanged. A message is usable at
 * the receiver from `at` on. Since no link is faster than a quantum is long, no result depends on
 * the length of a quantum or on the order in which shards run. Messages of one receiver are served
 * in the order (at, sender, order of sending). */
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
/* Divides the frequencies by their gcd and sets the periods: 1300/650/800 MHz give 8/16/13. False,
 * and periods of 0, if a period would exceed CLOCK_MAX_PERIOD: frequencies with so little in common
 * are a mistake of the configuration. */
bool clocks_resolve(struct clock_domain *domains, uint32_t n);
enum { CLOCK_MAX_PERIOD = 1 << 24 }; /* leaves 2^40 cycles before time runs out */
/* The first cycle of the clock at or after t, and its time. */
static inline uint64_t clock_cycle_at(const struct clock_domain *d, sim_time t)
{
    return (t + d->period - 1) / d->period;
}

struct message {
    sim_time at;   /* usable at the receiver from then on */
    void *body;    /* payload; ownership travels with the message */
    uint32_t from; /* shard id of the sender */
    uint32_t to;
    uint32_t kind; /* defined by the machine */
    uint32_t flits;
};

struct engine;
struct shard;
struct shard_ops {
    const char *kind; /* "sm", "partition" */
    /* Does everything due before `until`, each message at the receiver's first tick at or after its
     * time, and leaves none of those in the inbox: a message the shard has no room for waits in a
     * buffer of its own (rx_port), so that what follows it, credits above all, can pass. Afterwards
     * shard->next, at or after `until`, is the earliest time at which it has something to do by
     * itself (TIME_NEVER if only a message can change that). Called only when next or the first
     * message is before `until`. Touches nothing outside the shard. */
    void (*advance)(struct shard *s, sim_time until);
    /* Is nothing outstanding? Distinguishes the end of a run from a deadlock. */
    bool (*is_idle)(const struct shard *s);
    /* Describes which shard it is and what it waits for: "SM 3: ...", further lines indented. Only
     * called while it is not idle. */
    void (*describe_wait)(const struct shard *s, struct strbuf *out);
    /* For parts that use ticker_advance() (ticker.h): `take` takes a message; `tick` does the work
     * of a cycle and returns the next cycle with work. An unknown kind of message is a mistake of
     * the sender: assert. */
    void (*take)(struct shard *s, const struct message *m, uint64_t now);
    uint64_t (*tick)(struct shard *s, uint64_t now);
};

/* What may be sent to the shards of a group. */
struct shard_link {
    sim_time latency;  /* takes at least that long */
    uint32_t messages; /* the kinds that may be sent, a bit each; none = there is no link */
};

/* The messages that have arrived for a shard, sorted by (at, from, order). Before `first` are
 * messages that were taken; behind the last is a sentinel that never comes, so that readers need
 * not check for an empty inbox. */
struct inbox {
    const struct message *first;
    struct message *end;
    struct message *items, *last_place; /* of the sentinel; `end` does not reach it */
};

/* With several threads: what a shard sent in one quantum, one array with a list through it for each
 * receiver. */
struct outbox {
    struct letter {
        struct message message;
        uint32_t next; /* index + 1 of the next one to the same receiver */
    } * items;
    uint32_t n, cap;
    struct outbox_list {
        uint32_t first, last; /* index + 1; first is 0 if there is nothing for that receiver */
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

/* Outboxes and letterboxes come in pairs: in a quantum one side is written to while what was
 * written to the other in the quantum before is taken in. So nothing is read while it is written,
 * and one meeting of the threads per quantum is enough. */
struct shard {
    const struct shard_ops *ops;
    sim_time next;
    /* Its ports (below, and port.h) may lack credits; `starved` is set then. Before the next
     * advance() the engine sets credit_at to the time at which enough credits will be back;
     * TIME_NEVER if that is not known. */
    sim_time credit_at;
    struct inbox inbox; /* the engine's own */
    sim_time until;     /* likewise: the end of the quantum it is in */
    uint32_t id;
    bool starved;
    uint32_t tick;         /* it takes and sends messages at multiples of this; 0 = at any time */
    sim_time min_latency;  /* smallest latency it may send with; checked */
    struct engine *engine; /* from here on the engine's own, but for the ports */
    struct tx_port *tx[SHARD_NETWORKS];
    struct rx_port *rx[SHARD_NETWORKS];
    sim_time *wake;   /* when it must be woken: its entry of the engine's array */
    sim_time sent_at; /* when the first message of its outbox is usable */
    struct outbox out[2];
    struct letterbox letters[2];
    const struct shard_link *links; /* by the receiver's group; NULL = none are declared */
};

/* The first message usable before `until`, or NULL; take it off with shard_take(). */
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

/* Is there anything in a shard's letterboxes? One cache line each, because any thread may write it.
 */
struct letter_flag {
    _Alignas(64) atomic_bool set[2];
};

/* What a member of the team has gathered from its shards; one cache line each. */
struct engine_member {
    _Alignas(64) uint64_t quantum; /* the number of the last one in which it had any */
    sim_time earliest[2]; /* when the first of them, or of what they sent, is due: by halves */
};

/* Shards that advance together. */
struct engine_half {
    uint32_t first, n;
    sim_time *wake;    /* their times in engine.wake */
    sim_time earliest; /* when the first of them is due */
    sim_time end;      /* how far they have come */
};

/* Zeroed, then filled in but for the engine's own, then engine_connect(). */
struct engine {
    struct shard **shards; /* indexed by id */
    uint32_t n;
    /* Shards before this one send only to the others, and these only to them, so that they can
     * advance in turn (engine.c). 0: any shard may send to any other. */
    uint32_t n_first;
    /* By shard id, for shard.links. NULL = the halves alone define who may send to which shard. */
    const uint32_t *group_of;
    struct team *team; /* distributes the shards of a quantum; NULL = the caller does them all */
    sim_time now;      /* start of the present quantum */
    sim_time quantum;  /* units; at most the smallest link latency */
    sim_time period; /* boundaries at multiples of this end a quantum too (visibility); 0 = none */
    bool skip;       /* false = step through every quantum even when nothing happens */
    /* Called at a multiple of `period` before anything at that time, shards at rest. With `skip`
     * only at the first boundary after a shard has asked for it; at the others it must have nothing
     * to do. */
    void (*at_boundary)(void *user, sim_time t);
    void *user;
    /* The engine's own. Members of the team read these and write the flags below. */
    sim_time limit;    /* nobody but the shards looks at what they do before that time */
    sim_time end;      /* nothing is sent for before that: its receiver may have come so far */
    uint32_t side;     /* of the outboxes and letterboxes, that is written to */
    uint64_t n_quanta; /* that a team has begun */
    sim_time boundary; /* the first multiple of `period` from `now` on that is not passed yet */
    /* When each shard, or what is on its way to or from it, wants something done. Side by side, or
     * a cache line apart while a team runs, whose members write them. */
    sim_time *wake;
    struct engine_half halves[2]; /* the second has no shards if any shard may send to any other */
    sim_time first_sent; /* of those that were brought forward by what was sent in this quantum */
    struct letter_flag *letter_flags;
    struct engine_member *members;
    _Alignas(64) atomic_bool boundary_due; /* some shard awaits at_boundary() */
    atomic_bool any_failed;                /* some shard said that it failed */
    atomic_bool any_starved;               /* ... that it lacks credits */
};

/* Not within one of two halves, and over a link, if they are declared. */
static inline bool engine_may_send(const struct engine *e, uint32_t from, uint32_t to)
{
    bool halves = !e->n_first || (from < e->n_first) != (to < e->n_first);
    return halves && (!e->group_of || e->shards[from]->links[e->group_of[to]].messages);
}

/* Any number of threads may note it; those that come later leave the cache line alone. */
static inline void engine_note(atomic_bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}
/* A shard that advances says: the run cannot go on; */
static inline void shard_fail(struct shard *s)
{
    engine_note(&s->engine->any_failed);
}
/* ... it has something for engine.at_boundary(); */
static inline void shard_await_boundary(struct shard *s)
{
    engine_note(&s->engine->boundary_due);
}
/* ... one of its ports lacks credits. */
static inline void shard_starve(struct shard *s)
{
    s->starved = true;
    engine_note(&s->engine->any_starved);
}

/* Moves the last message before those that are after it. */
void inbox_sort_in(struct message *last);
/* The same for that of a box which has no room for another one: makes that first. */
void inbox_tidy(struct inbox *box);
/* Puts a message into the sender's outbox for a shard, for others may be at its inbox now. */
void outbox_add(struct shard *s, uint32_t to, const struct message *m);

/* Most messages are later than those that have come before. Written in place, whatever follows:
 * those that are not are moved. That is the last to be done, so that whoever sends has nothing to
 * keep for later. */
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

/* When one thread does all shards the message is in the receiver's inbox at once: it is usable only
 * after this quantum, so it makes no difference whether the receiver has had its turn. */
static inline __attribute__((always_inline)) void shard_deliver(struct shard *to, struct message m)
{
    struct engine *e = to->engine;
    assert(m.at >= e->end); /* else the receiver might have passed that time already */
    if (m.at < *to->wake) {
        *to->wake = m.at;
        if (m.at < e->first_sent)
            e->first_sent = m.at;
    }
    inbox_add(&to->inbox, m); /* last: what it may have to call needs nothing kept for later */
}

/* Puts a message, whoever it is for and from, into the inbox of a shard. */
static inline void shard_hand_to(struct shard *s, uint32_t to, struct message m)
{
    if (s->engine->team)
        outbox_add(s, to, &m);
    else
        shard_deliver(s->engine->shards[to], m);
}

/* shard_send() for those whose latency has been looked at before (port.h). */
static inline void shard_post(struct shard *s, struct message m)
{
    m.from = s->id;
    shard_hand_to(s, m.to, m);
}

/* May it send that message at its present time? */
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

/* Sends; m.at must be at least the latency of the link after the sender's present time `now`, and
 * of a kind that the link carries. Where no links are declared any kind will do, and the latency is
 * `min_latency`. m.from is filled in. */
static inline void shard_send(struct shard *s, sim_time now, struct message m)
{
    assert(shard_may_send(s, now, &m));
    shard_post(s, m);
}

/* Gives the shards what they need to send to each other. Once, before anything is sent. */
void engine_connect(struct engine *e);
/* Frees what the engine gave to the shards; the bodies of messages are their owners' business. */
void engine_destroy(struct engine *e);
/* Is a message on its way? Credits do not count. */
bool engine_has_mail(const struct engine *e);
/* Is one on its way to one of `n` shards? */
bool engine_has_mail_for(const struct engine *e, uint32_t first, uint32_t n);

enum engine_end { ENGINE_DONE, ENGINE_DEADLOCK, ENGINE_LIMIT };

/* Runs until is_done() says so between quanta, nothing can happen any more, or `limit` is reached:
 * all that happens before it has happened then, nothing else has, and `now` is the limit. When
 * nothing can happen any more, that is a deadlock; without is_done() (NULL) it is the end, provided
 * that every shard is idle. May be called again to go on. Who may want to end a run from outside
 * gives limits at which it looks: between them some shards are ahead of others, and of themselves.
 * `now` after other ends depends on the quantum: results are not taken from it. */
enum engine_end engine_run(struct engine *e, bool (*is_done)(void *user), void *user,
                           sim_time limit);
/* What shards that are not idle wait for, one paragraph each; of those of one kind that stand side
 * by side so many, and how many more there are. */
void engine_describe_wait(const struct engine *e, uint32_t most_of_a_kind, struct strbuf *out);
/* The same of `n` shards. */
void engine_describe_wait_of(const struct engine *e, uint32_t first, uint32_t n,
                             uint32_t most_of_a_kind, struct strbuf *out);

#endif
