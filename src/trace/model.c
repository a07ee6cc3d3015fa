#include "trace/model.h"

#include <stdlib.h>

#include "base/arena.h"

void model_create(struct warp_model *m, const struct trace_ops *ops)
{
    *m = (struct warp_model){.ops = ops};
    m->guards = xcalloc(ops->n_guards + 1, sizeof *m->guards);
    m->addresses = xcalloc(ops->n_addresses + 1, sizeof *m->addresses);
    m->values = xcalloc(ops->n_values + 1, sizeof *m->values);
}

void model_destroy(struct warp_model *m)
{
    free(m->guards);
    free(m->addresses);
    free(m->values);
}

void model_begin(struct warp_model *m)
{
    m->epoch++;
    m->last_address = 0;
    for (uint32_t i = 0; i < MODEL_RECENT; i++)
        m->recent[i] = NULL;
}

/* Initially: backward branches are taken, forward branches are not, everything else executes. The
 * first wrong prediction counts. */
struct guard_state *model_guard(struct warp_model *m, const struct op *op, uint32_t pc)
{
    struct guard_state *g = &m->guards[m->ops->ops[pc].guard];
    if (g->epoch != m->epoch) {
        bool is_forward = op->klass == PTX_CLASS_BRANCH && op->imm > (int64_t)pc;
        *g = (struct guard_state){m->epoch, is_forward ? 0 : ~0u, true};
    }
    return g;
}

struct address_state *model_address(struct warp_model *m, const struct trace_op *t)
{
    struct address_state *s = &m->addresses[t->state];
    if (s->epoch != m->epoch) {
        *s = (struct address_state){.epoch = m->epoch, .unit = t->unit};
    }
    return s;
}

void address_learn_step(struct address_state *s, uint64_t delta)
{
    if (s->n_seen == 0)
        return;
    if (s->n_seen == 1 || delta == s->candidate)
        s->step = delta;
    s->candidate = delta;
}

void model_remember(struct warp_model *m, struct address_state *s)
{
    uint32_t i = 0;
    while (i < MODEL_RECENT - 1 && m->recent[i] != s)
        i++;
    for (; i > 0; i--)
        m->recent[i] = m->recent[i - 1];
    m->recent[0] = s;
}

struct value_state *model_value(struct warp_model *m, const struct trace_op *t)
{
    struct value_state *v = &m->values[t->state];
    if (v->epoch != m->epoch)
        *v = (struct value_state){.epoch = m->epoch};
    return v;
}
