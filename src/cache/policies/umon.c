#include "cache/policies/umon.h"

#include <string.h>

enum { HIT_COUNTER_BITS = 32 };

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static struct umon_sets monitored_sets(const struct cache_geometry *g)
{
    uint32_t all = cache_geometry_all_sets(g), n = all < UMON_SETS ? all : UMON_SETS;
    uint32_t stride = all / n, first = divide_up(g->first_set, stride);
    uint32_t end = divide_up(g->first_set + g->n_sets, stride);
    end = end < n ? end : n;
    return (struct umon_sets){stride, first, end > first ? end - first : 0, g->first_set};
}

size_t umon_bytes(const struct cache_geometry *g)
{
    return (size_t)cache_geometry_apps(g) * g->n_ways * (1 + monitored_sets(g).n) *
           sizeof(uint64_t);
}

void umon_init(struct umon *u, const struct cache_geometry *g, void *memory)
{
    *u = (struct umon){
        .n_apps = cache_geometry_apps(g), .n_ways = g->n_ways, .sets = monitored_sets(g)};
    u->hits = memory;
    u->tags = u->hits + (size_t)u->n_apps * u->n_ways;
}

/* Moves the tag to the front of its set; returns its previous position, n_ways if it was absent. */
static uint32_t look_up(uint64_t *tags, uint32_t n_ways, uint64_t tag)
{
    uint32_t p = 0;
    while (p < n_ways && tags[p] != tag)
        p++;
    memmove(tags + 1, tags, (p < n_ways ? p : n_ways - 1) * sizeof *tags);
    tags[0] = tag;
    return p;
}

void umon_access(struct umon *u, const struct mem_access *a)
{
    uint32_t among_all = u->sets.before + a->set, i = among_all / u->sets.stride;
    u->accesses[a->app]++;
    if (among_all % u->sets.stride || i - u->sets.first >= u->sets.n)
        return;
    size_t set = (size_t)a->app * u->sets.n + i - u->sets.first;
    uint32_t p = look_up(u->tags + set * u->n_ways, u->n_ways, a->line + 1);
    if (p < u->n_ways)
        u->hits[(size_t)a->app * u->n_ways + p]++;
}

void umon_report(struct umon *u, struct shared_report *r)
{
    for (uint32_t k = 0; k < u->n_apps; k++) {
        r->accesses[k] += u->accesses[k];
        u->accesses[k] = 0;
        for (uint32_t p = 0; p < u->n_ways; p++) {
            r->hits[k][p] += u->hits[(size_t)k * u->n_ways + p];
            u->hits[(size_t)k * u->n_ways + p] /= 2;
        }
    }
}

uint64_t umon_cost(const struct cache_geometry *g, struct strbuf *parts)
{
    uint64_t lines = (uint64_t)cache_geometry_apps(g) * monitored_sets(g).n * g->n_ways;
    return plugin_cost(parts, "monitor tags",
                       lines * (g->tag_bits + plugin_index_bits(g->n_ways))) +
           plugin_cost(parts, "monitor counters",
                       (uint64_t)cache_geometry_apps(g) * (g->n_ways + 1) * HIT_COUNTER_BITS);
}
