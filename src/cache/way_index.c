#include "cache/way_index.h"

void way_index_start(struct way_index *x, uint32_t n_ways)
{
    *x = (struct way_index){0};
    for (uint32_t i = 0; i <= n_ways; i++)
        x->use[i] = (struct way_neighbours){.older = (uint8_t)(i == n_ways ? 0 : i + 1),
                                            .newer = (uint8_t)(i == 0 ? n_ways : i - 1)};
}

static void leave_chain(struct way_index *x, uint32_t way, uint64_t line)
{
    uint8_t *link = &x->head[way_index_bucket(line)];
    while (*link != way + 1)
        link = &x->next[*link];
    *link = x->next[way + 1];
}

static void join_chain(struct way_index *x, uint32_t way, uint64_t line)
{
    uint8_t *head = &x->head[way_index_bucket(line)];
    x->next[way + 1] = *head;
    *head = (uint8_t)(way + 1);
}

void way_index_replace(struct way_index *x, uint32_t way, uint64_t old, uint64_t line)
{
    if (old != TAG_EMPTY)
        leave_chain(x, way, old);
    if (line != TAG_EMPTY)
        join_chain(x, way, line);
    way_index_use(x, way);
}
