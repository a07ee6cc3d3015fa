/* Random replacement from a seeded generator, the same on every host.
 *
 * The state x starts at the cache's seed plus the parameter `seed`, modulo 2^64. The victim is the
 * k-th of the n lines that are not reserved, counted from 0 in the order of ways, with
 *     k = (splitmix(x) >> 32) * n >> 32
 * where splitmix is the output function of SplitMix64. The state advances by SplitMix64's constant
 * whenever a line is reserved, whether a victim was needed or not. So a decision repeated after a
 * stall is the same unless the set itself has changed. */
#include "cache/cache_policy.h"
#include "base/splitmix.h"

struct random_params {
    uint64_t seed;
};

static const struct param random_params[] = {
    PARAM_U64(struct random_params, seed, "0", 0, UINT64_MAX, NULL,
              "added to the seed of each cache"),
};

struct random_state {
    uint64_t x;
};

static size_t random_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct random_state);
}

static void random_init(struct cache_policy *p)
{
    struct random_state *state = p->state;
    state->x = p->seed + ((const struct random_params *)p->params)->seed;
}

static int random_decide(const struct cache_policy *p, const struct cache_set *s,
                         const struct mem_access *a)
{
    (void)a;
    const struct random_state *state = p->state;
    uint64_t candidates = cache_set_ways(s) & ~s->reserved;
    if (!candidates)
        return CACHE_STALL;
    uint64_t n = (uint64_t)__builtin_popcountll(candidates);
    for (uint64_t k = (splitmix(state->x) >> 32) * n >> 32; k > 0; k--)
        candidates &= candidates - 1;
    return __builtin_ctzll(candidates);
}

static void random_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                              const struct mem_access *a)
{
    (void)s, (void)way, (void)a;
    struct random_state *state = p->state;
    state->x += SPLITMIX_STEP;
}

static uint64_t random_cost_bits(const struct cache_geometry *g, const void *params,
                                 struct strbuf *parts)
{
    (void)g, (void)params;
    return plugin_cost(parts, "generator", 64);
}

const struct cache_policy_desc cache_policy_random = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "random",
    .summary = "replaces a random line (seeded generator)",
    .citation = "L. A. Belady: A study of replacement algorithms for a virtual-storage computer. "
                "IBM Systems Journal 5(2), 1966; generator: G. L. Steele, D. Lea, C. H. Flood: "
                "Fast splittable pseudorandom number generators. OOPSLA 2014",
    .params = random_params,
    .n_params = 1,
    .params_bytes = sizeof(struct random_params),
    .state_bytes = random_state_bytes,
    .cost_bits = random_cost_bits,
    .init = random_init,
    .never_bypasses = true,
    .decide = random_decide,
    .on_reserve = random_on_reserve,
};
