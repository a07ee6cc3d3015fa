/* The fill of a line that a store or an atomic has passed meanwhile is not recorded, for it is not
 * kept: its MSHR is given back at once, as nobody can find it any more. */
#include "analysis/lab_timed.h"

#include <stdlib.h>

#include "analysis/lab_map.h"

/* As many as anyone could have recorded with; that there was one is recorded. */
enum { N_MSHRS = 4096, N_MERGES = 64 };
#define NO_FETCH UINT64_MAX

const char *const l1d_outcome_names[N_L1D_OUTCOMES] = {"hit", "merge", "miss", "bypass"};

struct timed_sm {
    struct cache *cache;
    struct lab_map fetches; /* of lines on their way: the MSHR */
};

struct timed {
    struct timed_sm *sms;
    const struct cache_config *config;
    const struct cache_policy_desc *policy;
    const void *params;
    struct lab_timed *out;
};

static struct timed_sm *sm_of(struct timed *t, uint32_t sm)
{
    if (!t->sms[sm].cache)
        t->sms[sm].cache = cache_create(t->config, t->policy, t->params, 0, sm + 1);
    return &t->sms[sm];
}

static struct mem_access access_of(const struct l1d_event *e, const struct cache *c)
{
    return (struct mem_access){.cycle = e->cycle,
                               .launch = e->launch,
                               .warp_uid = e->warp_uid,
                               .first_thread = e->thread,
                               .pc = e->pc,
                               .address = e->address,
                               .line = e->line,
                               .set = cache_set_of(c, e->line),
                               .sector_mask = 1,
                               .kind = e->kind == L1D_STORE ? MEM_STORE : MEM_LOAD,
                               .space = MEM_GLOBAL,
                               .source = e->sm,
                               .is_critical = e->is_critical,
                               .criticality = e->criticality};
}

static void data_come(struct timed_sm *sm, const struct l1d_event *e)
{
    uint64_t *mshr = lab_map_at(&sm->fetches, e->line, NO_FETCH);
    if (*mshr == NO_FETCH)
        return; /* of a miss that was none here, which has been counted as different */
    cache_fill(sm->cache, (uint32_t)*mshr, e->cycle);
    *mshr = NO_FETCH;
}

static void compare(struct timed *t, const struct l1d_event *e, enum cache_answer answer)
{
    static const uint32_t outcomes[] = {[CACHE_HIT] = L1D_HIT,
                                        [CACHE_MERGE] = L1D_MERGE,
                                        [CACHE_MISS] = L1D_MISS,
                                        [CACHE_BYPASSED] = L1D_BYPASS,
                                        [CACHE_STALLED] = N_L1D_OUTCOMES};
    uint32_t outcome = outcomes[answer];
    if (outcome == e->outcome || t->out->n_different++)
        return;
    t->out->first_different = t->out->n_accesses;
    t->out->first_event = *e;
    t->out->first_outcome = outcome < N_L1D_OUTCOMES ? l1d_outcome_names[outcome] : "stall";
}

static void replay_load(struct timed *t, struct timed_sm *sm, const struct l1d_event *e)
{
    static const struct cache_room plenty = {true, true, true};
    struct mem_access a = access_of(e, sm->cache);
    t->out->recorded[e->outcome]++;
    struct cache_result got = cache_load(sm->cache, &a, plenty, NULL);
    if (got.answer == CACHE_MISS)
        *lab_map_at(&sm->fetches, e->line, NO_FETCH) = got.mshr;
    compare(t, e, got.answer);
}

static void replay_store(struct timed *t, struct timed_sm *sm, const struct l1d_event *e)
{
    static const struct cache_room plenty = {true, true, true};
    struct mem_access a = access_of(e, sm->cache);
    compare(t, e, cache_store(sm->cache, &a, plenty, NULL).answer);
}

static void no_writeback(void *user, uint64_t line, uint32_t sectors)
{
    (void)user, (void)line, (void)sectors;
}

static void replay_event(struct timed *t, const struct l1d_event *e)
{
    struct timed_sm *sm = sm_of(t, e->sm);
    if (e->kind == L1D_LOAD)
        replay_load(t, sm, e);
    else if (e->kind == L1D_STORE)
        replay_store(t, sm, e);
    else if (e->kind == L1D_ATOMIC)
        cache_invalidate_line(sm->cache, e->line);
    else if (e->kind == L1D_FILL)
        data_come(sm, e);
    else if (e->kind == L1D_FLUSH && !cache_mshrs_in_use(sm->cache))
        cache_flush(sm->cache, no_writeback, NULL);
    if (e->kind == L1D_ATOMIC || (e->kind == L1D_STORE && t->config->write_evict))
        data_come(sm, e);
    t->out->n_accesses += e->kind == L1D_LOAD || e->kind == L1D_STORE || e->kind == L1D_ATOMIC;
}

static void finish(struct timed *t, uint32_t n_sms)
{
    for (uint32_t i = 0; i < n_sms; i++) {
        if (t->sms[i].cache)
            cache_stats_add(&t->out->stats, cache_stats(t->sms[i].cache));
        cache_destroy(t->sms[i].cache);
        lab_map_destroy(&t->sms[i].fetches);
    }
    free(t->sms);
}

static bool config_of(const struct l1d_header *h, const struct cache_config *l1d,
                      const struct cache_policy_desc *policy, const void *params,
                      struct cache_config *out, struct strbuf *why)
{
    *out = *l1d;
    out->n_sets = h->n_sets;
    out->n_ways = h->n_ways;
    out->line_bytes = h->line_bytes;
    out->n_mshrs = N_MSHRS;
    out->mshr_merges = N_MERGES;
    if (l1d->sector_bytes < l1d->line_bytes || l1d->allocate_on_fill) {
        strbuf_add(
            why, "the recorded L1D has sectors or allocates on fills, and recordings tell neither "
                 "which sectors were asked for nor which answers found no place");
        return false;
    }
    out->sector_bytes = h->line_bytes;
    return cache_config_check(out, policy, params, why);
}

bool lab_timed_replay(const char *path, const struct cache_config *l1d,
                      const struct cache_policy_desc *policy, const void *params,
                      struct lab_timed *out, struct strbuf *why)
{
    *out = (struct lab_timed){0};
    struct l1d_reader *r = l1d_reader_open(path, why);
    struct cache_config config;
    if (!r || !config_of(l1d_reader_header(r), l1d, policy, params, &config, why)) {
        l1d_reader_close(r);
        return false;
    }
    uint32_t n_sms = l1d_reader_header(r)->n_sms;
    struct timed t = {.sms = xcalloc(n_sms, sizeof *t.sms),
                      .config = &config,
                      .policy = policy,
                      .params = params,
                      .out = out};
    struct l1d_event e;
    enum l1d_read got;
    while ((got = l1d_reader_next(r, &e, why)) == L1D_READ_EVENT)
        replay_event(&t, &e);
    finish(&t, n_sms);
    l1d_reader_close(r);
    return got == L1D_READ_END;
}
