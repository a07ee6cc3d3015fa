/* Rings of SMs, each with a token: at member (cycle / hop) modulo the members. Every member knows
 * of every mutex of its ring whether it is held. Only the member with the token changes that, in
 * the first cycle of its window, and the change travels round with the token, so that each member
 * knows it when the token arrives. A change asserts one of the ring's busy wires on its way round,
 * and no mutex of that wire is acquired where it is asserted (S1 sections 3.2 and 3.3).
 *
 * atom_naive has one ring of all SMs. atom_hybrid has one for each row of the grid: a mutex belongs
 * to the row of its number modulo the rows, and the member in an SM's column acts for it. */
#include <stdlib.h>

#include "atomics/mutex_unit.h"
#include "base/arena.h"

struct ring_mutex {
    bool held, was_released;
    uint32_t holder;      /* or the last one */
    uint64_t released_at; /* the cycle in which this member learned of the release */
    uint64_t freed_at;    /* the visit in which it was released here; CYCLE_NONE = never */
};

/* A request that waits for the token. */
struct ring_wish {
    uint64_t arrived;
    uint32_t sm, mutex;
};

/* Changes at other visits assert the wire before cycle `until`. This member's own change in cycle
 * `own_at` asserts it after `own_at` and before `own_until`, so not during the visit of the change
 * itself. */
struct busy_wire {
    uint64_t until, own_at, own_until;
};

/* A change elsewhere in the ring, `age` members before this one. */
struct ring_news {
    uint32_t age;
    struct mutex_text text;
};

struct ring {
    uint32_t n_rings, n_members, place; /* of this member in its ring */
    uint32_t number;                    /* of the ring */
    struct ring_mutex *mutexes;         /* by mutex / rings */
    struct busy_wire *wires;
    struct ring_wish *asks, *releases;
    struct ring_news *news; /* of this cycle, the oldest first */
    uint32_t n_asks, cap_asks, n_releases, cap_releases, n_news, cap_news;
};

static struct ring_mutex *in_ring(const struct mutex_unit *u, uint32_t mutex)
{
    const struct ring *r = u->net;
    return &r->mutexes[mutex / r->n_rings];
}

static uint64_t hop(const struct mutex_unit *u)
{
    return u->params->hop_cycles;
}

static size_t state_bytes(const struct mutex_unit *u)
{
    (void)u;
    return sizeof(struct ring);
}

static void create_in(struct mutex_unit *u, uint32_t n_rings)
{
    struct ring *r = u->net;
    r->n_rings = n_rings;
    r->n_members = u->grid.n_sms / n_rings;
    r->number = u->index / r->n_members;
    r->place = u->index % r->n_members;
    uint32_t n = (u->params->mutexes + n_rings - 1) / n_rings;
    r->mutexes = xcalloc(n, sizeof *r->mutexes);
    for (uint32_t i = 0; i < n; i++)
        r->mutexes[i].freed_at = CYCLE_NONE;
    r->wires = xcalloc(u->params->busy_wires + 1, sizeof *r->wires);
    for (uint32_t i = 0; i < u->params->busy_wires; i++)
        r->wires[i].own_at = CYCLE_NONE;
}

static void create_one(struct mutex_unit *u)
{
    create_in(u, 1);
}

static void create_rows(struct mutex_unit *u)
{
    create_in(u, u->grid.rows);
}

static void destroy(struct mutex_unit *u)
{
    struct ring *r = u->net;
    free(r->mutexes);
    free(r->wires);
    free(r->asks);
    free(r->releases);
    free(r->news);
}

/* --- wishes --- */

static bool comes_before(const struct ring_wish *a, const struct ring_wish *b)
{
    if (a->arrived != b->arrived)
        return a->arrived < b->arrived;
    return a->sm != b->sm ? a->sm < b->sm : a->mutex < b->mutex;
}

static void note_ask(struct ring *r, struct ring_wish w)
{
    ARRAY_RESERVE(r->asks, r->cap_asks, r->n_asks + 1);
    uint32_t i = r->n_asks++;
    for (; i && comes_before(&w, &r->asks[i - 1]); i--)
        r->asks[i] = r->asks[i - 1];
    r->asks[i] = w;
}

static void note_release(struct ring *r, struct ring_wish w)
{
    ARRAY_RESERVE(r->releases, r->cap_releases, r->n_releases + 1);
    r->releases[r->n_releases++] = w;
}

static void note_wish(struct mutex_unit *u, enum mutex_message kind, struct ring_wish w)
{
    if (kind == MUTEX_ASK)
        note_ask(u->net, w);
    else
        note_release(u->net, w);
}

/* Sends it to the member that acts for this SM. */
static void wish(struct mutex_unit *u, enum mutex_message kind, uint32_t mutex, uint64_t now)
{
    const struct ring *r = u->net;
    uint32_t number = mutex % r->n_rings, to = number * r->n_members + r->place;
    if (to == u->index)
        note_wish(u, kind, (struct ring_wish){now, u->index, mutex});
    else
        mutex_unit_send(u, to, grid_apart(number, r->number),
                        (struct mutex_text){.kind = kind, .mutex = mutex}, now);
}

static void ask(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    wish(u, MUTEX_ASK, mutex, now);
}

static void release(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    wish(u, MUTEX_RELEASE, mutex, now);
}

/* --- changes --- */

static void learn(struct mutex_unit *u, struct mutex_text t, uint64_t now)
{
    struct ring_mutex *m = in_ring(u, t.mutex);
    m->held = t.kind == MUTEX_TAKEN;
    m->holder = t.holder;
    if (!m->held) {
        m->was_released = true;
        m->released_at = now;
    }
}

static struct busy_wire *wire_of(const struct mutex_unit *u, uint32_t mutex)
{
    const struct ring *r = u->net;
    return u->params->busy_wires ? &r->wires[mutex % u->params->busy_wires] : NULL;
}

/* All changes by others since the token's last visit arrive with it, in one cycle. */
static void note_news(struct ring *r, uint32_t from, struct mutex_text t)
{
    uint32_t place = from % r->n_members, age = (r->place + r->n_members - place) % r->n_members;
    ARRAY_RESERVE(r->news, r->cap_news, r->n_news + 1);
    uint32_t i = r->n_news++;
    for (; i && r->news[i - 1].age < age; i--)
        r->news[i] = r->news[i - 1];
    r->news[i] = (struct ring_news){age, t};
}

static void hear(struct mutex_unit *u, uint32_t from, struct mutex_text t, uint64_t now)
{
    if (t.kind == MUTEX_ASK || t.kind == MUTEX_RELEASE)
        note_wish(u, t.kind, (struct ring_wish){now, from, t.mutex});
    else
        note_news(u->net, from, t);
}

static void take_news(struct mutex_unit *u, uint64_t now)
{
    struct ring *r = u->net;
    for (uint32_t i = 0; i < r->n_news; i++) {
        struct busy_wire *w = wire_of(u, r->news[i].text.mutex);
        learn(u, r->news[i].text, now);
        if (w)
            w->until = now + r->n_members * hop(u);
    }
    r->n_news = 0;
}

/* A change of this visit travels round. */
static void change(struct mutex_unit *u, struct mutex_text t, uint64_t now)
{
    const struct ring *r = u->net;
    struct busy_wire *w = wire_of(u, t.mutex);
    learn(u, t, now);
    if (w) {
        if (w->own_at != CYCLE_NONE && w->own_at < now && w->own_until > w->until)
            w->until = w->own_until; /* this change does not shorten the assertion of the last */
        w->own_at = now;
        w->own_until = now + 2 * r->n_members * hop(u);
    }
    for (uint32_t k = 1; k < r->n_members; k++)
        mutex_unit_send(u, r->number * r->n_members + (r->place + k) % r->n_members, k, t, now);
}

static bool is_busy(const struct busy_wire *w, uint64_t now)
{
    if (!w)
        return false;
    bool own = w->own_at != CYCLE_NONE && w->own_at < now && now < w->own_until;
    return now < w->until || own;
}

/* --- visits --- */

/* The first cycle of this member's next window, from that cycle on. */
static uint64_t visit_from(const struct mutex_unit *u, uint64_t cycle)
{
    const struct ring *r = u->net;
    uint64_t round = r->n_members * hop(u), first = r->place * hop(u);
    return cycle <= first ? first : first + (cycle - first + round - 1) / round * round;
}

static void free_mutex(struct mutex_unit *u, const struct ring_wish *w, uint64_t now)
{
    struct ring_mutex *m = in_ring(u, w->mutex);
    assert(m->held && m->holder == w->sm);
    m->freed_at = now;
    change(u, (struct mutex_text){.kind = MUTEX_FREED, .mutex = w->mutex, .holder = w->sm}, now);
}

static void take_mutex(struct mutex_unit *u, const struct ring_wish *w, uint64_t now)
{
    struct ring_mutex *m = in_ring(u, w->mutex);
    struct mutex_text t = {.kind = MUTEX_GRANT,
                           .mutex = w->mutex,
                           .mature =
                               !m->was_released || mutex_is_earlier_epoch(u, m->released_at, now),
                           .unchanged = m->was_released && m->holder == w->sm};
    change(u, (struct mutex_text){.kind = MUTEX_TAKEN, .mutex = w->mutex, .holder = w->sm}, now);
    u->stats.token_wait += visit_from(u, w->arrived) - w->arrived;
    if (w->sm != u->index) {
        const struct ring *r = u->net;
        mutex_unit_send(u, w->sm, grid_apart(w->sm / r->n_members, r->number), t, now);
        return;
    }
    u->stats.self_satisfied += u->mutexes[w->mutex].asked_at == now;
    mutex_unit_granted(u, w->mutex, t.mature, t.unchanged, now);
}

static bool can_take(const struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    const struct ring_mutex *m = in_ring(u, mutex);
    return !m->held && m->freed_at != now && !is_busy(wire_of(u, mutex), now);
}

/* Releases, then acquires. */
static void step(struct mutex_unit *u, uint64_t now)
{
    struct ring *r = u->net;
    take_news(u, now);
    if (visit_from(u, now) != now)
        return;
    for (uint32_t i = 0; i < r->n_releases; i++)
        free_mutex(u, &r->releases[i], now);
    r->n_releases = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < r->n_asks; i++) {
        struct ring_wish w = r->asks[i];
        if (can_take(u, w.mutex, now))
            take_mutex(u, &w, now);
        else
            r->asks[left++] = w;
    }
    r->n_asks = left;
}

/* A request for a held mutex waits for the message that it is free. */
static uint64_t next(const struct mutex_unit *u, uint64_t now)
{
    const struct ring *r = u->net;
    if (r->n_releases)
        return visit_from(u, now + 1);
    for (uint32_t i = 0; i < r->n_asks; i++)
        if (!in_ring(u, r->asks[i].mutex)->held)
            return visit_from(u, now + 1);
    return CYCLE_NONE;
}

static bool is_idle(const struct mutex_unit *u)
{
    const struct ring *r = u->net;
    return !r->n_asks && !r->n_releases;
}

#define RING_NET(how)                                                                              \
    {                                                                                              \
        .state_bytes = state_bytes, .create = how, .destroy = destroy, .ask = ask,                 \
        .release = release, .hear = hear, .step = step, .next = next, .is_idle = is_idle           \
    }
const struct mutex_net mutex_ring_net = RING_NET(create_one);
const struct mutex_net mutex_rows_net = RING_NET(create_rows);
