/* Every registered policy under random traffic and random shortages: does it keep the contract of
 * cache_policy.h, and does the framework? Between the two sits a spy, a descriptor whose functions
 * count, check and pass on; so a policy added to the list is checked without a line here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cache/cache.h"
#include "unit/random_bits.h"

enum { LINE_BYTES = 128, MAX_MSHRS = 6, MAX_MERGES = 4, N_KINDS = CE_STORE + 1 };

struct spy {
    const struct cache_policy_desc *real;
    uint32_t told[N_KINDS]; /* events of the present access or fill */
    uint64_t evicted_way;   /* of the present access */
    uint64_t n_decided, n_told, n_idle;
    size_t state_bytes;
    bool outside; /* no access is being offered: no event may occur */
};
static struct spy spy;

static void note(enum cache_event event)
{
    assert_false(spy.outside);
    spy.told[event]++;
    spy.n_told++;
}

/* A copy of what is the policy's own: its state, counters and the data of a set's lines. */
struct own_data {
    char *state, *stats, *line_state;
};

static struct own_data keep_own_data(const struct cache_policy *p, const struct cache_set *s)
{
    size_t line_state_bytes = spy.real->line_state_bytes, stats_bytes = spy.real->stats_bytes;
    struct own_data own = {malloc(spy.state_bytes + 1), malloc(stats_bytes + 1),
                           malloc(s->n_ways * line_state_bytes + 1)};
    if (spy.state_bytes)
        memcpy(own.state, p->state, spy.state_bytes);
    if (stats_bytes)
        memcpy(own.stats, p->stats, stats_bytes);
    for (uint32_t w = 0; line_state_bytes && w < s->n_ways; w++)
        memcpy(own.line_state + w * line_state_bytes, s->line_state[w], line_state_bytes);
    return own;
}

/* Frees the copy; if nothing may have changed, compares it byte by byte. */
static void compare_own_data(const struct cache_policy *p, const struct cache_set *s,
                             struct own_data own, bool is_unchanged)
{
    size_t line_state_bytes = spy.real->line_state_bytes;
    if (is_unchanged && spy.state_bytes)
        assert_memory_equal(own.state, p->state, spy.state_bytes);
    if (is_unchanged && spy.real->stats_bytes)
        assert_memory_equal(own.stats, p->stats, spy.real->stats_bytes);
    for (uint32_t w = 0; is_unchanged && line_state_bytes && w < s->n_ways; w++)
        assert_memory_equal(own.line_state + w * line_state_bytes, s->line_state[w],
                            line_state_bytes);
    free(own.state);
    free(own.stats);
    free(own.line_state);
}

/* decide() must change nothing. */
static int spy_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    struct own_data before = keep_own_data(p, s);
    int way = spy.real->decide(p, s, a);
    assert_int_equal(spy.real->decide(p, s, a), way);
    assert_false(spy.real->never_bypasses && way == CACHE_BYPASS);
    compare_own_data(p, s, before, true);
    assert_true(way == CACHE_BYPASS || way == CACHE_STALL || (way >= 0 && way < (int)s->n_ways));
    if (way >= 0)
        assert_false(s->reserved >> way & 1);
    spy.n_decided++;
    return way;
}

static void spy_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a)
{
    note(CE_HIT);
    assert_int_equal(s->lines[way].line, a->line);
    if (!spy.real->on_hit)
        return;
    enum cache_hit_effect e = spy.real->hit_effect ? spy.real->hit_effect(p, s, way) : HIT_MATTERS;
    bool idles = e == HIT_IS_SILENT || (e == HIT_MATTERS_IF_CRITICAL && !a->is_critical);
    struct own_data before = keep_own_data(p, s);
    spy.real->on_hit(p, s, way, a);
    spy.n_idle += idles;
    compare_own_data(p, s, before, idles);
}

static void spy_on_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         const struct mem_access *a)
{
    note(CE_MERGE);
    if (way != ~0u)
        assert_int_equal(s->lines[way].line, a->line);
    if (spy.real->on_merge)
        spy.real->on_merge(p, s, way, a);
}

static void spy_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                        const struct mem_access *a)
{
    note(CE_MISS);
    if (spy.real->on_miss)
        spy.real->on_miss(p, s, way, a);
}

static void spy_on_bypass(struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a, enum cache_bypass_reason reason)
{
    note(CE_BYPASS);
    if (spy.real->on_bypass)
        spy.real->on_bypass(p, s, a, reason);
}

static void spy_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                           const struct mem_access *a)
{
    note(CE_RESERVE);
    assert_true(s->reserved >> way & 1);
    assert_int_equal(s->lines[way].line, a->line);
    assert_int_equal(s->lines[way].reserver_slot, a->warp_slot);
    assert_int_equal(s->lines[way].insert_pc, a->pc);
    if (spy.told[CE_EVICT])
        assert_int_equal(spy.evicted_way, way);
    if (spy.real->on_reserve)
        spy.real->on_reserve(p, s, way, a);
}

static void spy_on_fill(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        uint64_t cycle)
{
    note(CE_FILL);
    assert_true(s->lines[way].valid_sectors != 0);
    if (spy.real->on_fill)
        spy.real->on_fill(p, s, way, cycle);
}

static void spy_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         enum cache_evict_cause cause, const struct mem_access *a)
{
    note(CE_EVICT);
    spy.evicted_way = way;
    if (cause == EVICT_REPLACE)
        assert_true((s->occupied & ~s->reserved) >> way & 1);
    assert_true(a || cause == EVICT_INVALIDATE || cause == EVICT_FLUSH);
    if (spy.real->on_evict)
        spy.real->on_evict(p, s, way, cause, a);
}

static void spy_on_store(struct cache_policy *p, const struct cache_set *s, int way,
                         const struct mem_access *a)
{
    note(CE_STORE);
    if (spy.real->on_store)
        spy.real->on_store(p, s, way, a);
}

static struct cache_policy_desc spying_on(const struct cache_policy_desc *real)
{
    struct cache_policy_desc d = *real;
    d.decide = spy_decide;
    d.on_hit = spy_on_hit;
    d.on_merge = spy_on_merge;
    d.on_miss = spy_on_miss;
    d.on_bypass = spy_on_bypass;
    d.on_reserve = spy_on_reserve;
    d.on_fill = spy_on_fill;
    d.on_evict = spy_on_evict;
    d.on_store = spy_on_store;
    return d;
}

struct traffic {
    struct cache *cache;
    struct cache_config config;
    uint64_t random, next_id;
    uint32_t outstanding[MAX_MSHRS], n_outstanding;
    uint32_t n_kept, n_dropped; /* answers reported at the current fill */
    uint64_t answered_line;
};

static uint32_t below(struct traffic *t, uint32_t n)
{
    return (uint32_t)(random_u64(&t->random) % n);
}

static struct mem_access random_access(struct traffic *t)
{
    uint64_t line = (uint64_t)below(t, 3 * t->config.n_sets * t->config.n_ways) * LINE_BYTES;
    return (struct mem_access){.id = t->next_id++,
                               .line = line,
                               .set = cache_set_of(t->cache, line),
                               .pc = below(t, 20),
                               .warp_slot = below(t, 48),
                               .sector_mask = 1 + below(t, 15),
                               .kind = below(t, 5) ? MEM_LOAD : MEM_STORE,
                               .space = below(t, 4) ? MEM_GLOBAL : MEM_LOCAL,
                               .is_critical = below(t, 2)};
}

/* Which events an accepted load must have caused, each once. */
static void check_load(const struct cache_result *r, bool on_fill)
{
    const uint32_t *told = spy.told;
    bool hit = r->answer == CACHE_HIT, merge = r->answer == CACHE_MERGE;
    bool miss = r->answer == CACHE_MISS, bypass = r->answer == CACHE_BYPASSED;
    assert_int_equal(told[CE_HIT], hit);
    assert_int_equal(told[CE_MERGE], merge);
    assert_int_equal(told[CE_MISS], miss || bypass);
    assert_int_equal(told[CE_BYPASS], bypass);
    assert_true(told[CE_RESERVE] <= (miss && !on_fill));
    assert_true(told[CE_EVICT] <= told[CE_RESERVE]);
    assert_int_equal(told[CE_FILL] + told[CE_STORE], 0);
}

static void check_store(const struct cache_result *r)
{
    const uint32_t *told = spy.told;
    assert_int_equal(told[CE_STORE], 1);
    assert_int_equal(told[CE_BYPASS], r->answer == CACHE_BYPASSED);
    assert_int_equal(told[CE_HIT] + told[CE_MERGE] + told[CE_MISS] + told[CE_FILL], 0);
    assert_true(told[CE_RESERVE] <= 1 && told[CE_EVICT] <= 1);
}

/* Every answer is reported once, kept or not, with what it answers. */
static void watch_answers(void *user, const struct cache_event_info *e)
{
    struct traffic *t = user;
    if (e->event != CE_FILL && e->event != CE_DROP)
        return;
    assert_int_equal(e->asked_cycle, 0);
    assert_int_equal(e->cycle, 1);
    t->answered_line = e->fetched_line;
    t->n_kept += e->event == CE_FILL;
    t->n_dropped += e->event == CE_DROP;
}

static void fill_any(struct traffic *t)
{
    if (!t->n_outstanding)
        return;
    t->n_kept = t->n_dropped = 0;
    uint32_t i = below(t, t->n_outstanding), mshr = t->outstanding[i];
    t->outstanding[i] = t->outstanding[--t->n_outstanding];
    uint64_t line = cache_mshr_line(t->cache, mshr);
    memset(spy.told, 0, sizeof spy.told);
    spy.outside = false;
    struct cache_arrival got = cache_fill(t->cache, mshr, 1);
    spy.outside = true;
    assert_in_range(got.n_waiters, 1, t->config.mshr_merges);
    assert_int_equal(spy.told[CE_FILL], got.kept);
    assert_int_equal(t->n_kept, got.kept);
    assert_int_equal(t->n_kept + t->n_dropped, 1);
    assert_int_equal(t->answered_line, line);
    assert_true(spy.told[CE_RESERVE] <= t->config.allocate_on_fill);
    assert_true(spy.told[CE_EVICT] <= spy.told[CE_RESERVE]);
}

/* Offers the access until it is accepted; every refusal must go unnoticed. */
static void push_through(struct traffic *t, const struct mem_access *a)
{
    for (;;) {
        struct cache_resources room = {below(t, 3), below(t, 3), below(t, 3)};
        struct cache_stats before = *cache_stats(t->cache);
        memset(spy.told, 0, sizeof spy.told);
        uint64_t n_told = spy.n_told;
        spy.outside = false;
        bool load = a->kind == MEM_LOAD;
        struct cache_result r = (load ? cache_load : cache_store)(t->cache, a, room, t);
        spy.outside = true;
        if (r.answer != CACHE_STALLED) {
            if (r.answer == CACHE_MISS && r.fetch_sectors)
                t->outstanding[t->n_outstanding++] = r.mshr;
            if (load)
                check_load(&r, t->config.allocate_on_fill);
            else
                check_store(&r);
            return;
        }
        assert_int_equal(spy.n_told, n_told);
        assert_memory_equal(&before, cache_stats(t->cache), sizeof before);
        fill_any(t);
    }
}

static void drive(const struct cache_policy_desc *real, uint64_t seed)
{
    struct traffic t = {.random = seed};
    t.config = (struct cache_config){.n_sets = 1u << below(&t, 4),
                                     .n_ways = 1u << below(&t, 5),
                                     .line_bytes = LINE_BYTES,
                                     .sector_bytes = below(&t, 2) ? 32 : LINE_BYTES,
                                     .index = below(&t, 2),
                                     .n_mshrs = 1 + below(&t, MAX_MSHRS),
                                     .mshr_merges = 1 + below(&t, MAX_MERGES),
                                     .allocate_on_fill = below(&t, 3) == 0,
                                     .write_back = true,
                                     .write_allocate = true,
                                     .write_evict = below(&t, 2)};
    struct strbuf why = {0};
    struct cache_policy_desc desc = spying_on(real);
    if (!cache_config_check(&t.config, &desc, NULL, &why)) {
        assert_true(why.len > 0); /* refused with a reason: nothing to drive */
        strbuf_destroy(&why);
        return;
    }
    t.cache = cache_create(&t.config, &desc, NULL, 48, seed);
    cache_observe(t.cache, watch_answers, &t);
    const struct cache_policy *p = cache_get_policy(t.cache);
    spy = (struct spy){.real = real, .outside = true};
    if (real->state_bytes)
        spy.state_bytes = real->state_bytes(&p->geometry, p->params);
    for (int i = 0; i < 2000; i++) {
        struct mem_access a = random_access(&t);
        push_through(&t, &a);
        if (below(&t, 2))
            fill_any(&t);
    }
    while (t.n_outstanding)
        fill_any(&t);
    assert_true(spy.n_decided > 0);
    assert_true(cache_stats_check(cache_stats(t.cache), &why));
    cache_destroy(t.cache);
}

static void policies_keep_the_contract_under_random_traffic(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < cache_policy_count(); i++) {
        uint64_t n_idle = 0;
        for (uint64_t seed = 1; seed <= 12; seed++) {
            drive(cache_policy_at(i), seed * 77 + i);
            n_idle += spy.n_idle;
        }
        assert_true(n_idle > 0 || !cache_policy_at(i)->hit_effect);
    }
}

static void descriptors_are_complete(void **state)
{
    (void)state;
    struct cache_geometry g = {
        .n_sets = 32, .n_ways = 4, .line_bytes = 128, .sector_bytes = 128, .n_warps = 48};
    assert_true(cache_policy_count() >= 5);
    for (uint32_t i = 0; i < cache_policy_count(); i++) {
        const struct cache_policy_desc *d = cache_policy_at(i);
        struct strbuf why = {0}, parts = {0};
        struct arena arena = {0};
        assert_true(cache_policy_is_sound(d, &why));
        assert_ptr_equal(cache_policy_find(d->name), d);
        /* The parts of the cost, "name bits" a line, add up to the whole. */
        uint64_t bits = d->cost_bits(&g, plugin_values(&d->plugin, NULL, &arena), &parts), sum = 0;
        for (char *line = parts.text; line && *line; line = strchr(line, '\n') + 1)
            sum += strtoull(strrchr(strndupa(line, strcspn(line, "\n")), ' '), NULL, 10);
        assert_int_equal(sum, bits);
        strbuf_destroy(&parts);
        arena_destroy(&arena);
    }
}

static void costs_are_those_of_the_geometry(void **state)
{
    (void)state;
    struct cache_geometry g = {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .sector_bytes = 128};
    /* 32 sets: two bits point to one of 4 ways; three nodes make a tree over 4 leaves. */
    assert_int_equal(cache_policy_find("fifo")->cost_bits(&g, NULL, NULL), 64);
    assert_int_equal(cache_policy_find("plru")->cost_bits(&g, NULL, NULL), 96);
    assert_int_equal(cache_policy_find("lru")->cost_bits(&g, NULL, NULL), 0);
}

static void a_policy_of_another_age_is_refused(void **state)
{
    (void)state;
    struct cache_policy_desc d = *cache_policy_find("lru");
    uint32_t n = cache_policy_count();
    struct strbuf why = {0};
    d.abi_version++;
    d.name = "newer";
    assert_false(cache_policy_register(&d, &why));
    assert_non_null(strstr(strbuf_text(&why), "version"));
    d.abi_version--;
    d.struct_size -= 8;
    assert_false(cache_policy_register(&d, &why));
    d.struct_size += 8;
    d.decide = NULL;
    assert_false(cache_policy_register(&d, &why));
    assert_non_null(strstr(strbuf_text(&why), "decide"));
    d = *cache_policy_find("stall_bypass");
    d.name = "undecided";
    d.never_bypasses = true;
    assert_false(cache_policy_register(&d, &why));
    assert_non_null(strstr(strbuf_text(&why), "would_stall"));
    d = *cache_policy_find("lru");
    assert_false(cache_policy_register(&d, &why)); /* the name is taken */
    assert_int_equal(cache_policy_count(), n);
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(costs_are_those_of_the_geometry),
        cmocka_unit_test(policies_keep_the_contract_under_random_traffic),
        cmocka_unit_test(a_policy_of_another_age_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
