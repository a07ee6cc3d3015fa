#include "sched/checked.h"

#include <stdlib.h>

/* The registered copy; the `desc` of its schedulers points to the first member. */
struct checked_scheduler {
    struct scheduler_desc desc;
    const struct scheduler_desc *own;
};

static const struct scheduler_desc *own_of(const struct scheduler *s)
{
    return ((const struct checked_scheduler *)s->desc)->own;
}

static void check(const struct scheduler *s, const char *function, uint32_t slot, uint64_t ready,
                  int warp)
{
    if (warp == -1 || (warp >= 0 && warp < SCHED_MAX_WARPS && ready >> warp & 1))
        return;
    struct strbuf contract = {0};
    strbuf_addf(&contract, "%s() must return -1 or one of the warps that can issue, here",
                function);
    for (uint64_t left = ready; left; left &= left - 1)
        strbuf_addf(&contract, " %d", __builtin_ctzll(left));
    plugin_breach(&own_of(s)->plugin, strbuf_text(&contract),
                  "picked warp %d for issue slot %u, which cannot issue", warp, slot);
}

static struct sched_pick checked_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                      uint64_t ready_loads, uint64_t now)
{
    struct sched_pick p = own_of(s)->pick(s, slot, ready, ready_loads, now);
    check(s, "pick", slot, ready, p.warp);
    return p;
}

static int checked_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    int warp = own_of(s)->pick_and_issue(s, slot, ready, now);
    check(s, "pick_and_issue", slot, ready, warp);
    return warp;
}

struct scheduler_desc *scheduler_checked(const struct scheduler_desc *own)
{
    struct checked_scheduler *c = xcalloc(1, sizeof *c);
    *c = (struct checked_scheduler){.desc = *own, .own = own};
    c->desc.pick = checked_pick;
    if (own->pick_and_issue)
        c->desc.pick_and_issue = checked_pick_and_issue;
    return &c->desc;
}
