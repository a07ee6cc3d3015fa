#include "sm/wheel.h"

#include <stdlib.h>
#include <string.h>

void wheel_init(struct wheel *w)
{
    memset(w, 0, sizeof *w);
    w->due = UINT64_MAX;
    for (uint32_t i = 0; i < WHEEL_CYCLES; i++)
        w->near[i] = (struct wheel_list){.items = w->usual[i], .cap = WHEEL_USUAL_EVENTS};
}

static bool is_usual(const struct wheel *w, const struct wheel_list *list)
{
    return list->items == w->usual[list - w->near];
}

void wheel_destroy(struct wheel *w)
{
    for (uint32_t i = 0; i < WHEEL_CYCLES; i++)
        if (!is_usual(w, &w->near[i]))
            free(w->near[i].items);
    arena_destroy(&w->pool);
    memset(w, 0, sizeof *w);
}

void wheel_grow(struct wheel *w, struct wheel_list *list)
{
    size_t bytes = list->cap * sizeof *list->items;
    bool moves = is_usual(w, list);
    struct wheel_event *items = xrealloc(moves ? NULL : list->items, 2 * bytes);
    if (moves)
        memcpy(items, list->items, bytes);
    list->items = items;
    list->cap *= 2;
}

static struct far_event *new_far(struct wheel *w)
{
    struct far_event *f = w->free;
    if (!f)
        return ARENA_NEW(&w->pool, struct far_event);
    w->free = f->next;
    return f;
}

void wheel_add_far(struct wheel *w, uint64_t at, struct wheel_event e)
{
    struct far_event *f = new_far(w), **link = &w->far;
    if (w->far && w->last_far->at <= at) /* mostly */
        link = &w->last_far->next;
    while (*link && (*link)->at <= at)
        link = &(*link)->next;
    *f = (struct far_event){.event = e, .at = at, .next = *link};
    *link = f;
    if (!f->next)
        w->last_far = f;
    if (at < w->due)
        w->due = at;
}

struct wheel_event wheel_take_far(struct wheel *w)
{
    struct far_event *f = w->far;
    w->far = f->next;
    f->next = w->free;
    w->free = f;
    return f->event;
}
