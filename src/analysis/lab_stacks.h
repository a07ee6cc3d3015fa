/* LRU stacks: the depth of each line among those of its set, most recent first, for each SM (R. L.
 * Mattson et al.: Evaluation techniques for storage hierarchies. IBM Systems Journal 9(2), 1970). A
 * cache with W ways holds the lines at depths below W, so one pass covers all sizes.
 *
 * A line that is removed (by a store) leaves a hole in every cache deep enough to have held it. The
 * next line that comes from below the hole fills it: lines below the hole do not sink, and the hole
 * moves to where that line came from. */
#ifndef HEDDLE_ANALYSIS_LAB_STACKS_H
#define HEDDLE_ANALYSIS_LAB_STACKS_H

#include "analysis/lab_stream.h"

#define LAB_NOWHERE SIZE_MAX

struct lab_touch {
    size_t previous; /* position in the stream of the load that last touched the line */
    uint32_t depth;  /* distinct other lines, and holes, above it: W ways hit if depth < W */
};

struct lab_stacks;
struct lab_stacks *lab_stacks_create(const struct lab_stream *s, uint32_t n_sets,
                                     uint32_t line_bytes, uint32_t index);
void lab_stacks_destroy(struct lab_stacks *k); /* NULL is fine */

/* The load at that position of the stream; call it for each load in order. `previous` is
 * LAB_NOWHERE, and the rest 0, if the line is not in the stack. */
struct lab_touch lab_stacks_touch(struct lab_stacks *k, size_t position);
/* Removes the line of the access at that position. */
void lab_stacks_remove(struct lab_stacks *k, size_t position);
void lab_stacks_clear(struct lab_stacks *k, uint32_t sm);

#endif
