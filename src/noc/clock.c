/* Clocks of different frequencies on one integer time line. The time unit is the least common
 * multiple of the frequencies, so no edge is ever rounded. */
#include "noc/shard.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool clocks_resolve(struct clock_domain *domains, uint32_t n)
{
    uint64_t common = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert(domains[i].mhz > 0);
        common = gcd(common, domains[i].mhz);
        domains[i].period = 0;
    }
    uint64_t units = 1; /* per 1 / common: the lcm of the reduced frequencies */
    for (uint32_t i = 0; i < n; i++) {
        uint64_t mhz = domains[i].mhz / common;
        uint64_t factor = mhz / gcd(units, mhz);
        /* More units than this make the slowest clock's period too long in any case. */
        if (units > (UINT64_C(1) << 63) / factor)
            return false;
        units *= factor;
    }
    for (uint32_t i = 0; i < n; i++)
        if (units / (domains[i].mhz / common) > CLOCK_MAX_PERIOD)
            return false;
    for (uint32_t i = 0; i < n; i++)
        domains[i].period = (uint32_t)(units / (domains[i].mhz / common));
    return true;
}
