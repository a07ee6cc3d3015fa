/* Dynamic Line Protection (S2 section 4): each load instruction has a protection distance of its
 * own, by the low 7 bits of its PC. See protection.h.
 *
 * MODEL: 4 bits of protected life protect a line from at most the next 14 loads of its set; in sets
 * of 15 ways or more this is LRU, but for lines on their way and lines that stores use. */
#include "cache/policies/protection.h"

static const struct param dlp_params[] = PROTECTION_PARAMS;

static void dlp_init(struct cache_policy *p)
{
    protection_init(p, PDPT_MAX);
}

static uint64_t dlp_cost_bits(const struct cache_geometry *g, const void *params,
                              struct strbuf *parts)
{
    return protection_cost_bits(g, params, PDPT_MAX, parts);
}

PROTECTION_POLICY(dlp, "protects lines as long as the loads that use them come back, by PC",
                  "X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for "
                  "GPUs using dynamic line protection. ICPP 2018");
