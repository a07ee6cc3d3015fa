/* The data of requests: what is fetched, when, and whether it may be used (mutex_unit.h). */
#include "atomics/mutex_parts.h"

static uint32_t new_fetch(struct mutex_unit *u)
{
    uint32_t i = 0;
    while (i < u->n_fetches && u->fetches[i].in_use)
        i++;
    if (i == u->n_fetches) {
        ARRAY_RESERVE(u->fetches, u->cap_fetches, u->n_fetches + 1);
        u->n_fetches++;
    }
    u->fetches[i] = (struct mutex_fetch){.in_use = true};
    return i;
}

/* The data of a fetch are no longer wanted; requests that waited for it fetch again. */
static void drop_fetch(struct mutex_unit *u, uint32_t number)
{
    struct mutex_fetch *f = &u->fetches[number];
    struct mutex *m = &u->mutexes[f->mutex];
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next))
        if (r->fetch == number + 1)
            r->fetch = 0;
    f->dropped = true;
    f->in_use = f->sent && !f->arrived;
}

/* The data of a fetch are valid: for waiting requests, and for later ones if L1D has them. */
static void use_fetch(struct mutex_unit *u, uint32_t number, uint64_t now)
{
    struct mutex_fetch *f = &u->fetches[number];
    struct mutex *m = &u->mutexes[f->mutex];
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next))
        if (r->fetch == number + 1) {
            r->fetch = 0;
            r->has_data = true;
            r->retained = false;
            r->n_writes = f->n_writes;
            r->ready_at = now;
        }
    uint32_t there = f->kept ? u->host->sectors(u->sm, f->access.line) & f->access.sector_mask : 0;
    if (there) {
        struct mutex_line *l = mutex_add_line(u, m, f->access.line);
        l->sectors |= there;
        l->in_l1d = true;
        l->n_writes = f->n_writes;
        /* MODEL: data fetched for an SM's atomics count as of their arrival. A store of another SM
         * that reaches L2 between the answer and the arrival is not counted in
         * retained_overwritten. */
        l->since = now * u->period;
        l->hold = m->hold;
        ledger_get(&u->ledger->of[f->mutex], l->line); /* stores to it are tracked from now on */
    }
    f->in_use = false;
}

void mutex_unit_data(struct mutex_unit *u, uint32_t number, uint64_t n_writes, bool kept,
                     uint64_t now)
{
    struct mutex_fetch *f = &u->fetches[number];
    assert(f->in_use && f->sent && !f->arrived);
    f->arrived = true;
    f->kept = kept;
    f->n_writes = n_writes;
    if (f->dropped)
        f->in_use = false;
    else if (!f->speculative)
        use_fetch(u, number, now);
    mutex_wake(u, now);
}

/* Under the mutex: does the unit have what the request needs? */
static bool take_kept(const struct mutex *m, struct mutex_request *r, uint64_t now)
{
    const struct mutex_line *l = mutex_find_line(m, mutex_line_of(r));
    if (m->phase != MUTEX_HELD || !l || mutex_sectors_of(r) & ~l->sectors)
        return false;
    r->has_data = true;
    r->retained = l->hold != m->hold;
    r->n_writes = l->n_writes;
    r->ready_at = now;
    return true;
}

/* A fetch of the same line that brings everything the request needs. */
static uint32_t find_fetch(const struct mutex_unit *u, const struct mutex_request *r)
{
    for (uint32_t i = 0; i < u->n_fetches; i++) {
        const struct mutex_fetch *f = &u->fetches[i];
        if (f->in_use && !f->dropped && f->access.line == mutex_line_of(r) &&
            !(mutex_sectors_of(r) & ~f->access.sector_mask))
            return i + 1;
    }
    return 0;
}

/* Everything that requests of the line still lack, at once. */
static void collect_sectors(struct mutex_unit *u, const struct mutex *m, struct mem_access *a)
{
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next))
        if (!r->has_data && !r->fetch && mutex_line_of(r) == a->line) {
            a->sector_mask |= mutex_sectors_of(r);
            a->segments |= r->request->access.segments;
        }
}

static void begin_fetch(struct mutex_unit *u, uint32_t mutex, struct mutex_request *r)
{
    const struct mutex *m = &u->mutexes[mutex];
    const struct mutex_line *l = mutex_find_line(m, mutex_line_of(r));
    bool kept = l && l->sectors;
    uint32_t number = new_fetch(u);
    struct mutex_fetch *f = &u->fetches[number];
    f->mutex = mutex;
    f->access = r->request->access;
    f->access.kind = MEM_LOAD;
    f->speculative = m->phase == MUTEX_WAITING;
    f->around = f->speculative && kept;
    f->fresh = !kept;
    collect_sectors(u, m, &f->access);
    r->fetch = number + 1;
}

/* May data be requested before the mutex is held? */
static bool may_speculate(const struct mutex_unit *u, const struct mutex *m,
                          const struct mutex_request *r)
{
    const struct mutex_line *l = mutex_find_line(m, mutex_line_of(r));
    bool kept = l && !(mutex_sectors_of(r) & ~l->sectors);
    return u->params->spec_fetch && m->phase == MUTEX_WAITING && !(kept && m->was_unchanged);
}

void mutex_want_data(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next)) {
        bool asks = m->phase == MUTEX_HELD ? mutex_wants_more(u, m) : may_speculate(u, m, r);
        if (r->has_data || r->fetch || !asks || take_kept(m, r, now))
            continue;
        r->fetch = find_fetch(u, r);
        if (!r->fetch)
            begin_fetch(u, mutex, r);
    }
}

void mutex_send_fetches(struct mutex_unit *u, uint64_t now)
{
    for (uint32_t i = 0; i < u->n_fetches; i++) {
        struct mutex_fetch *f = &u->fetches[i];
        if (!f->in_use || f->sent)
            continue;
        f->sent = u->host->fetch(u->sm, f, i, now);
        u->retry |= !f->sent;
        u->stats.fetches += f->sent;
        u->stats.spec_fetches += f->sent && f->speculative;
    }
}

/* Is the line present without the fetch? */
static bool is_kept(const struct mutex *m, const struct mutex_fetch *f)
{
    const struct mutex_line *l = mutex_find_line(m, f->access.line);
    return l && !(f->access.sector_mask & ~l->sectors);
}

void mutex_judge_fetches(struct mutex_unit *u, uint32_t mutex, bool good, uint64_t now)
{
    const struct mutex *m = &u->mutexes[mutex];
    for (uint32_t i = 0; i < u->n_fetches; i++) {
        struct mutex_fetch *f = &u->fetches[i];
        if (!f->in_use || f->mutex != mutex || !f->speculative)
            continue;
        f->speculative = false;
        if (is_kept(m, f) || (f->sent && !good)) {
            *(is_kept(m, f) ? &u->stats.spec_unneeded : &u->stats.spec_refetched) += f->sent;
            drop_fetch(u, i);
        } else if (!f->sent) { /* permitted, now that the mutex is held */
            f->around = false;
            f->fresh = !mutex_find_line(m, f->access.line);
        } else {
            u->stats.spec_used++;
            if (f->arrived)
                use_fetch(u, i, now);
        }
    }
}

void mutex_outdate(struct mutex_unit *u, uint32_t mutex, uint64_t line)
{
    struct mutex *m = &u->mutexes[mutex];
    for (uint32_t i = 0; i < u->n_fetches; i++)
        if (u->fetches[i].in_use && !u->fetches[i].dropped && u->fetches[i].access.line == line)
            drop_fetch(u, i);
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next))
        if (mutex_line_of(r) == line)
            r->has_data = false;
}

void mutex_forget_data(struct mutex_unit *u, uint32_t mutex)
{
    struct mutex *m = &u->mutexes[mutex];
    for (uint32_t i = 0; i < u->n_fetches; i++)
        if (u->fetches[i].in_use && u->fetches[i].mutex == mutex && !u->fetches[i].dropped)
            drop_fetch(u, i);
    for (struct mutex_request *r = mutex_request_at(u, m->first); r;
         r = mutex_request_at(u, r->next))
        r->has_data = false;
}
