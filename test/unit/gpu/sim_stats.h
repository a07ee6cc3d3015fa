/* Statistics of a simulation, in tests that compare manners of running. */
#ifndef HEDDLE_TEST_SIM_STATS_H
#define HEDDLE_TEST_SIM_STATS_H

#include <string.h>

#include "gpu/sim.h"

static inline uint64_t count_of(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    if (!heddle_stat_find(sim, name, &s))
        fail_msg("there is no %s", name);
    return s.count;
}

/* All of them, except those that depend on the host. */
static inline void add_stats(const struct heddle_sim *sim, struct strbuf *out)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_stat_at(sim, i);
        if (strncmp(s.name, "host.", 5) != 0)
            strbuf_addf(out, "%s %llu %.17g\n", s.name, (unsigned long long)s.count, s.real);
    }
}

#endif
