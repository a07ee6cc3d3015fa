/* The laboratory's replays against the cache of the timing model itself, with its MSHRs and events:
 * every decision of every policy, on random accesses, in caches of all shapes. And several replays
 * in one pass against each alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lab_belady.h"
#include "analysis/lab_replay.h"
#include "unit/random_bits.h"

enum { MAX_SMS = 3 };

/* Instructions of random streams, as they were added: (before the access, SM, how many, lanes). */
struct insts {
    size_t before;
    uint32_t sm, n_issues, n_lanes;
};
static struct insts insts[6000];
static size_t n_insts;

/* --- the same replay through struct cache --- */

struct owner {
    uint64_t warp, thread;
};

struct general {
    const struct lab_config *config;
    struct cache *caches[MAX_SMS];
    struct owner *owners[MAX_SMS];
    uint32_t sm; /* of the access at hand */
    uint64_t victim;
    bool has_victim;
    struct lab_result result;
};

static void watch(void *user, const struct cache_event_info *e)
{
    struct general *g = user;
    struct owner *o = &g->owners[g->sm][(size_t)e->set * g->config->n_ways + e->way];
    if (e->event == CE_RESERVE) {
        *o = (struct owner){e->access->warp_uid, e->access->first_thread};
    } else if (e->event == CE_HIT) {
        bool same_warp = o->warp == e->access->warp_uid;
        bool same_thread = same_warp && o->thread == e->access->first_thread;
        g->result.localities[same_thread ? 0 : same_warp ? 1 : 2]++;
    } else if (e->event == CE_EVICT && e->cause == EVICT_REPLACE) {
        g->has_victim = true;
        g->victim = e->line->line;
    }
}

static void create_caches(struct general *g, const uint64_t *next_uses)
{
    const struct lab_config *c = g->config;
    const struct cache_config config = {.n_sets = c->n_sets,
                                        .n_ways = c->n_ways,
                                        .line_bytes = c->line_bytes,
                                        .sector_bytes =
                                            c->sector_bytes ? c->sector_bytes : c->line_bytes,
                                        .index = c->index,
                                        .n_mshrs = 1,
                                        .mshr_merges = 1,
                                        .policy = c->policy->name,
                                        .write_evict = !c->stores_keep};
    for (uint32_t sm = 0; sm < MAX_SMS; sm++) {
        g->caches[sm] = cache_create(&config, c->policy, c->params, 0, sm + 1);
        g->owners[sm] = xcalloc((size_t)c->n_sets * c->n_ways, sizeof(struct owner));
        cache_observe(g->caches[sm], watch, g);
        if (next_uses)
            lab_belady_foretell(cache_get_policy(g->caches[sm]), next_uses);
    }
}

static void general_load(struct general *g, const struct mem_access *a, uint64_t index,
                         struct strbuf *log)
{
    static const struct cache_resources plenty = {true, true, true};
    g->has_victim = false;
    struct cache_result got = cache_load(g->caches[g->sm], a, plenty, NULL);
    if (got.answer == CACHE_MISS) {
        cache_fill(g->caches[g->sm], got.mshr, a->cycle);
    }
    strbuf_addf(log, "%llu,%s,", (unsigned long long)index,
                got.answer == CACHE_HIT    ? "hit"
                : got.answer == CACHE_MISS ? "miss"
                                           : "bypass");
    if (g->has_victim)
        strbuf_addf(log, "0x%llx", (unsigned long long)g->victim);
    strbuf_add_char(log, '\n');
}

static bool general_access(struct general *g, const struct lab_stream *s, size_t i, uint64_t index,
                           struct strbuf *log)
{
    const struct lab_access *from = &s->items[i];
    struct cache *c = g->caches[g->sm = from->sm];
    uint64_t line = from->address / g->config->line_bytes * g->config->line_bytes;
    struct mem_access a = {.id = i,
                           .cycle = from->cycle,
                           .launch = from->launch,
                           .warp_uid = from->warp,
                           .first_thread = from->thread,
                           .pc = from->pc,
                           .address = from->address,
                           .line = line,
                           .set = cache_set_of(c, line),
                           .sector_mask = g->config->sector_bytes ? from->sectors : 1,
                           .kind = from->kind == LAB_STORE ? MEM_STORE : MEM_LOAD,
                           .space = MEM_GLOBAL,
                           .source = from->sm,
                           .is_critical = from->is_critical};
    if (from->kind == LAB_FLUSH)
        cache_flush(c, NULL, NULL);
    else if (from->kind == LAB_LOAD)
        general_load(g, &a, index, log);
    else if (from->kind == LAB_STORE)
        cache_store(c, &a, (struct cache_resources){true, true, true}, NULL);
    else
        cache_invalidate_line(c, line);
    return from->kind != LAB_FLUSH;
}

static struct lab_result general_replay(const struct lab_stream *s, const struct lab_config *config,
                                        struct strbuf *log)
{
    struct general g = {.config = config, .result.first_difference = UINT64_MAX};
    bool is_oracle = strncmp(config->policy->name, "belady", 6) == 0;
    uint64_t *next_uses =
        is_oracle ? lab_next_uses(s, config->line_bytes, config->stores_keep) : NULL;
    uint64_t *indices = xcalloc(s->n + 1, sizeof *indices), index = 0;
    create_caches(&g, next_uses);
    for (size_t i = 0, k = 0; i < s->n; i++) {
        indices[i] = index;
        for (; k < n_insts && insts[k].before == i; k++)
            for (uint32_t n = insts[k].n_issues; n; n--)
                cache_insts(g.caches[insts[k].sm], insts[k].n_lanes);
        index += general_access(&g, s, i, index, log);
    }
    for (uint32_t sm = 0; sm < MAX_SMS; sm++) {
        uint64_t n, first;
        cache_lru_differences(g.caches[sm], &n, &first);
        g.result.n_differences += n;
        if (n && indices[first] < g.result.first_difference)
            g.result.first_difference = indices[first];
        cache_stats_add(&g.result.stats, cache_stats(g.caches[sm]));
        cache_destroy(g.caches[sm]);
        free(g.owners[sm]);
    }
    free(indices);
    free(next_uses);
    return g.result;
}

/* --- a policy whose decisions depend on everything it has received --- */

static void note(struct cache_policy *p, uint64_t event, const struct cache_set *s, int way,
                 uint64_t id)
{
    uint64_t *memory = p->state;
    *memory ^= event << 56 ^ id << 16 ^ (uint64_t)s->set << 8 ^ (uint64_t)(way + 1);
    if (way >= 0)
        *memory ^= s->lines[way].line + s->last_use[way] + s->lines[way].inserted +
                   s->lines[way].insert_pc * 3u + s->lines[way].last_pc * 5u +
                   s->lines[way].valid_sectors + (uint64_t)s->lines[way].reused * 7 + s->reserved +
                   s->occupied;
    random_u64(memory);
}

static uint64_t id_of(const struct mem_access *a)
{
    return a ? a->id + a->kind + a->cycle + a->launch + a->source : 1;
}

static void note_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     const struct mem_access *a)
{
    note(p, 1, s, (int)way, id_of(a));
}

static void note_miss(struct cache_policy *p, const struct cache_set *s, int way,
                      const struct mem_access *a)
{
    note(p, 2, s, way, id_of(a));
}

static void note_bypass(struct cache_policy *p, const struct cache_set *s,
                        const struct mem_access *a, enum cache_bypass_reason reason)
{
    note(p, 3 + reason, s, -1, id_of(a));
}

static void note_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         const struct mem_access *a)
{
    note(p, 6, s, (int)way, id_of(a));
}

static void note_fill(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                      uint64_t cycle)
{
    note(p, 7, s, (int)way, cycle);
}

static void note_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       enum cache_evict_cause cause, const struct mem_access *a)
{
    note(p, 8 + cause, s, (int)way, id_of(a));
}

static void note_store(struct cache_policy *p, const struct cache_set *s, int way,
                       const struct mem_access *a)
{
    note(p, 12, s, way, id_of(a));
}

static bool note_insts(struct cache_policy *p, uint64_t n_thread_insts)
{
    uint64_t *memory = p->state;
    *memory ^= 13ull << 56 ^ n_thread_insts;
    random_u64(memory);
    return true;
}

static enum cache_line_action maybe_drop(const struct cache_policy *p, const struct cache_set *s,
                                         uint32_t way, const struct mem_access *a)
{
    (void)s, (void)way, (void)a;
    return *(const uint64_t *)p->state % 8 ? LINE_KEEP : LINE_DROP;
}

static enum cache_line_action maybe_drop_at_fill(const struct cache_policy *p,
                                                 const struct cache_set *s, uint32_t way)
{
    (void)s, (void)way;
    return *(const uint64_t *)p->state % 16 == 1 ? LINE_DROP : LINE_KEEP;
}

static int any_way(const struct cache_policy *p, const struct cache_set *s,
                   const struct mem_access *a)
{
    (void)a;
    uint64_t memory = *(const uint64_t *)p->state;
    return memory >> 60 == 0 ? CACHE_BYPASS : (int)(memory % s->n_ways);
}

static size_t one_word(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(uint64_t);
}

static void seed(struct cache_policy *p)
{
    *(uint64_t *)p->state = p->seed;
}

static const struct cache_policy_desc minds_everything = {.abi_version = CACHE_POLICY_ABI,
                                                          .struct_size =
                                                              sizeof(struct cache_policy_desc),
                                                          .name = "minds_everything",
                                                          .state_bytes = one_word,
                                                          .init = seed,
                                                          .decide = any_way,
                                                          .on_hit = note_hit,
                                                          .on_miss = note_miss,
                                                          .on_bypass = note_bypass,
                                                          .on_reserve = note_reserve,
                                                          .on_fill = note_fill,
                                                          .on_evict = note_evict,
                                                          .hit_action = maybe_drop,
                                                          .fill_action = maybe_drop_at_fill,
                                                          .on_store = note_store,
                                                          .on_insts = note_insts};

/* --- random accesses --- */

/* Before every other access, of any SM: enough of them to end samples of `dlp`. */
static void add_insts(struct lab_stream *s, uint64_t bits)
{
    insts[n_insts++] = (struct insts){.before = s->n,
                                      .sm = (uint32_t)(bits >> 8) % MAX_SMS,
                                      .n_issues = 1 + (uint32_t)(bits >> 16) % 60,
                                      .n_lanes = (uint32_t)(bits >> 32) % 33};
    const struct insts *new = &insts[n_insts - 1];
    lab_stream_add_insts(s, new->sm, new->n_issues, new->n_lanes);
}

static void random_stream(struct lab_stream *s, uint64_t seed, uint32_t n)
{
    n_insts = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = random_u64(&seed);
        if (bits >> 55 & 1)
            add_insts(s, random_u64(&seed));
        uint32_t chance = (uint32_t)(bits >> 56);
        uint8_t kind = chance < 2    ? LAB_FLUSH
                       : chance < 8  ? LAB_ATOMIC
                       : chance < 40 ? LAB_STORE
                                     : LAB_LOAD;
        uint64_t line = bits >> 20 & 1 ? bits >> 32 & 31 : bits >> 32 & 1023;
        lab_stream_add(s, &(struct lab_access){.cycle = i,
                                               .sm = (uint32_t)(bits % MAX_SMS),
                                               .kind = kind,
                                               .address = line * 128 + (bits >> 4 & 127),
                                               .pc = (uint32_t)(bits >> 10 & 31),
                                               .warp = bits >> 14 & 3,
                                               .thread = bits >> 16 & 7,
                                               .launch = i / 1000,
                                               .is_critical = bits >> 19 & 1,
                                               .sectors = (uint8_t)(1 + (bits >> 24 & 15) % 15)});
    }
}

static bool keep_text(void *user, const void *data, size_t bytes)
{
    strbuf_add_n(user, data, bytes);
    return true;
}

static void compare(const struct lab_stream *s, const struct lab_config *c)
{
    struct strbuf log = {0}, want_log = {0}, why = {0};
    struct sink sink = {keep_text, &log};
    struct lab_result got, quiet;
    if (!lab_config_check(c, s, &why)) { /* cacp needs two ways */
        strbuf_destroy(&why);
        return;
    }
    struct lab_result want = general_replay(s, c, &want_log);
    assert_true(lab_replay(s, c, &sink, &got));
    assert_true(lab_replay(s, c, NULL, &quiet));
    if (strcmp(strbuf_text(&log), strbuf_text(&want_log)) != 0)
        fail_msg("%s decides otherwise: %u sets, %u ways", c->policy->name, c->n_sets, c->n_ways);
    assert_memory_equal(&got, &want, sizeof got);
    assert_memory_equal(&quiet, &want, sizeof got);
    strbuf_destroy(&log);
    strbuf_destroy(&want_log);
}

static const struct cache_policy_desc *policy_at(uint32_t i)
{
    uint32_t n = cache_policy_count();
    if (i == n + 2)
        return &minds_everything;
    return i < n ? cache_policy_at(i) : lab_policy_find(lab_oracle_names[i - n]);
}

static uint32_t n_policies(void)
{
    return cache_policy_count() + 3;
}

static void every_decision_is_the_timing_models(void **state)
{
    (void)state;
    static const struct lab_config shapes[] = {
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .index = INDEX_HASH},
        {.n_sets = 64, .n_ways = 8, .line_bytes = 128, .index = INDEX_HASH, .stores_keep = 1},
        {.n_sets = 8, .n_ways = 4, .line_bytes = 128, .stores_keep = 1},
        {.n_sets = 16, .n_ways = 2, .line_bytes = 64, .index = INDEX_HASH},
        {.n_sets = 7, .n_ways = 3, .line_bytes = 32},
        {.n_sets = 1, .n_ways = 64, .line_bytes = 128},
        {.n_sets = 4, .n_ways = 16, .line_bytes = 256},
        {.n_sets = 64, .n_ways = 1, .line_bytes = 1},
        {.n_sets = 8, .n_ways = 4, .line_bytes = 128, .sector_bytes = 32, .stores_keep = 1},
        {.n_sets = 4, .n_ways = 16, .line_bytes = 128, .sector_bytes = 32, .index = INDEX_HASH},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        struct lab_stream s = {0};
        random_stream(&s, k + 1, 6000);
        for (uint32_t i = 0; i < n_policies(); i++) {
            struct lab_config c = shapes[k];
            c.policy = policy_at(i);
            compare(&s, &c);
        }
        lab_stream_destroy(&s);
    }
}

/* Differences from LRU, which the timing model counts too, are there to be compared. */
static void policies_differ_from_lru(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct lab_config c = {.n_sets = 8, .n_ways = 4, .line_bytes = 128};
    struct lab_result r;
    random_stream(&s, 5, 4000);
    c.policy = lab_policy_find("lru");
    lab_replay(&s, &c, NULL, &r);
    assert_int_equal(r.n_differences, 0);
    assert_true(r.first_difference == UINT64_MAX);
    c.policy = lab_policy_find("fifo");
    lab_replay(&s, &c, NULL, &r);
    assert_true(r.n_differences > 0 && r.first_difference < s.n);
    lab_stream_destroy(&s);
}

static void one_pass_is_as_good_as_many(void **state)
{
    (void)state;
    enum { MAX_JOBS = 128 };
    static struct lab_job jobs[MAX_JOBS];
    struct lab_stream s = {0};
    uint32_t n = 0;
    random_stream(&s, 77, 5000);
    for (uint32_t i = 0; i < n_policies(); i++)
        for (uint32_t sets = 8; sets <= 32; sets *= 2)
            jobs[n++].config = (struct lab_config){.n_sets = sets,
                                                   .n_ways = i % 2 ? 4 : 8,
                                                   .line_bytes = i % 3 ? 128 : 64,
                                                   .index = i % 5 == 0,
                                                   .stores_keep = i % 7 == 0 || sets == 8,
                                                   .policy = policy_at(i)};
    assert_true(n <= MAX_JOBS);
    assert_true(lab_replay_all(&s, jobs, n));
    for (uint32_t i = 0; i < n; i++) {
        struct lab_result alone;
        assert_true(lab_replay(&s, &jobs[i].config, NULL, &alone));
        assert_memory_equal(&jobs[i].result, &alone, sizeof alone);
    }
    lab_stream_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decision_is_the_timing_models),
        cmocka_unit_test(policies_differ_from_lru),
        cmocka_unit_test(one_pass_is_as_good_as_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
