/* Like mcf: a network whose nodes and arcs refer to each other by pointers. The nodes, 32 MB of
 * them, lie in memory in an order unrelated to the order of visits. */
#include "native.h"

struct node {
    struct node *next, *parent;
    int64_t potential, flow;
    int32_t depth, mark;
    int64_t cost[3];
};

enum { N_NODES = (32 << 20) / sizeof(struct node) };

/* One cycle through all nodes (Sattolo). */
static void link_nodes(struct node *nodes, uint32_t *order, uint64_t *state)
{
    for (uint32_t i = 0; i < N_NODES; i++)
        order[i] = i;
    for (uint32_t i = N_NODES - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(native_random(state) % i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (uint32_t i = 0; i < N_NODES; i++) {
        struct node *n = &nodes[order[i]];
        n->next = &nodes[order[(i + 1) % N_NODES]];
        n->parent = &nodes[order[i / 2]];
        n->cost[0] = (int64_t)(native_random(state) % 1000);
    }
}

/* Reduced costs along the cycle; each node also looks at its parent in the tree. */
static int64_t price(struct node *start)
{
    int64_t best = 0;
    struct node *n = start;
    do {
        int64_t reduced = n->cost[0] - n->potential + n->parent->potential;
        if (reduced < best) {
            best = reduced;
            n->mark++;
        }
        n->potential += reduced >> 2;
        n = n->next;
    } while (n != start);
    return best;
}

void native_chase(void)
{
    uint64_t state = 7;
    struct node *nodes = native_alloc(N_NODES * sizeof *nodes);
    uint32_t *order = native_alloc(N_NODES * sizeof *order);
    link_nodes(nodes, order, &state);
    for (;;)
        nodes->flow += price(nodes);
}
