#include "slice/llc.h"

#include <stdlib.h>

#include "slice/slice_parts.h"

/* --- the application of an access --- */

void llc_note_sender(const struct slice *p, struct mem_request *r)
{
    const struct llc_setup *s = p->config->llc;
    uint32_t sm = r->sm - s->first_sm;
    if (sm >= s->n_sms)
        return;
    r->access.app = s->gpu_app;
    r->access.role = sm == s->samplers[0]   ? MEM_ROLE_SAMPLE_LRU
                     : sm == s->samplers[1] ? MEM_ROLE_SAMPLE_MRU
                                            : MEM_ROLE_NONE;
}

/* --- the lines of each application --- */

struct llc_bank {
    struct slice *slice;
    uint8_t *owners;
    uint32_t n_ways;
};

static void count_access(struct slice_llc *l, const struct mem_access *a, bool is_miss)
{
    if (mem_is_write_back(a))
        return;
    l->apps[a->app].accesses++;
    l->apps[a->app].misses += is_miss;
}

static void note_event(void *user, const struct cache_event_info *e)
{
    const struct llc_bank *b = user;
    struct slice_llc *l = b->slice->llc;
    uint8_t *owner = e->way == ~0u ? NULL : &b->owners[e->set * b->n_ways + e->way];
    switch (e->event) {
    case CE_HIT:
    case CE_MERGE:
        count_access(l, e->access, false);
        break;
    case CE_MISS:
        count_access(l, e->access, true);
        break;
    case CE_STORE:
        count_access(l, e->access, !owner);
        break;
    case CE_RESERVE:
        *owner = (uint8_t)e->access->app;
        l->apps[*owner].lines++;
        break;
    default: /* CE_EVICT */
        l->apps[*owner].lines--;
        break;
    }
}

static void watch_bank(struct slice *p, uint32_t bank)
{
    const struct cache_config *c = &p->config->l2;
    struct llc_bank *b = xcalloc(1, sizeof *b + c->n_sets * c->n_ways);
    *b = (struct llc_bank){p, (uint8_t *)(b + 1), c->n_ways};
    p->llc->banks[bank] = b;
    cache_observe_some(p->banks[bank].cache,
                       1u << CE_HIT | 1u << CE_MERGE | 1u << CE_MISS | 1u << CE_STORE |
                           1u << CE_RESERVE | 1u << CE_EVICT,
                       note_event, b);
}

void llc_create(struct slice *p)
{
    const struct slice_config *c = p->config;
    p->llc = xcalloc(1, sizeof *p->llc);
    p->llc->banks = xcalloc(c->memory.banks, sizeof *p->llc->banks);
    p->llc->report_at = c->llc->period ? c->llc->period : TIME_NEVER;
    p->llc->apply_at = TIME_NEVER;
    p->shard.next = p->llc->report_at;
    for (uint32_t b = 0; b < c->memory.banks; b++)
        watch_bank(p, b);
}

void llc_destroy(struct slice *p)
{
    for (uint32_t b = 0; p->llc && b < p->config->memory.banks; b++)
        free(p->llc->banks[b]);
    if (p->llc)
        free(p->llc->banks);
    free(p->llc);
}

/* --- periods --- */

static void report(struct slice *p)
{
    const struct llc_setup *s = p->config->llc;
    struct slice_llc *l = p->llc;
    l->report = (struct shared_report){
        .n_apps = s->n_apps, .n_ways = p->config->l2.n_ways, .gpu_app = s->gpu_app};
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_report(p->banks[b].cache, &l->report);
    const struct engine *e = p->shard.engine;
    sim_time latency = p->shard.links[e->group_of[s->controller]].latency;
    shard_send(&p->shard, l->report_at,
               (struct message){.at = l->report_at + latency,
                                .to = s->controller,
                                .kind = MSG_LLC_REPORT,
                                .body = &l->report});
    l->report_at += s->period;
}

/* Takes a decision out of the inbox, where slice_advance() expects only requests. */
static void take_decision(struct slice *p, sim_time until)
{
    const struct message *m = shard_peek(&p->shard, until);
    for (; m && m->at < until; m++)
        if (m->kind == MSG_LLC_DECISION) {
            assert(p->llc->apply_at == TIME_NEVER);
            p->llc->apply_at = l2_time(p, divider_div_up_multiple(&p->l2_period, m->at));
            p->llc->decision = m->body;
            shard_take_single(&p->shard, m);
            return;
        }
}

static void apply(struct slice *p)
{
    struct slice_llc *l = p->llc;
    l->n_applied++;
    slice_apply(p, l->decision, sizeof *l->decision, l->apply_at);
    l->apply_at = TIME_NEVER;
}

void llc_advance(struct shard *s, sim_time until)
{
    struct slice *p = (struct slice *)s;
    struct slice_llc *l = p->llc;
    take_decision(p, until);
    for (sim_time t; (t = min_u64(l->report_at, l->apply_at)) < until;) {
        slice_advance(s, t);
        if (l->apply_at == t)
            apply(p);
        else
            report(p);
    }
    slice_advance(s, until);
    s->next = min_u64(s->next, min_u64(l->report_at, l->apply_at));
}
