/* Dynamic Line Protection (S2 section 4; protection.h names S2 and has the algorithm). Each load
 * instruction selects an entry of the PDPT (protection distance prediction table), and so a
 * protection distance, by its instruction ID: the low 7 bits of its PC (4.1.3: 128 entries). Loads
 * with equal IDs share an entry.
 *
 * MODEL: the protected life of a line has 4 bits, so a PD is at most 15. Lives fall before they are
 * tested, so a line is protected from at most the next 14 loads of its set. In a set of 15 or more
 * ways, the protection of the LRU line is always over: DLP equals LRU, except for lines in flight
 * and lines that stores use or allocate. */
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

PROTECTION_POLICY(dlp, "protects each line for a number of loads that is learned per PC from reuse",
                  "X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for "
                  "GPUs using dynamic line protection. ICPP 2018");
