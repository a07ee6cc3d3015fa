/* Ctrl-C, bypassing by a control loop for each load instruction.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 5.2. The algorithms below
 * follow S3 statement by statement. In them, ctrl is the entry of the iReuse table selected by the
 * low 7 bits of a PC (loads with equal bits share an entry). It holds
 *     AGG     how aggressively the load bypasses, 0 = never
 *     BYP     bypasses since its last insertion
 *     INSERT  evictions, in the current sample, of lines that the load inserted (a sample ends when
 *             INSERT is reset)
 *     ZERO    those of them that were never reused
 *
 * Algorithm 11, atMiss(request), ctrl is looked up with request.PC:
 *     lines 4-7  BYP < (1 << AGG) - 1: bypass, BYP := BYP + 1
 *     lines 8-12 otherwise: insert, atEviction(victim), BYP := 0
 *     So one in 2^AGG misses of the instruction is inserted.
 * Algorithm 12, atEviction(line), ctrl is looked up with line.insertPC:
 *     lines 4-7  INSERT := INSERT + 1; ZERO := ZERO + 1 if the line was not reused
 *     line 8     INSERT >= SAMPLE_PERIOD = 1024 >> AGG (Table 5.2):
 *     lines 11-13    ZERO / INSERT > THRESHOLD_H (0.4): AGG := AGG + 1
 *     lines 14-16    ZERO / INSERT < THRESHOLD_L (0.1): AGG := AGG - 1
 *     lines 18-19    INSERT := ZERO := 0
 *
 * AGG saturates at 0 and 7. Victims are chosen by LRU. S3's table has a 1-bit prediction of reuse
 * per entry; here it is not stored, because it equals AGG == 0. MODEL: stores that allocate (local
 * memory) always insert; the lines that they evict update INSERT and ZERO like any other.
 *
 * MODEL: a line counts as reused after a merge, as after a hit; S3 does not mention merges. If only
 * hits set the line's reuse bit, the workload ss has 33,195 L1D misses instead of 37,128 (size
 * tiny, gtx480, ctrl_c).
 *
 * MODEL: INSERT reaches 1024 before it is reset if AGG is 0, as SAMPLE_PERIOD says. S3's counter
 * has 10 bits (section 5.2.3), which hold 1023 at most; hardware would detect the overflow. */
#include "cache/cache_policy.h"
#include "cache/policies/counters.h"

enum { N_ENTRIES = 128, AGG_BITS = 3, BYP_BITS = 7, SAMPLE_BITS = 10 };

struct ctrl_c_params {
    uint32_t sample_period, threshold_high, threshold_low, agg_init, agg_max;
    bool agg_hold;
};

static const struct param ctrl_c_params[] = {
    PARAM_U32(struct ctrl_c_params, sample_period, "1024", 1, 1 << SAMPLE_BITS, "lines",
              "evicted lines per sample at AGG = 0; a sample has sample_period >> AGG lines"),
    PARAM_U32(struct ctrl_c_params, threshold_high, "40", 0, 100, "%",
              "raise AGG when the share of a sample's lines that were never reused is above this"),
    PARAM_U32(struct ctrl_c_params, threshold_low, "10", 0, 100, "%",
              "lower AGG when the share of a sample's lines that were never reused is below this"),
    PARAM_U32(struct ctrl_c_params, agg_init, "0", 0, (1 << AGG_BITS) - 1, NULL,
              "AGG at the start"),
    PARAM_U32(struct ctrl_c_params, agg_max, "7", 0, (1 << AGG_BITS) - 1, NULL, "largest AGG"),
    PARAM_BOOL(struct ctrl_c_params, agg_hold, "false", "keep AGG at its initial value"),
};

struct ctrl_c_stats {
    uint64_t raises, cuts;
};

/* The controller of one instruction. */
struct control {
    uint8_t agg, byp;
    uint16_t zero, insert;
};

static bool ctrl_c_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    (void)g;
    const struct ctrl_c_params *p = params;
    if (p->threshold_low > p->threshold_high)
        strbuf_addf(why, "policy ctrl_c: threshold_low=%u is above threshold_high=%u",
                    p->threshold_low, p->threshold_high);
    else if (p->agg_init > p->agg_max)
        strbuf_addf(why, "policy ctrl_c: agg_init=%u is above agg_max=%u", p->agg_init, p->agg_max);
    else
        return true;
    return false;
}

static size_t ctrl_c_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return N_ENTRIES * sizeof(struct control);
}

static void ctrl_c_init(struct cache_policy *p)
{
    const struct ctrl_c_params *params = p->params;
    struct control *c = p->state;
    for (uint32_t i = 0; i < N_ENTRIES; i++)
        c[i].agg = (uint8_t)params->agg_init;
}

static struct control *control_of(const struct cache_policy *p, uint32_t pc)
{
    return (struct control *)p->state + pc % N_ENTRIES;
}

/* Algorithm 11, line 4. */
static bool must_bypass(const struct control *c)
{
    return c->byp < (1u << c->agg) - 1;
}

static int ctrl_c_decide(const struct cache_policy *p, const struct cache_set *s,
                         const struct mem_access *a)
{
    if (a->kind != MEM_STORE && !s->filling && must_bypass(control_of(p, a->pc)))
        return CACHE_BYPASS;
    return cache_set_lru(s);
}

/* Algorithm 11, line 7. */
static void ctrl_c_on_bypass(struct cache_policy *p, const struct cache_set *s,
                             const struct mem_access *a, enum cache_bypass_reason reason)
{
    (void)s;
    if (reason == BYPASS_POLICY)
        control_of(p, a->pc)->byp++;
}

/* Algorithm 12, lines 9 to 17: raises AGG if the share of evicted lines that were never reused is
 * above the high threshold, lowers it if below the low one. */
static void adjust(const struct ctrl_c_params *params, struct control *c, struct ctrl_c_stats *n)
{
    uint8_t before = c->agg;
    if (100u * c->zero > params->threshold_high * c->insert)
        counter_up(&c->agg, params->agg_max);
    else if (100u * c->zero < params->threshold_low * c->insert)
        counter_down(&c->agg);
    n->raises += c->agg > before;
    n->cuts += c->agg < before;
}

/* Algorithm 12. */
static void ctrl_c_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                            enum cache_evict_cause cause, const struct mem_access *a)
{
    (void)a;
    const struct ctrl_c_params *params = p->params;
    if (cause != EVICT_REPLACE)
        return;
    struct control *c = control_of(p, s->lines[way].insert_pc);
    c->insert++;
    c->zero = (uint16_t)(c->zero + !s->lines[way].reused);
    if (c->insert < params->sample_period >> c->agg)
        return;
    if (!params->agg_hold)
        adjust(params, c, p->stats);
    c->insert = c->zero = 0;
}

/* Algorithm 11, line 12. BYP is reset at the miss, even in a cache that allocates on fill. */
static void ctrl_c_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                           const struct mem_access *a)
{
    (void)s;
    struct control *c = control_of(p, a->pc);
    if (way < 0 && !must_bypass(c))
        c->byp = 0;
}

static uint64_t ctrl_c_cost_bits(const struct cache_geometry *g, const void *params,
                                 struct strbuf *parts)
{
    (void)params;
    uint64_t lines = (uint64_t)g->n_sets * g->n_ways;
    return plugin_cost(parts, "iReuse table", N_ENTRIES * (AGG_BITS + BYP_BITS + 2 * SAMPLE_BITS)) +
           plugin_cost(parts, "insertion PCs and reuse bits",
                       lines * (plugin_index_bits(N_ENTRIES) + 1));
}

/* For the mean AGG of the entries that bypass (AGG > 0): the sum of their AGGs and their number. */
static struct stat_reading aggressiveness(const void *instance, uint64_t now)
{
    (void)now;
    const struct control *c = ((const struct cache_policy *)instance)->state;
    struct stat_reading r = {0};
    for (uint32_t i = 0; i < N_ENTRIES; i++) {
        r.value += c[i].agg;
        r.n += c[i].agg > 0;
    }
    return r;
}

static struct stat_reading n_bypassing(const void *instance, uint64_t now)
{
    return (struct stat_reading){.value = aggressiveness(instance, now).n};
}

static struct stat_reading most_aggressive(const void *instance, uint64_t now)
{
    (void)now;
    const struct control *c = ((const struct cache_policy *)instance)->state;
    struct stat_reading r = {0};
    for (uint32_t i = 0; i < N_ENTRIES; i++)
        r.value = c[i].agg > r.value ? c[i].agg : r.value;
    return r;
}

static const struct plugin_stat ctrl_c_stats[] = {
    STAT_COUNT(struct ctrl_c_stats, raises, "samples", "samples after which an AGG rose"),
    STAT_COUNT(struct ctrl_c_stats, cuts, "samples", "samples after which an AGG fell"),
    STAT_NOW("aggressiveness", "steps", "mean of the AGGs above 0", STAT_MEAN, aggressiveness),
    STAT_NOW("top_aggressiveness", "steps", "the largest AGG", STAT_MAX, most_aggressive),
    STAT_NOW("bypassing_entries", "entries", "entries that bypass", STAT_SUM, n_bypassing),
};

const struct cache_policy_desc cache_policy_ctrl_c = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "ctrl_c",
    .summary = "bypasses a share of each load's misses; the share adapts to how many lines are "
               "never reused",
    .citation = "S.-Y. Lee: Intelligent Scheduling and Memory Management Techniques for Modern GPU "
                "Architectures. PhD thesis, Arizona State University, 2017, chapter 5",
    .params = ctrl_c_params,
    .n_params = sizeof ctrl_c_params / sizeof ctrl_c_params[0],
    .params_bytes = sizeof(struct ctrl_c_params),
    PLUGIN_STATS(ctrl_c_stats, struct ctrl_c_stats),
    .check = ctrl_c_check,
    .state_bytes = ctrl_c_state_bytes,
    .cost_bits = ctrl_c_cost_bits,
    .init = ctrl_c_init,
    .decide = ctrl_c_decide,
    .on_bypass = ctrl_c_on_bypass,
    .on_evict = ctrl_c_on_evict,
    .on_miss = ctrl_c_on_miss,
};
