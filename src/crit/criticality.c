#include "crit/criticality.h"

#include <assert.h>
#include <stdlib.h>

/* The framework's state of a provider, which the provider does not see. */
struct instance {
    struct criticality criticality;
    struct arena arena; /* its parameters and state */
};

struct criticality *criticality_create(const struct criticality_desc *d, const void *params,
                                       const void *input, const struct sched_view *view)
{
    assert(view->n_warps <= SCHED_MAX_WARPS && view->live == 0);
    struct instance *it = xcalloc(1, sizeof *it);
    struct criticality *c = &it->criticality;
    c->desc = d;
    c->view = view;
    c->input = input;
    c->params = plugin_values(&d->plugin, params, &it->arena);
    size_t bytes = d->state_bytes ? d->state_bytes(view->n_warps, c->params) : 0;
    c->state = arena_alloc(&it->arena, bytes);
    c->stats = arena_alloc(&it->arena, d->stats_bytes);
    if (d->init)
        d->init(c);
    return c;
}

void criticality_destroy(struct criticality *c)
{
    if (!c)
        return;
    struct instance *it = (struct instance *)c;
    arena_destroy(&it->arena);
    free(it);
}
