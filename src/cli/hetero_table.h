/* The Bubble-up table of a native program, from simulations on the testbed. */
#ifndef HEDDLE_CLI_HETERO_TABLE_H
#define HEDDLE_CLI_HETERO_TABLE_H

#include "cli/hetero_testbed.h"
#include "hetero/choose.h"

enum { TABLE_CACHE, TABLE_BANDWIDTH, TABLE_N_KINDS };

/* Numbers of simulations. */
struct table_runs {
    uint32_t alone, beside[TABLE_N_KINDS][BUBBLE_STEPS + 1];
};

/* A native program alone. */
struct native_alone {
    double seconds, mpki, misses_per_second;
    struct pressure pressure; /* on others */
};

/* `native` is a word of cpu.programs. */
void table_add(struct table_runs *t, struct testbed_runs *runs, const struct hetero_options *o,
               const char *native);
/* For a native program whose simulations are available. */
struct bubble_table table_slowdowns(const struct table_runs *t, const struct testbed_runs *runs);
struct native_alone table_alone(const struct table_runs *t, const struct testbed_runs *runs);
/* With o->stored_only: are all of them available? */
bool table_is_there(const struct table_runs *t, const struct testbed_runs *runs);

#endif
