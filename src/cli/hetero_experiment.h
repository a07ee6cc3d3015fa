/* The experiment of S3 chapter 6 on the testbed: launches, native programs, and mixes of both.
 *
 * It is scaled down so that it takes hours instead of weeks: S3's launches take at least two
 * seconds, these about a millisecond or more. The private caches of CPU cores and the last-level
 * cache have an eighth of their sizes (L1 a quarter), and native programs run for about half a
 * millisecond. */
#ifndef HEDDLE_CLI_HETERO_EXPERIMENT_H
#define HEDDLE_CLI_HETERO_EXPERIMENT_H

#include "cli/hetero_testbed.h"

/* A launch of S3 Table 6.3: of this workload with this input. */
struct experiment_entry {
    const char *workload, *size;
};
/* A program of S3 Table 6.2, and its stand-in: a word of cpu.programs. */
struct experiment_native {
    const char *name, *stands_for, *word;
};
enum { N_ENTRIES = 26, N_EXPERIMENT_NATIVES = 6, N_PAIR_MIXES = 38, MAX_MIX_NATIVES = 2 };
extern const struct experiment_entry experiment_entries[N_ENTRIES];
extern const struct experiment_native experiment_natives[N_EXPERIMENT_NATIVES];

/* A launch beside one or two native programs. */
struct experiment_mix {
    uint32_t entry, natives[MAX_MIX_NATIVES], n_natives;
};
enum { N_MIXES = N_ENTRIES * N_EXPERIMENT_NATIVES + N_PAIR_MIXES };
/* All mixes, or those of --quick: every third entry beside chase and beside bzip2, and the pairs of
 * these two. */
uint32_t experiment_mixes(bool quick, struct experiment_mix out[N_MIXES]);

/* Is it a program of S3 Table 6.3, under any name? Its kernels must not be used for training. */
bool experiment_has(const struct workload *w);
/* The native of that name, or N_EXPERIMENT_NATIVES. */
uint32_t experiment_find_native(const char *name);
/* The words of natives for cpu.programs. */
const char *experiment_words(const uint32_t *natives, uint32_t n, struct arena *arena);
/* `o` with the parameters of the experiment before its own. */
struct hetero_options experiment_options(const struct hetero_options *o, struct arena *arena);

/* Sampling before a launch: one sample per set of native programs (doc/testbed.md). */
#define EXPERIMENT_SAMPLE    "testbed.sample_us=1000"
#define EXPERIMENT_SAMPLE_US 1000

#endif
