/* The victim is the line whose next use is furthest in the future; among lines that are never used
 * again, the one in the lowest way. A line that its own SM stores to first counts as never used
 * again: the store removes it. */
#include "analysis/lab_belady.h"

#include "analysis/lab_map.h"

struct oracle {
    const uint64_t *next_uses;
};

/* Each line keeps the position of its next use. */
static uint64_t next_use_of(const struct cache_set *s, uint32_t way)
{
    return *(const uint64_t *)s->line_state[way];
}

static int used_last(const struct cache_set *s)
{
    uint32_t last = 0;
    for (uint32_t w = 1; w < s->n_ways; w++)
        if (next_use_of(s, w) > next_use_of(s, last))
            last = w;
    return (int)last;
}

static int belady_decide(const struct cache_policy *p, const struct cache_set *s,
                         const struct mem_access *a)
{
    (void)p, (void)a;
    return used_last(s);
}

static int belady_bypass_decide(const struct cache_policy *p, const struct cache_set *s,
                                const struct mem_access *a)
{
    const struct oracle *o = p->state;
    int way = cache_set_empty_way(s);
    if (way >= 0)
        return way;
    way = used_last(s);
    return o->next_uses[a->id] >= next_use_of(s, (uint32_t)way) ? CACHE_BYPASS : way;
}

static void on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   const struct mem_access *a)
{
    const struct oracle *o = p->state;
    *(uint64_t *)s->line_state[way] = o->next_uses[a->id];
}

/* The line is present; only sectors are fetched. */
static void on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a)
{
    if (way >= 0)
        on_use(p, s, (uint32_t)way, a);
}

static size_t oracle_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct oracle);
}

/* No hardware can know the future. */
static uint64_t oracle_cost_bits(const struct cache_geometry *g, const void *params,
                                 struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

#define ORACLE(policy_name, policy_summary, policy_decide)                                         \
    {                                                                                              \
        .abi_version = CACHE_POLICY_ABI, .struct_size = sizeof(struct cache_policy_desc),          \
        .name = (policy_name), .summary = (policy_summary),                                        \
        .citation = "L. A. Belady: A study of replacement algorithms for a virtual-storage "       \
                    "computer. IBM Systems Journal 5(2), 1966",                                    \
        .cost_bits = oracle_cost_bits, .state_bytes = oracle_state_bytes,                          \
        .line_state_bytes = sizeof(uint64_t), .decide = (policy_decide), .on_hit = on_use,         \
        .on_miss = on_miss, .on_reserve = on_use                                                   \
    }

const struct cache_policy_desc lab_policy_belady =
    ORACLE("belady", "replaces the line whose next use is furthest in the future", belady_decide);
const struct cache_policy_desc lab_policy_belady_bypass =
    ORACLE("belady_bypass", "the same, but bypasses a line whose own next use is the furthest",
           belady_bypass_decide);

void lab_belady_foretell(struct cache_policy *p, const uint64_t *next_uses)
{
    ((struct oracle *)p->state)->next_uses = next_uses;
}

enum { LOOK_AHEAD = 16 };

/* Works backwards, tracking which line each SM loads next. */
uint64_t *lab_next_uses(const struct lab_stream *s, uint32_t line_bytes, bool stores_keep)
{
    uint64_t *next_uses = xcalloc(s->n ? s->n : 1, sizeof *next_uses);
    struct lab_map *maps = xcalloc(s->n_sms ? s->n_sms : 1, sizeof *maps);
    uint64_t mask = ~(uint64_t)(line_bytes - 1);
    for (size_t i = s->n; i-- > 0;) {
        const struct lab_access *a = &s->items[i];
        struct lab_map *map = &maps[a->sm];
        next_uses[i] = LAB_NEVER;
        if (i >= LOOK_AHEAD)
            lab_map_expect(&maps[a[-LOOK_AHEAD].sm], a[-LOOK_AHEAD].address & mask);
        if (a->kind == LAB_FLUSH) {
            lab_map_destroy(map);
            continue;
        }
        uint64_t *next = lab_map_at(map, a->address & mask, LAB_NEVER);
        if (a->kind == LAB_LOAD) {
            next_uses[i] = *next;
            *next = i;
        } else if (a->kind != LAB_STORE || !stores_keep) {
            *next = LAB_NEVER;
        }
    }
    for (uint32_t sm = 0; sm < s->n_sms; sm++)
        lab_map_destroy(&maps[sm]);
    free(maps);
    return next_uses;
}
