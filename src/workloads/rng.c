/* Random inputs: Steele, Lea and Flood's SplitMix64, chosen because it is eight lines, passes the
 * usual test batteries and gives the same numbers on every host. */
#include "base/splitmix.h"
#include "workloads/workload.h"

uint64_t workload_rng_u64(struct workload_rng *r)
{
    return splitmix(r->state += SPLITMIX_STEP);
}

uint32_t workload_rng_below(struct workload_rng *r, uint32_t n)
{
    return (uint32_t)(((unsigned __int128)workload_rng_u64(r) * n) >> 64);
}

float workload_rng_unit(struct workload_rng *r)
{
    return (float)(workload_rng_u64(r) >> 40) * 0x1p-24f;
}
