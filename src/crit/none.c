/* No warp is more critical than another: the default of a machine without a provider. */
#include "crit/criticality.h"

static uint64_t none_cost_bits(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0;
}

static int64_t none_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)warp, (void)now;
    return 0;
}

static bool none_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)warp, (void)now;
    return false;
}

const struct criticality_desc criticality_none = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "none",
    .summary = "no warp is critical",
    .citation = "baseline",
    .cost_bits = none_cost_bits,
    .is_fixed = true,
    .value = none_value,
    .is_critical = none_is_critical,
};
