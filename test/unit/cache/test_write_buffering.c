/* Write-buffering where data take time, which the cache laboratory cannot show: fetches that stores
 * and loads merge with, lines that wait for data, sectors, atomics; and the bytes that are lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "cache/lost_bytes.h"

enum { LINE = 128, N_WAYS = 2 };
static const struct cache_resources room = {.miss_queue = true, .port = true, .bypass_table = true};

enum drop { ALL_READ, FIRST_HIT, DEMOTE }; /* as l2.policy.drop names them */
struct params {
    uint32_t drop;
    bool mark_stores, mark_loads;
};

static struct cache *make_dropping(uint32_t sector_bytes, enum drop drop)
{
    struct params params = {.drop = drop};
    struct cache_config c = {.n_sets = 1,
                             .n_ways = N_WAYS,
                             .line_bytes = LINE,
                             .sector_bytes = sector_bytes,
                             .n_mshrs = 4,
                             .mshr_merges = 4,
                             .write_back = true,
                             .write_allocate = true,
                             .policy = "write_buffering"};
    return cache_create(&c, cache_policy_find("write_buffering"), &params, 0, 1);
}

static struct cache *make(uint32_t sector_bytes)
{
    return make_dropping(sector_bytes, ALL_READ);
}

/* Of a line by its number; `quarters` of it, a bit each. */
static struct mem_access access_of(enum mem_kind kind, enum mem_operator op, uint64_t line,
                                   uint32_t quarters, bool sectored)
{
    struct mem_access a = {.line = line * LINE,
                           .kind = kind,
                           .op = op,
                           .space = MEM_GLOBAL,
                           .sector_mask = sectored ? quarters : 1};
    for (uint32_t i = 0; i < 4; i++)
        if (quarters >> i & 1)
            a.byte_mask[i / 2] |= 0xffffffffull << 32 * (i % 2);
    return a;
}

static struct cache_result store(struct cache *c, enum mem_operator op, uint64_t line,
                                 uint32_t quarters)
{
    struct mem_access a = access_of(MEM_STORE, op, line, quarters, false);
    return cache_store(c, &a, room, NULL);
}

static struct cache_result load(struct cache *c, uint64_t line, uint32_t quarters)
{
    struct mem_access a = access_of(MEM_LOAD, MEM_OP_NONE, line, quarters, false);
    return cache_load(c, &a, room, c);
}

/* The same in a cache with sectors of a quarter; stores are marked. */
static struct cache_result store_sectors(struct cache *c, uint64_t line, uint32_t quarters)
{
    struct mem_access a = access_of(MEM_STORE, MEM_OP_CC, line, quarters, true);
    return cache_store(c, &a, room, NULL);
}

static struct cache_result load_sectors(struct cache *c, uint64_t line, uint32_t quarters)
{
    struct mem_access a = access_of(MEM_LOAD, MEM_OP_NONE, line, quarters, true);
    return cache_load(c, &a, room, c);
}

/* The mark of a store that merges with a fetch counts from the fill on. */
static void a_merging_store_sets_c_at_the_fill(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct cache_result fetch = load(c, 0, 15);
    assert_int_equal(fetch.answer, CACHE_MISS);
    assert_int_equal(store(c, MEM_OP_CC, 0, 1).answer, CACHE_MERGE);
    assert_int_equal(store(c, MEM_OP_CC, 1, 15).answer,
                     CACHE_HIT); /* fills the other way, with C */
    /* The first line has no C yet, but waits for data: neither a victim nor a reason to bypass. */
    assert_int_equal(store(c, MEM_OP_CC, 2, 15).answer, CACHE_STALLED);
    cache_fill(c, fetch.mshr, 1);
    assert_int_equal(store(c, MEM_OP_CC, 2, 15).answer, CACHE_BYPASSED);
    assert_true(load(c, 0, 1).dropped);
    cache_destroy(c);
}

/* A marked store that allocates and fetches has C at once; what merges with it counts as read. */
static void merging_loads_read_a_line_that_has_c(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct cache_result fetch = store(c, MEM_OP_CC, 0, 3);
    assert_int_equal(fetch.answer, CACHE_MISS);
    assert_int_equal(load(c, 0, 1).answer, CACHE_MERGE);
    cache_fill(c, fetch.mshr, 1);
    assert_false(load(c, 0, 8).dropped); /* quarter 1 is still to be read */
    assert_true(load(c, 0, 2).dropped);
    cache_destroy(c);
}

/* A line that was read while it waited for data is dropped when they have arrived. */
static void merging_loads_that_read_all_give_the_line_up_at_the_fill(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct cache_result fetch = store(c, MEM_OP_CC, 0, 3);
    load(c, 0, 3);
    struct cache_arrival got = cache_fill(c, fetch.mshr, 1);
    assert_true(got.n_waiters == 2 && !got.kept && !got.writeback);
    assert_int_equal(cache_stats(c)->drops, 1);
    assert_int_equal(load(c, 0, 1).answer, CACHE_MISS);
    cache_destroy(c);
}

static void a_marked_load_merges_with_a_fetch_and_bypasses_without_one(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct mem_access marked = access_of(MEM_LOAD, MEM_OP_CP, 0, 15, false);
    assert_int_equal(cache_load(c, &marked, room, c).answer, CACHE_BYPASSED);
    struct cache_result fetch = load(c, 0, 15);
    assert_int_equal(cache_load(c, &marked, room, c).answer, CACHE_MERGE);
    cache_fill(c, fetch.mshr, 1);
    assert_int_equal(cache_load(c, &marked, room, c).answer, CACHE_HIT);
    marked.space = MEM_CONST; /* marks are of global memory */
    marked.line = LINE;
    assert_int_equal(cache_load(c, &marked, room, c).answer, CACHE_MISS);
    cache_destroy(c);
}

static void an_atomic_is_an_unmarked_store(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct mem_access atomic = access_of(MEM_ATOMIC, MEM_OP_CC, 0, 1, false);
    store(c, MEM_OP_CC, 0, 15);
    assert_false(load(c, 0, 14).dropped);
    assert_int_equal(cache_store(c, &atomic, room, c).answer, CACHE_HIT);
    assert_true(load(c, 0, 1).dropped);
    /* Where it brings the line in, that has no C: a marked store may replace it. */
    struct cache_result fetch = cache_store(c, &atomic, room, c);
    cache_fill(c, fetch.mshr, 1);
    store(c, MEM_OP_CC, 1, 15);
    struct cache_result r = store(c, MEM_OP_CC, 2, 15);
    assert_true(r.answer == CACHE_HIT && r.writeback);
    assert_int_equal(cache_victim(c)->line, 0);
    cache_destroy(c);
}

/* L2 sees an atomic that an SM performs as a load of its data and a store of what it changed. */
static void an_atomic_in_an_sm_is_an_unmarked_store_too(void **state)
{
    (void)state;
    struct cache *c = make(LINE);
    struct mem_access fetch = access_of(MEM_LOAD, MEM_OP_CP, 0, 15, false);
    struct mem_access change = access_of(MEM_STORE, MEM_OP_CC, 1, 15, false);
    fetch.for_atomic = change.for_atomic = true;
    store(c, MEM_OP_CC, 0, 15);
    struct cache_result r = cache_load(c, &fetch, room, c);
    assert_true(r.answer == CACHE_HIT && !r.dropped);
    assert_false(load(c, 0, 7).dropped); /* the fetch has read nothing for the program */
    assert_true(load(c, 0, 8).dropped);
    assert_int_equal(cache_load(c, &fetch, room, c).answer, CACHE_MISS); /* .cp would bypass */
    cache_store(c, &change, room, NULL);
    store(c, MEM_OP_CC, 2, 15); /* replaces it: it has no C, and the other line waits for data */
    assert_int_equal(cache_victim(c)->line, LINE);
    cache_destroy(c);
    /* Nor does it read where it merges, or lacks sectors. */
    c = make(LINE);
    struct cache_result miss = store(c, MEM_OP_CC, 0, 3);
    assert_int_equal(cache_load(c, &fetch, room, c).answer, CACHE_MERGE);
    assert_true(cache_fill(c, miss.mshr, 1).kept);
    cache_destroy(c);
    c = make(32);
    fetch.sector_mask = 15;
    store_sectors(c, 0, 1);
    miss = cache_load(c, &fetch, room, c);
    assert_int_equal(miss.fetch_sectors, 14);
    assert_true(cache_fill(c, miss.mshr, 1).kept);
    cache_destroy(c);
}

/* In either half of the line. */
static void bytes_that_are_stored_again_are_unread_again(void **state)
{
    (void)state;
    for (uint32_t quarter = 1; quarter <= 8; quarter *= 2) {
        uint32_t other = quarter == 4 ? 2 : 4;
        struct cache *c = make(LINE);
        store(c, MEM_OP_CC, 0, 15);
        assert_false(load(c, 0, 15 & ~other).dropped);
        store(c, MEM_OP_NONE, 0, quarter);
        assert_false(load(c, 0, other).dropped);
        assert_true(load(c, 0, quarter).dropped);
        cache_destroy(c);
    }
}

/* While sectors are in flight the line stays, whatever has been read; then it goes. */
static void a_line_with_sectors_under_way_is_dropped_when_they_are_there(void **state)
{
    (void)state;
    for (enum drop drop = ALL_READ; drop <= FIRST_HIT; drop++) {
        struct cache *c = make_dropping(32, drop);
        assert_int_equal(store_sectors(c, 0, 1).answer, CACHE_HIT); /* a whole sector */
        struct cache_result first = load_sectors(c, 0, 8), second = load_sectors(c, 0, 4);
        assert_true(first.answer == CACHE_MISS && second.answer == CACHE_MISS);
        struct cache_result hit = load_sectors(c, 0, 1);
        assert_true(hit.answer == CACHE_HIT && !hit.dropped);
        assert_true(cache_fill(c, first.mshr, 1).kept);
        assert_false(cache_fill(c, second.mshr, 1).kept);
        assert_int_equal(load_sectors(c, 0, 1).answer, CACHE_MISS);
        cache_destroy(c);
    }
}

/* A load that lacks some sectors returns the others too: it has read them. */
static void a_load_of_missing_sectors_reads_those_that_are_there(void **state)
{
    (void)state;
    struct cache *c = make(32);
    store_sectors(c, 0, 3);
    struct cache_result miss = load_sectors(c, 0, 9);
    assert_true(miss.answer == CACHE_MISS && miss.fetch_sectors == 8);
    assert_true(cache_fill(c, miss.mshr, 1).kept); /* sector 1 is still to be read */
    assert_true(load_sectors(c, 0, 2).dropped);    /* and sector 0 is not */
    store_sectors(c, 0, 3);
    miss = load_sectors(c, 0, 7); /* all that was written */
    struct cache_arrival got = cache_fill(c, miss.mshr, 1);
    assert_true(!got.kept && !got.writeback);
    assert_int_equal(cache_stats(c)->drops, 2);
    assert_int_equal(cache_stats(c)->writebacks, 0);
    cache_destroy(c);
}

/* Before its data are there the line is stored to: what was stored is unread. */
static void a_store_before_the_fill_keeps_a_line_that_was_read(void **state)
{
    (void)state;
    struct cache *c = make(32);
    struct mem_access unmarked = access_of(MEM_STORE, MEM_OP_NONE, 0, 1, true);
    store_sectors(c, 0, 1);
    struct cache_result miss = load_sectors(c, 0, 9);
    assert_int_equal(cache_store(c, &unmarked, room, NULL).answer, CACHE_HIT);
    assert_true(cache_fill(c, miss.mshr, 1).kept);
    assert_true(load_sectors(c, 0, 1).dropped);
    cache_destroy(c);
}

/* S1 drops lines at hits: a load that lacks sectors does not count as one. */
static void a_load_of_missing_sectors_is_no_first_hit(void **state)
{
    (void)state;
    struct cache *c = make_dropping(32, FIRST_HIT);
    store_sectors(c, 0, 1);
    struct cache_result miss = load_sectors(c, 0, 9);
    assert_true(cache_fill(c, miss.mshr, 1).kept);
    assert_true(load_sectors(c, 0, 8).dropped);
    cache_destroy(c);
}

/* Line 0 is demoted or not, line 1 is used before it; returns the line that line 2 replaces. */
static uint64_t victim_after(uint32_t first, uint32_t second)
{
    struct cache *c = make_dropping(32, DEMOTE);
    store_sectors(c, 0, 1);
    assert_false(load_sectors(c, 0, first).dropped);
    struct mem_access other = access_of(MEM_STORE, MEM_OP_NONE, 1, 15, true);
    cache_store(c, &other, room, NULL);
    struct cache_result use = load_sectors(c, 0, second);
    if (use.answer == CACHE_MISS)
        assert_true(cache_fill(c, use.mshr, 1).kept);
    assert_true(load_sectors(c, 2, 15).writeback);
    uint64_t victim = cache_victim(c)->line / LINE;
    cache_destroy(c);
    return victim;
}

static void a_load_of_missing_sectors_demotes_and_ends_a_demotion(void **state)
{
    (void)state;
    assert_int_equal(victim_after(1, 8), 1); /* demoted by a hit, used again */
    assert_int_equal(victim_after(1, 1), 1);
    struct cache *c = make_dropping(32, DEMOTE);
    store_sectors(c, 0, 1);
    store_sectors(c, 1, 15);
    struct cache_result miss = load_sectors(c, 0, 9); /* demoted by this */
    assert_true(cache_fill(c, miss.mshr, 1).kept);
    assert_true(load_sectors(c, 2, 15).writeback);
    assert_int_equal(cache_victim(c)->line, 0); /* though it was used last */
    cache_destroy(c);
}

static void costs_follow_what_is_kept(void **state)
{
    (void)state;
    const struct cache_policy_desc *d = cache_policy_find("write_buffering");
    struct cache_geometry g = {.n_sets = 64, .n_ways = 8, .line_bytes = 128, .write_back = true};
    struct params params = {0};
    assert_int_equal(d->params_bytes, sizeof params);
    assert_int_equal(d->cost_bits(&g, &params, NULL), 512 + 512 * 256);
    params.drop = FIRST_HIT; /* a flag a line, as in S1 */
    assert_int_equal(d->cost_bits(&g, &params, NULL), 512);
}

static void caches_without_stores_of_their_own_are_refused(void **state)
{
    (void)state;
    const struct cache_policy_desc *d = cache_policy_find("write_buffering");
    struct cache_geometry good = {.n_sets = 1, .n_ways = 1, .line_bytes = 128, .write_back = true};
    struct cache_geometry through = good, late = good, wide = good;
    struct strbuf why = {0};
    through.write_back = false;
    late.allocate_on_fill = true;
    wide.line_bytes = 256;
    assert_true(d->check(&good, NULL, &why) && d->l2_only);
    assert_false(d->check(&through, NULL, &why));
    assert_false(d->check(&late, NULL, &why));
    assert_false(d->check(&wide, NULL, &why));
    strbuf_destroy(&why);
}

static void lost_bytes_are_those_dropped_and_not_stored_since(void **state)
{
    (void)state;
    const uint64_t low[2] = {15, 0}, high[2] = {0, 1}, both[2] = {15, 1}, two[2] = {3, 0};
    struct lost_bytes t = {0};
    lost_stored(&t, 0, 0x1000, both, true);
    assert_false(lost_is_read(&t, 0, both)); /* the cache has them */
    lost_dropped(&t, 0);
    assert_true(lost_is_read(&t, 0, low) && lost_is_read(&t, 0, high));
    assert_false(lost_is_read(&t, LINE, low));
    lost_stored(&t, 0, 0x1000, two, false); /* to memory */
    assert_false(lost_is_read(&t, 0, two));
    assert_true(lost_is_read(&t, 0, low));
    lost_overwritten(&t, 0, high);
    assert_false(lost_is_read(&t, 0, high));
    lost_stored(&t, 0, 0x1000, low, true);
    lost_written_back(&t, 0);
    lost_dropped(&t, 0); /* nothing is dirty any more */
    assert_false(lost_is_read(&t, 0, both));
    for (uint64_t line = 1; line < 1000; line++) /* it grows, and forgets nothing */
        lost_stored(&t, line * LINE, line, low, true);
    for (uint64_t line = 1; line < 1000; line += 2)
        lost_dropped(&t, line * LINE);
    for (uint64_t line = 1; line < 1000; line++)
        assert_int_equal(lost_is_read(&t, line * LINE, two), line % 2);
    lost_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merging_store_sets_c_at_the_fill),
        cmocka_unit_test(merging_loads_read_a_line_that_has_c),
        cmocka_unit_test(merging_loads_that_read_all_give_the_line_up_at_the_fill),
        cmocka_unit_test(a_marked_load_merges_with_a_fetch_and_bypasses_without_one),
        cmocka_unit_test(an_atomic_is_an_unmarked_store),
        cmocka_unit_test(an_atomic_in_an_sm_is_an_unmarked_store_too),
        cmocka_unit_test(bytes_that_are_stored_again_are_unread_again),
        cmocka_unit_test(a_line_with_sectors_under_way_is_dropped_when_they_are_there),
        cmocka_unit_test(a_load_of_missing_sectors_reads_those_that_are_there),
        cmocka_unit_test(a_store_before_the_fill_keeps_a_line_that_was_read),
        cmocka_unit_test(a_load_of_missing_sectors_is_no_first_hit),
        cmocka_unit_test(a_load_of_missing_sectors_demotes_and_ends_a_demotion),
        cmocka_unit_test(costs_follow_what_is_kept),
        cmocka_unit_test(caches_without_stores_of_their_own_are_refused),
        cmocka_unit_test(lost_bytes_are_those_dropped_and_not_stored_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
