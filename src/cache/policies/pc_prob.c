/* Bypassing by chance, for experiments with the share of an instruction's misses that bypass.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 5.1, Figure 5.5:
 *
 * "A memory request has 1/2^N probability to be inserted into the L1 data cache", of one memory
 * instruction; the others bypass. Victims are chosen by LRU. A load in a loop that the compiler has
 * unrolled once is two instructions, which can be chosen together (`also`).
 *
 * The k-th miss of the instruction, from 0, is inserted if the low n bits of the high half of
 * splitmix(seed + k * c) are 0, with SplitMix64's constant c; the seed is the cache's plus the
 * parameter. MODEL: stores that allocate (local memory) always insert. */
#include "cache/cache_policy.h"
#include "base/splitmix.h"

#define EVERY_PC UINT32_MAX /* no instruction has that number */

struct pc_prob_params {
    uint32_t pc, also, n;
    uint64_t seed;
};

static const struct param pc_prob_params[] = {
    PARAM_U32(struct pc_prob_params, pc, "4294967295", 0, UINT32_MAX, NULL,
              "number of the instruction; 4294967295 = every one"),
    PARAM_U32(struct pc_prob_params, also, "4294967295", 0, UINT32_MAX, NULL,
              "number of a second one that is treated like it; 4294967295 = none"),
    PARAM_U32(struct pc_prob_params, n, "0", 0, 7, NULL, "it inserts with probability 1/2^n"),
    PARAM_U64(struct pc_prob_params, seed, "0", 0, UINT64_MAX, NULL,
              "added to the seed of each cache"),
};

struct pc_prob_stats {
    uint64_t chosen_misses;
};

static const struct plugin_stat pc_prob_stats[] = {
    STAT_COUNT(struct pc_prob_stats, chosen_misses, "accesses",
               "misses of the chosen instructions, inserted or not"),
};

struct pc_prob {
    uint64_t x;
};

static size_t pc_prob_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct pc_prob);
}

static void pc_prob_init(struct cache_policy *p)
{
    struct pc_prob *state = p->state;
    state->x = p->seed + ((const struct pc_prob_params *)p->params)->seed;
}

static bool is_chosen(const struct cache_policy *p, const struct mem_access *a)
{
    const struct pc_prob_params *params = p->params;
    return a->kind != MEM_STORE &&
           (params->pc == EVERY_PC || params->pc == a->pc || params->also == a->pc);
}

static int pc_prob_decide(const struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a)
{
    const struct pc_prob_params *params = p->params;
    const struct pc_prob *state = p->state;
    uint64_t drawn = splitmix(state->x) >> 32;
    if (!s->filling && is_chosen(p, a) && drawn & ((1u << params->n) - 1))
        return CACHE_BYPASS;
    return cache_set_lru(s);
}

static void pc_prob_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                            const struct mem_access *a)
{
    (void)s;
    struct pc_prob *state = p->state;
    if (way >= 0 || !is_chosen(p, a))
        return;
    state->x += SPLITMIX_STEP;
    ((struct pc_prob_stats *)p->stats)->chosen_misses++;
}

static uint64_t pc_prob_cost_bits(const struct cache_geometry *g, const void *params,
                                  struct strbuf *parts)
{
    (void)g, (void)params;
    return plugin_cost(parts, "generator", 64);
}

const struct cache_policy_desc cache_policy_pc_prob = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "pc_prob",
    .summary = "chosen loads insert with a fixed probability and bypass otherwise",
    .citation = "S.-Y. Lee: Intelligent Scheduling and Memory Management Techniques for Modern GPU "
                "Architectures. PhD thesis, Arizona State University, 2017, section 5.1",
    .params = pc_prob_params,
    .n_params = sizeof pc_prob_params / sizeof pc_prob_params[0],
    .params_bytes = sizeof(struct pc_prob_params),
    PLUGIN_STATS(pc_prob_stats, struct pc_prob_stats),
    .state_bytes = pc_prob_state_bytes,
    .cost_bits = pc_prob_cost_bits,
    .init = pc_prob_init,
    .decide = pc_prob_decide,
    .on_miss = pc_prob_on_miss,
};
