/* Criticality-aware cache prioritisation. S3 = S.-Y. Lee: Intelligent scheduling and memory
 * management techniques for modern GPU architectures. PhD thesis, Arizona State University 2017,
 * section 4.2.3. In S3's order:
 *
 * The ways of a set are divided into two partitions, critical and non-critical. Each partition
 * replaces its lines by RRIP. CCBP predicts whether critical warps will use a line, SHiP whether
 * any warp will; both are arrays of 2-bit saturating counters, indexed by signature.
 *
 * Algorithm 7, atMiss(req):
 *     line 3     line.signature := req.pc XOR req.addr, the lower 8 bits of each
 *     line 4-7   CCBP[signature] > Threshold: insert into the critical partition
 *     line 8-11  otherwise: insert into the non-critical partition
 *                SHiP sets the position: "long" (2), or "distant" (3) if its counter is 0
 * Algorithm 8, atHit(req):
 *     line 3-7   RRIP promotion in the line's partition
 *     line 8-12  of a critical warp: c_reuse := TRUE, CCBP[signature]++, SHiP[signature]++
 *     line 13-16 of another warp: nc_reuse := TRUE, SHiP[signature]++
 * Algorithm 9, atEvict(line):
 *     line 2-4   no c_reuse, but nc_reuse, in the critical partition: CCBP[signature]--
 *     line 5-7   neither: SHiP[signature]--
 *
 * The criticality provider (CPL) decides which warps are critical. The critical partition starts at
 * way 0. S3 gives neither Threshold nor the values that counters start at: 1 and 1 here.
 *
 * MODEL: an empty way is filled whatever its partition, as in every cache here. The line then
 * belongs to the partition of that way, which may not be the predicted one: this concerns 1,766 of
 * the 104,713 lines that bfs at tiny inserts (gtx480-cawa, cawa).
 *
 * MODEL: a load that merges with an outstanding miss is a use, as a hit is. S3's Algorithm 8 is
 * called atHit and does not mention merges. (Heddle's dlp does not count merges as hits.) If CACP
 * ignored merges, bfs at tiny would take 97,439 cycles instead of 94,657 (gtx480-cawa, cawa).
 *
 * MODEL: the signature has the address of the line, not of the request, so that with 128-byte lines
 * only one of its 8 address bits can be set. With the address of the request's first byte, km at
 * tiny takes 184,013 cycles instead of 179,204, and bfs 94,608 instead of 94,657 (gtx480-cawa,
 * cawa). */
#include <string.h>

#include "cache/policies/counters.h"
#include "cache/policies/rrip.h"

enum { N_COUNTERS = 256, COUNTER_BITS = 2, COUNTER_TOP = 3, COUNTER_INIT = 1 };
enum signature_kind { SIGN_PC_ADDR, SIGN_PC, SIGN_PC_REGION };

struct cacp_params {
    uint32_t critical_ways, ccbp_threshold, region_bits;
    enum signature_kind signature;
};

static const char *const signature_names[] = {"pc_addr", "pc", "pc_region", NULL};

static const struct param cacp_params[] = {
    PARAM_U32(struct cacp_params, critical_ways, "0", 0, CACHE_MAX_WAYS - 1, "ways",
              "ways of a set for critical lines; 0 = half of them"),
    PARAM_U32(struct cacp_params, ccbp_threshold, "1", 0, COUNTER_TOP, NULL,
              "a line is critical if its counter is larger"),
    PARAM_ENUM(struct cacp_params, signature, "pc_addr", signature_names,
               "what selects the counters: PC and line address, PC, or PC and region"),
    PARAM_U32(struct cacp_params, region_bits, "12", 0, 48, "bits",
              "address bits below the region, for pc_region"),
};

struct cacp_stats {
    uint64_t critical_insertions, distant_insertions;
};

static const struct plugin_stat cacp_stats[] = {
    STAT_COUNT(struct cacp_stats, critical_insertions, "lines",
               "lines inserted into the critical ways"),
    STAT_COUNT(struct cacp_stats, distant_insertions, "lines",
               "lines inserted at 3 (distant re-reference)"),
};

struct cacp {
    uint8_t ccbp[N_COUNTERS], ship[N_COUNTERS];
};

struct cacp_line {
    struct rrip_line rrip;
    uint8_t signature;
    bool c_reuse, nc_reuse;
};

static uint32_t critical_ways(const struct cache_geometry *g, const struct cacp_params *params)
{
    return params->critical_ways ? params->critical_ways : g->n_ways / 2;
}

static bool cacp_check(const struct cache_geometry *g, const void *params, struct strbuf *why)
{
    uint32_t n = critical_ways(g, params);
    if (n > 0 && n < g->n_ways)
        return true;
    strbuf_addf(why, "policy cacp needs critical and other ways in a set: %u of %u are critical", n,
                g->n_ways);
    return false;
}

static size_t cacp_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct cacp);
}

static void cacp_init(struct cache_policy *p)
{
    memset(p->state, COUNTER_INIT, sizeof(struct cacp));
}

static uint8_t signature_of(const struct cache_policy *p, const struct mem_access *a)
{
    const struct cacp_params *params = p->params;
    switch (params->signature) {
    case SIGN_PC:
        return (uint8_t)a->pc;
    case SIGN_PC_REGION:
        return (uint8_t)(a->pc ^ a->line >> params->region_bits);
    case SIGN_PC_ADDR:
        break;
    }
    return (uint8_t)(a->pc ^ a->line);
}

static uint64_t critical_partition(const struct cache_policy *p)
{
    return (1ull << critical_ways(&p->geometry, p->params)) - 1;
}

/* The ways of the partition to which a way belongs. */
static uint64_t partition_of(const struct cache_policy *p, const struct cache_set *s, uint32_t way)
{
    uint64_t critical = critical_partition(p);
    return critical >> way & 1 ? critical : cache_set_ways(s) & ~critical;
}

static struct cacp_line *line_of(const struct cache_set *s, uint32_t way)
{
    return s->line_state[way];
}

/* Algorithm 7: the partition. */
static int cacp_decide(const struct cache_policy *p, const struct cache_set *s,
                       const struct mem_access *a)
{
    const struct cacp *c = p->state;
    const struct cacp_params *params = p->params;
    uint64_t critical = critical_partition(p);
    bool is_critical = c->ccbp[signature_of(p, a)] > params->ccbp_threshold;
    return rrip_victim(s, is_critical ? critical : cache_set_ways(s) & ~critical);
}

/* Algorithm 8. */
static void cacp_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                        const struct mem_access *a)
{
    struct cacp *c = p->state;
    if (way == ~0u)
        return;
    struct cacp_line *line = line_of(s, way);
    line->rrip.rrpv = 0;
    if (a->is_critical) {
        line->c_reuse = true;
        counter_up(&c->ccbp[line->signature], COUNTER_TOP);
    } else if (!line->c_reuse) { /* otherwise it makes no difference */
        line->nc_reuse = true;
    }
    counter_up(&c->ship[line->signature], COUNTER_TOP);
}

/* A hit changes nothing once RRPV is 0 and its counters and flags are at their limits. */
static enum cache_hit_effect cacp_hit_effect(const struct cache_policy *p,
                                             const struct cache_set *s, uint32_t way)
{
    const struct cacp *c = p->state;
    const struct cacp_line *line = line_of(s, way);
    if (line->rrip.rrpv || c->ship[line->signature] != COUNTER_TOP)
        return HIT_MATTERS;
    if (line->c_reuse && c->ccbp[line->signature] == COUNTER_TOP)
        return HIT_IS_SILENT;
    return line->c_reuse || line->nc_reuse ? HIT_MATTERS_IF_CRITICAL : HIT_MATTERS;
}

/* Algorithm 9. */
static void cacp_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                          enum cache_evict_cause cause, const struct mem_access *a)
{
    (void)a;
    struct cacp *c = p->state;
    const struct cacp_line *line = line_of(s, way);
    if (cause != EVICT_REPLACE)
        return;
    rrip_age(s, partition_of(p, s, way), way);
    bool in_critical_partition = critical_partition(p) >> way & 1;
    if (!line->c_reuse && line->nc_reuse && in_critical_partition)
        counter_down(&c->ccbp[line->signature]);
    else if (!line->c_reuse && !line->nc_reuse)
        counter_down(&c->ship[line->signature]);
}

/* Algorithm 7: signature and position. */
static void cacp_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                            const struct mem_access *a)
{
    const struct cacp *c = p->state;
    struct cacp_stats *stats = p->stats;
    uint8_t signature = signature_of(p, a);
    *line_of(s, way) = (struct cacp_line){
        .rrip.rrpv = c->ship[signature] ? RRPV_LONG : RRPV_DISTANT, .signature = signature};
    stats->critical_insertions += critical_partition(p) >> way & 1;
    stats->distant_insertions += !c->ship[signature];
}

static uint64_t cacp_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)params;
    uint64_t lines = (uint64_t)g->n_sets * g->n_ways;
    return rrip_cost(g, parts) +
           plugin_cost(parts, "signatures and reuse bits",
                       lines * (plugin_index_bits(N_COUNTERS) + 2)) +
           plugin_cost(parts, "CCBP", N_COUNTERS * COUNTER_BITS) +
           plugin_cost(parts, "SHiP", N_COUNTERS * COUNTER_BITS);
}

const struct cache_policy_desc cache_policy_cacp = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "cacp",
    .summary = "sets ways aside in each set for lines that critical warps are predicted to reuse",
    .citation = "S.-Y. Lee, A. Arunkumar, C.-J. Wu: CAWA: coordinated warp scheduling and cache "
                "prioritization for critical warp acceleration of GPGPU workloads. ISCA 2015",
    .criticality = "cpl",
    .reads_criticality_on_hits_only = true,
    .reads_is_critical_only = true,
    .params = cacp_params,
    .n_params = sizeof cacp_params / sizeof cacp_params[0],
    .params_bytes = sizeof(struct cacp_params),
    PLUGIN_STATS(cacp_stats, struct cacp_stats),
    .check = cacp_check,
    .state_bytes = cacp_state_bytes,
    .line_state_bytes = sizeof(struct cacp_line),
    .cost_bits = cacp_cost_bits,
    .init = cacp_init,
    .never_bypasses = true,
    .decide = cacp_decide,
    .on_hit = cacp_on_use,
    .hit_effect = cacp_hit_effect,
    .on_merge = cacp_on_use,
    .on_miss = rrip_on_lookup,
    .on_store = rrip_on_lookup,
    .on_evict = cacp_on_evict,
    .on_reserve = cacp_on_reserve,
};
