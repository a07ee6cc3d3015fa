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
static const struct cache_room room = {.miss_queue = true, .port = true, .bypass_table = true};

static struct cache *make(uint32_t sector_bytes)
{
    struct cache_config c = {.n_sets = 1,
                             .n_ways = N_WAYS,
                             .line_bytes = LINE,
                             .sector_bytes = sector_bytes,
                             .n_mshrs = 4,
                             .mshr_merges = 4,
                             .write_back = true,
                             .write_allocate = true,
                             .policy = "write_buffering"};
    return cache_create(&c, cache_policy_find("write_buffering"), NULL, 0, 1);
}

/* Of a line by its number; `quarters` of it, a bit each. */
static struct mem_access access_of(enum mem_kind kind, enum mem_operator op, uint64_t line,
                                   uint32_t quarters, bool sectored)
{
    struct mem_access a = {.line = line * LINE,
                           .kind = kind,
                           .op = op,
                           .space = MEM_GLOBAL,
                           .sector_mask = sectored ? quarters : 1,
                           .full_line = quarters == 15};
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
    /* Loads that merged have read all of this line: the next hit of a load drops it. */
    c = make(LINE);
    struct cache_result miss = store(c, MEM_OP_CC, 0, 3);
    load(c, 0, 3);
    cache_fill(c, miss.mshr, 1);
    assert_false(cache_load(c, &fetch, room, c).dropped);
    assert_true(load(c, 0, 8).dropped);
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

/* While sectors are on their way the line stays, whatever has been read. */
static void a_line_with_sectors_under_way_is_not_dropped(void **state)
{
    (void)state;
    struct cache *c = make(32);
    struct mem_access s = access_of(MEM_STORE, MEM_OP_CC, 0, 1, true);
    struct mem_access other = access_of(MEM_LOAD, MEM_OP_NONE, 0, 8, true);
    struct mem_access mine = access_of(MEM_LOAD, MEM_OP_NONE, 0, 1, true);
    assert_int_equal(cache_store(c, &s, room, NULL).answer, CACHE_HIT); /* a whole sector */
    struct cache_result fetch = cache_load(c, &other, room, c);
    assert_int_equal(fetch.answer, CACHE_MISS);
    assert_false(cache_load(c, &mine, room, c).dropped);
    cache_fill(c, fetch.mshr, 1);
    assert_true(cache_load(c, &mine, room, c).dropped);
    cache_destroy(c);
}

static void costs_follow_what_is_kept(void **state)
{
    (void)state;
    const struct cache_policy_desc *d = cache_policy_find("write_buffering");
    struct cache_geometry g = {.n_sets = 64, .n_ways = 8, .line_bytes = 128, .write_back = true};
    struct {
        uint32_t drop;
        bool marks[2];
    } params = {0};
    assert_int_equal(d->params_bytes, sizeof params);
    assert_int_equal(d->cost_bits(&g, &params, NULL), 512 + 512 * 256);
    params.drop = 1; /* first_hit: a flag a line, as in S1 */
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
        cmocka_unit_test(a_marked_load_merges_with_a_fetch_and_bypasses_without_one),
        cmocka_unit_test(an_atomic_is_an_unmarked_store),
        cmocka_unit_test(an_atomic_in_an_sm_is_an_unmarked_store_too),
        cmocka_unit_test(bytes_that_are_stored_again_are_unread_again),
        cmocka_unit_test(a_line_with_sectors_under_way_is_not_dropped),
        cmocka_unit_test(costs_follow_what_is_kept),
        cmocka_unit_test(caches_without_stores_of_their_own_are_refused),
        cmocka_unit_test(lost_bytes_are_those_dropped_and_not_stored_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
