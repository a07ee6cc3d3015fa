/* An L1D with a policy, for examples computed by hand from a paper's text: loads by set, line and
 * instruction, whose data arrive at once or on request.
 *
 * Each load is made twice: with an observer of all events, and in a second cache with the same
 * history as runs do it, where the policy is not told of hits that it declares to be idle. Both
 * must give the same answer and the same victim. */
#ifndef HEDDLE_TEST_L1D_STAGE_H
#define HEDDLE_TEST_L1D_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cache/fast.h"
#include "unit/plugin_params.h"

enum { LINE_BYTES = 128, N_MSHRS = 4, N_MERGES = 8, NO_VICTIM = -1 };

struct l1d {
    struct arena arena;
    struct cache *cache, *twin; /* loads by cache_load(); by cache_load_fast() */
    uint32_t n_sets;
    uint64_t n_loads;            /* accepted so far */
    uint32_t n_fresh;            /* lines that no other load has requested */
    int victim, twins_victim;    /* the line that the last load replaced; NO_VICTIM */
    bool critical;               /* loads are of a critical warp */
    struct cache_resources room; /* outside the cache */
    enum cache_stall stall;      /* of the last load that was STALLED */
    struct {
        uint64_t line;
        uint16_t mshr;
    } fetches[N_MSHRS];
    uint32_t n_fetches;
};

/* Line `number` of a set. The first has number 0; fresh ones are far above. */
static inline uint64_t line_at(const struct l1d *c, uint32_t set, uint32_t number)
{
    return (uint64_t)LINE_BYTES * ((uint64_t)(1 + number) * c->n_sets + set);
}

static inline void note_victim(void *user, const struct cache_event_info *e)
{
    struct l1d *c = user;
    if (e->event == CE_EVICT && e->cause == EVICT_REPLACE)
        c->victim = (int)(e->line->line / LINE_BYTES / c->n_sets) - 1;
}

static inline void note_twins_victim(void *user, const struct cache_event_info *e)
{
    struct l1d *c = user;
    if (e->cause == EVICT_REPLACE)
        c->twins_victim = (int)(e->line->line / LINE_BYTES / c->n_sets) - 1;
}

static inline void l1d_init(struct l1d *c, const char *policy, const char *words, uint32_t n_sets,
                            uint32_t n_ways)
{
    const struct cache_policy_desc *d = cache_policy_find(policy);
    assert_non_null(d);
    struct cache_config config = {.n_sets = n_sets,
                                  .n_ways = n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = N_MSHRS,
                                  .mshr_merges = N_MERGES,
                                  .policy = policy,
                                  .write_evict = true};
    *c = (struct l1d){.n_sets = n_sets, .room = {true, true, true}, .n_fresh = 1000};
    const void *params = plugin_params(&d->plugin, words, &c->arena);
    assert_non_null(params);
    c->cache = cache_create(&config, d, params, 48, 1);
    c->twin = cache_create(&config, d, params, 48, 1);
    cache_observe(c->cache, note_victim, c);
    cache_observe_some(c->twin, 1u << CE_EVICT, note_twins_victim, c);
}

static inline void l1d_destroy(struct l1d *c)
{
    cache_destroy(c->cache);
    cache_destroy(c->twin);
    arena_destroy(&c->arena);
}

/* As an SM loads. */
static inline struct cache_result load_twin(struct l1d *c, const struct mem_access *a)
{
    struct cache_location at = cache_find(c->twin, a->line);
    enum cache_fast fast = cache_load_fast(c->twin, at, a->sector_mask, a->pc);
    if (fast == CACHE_FAST_DECLINED)
        return cache_load_at(c->twin, a, &c->room, NULL, at);
    if (fast == CACHE_FAST_NO_MSHR)
        return (struct cache_result){.answer = CACHE_STALLED, .stall = STALL_MSHR};
    if (fast == CACHE_FAST_CRITICAL && !a->is_critical)
        cache_load_silently(c->twin, at, a->pc);
    else if (fast != CACHE_FAST_HIT)
        cache_do_hit(c->twin, at, a);
    return (struct cache_result){.answer = CACHE_HIT};
}

static inline void compare_with_twin(struct l1d *c, const struct mem_access *a,
                                     struct cache_result r)
{
    struct cache_result twins = load_twin(c, a);
    assert_int_equal(twins.answer, r.answer);
    assert_int_equal(c->twins_victim, c->victim);
    if (r.answer == CACHE_MISS)
        assert_int_equal(twins.mshr, r.mshr);
    if (r.answer == CACHE_STALLED)
        assert_int_equal(twins.stall, r.stall);
}

/* A load of the instruction; a miss stays in flight until come(). */
static inline enum cache_answer ask(struct l1d *c, uint32_t set, uint32_t number, uint32_t pc)
{
    struct mem_access a = {.id = c->n_loads, .pc = pc, .sector_mask = 1, .kind = MEM_LOAD};
    a.address = a.line = line_at(c, set, number);
    a.set = cache_set_of(c->cache, a.line);
    a.is_critical = c->critical;
    assert_int_equal(a.set, set);
    c->victim = c->twins_victim = NO_VICTIM;
    struct cache_result r = cache_load(c->cache, &a, c->room, NULL);
    compare_with_twin(c, &a, r);
    c->n_loads += r.answer != CACHE_STALLED;
    if (r.answer == CACHE_STALLED)
        c->stall = (enum cache_stall)r.stall;
    if (r.answer == CACHE_MISS) {
        c->fetches[c->n_fetches].line = a.line;
        c->fetches[c->n_fetches++].mshr = r.mshr;
    }
    return (enum cache_answer)r.answer;
}

static inline void come(struct l1d *c, uint32_t set, uint32_t number)
{
    uint32_t i = 0;
    while (i < c->n_fetches && c->fetches[i].line != line_at(c, set, number))
        i++;
    assert_true(i < c->n_fetches);
    cache_fill(c->cache, c->fetches[i].mshr, c->n_loads);
    cache_fill(c->twin, c->fetches[i].mshr, c->n_loads);
    c->fetches[i] = c->fetches[--c->n_fetches];
}

/* A load whose data come at once. */
static inline enum cache_answer load(struct l1d *c, uint32_t set, uint32_t number, uint32_t pc)
{
    enum cache_answer answer = ask(c, set, number, pc);
    if (answer == CACHE_MISS)
        come(c, set, number);
    return answer;
}

static inline enum cache_answer load_fresh(struct l1d *c, uint32_t set, uint32_t pc)
{
    return load(c, set, c->n_fresh++, pc);
}

static inline void store(struct l1d *c, uint32_t set, uint32_t number)
{
    struct mem_access a = {.sector_mask = 1, .kind = MEM_STORE};
    a.address = a.line = line_at(c, set, number);
    a.set = set;
    cache_store(c->cache, &a, c->room, NULL);
    cache_store(c->twin, &a, c->room, NULL);
}

static inline void flush(struct l1d *c)
{
    cache_flush(c->cache, NULL, NULL);
    cache_flush(c->twin, NULL, NULL);
}

static inline void issue_insts(struct l1d *c, uint32_t n)
{
    cache_insts(c->cache, n);
    cache_insts(c->twin, n);
}

/* Bits of a part of what the policy costs in a 16 KB L1D of 4 ways, tags of 32 bits; NULL = all. */
static inline uint64_t cost_bits(const char *policy, const char *part)
{
    struct arena arena = {0};
    struct strbuf parts = {0};
    const struct cache_policy_desc *d = cache_policy_find(policy);
    const struct cache_geometry g = {.n_sets = 32,
                                     .n_ways = 4,
                                     .line_bytes = LINE_BYTES,
                                     .sector_bytes = LINE_BYTES,
                                     .n_warps = 48,
                                     .tag_bits = 32};
    uint64_t bits = d->cost_bits(&g, plugin_values(&d->plugin, NULL, &arena), &parts);
    if (part) {
        const char *at = strstr(strbuf_text(&parts), part);
        assert_non_null(at);
        bits = strtoull(at + strlen(part), NULL, 10);
    }
    strbuf_destroy(&parts);
    arena_destroy(&arena);
    return bits;
}

#endif
