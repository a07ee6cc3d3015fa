/* What a simulation moved to and from DRAM, and what was watched of its buffers (l2_advice.h), as
 * lines of text. An OpenCL program is a process of its own, or several: each of its devices leaves
 * such lines at its end, and `heddle advise l2` adds them up. */
#ifndef HEDDLE_ANALYSIS_L2_REPORT_H
#define HEDDLE_ANALYSIS_L2_REPORT_H

#include "analysis/l2_advice.h"
#include "base/strbuf.h"

struct l2_traffic {
    uint64_t reads, writes, bytes, stale, cycles;
};

struct l2_traffic l2_traffic_of(const struct heddle_sim *sim);

/* A zeroed struct is empty and valid; `advice` may be NULL. */
struct l2_report {
    struct l2_traffic sum;
    uint32_t n_devices;       /* that launched kernels */
    uint64_t n_failed;        /* launches */
    struct l2_advice *advice; /* where sites go */
};

/* `advice` is NULL if nothing was watched. */
void l2_report_write(const struct heddle_sim *sim, const struct l2_advice *advice,
                     uint64_t n_failed, struct strbuf *out);
/* Adds what the lines say; false if one of them is none of ours. */
bool l2_report_read(struct l2_report *r, const char *text);

#endif
