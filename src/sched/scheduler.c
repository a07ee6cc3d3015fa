#include "sched/scheduler.h"

#include <assert.h>
#include <stdlib.h>

/* The framework's state of a scheduler, which the scheduler does not see. */
struct instance {
    struct scheduler scheduler;
    struct arena arena; /* its parameters and state */
};

struct scheduler *scheduler_create(const struct scheduler_desc *d, const void *params,
                                   const struct sched_view *view, uint64_t seed)
{
    assert(view->n_warps <= SCHED_MAX_WARPS && view->live == 0);
    assert(view->n_slots >= 1 && view->n_slots <= SCHED_MAX_SLOTS);
    struct instance *it = xcalloc(1, sizeof *it);
    struct scheduler *s = &it->scheduler;
    s->desc = d;
    s->view = view;
    s->seed = seed;
    s->params = plugin_values(&d->plugin, params, &it->arena);
    size_t bytes = d->state_bytes ? d->state_bytes(view->n_warps, view->n_slots, s->params) : 0;
    s->state = arena_alloc(&it->arena, bytes);
    s->stats = arena_alloc(&it->arena, d->stats_bytes);
    for (uint32_t w = 0; w < view->n_warps; w++)
        s->slot_warps[w % view->n_slots] |= UINT64_C(1) << w;
    s->hold.until = d->advance ? 0 : UINT64_MAX;
    if (d->init)
        d->init(s);
    return s;
}

void scheduler_destroy(struct scheduler *s)
{
    if (!s)
        return;
    struct instance *it = (struct instance *)s;
    arena_destroy(&it->arena);
    free(it);
}
