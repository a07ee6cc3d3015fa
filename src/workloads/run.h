/* Runs one workload at one size on one device and checks its result. */
#ifndef HEDDLE_WORKLOADS_RUN_H
#define HEDDLE_WORKLOADS_RUN_H

#include "workloads/workload.h"

/* The seed of every run for which the user chose none. */
enum { WORKLOAD_DEFAULT_SEED = 1 };

/* A zeroed struct is valid; workload_run() overwrites it, workload_result_destroy() frees it. */
struct workload_result {
    bool ok;                          /* the device ran to the end */
    bool verified;                    /* and the result agrees with the reference */
    enum heddle_status status;        /* HEDDLE_OK if verified, otherwise the kind of failure */
    struct strbuf message;            /* what went wrong; empty if verified */
    uint64_t input_hash, output_hash; /* device_input_hash(), device_output_hash() */
    uint32_t launches;
    double seconds;           /* of the device part: uploads, launches, downloads */
    double reference_seconds; /* of the plain C reference on this host */
};

/* The device must be fresh: hashes and launches are counted over its whole life. Returns
 * result->verified. */
bool workload_run(const struct workload *w, const struct workload_size *size, uint64_t seed,
                  struct device *d, struct workload_result *result);
void workload_result_destroy(struct workload_result *result);

#endif
