/* The kernels that host instructions are counted with, each with inputs and a launch. */
#ifndef HEDDLE_BENCH_KERNELS_H
#define HEDDLE_BENCH_KERNELS_H

#include "workloads/workload.h"

extern const char bench_kernels_source[];

enum { BENCH_GEMM_ROWS = 8 }; /* of a CTA; the matrices have 32 times as many */

/* A size is a number of CTAs (of rows of CTAs for the GEMM). */
struct measurement {
    struct device *device;
    uint32_t size, capacity; /* CTAs to run, and to have inputs for */
    uint32_t repeats;
    double best_seconds;
};

void bench_fma_loop(struct measurement *m);
void bench_naive_gemm(struct measurement *m);
void bench_vector_add(struct measurement *m);
void bench_divergent_gather(struct measurement *m);
void bench_thrash(struct measurement *m);

#endif
