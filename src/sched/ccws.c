/* Cache-conscious wavefront scheduling: when warps lose intra-warp locality in L1D, CCWS prevents
 * other warps from issuing loads, so that the warps that lost locality get a larger share of L1D.
 * S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012,
 * section 3.3.
 * In S4's order (wavefront = warp):
 *
 * 3.3.2 The baseline scheduler (greedy, round robin or two-level) picks among the warps that
 *       "Can Issue".
 *
 * 3.3.3 Lost locality detector. Each L1D line records the warp that reserved it (WID).
 *       a line is evicted: its tag is written to that warp's portion of the victim
 *                          tag array (VTA)
 *       a load misses:     the VTA is probed; if the warp's own portion has the line,
 *                          that is a VTA hit
 * 3.3.4 Lost-locality scores (LLS). A warp starts with the base score.
 *       VTA hit:    its LLS rises to LLDS (lost-locality detected score, 3.3.5)
 *       each cycle: each LLS falls by 1, down to the base score
 *       cap:        no LLS is above LLDS (or the base score, if that is larger); LLDS falls as
 *                   instructions issue without VTA hits
 *       cutoff:     live (S4: active) warps * base score
 *       issue:      warps are sorted by score, largest first, and the scores added up; a warp
 *                   above the cutoff may not issue loads
 * 3.3.5 LLDS = VTAHitsTotal / InstIssuedTotal * K_THROTTLE * cutoff   (Equation 1)
 *
 * A warp lies above the cutoff if the scores before it already add up to the cutoff or more; the
 * first warp never lies above it. 3.3.3 is here, 3.3.4 and 3.3.5 are in ccws_scores.c.
 *
 * In each cycle, scores fall first. A VTA hit affects issue from the next cycle on. All state
 * belongs to the SM, not to its issue slots. MODEL: CCWS does not count a sector miss in a present
 * line as lost locality, and ignores loads that the program marks as uncached.
 *
 * The simulator that the authors published (github.com/tgrogers/ccws-2012) deviates from the text
 * in several respects. Most of the differences are parameters, which `ccws_authors` sets. Three of
 * that simulator's behaviours are not modelled: there, a merge changes the WID of the line to the
 * merging warp, a store miss changes the WID of an unrelated line, and barriers do not count as
 * instructions. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "cache/cache.h"
#include "sched/ccws.h"

extern const struct scheduler_desc scheduler_gto, scheduler_lrr, scheduler_two_level;

enum { VTA_TAG_BITS = 40 }; /* for a 48-bit address space (S4 section 5.7) */

static const char *const baseline_names[] = {"gto", "lrr", "two_level", NULL};
static const struct scheduler_desc *const baselines[] = {&scheduler_gto, &scheduler_lrr,
                                                         &scheduler_two_level};

static const char *const tie_names[] = {"age", "slot", NULL};

/* The parameters. The arguments are the defaults that differ between the paper's text and the
 * authors' simulator; `authors` is "true" for the latter. */
/* clang-format off */
#define CCWS_PARAMS(bits, authors, tie)                                                            \
    PARAM_U32(struct ccws_params, k_throttle, "8", 0, 1 << 20, NULL,                               \
              "K_THROTTLE: how strongly lost locality throttles other warps"),                                 \
    PARAM_U32(struct ccws_params, base_score, "100", 1, 1 << 20, NULL,                             \
              "score of a warp that has lost no locality"),                                        \
    PARAM_U32(struct ccws_params, score_bits, bits, 1, 30, "bits",                            \
              "width of a score, which saturates"),                                                \
    PARAM_U32(struct ccws_params, vta_entries_per_warp, "16", 1, 1024, "tags",                     \
              "tags in a warp's victim tag array"),                                                \
    PARAM_U32(struct ccws_params, vta_ways, "8", 1, 1024, "ways",                                  \
              "associativity of a warp's victim tag array"),                                       \
    PARAM_ENUM(struct ccws_params, prioritise, "gto", baseline_names,                                 \
               "baseline scheduler: picks among the warps that may issue"),                                            \
    PARAM_U32(struct ccws_params, decay_cycles, "1", 1, 1 << 20, "cycles",                         \
              "cycles per decrement of a score"),                                                  \
    PARAM_BOOL(struct ccws_params, llds_caps, "true",                                              \
               "cap scores at what a VTA hit would give now"),                                     \
    PARAM_BOOL(struct ccws_params, keeps_tags, authors,                                            \
               "a VTA hit leaves its tag in the array"),                                           \
    PARAM_BOOL(struct ccws_params, keeps_vta, authors,                                             \
               "a new warp inherits the victim tags of the previous warp of its slot"),                     \
    PARAM_BOOL(struct ccws_params, live_totals, authors,                                           \
               "LLDS counts only VTA hits and instructions of live warps"),                          \
    PARAM_BOOL(struct ccws_params, probes_merges, authors,                                         \
               "merged loads probe the VTA too"),                                                  \
    PARAM_BOOL(struct ccws_params, starts_at_zero, authors,                                        \
               "a new warp has no score until it has accessed L1D"),                               \
    PARAM_ENUM(struct ccws_params, ties, tie, tie_names,                                           \
               "tie-break between equal scores: the older warp, or the one in the lower warp slot")
/* clang-format on */

static const struct param ccws_params[] = {CCWS_PARAMS("10", "false", "age")};
/* Scores in the authors' simulator are integers of unspecified size. */
static const struct param ccws_authors_params[] = {CCWS_PARAMS("30", "true", "slot")};

static uint32_t round_up(size_t bytes)
{
    return (uint32_t)((bytes + 15) / 16 * 16);
}

static size_t baseline_bytes(const struct scheduler_desc *d, uint32_t n_warps, uint32_t n_slots,
                             const void *params)
{
    return d->state_bytes ? round_up(d->state_bytes(n_warps, n_slots, params)) : 0;
}

static void baseline_defaults(const struct scheduler_desc *d, void *values)
{
    struct strbuf why = {0};
    for (uint32_t i = 0; i < d->n_params; i++)
        param_store(&d->params[i], values, d->params[i].default_text, NULL, &why);
    strbuf_destroy(&why);
}

static struct vta vta_of(const struct ccws_params *p, uint32_t line_bytes)
{
    uint32_t ways = p->vta_ways < p->vta_entries_per_warp ? p->vta_ways : p->vta_entries_per_warp;
    return (struct vta){.n_sets = p->vta_entries_per_warp / ways,
                        .n_ways = ways,
                        .line_shift = line_bytes ? (uint32_t)__builtin_ctz(line_bytes) : 0};
}

static size_t ccws_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    const struct ccws_params *c = params;
    const struct scheduler_desc *baseline = baselines[c->prioritise];
    struct vta vta = vta_of(c, 0);
    char values[256] = {0};
    assert(baseline->params_bytes <= sizeof values);
    baseline_defaults(baseline, values);
    return sizeof(struct ccws) + round_up(baseline->params_bytes) +
           round_up(baseline->stats_bytes) + baseline_bytes(baseline, n_warps, n_slots, values) +
           (size_t)n_warps * vta_words(&vta) * sizeof(uint64_t);
}

static uint64_t ccws_cost_bits(const struct sched_geometry *g, const void *params,
                               struct strbuf *parts)
{
    const struct ccws_params *c = params;
    uint64_t tags = (uint64_t)g->n_warps * c->vta_entries_per_warp;
    return plugin_cost(parts, "victim tags", tags * VTA_TAG_BITS) +
           plugin_cost(parts, "WID of each line",
                       (uint64_t)g->l1d_lines * plugin_index_bits(g->n_warps)) +
           plugin_cost(parts, "scores", (uint64_t)g->n_warps * c->score_bits) +
           plugin_cost(parts, "VTA hits and instructions", 2 * 32);
}

static uint64_t *tags_of(const struct ccws *c, uint32_t warp)
{
    uint64_t *all = (uint64_t *)(c->store + c->tags_at);
    return all + (size_t)warp * c->words_per_warp;
}

/* A load probes the VTA after its victim, if any, has been evicted: when its line is reserved, or
 * when it bypasses. With allocation on fill, no victim is evicted at the miss, so the miss probes.
 * With starts_at_zero, the first access of a warp must be seen too, whatever it is, because it
 * gives the warp its score. */
static void choose_events(struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    uint32_t probed =
        s->view->l1d_allocates_on_fill ? 1u << CE_MISS : 1u << CE_RESERVE | 1u << CE_BYPASS;
    uint32_t events = probed | 1u << CE_EVICT | 1u << CE_STORE;
    if (params->probes_merges)
        events |= 1u << CE_MERGE;
    s->l1d_events = events;
    if (params->starts_at_zero)
        s->l1d_events |= 1u << CE_HIT | 1u << CE_MERGE | 1u << CE_MISS;
    s->l1d_events_of_some_warps = s->l1d_events & ~events;
}

static void ccws_init(struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    const struct scheduler_desc *baseline = baselines[params->prioritise];
    c->vta = vta_of(params, s->view->l1d_line_bytes);
    c->words_per_warp = vta_words(&c->vta);
    c->baseline = *s;
    c->baseline.desc = baseline;
    c->baseline.params = c->store;
    c->baseline.stats = c->store + round_up(baseline->params_bytes);
    c->baseline.state = (char *)c->baseline.stats + round_up(baseline->stats_bytes);
    baseline_defaults(baseline, c->store);
    c->tags_at = round_up(baseline->params_bytes) + round_up(baseline->stats_bytes) +
                 (uint32_t)baseline_bytes(baseline, s->view->n_warps, s->view->n_slots, c->store);
    for (uint32_t w = 0; w < s->view->n_warps; w++)
        vta_clear(&c->vta, tags_of(c, w));
    c->next = c->cap_falls = UINT64_MAX;
    /* All warps are held back from loads until the first one starts. */
    s->hold = (struct sched_hold){.loads = ~0ull, .until = UINT64_MAX};
    choose_events(s);
    s->hears = baseline->on_stall || baseline->on_wake ? HEARS_ALL_STALLS : HEARS_NO_STALLS;
    if (baseline->init) {
        baseline->init(&c->baseline);
        s->hears = c->baseline.hears != HEARS_ALL_STALLS ? c->baseline.hears : s->hears;
    }
}

/* --- victim tags --- */

static uint16_t *bucket_of(struct ccws *c, uint64_t line)
{
    return &c->n_tags[(line >> c->vta.line_shift) % CCWS_TAG_BUCKETS];
}

static __attribute__((noinline)) void insert_tag(struct ccws *c, uint32_t warp, uint64_t line)
{
    uint64_t *tags = tags_of(c, warp);
    uint16_t *n = bucket_of(c, line);
    uint64_t out = *n ? vta_insert(&c->vta, tags, line) : vta_push(&c->vta, tags, line);
    if (out == line)
        return;
    ++*n;
    if (out != VTA_EMPTY)
        --*bucket_of(c, out);
}

static bool remove_tag(struct ccws *c, uint32_t warp, uint64_t line)
{
    if (!*bucket_of(c, line) || !vta_remove(&c->vta, tags_of(c, warp), line))
        return false;
    --*bucket_of(c, line);
    return true;
}

static bool has_tag(struct ccws *c, uint32_t warp, uint64_t line)
{
    return *bucket_of(c, line) && vta_has(&c->vta, tags_of(c, warp), line);
}

static __attribute__((noinline)) void remove_everywhere(struct scheduler *s, uint64_t line)
{
    struct ccws *c = s->state;
    const uint16_t *n = bucket_of(c, line);
    for (uint32_t w = 0; *n && w < s->view->n_warps; w++)
        remove_tag(c, w, line);
}

static void clear_tags(struct ccws *c, uint32_t warp)
{
    uint64_t *tags = tags_of(c, warp);
    for (uint32_t i = 0; i < c->words_per_warp; i++)
        if (i % (c->vta.n_ways + 1) && tags[i] != VTA_EMPTY)
            --*bucket_of(c, tags[i]);
    vta_clear(&c->vta, tags);
}

/* --- lost locality --- */

static void vta_hit(struct scheduler *s, uint32_t warp)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    uint64_t top = (1ull << params->score_bits) - 1;
    c->vta_hits++;
    ((struct ccws_stats *)s->stats)->vta_hits++;
    c->hits_of[warp]++;
    uint64_t to = ccws_llds(s);
    ccws_raise_score(s, warp, (uint32_t)(to < top ? to : top));
}

/* Does the warp's portion of the VTA have the line? A tag that is found is removed, unless
 * keeps_tags is set. */
static bool take_lost_tag(struct scheduler *s, uint32_t warp, uint64_t line)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    return params->keeps_tags ? has_tag(c, warp, line) : remove_tag(c, warp, line);
}

/* Called once per miss, after the tag of its victim, if any, has been put into the VTA; with
 * probes_merges also for each merge. */
static __attribute__((noinline)) void probe(struct scheduler *s, const struct cache_event_info *e)
{
    const struct mem_access *a = e->access;
    const struct sched_warp *warp = &s->view->warps[a->warp_slot];
    bool lives = warp->live && warp->uid == a->warp_uid; /* otherwise the warp has ended without
                                                          * waiting for its load */
    ccws_decay_to(s, e->cycle);
    if (lives && take_lost_tag(s, a->warp_slot, a->line))
        vta_hit(s, a->warp_slot);
}

/* Gives the warp the base score if it has none yet. */
static __attribute__((noinline)) void begin_score(struct scheduler *s,
                                                  const struct cache_event_info *e)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    const struct mem_access *a = e->access;
    const struct sched_warp *warp = &s->view->warps[a->warp_slot];
    if (!warp->live || warp->uid != a->warp_uid || !(c->unscored >> a->warp_slot & 1))
        return;
    ccws_decay_to(s, e->cycle);
    ccws_raise_score(s, a->warp_slot, params->base_score);
}

static bool is_access(enum cache_event event)
{
    return event == CE_HIT || event == CE_MERGE || event == CE_MISS || event == CE_STORE;
}

/* Every store, and every load that is not marked as uncached, causes exactly one event for which
 * is_access() is true. */
static __attribute__((noinline)) void on_access(struct scheduler *s,
                                                const struct cache_event_info *e)
{
    const struct ccws_params *params = s->params;
    const struct mem_access *a = e->access;
    begin_score(s, e);
    if (e->event == CE_MISS && s->view->l1d_allocates_on_fill && !e->line)
        probe(s, e);
    if (e->event == CE_MERGE && params->probes_merges)
        probe(s, e);
    if (e->event == CE_STORE && a->space != MEM_LOCAL)
        remove_everywhere(s, a->line);
}

/* Replaced lines enter the VTA. It is probed by loads that reserve a line and by loads that bypass;
 * with allocation on fill, by every load that misses. With probes_merges, merges probe it too. The
 * first hit, merge, miss or store of a warp that has no score yet starts its score. A store, unless
 * to local memory, removes the tags of its line. */
static void ccws_on_l1d(struct scheduler *s, const struct cache_event_info *e)
{
    if (e->event == CE_EVICT) {
        if (e->cause == EVICT_REPLACE)
            insert_tag(s->state, e->line->reserver_slot, e->line->line);
    } else if (e->event == CE_RESERVE) {
        if (e->access && e->access->kind != MEM_STORE && !s->view->l1d_allocates_on_fill)
            probe(s, e);
    } else if (e->event == CE_BYPASS) {
        if (e->reason != BYPASS_NO_CACHE && !s->view->l1d_allocates_on_fill)
            probe(s, e);
    } else if (is_access(e->event)) {
        on_access(s, e);
    }
}

/* --- issue --- */

static struct sched_pick ccws_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                   uint64_t ready_loads, uint64_t now)
{
    const struct ccws *c = s->state;
    return c->baseline.desc->pick(&c->baseline, slot, ready, ready_loads, now);
}

static uint64_t ccws_may_issue(const struct scheduler *s, enum issue_class class)
{
    const struct ccws *c = s->state;
    return class == ISSUE_LOAD ? c->may_load : ~0ull;
}

static void count_issue(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    bool caps = ((const struct ccws_params *)s->params)->llds_caps && c->high.n;
    if (caps) /* brings scores up to date under the cap that held until now */
        ccws_decay_to(s, now);
    c->insts_issued++;
    c->insts_of[warp]++;
    if (caps)
        ccws_cap_has_fallen(s, now);
}

static void ccws_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                          uint32_t pc, uint64_t now)
{
    struct ccws *c = s->state;
    count_issue(s, warp, now);
    if (c->baseline.desc->on_issue)
        c->baseline.desc->on_issue(&c->baseline, slot, warp, class, pc, now);
}

static int ccws_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    struct ccws *c = s->state;
    int warp = c->baseline.desc->pick_and_issue(&c->baseline, slot, ready, now);
    if (warp >= 0)
        count_issue(s, (uint32_t)warp, now);
    return warp;
}

static void ccws_advance(struct scheduler *s, uint64_t dt)
{
    struct ccws *c = s->state;
    c->advanced += dt;
    ccws_decay_to(s, c->advanced);
}

/* --- warps start and end; the baseline scheduler is notified too --- */

static void ccws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    ccws_decay_to(s, now);
    ccws_start_score(s, warp);
    c->hits_of[warp] = c->insts_of[warp] = 0;
    if (!params->keeps_vta)
        clear_tags(c, warp);
    if (c->baseline.desc->on_warp_start)
        c->baseline.desc->on_warp_start(&c->baseline, warp, now);
    ccws_test_cutoff(s);
}

static void ccws_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    ccws_decay_to(s, now);
    ccws_end_score(s, warp);
    if (((const struct ccws_params *)s->params)->live_totals) {
        c->vta_hits -= c->hits_of[warp];
        c->insts_issued -= c->insts_of[warp];
    }
    if (c->baseline.desc->on_warp_end)
        c->baseline.desc->on_warp_end(&c->baseline, warp, now);
    ccws_cap_has_fallen(s, now);
    ccws_test_cutoff(s);
}

static void ccws_on_stall(struct scheduler *s, uint32_t warp, enum stall_cause cause, uint64_t now)
{
    struct ccws *c = s->state;
    if (c->baseline.desc->on_stall)
        c->baseline.desc->on_stall(&c->baseline, warp, cause, now);
}

static void ccws_on_wake(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    if (c->baseline.desc->on_wake)
        c->baseline.desc->on_wake(&c->baseline, warp, now);
}

static void ccws_describe_wait(const struct scheduler *s, struct strbuf *out)
{
    const struct ccws *c = s->state;
    uint64_t held = s->view->live & ~c->may_load;
    if (held)
        strbuf_addf(out, "ccws: may not issue loads: mask 0x%" PRIx64 "\n", held);
    if (c->baseline.desc->describe_wait)
        c->baseline.desc->describe_wait(&c->baseline, out);
}

/* clang-format off */
#define CCWS_PRESET(id, text, source)                                                              \
    const struct scheduler_desc scheduler_##id = {                                                 \
        .abi_version = SCHEDULER_ABI,                                                              \
        .struct_size = sizeof(struct scheduler_desc),                                              \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .citation = source,                                                                        \
        .params = id##_params,                                                                     \
        .n_params = sizeof id##_params / sizeof id##_params[0],                                    \
        .params_bytes = sizeof(struct ccws_params),                                                \
        .stats = ccws_stats,                                                                       \
        .n_stats = N_CCWS_STATS,                                                                   \
        .stats_bytes = sizeof(struct ccws_stats),                                                  \
        .state_bytes = ccws_state_bytes,                                                           \
        .cost_bits = ccws_cost_bits,                                                               \
        .init = ccws_init,                                                                         \
        .pick = ccws_pick,                                                                         \
        .pick_and_issue = ccws_pick_and_issue,                                                     \
        .hears_each_issue = true,                                                                  \
        .may_issue = ccws_may_issue,                                                               \
        .keeps_hold = true,                                                                        \
        .on_issue = ccws_on_issue,                                                                 \
        .on_stall = ccws_on_stall,                                                                 \
        .on_wake = ccws_on_wake,                                                                   \
        .on_warp_start = ccws_on_warp_start,                                                       \
        .on_warp_end = ccws_on_warp_end,                                                           \
        .on_l1d = ccws_on_l1d,                                                                     \
        .advance = ccws_advance,                                                                   \
        .next_change = ccws_next_change,                                                           \
        .describe_wait = ccws_describe_wait,                                                       \
    }
/* clang-format on */

CCWS_PRESET(ccws,
            "cache-conscious wavefront scheduling: throttles loads when warps lose locality in L1D",
            "T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-Conscious Wavefront Scheduling. "
            "MICRO 2012, section 3.3");
CCWS_PRESET(ccws_authors, "ccws as its authors' simulator implements it",
            "T. G. Rogers: ccws-2012, the code of the MICRO 2012 paper, "
            "scheduling-point-system.cc and gpu-cache.cc");
