/* A result of a store, run again to see more of it: by static instruction, over time, its reuse
 * distances and the timeline of an SM's warps. The run is the same to the last counter; what it
 * tells beyond the stored result is added to that. */
#ifndef HEDDLE_REPORT_EXPLAIN_H
#define HEDDLE_REPORT_EXPLAIN_H

#include "lab/store.h"

struct explain_options {
    const char *program; /* heddle itself */
    /* Told what is being done, now and then; may be NULL. */
    void (*progress)(void *user, int64_t id, const char *doing, double seconds);
    void *progress_user;
};

/* The store must be open for writing. HEDDLE_BAD_INPUT if it has no such result, or one that cannot
 * be repeated. On failure `error` says why. */
enum heddle_status report_explain(struct store *s, int64_t id, const struct explain_options *o,
                                  struct strbuf *error);

#endif
