#include "cache/checked.h"

#include <stdlib.h>

/* The registered copy; `desc` comes first, so that a policy's `desc` points to the copy. */
struct checked_policy {
    struct cache_policy_desc desc;
    const struct cache_policy_desc *own;
};

static const char contract[] =
    "decide() returns the way of a line that is not reserved, CACHE_BYPASS or CACHE_STALL";

/* While there is an empty way, only a bypass is honoured: any other answer is fine. */
static int checked_decide(const struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a)
{
    const struct cache_policy_desc *own = ((const struct checked_policy *)p->desc)->own;
    int choice = own->decide(p, s, a);
    bool is_full = __builtin_popcountll(s->occupied) == (int)s->n_ways;
    if (choice == CACHE_BYPASS && own->never_bypasses)
        plugin_breach(&own->plugin, contract,
                      "bypassed, though its descriptor says never_bypasses");
    if (choice == CACHE_BYPASS || choice == CACHE_STALL || !is_full)
        return choice;
    if (choice < 0 || (uint32_t)choice >= s->n_ways)
        plugin_breach(&own->plugin, contract, "chose way %d of a set with ways 0 to %u", choice,
                      s->n_ways - 1);
    if (s->reserved >> choice & 1)
        plugin_breach(&own->plugin, contract, "chose way %d, which is reserved for data in flight",
                      choice);
    return choice;
}

struct cache_policy_desc *cache_policy_checked(const struct cache_policy_desc *own)
{
    struct checked_policy *c = xcalloc(1, sizeof *c);
    *c = (struct checked_policy){.desc = *own, .own = own};
    c->desc.decide = checked_decide;
    return &c->desc;
}
