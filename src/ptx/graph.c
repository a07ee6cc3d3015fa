#include "ptx/graph.h"

#include <stdlib.h>
#include <string.h>

void edge_list_add(struct edge_list *list, uint32_t from, uint32_t to)
{
    ARRAY_RESERVE(list->items, list->cap, list->n + 1);
    list->items[list->n++] = (struct edge){from, to};
}

struct adjacency adjacency_build(const struct edge_list *edges, uint32_t n_keys, bool backward,
                                 struct arena *arena)
{
    struct adjacency a = {
        .begin = ARENA_ARRAY(arena, uint32_t, n_keys + 1),
        .nodes = ARENA_ARRAY(arena, uint32_t, edges->n),
    };
    for (uint32_t e = 0; e < edges->n; e++)
        a.begin[backward ? edges->items[e].to : edges->items[e].from]++;
    uint32_t end = 0;
    for (uint32_t key = 0; key <= n_keys; key++) {
        end += a.begin[key];
        a.begin[key] = end;
    }
    /* Filled from the back, begin[] moves from the end of each list to its start. */
    for (uint32_t e = edges->n; e-- > 0;) {
        struct edge edge = edges->items[e];
        uint32_t key = backward ? edge.to : edge.from;
        a.nodes[--a.begin[key]] = backward ? edge.from : edge.to;
    }
    return a;
}

uint32_t graph_reverse_postorder(const struct adjacency *succs, uint32_t n_nodes, uint32_t root,
                                 uint32_t *order)
{
    uint32_t *stack = xcalloc(n_nodes, sizeof *stack);
    uint32_t *next = xcalloc(n_nodes, sizeof *next); /* the edge to follow, + 1; 0 = not seen */
    uint32_t depth = 0, n_done = 0;
    stack[depth++] = root;
    next[root] = succs->begin[root] + 1;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next[node] - 1 == succs->begin[node + 1]) {
            order[n_nodes - ++n_done] = node;
            depth--;
            continue;
        }
        uint32_t to = succs->nodes[next[node]++ - 1];
        if (!next[to]) {
            next[to] = succs->begin[to] + 1;
            stack[depth++] = to;
        }
    }
    memmove(order, order + (n_nodes - n_done), n_done * sizeof *order);
    free(stack);
    free(next);
    return n_done;
}

/* The nearest common ancestor of two nodes, given by their places in the order. */
static uint32_t intersect(const uint32_t *idom_place, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = idom_place[a];
        while (b > a)
            b = idom_place[b];
    }
    return a;
}

/* The dominator tree so far gives a node's new immediate dominator: what all its processed
 * predecessors have in common. */
static uint32_t common_dominator(const struct adjacency *preds, uint32_t node,
                                 const uint32_t *place_of, const uint32_t *idom_place)
{
    uint32_t common = GRAPH_NO_NODE;
    for (uint32_t e = preds->begin[node]; e < preds->begin[node + 1]; e++) {
        uint32_t place = place_of[preds->nodes[e]];
        if (place == GRAPH_NO_NODE || idom_place[place] == GRAPH_NO_NODE)
            continue;
        common = common == GRAPH_NO_NODE ? place : intersect(idom_place, place, common);
    }
    return common;
}

void graph_dominators(const struct adjacency *preds, uint32_t n_nodes, const uint32_t *order,
                      uint32_t n_order, uint32_t *idom)
{
    uint32_t *place_of = xcalloc(n_nodes, sizeof *place_of);
    uint32_t *idom_place = xcalloc(n_order, sizeof *idom_place);
    memset(place_of, 0xff, n_nodes * sizeof *place_of);
    memset(idom_place, 0xff, n_order * sizeof *idom_place);
    for (uint32_t place = 0; place < n_order; place++)
        place_of[order[place]] = place;

    idom_place[0] = 0;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t place = 1; place < n_order; place++) {
            uint32_t common = common_dominator(preds, order[place], place_of, idom_place);
            changed |= idom_place[place] != common;
            idom_place[place] = common;
        }
    }

    memset(idom, 0xff, n_nodes * sizeof *idom);
    for (uint32_t place = 1; place < n_order; place++)
        idom[order[place]] = order[idom_place[place]];
    free(place_of);
    free(idom_place);
}
