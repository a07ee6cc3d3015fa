/* Global-Protection (S2 section 5.3; S2 and its algorithm: protection.h): computes protection
 * distances as DLP does, but one PD for all lines. All instructions share one entry of the PDPT
 * (protection distance prediction table). */
#include "cache/policies/protection.h"

static const struct param pdp_params[] = PROTECTION_PARAMS;

static void pdp_init(struct cache_policy *p)
{
    protection_init(p, 1);
}

static uint64_t pdp_cost_bits(const struct cache_geometry *g, const void *params,
                              struct strbuf *parts)
{
    return protection_cost_bits(g, params, 1, parts);
}

PROTECTION_POLICY(pdp, "protects every line from the same number of loads of its set",
                  "N. Duong et al.: Improving cache management policies using dynamic reuse "
                  "distances. MICRO 2012; as in X. Zhu, R. Wernsman, J. Zambreno: Improving first "
                  "level cache efficiency for GPUs using dynamic line protection. ICPP 2018, "
                  "section 5.3");
