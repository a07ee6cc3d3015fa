/* Each mutex has a home SM: an SM asks the home and waits for its grant (S1 section 3.2,
 * AtomDir). */
#include "atomics/mutex_desc.h"

static const struct param params[] = {MUTEX_COMMON_PARAMS, MUTEX_ROWS_PARAM, MUTEX_SPEC_PARAMS};

static uint64_t cost_bits(uint32_t n_sms, const void *values, struct strbuf *parts)
{
    const struct mutex_params *p = values;
    uint64_t at_home = (p->mutexes + n_sms - 1) / n_sms;
    return plugin_cost(parts, "directory of the mutexes at home: held, holder, mature",
                       mutex_table_bits(at_home, n_sms, p)) +
           plugin_cost(parts, "SMs that wait at the home", at_home * n_sms) +
           mutex_own_bits(p, parts);
}

const struct atomics_desc atomics_atom_dir = {
    MUTEX_DESC(params, mutex_home_net),
    .name = "atom_dir",
    .summary = "atomics in L1D under mutexes; the home SM of each mutex grants it",
    .citation = "S. Franey, M. Lipasti: Accelerating atomic operations on GPGPUs. NOCS 2013 "
                "(S1, sections 3.2 and 3.4)",
    .cost_bits = cost_bits,
};
