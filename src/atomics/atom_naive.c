/* Every SM knows the state of every mutex: one ring of all SMs with a token (S1 section 3.2,
 * AtomNaive). An SM acquires and releases only when it has the token. */
#include "atomics/mutex_desc.h"

static const struct param params[] = {MUTEX_COMMON_PARAMS, MUTEX_WIRES_PARAM};

static uint64_t cost_bits(uint32_t n_sms, const void *values, struct strbuf *parts)
{
    const struct mutex_params *p = values;
    return plugin_cost(parts, "table of all mutexes: held, holder",
                       mutex_table_bits(p->mutexes, n_sms, p)) +
           mutex_wire_bits(p, parts) + mutex_own_bits(p, parts);
}

const struct atomics_desc atomics_atom_naive = {
    MUTEX_DESC(params, mutex_ring_net),
    .name = "atom_naive",
    .summary = "atomics in L1D under mutexes; a token on one ring of all SMs grants them",
    .citation = "S. Franey, M. Lipasti: Accelerating atomic operations on GPGPUs. NOCS 2013 "
                "(S1, section 3.2)",
    .cost_bits = cost_bits,
};
