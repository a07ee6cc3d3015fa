/* Atomics are performed where their lines are: a request goes to its L2 bank, is ordered there
 * among the atomics of its line and performed, and the old values return. */
#include <stdlib.h>

#include "atomics/atomic_order.h"
#include "atomics/atomics.h"

static uint64_t no_cost_bits(uint32_t n_sms, const void *params, struct strbuf *parts)
{
    (void)n_sms, (void)params, (void)parts;
    return 0;
}

/* --- in an SM --- */

static sim_time lead(const struct atomics_sm *u)
{
    return u->latency_to_l2;
}

static struct atomics_taken take(struct atomics_sm *u, const struct mem_access *a,
                                 struct atomics_resources room)
{
    (void)u, (void)a;
    if (!room.miss_queue)
        return (struct atomics_taken){ATOMICS_WAIT, STALL_MISS_QUEUE};
    return (struct atomics_taken){.step = ATOMICS_TO_L2};
}

/* --- in a slice --- */

static void destroy_bank(void *state)
{
    free(((struct atomic_order *)state)->lines);
}

static bool may_serve(const struct atomics_bank *b, const struct mem_request *r)
{
    return atomic_order_allows(b->state, b->cache, &r->access);
}

static void await_data(struct atomics_bank *b, const struct mem_request *r, uint32_t mshr)
{
    atomic_order_wait(b->state, r->access.line, mshr);
}

static uint32_t perform(struct atomics_bank *b, struct mem_request *r, bool waited, sim_time now)
{
    struct atomics_slice *s = b->slice;
    if (waited)
        atomic_order_perform(b->state, r->access.line);
    r->atomic->performed_at = now;
    atomic_request_perform(r->atomic, s->mem, &s->overlay);
    return (atomic_request_lanes(r->atomic) + s->per_cycle - 1) / s->per_cycle;
}

static void at_boundary(struct atomics_slice *s)
{
    overlay_commit(&s->overlay, s->mem);
}

const struct atomics_desc atomics_at_l2 = {
    .abi_version = ATOMICS_ABI,
    .struct_size = sizeof(struct atomics_desc),
    .name = "at_l2",
    .summary = "atomics are sent to L2 and performed there",
    .citation = "the baseline of S. Franey, M. Lipasti: Accelerating atomic operations on GPGPUs. "
                "NOCS 2013 (S1, section 3)",
    .cost_bits = no_cost_bits,
    .lead = lead,
    .take = take,
    .answer = atomics_answer,
    .bank_bytes = sizeof(struct atomic_order),
    .destroy_bank = destroy_bank,
    .may_serve = may_serve,
    .await_data = await_data,
    .perform = perform,
    .at_boundary = at_boundary,
};
