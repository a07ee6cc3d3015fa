/* Simulations on the testbed (doc/testbed.md) as points of a store: each has a key, is run once,
 * and is found again. */
#ifndef HEDDLE_CLI_HETERO_TESTBED_H
#define HEDDLE_CLI_HETERO_TESTBED_H

#include "cli/hetero.h"
#include "lab/result.h"
#include "workloads/workload.h"

/* For `launch`: time all launches, or none. */
enum { TESTBED_ALL_LAUNCHES = 0, TESTBED_NO_LAUNCH = 1 << 30 };

struct testbed_point {
    const struct workload *workload; /* NULL = none: native programs alone */
    const struct workload_size *size;
    const char *on; /* "cmp" or "gpu" */
    uint32_t launch;
    const char *natives; /* separated by commas; "" = none */
    const char *setting; /* `name=value`, after all others; NULL = none */
};

/* Seconds per launch of a simulation's kernels. */
struct testbed_kernels {
    struct result_kernel *ns, *launches;
    uint32_t n;
};

/* A zeroed struct is empty and valid. */
struct testbed_runs {
    struct arena arena;
    struct point *points;
    uint32_t n, cap;
    struct result_set results; /* of the points, in order */
    bool wants_kernels;        /* set it before testbed_go() to use testbed_kernel_seconds() */
    struct testbed_kernels *kernels;
    double cpu_mhz, llc_bytes, dram_gbps; /* of the machine */
};

/* Adds a simulation; returns its index. */
uint32_t testbed_add(struct testbed_runs *t, const struct hetero_options *o,
                     const struct testbed_point *p);
/* Runs those that the store does not have, unless o->stored_only; reports failures. Call it
 * once. */
enum heddle_status testbed_go(struct testbed_runs *t, const struct hetero_options *o);
/* With o->stored_only: does the store have it? */
bool testbed_has(const struct testbed_runs *t, uint32_t i);
void testbed_destroy(struct testbed_runs *t);

double testbed_stat(const struct testbed_runs *t, uint32_t i, const char *name);
/* The mean time of the kernel's launches; 0 = none was timed. */
double testbed_kernel_seconds(const struct testbed_runs *t, uint32_t i, const char *kernel);
/* Identifies the simulation in results. */
const char *testbed_id(const struct testbed_runs *t, uint32_t i);
/* Duration of the first run of the native program on that core. */
double testbed_native_seconds(const struct testbed_runs *t, uint32_t i, uint32_t core);

/* Splits a list of native programs, in the arena, and returns their number. Reports too many. */
bool testbed_split(const char *natives, struct arena *arena, const char *names[4], uint32_t *n);

#endif
