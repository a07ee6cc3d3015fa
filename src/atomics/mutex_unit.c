/* The SM's side of mutexes: mutex_unit.h says what it does and when. This file holds mutexes,
 * performs requests and releases. */
#include "atomics/mutex_parts.h"

static void activate(struct mutex_unit *u, uint32_t mutex)
{
    const struct mutex *m = &u->mutexes[mutex];
    if (m->phase == MUTEX_IDLE && m->n == 1)
        u->active[u->n_active++] = mutex;
}

/* Drops idle mutexes without requests; the others keep their order. */
static void tidy_active(struct mutex_unit *u)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        if (m->phase != MUTEX_IDLE || m->n)
            u->active[n++] = u->active[i];
    }
    u->n_active = n;
}

/* --- having a mutex --- */

void mutex_unit_granted(struct mutex_unit *u, uint32_t mutex, bool mature, bool unchanged,
                        uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    assert(m->phase == MUTEX_WAITING && m->n);
    bool stale = mutex_is_earlier_epoch(u, m->asked_at, now);
    m->phase = MUTEX_HELD;
    m->was_unchanged = unchanged;
    m->n_performed = 0;
    m->held_at = now;
    m->drain_at = m->visible_at = 0;
    m->hold++;
    u->stats.acquires++;
    u->stats.unchanged += unchanged;
    u->stats.mutex_wait += now - m->asked_at;
    if (!unchanged)
        mutex_forget_lines(u, m);
    mutex_judge_fetches(u, mutex, mature && !stale, now);
    mutex_wake(u, now);
}

static void ask(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    m->phase = MUTEX_WAITING;
    m->asked_at = now;
    u->ops->ask(u, mutex, now);
}

/* --- release --- */

static void release(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    m->phase = MUTEX_IDLE;
    u->stats.held_cycles += now - m->held_at;
    mutex_forget_data(u, mutex);
    mutex_tidy_lines(u, m);
    u->ops->release(u, mutex, now);
}

static void drain(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    if (m->phase != MUTEX_HELD || mutex_wants_more(u, m) || now < m->drain_at)
        return;
    mutex_write_lines(u, mutex, now);
    if (mutex_is_written(m) && now >= m->visible_at)
        release(u, mutex, now);
}

/* --- performing --- */

/* The first request of each held mutex may be next: the one that has been ready longest; of
 * several, the one that arrived first. Returns the mutex. */
static uint32_t find_ready(struct mutex_unit *u)
{
    uint32_t best = u->params->mutexes;
    const struct mutex_request *first = NULL;
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        const struct mutex_request *r = mutex_request_at(u, m->first);
        if (m->phase != MUTEX_HELD || !mutex_wants_more(u, m) || !r->has_data)
            continue;
        if (!first || r->ready_at < first->ready_at ||
            (r->ready_at == first->ready_at && r->number < first->number)) {
            best = u->active[i];
            first = r;
        }
    }
    return best;
}

static void judge_data(struct mutex_unit *u, uint32_t mutex, const struct mutex_request *r,
                       const struct mutex_line *l)
{
    const struct ledger_line *known = ledger_find(&u->ledger->of[mutex], mutex_line_of(r));
    u->stats.retained_used += r->retained;
    if (!known)
        return;
    u->stats.stale_data_used += r->n_writes < known->n_writes;
    if (r->retained && l && ledger_stored_by_others(known, u->index) > l->since)
        u->stats.retained_overwritten++;
}

static uint64_t visible_cycle(const struct mutex_unit *u, uint64_t now)
{
    sim_time t = (now * u->period / u->visibility + 1) * u->visibility;
    return (t + u->period - 1) / u->period;
}

static void perform(struct mutex_unit *u, uint64_t now)
{
    uint32_t mutex = u->busy_until <= now ? find_ready(u) : u->params->mutexes;
    if (mutex == u->params->mutexes)
        return;
    struct mutex *m = &u->mutexes[mutex];
    uint32_t number = m->first;
    struct mutex_request *r = mutex_request_at(u, number);
    uint32_t lanes = (uint32_t)__builtin_popcount(r->request->access.active_mask);
    uint32_t busy = (lanes + u->per_cycle - 1) / u->per_cycle;
    uint64_t changed[2] = {0, 0};
    judge_data(u, mutex, r, mutex_find_line(m, mutex_line_of(r)));
    u->host->perform(u->sm, r->request, busy, now, changed);
    mutex_note_change(u, mutex, r, changed);
    u->busy_until = m->drain_at = now + busy;
    m->visible_at = visible_cycle(u, now);
    m->n_performed++;
    u->stats.performed_in_sm += lanes;
    u->stats.performed_requests++;
    m->first = r->next;
    m->last = m->first ? m->last : 0;
    m->n--;
    u->free_requests[u->n_free++] = number - 1;
}

/* --- a cycle --- */

void mutex_unit_retry(struct mutex_unit *u, uint64_t now)
{
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        if (m->phase == MUTEX_HELD && !mutex_wants_more(u, m) && now >= m->drain_at)
            mutex_write_lines(u, u->active[i], now);
    }
    mutex_send_fetches(u, now);
}

void mutex_unit_enter(struct mutex_unit *u, struct mem_request *request, uint64_t now)
{
    uint32_t number = u->free_requests[--u->n_free] + 1,
             mutex = mutex_of_line(u, request->access.line);
    struct mutex *m = &u->mutexes[mutex];
    *mutex_request_at(u, number) =
        (struct mutex_request){.request = request, .number = u->n_entered++, .ready_at = now};
    if (m->n++)
        mutex_request_at(u, m->last)->next = number;
    else
        m->first = number;
    m->last = number;
    activate(u, mutex);
    mutex_wake(u, now);
}

void mutex_unit_hear(struct mutex_unit *u, uint32_t from, uintptr_t text, uint64_t now)
{
    struct mutex_text t = mutex_text_unpack(text);
    if (t.kind == MUTEX_GRANT)
        mutex_unit_granted(u, t.mutex, t.mature, t.unchanged, now);
    else
        u->ops->hear(u, from, t, now);
    mutex_wake(u, now);
}

/* When a held mutex next has something to do, if no message, data or acknowledgement arrives. */
static uint64_t next_of(const struct mutex_unit *u, const struct mutex *m, uint64_t now)
{
    if (m->phase != MUTEX_HELD)
        return CYCLE_NONE;
    if (mutex_wants_more(u, m)) {
        const struct mutex_request *r = &u->requests[m->first - 1];
        return !r->has_data ? CYCLE_NONE : u->busy_until > now ? u->busy_until : now + 1;
    }
    if (m->drain_at > now)
        return m->drain_at;
    return mutex_is_written(m) && m->visible_at > now ? m->visible_at : CYCLE_NONE;
}

static void plan(struct mutex_unit *u, uint64_t now)
{
    uint64_t next = u->retry || u->lost ? now + 1 : u->ops->next(u, now);
    for (uint32_t i = 0; i < u->n_active; i++) {
        uint64_t at = next_of(u, &u->mutexes[u->active[i]], now);
        next = at < next ? at : next;
    }
    u->due = next;
}

void mutex_unit_step(struct mutex_unit *u, uint64_t now)
{
    u->retry = false;
    for (uint32_t i = 0; i < u->n_active; i++)
        drain(u, u->active[i], now);
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        if (m->phase == MUTEX_IDLE && m->n)
            ask(u, u->active[i], now);
    }
    u->ops->step(u, now);
    u->lost = false;
    for (uint32_t i = 0; i < u->n_active; i++)
        mutex_want_data(u, u->active[i], now);
    mutex_send_fetches(u, now);
    perform(u, now);
    tidy_active(u);
    plan(u, now);
}

bool mutex_unit_is_idle(const struct mutex_unit *u)
{
    return !u->n_active && u->ops->is_idle(u);
}

bool mutex_unit_check(const struct mutex_unit *u, struct strbuf *why)
{
    const struct mutex_stats *s = &u->stats;
    bool is_fresh = !s->stale_data_used;
    bool is_judged = s->spec_fetches == s->spec_used + s->spec_refetched + s->spec_unneeded;
    if (!is_fresh)
        strbuf_addf(why, "  SM %u performed %llu atomics on data that others had changed\n",
                    u->index, (unsigned long long)s->stale_data_used);
    if (!is_judged)
        strbuf_addf(why,
                    "  SM %u: atomics.spec_fetches (%llu) == spec_used (%llu) + spec_refetched "
                    "(%llu) + spec_unneeded (%llu)\n",
                    u->index, (unsigned long long)s->spec_fetches, (unsigned long long)s->spec_used,
                    (unsigned long long)s->spec_refetched, (unsigned long long)s->spec_unneeded);
    return is_fresh && is_judged;
}

void mutex_unit_describe(const struct mutex_unit *u, struct strbuf *out)
{
    static const char *const words[] = {"to be requested", "asked for", "held"};
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        strbuf_addf(out, "atomics: mutex %u is %s, requests: %u, performed: %u, writes: %u\n",
                    u->active[i], words[m->phase], m->n, m->n_performed, m->n_acks);
    }
}
