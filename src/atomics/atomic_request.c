#include "atomics/atomic_request.h"

#include <string.h>

#include "emu/atomic.h"

void atomic_request_gather(struct atomic_request *p, const struct op *op, uint32_t mask,
                           const uint64_t *address, const struct emu_atomic *operands,
                           bool replayed)
{
    p->op = op;
    p->mask = mask;
    p->replayed = replayed;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        p->address[i] = address[i];
        p->b[i] = operands->b[i];
        p->c[i] = operands->c[i];
    }
}

static void perform_lane(struct atomic_request *p, uint32_t lane, const struct dev_mem *mem,
                         struct overlay *overlay)
{
    uint64_t old = 0, address = p->address[lane];
    uint32_t bytes = p->op->width;
    memcpy(&old, mem_host(mem, address), bytes);
    if (overlay_may_hold(overlay, address))
        overlay_read(overlay, address, &old, bytes);
    uint64_t v = atomic_result(p->op, old, p->b[lane], p->c[lane]);
    overlay_write(overlay, address, &v, bytes);
    p->old[lane] = old;
    p->changed |= (uint32_t)(v != old) << lane;
}

void atomic_request_perform(struct atomic_request *p, const struct dev_mem *mem,
                            struct overlay *overlay)
{
    p->changed = p->replayed ? p->mask : 0;
    for (uint32_t m = p->replayed ? 0 : p->mask; m; m &= m - 1)
        perform_lane(p, (uint32_t)__builtin_ctz(m), mem, overlay);
}

void atomic_request_deliver(const struct atomic_request *p, struct emu_warp *w)
{
    for (uint32_t m = p->replayed ? 0 : p->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        atomic_finish(w, p->op, i, p->old[i]);
    }
}
