/* What `heddle exec` or a user's environment asks of the device. */
#ifndef HEDDLE_ICD_SETTINGS_H
#define HEDDLE_ICD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

struct icd_settings {
    const char **gpus; /* configurations, one device each */
    uint32_t n_gpus;
    const char **words; /* "name=value": changes to every configuration */
    uint32_t n_words, cap_words;
    const char **plugins; /* shared objects */
    uint32_t n_plugins;
    bool functional;
    bool loose_bounds; /* accesses just past a buffer are let pass, as hardware does */
    uint32_t threads;
    uint64_t max_cycles, max_insts;
    bool attribute;
    const char *json;   /* file for one record a launch, or NULL */
    const char *record; /* file for a trace, or NULL */
    const char *series_out;
    uint64_t series; /* core cycles between two rows */
    const char *series_columns;
    const char *store;  /* file of results, or NULL */
    const char *result; /* file for one document of the whole program, or NULL */
    bool summary, kernels;
    uint32_t version; /* of OpenCL that the platform reports: 120 or 300 */
    uint64_t device_type;
    struct arena arena;
};

/* Reads the environment (doc/opencl.md lists the names). False, with a message, when a variable
 * makes no sense. */
bool settings_read(struct icd_settings *s, struct strbuf *error);

#endif
