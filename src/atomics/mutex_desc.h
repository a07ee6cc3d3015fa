/* Shared by the descriptors of units with mutexes. */
#ifndef HEDDLE_ATOMICS_MUTEX_DESC_H
#define HEDDLE_ATOMICS_MUTEX_DESC_H

#include "atomics/atomics.h"

#define MUTEX_U32(field, dflt, lo, hi, unit, help)                                                 \
    PARAM_U32(struct mutex_params, field, dflt, lo, hi, unit, help)

/* For all of them. The survey gives no numbers: all are chosen. */
#define MUTEX_COMMON_PARAMS                                                                        \
    MUTEX_U32(mutexes, "256", 1, 65536, "mutexes",                                                 \
              "a line's mutex is its number modulo this (chosen)"),                                \
        MUTEX_U32(hop_cycles, "2", 1, 1000, "core cycles",                                         \
                  "from an SM to its neighbour, and of the token at each member (chosen)"),        \
        MUTEX_U32(queue, "64", 1, 1024, "requests",                                                \
                  "requests of an SM that wait to be performed; when it is full the load/store "   \
                  "unit stalls (chosen)"),                                                         \
        MUTEX_U32(hold_max, "32", 1, 1 << 20, "requests",                                          \
                  "requests performed per acquisition of a mutex while others wait (chosen)"),     \
        MUTEX_U32(per_cycle, "0", 0, 32, "operations",                                             \
                  "lane operations that an SM performs per cycle; 0 = memory.atomics_per_cycle")
#define MUTEX_ROWS_PARAM                                                                           \
    MUTEX_U32(rows, "0", 0, 4096, "rows",                                                          \
              "of the grid of SMs, a divisor of their number; 0 = the largest that is not above "  \
              "its square root (chosen)")
#define MUTEX_WIRES_PARAM                                                                          \
    MUTEX_U32(busy_wires, "8", 0, 65536, "wires",                                                  \
              "busy wires of a ring: while a change is announced on a wire, no mutex of that "     \
              "wire is acquired; a mutex uses wire number mod this (chosen)")
#define MUTEX_SPEC_PARAMS                                                                          \
    PARAM_BOOL(struct mutex_params, spec_fetch, "false",                                           \
               "data are fetched together with the request for the mutex (S1 section 3.4)"),       \
        MUTEX_U32(epoch_cycles, "128", 1, 1 << 30, "core cycles",                                  \
                  "of an epoch: speculative data are used if the mutex was released in an "        \
                  "earlier one and requested in this one (chosen)")

extern const struct plugin_stat mutex_stat_rows[];

sim_time mutex_lead(const struct atomics_sm *u);
struct atomics_taken mutex_take(struct atomics_sm *u, const struct mem_access *a,
                                struct atomics_resources room);
/* Do the rows divide the SMs, and does every SM's number fit into a message? */
bool mutex_check(uint32_t n_sms, const void *params, struct param_flaw *flaw);

/* Bits of a table of `n_mutexes` mutexes: held, the current or last holder, mature if used. */
uint64_t mutex_table_bits(uint64_t n_mutexes, uint32_t n_sms, const struct mutex_params *p);
/* Of an SM's own side: the state of each mutex, the queue of requests, the counter for
 * `hold_max`. */
uint64_t mutex_own_bits(const struct mutex_params *p, struct strbuf *parts);
uint64_t mutex_wire_bits(const struct mutex_params *p, struct strbuf *parts);

#define MUTEX_DESC(params_table, network)                                                          \
    .abi_version = ATOMICS_ABI, .struct_size = sizeof(struct atomics_desc),                        \
    .params = (params_table), .n_params = sizeof(params_table) / sizeof(params_table)[0],          \
    .params_bytes = sizeof(struct mutex_params), .stats = mutex_stat_rows,                         \
    .n_stats = N_MUTEX_STATS, .stats_bytes = sizeof(struct mutex_stats), .net = &(network),        \
    .check = mutex_check, .lead = mutex_lead, .take = mutex_take, .answer = atomics_answer

enum {
    N_MUTEX_STATS = 0
#define COUNTER(field, unit, help) +1
    MUTEX_COUNTERS(COUNTER)
#undef COUNTER
};

#endif
