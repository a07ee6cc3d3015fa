/* Whose lines the loads of a run hit in L1D (S4 Figure 11), and how optimal replacement and an
 * unbounded cache would have treated the same loads (S4 Figures 1, 8, 10 and 12: their
 * `<scheduler>-BEL`). Computed after the run from a recording of its L1Ds, so other runs pay
 * nothing.
 *
 * Left out on purpose: sectors. The owner of a line is the last to miss it, in any sector. */
#ifndef HEDDLE_ANALYSIS_LOCALITY_H
#define HEDDLE_ANALYSIS_LOCALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"

/* The parts that can be measured. The version changes when the meaning of a number changes. */
enum { LOCALITY_RUN = 1, LOCALITY_BOUNDS = 2, LOCALITY_ALL = 3, LOCALITY_VERSION = 1 };

/* A zeroed struct means that nothing was measured. */
struct locality {
    uint32_t parts; /* measured parts */
    uint64_t n_thread_insts;
#define COUNTER(part, field, name, unit, help) uint64_t field;
#include "analysis/locality.def"
};

struct cache_config;

/* Measures the recording at `path` of the cache `l1d`. False, with the reason in `why`, if it
 * cannot be read. The bounds need all accesses in memory, 48 bytes each. */
bool locality_measure(const char *path, const struct cache_config *l1d, uint32_t parts,
                      struct locality *out, struct strbuf *why);

/* The statistics in the order users see them: 0 <= i < locality_stat_count(). NULL = only names. */
uint32_t locality_stat_count(void);
struct heddle_stat locality_stat_at(const struct locality *l, uint32_t i);
/* The part that a statistic belongs to. */
uint32_t locality_stat_part(uint32_t i);

#endif
