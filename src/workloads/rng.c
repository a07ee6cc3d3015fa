/* Random inputs: Steele, Lea and Flood's SplitMix64, chosen because it is eight lines, passes the
 * usual test batteries and gives the same numbers on every host. */
#include "workloads/workload.h"

uint64_t rng_u64(struct workload_rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

uint32_t rng_below(struct workload_rng *r, uint32_t n)
{
    return (uint32_t)(((unsigned __int128)rng_u64(r) * n) >> 64);
}

float rng_unit(struct workload_rng *r)
{
    return (float)(rng_u64(r) >> 40) * 0x1p-24f;
}
