/* Chooses where a kernel runs (S3 sections 6.3 and 6.4): on the CMP beside native programs, or on
 * the GPU. Each goal gives both targets a score; the higher one wins. */
#ifndef HEDDLE_HETERO_CHOOSE_H
#define HEDDLE_HETERO_CHOOSE_H

#include "hetero/bubble.h"

enum hetero_target { HETERO_CMP, HETERO_GPU, HETERO_N_TARGETS };
enum hetero_goal {
    GOAL_FAIRNESS,   /* S3 Equations 6.1 and 6.4: smallest / largest weighted slowdown */
    GOAL_THROUGHPUT, /* sum of speeds relative to running alone; weights do not count */
    GOAL_WEIGHTED,   /* mean of speeds by weight */
    N_GOALS,
};
/* The baseline of a kernel's slowdown: its time when it runs alone (S3 Equation 6.6). */
enum slowdown_reference {
    REFERENCE_SAME, /* on the same target */
    REFERENCE_BEST, /* on the faster target */
    N_REFERENCES,
};
extern const char *const hetero_target_names[HETERO_N_TARGETS];
extern const char *const hetero_goal_names[N_GOALS];
extern const char *const slowdown_reference_names[N_REFERENCES];

struct hetero_native {
    const char *name;
    double weight;
    double slowdown[HETERO_N_TARGETS]; /* beside the kernel on each target */
    /* The slowdowns come from this table, under these pressures; NULL = they were given. */
    const struct bubble_table *table;
    struct pressure total[HETERO_N_TARGETS]; /* of the kernel and the other native programs */
    struct pressure own;                     /* its own pressure on the others */
    double llc_misses;                       /* per second, of it alone */
    int64_t pid;                             /* of the running program; 0 = unknown */
};

struct hetero_question {
    enum hetero_goal goal;
    enum slowdown_reference reference;
    double alone_s[HETERO_N_TARGETS], co_located_s[HETERO_N_TARGETS];
    struct hetero_native *natives;
    uint32_t n_natives;
};

struct hetero_answer {
    enum hetero_target target;
    const char *reason;
    /* Per target. Without native programs only the times matter, and these are 0. */
    double kernel_slowdown[N_REFERENCES][HETERO_N_TARGETS];
    double kernel_speed[HETERO_N_TARGETS];
    double score[N_GOALS][HETERO_N_TARGETS];
    double fairness_ratio; /* S3 Equation 6.2: CMP / GPU */
};

/* Sets `total` of every native program with a table, and its slowdowns from the table. `kernel` is
 * the kernel's pressure on the native programs from each target. */
void hetero_apply_bubbles(const struct hetero_machine *m, const struct pressure *kernel,
                          struct hetero_native *natives, uint32_t n);

struct hetero_answer hetero_choose(const struct hetero_question *q);

#endif
