/* A fill answers the oldest waiting load of its line, or the miss in the cycle that it names: an SM
 * accepts one access per cycle. After a difference there are misses here that did not happen in the
 * run, so no fill will come for them. They get their data at once, so that one difference does not
 * cause all later ones. */
#include "analysis/lab_timed.h"

#include <stdlib.h>
#include <string.h>

const char *const l1d_outcome_names[N_L1D_OUTCOMES] = {"hit", "merge", "miss", "bypass"};

/* A line in flight, or some of its sectors. */
struct fetch {
    uint64_t line, cycle;
    uint32_t mshr;
    bool is_load;
};

struct timed_sm {
    struct cache *cache;
    struct fetch *fetches; /* oldest first */
    uint32_t n_fetches, cap_fetches;
    bool store_found_line; /* of the last store */
};

struct timed {
    struct timed_sm *sms;
    struct cache_config config;
    const struct cache_policy_desc *policy;
    const void *params;
    struct lab_timed *out;
};

static const struct cache_resources plenty = {true, true, true};

/* The cache tells only its observers about what a recorder calls a store hit. */
static void note_store(void *user, const struct cache_event_info *e)
{
    struct timed_sm *sm = user;
    if (e->event == CE_STORE)
        sm->store_found_line = e->line;
}

static struct timed_sm *sm_of(struct timed *t, uint32_t index)
{
    struct timed_sm *sm = &t->sms[index];
    if (!sm->cache) {
        sm->cache = cache_create(&t->config, t->policy, t->params, 0, index + 1);
        cache_observe(sm->cache, note_store, sm);
    }
    return sm;
}

static struct mem_access access_of(const struct l1d_event *e, const struct timed *t,
                                   const struct cache *c)
{
    bool is_sectored = t->config.sector_bytes < t->config.line_bytes;
    uint32_t sectors = is_sectored ? e->sectors : 1;
    struct mem_access a = {.cycle = e->cycle,
                           .launch = e->launch,
                           .warp_uid = e->warp_uid,
                           .first_thread = e->thread,
                           .pc = e->pc,
                           .address = e->address,
                           .line = e->line,
                           .set = cache_set_of(c, e->line),
                           .sector_mask = sectors,
                           .kind = e->kind == L1D_STORE ? MEM_STORE : MEM_LOAD,
                           .space = e->is_local ? MEM_LOCAL : MEM_GLOBAL,
                           .source = e->sm,
                           .is_critical = e->is_critical,
                           .criticality = e->criticality};
    if (e->is_whole)
        mem_bytes_of_segments(cache_segments_of(&t->config, sectors), a.byte_mask);
    return a;
}

static void data_come(struct timed_sm *sm, const struct l1d_event *e)
{
    for (uint32_t i = 0; i < sm->n_fetches; i++) {
        struct fetch f = sm->fetches[i];
        if (f.line != e->line || (e->answers_oldest ? !f.is_load : f.cycle != e->asked))
            continue;
        sm->n_fetches--;
        memmove(&sm->fetches[i], &sm->fetches[i + 1], (sm->n_fetches - i) * sizeof f);
        cache_fill(sm->cache, f.mshr, e->cycle);
        return;
    }
}

static void begin_fetch(struct timed_sm *sm, const struct l1d_event *e, uint32_t mshr)
{
    ARRAY_RESERVE(sm->fetches, sm->cap_fetches, sm->n_fetches + 1);
    sm->fetches[sm->n_fetches++] = (struct fetch){e->line, e->cycle, mshr, e->kind == L1D_LOAD};
}

static void compare(struct timed *t, const struct l1d_event *e, uint32_t outcome)
{
    if (outcome == e->outcome || t->out->n_different++)
        return;
    t->out->first_different = t->out->n_accesses;
    t->out->first_event = *e;
    t->out->first_outcome = outcome < N_L1D_OUTCOMES ? l1d_outcome_names[outcome] : "stall";
}

static void replay_load(struct timed *t, struct timed_sm *sm, const struct l1d_event *e)
{
    static const uint32_t outcomes[] = {[CACHE_HIT] = L1D_HIT,
                                        [CACHE_MERGE] = L1D_MERGE,
                                        [CACHE_MISS] = L1D_MISS,
                                        [CACHE_BYPASSED] = L1D_BYPASS,
                                        [CACHE_STALLED] = N_L1D_OUTCOMES};
    struct mem_access a = access_of(e, t, sm->cache);
    /* MSHRs and lines may run out here as in the run. There are no queues: the recording says if
     * the run lacked one. */
    struct cache_resources room = {
        .miss_queue = !e->had_to_wait, .port = true, .bypass_table = true};
    t->out->recorded[e->outcome]++;
    struct cache_result got = e->goes_around ? cache_load_bypassing(sm->cache, &a, plenty)
                                             : cache_load(sm->cache, &a, room, NULL);
    if (got.answer == CACHE_MISS && e->outcome == L1D_MISS)
        begin_fetch(sm, e, got.mshr);
    else if (got.answer == CACHE_MISS)
        cache_fill(sm->cache, got.mshr, e->cycle);
    compare(t, e, outcomes[got.answer]);
}

static void replay_store(struct timed *t, struct timed_sm *sm, const struct l1d_event *e)
{
    struct mem_access a = access_of(e, t, sm->cache);
    struct cache_result got = cache_store(sm->cache, &a, plenty, NULL);
    if (got.answer == CACHE_MISS && got.mshr != CACHE_NO_MSHR)
        begin_fetch(sm, e, got.mshr);
    compare(t, e,
            got.answer == CACHE_STALLED    ? N_L1D_OUTCOMES
            : got.answer == CACHE_BYPASSED ? L1D_BYPASS
            : sm->store_found_line         ? L1D_HIT
                                           : L1D_MISS);
}

static void no_writeback(void *user, uint64_t line, uint32_t sectors)
{
    (void)user, (void)line, (void)sectors;
}

/* In the run nothing was in flight at this point. */
static void empty(struct timed_sm *sm, const struct l1d_event *e)
{
    while (sm->n_fetches)
        cache_fill(sm->cache, sm->fetches[--sm->n_fetches].mshr, e->cycle);
    if (e->kind == L1D_RESIZE)
        cache_resize(sm->cache, e->n_ways, no_writeback, NULL);
    else
        cache_flush(sm->cache, no_writeback, NULL);
}

/* One at a time, as they issued: the end of a sample depends on it. */
static void replay_insts(struct timed *t, struct timed_sm *sm, const struct l1d_event *e)
{
    for (uint32_t i = 0; i < e->n_issues && t->policy->on_insts; i++)
        cache_insts(sm->cache, e->n_lanes);
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
    else if (e->kind == L1D_FLUSH || e->kind == L1D_RESIZE)
        empty(sm, e);
    else if (e->kind == L1D_INSTS)
        replay_insts(t, sm, e);
    t->out->n_accesses += e->kind == L1D_LOAD || e->kind == L1D_STORE || e->kind == L1D_ATOMIC;
}

static void finish(struct timed *t, uint32_t n_sms)
{
    for (uint32_t i = 0; i < n_sms; i++) {
        if (t->sms[i].cache)
            cache_stats_add(&t->out->stats, cache_stats(t->sms[i].cache));
        cache_destroy(t->sms[i].cache);
        free(t->sms[i].fetches);
    }
    free(t->sms);
}

bool lab_timed_replay(const char *path, const struct cache_policy_desc *policy, const void *params,
                      struct lab_timed *out, struct strbuf *why)
{
    *out = (struct lab_timed){0};
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r || !cache_config_check(&l1d_reader_header(r)->l1d, policy, params, why)) {
        l1d_reader_close(r);
        return false;
    }
    uint32_t n_sms = l1d_reader_header(r)->n_sms;
    struct timed t = {.sms = xcalloc(n_sms, sizeof *t.sms),
                      .config = l1d_reader_header(r)->l1d,
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
