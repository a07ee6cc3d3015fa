/* The load/store unit from within. */
#ifndef HEDDLE_SM_LDST_H
#define HEDDLE_SM_LDST_H

#include <stddef.h>
#include <string.h>

#include "sm/sm.h"

static inline struct ldst_op *ldst_front(const struct sm *sm)
{
    return &sm->ldst[sm->ldst_head];
}

#define SAME_PLACE(of_access, of_line)                                                             \
    (offsetof(struct mem_access, of_access) == offsetof(struct line_access, of_line))
_Static_assert(SAME_PLACE(line, line) && SAME_PLACE(address, address) &&
                   SAME_PLACE(active_mask, lanes) && SAME_PLACE(segments, segments) &&
                   SAME_PLACE(byte_mask, bytes),
               "an access begins with what was found out of its line");

/* What distinguishes the access to do next from the others of its instruction, but for what its
 * cache makes of it: set and sectors. */
static inline void ldst_single_out(const struct ldst_op *l, struct mem_access *a)
{
    const struct line_access *x = &l->access[l->next];
    memcpy(a, x, sizeof *x); /* alike: see above */
    a->id = l->first_id + l->next;
    a->first_lane = (uint32_t)__builtin_ctz(x->lanes);
    a->first_thread = l->first_thread_of_warp + a->first_lane;
    a->full_line = (x->bytes[0] & x->bytes[1]) == ~0ull;
}

/* Goes on with the accesses of a gather, of which the next one is that of cycle `at`, as far as
 * they hit; then plans for the one that does not, or for the last one, which ldst_step() does as
 * any. */
void ldst_look_ahead(struct sm *sm, struct ldst_op *l, uint64_t at);

#endif
