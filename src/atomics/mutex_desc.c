#include "atomics/mutex_desc.h"

const struct plugin_stat mutex_stat_rows[] = {
#define COUNTER(field, unit, help) STAT_COUNT(struct mutex_stats, field, unit, help),
    MUTEX_COUNTERS(COUNTER)
#undef COUNTER
};

/* Performed in the SM itself, at the earliest in the next cycle: the SM's stores must be visible by
 * then. */
sim_time mutex_lead(const struct atomics_sm *u)
{
    (void)u;
    return 0;
}

struct atomics_taken mutex_take(struct atomics_sm *u, const struct mem_access *a,
                                struct atomics_resources room)
{
    (void)a, (void)room;
    if (!mutex_unit_has_room(u->mutexes))
        return (struct atomics_taken){ATOMICS_WAIT, STALL_ATOMICS};
    return (struct atomics_taken){.step = ATOMICS_HERE};
}

bool mutex_check(uint32_t n_sms, const void *params, struct param_flaw *flaw)
{
    const struct mutex_params *p = params;
    if (p->rows && n_sms % p->rows)
        return param_flawed(flaw, PARAM_NAMES("rows"),
                            "atomics.rows (%u) must be a divisor of n_sms (%u)", p->rows, n_sms);
    return true;
}

uint64_t mutex_table_bits(uint64_t n_mutexes, uint32_t n_sms, const struct mutex_params *p)
{
    return n_mutexes * (1 + plugin_index_bits(n_sms) + (p->epoch_cycles ? 1 : 0));
}

/* MODEL: hardware costs count tags of 32 bits, as S2 does. */
enum { TAG_BITS = 32, PHASE_BITS = 2 };

uint64_t mutex_own_bits(const struct mutex_params *p, struct strbuf *parts)
{
    uint32_t entry = TAG_BITS + plugin_index_bits(p->mutexes) + 1;
    uint64_t bits =
        plugin_cost(parts, "state of the mutexes in the SM", (uint64_t)p->mutexes * PHASE_BITS);
    bits += plugin_cost(parts, "queue of requests: line, mutex, whether its data are there",
                        (uint64_t)p->queue * entry);
    bits += plugin_cost(parts, "requests performed since each acquire",
                        (uint64_t)p->queue * plugin_index_bits((uint64_t)p->hold_max + 1));
    if (p->spec_fetch)
        bits += plugin_cost(parts, "stale bits of requests", p->queue);
    return bits;
}

uint64_t mutex_wire_bits(const struct mutex_params *p, struct strbuf *parts)
{
    return plugin_cost(parts, "busy wires: asserted by others and by this member",
                       2 * (uint64_t)p->busy_wires);
}
