/* The points of an experiment as a job array of a Slurm cluster.
 *
 * Every task of the array runs some points with `heddle sweep --run-point` into a store on its own
 * node, and moves the finished store into a folder beside the experiment's store. The driver merges
 * them as they arrive. So only one process ever writes to a store, and the nodes share only the
 * folder, the program and the experiment's file. Slurm itself restarts the tasks of a failed node;
 * points that are missing when the job has ended are submitted again. */
#ifndef HEDDLE_LAB_SLURM_H
#define HEDDLE_LAB_SLURM_H

#include "lab/sweep.h"

struct slurm_options {
    const char *program;      /* heddle, as the nodes find it */
    const char *experiment;   /* the file, likewise */
    const char *const *words; /* further options of `heddle sweep` that the points were made with */
    uint32_t n_words;
    const char *const *sbatch; /* NAME=VALUE, or NAME: options of sbatch */
    uint32_t n_sbatch;
    uint32_t tasks; /* concurrent tasks; 0 = Slurm decides */
    bool retry;
    void (*progress)(void *user, const struct sweep_progress *p, const struct point *what);
    void *progress_user;
};

/* As sweep_run(). If it is interrupted, the job continues; the same call later finds it and its
 * results. */
enum heddle_status slurm_run(struct store *s, struct point *points, uint32_t n,
                             const struct slurm_options *options, struct sweep_outcome *outcome);

#endif
