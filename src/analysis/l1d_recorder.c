/* Observes the L1 data caches of a machine and records what happens. Memory is bounded: one block
 * per SM, written at the first multiple of a fixed period at which it is full. So the file depends
 * neither on the quantum nor on the engine. */
#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_writer.h"
#include "base/arena.h"
#include "gpu/machine.h"

enum { LOOK_CYCLES = 1024 };

/* A load that waits for its data. */
struct unanswered {
    uint64_t line, cycle;
};

/* The state of one SM. */
struct lane {
    struct l1d_recorder *recorder;
    struct l1d_block *block;
    uint64_t now; /* cycle of the latest event, for events without their own */
    /* A load that misses may still be bypassed, and a victim of an allocate-on-fill miss is known
     * only when the data arrive: the next event tells. */
    bool has_pending;
    struct l1d_event pending;
    struct unanswered *misses; /* oldest first; at most one per MSHR */
    uint32_t n_misses, cap_misses;
};

struct l1d_recorder {
    struct machine *machine;
    struct l1d_writer writer;
    struct l1d_block *blocks; /* of all SMs */
    struct lane *lanes;
    uint32_t n_lanes;
    const struct cache_config *l1d;
};

static void put_event(struct lane *l, const struct l1d_event *e)
{
    l1d_block_add(l->block, &l->recorder->writer, e);
}

static void settle(struct lane *l)
{
    const struct l1d_event *e = &l->pending;
    if (!l->has_pending)
        return;
    l->has_pending = false;
    put_event(l, e);
    if (e->kind == L1D_LOAD && e->outcome == L1D_MISS) {
        ARRAY_RESERVE(l->misses, l->cap_misses, l->n_misses + 1);
        l->misses[l->n_misses++] = (struct unanswered){e->line, e->cycle};
    }
}

/* Removes the miss of that line in that cycle if it is a load's. Returns whether it was the oldest
 * one of the line. */
static bool answer_miss(struct lane *l, uint64_t line, uint64_t cycle)
{
    bool is_oldest = true;
    for (uint32_t i = 0; i < l->n_misses; i++) {
        const struct unanswered *m = &l->misses[i];
        if (m->line == line && m->cycle == cycle) {
            l->n_misses--;
            memmove(&l->misses[i], &l->misses[i + 1], (l->n_misses - i) * sizeof *m);
            return is_oldest;
        }
        is_oldest = is_oldest && m->line != line;
    }
    return false;
}

/* May the store allocate its line? */
static bool may_allocate(const struct cache_config *c, const struct mem_access *a)
{
    return c->write_allocate && (!c->write_evict || a->space == MEM_LOCAL);
}

static struct l1d_event access_event(struct lane *l, enum l1d_event_kind kind, uint32_t outcome,
                                     const struct mem_access *a)
{
    const struct cache_config *c = l->recorder->l1d;
    bool is_sectored = c->sector_bytes < c->line_bytes;
    l->now = a->cycle;
    return (struct l1d_event){.kind = kind,
                              .outcome = outcome,
                              .cycle = a->cycle,
                              .line = a->line,
                              .launch = a->launch,
                              .pc = a->pc,
                              .warp_uid = a->warp_uid,
                              .thread = a->first_thread,
                              .address = a->address,
                              .sectors = is_sectored ? a->sector_mask : 0,
                              .is_local = a->space == MEM_LOCAL,
                              .is_whole = kind == L1D_STORE && may_allocate(c, a) &&
                                          mem_covers_sectors(a, a->sector_mask, c->sector_bytes),
                              .is_critical = a->is_critical,
                              .criticality = a->criticality};
}

static void add(struct lane *l, const struct l1d_event *e)
{
    settle(l);
    put_event(l, e);
}

static void add_access(struct lane *l, enum l1d_outcome outcome, const struct mem_access *a)
{
    struct l1d_event e = access_event(l, L1D_LOAD, outcome, a);
    add(l, &e);
}

/* A bypass follows the miss or the store it belongs to, unless the program requested it. */
static void add_bypass(struct lane *l, const struct cache_event_info *e)
{
    if (e->reason == BYPASS_NO_CACHE) {
        struct l1d_event around = access_event(l, L1D_LOAD, L1D_BYPASS, e->access);
        around.goes_around = true;
        add(l, &around);
        return;
    }
    l->pending.outcome = L1D_BYPASS;
    l->pending.had_to_wait = e->reason == BYPASS_STALL;
    settle(l);
}

static void wait_for_more(struct lane *l, enum l1d_event_kind kind, enum l1d_outcome outcome,
                          const struct mem_access *a)
{
    settle(l);
    l->pending = access_event(l, kind, outcome, a);
    l->has_pending = true;
}

static void add_fill(struct lane *l, const struct cache_event_info *e)
{
    l->now = e->cycle;
    if (l->has_pending && l->pending.kind == L1D_EVICT)
        l->pending.cycle = e->cycle;
    settle(l);
    add(l, &(struct l1d_event){.kind = L1D_FILL,
                               .outcome = e->event == CE_FILL ? L1D_KEPT : L1D_NOT_KEPT,
                               .cycle = e->cycle,
                               .line = e->fetched_line,
                               .answers_oldest = answer_miss(l, e->fetched_line, e->asked_cycle),
                               .asked = e->asked_cycle});
}

/* With allocation on fill, a load replaces a line now, not when it missed. */
static void add_eviction(struct lane *l, const struct cache_event_info *e)
{
    bool is_late = l->recorder->l1d->allocate_on_fill && e->cause == EVICT_REPLACE &&
                   e->access->kind != MEM_STORE;
    if (e->access && e->access->cycle > l->now)
        l->now = e->access->cycle;
    settle(l);
    l->pending = (struct l1d_event){
        .kind = L1D_EVICT, .outcome = e->cause, .cycle = l->now, .line = e->line->line};
    l->has_pending = true;
    if (!is_late)
        settle(l);
}

static void on_event(void *user, const struct cache_event_info *e)
{
    struct lane *l = user;
    switch (e->event) {
    case CE_HIT:
        add_access(l, L1D_HIT, e->access);
        break;
    case CE_MERGE:
        add_access(l, L1D_MERGE, e->access);
        break;
    case CE_MISS:
        wait_for_more(l, L1D_LOAD, L1D_MISS, e->access);
        break;
    case CE_STORE:
        wait_for_more(l, L1D_STORE, e->line ? L1D_HIT : L1D_MISS, e->access);
        break;
    case CE_BYPASS:
        add_bypass(l, e);
        break;
    case CE_FILL:
    case CE_DROP:
        add_fill(l, e);
        break;
    case CE_EVICT:
        add_eviction(l, e);
        break;
    case CE_RESIZE:
        add(l, &(struct l1d_event){.kind = L1D_RESIZE, .cycle = l->now, .n_ways = e->n_ways});
        break;
    case CE_RESERVE: /* the fill says whether a miss allocated its line */
        break;
    }
}

static void on_atomic(void *user, const struct mem_access *a)
{
    struct lane *l = user;
    struct l1d_event e = access_event(l, L1D_ATOMIC, L1D_BYPASS, a);
    add(l, &e);
}

/* Nothing is pending any more: no instruction issues in the middle of an access. */
static void on_issue(void *user, uint32_t n_lanes)
{
    struct lane *l = user;
    settle(l);
    l1d_block_add_issue(l->block, n_lanes);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    (void)m, (void)cycle;
    struct l1d_recorder *r = user;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        if (l1d_block_is_full(&r->blocks[i])) {
            settle(&r->lanes[i]);
            l1d_writer_put(&r->writer, &r->blocks[i]);
        }
}

static void watch_sm(struct l1d_recorder *r, uint32_t i)
{
    struct lane *l = &r->lanes[i];
    *l = (struct lane){.recorder = r, .block = &r->blocks[i]};
    l1d_block_init(l->block, &r->writer, i);
    cache_observe(machine_sm(r->machine, i)->l1d, on_event, l);
    sm_watch_l1d(machine_sm(r->machine, i), (struct sm_l1d_watcher){on_atomic, on_issue, l});
}

/* All parameters of the policy, including those at their defaults, because defaults may change. */
static struct l1d_params params_of(const struct machine_config *c, struct arena *arena)
{
    const struct cache_policy_desc *p = c->l1d_policy;
    const void *values = plugin_values(&p->plugin, c->l1d_params, arena);
    const char **items = ARENA_ARRAY(arena, const char *, p->n_params + 1);
    struct strbuf value = {0};
    for (uint32_t i = 0; i < p->n_params; i++) {
        strbuf_clear(&value);
        param_print(&p->params[i], values, &value);
        items[i] = arena_printf(arena, "%s=%s", p->params[i].name, strbuf_text(&value));
    }
    strbuf_destroy(&value);
    return (struct l1d_params){.are_told = true, .items = items, .n = p->n_params};
}

static struct l1d_header header_of(const struct machine_config *c, bool has_criticality,
                                   struct arena *arena)
{
    return (struct l1d_header){.n_sms = c->gpu->n_sms,
                               .l1d = c->sm.l1d,
                               .gpu = c->gpu->name,
                               .scheduler = c->scheduler->name,
                               .policy = c->l1d_policy->name,
                               .criticality = has_criticality ? c->criticality->name : "",
                               .params = params_of(c, arena)};
}

struct l1d_recorder *l1d_recorder_create(struct machine *m, bool has_criticality, struct sink sink)
{
    struct l1d_recorder *r = xcalloc(1, sizeof *r);
    struct arena arena = {0};
    struct l1d_header header = header_of(m->config, has_criticality, &arena);
    r->machine = m;
    r->l1d = &m->config->sm.l1d;
    r->n_lanes = header.n_sms;
    r->lanes = xcalloc(r->n_lanes, sizeof *r->lanes);
    r->blocks = xcalloc(r->n_lanes, sizeof *r->blocks);
    l1d_writer_begin(&r->writer, &header, sink);
    arena_destroy(&arena);
    for (uint32_t i = 0; i < r->n_lanes; i++)
        watch_sm(r, i);
    machine_watch(m,
                  (struct machine_watcher){.period_cycles = LOOK_CYCLES, .look = look, .user = r});
    return r;
}

bool l1d_recorder_finish(struct l1d_recorder *r)
{
    for (uint32_t i = 0; i < r->n_lanes; i++)
        settle(&r->lanes[i]);
    return l1d_writer_end(&r->writer, r->blocks, r->n_lanes);
}

void l1d_recorder_destroy(struct l1d_recorder *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        l1d_block_destroy(&r->blocks[i]);
        free(r->lanes[i].misses);
    }
    l1d_writer_destroy(&r->writer);
    free(r->blocks);
    free(r->lanes);
    free(r);
}
