/* Sums and identities of the counters of DRAM channels. */
#include "dram/dram.h"

void dram_stats_add(struct dram_stats *into, const struct dram_stats *from)
{
#define COUNTER(field, name, unit, help) into->field += from->field;
    DRAM_COUNTERS(COUNTER)
#undef COUNTER
}

static bool is_equal(const char *what, uint64_t a, uint64_t b, struct strbuf *why)
{
    if (a != b)
        strbuf_addf(why, "dram: %s: %llu is not %llu\n", what, (unsigned long long)a,
                    (unsigned long long)b);
    return a == b;
}

bool dram_stats_check(const struct dram_stats *s, struct strbuf *why)
{
    bool holds = is_equal("reads + writes = row_hits + activates", s->reads + s->writes,
                          s->row_hits + s->activates, why);
    holds &= is_equal("queue_area = queue_stays", s->queue_area, s->queue_stays, why);
    if (s->precharges > s->activates) {
        strbuf_addf(why, "dram: more rows closed (%llu) than opened (%llu)\n",
                    (unsigned long long)s->precharges, (unsigned long long)s->activates);
        holds = false;
    }
    return holds;
}
