/* Bypassing combined with other events in a cache: fetches in flight, reserved lines, stores, and
 * exhausted resources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "unit/plugin_params.h"

enum { LINE_BYTES = 128, MAX_WAITERS = 4 };
static const struct cache_resources all_room = {true, true, true};

struct stage {
    struct arena arena;
    struct cache *cache;
    uint64_t n;
    uint32_t n_events, n_victims;
};

static void watch(void *user, const struct cache_event_info *e)
{
    struct stage *s = user;
    s->n_events++;
    s->n_victims += e->event == CE_EVICT && e->cause == EVICT_REPLACE;
}

static void stage_begin(struct stage *s, const char *policy, const char *words, uint32_t n_ways,
                        uint32_t n_mshrs, bool allocate_on_fill)
{
    const struct cache_policy_desc *d = cache_policy_find(policy);
    struct cache_config config = {.n_sets = 1,
                                  .n_ways = n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = n_mshrs,
                                  .mshr_merges = MAX_WAITERS,
                                  .policy = policy,
                                  .write_evict = true,
                                  .allocate_on_fill = allocate_on_fill};
    *s = (struct stage){0};
    const void *params = plugin_params(&d->plugin, words, &s->arena);
    assert_non_null(params);
    s->cache = cache_create(&config, d, params, 48, 1);
    cache_observe(s->cache, watch, s);
}

static void stage_init(struct stage *s, const char *policy, const char *words, uint32_t n_ways,
                       uint32_t n_mshrs)
{
    stage_begin(s, policy, words, n_ways, n_mshrs, false);
}

static void stage_destroy(struct stage *s)
{
    cache_destroy(s->cache);
    arena_destroy(&s->arena);
}

static struct mem_access access_to(struct stage *s, char line, enum mem_kind kind)
{
    uint64_t at = (uint64_t)line * LINE_BYTES;
    return (struct mem_access){
        .id = s->n++, .address = at, .line = at, .pc = 1, .sector_mask = 1, .kind = kind};
}

static struct cache_result load(struct stage *s, char line, struct cache_resources room)
{
    struct mem_access a = access_to(s, line, MEM_LOAD);
    return cache_load(s->cache, &a, room, NULL);
}

static enum cache_answer answer(struct stage *s, char line)
{
    return load(s, line, all_room).answer;
}

static void fill(struct stage *s, uint32_t mshr)
{
    cache_fill(s->cache, mshr, s->n);
}

static void expect_stall(struct cache_result r, enum cache_stall cause)
{
    assert_int_equal(r.answer, CACHE_STALLED);
    assert_int_equal(r.stall, cause);
}

/* Every second miss of the instruction bypasses; but a line that is in flight is waited for, and
 * counts as no bypass. */
static void a_load_of_a_line_on_its_way_merges_instead_of_bypassing(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "ctrl_c", "agg_init=1 agg_hold=true", 2, 4);
    assert_int_equal(answer(&s, 'a'), CACHE_BYPASSED);
    struct cache_result miss = load(&s, 'a', all_room);
    assert_int_equal(miss.answer, CACHE_MISS);
    assert_int_equal(answer(&s, 'a'), CACHE_MERGE); /* this turn would have been a bypass */
    assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED);
    fill(&s, miss.mshr);
    assert_int_equal(answer(&s, 'a'), CACHE_HIT);
    assert_int_equal(answer(&s, 'b'), CACHE_MISS);
    stage_destroy(&s);
}

/* A load chosen to be cached is cached, whether its line is allocated at the miss or when the data
 * arrive, and whatever its instruction has done in between. */
static void data_of_a_load_that_did_not_bypass_are_cached(void **state)
{
    (void)state;
    static const char *const policies[][2] = {{"ctrl_c", "agg_init=1 agg_hold=true"},
                                              {"ctrl_c", "agg_init=3 agg_hold=true"},
                                              {"pc_prob", "n=1"},
                                              {"pc_prob", "n=3"},
                                              {"pc_bypass", "conf_bits=1"}};
    for (uint32_t i = 0; i < 2 * sizeof policies / sizeof policies[0]; i++) {
        struct stage s;
        stage_begin(&s, policies[i / 2][0], policies[i / 2][1], 2, 4, i & 1);
        uint64_t n_bypasses = 0;
        for (char round = 0; round < 60; round++) {
            uint32_t mshrs[2], n = 0;
            while (n < 2) {
                struct cache_result r = load(&s, (char)(1 + s.n % 100), all_room);
                n_bypasses += r.answer == CACHE_BYPASSED;
                if (r.answer == CACHE_MISS)
                    mshrs[n++] = r.mshr;
                else if (r.answer != CACHE_BYPASSED || n_bypasses > 5000)
                    break; /* pc_bypass bypasses for ever */
            }
            while (n)
                fill(&s, mshrs[--n]);
        }
        assert_true(n_bypasses > 0);
        assert_int_equal(cache_stats(s.cache)->fills_dropped, 0);
        stage_destroy(&s);
    }
}

/* Algorithm 11 counts misses, so one in 2^AGG of an instruction's misses is inserted even if no
 * data have arrived. */
static void ctrl_c_inserts_one_in_two_of_the_misses_in_flight(void **state)
{
    (void)state;
    for (int on_fill = 0; on_fill < 2; on_fill++) {
        struct stage s;
        stage_begin(&s, "ctrl_c", "agg_init=1 agg_hold=true", 4, 4, on_fill);
        for (char line = 1; line <= 8; line++)
            assert_int_equal(answer(&s, line), line % 2 ? CACHE_BYPASSED : CACHE_MISS);
        stage_destroy(&s);
    }
}

/* The same line may be bypassed twice at once: a bypass is not tracked, so others cannot join
 * it. */
static void a_bypassed_line_is_joined_by_nobody(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "none", "", 2, 1);
    assert_int_equal(answer(&s, 'a'), CACHE_BYPASSED);
    assert_int_equal(answer(&s, 'a'), CACHE_BYPASSED);
    assert_int_equal(cache_mshrs_in_use(s.cache), 0);
    stage_destroy(&s);
}

/* A line in flight that is still protected makes a load bypass; one whose protection is over makes
 * it wait, as the cache without a policy would, and the wait does not age the set. */
static void a_reserved_line_bypasses_while_protected_and_stalls_after(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "dlp", "pd_init=3", 1, 4);
    struct cache_result a = load(&s, 'a', all_room);   /* life 3 */
    assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED); /* 2 */
    assert_int_equal(answer(&s, 'c'), CACHE_BYPASSED); /* 1 */
    for (int tries = 0; tries < 3; tries++)            /* 0, if it is accepted */
        expect_stall(load(&s, 'd', all_room), STALL_LINE);
    assert_int_equal(answer(&s, 'a'), CACHE_MERGE); /* 3 again */
    assert_int_equal(answer(&s, 'd'), CACHE_BYPASSED);
    assert_int_equal(answer(&s, 'd'), CACHE_BYPASSED);
    fill(&s, a.mshr);
    assert_int_equal(answer(&s, 'd'), CACHE_MISS);
    assert_int_equal(s.n_victims, 1);
    stage_destroy(&s);
}

/* One line is protected, the other in flight and no longer protected: a load waits for that one, or
 * bypasses if configured so. Where no line is protected it waits in any case. */
static void a_load_between_protected_and_reserved_lines_does_as_told(void **state)
{
    (void)state;
    for (int around = 0; around < 2; around++) {
        const char *words = around ? "pd_init=3 bypass_reserved=true" : "pd_init=3";
        struct stage s;
        stage_init(&s, "dlp", words, 2, 4);
        fill(&s, load(&s, 'a', all_room).mshr);
        assert_int_equal(answer(&s, 'b'), CACHE_MISS); /* lives: a 2, b 3 */
        assert_int_equal(answer(&s, 'a'), CACHE_HIT);  /* a 3, b 2 */
        assert_int_equal(answer(&s, 'a'), CACHE_HIT);  /* a 3, b 1 */
        if (around)
            assert_int_equal(answer(&s, 'c'), CACHE_BYPASSED); /* a 2, b 0 */
        else
            expect_stall(load(&s, 'c', all_room), STALL_LINE);
        stage_destroy(&s);
        stage_init(&s, "dlp", words, 1, 4);
        assert_int_equal(answer(&s, 'a'), CACHE_MISS);
        assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED);
        assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED);
        expect_stall(load(&s, 'b', all_room), STALL_LINE);
        stage_destroy(&s);
    }
}

/* Protection is against replacement: a store still removes the line, and the way is free. */
static void a_store_removes_a_protected_line(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "dlp", "pd_init=15", 1, 4);
    fill(&s, load(&s, 'a', all_room).mshr);
    assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED);
    struct mem_access store = access_to(&s, 'a', MEM_STORE);
    assert_int_equal(cache_store(s.cache, &store, all_room, NULL).answer, CACHE_HIT);
    struct cache_result b = load(&s, 'b', all_room);
    assert_int_equal(b.answer, CACHE_MISS);
    assert_int_equal(s.n_victims, 0);
    fill(&s, b.mshr);
    assert_int_equal(answer(&s, 'a'), CACHE_BYPASSED);
    stage_destroy(&s);
}

/* A bypass without room waits; the policy receives no event, so its sequence continues where it
 * was. The port is named before the table. */
static void a_bypass_without_room_waits_and_counts_for_nothing(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "ctrl_c", "agg_init=1 agg_hold=true", 2, 4);
    for (int tries = 0; tries < 3; tries++) {
        expect_stall(load(&s, 'a', (struct cache_resources){true, true, false}),
                     STALL_BYPASS_TABLE);
        expect_stall(load(&s, 'a', (struct cache_resources){true, false, false}), STALL_PORT);
        expect_stall(load(&s, 'a', (struct cache_resources){true, false, true}), STALL_PORT);
    }
    assert_int_equal(s.n_events, 0);
    assert_int_equal(load(&s, 'a', (struct cache_resources){false, true, true}).answer,
                     CACHE_BYPASSED);
    /* The other turn needs the miss queue and neither port nor table. */
    expect_stall(load(&s, 'a', (struct cache_resources){false, true, true}), STALL_MISS_QUEUE);
    assert_int_equal(load(&s, 'a', (struct cache_resources){true, false, false}).answer,
                     CACHE_MISS);
    stage_destroy(&s);
}

/* Bypassing instead of waiting needs an entry too; without one the load waits for the resource it
 * lacked first. */
static void a_load_that_can_neither_wait_inside_nor_go_around_waits(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, "stall_bypass", "", 4, 1);
    struct cache_result a = load(&s, 'a', all_room);
    assert_int_equal(a.answer, CACHE_MISS);
    expect_stall(load(&s, 'b', (struct cache_resources){true, true, false}), STALL_MSHR);
    expect_stall(load(&s, 'b', (struct cache_resources){true, false, true}), STALL_MSHR);
    assert_int_equal(answer(&s, 'b'), CACHE_BYPASSED);
    fill(&s, a.mshr);
    assert_int_equal(answer(&s, 'b'), CACHE_MISS);
    stage_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_of_a_line_on_its_way_merges_instead_of_bypassing),
        cmocka_unit_test(data_of_a_load_that_did_not_bypass_are_cached),
        cmocka_unit_test(ctrl_c_inserts_one_in_two_of_the_misses_in_flight),
        cmocka_unit_test(a_bypassed_line_is_joined_by_nobody),
        cmocka_unit_test(a_reserved_line_bypasses_while_protected_and_stalls_after),
        cmocka_unit_test(a_load_between_protected_and_reserved_lines_does_as_told),
        cmocka_unit_test(a_store_removes_a_protected_line),
        cmocka_unit_test(a_bypass_without_room_waits_and_counts_for_nothing),
        cmocka_unit_test(a_load_that_can_neither_wait_inside_nor_go_around_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
