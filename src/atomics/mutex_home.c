/* A directory of mutexes: the home SM of a mutex is its number modulo the SMs. An SM asks the home,
 * which grants in the cycle in which a request or the release arrives, in order of arrival. In the
 * same cycle lower SM numbers come first, including the home's own requests (S1 section 3.2,
 * AtomDir). */
#include <stdlib.h>

#include "atomics/mutex_unit.h"
#include "base/arena.h"

/* A mutex at its home. */
struct home_mutex {
    bool held, was_released;
    uint32_t holder;      /* or the last one */
    uint64_t released_at; /* the cycle in which the home received the release */
    uint32_t *queue;      /* waiting SMs, in order */
    uint32_t n, cap;
};

struct home_note {
    uint32_t sm, mutex;
};

struct home {
    struct home_mutex *mutexes; /* by mutex / SMs */
    struct home_note *asks, *releases;
    uint32_t n_asks, cap_asks, n_releases, cap_releases;
};

static uint32_t home_of(const struct mutex_unit *u, uint32_t mutex)
{
    return mutex % u->grid.n_sms;
}

static struct home_mutex *at_home(const struct mutex_unit *u, uint32_t mutex)
{
    return &((struct home *)u->net)->mutexes[mutex / u->grid.n_sms];
}

static uint32_t n_at_home(const struct mutex_unit *u)
{
    return (u->params->mutexes + u->grid.n_sms - 1) / u->grid.n_sms;
}

static size_t state_bytes(const struct mutex_unit *u)
{
    (void)u;
    return sizeof(struct home);
}

static void create(struct mutex_unit *u)
{
    struct home *h = u->net;
    h->mutexes = xcalloc(n_at_home(u), sizeof *h->mutexes);
}

static void destroy(struct mutex_unit *u)
{
    struct home *h = u->net;
    for (uint32_t i = 0; i < n_at_home(u); i++)
        free(h->mutexes[i].queue);
    free(h->mutexes);
    free(h->asks);
    free(h->releases);
}

/* Requests of one cycle are sorted by SM: messages come in that order, own requests are
 * inserted. */
static void note_ask(struct home *h, uint32_t sm, uint32_t mutex)
{
    ARRAY_RESERVE(h->asks, h->cap_asks, h->n_asks + 1);
    uint32_t i = h->n_asks++;
    for (; i && h->asks[i - 1].sm > sm; i--)
        h->asks[i] = h->asks[i - 1];
    h->asks[i] = (struct home_note){sm, mutex};
}

static void note_release(struct home *h, uint32_t sm, uint32_t mutex)
{
    ARRAY_RESERVE(h->releases, h->cap_releases, h->n_releases + 1);
    h->releases[h->n_releases++] = (struct home_note){sm, mutex};
}

/* Sends it to the home, or records it if this is the home. */
static void tell_home(struct mutex_unit *u, enum mutex_message kind, uint32_t mutex, uint64_t now)
{
    uint32_t home = home_of(u, mutex), hops = grid_hops(&u->grid, u->index, home);
    if (home != u->index)
        mutex_unit_send(u, home, hops, (struct mutex_text){.kind = kind, .mutex = mutex}, now);
    else if (kind == MUTEX_ASK)
        note_ask(u->net, u->index, mutex);
    else
        note_release(u->net, u->index, mutex);
}

static void ask(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    tell_home(u, MUTEX_ASK, mutex, now);
}

static void release(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    tell_home(u, MUTEX_RELEASE, mutex, now);
}

static void hear(struct mutex_unit *u, uint32_t from, struct mutex_text t, uint64_t now)
{
    (void)now;
    assert(t.kind == MUTEX_ASK || t.kind == MUTEX_RELEASE);
    if (t.kind == MUTEX_ASK)
        note_ask(u->net, from, t.mutex);
    else
        note_release(u->net, from, t.mutex);
}

static void free_mutex(struct mutex_unit *u, const struct home_note *n, uint64_t now)
{
    struct home_mutex *m = at_home(u, n->mutex);
    assert(m->held && m->holder == n->sm);
    m->held = false;
    m->was_released = true;
    m->released_at = now;
}

/* Grants it to the first waiting SM, if it is free. */
static void grant(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct home_mutex *m = at_home(u, mutex);
    if (m->held || !m->n)
        return;
    uint32_t to = m->queue[0];
    struct mutex_text t = {.kind = MUTEX_GRANT,
                           .mutex = mutex,
                           .mature =
                               !m->was_released || mutex_is_earlier_epoch(u, m->released_at, now),
                           .unchanged = m->was_released && m->holder == to};
    m->n--;
    for (uint32_t i = 0; i < m->n; i++)
        m->queue[i] = m->queue[i + 1];
    m->held = true;
    m->holder = to;
    if (to != u->index) {
        mutex_unit_send(u, to, grid_hops(&u->grid, u->index, to), t, now);
        return;
    }
    u->stats.self_satisfied += u->mutexes[mutex].asked_at == now;
    mutex_unit_granted(u, mutex, t.mature, t.unchanged, now);
}

static void step(struct mutex_unit *u, uint64_t now)
{
    struct home *h = u->net;
    for (uint32_t i = 0; i < h->n_releases; i++)
        free_mutex(u, &h->releases[i], now);
    for (uint32_t i = 0; i < h->n_asks; i++) {
        struct home_mutex *m = at_home(u, h->asks[i].mutex);
        ARRAY_RESERVE(m->queue, m->cap, m->n + 1);
        m->queue[m->n++] = h->asks[i].sm;
    }
    for (uint32_t i = 0; i < h->n_releases; i++)
        grant(u, h->releases[i].mutex, now);
    for (uint32_t i = 0; i < h->n_asks; i++)
        grant(u, h->asks[i].mutex, now);
    h->n_releases = h->n_asks = 0;
}

static uint64_t next(const struct mutex_unit *u, uint64_t now)
{
    (void)u, (void)now;
    return CYCLE_NONE;
}

/* An SM that waits here is not idle itself. */
static bool is_idle(const struct mutex_unit *u)
{
    const struct home *h = u->net;
    return !h->n_asks && !h->n_releases;
}

const struct mutex_net mutex_home_net = {.state_bytes = state_bytes,
                                         .create = create,
                                         .destroy = destroy,
                                         .ask = ask,
                                         .release = release,
                                         .hear = hear,
                                         .step = step,
                                         .next = next,
                                         .is_idle = is_idle};
