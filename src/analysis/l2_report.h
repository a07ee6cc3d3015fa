/* DRAM traffic of a simulation and the use of its buffers (l2_advice.h) as lines of text. An OpenCL
 * program runs in one or more processes of its own: each of its devices writes such lines when it
 * ends, and `heddle advise l2` adds them up. */
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
    uint32_t n_devices;       /* devices that launched kernels */
    uint64_t n_failed;        /* launches */
    struct l2_advice *advice; /* where sites go */
};

/* `advice` is NULL if the buffers were not observed. */
void l2_report_write(const struct heddle_sim *sim, const struct l2_advice *advice,
                     uint64_t n_failed, struct strbuf *out);
/* Adds what the lines say; false if a line is not one of ours. */
bool l2_report_read(struct l2_report *r, const char *text);

#endif
