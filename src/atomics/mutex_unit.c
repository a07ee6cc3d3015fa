/* The SM's side of mutexes: mutex_unit.h says what it does and when. */
#include "atomics/mutex_unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "atomics/atomic_part.h"
#include "base/arena.h"

/* --- messages --- */

uintptr_t mutex_text_pack(struct mutex_text t)
{
    return (uintptr_t)t.kind | (uintptr_t)t.mature << 3 | (uintptr_t)t.unchanged << 4 |
           (uintptr_t)t.mutex << 8 | (uintptr_t)t.holder << 32;
}

struct mutex_text mutex_text_unpack(uintptr_t word)
{
    return (struct mutex_text){.kind = (enum mutex_message)(word & 7),
                               .mature = word >> 3 & 1,
                               .unchanged = word >> 4 & 1,
                               .mutex = (uint32_t)(word >> 8 & 0xffffff),
                               .holder = (uint32_t)(word >> 32)};
}

void mutex_unit_send(struct mutex_unit *u, uint32_t to, uint32_t hops, struct mutex_text t,
                     uint64_t now)
{
    uint64_t at = now + (uint64_t)hops * u->params->hop_cycles;
    u->host->send(u->sm, to, at, mutex_text_pack(t), now);
}

/* --- lists --- */

static void wake(struct mutex_unit *u, uint64_t cycle)
{
    if (cycle < u->due)
        u->due = cycle;
}

static uint32_t mutex_of(const struct mutex_unit *u, uint64_t line)
{
    return (uint32_t)(line / u->line_bytes % u->params->mutexes);
}

static struct mutex_request *request_at(struct mutex_unit *u, uint32_t number)
{
    return number ? &u->requests[number - 1] : NULL;
}

static uint64_t line_of(const struct mutex_request *r)
{
    return r->request->access.line;
}

static uint32_t sectors_of(const struct mutex_request *r)
{
    return r->request->access.sector_mask;
}

static struct mutex_line *find_line(const struct mutex *m, uint64_t line)
{
    struct mutex_line *l = m->lines;
    while (l && l->line != line)
        l = l->next;
    return l;
}

static struct mutex_line *add_line(struct mutex_unit *u, struct mutex *m, uint64_t line)
{
    struct mutex_line *l = find_line(m, line);
    if (l)
        return l;
    l = u->free_lines;
    if (l)
        u->free_lines = l->next;
    else
        l = xcalloc(1, sizeof *l);
    *l = (struct mutex_line){.line = line, .next = m->lines};
    m->lines = l;
    return l;
}

static bool is_changed(const struct mutex_line *l)
{
    return l->changed[0] | l->changed[1];
}

/* Forgets the lines of which the unit has nothing. */
static void tidy_lines(struct mutex_unit *u, struct mutex *m)
{
    for (struct mutex_line **at = &m->lines, *l; (l = *at);)
        if (l->sectors || is_changed(l)) {
            at = &l->next;
        } else {
            *at = l->next;
            l->next = u->free_lines;
            u->free_lines = l;
        }
}

static void activate(struct mutex_unit *u, uint32_t mutex)
{
    const struct mutex *m = &u->mutexes[mutex];
    if (m->phase == MUTEX_IDLE && m->n == 1)
        u->active[u->n_active++] = mutex;
}

/* Drops those that are idle and wanted by nobody; the others keep their order. */
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

/* May another request be performed before the release? */
static bool wants_more(const struct mutex_unit *u, const struct mutex *m)
{
    return m->n && m->n_performed < u->params->hold_max;
}

/* --- data --- */

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

/* The data of a fetch are not wanted any more; those who waited for it ask again. */
static void drop_fetch(struct mutex_unit *u, uint32_t number)
{
    struct mutex_fetch *f = &u->fetches[number];
    struct mutex *m = &u->mutexes[f->mutex];
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next))
        if (r->fetch == number + 1)
            r->fetch = 0;
    f->dropped = true;
    f->in_use = f->sent && !f->arrived;
}

/* What a fetch has brought is good: for those who wait, and for later ones if L1D has it. */
static void use_fetch(struct mutex_unit *u, uint32_t number, uint64_t now)
{
    struct mutex_fetch *f = &u->fetches[number];
    struct mutex *m = &u->mutexes[f->mutex];
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next))
        if (r->fetch == number + 1) {
            r->fetch = 0;
            r->has_data = true;
            r->retained = false;
            r->n_writes = f->n_writes;
            r->ready_at = now;
        }
    uint32_t there = f->kept ? u->host->sectors(u->sm, f->access.line) & f->access.sector_mask : 0;
    if (there) {
        struct mutex_line *l = add_line(u, m, f->access.line);
        l->sectors |= there;
        l->in_l1d = true;
        l->n_writes = f->n_writes;
        l->since = now * u->period;
        l->hold = m->hold;
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
    wake(u, now);
}

/* Under the mutex: has the unit what the request needs? */
static bool take_kept(struct mutex_unit *u, struct mutex *m, struct mutex_request *r, uint64_t now)
{
    const struct mutex_line *l = find_line(m, line_of(r));
    if (m->phase != MUTEX_HELD || !l || sectors_of(r) & ~l->sectors)
        return false;
    r->has_data = true;
    r->retained = l->hold != m->hold;
    r->n_writes = l->n_writes;
    r->ready_at = now;
    (void)u;
    return true;
}

/* A fetch of the same line that brings all that the request needs. */
static uint32_t find_fetch(const struct mutex_unit *u, const struct mutex_request *r)
{
    for (uint32_t i = 0; i < u->n_fetches; i++) {
        const struct mutex_fetch *f = &u->fetches[i];
        if (f->in_use && !f->dropped && f->access.line == line_of(r) &&
            !(sectors_of(r) & ~f->access.sector_mask))
            return i + 1;
    }
    return 0;
}

/* All that requests of the line still lack, at once. */
static void collect_sectors(struct mutex_unit *u, const struct mutex *m, struct mem_access *a)
{
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next))
        if (!r->has_data && !r->fetch && line_of(r) == a->line) {
            a->sector_mask |= sectors_of(r);
            a->segments |= r->request->access.segments;
        }
}

static void begin_fetch(struct mutex_unit *u, uint32_t mutex, struct mutex_request *r)
{
    const struct mutex *m = &u->mutexes[mutex];
    const struct mutex_line *l = find_line(m, line_of(r));
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

/* May data be asked for before the mutex is held? */
static bool may_speculate(const struct mutex_unit *u, const struct mutex *m,
                          const struct mutex_request *r)
{
    const struct mutex_line *l = find_line(m, line_of(r));
    bool kept = l && !(sectors_of(r) & ~l->sectors);
    return u->params->spec_fetch && m->phase == MUTEX_WAITING && !(kept && m->was_unchanged);
}

static void want_data(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next)) {
        bool asks = m->phase == MUTEX_HELD ? wants_more(u, m) : may_speculate(u, m, r);
        if (r->has_data || r->fetch || !asks || take_kept(u, m, r, now))
            continue;
        r->fetch = find_fetch(u, r);
        if (!r->fetch)
            begin_fetch(u, mutex, r);
    }
}

static void send_fetches(struct mutex_unit *u, uint64_t now)
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

/* --- having a mutex --- */

/* Lines that others may have changed since. */
static void forget_lines(struct mutex_unit *u, struct mutex *m)
{
    for (struct mutex_line *l = m->lines; l; l = l->next) {
        assert(!is_changed(l));
        l->sectors = 0;
        if (l->in_l1d)
            u->host->drop(u->sm, l->line);
    }
    tidy_lines(u, m);
}

/* Is the line there without the fetch? */
static bool is_kept(const struct mutex *m, const struct mutex_fetch *f)
{
    const struct mutex_line *l = find_line(m, f->access.line);
    return l && !(f->access.sector_mask & ~l->sectors);
}

/* What was asked for speculatively is good, or not. */
static void judge_fetches(struct mutex_unit *u, uint32_t mutex, bool good, uint64_t now)
{
    const struct mutex *m = &u->mutexes[mutex];
    for (uint32_t i = 0; i < u->n_fetches; i++) {
        struct mutex_fetch *f = &u->fetches[i];
        if (!f->in_use || f->mutex != mutex || !f->speculative)
            continue;
        f->speculative = false;
        if (is_kept(m, f) || (f->sent && !good)) {
            u->stats.spec_refetched += !is_kept(m, f);
            drop_fetch(u, i);
        } else if (!f->sent) { /* it is, now that the mutex is held */
            f->around = false;
            f->fresh = !find_line(m, f->access.line);
        } else {
            u->stats.spec_used++;
            if (f->arrived)
                use_fetch(u, i, now);
        }
    }
}

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
        forget_lines(u, m);
    judge_fetches(u, mutex, mature && !stale, now);
    wake(u, now);
}

static void ask(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    m->phase = MUTEX_WAITING;
    m->asked_at = now;
    u->ops->ask(u, mutex, now);
}

/* --- giving it back --- */

/* The line's changes go to L2. Whoever has data of it that are older takes the new ones. */
static bool write_line(struct mutex_unit *u, uint32_t mutex, struct mutex_line *l, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    if (!u->host->write(u->sm, l, mutex, now)) {
        u->retry = true;
        return false;
    }
    l->n_writes = ++ledger_get(&u->ledger->of[mutex], l->line)->n_writes;
    l->changed[0] = l->changed[1] = 0;
    if (!l->in_l1d)
        l->sectors = 0;
    m->n_acks++;
    u->stats.writes++;
    for (uint32_t i = 0; i < u->n_fetches; i++)
        if (u->fetches[i].in_use && !u->fetches[i].dropped && u->fetches[i].access.line == l->line)
            drop_fetch(u, i);
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next))
        if (line_of(r) == l->line)
            r->has_data = false;
    return true;
}

static void write_lines(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    for (struct mutex_line *l = m->lines; l; l = l->next)
        if (is_changed(l) && !write_line(u, mutex, l, now))
            return;
}

static bool is_written(const struct mutex *m)
{
    for (const struct mutex_line *l = m->lines; l; l = l->next)
        if (is_changed(l))
            return false;
    return m->n_acks == 0;
}

void mutex_unit_acknowledge(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    assert(u->mutexes[mutex].n_acks);
    u->mutexes[mutex].n_acks--;
    wake(u, now);
}

/* Data that wait for requests that come too late are of no use when the mutex is somebody else's.
 */
static void forget_data(struct mutex_unit *u, uint32_t mutex)
{
    struct mutex *m = &u->mutexes[mutex];
    for (uint32_t i = 0; i < u->n_fetches; i++)
        if (u->fetches[i].in_use && u->fetches[i].mutex == mutex && !u->fetches[i].dropped)
            drop_fetch(u, i);
    for (struct mutex_request *r = request_at(u, m->first); r; r = request_at(u, r->next))
        r->has_data = false;
}

static void release(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    m->phase = MUTEX_IDLE;
    u->stats.held_cycles += now - m->held_at;
    forget_data(u, mutex);
    tidy_lines(u, m);
    u->ops->release(u, mutex, now);
}

static void drain(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    if (m->phase != MUTEX_HELD || wants_more(u, m) || now < m->drain_at)
        return;
    write_lines(u, mutex, now);
    if (is_written(m) && now >= m->visible_at)
        release(u, mutex, now);
}

/* --- performing --- */

/* The first request of each mutex that is held may be next: the one that has been ready longest, of
 * several the one that came first. Returns the mutex. */
static uint32_t find_ready(struct mutex_unit *u)
{
    uint32_t best = u->params->mutexes;
    const struct mutex_request *first = NULL;
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        const struct mutex_request *r = request_at(u, m->first);
        if (m->phase != MUTEX_HELD || !wants_more(u, m) || !r->has_data)
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
    const struct ledger_line *known = ledger_find(&u->ledger->of[mutex], line_of(r));
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

/* What the request has changed is in the unit until it is written, in L1D or not. */
static void note_change(struct mutex_unit *u, uint32_t mutex, const struct mutex_request *r,
                        const uint64_t changed[2])
{
    struct mutex *m = &u->mutexes[mutex];
    if (!(changed[0] | changed[1]))
        return;
    struct mutex_line *l = add_line(u, m, line_of(r));
    if (!l->sectors) {
        l->hold = m->hold;
        l->n_writes = r->n_writes;
    }
    l->sectors |= sectors_of(r);
    l->changed[0] |= changed[0];
    l->changed[1] |= changed[1];
    l->access = r->request->access;
    ledger_get(&u->ledger->of[mutex], l->line); /* stores to it are watched from now on */
}

static void perform(struct mutex_unit *u, uint64_t now)
{
    uint32_t mutex = u->busy_until <= now ? find_ready(u) : u->params->mutexes;
    if (mutex == u->params->mutexes)
        return;
    struct mutex *m = &u->mutexes[mutex];
    uint32_t number = m->first;
    struct mutex_request *r = request_at(u, number);
    uint32_t lanes = (uint32_t)__builtin_popcount(r->request->access.active_mask);
    uint32_t busy = (lanes + u->per_cycle - 1) / u->per_cycle;
    uint64_t changed[2] = {0, 0};
    judge_data(u, mutex, r, find_line(m, line_of(r)));
    u->host->perform(u->sm, r->request, busy, now, changed);
    note_change(u, mutex, r, changed);
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
        if (m->phase == MUTEX_HELD && !wants_more(u, m) && now >= m->drain_at)
            write_lines(u, u->active[i], now);
    }
    send_fetches(u, now);
}

void mutex_unit_enter(struct mutex_unit *u, struct mem_request *request, uint64_t now)
{
    uint32_t number = u->free_requests[--u->n_free] + 1, mutex = mutex_of(u, request->access.line);
    struct mutex *m = &u->mutexes[mutex];
    *request_at(u, number) =
        (struct mutex_request){.request = request, .number = u->n_entered++, .ready_at = now};
    if (m->n++)
        request_at(u, m->last)->next = number;
    else
        m->first = number;
    m->last = number;
    activate(u, mutex);
    wake(u, now);
}

void mutex_unit_hear(struct mutex_unit *u, uint32_t from, uintptr_t text, uint64_t now)
{
    struct mutex_text t = mutex_text_unpack(text);
    if (t.kind == MUTEX_GRANT)
        mutex_unit_granted(u, t.mutex, t.mature, t.unchanged, now);
    else
        u->ops->hear(u, from, t, now);
    wake(u, now);
}

/* When a mutex that is held next wants something, no message, data or acknowledgement coming. */
static uint64_t next_of(const struct mutex_unit *u, const struct mutex *m, uint64_t now)
{
    if (m->phase != MUTEX_HELD)
        return CYCLE_NONE;
    if (wants_more(u, m)) {
        const struct mutex_request *r = &u->requests[m->first - 1];
        return !r->has_data ? CYCLE_NONE : u->busy_until > now ? u->busy_until : now + 1;
    }
    if (m->drain_at > now)
        return m->drain_at;
    return is_written(m) && m->visible_at > now ? m->visible_at : CYCLE_NONE;
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
        want_data(u, u->active[i], now);
    send_fetches(u, now);
    perform(u, now);
    tidy_active(u);
    plan(u, now);
}

/* --- L1D and stores --- */

/* What has changed stays with the unit until it is written. */
void mutex_unit_lose(struct mutex_unit *u, uint64_t line)
{
    struct mutex *m = &u->mutexes[mutex_of(u, line)];
    struct mutex_line *l = find_line(m, line);
    if (!l)
        return;
    l->in_l1d = false;
    if (!is_changed(l))
        l->sectors = 0;
    u->lost = true; /* a request that waits may ask for it now */
    u->due = 0;
}

bool mutex_unit_store(struct mutex_unit *u, uint64_t line, uint64_t now)
{
    uint32_t mutex = mutex_of(u, line);
    struct mutex_line *l = find_line(&u->mutexes[mutex], line);
    if (!l)
        return true;
    if (is_changed(l) && !write_line(u, mutex, l, now))
        return false;
    l->in_l1d = false;
    l->sectors = 0;
    wake(u, now);
    return true;
}

/* --- life --- */

bool mutex_unit_is_idle(const struct mutex_unit *u)
{
    return !u->n_active && u->ops->is_idle(u);
}

void mutex_unit_describe(const struct mutex_unit *u, struct strbuf *out)
{
    static const char *const words[] = {"to be asked for", "asked for", "held"};
    for (uint32_t i = 0; i < u->n_active; i++) {
        const struct mutex *m = &u->mutexes[u->active[i]];
        strbuf_addf(out, "atomics: mutex %u is %s, requests: %u, performed: %u, writes: %u\n",
                    u->active[i], words[m->phase], m->n, m->n_performed, m->n_acks);
    }
}

struct mutex_unit *mutex_unit_create(const struct mutex_setup *s)
{
    struct mutex_unit *u = xcalloc(1, sizeof *u);
    *u =
        (struct mutex_unit){.params = s->params,
                            .ops = s->net,
                            .host = s->host,
                            .sm = s->sm,
                            .index = s->index,
                            .line_bytes = s->line_bytes,
                            .per_cycle = s->params->per_cycle ? s->params->per_cycle : s->per_cycle,
                            .grid = mutex_grid_make(s->n_sms, s->params->rows),
                            .period = s->period,
                            .visibility = s->visibility,
                            .ledger = s->ledger,
                            .due = CYCLE_NONE,
                            .n_free = s->params->queue};
    u->mutexes = xcalloc(s->params->mutexes, sizeof *u->mutexes);
    u->active = xcalloc(s->params->mutexes, sizeof *u->active);
    u->requests = xcalloc(s->params->queue, sizeof *u->requests);
    u->free_requests = xcalloc(s->params->queue, sizeof *u->free_requests);
    for (uint32_t i = 0; i < s->params->queue; i++)
        u->free_requests[i] = s->params->queue - 1 - i;
    u->net = xcalloc(1, s->net->state_bytes(u));
    s->net->create(u);
    return u;
}

static void free_list(struct mutex_line *l)
{
    for (struct mutex_line *next; l; l = next) {
        next = l->next;
        free(l);
    }
}

void mutex_unit_destroy(struct mutex_unit *u)
{
    if (!u)
        return;
    u->ops->destroy(u);
    for (uint32_t i = 0; i < u->params->mutexes; i++)
        free_list(u->mutexes[i].lines);
    free_list(u->free_lines);
    free(u->net);
    free(u->mutexes);
    free(u->active);
    free(u->requests);
    free(u->free_requests);
    free(u->fetches);
    free(u);
}
