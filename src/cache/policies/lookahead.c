#include "cache/policies/lookahead.h"

/* Hits per way, as an exact fraction. */
struct utility {
    uint64_t hits;
    uint64_t ways; /* times the divisor of the application's utility */
    uint32_t extension;
};

static bool is_greater(struct utility a, struct utility b)
{
    return (unsigned __int128)a.hits * b.ways > (unsigned __int128)b.hits * a.ways;
}

/* The best extension for an application that has `quota` ways. */
static struct utility best_extension(const uint64_t *hits, uint32_t quota, uint32_t left,
                                     uint32_t divide_by)
{
    struct utility best = {.hits = 0, .ways = 1};
    uint64_t sum = 0;
    for (uint32_t n = 1; n <= left; n++) {
        sum += hits[quota + n - 1];
        struct utility u = {sum, (uint64_t)n * divide_by, n};
        if (is_greater(u, best))
            best = u;
    }
    return best;
}

static void deal_singly(const struct lookahead *l, uint32_t left, uint32_t *quotas)
{
    bool can = false;
    for (uint32_t k = 0; k < l->n_apps; k++)
        can = can || !l->keeps_least[k];
    for (uint32_t k = 0; left && can; k = (k + 1) % l->n_apps)
        if (!l->keeps_least[k]) {
            quotas[k]++;
            left--;
        }
}

void lookahead_partition(const struct lookahead *l, const uint64_t (*hits)[CACHE_MAX_WAYS],
                         uint32_t *quotas)
{
    uint32_t left = l->n_ways - l->n_apps * l->min_ways;
    for (uint32_t k = 0; k < l->n_apps; k++)
        quotas[k] = l->min_ways;
    while (left) {
        struct utility best = {.hits = 0, .ways = 1};
        uint32_t winner = 0;
        for (uint32_t k = 0; k < l->n_apps; k++) {
            if (l->keeps_least[k])
                continue;
            struct utility u = best_extension(hits[k], quotas[k], left, l->divide_by[k]);
            if (is_greater(u, best)) {
                best = u;
                winner = k;
            }
        }
        if (!best.hits)
            break;
        quotas[winner] += best.extension;
        left -= best.extension;
    }
    deal_singly(l, left, quotas);
}
