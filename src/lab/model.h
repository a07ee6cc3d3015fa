/* Which sources a result depends on. The digests are computed when Heddle is built
 * (cmake/model_version.cmake) and depend only on the sources. */
#ifndef HEDDLE_LAB_MODEL_H
#define HEDDLE_LAB_MODEL_H

#include <stdint.h>

/* Heddle's version and a digest of all sources that may move a simulated number, including those of
 * every mechanism and workload: the version of pages that show many results. */
extern const char lab_model_version[];

/* The same for the sources that every run uses. */
const char *model_engine_version(void);

/* The sources of one mechanism or workload: its own and those shared with others of its kind. */
struct model_part {
    const char *kind; /* "scheduler", "cache policy", "criticality", "atomics", "workload" */
    const char *name;
    const char *digest;
};
const struct model_part *model_parts(uint32_t *n);

/* NULL if it is not built in but comes from a plug-in. */
const char *model_part_digest(const char *kind, const char *name);

#endif
