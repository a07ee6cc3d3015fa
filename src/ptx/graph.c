#include "ptx/graph.h"

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
    /* Filled from the back: begin[] moves from the end of each list to its start. */
    for (uint32_t e = edges->n; e-- > 0;) {
        struct edge edge = edges->items[e];
        uint32_t key = backward ? edge.to : edge.from;
        a.nodes[--a.begin[key]] = backward ? edge.from : edge.to;
    }
    return a;
}

/* A depth-first walk: nodes in preorder and in postorder, and the tree of the edges by which they
 * were first reached. */
struct walk {
    uint32_t n;
    uint32_t *met, *left;
    uint32_t *place;  /* per node: its index in `met`, GRAPH_NO_NODE if it is unreachable */
    uint32_t *parent; /* per index in `met`: the index of the node's parent in the tree */
};

static struct walk walk_graph(const struct adjacency *succs, uint32_t n_nodes, uint32_t root,
                              struct arena *scratch)
{
    struct walk walk = {
        .met = ARENA_ARRAY(scratch, uint32_t, n_nodes),
        .left = ARENA_ARRAY(scratch, uint32_t, n_nodes),
        .place = ARENA_ARRAY(scratch, uint32_t, n_nodes),
        .parent = ARENA_ARRAY(scratch, uint32_t, n_nodes),
    };
    uint32_t *stack = ARENA_ARRAY(scratch, uint32_t, n_nodes);
    uint32_t *next_edge = ARENA_ARRAY(scratch, uint32_t, n_nodes);
    uint32_t depth = 0, n_left = 0;
    memset(walk.place, 0xff, n_nodes * sizeof *walk.place);
    memcpy(next_edge, succs->begin, n_nodes * sizeof *next_edge);
    walk.place[root] = 0;
    walk.met[walk.n++] = stack[depth++] = root;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next_edge[node] == succs->begin[node + 1]) {
            walk.left[n_left++] = node;
            depth--;
            continue;
        }
        uint32_t to = succs->nodes[next_edge[node]++];
        if (walk.place[to] != GRAPH_NO_NODE)
            continue;
        walk.place[to] = walk.n;
        walk.parent[walk.n] = walk.place[node];
        walk.met[walk.n++] = stack[depth++] = to;
    }
    return walk;
}

uint32_t graph_reverse_postorder(const struct adjacency *succs, uint32_t n_nodes, uint32_t root,
                                 uint32_t *order)
{
    struct arena scratch = {0};
    struct walk walk = walk_graph(succs, n_nodes, root, &scratch);
    for (uint32_t k = 0; k < walk.n; k++)
        order[k] = walk.left[walk.n - 1 - k];
    arena_destroy(&scratch);
    return walk.n;
}

/* Finds semidominators from the last node reached to the first. Nodes after the current one form a
 * forest of the walk's tree edges; `lowest` is the lowest semidominator on the path from a node up
 * to, but excluding, `up`. Paths are compressed as they are followed. All are indices in `met`. */
struct forest {
    uint32_t *up, *lowest;
    uint32_t *stack;
};

static uint32_t lowest_above(struct forest *f, uint32_t v, uint32_t present)
{
    uint32_t depth = 0;
    if (v <= present) /* not in the forest yet: the node itself */
        return v;
    while (f->up[v] > present) {
        f->stack[depth++] = v;
        v = f->up[v];
    }
    while (depth) {
        uint32_t below = f->stack[--depth];
        if (f->lowest[v] < f->lowest[below])
            f->lowest[below] = f->lowest[v];
        f->up[below] = f->up[v];
        v = below;
    }
    return f->lowest[v];
}

/* The semi-NCA algorithm: Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems",
 * 2005, section 2.3. Unlike iterative algorithms it stays fast where loops nest thousands deep. */
void graph_dominators(const struct adjacency *succs, const struct adjacency *preds,
                      uint32_t n_nodes, uint32_t root, uint32_t *idom)
{
    struct arena scratch = {0};
    struct walk walk = walk_graph(succs, n_nodes, root, &scratch);
    struct forest f = {
        .up = ARENA_ARRAY(&scratch, uint32_t, walk.n),
        .lowest = ARENA_ARRAY(&scratch, uint32_t, walk.n),
        .stack = ARENA_ARRAY(&scratch, uint32_t, walk.n),
    };
    uint32_t *semi = ARENA_ARRAY(&scratch, uint32_t, walk.n);
    memcpy(f.up, walk.parent, walk.n * sizeof *f.up);
    for (uint32_t v = walk.n; v-- > 1;) {
        uint32_t node = walk.met[v], lowest = v;
        for (uint32_t e = preds->begin[node]; e < preds->begin[node + 1]; e++) {
            uint32_t pred = walk.place[preds->nodes[e]];
            uint32_t above = pred == GRAPH_NO_NODE ? v : lowest_above(&f, pred, v);
            lowest = above < lowest ? above : lowest;
        }
        semi[v] = f.lowest[v] = lowest;
    }
    memset(idom, 0xff, n_nodes * sizeof *idom);
    uint32_t *dom = ARENA_ARRAY(&scratch, uint32_t, walk.n);
    for (uint32_t v = 1; v < walk.n; v++) {
        dom[v] = walk.parent[v];
        while (dom[v] > semi[v])
            dom[v] = dom[dom[v]];
        idom[walk.met[v]] = walk.met[dom[v]];
    }
    arena_destroy(&scratch);
}
