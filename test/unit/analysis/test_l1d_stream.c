/* A recording against the counters of the machine that was recorded, which know nothing of it; and
 * the ways to read it against each other. */
#include "unit/analysis/l1d_recording.h"

#include "analysis/lab_replay.h"
#include "analysis/lab_timed.h"
#include "analysis/locality.h"
#include "cache/cache_policy.h"

static uint64_t stat(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    assert_true(heddle_stat_find(sim, name, &s));
    return s.count;
}

/* The settings of a policy that depends only on what is recorded, at L1Ds of all kinds. */
static const char *const machines[][N_SETTINGS] = {
    {"n_sms=3", "l1d.policy=lru"},
    {"n_sms=3", "l1d.policy=none"},
    {"n_sms=3", "l1d.policy=random"},
    {"n_sms=3", "l1d.policy=drrip", "l1d.sector_bytes=32", "l1d.allocate_on_fill=true",
     "l1d.n_ways=2", "l2.sector_bytes=32"},
    {"n_sms=3", "l1d.policy=ctrl_c", "l1d.sector_bytes=64", "l1d.allocate_on_fill=true"},
    {"n_sms=3", "l1d.policy=ship", "l1d.sector_bytes=32", "l1d.write_evict=false", "l1d.n_sets=8",
     "l1d.n_mshrs=64"},
    {"n_sms=3", "l1d.policy=lru", "l1d.sector_bytes=32", "l1d.write_evict=false",
     "l1d.write_allocate=true", "l1d.allocate_on_fill=true"},
    {"n_sms=3", "l1d.policy=dlp"},
    {"n_sms=3", "l1d.policy=dlp", "l1d.sector_bytes=32", "l1d.allocate_on_fill=true",
     "l1d.n_sets=8"},
};
enum { N_MACHINES = sizeof machines / sizeof machines[0] };

static void check_counters(const struct heddle_sim *sim, const struct counts *c)
{
    const uint64_t *loads = c->by_outcome[L1D_LOAD], *stores = c->by_outcome[L1D_STORE];
    assert_int_equal(loads[L1D_HIT], stat(sim, "l1d.hits"));
    assert_int_equal(loads[L1D_MERGE], stat(sim, "l1d.merges"));
    assert_int_equal(loads[L1D_MISS], stat(sim, "l1d.misses"));
    assert_int_equal(loads[L1D_BYPASS], stat(sim, "l1d.bypasses"));
    assert_int_equal(stores[L1D_HIT] + stores[L1D_MERGE] + stores[L1D_MISS] + stores[L1D_BYPASS],
                     stat(sim, "l1d.stores"));
    assert_int_equal(c->by_outcome[L1D_FILL][L1D_KEPT], stat(sim, "l1d.fills"));
    assert_int_equal(c->by_outcome[L1D_FILL][L1D_NOT_KEPT], stat(sim, "l1d.fills_dropped"));
    assert_int_equal(c->by_outcome[L1D_EVICT][EVICT_REPLACE], stat(sim, "l1d.evictions"));
    assert_int_equal(c->by_outcome[L1D_EVICT][EVICT_WRITE], stat(sim, "l1d.write_evictions"));
    /* 64 counters lie in two lines: each warp's lanes touch one of them. */
    assert_int_equal(c->by_outcome[L1D_ATOMIC][L1D_BYPASS], 2 * 32 * 8);
    assert_int_equal(c->thread_insts, stat(sim, "thread_insts"));
}

/* The recorded cache again: every counter of it is the machine's. */
static void check_timed_replay(const struct heddle_sim *sim, const char *path, const char *policy)
{
    struct lab_timed t;
    struct strbuf why = {0};
    if (!lab_timed_replay(path, cache_policy_find(policy), NULL, &t, &why))
        fail_msg("%s", strbuf_text(&why));
    assert_int_equal(t.n_different, 0);
#define COUNTER(field, name, help)                                                                 \
    if (t.stats.field != stat(sim, "l1d." name))                                                   \
        fail_msg("%s: %s is %llu, not %llu", policy, name, (unsigned long long)t.stats.field,      \
                 (unsigned long long)stat(sim, "l1d." name));
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
    strbuf_destroy(&why);
}

static void events_replay_the_counters(void **state)
{
    (void)state;
    uint64_t n_dropped = 0, n_sector_misses = 0;
    for (int i = 0; i < N_MACHINES; i++) {
        struct memory_file file = {0};
        struct strbuf why = {0};
        struct counts c;
        struct heddle_sim *sim = record_watched(machines[i], &file, NULL, NULL);
        const char *path = on_disk(file.bytes, file.n);
        if (read_all(path, &c, &why) != L1D_READ_END)
            fail_msg("%s", strbuf_text(&why));
        check_counters(sim, &c);
        check_timed_replay(sim, path, strchr(machines[i][1], '=') + 1);
        n_dropped += stat(sim, "l1d.fills_dropped");
        n_sector_misses += stat(sim, "l1d.sector_misses");
        heddle_destroy(sim);
        free(file.bytes);
        strbuf_destroy(&why);
    }
    assert_true(n_dropped > 0 && n_sector_misses > 0); /* else nothing was shown */
}

/* Whose lines are hit, computed once more from the ways of the cache: the owner of a line is the
 * warp that reserved its way. */
struct place {
    uint64_t warp, thread;
};
enum { PLACES = 4096, PLACE_WAYS = 64 };
struct by_place {
    struct place places[PLACES];
    uint64_t hits[N_LAB_LOCALITIES];
};

static void watch_place(void *user, const struct cache_event_info *e)
{
    struct by_place *b = user;
    const struct mem_access *a = e->access;
    if (!a || e->way >= PLACE_WAYS)
        return;
    struct place *p = &b->places[e->set * PLACE_WAYS + e->way];
    if (e->event == CE_RESERVE)
        *p = (struct place){a->warp_uid, a->first_thread};
    else if (e->event == CE_HIT || e->event == CE_MERGE)
        b->hits[p->warp != a->warp_uid         ? LAB_INTER_WARP
                : p->thread != a->first_thread ? LAB_INTER_THREAD
                                               : LAB_INTRA_THREAD]++;
}

/* One for each SM. */
static void watch_sms(struct heddle_sim *sim, void *user)
{
    struct by_place *places = user;
    for (uint32_t i = 0; i < 3; i++)
        cache_observe(machine_sm(sim->machine, i)->l1d, watch_place, &places[i]);
}

static void hits_are_the_owners_of_their_places(void **state)
{
    (void)state;
    static const char *const policies[][N_SETTINGS] = {{"l1d.policy=lru", "n_sms=3"},
                                                       {"l1d.policy=random", "n_sms=3"},
                                                       {"l1d.policy=ctrl_c", "n_sms=3"}};
    for (int i = 0; i < 3; i++) {
        struct memory_file file = {0};
        struct strbuf why = {0};
        struct by_place *places = xcalloc(3, sizeof *places);
        struct locality l;
        struct heddle_sim *sim = record_watched(policies[i], &file, watch_sms, places);
        const struct cache_config *l1d = &sim->machine->config->sm.l1d;
        assert_true(l1d->n_sets * PLACE_WAYS <= PLACES);
        assert_true(locality_measure(on_disk(file.bytes, file.n), l1d, LOCALITY_RUN, &l, &why));
        const uint64_t told[] = {l.intra_thread, l.inter_thread, l.inter_warp};
        for (int k = 0; k < N_LAB_LOCALITIES; k++) {
            uint64_t n = places[0].hits[k] + places[1].hits[k] + places[2].hits[k];
            assert_int_equal(told[k], n);
            assert_true(n > 0);
        }
        assert_int_equal(l.belady_misses, 0); /* was not requested */
        heddle_destroy(sim);
        free(places);
        free(file.bytes);
        strbuf_destroy(&why);
    }
    unlink(on_disk((const uint8_t *)"", 0));
}

static bool keep_text(void *user, const void *data, size_t bytes)
{
    strbuf_add_n(user, data, bytes);
    return true;
}

/* The same replay of the file at `path`: all at once, or in parts on a separate thread; did it
 * succeed? */
static bool reads_alike(const char *path, const struct lab_config *config, bool has_log)
{
    struct strbuf why = {0}, why_ahead = {0}, text = {0}, text_ahead = {0};
    struct sink log = {keep_text, &text}, log_ahead = {keep_text, &text_ahead};
    struct lab_job at_once = {.config = *config, .log = has_log ? &log : NULL};
    struct lab_job ahead = {.config = *config, .log = has_log ? &log_ahead : NULL};
    struct lab_stream all = {0}, some = {0};
    bool ok = lab_stream_read_recording(&all, path, &why) && lab_replay_all(&all, &at_once, 1);
    bool ok_ahead = lab_stream_open_recording(&some, path, &why_ahead) &&
                    lab_replay_opened(&some, &ahead, 1, &why_ahead);
    assert_int_equal(ok, ok_ahead);
    assert_string_equal(strbuf_text(&why), strbuf_text(&why_ahead));
    if (ok) {
        assert_memory_equal(&at_once.result, &ahead.result, sizeof ahead.result);
        assert_string_equal(strbuf_text(&text), strbuf_text(&text_ahead));
        assert_true(cache_stats_check(&ahead.result.stats, &why));
    }
    assert_memory_equal(all.recorded, some.recorded, sizeof all.recorded);
    lab_stream_destroy(&all);
    lab_stream_destroy(&some);
    strbuf_destroy(&why);
    strbuf_destroy(&why_ahead);
    strbuf_destroy(&text);
    strbuf_destroy(&text_ahead);
    return ok;
}

/* The result is the same, and a truncated file is refused for the same reason. Plain LRU reads less
 * than others. */
static void reading_ahead_changes_nothing(void **state)
{
    (void)state;
    const struct lab_config configs[] = {
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("srrip")},
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("lru")},
        {.n_sets = 7, .n_ways = 3, .line_bytes = 64, .policy = lab_policy_find("lru")},
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("dlp")},
    };
    enum { N_CONFIGS = sizeof configs / sizeof configs[0] };
    struct memory_file file = {0};
    heddle_destroy(record("l1d.policy=lru", &file));
    for (size_t i = 0; i < 12; i++) {
        size_t n = i < N_CONFIGS ? file.n : i * 2654435761u % file.n;
        assert_int_equal(reads_alike(on_disk(file.bytes, n), &configs[i % N_CONFIGS], i % 2),
                         i < N_CONFIGS);
    }
    assert_true(reads_alike(on_disk(file.bytes, file.n), &configs[1], true));
    unlink(on_disk(file.bytes, 0));
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_replay_the_counters),
        cmocka_unit_test(hits_are_the_owners_of_their_places),
        cmocka_unit_test(reading_ahead_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
