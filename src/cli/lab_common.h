/* Shared by the commands for experiments: opening a store, and running points with progress. */
#ifndef HEDDLE_CLI_LAB_COMMON_H
#define HEDDLE_CLI_LAB_COMMON_H

#include "cli/file_uses.h"
#include "cli/options.h"
#include "lab/spec.h"
#include "lab/slurm.h"
#include "lab/sweep.h"

enum { LAB_MAX_JOBS = 4096 };

bool lab_file_exists(const char *path);

/* Can the file be read? If not, reports why and returns the corresponding status. */
enum heddle_status lab_check_readable(const char *path);

/* Reports an invalid number of jobs. */
bool lab_check_jobs(const struct given_u64 *jobs);

/* The files that the points of an experiment read, and the store of their results. */
void lab_note_files(struct file_uses *u, const struct spec *spec, const char *store);

/* Reports a failure. Close *out in any case. */
enum heddle_status lab_open_store(const char *path, enum store_access how, struct store **out);

struct lab_sweep {
    const char *store_path, *traces; /* the store is in memory if it has no path */
    struct slurm_options *slurm;     /* NULL = on this machine */
    struct given_u64 jobs;           /* concurrent points; one per processor if not given */
    bool retry, is_quiet, prints_summary;
    bool fails_on_stale; /* points that read data dropped by L2 count as failed */
};

/* "9 to run; such points took 0:40 together, one after the other", as far as known. */
void lab_describe_estimate(const struct sweep_estimate *e, struct strbuf *out);

/* Prints the points and their state in the store, which need not exist. They must have keys. */
enum heddle_status lab_list_points(const char *store, const struct spec *spec);

/* Runs the points that the store does not have; reports every failed point. HEDDLE_WRONG_RESULT if
 * there are any. */
enum heddle_status lab_run_points(const struct lab_sweep *how, struct store *s,
                                  struct point *points, uint32_t n,
                                  const struct point_context *context);

#endif
