/* CCWS against naive_ccws.h under random traffic: which warps may issue a load, in every cycle,
 * whether it is called in every cycle or only in those that it asks for; that its hold mask agrees;
 * that time alone changes nothing before the cycle that next_change() returns; and which warps it
 * picks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/ccws.h"
#include "unit/random_bits.h"
#include "unit/sched/ccws_stage.h"
#include "unit/sched/naive_ccws.h"

enum { N_CYCLES = 4000, HORIZON = 150 };

/* What the authors' simulator does otherwise, all at once. */
#define AUTHORS                                                                                    \
    "score_bits=30 keeps_tags=true keeps_vta=true live_totals=true probes_merges=true "            \
    "starts_at_zero=true ties=slot"
static const struct subject {
    const char *words, *policy, *policy_words;
    uint32_t n_warps, n_sets, n_ways;
    uint32_t k_throttle, base_score, score_max, vta_sets, vta_ways; /* what the words mean */
} subjects[] = {
    {"", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"", "lru", "", 48, 8, 4, 8, 100, 1023, 2, 8},
    {"", "dlp", "sample_accesses=40", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"", "ctrl_c", "agg_init=1 agg_hold=true", 12, 2, 4, 8, 100, 1023, 2, 8},
    {"k_throttle=3", "lru", "", 16, 1, 4, 3, 100, 1023, 2, 8},
    {"k_throttle=0", "lru", "", 5, 1, 2, 0, 100, 1023, 2, 8},
    {"k_throttle=64 base_score=20", "lru", "", 6, 2, 2, 64, 20, 1023, 2, 8},
    {"score_bits=8 base_score=50 k_throttle=5", "lru", "", 10, 4, 1, 5, 50, 255, 2, 8},
    {"prioritise=lrr", "lru", "", 9, 4, 2, 8, 100, 1023, 2, 8},
    {"vta_entries_per_warp=4 vta_ways=8", "lru", "", 7, 2, 2, 8, 100, 1023, 1, 4},
    {"vta_entries_per_warp=4 vta_ways=1", "lru", "", 7, 2, 2, 8, 100, 1023, 4, 1},
    {"decay_cycles=4", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"llds_caps=false", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"llds_caps=false decay_cycles=4", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"llds_caps=false k_throttle=3", "lru", "", 16, 1, 4, 3, 100, 1023, 2, 8},
    {"keeps_tags=true", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"keeps_vta=true", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"live_totals=true", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"probes_merges=true", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"starts_at_zero=true", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {"ties=slot", "lru", "", 8, 4, 2, 8, 100, 1023, 2, 8},
    {AUTHORS, "lru", "", 8, 4, 2, 8, 100, (1 << 30) - 1, 2, 8},
    {AUTHORS " decay_cycles=4", "lru", "", 8, 4, 2, 8, 100, (1 << 30) - 1, 2, 8},
    {AUTHORS " k_throttle=1", "ctrl_c", "agg_init=1 agg_hold=true", 20, 4, 2, 1, 100, (1 << 30) - 1,
     2, 8},
};
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

struct duel {
    struct ccws_stage stage;
    struct naive_ccws naive;
    struct ref_cache l1d;
    struct {
        uint32_t mshr;
        uint64_t ref; /* what the reference calls it */
    } fetches[STAGE_MSHRS];
    uint32_t n_fetches;
    uint64_t random, named; /* named: when time alone may change which warps load */
    uint64_t busy;          /* warps that access L1D at present; the others' scores fall */
    uint32_t accesses;      /* up to this many in a cycle, 0 = one now and then */
    uint64_t n_blocked, n_changes, n_named_exactly;
};

static uint32_t below(struct duel *d, uint32_t n)
{
    return (uint32_t)(random_u64(&d->random) % n);
}

static void compare_loaders(const struct duel *d, const char *when)
{
    const struct scheduler *s = d->stage.scheduler;
    uint64_t live = d->stage.view.live;
    uint64_t may = s->desc->may_issue(s, ISSUE_LOAD) & live, ref = naive_ccws_loaders(&d->naive);
    if (may != ref)
        fail_msg("cycle %llu, %s: of %llx loads may be issued by %llx, the reference says %llx",
                 (unsigned long long)d->stage.now, when, (unsigned long long)live,
                 (unsigned long long)may, (unsigned long long)ref);
    assert_true((live & ~(s->hold.all | s->hold.loads)) == may);
    for (int class = 0; class < N_ISSUE_CLASSES; class ++)
        if (class != ISSUE_LOAD)
            assert_int_equal(stage_blocked(&d->stage, (enum issue_class) class), 0);
}

static uint64_t reading_of(const struct scheduler *s, const char *name, uint64_t cycle)
{
    for (uint32_t i = 0; i < s->desc->n_stats; i++)
        if (strcmp(s->desc->stats[i].name, name) == 0)
            return s->desc->stats[i].read(s, cycle).value;
    fail_msg("there is no statistic %s", name);
    return 0;
}

/* An observer sees the state of a later cycle, whenever the scores were last updated. */
static void compare_observed(const struct duel *d, uint64_t cycle)
{
    const struct scheduler *s = d->stage.scheduler;
    uint64_t sum = 0, top = 0;
    for (uint32_t w = 0; w < d->naive.n_warps; w++)
        if (d->naive.warps[w].live) {
            sum += d->naive.warps[w].score;
            top = d->naive.warps[w].score > top ? d->naive.warps[w].score : top;
        }
    const struct ccws_stats *counted = s->stats;
    assert_int_equal(counted->vta_hits, d->naive.all_hits);
    assert_int_equal(reading_of(s, "score_sum", cycle), sum);
    assert_int_equal(reading_of(s, "top_score", cycle), top);
    assert_int_equal(reading_of(s, "warps_may_load", cycle),
                     __builtin_popcountll(naive_ccws_loaders(&d->naive)));
}

/* Time passes for both; the reference sees every cycle of it. */
static void pass(struct duel *d, uint64_t dt)
{
    uint64_t before = naive_ccws_loaders(&d->naive);
    bool has_changed = false;
    for (uint64_t t = d->stage.now + 1; t <= d->stage.now + dt; t++) {
        naive_ccws_cycle(&d->naive);
        if (has_changed || naive_ccws_loaders(&d->naive) == before)
            continue;
        has_changed = true;
        d->n_changes++;
        d->n_named_exactly += t == d->named;
        if (t < d->named)
            fail_msg("who may load changes in cycle %llu; in cycle %llu next_change() said %llu",
                     (unsigned long long)t, (unsigned long long)d->stage.now,
                     (unsigned long long)d->named);
    }
    compare_observed(d, d->stage.now + dt);
    stage_advance(&d->stage, dt);
    compare_loaders(d, "after time passed");
}

/* Nothing changes before the cycle that next_change() names, if nothing happens. */
static void foresee(struct duel *d)
{
    const struct scheduler *s = d->stage.scheduler;
    uint64_t scores[SCHED_MAX_WARPS], now = d->stage.now, naive_now = d->naive.now;
    uint64_t named = s->desc->next_change(s, now), loaders = naive_ccws_loaders(&d->naive);
    assert_true(named > now);
    for (uint32_t w = 0; w < d->naive.n_warps; w++)
        scores[w] = d->naive.warps[w].score;
    for (uint64_t t = now + 1; t < named && t <= now + HORIZON; t++) {
        naive_ccws_cycle(&d->naive);
        if (naive_ccws_loaders(&d->naive) != loaders)
            fail_msg("who may load changes in cycle %llu; in cycle %llu next_change() said %llu",
                     (unsigned long long)t, (unsigned long long)now, (unsigned long long)named);
    }
    for (uint32_t w = 0; w < d->naive.n_warps; w++)
        d->naive.warps[w].score = scores[w];
    d->naive.now = naive_now;
}

static void start_and_end_warps(struct duel *d)
{
    uint32_t w = below(d, d->naive.n_warps);
    if (d->naive.warps[w].live && below(d, 30) == 0) {
        stage_end(&d->stage, w);
        naive_ccws_end(&d->naive, w);
    } else if (!d->naive.warps[w].live && below(d, 3)) {
        naive_ccws_start(&d->naive, w, d->stage.n_started);
        stage_start(&d->stage, w, d->stage.n_started);
    }
    compare_loaders(d, "after warps came and went");
}

/* Some warps are ready, with loads that they may issue or with anything else. */
static void issue(struct duel *d)
{
    struct scheduler *s = d->stage.scheduler;
    uint64_t loads = random_u64(&d->random);
    uint64_t ready = d->stage.view.live & random_u64(&d->random);
    ready &= ~loads | naive_ccws_loaders(&d->naive);
    if (!ready)
        return;
    struct sched_pick pick = s->desc->pick(s, 0, ready, ready & loads, d->stage.now);
    assert_int_equal(pick.warp, naive_ccws_pick(&d->naive, ready));
    uint32_t warp = (uint32_t)pick.warp;
    s->desc->on_issue(s, 0, warp, loads >> warp & 1 ? ISSUE_LOAD : ISSUE_ALU, 1, d->stage.now);
    d->naive.warps[warp].issued++;
    d->naive.greedy = d->naive.last = pick.warp;
}

/* Each warp walks through a few lines of its own, more than the L1D holds of all warps; some lines
 * are shared by all. */
static void access_l1d(struct duel *d)
{
    uint32_t w = below(d, d->naive.n_warps);
    if (!d->naive.warps[w].live || !naive_ccws_issued(&d->naive) || !(d->busy >> w & 1))
        return;
    uint64_t own = w * 64 + below(d, 6), shared = 4096 + below(d, 4);
    uint64_t line = (below(d, 5) ? own : shared) * STAGE_LINE_BYTES;
    enum mem_kind kind = below(d, 12) ? MEM_LOAD : MEM_STORE;
    struct mem_access a = stage_access(&d->stage, w, line, kind);
    if (kind == MEM_STORE) {
        stage_store(&d->stage, &a);
        ref_store(&d->l1d, &a);
        naive_ccws_store(&d->naive, w, line);
        return;
    }
    struct cache_result result = stage_load(&d->stage, &a);
    struct ref_decision decision = ref_load(&d->l1d, &a);
    assert_int_equal(result.answer == CACHE_STALLED, decision.answer == REF_STALL);
    if (decision.answer == REF_INSERT) {
        d->fetches[d->n_fetches].mshr = result.mshr;
        d->fetches[d->n_fetches++].ref = decision.fetch;
    }
    naive_ccws_load(&d->naive, &a, &decision);
}

/* The data of some fetches arrive, in any order. */
static void fill_some(struct duel *d)
{
    while (d->n_fetches && below(d, 3)) {
        uint32_t i = below(d, d->n_fetches);
        stage_fill(&d->stage, d->fetches[i].mshr);
        ref_fill(&d->l1d, d->fetches[i].ref);
        d->fetches[i] = d->fetches[--d->n_fetches];
    }
}

static void access_l1d_as_the_phase_has_it(struct duel *d, uint32_t cycle)
{
    if (cycle % 100 == 0) {
        d->busy = random_u64(&d->random) & (below(d, 2) ? random_u64(&d->random) : UINT64_MAX);
        d->accesses = below(d, 4);
    }
    uint32_t n = d->accesses ? below(d, d->accesses + 1) : below(d, 16) == 0;
    for (; n; n--)
        access_l1d(d);
}

static bool has(const struct subject *x, const char *word)
{
    return strstr(x->words, word) != NULL;
}

static void run(struct duel *d, const struct subject *x, uint64_t seed)
{
    *d = (struct duel){.random = seed, .named = UINT64_MAX};
    assert_true(stage_init(&d->stage, x->words, x->n_warps, x->policy, x->policy_words, x->n_sets,
                           x->n_ways));
    d->stage.is_lazy = seed % 2 == 0;
    ref_init(&d->l1d, x->policy, x->policy_words, x->n_sets, x->n_ways);
    d->l1d.n_mshrs = STAGE_MSHRS;
    d->l1d.mshr_merges = STAGE_MERGES;
    d->naive = (struct naive_ccws){
        .n_warps = x->n_warps,
        .k_throttle = x->k_throttle,
        .base_score = x->base_score,
        .score_max = x->score_max,
        .vta_sets = x->vta_sets,
        .vta_ways = x->vta_ways,
        .decay_cycles = has(x, "decay_cycles=4") ? 4 : 1,
        .caps = !has(x, "llds_caps=false"),
        .keeps_tags = has(x, "keeps_tags=true"),
        .keeps_vta = has(x, "keeps_vta=true"),
        .live_totals = has(x, "live_totals=true"),
        .probes_merges = has(x, "probes_merges=true"),
        .starts_at_zero = has(x, "starts_at_zero=true"),
        .slot_ties = has(x, "ties=slot"),
        .greedy = -1,
        .last = -1,
        .turns = has(x, "prioritise=lrr"),
    };
    for (uint32_t i = 0; i < N_CYCLES; i++) {
        /* Mostly cycle by cycle, now and then a long time without an event. */
        pass(d, 1 + below(d, below(d, 40) ? 3 : 400));
        start_and_end_warps(d);
        issue(d);
        if (i % 10 == 0)
            foresee(d);
        fill_some(d);
        access_l1d_as_the_phase_has_it(d, i);
        d->n_blocked += naive_ccws_loaders(&d->naive) != d->stage.view.live;
        d->named = d->stage.scheduler->desc->next_change(d->stage.scheduler, d->stage.now);
        assert_true(d->named > d->stage.now);
    }
    stage_destroy(&d->stage);
}

static void every_cycle_agrees_with_the_reference(void **state)
{
    (void)state;
    uint64_t n_changes = 0, n_named_exactly = 0;
    for (uint32_t i = 0; i < N_SUBJECTS; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct duel d;
            run(&d, &subjects[i], seed);
            /* A test in which no warp is ever throttled, or all always are, shows nothing. */
            if (subjects[i].k_throttle)
                assert_in_range(d.n_blocked, N_CYCLES / 50, N_CYCLES - 1);
            else
                assert_int_equal(d.n_blocked, 0);
            n_changes += d.n_changes;
            n_named_exactly += d.n_named_exactly;
        }
    print_message("%llu changes by time alone, %llu of them in the very cycle that was named\n",
                  (unsigned long long)n_changes, (unsigned long long)n_named_exactly);
    assert_true(n_changes > 100 && n_named_exactly > 0);
}

/* The preset consists of the parameters of the variants, and no more. */
static void the_authors_preset_is_its_parameters(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct scheduler_desc *text = scheduler_find("ccws");
    const struct scheduler_desc *authors = scheduler_find("ccws_authors");
    const void *a = sched_params(text, AUTHORS, &arena), *b = sched_params(authors, "", &arena);
    assert_int_equal(text->params_bytes, authors->params_bytes);
    assert_memory_equal(a, b, text->params_bytes);
    assert_memory_not_equal(sched_params(text, "", &arena), b, text->params_bytes);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_authors_preset_is_its_parameters),
        cmocka_unit_test(every_cycle_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
