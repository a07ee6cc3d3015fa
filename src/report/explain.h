/* Runs a stored result again to see more of it: per static instruction, over time, its reuse
 * distances and the timeline of an SM's warps. The run repeats every counter exactly; what it
 * measures beyond the stored result is added to it. */
#ifndef HEDDLE_REPORT_EXPLAIN_H
#define HEDDLE_REPORT_EXPLAIN_H

#include "lab/store.h"

struct explain_options {
    const char *program; /* heddle itself */
    /* Called from time to time with the current step; may be NULL. */
    void (*progress)(void *user, int64_t id, const char *doing, double seconds);
    void *progress_user;
};

/* The store must be open for writing. HEDDLE_BAD_INPUT if it has no such result, or one that cannot
 * be repeated. On failure `error` says why. */
enum heddle_status report_explain(struct store *s, int64_t id, const struct explain_options *o,
                                  struct strbuf *error);

#endif
