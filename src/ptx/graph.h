/* Small tools for directed graphs whose nodes are numbers: adjacency lists, reverse postorder and
 * dominators. Nothing here recurses, so the depth of a graph is not limited by the stack. */
#ifndef HEDDLE_PTX_GRAPH_H
#define HEDDLE_PTX_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { GRAPH_NO_NODE = 0xffffffffu };

/* A growing list of edges; a zeroed one is empty. Free `items` when done. */
struct edge_list {
    struct edge {
        uint32_t from, to;
    } * items;
    uint32_t n, cap;
};
void edge_list_add(struct edge_list *list, uint32_t from, uint32_t to);

/* For every node the nodes at the other end of its edges, in the order the edges were added:
 * those of `a` are nodes[begin[a]] .. nodes[begin[a + 1] - 1]. */
struct adjacency {
    uint32_t *begin;
    uint32_t *nodes;
};
/* Groups edges by their source (by destination if `backward`); n_keys is the number of such
 * nodes. */
struct adjacency adjacency_build(const struct edge_list *edges, uint32_t n_keys, bool backward,
                                 struct arena *arena);

/* The nodes reachable from the root, each after all its predecessors except those along retreating
 * edges. Returns how many; `order` has room for all. */
uint32_t graph_reverse_postorder(const struct adjacency *succs, uint32_t n_nodes, uint32_t root,
                                 uint32_t *order);

/* Immediate dominators; GRAPH_NO_NODE for the root and for unreachable nodes. Post-dominators are
 * the dominators of the reversed graph: pass it with `succs` and `preds` exchanged. */
void graph_dominators(const struct adjacency *succs, const struct adjacency *preds,
                      uint32_t n_nodes, uint32_t root, uint32_t *idom);

#endif
