/* One fact per test, small enough to be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/cache.h"

enum { LINE_BYTES = 128 };
static const struct cache_resources roomy = {true, true, true};

/* One set of two ways, LRU, two MSHRs of two accesses: what a test does not change. */
static struct cache_config small_config(void)
{
    return (struct cache_config){.n_sets = 1,
                                 .n_ways = 2,
                                 .line_bytes = LINE_BYTES,
                                 .sector_bytes = LINE_BYTES,
                                 .n_mshrs = 2,
                                 .mshr_merges = 2,
                                 .policy = "lru"};
}

static struct cache *make(const struct cache_config *config)
{
    const struct cache_policy_desc *policy = cache_policy_find(config->policy);
    struct strbuf why = {0};
    assert_true(cache_config_check(config, policy, NULL, &why));
    return cache_create(config, policy, NULL, 48, 1);
}

static struct mem_access access_to(char line, uint32_t sectors, enum mem_kind kind)
{
    static uint64_t id;
    return (struct mem_access){
        .id = id++, .line = (uint64_t)line * LINE_BYTES, .sector_mask = sectors, .kind = kind};
}

/* Lines are letters; an access serves itself as the waiter. */
static struct cache_result load(struct cache *c, char line)
{
    struct mem_access a = access_to(line, 1, MEM_LOAD);
    return cache_load(c, &a, roomy, c);
}

static struct cache_result load_sectors(struct cache *c, char line, uint32_t sectors)
{
    struct mem_access a = access_to(line, sectors, MEM_LOAD);
    return cache_load(c, &a, roomy, c);
}

static struct cache_result store(struct cache *c, char line)
{
    struct mem_access a = access_to(line, 1, MEM_STORE);
    return cache_store(c, &a, roomy, c);
}

static struct cache_result store_whole(struct cache *c, char line)
{
    struct mem_access a = access_to(line, 1, MEM_STORE);
    mem_bytes_of_segments(15, a.byte_mask);
    return cache_store(c, &a, roomy, c);
}

static struct cache_arrival fill(struct cache *c, uint32_t mshr, uint32_t n_expected)
{
    struct cache_arrival got = cache_fill(c, mshr, 0);
    assert_int_equal(got.n_waiters, n_expected);
    return got;
}

static void load_and_fill(struct cache *c, char line)
{
    struct cache_result r = load(c, line);
    assert_int_equal(r.answer, CACHE_MISS);
    fill(c, r.mshr, 1);
}

static void an_mshr_takes_as_many_as_it_has_room_for_and_no_more(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.mshr_merges = 3;
    struct cache *c = make(&config);
    struct cache_result first = load(c, 'a');
    assert_int_equal(load(c, 'a').answer, CACHE_MERGE);
    assert_int_equal(load(c, 'a').answer, CACHE_MERGE);
    struct cache_result fourth = load(c, 'a');
    assert_int_equal(fourth.answer, CACHE_STALLED);
    assert_int_equal(fourth.stall, STALL_MERGE);
    fill(c, first.mshr, 3);
    assert_int_equal(load(c, 'a').answer, CACHE_HIT);
    cache_destroy(c);
}

static void one_access_an_mshr_means_no_merges(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.mshr_merges = 1;
    struct cache *c = make(&config);
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    assert_int_equal(load(c, 'a').stall, STALL_MERGE);
    cache_destroy(c);
}

static void causes_of_a_stall_have_an_order(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.n_ways = 1;
    struct cache *c = make(&config);
    struct mem_access b = access_to('b', 1, MEM_LOAD);
    struct cache_resources no_queue = {false, true, true};
    struct cache_result a = load(c, 'a'); /* takes the only line and one of two MSHRs */
    assert_int_equal(cache_load(c, &b, roomy, c).stall, STALL_LINE);
    assert_int_equal(cache_load(c, &b, no_queue, c).stall, STALL_MISS_QUEUE);
    fill(c, a.mshr, 1);
    cache_destroy(c);

    config.n_mshrs = 1;
    c = make(&config);
    load(c, 'a');
    assert_int_equal(cache_load(c, &b, no_queue, c).stall, STALL_MSHR);
    load(c, 'a');
    struct mem_access a3 = access_to('a', 1, MEM_LOAD);
    assert_int_equal(cache_load(c, &a3, no_queue, c).stall, STALL_MERGE);
    cache_destroy(c);
}

static void a_bypass_waits_for_the_port_then_for_the_table(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.policy = "none";
    struct cache *c = make(&config);
    struct mem_access a = access_to('a', 1, MEM_LOAD);
    struct cache_resources nothing = {false, false, false}, port = {false, true, false};
    struct cache_resources enough = {.port = true, .bypass_table = true};
    assert_int_equal(cache_load(c, &a, nothing, c).stall, STALL_PORT);
    assert_int_equal(cache_load(c, &a, port, c).stall, STALL_BYPASS_TABLE);
    assert_int_equal(cache_load(c, &a, enough, c).answer, CACHE_BYPASSED);
    assert_int_equal(cache_stats(c)->bypasses, 1);
    assert_int_equal(cache_mshrs_in_use(c), 0);
    cache_destroy(c);
}

static void a_reserved_line_is_nobodys_victim(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    struct cache *c = make(&config);
    struct cache_result a = load(c, 'a');
    load_and_fill(c, 'b'); /* more recent than a, but a is in flight */
    load_and_fill(c, 'c');
    fill(c, a.mshr, 1);
    assert_int_equal(load(c, 'a').answer, CACHE_HIT);
    assert_int_equal(load(c, 'c').answer, CACHE_HIT);
    assert_int_equal(load(c, 'b').answer, CACHE_MISS);
    cache_destroy(c);
}

/* Reserving on the miss, the second line evicts the first; on the fill, the first stays until then.
 */
static void the_victim_leaves_at_the_miss_or_at_the_fill(void **state)
{
    (void)state;
    for (int on_fill = 0; on_fill < 2; on_fill++) {
        struct cache_config config = small_config();
        config.n_ways = 1;
        config.allocate_on_fill = on_fill;
        struct cache *c = make(&config);
        load_and_fill(c, 'a');
        struct cache_result b = load(c, 'b');
        assert_int_equal(cache_stats(c)->evictions, !on_fill);
        if (on_fill)
            assert_int_equal(load(c, 'a').answer, CACHE_HIT);
        fill(c, b.mshr, 1);
        assert_int_equal(cache_stats(c)->evictions, 1);
        assert_int_equal(load(c, 'b').answer, CACHE_HIT);
        cache_destroy(c);
    }
}

static void allocating_on_fill_never_waits_for_a_line(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.n_ways = 1;
    config.allocate_on_fill = true;
    struct cache *c = make(&config);
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    assert_int_equal(load(c, 'b').answer, CACHE_MISS);
    assert_int_equal(load(c, 'c').stall, STALL_MSHR);
    cache_destroy(c);
}

static void a_merge_is_a_use_of_the_line_that_comes(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < 4; shape++) { /* few ways and many, at the miss or the fill */
        struct cache_config config = small_config();
        config.n_ways = shape & 1 ? 16 : 1;
        config.allocate_on_fill = shape & 2;
        struct cache *c = make(&config);
        struct cache_result a = load(c, 'a');
        assert_int_equal(load(c, 'a').answer, CACHE_MERGE);
        fill(c, a.mshr, 2);
        for (uint32_t i = 1; i <= config.n_ways + 1; i++) /* push it out, and the next one */
            load_and_fill(c, (char)('a' + i));
        assert_int_equal(cache_stats(c)->evictions, 2);
        assert_int_equal(cache_stats(c)->evictions_unused, 1);
        cache_destroy(c);
    }
}

static void a_missing_sector_is_fetched_into_its_line(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.sector_bytes = 32;
    struct cache *c = make(&config);
    struct cache_result r = load_sectors(c, 'a', 0x1);
    assert_int_equal(r.fetch_sectors, 0x1);
    assert_int_equal(load_sectors(c, 'a', 0x1).answer, CACHE_MERGE);
    struct cache_result second = load_sectors(c, 'a', 0x6); /* not in flight: it gets its own
                                                             * fetch */
    assert_int_equal(second.answer, CACHE_MISS);
    assert_int_equal(second.fetch_sectors, 0x6);
    fill(c, r.mshr, 2);
    assert_int_equal(load_sectors(c, 'a', 0x1).answer, CACHE_HIT);
    assert_int_equal(load_sectors(c, 'a', 0x3).answer, CACHE_MERGE); /* lacks sector 1 only */
    fill(c, second.mshr, 2);
    assert_int_equal(load_sectors(c, 'a', 0x7).answer, CACHE_HIT);
    struct cache_result last = load_sectors(c, 'a', 0xf);
    assert_int_equal(last.fetch_sectors, 0x8);
    assert_int_equal(cache_stats(c)->sector_misses, 2);
    assert_int_equal(cache_stats(c)->evictions, 0);
    cache_destroy(c);
}

/* A line whose sectors are in flight is protected; once they are here, it can go. */
static void a_line_with_a_sector_on_its_way_stays(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.sector_bytes = 32;
    config.n_ways = 1;
    struct cache *c = make(&config);
    load_and_fill(c, 'a');
    struct cache_result r = load_sectors(c, 'a', 0x2);
    assert_int_equal(load(c, 'b').stall, STALL_LINE);
    fill(c, r.mshr, 1);
    assert_int_equal(load(c, 'b').answer, CACHE_MISS);
    cache_destroy(c);
}

static void a_write_evict_store_removes_the_line_and_goes_on(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.write_evict = true;
    struct cache *c = make(&config);
    load_and_fill(c, 'a');
    struct cache_result r = store(c, 'a');
    assert_int_equal(r.answer, CACHE_HIT);
    assert_true(r.forward);
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    r = store(c, 'z');
    assert_int_equal(r.answer, CACHE_MISS);
    assert_true(r.forward && !r.fetch_sectors);
    assert_int_equal(cache_stats(c)->write_evictions, 1);
    assert_int_equal(cache_stats(c)->evictions, 0);
    cache_destroy(c);
}

/* The answer is older than the store: waiting loads get it, later ones do not. */
static void a_store_parts_an_outstanding_miss_from_later_loads(void **state)
{
    (void)state;
    for (int on_fill = 0; on_fill < 2; on_fill++) {
        struct cache_config config = small_config();
        config.write_evict = true;
        config.allocate_on_fill = on_fill;
        struct cache *c = make(&config);
        struct cache_result old = load(c, 'a');
        store(c, 'a');
        struct cache_result new = load(c, 'a');
        assert_int_equal(new.answer, CACHE_MISS);
        assert_int_not_equal(new.mshr, old.mshr);
        assert_false(fill(c, old.mshr, 1).kept);
        assert_int_equal(load(c, 'a').answer, CACHE_MERGE);
        assert_true(fill(c, new.mshr, 2).kept);
        assert_int_equal(load(c, 'a').answer, CACHE_HIT);
        assert_int_equal(cache_stats(c)->fills_dropped, 1);
        cache_destroy(c);
    }
}

static struct cache_config write_back_config(void)
{
    struct cache_config config = small_config();
    config.write_back = config.write_allocate = true;
    return config;
}

static void a_dirty_victim_is_written_back_and_a_clean_one_is_not(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache *c = make(&config);
    load_and_fill(c, 'a');
    struct cache_result r = store(c, 'a');
    assert_int_equal(r.answer, CACHE_HIT);
    assert_false(r.forward);
    load_and_fill(c, 'b');
    r = load(c, 'c'); /* replaces a, which is dirty */
    assert_true(r.writeback);
    assert_int_equal(cache_victim(c)->line, (uint64_t)'a' * LINE_BYTES);
    fill(c, r.mshr, 1);
    r = load(c, 'd'); /* replaces b, which is clean */
    assert_int_equal(r.answer, CACHE_MISS);
    assert_false(r.writeback);
    cache_destroy(c);
}

static void a_partial_store_fetches_and_a_whole_one_does_not(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache *c = make(&config);
    struct cache_result r = store(c, 'a');
    assert_int_equal(r.answer, CACHE_MISS);
    assert_int_equal(r.fetch_sectors, 1);
    assert_int_equal(store(c, 'a').answer, CACHE_MERGE);
    fill(c, r.mshr, 2);
    r = store_whole(c, 'b');
    assert_int_equal(r.answer, CACHE_HIT);
    assert_int_equal(r.fetch_sectors, 0);
    assert_int_equal(cache_mshrs_in_use(c), 0);
    assert_int_equal(load(c, 'b').answer, CACHE_HIT);
    r = store_whole(c, 'c'); /* a was dirty since its fill */
    assert_true(r.writeback);
    assert_int_equal(cache_victim(c)->line, (uint64_t)'a' * LINE_BYTES);
    cache_destroy(c);
}

static void an_atomic_fetches_even_if_it_covers_its_line(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache *c = make(&config);
    struct mem_access a = access_to('a', 1, MEM_ATOMIC);
    mem_bytes_of_segments(15, a.byte_mask);
    struct cache_result r = cache_store(c, &a, roomy, c);
    assert_int_equal(r.answer, CACHE_MISS);
    assert_int_equal(r.fetch_sectors, 1);
    cache_destroy(c);
}

static void local_stores_of_a_write_evict_cache_stay(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    config.write_evict = true;
    struct cache *c = make(&config);
    struct mem_access a = access_to('a', 1, MEM_STORE);
    a.space = MEM_LOCAL;
    struct cache_result r = cache_store(c, &a, roomy, c);
    assert_int_equal(r.answer, CACHE_MISS);
    assert_false(r.forward);
    fill(c, r.mshr, 1);
    assert_int_equal(cache_store(c, &a, roomy, c).answer, CACHE_HIT);
    assert_int_equal(cache_stats(c)->write_evictions, 0);
    cache_destroy(c);
}

struct written {
    uint64_t lines[8];
    uint32_t n;
};

static void remember(void *user, uint64_t line, uint32_t sectors)
{
    struct written *w = user;
    assert_int_equal(sectors, 1);
    w->lines[w->n++] = line;
}

static void a_flush_empties_the_cache_and_writes_back_what_is_dirty(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache *c = make(&config);
    load_and_fill(c, 'a');
    store_whole(c, 'b');
    struct written w = {0};
    cache_flush(c, remember, &w);
    assert_int_equal(w.n, 1);
    assert_int_equal(w.lines[0], (uint64_t)'b' * LINE_BYTES);
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    assert_int_equal(load(c, 'b').answer, CACHE_MISS);
    assert_int_equal(cache_stats(c)->evictions, 0);
    cache_destroy(c);
}

static void an_invalidated_line_is_gone_and_not_written_back(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache *c = make(&config);
    store_whole(c, 'a');
    cache_invalidate_line(c, (uint64_t)'a' * LINE_BYTES);
    cache_invalidate_line(c, (uint64_t)'x' * LINE_BYTES); /* not there: nothing happens */
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    assert_int_equal(cache_stats(c)->writebacks, 0);
    cache_destroy(c);
}

/* a b a c: LRU replaces b, FIFO replaces a, at the fourth access. */
static void what_differs_from_lru_is_counted(void **state)
{
    (void)state;
    const char *policies[] = {"lru", "fifo"};
    for (int fifo = 0; fifo < 2; fifo++) {
        struct cache_config config = small_config();
        config.policy = policies[fifo];
        struct cache *c = make(&config);
        load_and_fill(c, 'a');
        load_and_fill(c, 'b');
        load(c, 'a');
        struct mem_access last = access_to('c', 1, MEM_LOAD);
        cache_load(c, &last, roomy, c);
        uint64_t n, first;
        cache_lru_differences(c, &n, &first);
        assert_int_equal(n, fifo);
        assert_int_equal(first, fifo ? last.id : UINT64_MAX);
        cache_destroy(c);
    }
}

static void a_wait_is_described(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    struct cache *c = make(&config);
    load(c, 'a'); /* line 'a' * 128 = 0x3080 */
    load(c, 'a');
    struct strbuf out = {0};
    cache_describe_wait(c, &out);
    assert_non_null(strstr(strbuf_text(&out), "1 of 2 MSHRs"));
    assert_non_null(strstr(strbuf_text(&out), "0x3080, 2 of 2"));
    strbuf_destroy(&out);
    cache_destroy(c);
}

static void impossible_caches_are_refused_with_a_reason(void **state)
{
    (void)state;
    struct strbuf why = {0};
    struct cache_config config = small_config();
    config.n_ways = 3;
    assert_true(cache_config_check(&config, cache_policy_find("lru"), NULL, &why));
    assert_false(cache_config_check(&config, cache_policy_find("plru"), NULL, &why));
    assert_non_null(strstr(strbuf_text(&why), "3 ways are not a power of two"));
    strbuf_clear(&why);
    config.n_sets = 12;
    config.index = INDEX_HASH;
    assert_false(cache_config_check(&config, cache_policy_find("lru"), NULL, &why));
    assert_non_null(
        strstr(strbuf_text(&why), "n_sets (12) must be a power of two where index is hash"));
    strbuf_destroy(&why);
}

/* --- a policy that drops what it hits, to see hit_action and would_stall at work --- */

static enum cache_line_action drop(const struct cache_policy *p, const struct cache_set *s,
                                   uint32_t way, const struct mem_access *a)
{
    (void)p, (void)s, (void)way, (void)a;
    return LINE_DROP;
}

static bool yes(const struct cache_policy *p, enum cache_stall cause, const struct mem_access *a)
{
    (void)p, (void)cause, (void)a;
    return true;
}

static void a_policy_may_drop_a_line_at_its_hit(void **state)
{
    (void)state;
    struct cache_config config = write_back_config();
    struct cache_policy_desc desc = *cache_policy_find("lru");
    desc.hit_action = drop;
    struct cache *c = cache_create(&config, &desc, NULL, 48, 1);
    store_whole(c, 'a');
    struct cache_result r = load(c, 'a');
    assert_int_equal(r.answer, CACHE_HIT);
    assert_false(r.writeback);
    assert_int_equal(load(c, 'a').answer, CACHE_MISS);
    assert_int_equal(cache_stats(c)->drops, 1);
    assert_int_equal(cache_stats(c)->writebacks, 0);
    assert_int_equal(cache_stats(c)->evictions, 0);
    cache_destroy(c);
}

static void a_policy_may_bypass_instead_of_stalling(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    config.n_mshrs = 1;
    struct cache_policy_desc desc = *cache_policy_find("lru");
    desc.would_stall = yes;
    desc.never_bypasses = false;
    struct cache *c = cache_create(&config, &desc, NULL, 48, 1);
    load(c, 'a');
    assert_int_equal(load(c, 'b').answer, CACHE_BYPASSED);
    struct mem_access b = access_to('b', 1, MEM_LOAD);
    struct cache_resources no_port = {true, false, true};
    assert_int_equal(cache_load(c, &b, no_port, c).stall, STALL_MSHR);
    assert_int_equal(cache_stats(c)->stall_bypasses, 1);
    cache_destroy(c);
}

static void a_load_sent_around_asks_nobody(void **state)
{
    (void)state;
    struct cache_config config = small_config();
    struct cache *c = make(&config);
    load_and_fill(c, 'a');
    struct mem_access a = access_to('a', 1, MEM_LOAD);
    assert_int_equal(cache_load_bypassing(c, &a, roomy).answer, CACHE_BYPASSED);
    assert_int_equal(cache_stats(c)->bypasses, 1);
    uint64_t n, first;
    cache_lru_differences(c, &n, &first);
    assert_int_equal(n, 0);
    cache_destroy(c);
}

static void statistics_that_disagree_are_named(void **state)
{
    (void)state;
    struct cache_stats s = {.loads = 3, .hits = 1, .misses = 1}, sum = {0};
    struct strbuf why = {0};
    assert_false(cache_stats_check(&s, &why));
    assert_non_null(strstr(strbuf_text(&why), "s->loads =="));
    s.merges = 1;
    assert_true(cache_stats_check(&s, &why));
    cache_stats_add(&sum, &s);
    cache_stats_add(&sum, &s);
    assert_int_equal(sum.loads, 6);
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_mshr_takes_as_many_as_it_has_room_for_and_no_more),
        cmocka_unit_test(one_access_an_mshr_means_no_merges),
        cmocka_unit_test(causes_of_a_stall_have_an_order),
        cmocka_unit_test(a_bypass_waits_for_the_port_then_for_the_table),
        cmocka_unit_test(a_reserved_line_is_nobodys_victim),
        cmocka_unit_test(the_victim_leaves_at_the_miss_or_at_the_fill),
        cmocka_unit_test(allocating_on_fill_never_waits_for_a_line),
        cmocka_unit_test(a_merge_is_a_use_of_the_line_that_comes),
        cmocka_unit_test(a_missing_sector_is_fetched_into_its_line),
        cmocka_unit_test(a_line_with_a_sector_on_its_way_stays),
        cmocka_unit_test(a_write_evict_store_removes_the_line_and_goes_on),
        cmocka_unit_test(a_store_parts_an_outstanding_miss_from_later_loads),
        cmocka_unit_test(a_dirty_victim_is_written_back_and_a_clean_one_is_not),
        cmocka_unit_test(a_partial_store_fetches_and_a_whole_one_does_not),
        cmocka_unit_test(an_atomic_fetches_even_if_it_covers_its_line),
        cmocka_unit_test(local_stores_of_a_write_evict_cache_stay),
        cmocka_unit_test(a_flush_empties_the_cache_and_writes_back_what_is_dirty),
        cmocka_unit_test(an_invalidated_line_is_gone_and_not_written_back),
        cmocka_unit_test(what_differs_from_lru_is_counted),
        cmocka_unit_test(a_wait_is_described),
        cmocka_unit_test(impossible_caches_are_refused_with_a_reason),
        cmocka_unit_test(a_policy_may_drop_a_line_at_its_hit),
        cmocka_unit_test(a_policy_may_bypass_instead_of_stalling),
        cmocka_unit_test(a_load_sent_around_asks_nobody),
        cmocka_unit_test(statistics_that_disagree_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
