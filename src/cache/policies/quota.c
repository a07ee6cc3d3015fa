#include "cache/policies/quota.h"

#include <assert.h>
#include <string.h>

static struct quota_line *line_at(const struct cache_set *s, uint32_t way)
{
    return s->line_state[way];
}

size_t quota_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)params;
    return sizeof(struct quota_state) + umon_bytes(g);
}

void quota_init(struct cache_policy *p)
{
    struct quota_state *q = p->state;
    uint32_t n = cache_geometry_apps(&p->geometry);
    struct shared_decision first = shared_decision_first(n, p->geometry.n_ways, n);
    umon_init(&q->umon, &p->geometry, q->memory);
    memcpy(q->quotas, first.quotas, sizeof q->quotas);
}

/* Demoted lines are older than all others; the last demoted is the oldest. */
static bool is_older(const struct cache_set *s, uint32_t way, uint32_t than)
{
    uint64_t a = line_at(s, way)->demoted, b = line_at(s, than)->demoted;
    return a != b ? a > b : s->last_use[way] < s->last_use[than];
}

/* The LRU line of an application, or of all others (`of_others`). */
static int oldest(const struct cache_set *s, uint32_t app, bool of_others)
{
    int victim = CACHE_STALL;
    for (uint64_t rest = s->occupied & ~s->reserved; rest; rest &= rest - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(rest);
        if ((line_at(s, way)->app != app) == of_others &&
            (victim < 0 || is_older(s, way, (uint32_t)victim)))
            victim = (int)way;
    }
    return victim;
}

static uint32_t count_own(const struct cache_set *s, uint32_t app)
{
    uint32_t n = 0;
    for (uint64_t rest = s->occupied; rest; rest &= rest - 1)
        n += line_at(s, (uint32_t)__builtin_ctzll(rest))->app == app;
    return n;
}

int quota_decide(const struct cache_policy *p, const struct cache_set *s,
                 const struct mem_access *a)
{
    const struct quota_state *q = p->state;
    return oldest(s, a->app, count_own(s, a->app) < q->quotas[a->app]);
}

static void use(struct cache_policy *p, const struct cache_set *s, int way,
                const struct mem_access *a)
{
    struct quota_state *q = p->state;
    if (!mem_is_write_back(a))
        umon_access(&q->umon, a);
    if (way >= 0)
        line_at(s, (uint32_t)way)->demoted = 0;
}

void quota_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                  const struct mem_access *a)
{
    use(p, s, (int)way, a);
}

void quota_on_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                    const struct mem_access *a)
{
    use(p, s, way == ~0u ? -1 : (int)way, a);
}

void quota_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                   const struct mem_access *a)
{
    use(p, s, way, a);
}

void quota_on_store(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a)
{
    use(p, s, way, a);
}

void quota_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                      const struct mem_access *a)
{
    (void)p;
    *line_at(s, way) = (struct quota_line){.app = (uint8_t)a->app};
}

void quota_demote(struct cache_policy *p, const struct cache_set *s, uint32_t way)
{
    line_at(s, way)->demoted = ++((struct quota_state *)p->state)->n_demotions;
}

void quota_report(struct cache_policy *p, struct shared_report *r)
{
    umon_report(&((struct quota_state *)p->state)->umon, r);
}

void quota_apply(struct cache_policy *p, const void *quota, size_t bytes)
{
    const struct shared_decision *d = quota;
    assert(bytes == sizeof *d);
    memcpy(((struct quota_state *)p->state)->quotas, d->quotas, sizeof d->quotas);
}

bool quota_check(const struct cache_geometry *g, const char *name, uint32_t min_ways,
                 struct strbuf *why)
{
    uint32_t n = cache_geometry_apps(g);
    if (n > SHARED_MAX_APPS)
        strbuf_addf(why, "policy %s: %u applications, at most %d are possible", name, n,
                    SHARED_MAX_APPS);
    else if ((uint64_t)n * min_ways > g->n_ways)
        strbuf_addf(why, "policy %s: %u applications with min_ways %u each need more than %u ways",
                    name, n, min_ways, g->n_ways);
    else
        return true;
    return false;
}

uint64_t quota_cost(const struct cache_geometry *g, struct strbuf *parts)
{
    uint32_t n = cache_geometry_apps(g);
    return plugin_cost(parts, "owners", (uint64_t)g->n_sets * g->n_ways * plugin_index_bits(n)) +
           plugin_cost(parts, "quotas", (uint64_t)n * plugin_index_bits(g->n_ways + 1)) +
           umon_cost(g, parts);
}
