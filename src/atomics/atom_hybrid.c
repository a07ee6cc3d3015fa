/* Each row of the grid of SMs manages a part of the mutexes: a row is a ring with a token, and the
 * member in an SM's own column acts for it (S1 section 3.3). */
#include "atomics/mutex_desc.h"

static const struct param params[] = {MUTEX_COMMON_PARAMS, MUTEX_ROWS_PARAM, MUTEX_WIRES_PARAM,
                                      MUTEX_SPEC_PARAMS};

static uint64_t cost_bits(uint32_t n_sms, const void *values, struct strbuf *parts)
{
    const struct mutex_params *p = values;
    uint32_t rows = mutex_grid_make(n_sms, p->rows).rows;
    uint64_t in_ring = (p->mutexes + rows - 1) / rows;
    return plugin_cost(parts, "table of the row's mutexes: held, holder, mature",
                       mutex_table_bits(in_ring, n_sms, p)) +
           plugin_cost(parts, "SMs of the column that wait for the token", in_ring * rows) +
           mutex_wire_bits(p, parts) + mutex_own_bits(p, parts);
}

const struct atomics_desc atomics_atom_hybrid = {
    MUTEX_DESC(params, mutex_rows_net),
    .name = "atom_hybrid",
    .summary = "atomics in L1D under mutexes; tokens on one ring per row of SMs grant them",
    .citation = "S. Franey, M. Lipasti: Accelerating atomic operations on GPGPUs. NOCS 2013 "
                "(S1, sections 3.3 and 3.4)",
    .cost_bits = cost_bits,
};
