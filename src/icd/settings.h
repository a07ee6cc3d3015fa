/* Settings of the device from `heddle exec` or the user's environment. */
#ifndef HEDDLE_ICD_SETTINGS_H
#define HEDDLE_ICD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "hetero/device.h"

struct icd_settings {
    const char **gpus; /* configurations, one device each */
    uint32_t n_gpus;
    const char **words; /* "name=value": changes to every configuration */
    uint32_t n_words, cap_words;
    const char **plugins; /* shared objects */
    uint32_t n_plugins;
    bool functional;
    bool loose_bounds; /* permit accesses just around a buffer, as hardware does */
    uint32_t threads;
    uint64_t max_cycles, max_insts;
    bool attribute;
    const char *json;   /* file for one record per launch, or NULL */
    const char *record; /* file for a trace, or NULL */
    const char *series_out;
    uint64_t series; /* core cycles between two rows */
    const char *series_columns;
    const char *store;     /* file of results, or NULL */
    const char *result;    /* file for one document about the whole program, or NULL */
    const char *l2_report; /* file for the traffic of L2 and DRAM (analysis/l2_report.h), or NULL */
    bool l2_watch;         /* including the observed use of buffers */
    bool summary, kernels;
    uint32_t version; /* OpenCL version that the platform reports: 120 or 300 */
    uint64_t device_type;
    bool is_any_type;       /* devices match every type that a program requests */
    bool hetero;            /* the device is Heddle HeteroPDP, with the first of gpus */
    const char *hetero_cmp; /* the OpenCL library of its CPU device; NULL = one of the machine */
    const char *hetero_gpu; /* ... and of its GPU; NULL = ours */
    const char *hetero_models, *hetero_natives, *hetero_log;
    enum hetero_mode hetero_mode;
    bool hetero_cold;       /* at a launch, buffers are on the host only, and results return
                             * there */
    bool hetero_checkpoint; /* keep what a kernel overwrites, in case its target fails */
    struct arena arena;
};

/* Reads the environment (doc/opencl.md lists the names). False, with a message, if a variable is
 * not valid. */
bool settings_read(struct icd_settings *s, struct strbuf *error);

#endif
