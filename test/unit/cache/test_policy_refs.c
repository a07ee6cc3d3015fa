/* Every L1D policy against its plain reference of policy_refs.h, decision by decision: hit, merge,
 * insertion into which way and over which line, bypass, wait. Streams of addresses and PCs that
 * fit, that do not, that change their mind; fills at once and late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "unit/cache/policy_refs.h"
#include "unit/plugin_params.h"
#include "unit/random_bits.h"

enum { MAX_OUTSTANDING = 32, N_ACCESSES = 3000, N_PCS = 6 };

/* How addresses come; each breaks something that the others leave alone. */
enum stream { UNIFORM, LOOP_JUST_TOO_BIG, LOOP_TWICE, HOT_AND_SCAN, BY_PC, PHASES, N_STREAMS };
static const char *const stream_names[N_STREAMS] = {"uniform",
                                                    "loop just too big",
                                                    "loop of twice the cache",
                                                    "hot lines and a scan",
                                                    "a habit for each PC",
                                                    "phases"};

struct fetch {
    uint32_t mshr;
    uint64_t ref; /* what the reference calls it */
    uint64_t due; /* number of the access before which the data come */
};

struct duel {
    struct arena arena;
    struct cache *cache;
    struct ref_cache ref;
    const char *policy, *words;
    enum stream stream;
    uint32_t fill_lag; /* 0 = fills at once */
    uint64_t random, n, walk[N_PCS + 1];
    struct fetch fetches[MAX_OUTSTANDING];
    uint32_t n_fetches;
    struct ref_decision seen; /* what the cache did with the present access */
    uint32_t n_coins, n_inserted_by_coin;
};

static void watch(void *user, const struct cache_event_info *e)
{
    struct duel *d = user;
    if (e->event == CE_EVICT && e->cause == EVICT_REPLACE) {
        d->seen.has_victim = true;
        d->seen.victim = e->line->line;
        d->seen.victim_warp = e->line->reserver_slot;
    }
    if (e->event == CE_RESERVE || e->event == CE_HIT || e->event == CE_MERGE)
        d->seen.way = (int)e->way;
}

/* False if the policy cannot work in such a cache. */
static bool duel_init(struct duel *d, const char *policy, const char *words, uint32_t n_sets,
                      uint32_t n_ways, uint32_t n_mshrs, uint32_t mshr_merges)
{
    struct strbuf why = {0};
    const struct cache_policy_desc *desc = cache_policy_find(policy);
    assert_non_null(desc);
    struct cache_config config = {.n_sets = n_sets,
                                  .n_ways = n_ways,
                                  .line_bytes = REF_LINE_BYTES,
                                  .sector_bytes = REF_LINE_BYTES,
                                  .n_mshrs = n_mshrs,
                                  .mshr_merges = mshr_merges,
                                  .policy = policy,
                                  .write_evict = true};
    *d = (struct duel){.policy = policy, .words = words, .random = 1};
    const void *params = plugin_params(&desc->plugin, words, &d->arena);
    assert_non_null(params);
    bool fits = cache_config_check(&config, desc, params, &why);
    strbuf_destroy(&why);
    if (!fits)
        return false;
    ref_init(&d->ref, policy, words, n_sets, n_ways);
    d->ref.n_mshrs = n_mshrs;
    d->ref.mshr_merges = mshr_merges;
    d->cache = cache_create(&config, desc, params, 48, 7);
    cache_observe(d->cache, watch, d);
    return true;
}

static void duel_end(struct duel *d)
{
    cache_destroy(d->cache);
    arena_destroy(&d->arena);
}

static uint32_t below(struct duel *d, uint32_t n)
{
    return (uint32_t)(random_u64(&d->random) % n);
}

/* --- what is accessed --- */

static uint64_t next_line(struct duel *d, uint32_t pc)
{
    uint32_t capacity = d->ref.n_sets * d->ref.n_ways;
    switch (d->stream) {
    case UNIFORM:
        return below(d, 2 * capacity + 1);
    case LOOP_JUST_TOO_BIG:
        return d->walk[0]++ % (capacity + d->ref.n_sets);
    case LOOP_TWICE:
        return d->walk[0]++ % (2 * capacity);
    case HOT_AND_SCAN:
        return below(d, 3) ? below(d, capacity / 2 + 1) : 1000 + d->walk[0]++;
    case BY_PC: {
        /* The first never comes back, the others loop over more and more of the cache. */
        uint32_t length = pc == 0 ? 1000000 : 1 + capacity * pc / 3;
        return 1000000ull * pc + d->walk[pc]++ % length;
    }
    default: /* every 512 accesses another working set, small and large by turns */
        return d->n / 512 * 100000 + below(d, d->n / 512 % 2 ? capacity / 2 + 1 : 3 * capacity);
    }
}

static struct mem_access next_access(struct duel *d)
{
    /* PCs that differ in the low bits, and some that do not: tables must take the low ones. */
    uint32_t pc = below(d, N_PCS), far = below(d, 4) == 0 ? 256 : 0;
    struct mem_access a = {.id = d->n, .cycle = d->n, .pc = pc + far, .warp_slot = below(d, 48)};
    a.line = 0x10000000 + next_line(d, pc) * REF_LINE_BYTES;
    a.address = a.line;
    a.set = cache_set_of(d->cache, a.line);
    a.sector_mask = 1;
    a.kind = below(d, 8) ? MEM_LOAD : MEM_STORE;
    a.is_critical = below(d, N_PCS) < pc;
    return a;
}

/* --- one access to both --- */

static const char *describe(const struct ref_decision *d, char *text, size_t size)
{
    static const char *const names[] = {"hit", "merge", "insert", "bypass", "stall"};
    int n = snprintf(text, size, "%s", names[d->answer]);
    if (d->way >= 0)
        n += snprintf(text + n, size - (size_t)n, " in way %d", d->way);
    if (d->has_victim)
        snprintf(text + n, size - (size_t)n, " over line 0x%llx of warp %u",
                 (unsigned long long)d->victim, d->victim_warp);
    return text;
}

static void compare(const struct duel *d, const struct mem_access *a,
                    const struct ref_decision *ref)
{
    const struct ref_decision *x = &d->seen;
    char seen[96], said[96];
    if (x->answer == ref->answer && x->way == ref->way && x->has_victim == ref->has_victim &&
        x->victim == ref->victim && x->victim_warp == ref->victim_warp)
        return;
    fail_msg("%s(%s), %u sets of %u ways, %s, fills %u accesses late, access %llu: load of line "
             "0x%llx (set %u) by pc %u: cache %s, reference %s",
             d->policy, d->words, d->ref.n_sets, d->ref.n_ways, stream_names[d->stream],
             d->fill_lag, (unsigned long long)d->n, (unsigned long long)a->line, a->set, a->pc,
             describe(x, seen, sizeof seen), describe(ref, said, sizeof said));
}

static void fill(struct duel *d, uint32_t i)
{
    cache_fill(d->cache, d->fetches[i].mshr, d->n);
    ref_fill(&d->ref, d->fetches[i].ref);
    d->fetches[i] = d->fetches[--d->n_fetches];
}

static enum ref_answer answer_of(enum cache_answer answer)
{
    switch (answer) {
    case CACHE_HIT:
        return REF_HIT;
    case CACHE_MERGE:
        return REF_MERGE;
    case CACHE_MISS:
        return REF_INSERT;
    case CACHE_BYPASSED:
        return REF_BYPASS;
    default:
        return REF_STALL;
    }
}

/* Offers a load to both; the answer, on which they agree. */
static enum ref_answer load(struct duel *d, const struct mem_access *a)
{
    d->seen = (struct ref_decision){.way = -1};
    struct cache_result result =
        cache_load(d->cache, a, (struct cache_resources){true, true, true}, NULL);
    d->seen.answer = answer_of(result.answer);
    d->ref.coin_says_around = d->seen.answer == REF_BYPASS;
    if (a->pc == d->ref.chosen_pc || a->pc == d->ref.second_pc) {
        d->n_coins += d->seen.answer == REF_INSERT || d->seen.answer == REF_BYPASS;
        d->n_inserted_by_coin += d->seen.answer == REF_INSERT;
    }
    struct ref_decision ref = ref_load(&d->ref, a);
    compare(d, a, &ref);
    if (ref.answer == REF_INSERT) {
        d->fetches[d->n_fetches++] = (struct fetch){result.mshr, ref.fetch, d->n + d->fill_lag};
        if (!d->fill_lag)
            fill(d, d->n_fetches - 1);
    }
    return ref.answer;
}

static void store(struct duel *d, const struct mem_access *a)
{
    d->seen = (struct ref_decision){.way = -1};
    struct cache_result result =
        cache_store(d->cache, a, (struct cache_resources){true, true, true}, NULL);
    bool found = ref_store(&d->ref, a);
    if ((result.answer == CACHE_HIT) != found || d->seen.has_victim)
        fail_msg("%s, access %llu: store to line 0x%llx: cache %s, reference %s", d->policy,
                 (unsigned long long)d->n, (unsigned long long)a->line,
                 result.answer == CACHE_HIT ? "hit" : "miss", found ? "hit" : "miss");
}

static void fill_what_is_due(struct duel *d)
{
    for (uint32_t i = 0; i < d->n_fetches;)
        if (d->fetches[i].due <= d->n)
            fill(d, i);
        else
            i++;
}

static void run(struct duel *d)
{
    for (uint32_t i = 0; i < N_ACCESSES; i++, d->n++) {
        struct mem_access a = next_access(d);
        if (below(d, 50) == 0) {
            uint32_t n = below(d, 4000);
            cache_insts(d->cache, n);
            ref_insts(&d->ref, n);
        }
        fill_what_is_due(d);
        if (a.kind == MEM_STORE)
            store(d, &a);
        else
            while (load(d, &a) == REF_STALL) {
                d->n++; /* others' data arrive in the meantime */
                fill_what_is_due(d);
            }
    }
}

/* --- the tests --- */

static const struct {
    const char *policy, *words;
    uint32_t n_rounds; /* of N_ACCESSES, where it takes more than one to fill a counter */
} subjects[] = {
    {"lru", "", 1},
    {"srrip", "", 1},
    {"brrip", "", 1},
    {"brrip", "brrip_period=3", 1},
    {"drrip", "", 1},
    {"drrip", "psel_bits=4 psel_init=8 brrip_period=5", 1},
    {"ship", "", 1},
    {"ship", "entries=4 counter_bits=3 counter_init=2", 1},
    {"stall_bypass", "", 1},
    {"pc_bypass", "", 1},
    {"pc_bypass", "conf_bits=2 entries=5", 1},
    {"pc_prob", "pc=2 n=2", 1},
    {"pc_prob", "pc=2 also=3 n=2", 1},
    {"ctrl_c", "", 6},
    {"ctrl_c", "sample_period=64", 1},
    {"ctrl_c", "sample_period=20 agg_max=4", 1},
    {"ctrl_c", "agg_init=3 agg_hold=true", 1},
    {"dlp", "", 1},
    {"dlp", "sample_accesses=37 pd_init=5", 1},
    {"dlp", "vta_ways=2 pd_step_down=1 sample_accesses=50", 1},
    {"dlp", "bypass_reserved=true sample_accesses=37 pd_init=5", 1},
    {"dlp", "count_merges=true sample_accesses=37", 1},
    {"pdp", "", 1},
    {"pdp", "sample_accesses=61 pd_max=9", 1},
    {"pdp", "sample_accesses=2500 max_sample_insns=1000000", 3},
    {"cacp", "", 1},
    {"cacp", "critical_ways=1", 1},
    {"cacp", "signature=pc ccbp_threshold=2", 1},
    {"cacp", "signature=pc_region region_bits=9", 1},
};
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

static const struct {
    uint32_t n_sets, n_ways;
} shapes[] = {{1, 1}, {1, 2}, {2, 3}, {4, 4}, {32, 4}, {16, 2}, {8, 8}, {1, 16}, {8, 16}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static uint32_t agree(uint32_t subject, uint32_t fill_lag, uint32_t n_mshrs, uint32_t mshr_merges)
{
    uint32_t n_run = 0;
    for (uint32_t shape = 0; shape < N_SHAPES; shape++)
        for (int stream = 0; stream < N_STREAMS; stream++) {
            struct duel d;
            if (!duel_init(&d, subjects[subject].policy, subjects[subject].words,
                           shapes[shape].n_sets, shapes[shape].n_ways, n_mshrs, mshr_merges)) {
                arena_destroy(&d.arena);
                continue;
            }
            d.stream = (enum stream)stream;
            d.fill_lag = fill_lag;
            d.random = subject * 1000 + shape * 10 + (uint32_t)stream;
            for (uint32_t i = 0; i < subjects[subject].n_rounds; i++)
                run(&d);
            duel_end(&d);
            n_run++;
        }
    return n_run;
}

static void decisions_agree_when_fills_are_immediate(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SUBJECTS; i++)
        assert_true(agree(i, 0, 1, 1) >= N_STREAMS * (N_SHAPES - 1)); /* one way may be too few */
}

static void decisions_agree_when_fills_are_late(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N_SUBJECTS; i++) {
        agree(i, 7, MAX_OUTSTANDING, MAX_OUTSTANDING);
        agree(i, 20, 4, 3);
    }
}

/* The coin of pc_prob is fair: 1/2^n of the chosen instruction's misses insert, give or take five
 * standard deviations. What other instructions do was compared with LRU above. */
static void the_coin_inserts_once_in_two_to_the_n(void **state)
{
    (void)state;
    static const char *const words[] = {"pc=2 n=0", "pc=2 n=1", "pc=2 n=3", "pc=2 n=7",
                                        "pc=2 also=3 n=3"};
    static const uint32_t odds[] = {1, 2, 8, 128, 8};
    for (int i = 0; i < 5; i++) {
        struct duel d;
        assert_true(duel_init(&d, "pc_prob", words[i], 8, 4, 1, 1));
        d.stream = BY_PC;
        for (int round = 0; round < 20; round++)
            run(&d);
        double n = d.n_coins, p = 1.0 / odds[i], expected = n * p;
        double off = d.n_inserted_by_coin - expected;
        assert_true(n > 4000);
        if (off * off > 25 * n * p * (1 - p))
            fail_msg("%s: %u of %u inserted", words[i], d.n_inserted_by_coin, d.n_coins);
        duel_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_agree_when_fills_are_immediate),
        cmocka_unit_test(decisions_agree_when_fills_are_late),
        cmocka_unit_test(the_coin_inserts_once_in_two_to_the_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
