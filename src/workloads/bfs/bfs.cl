/* Level-synchronous breadth-first search, one work-item per node.
 *
 * A node is in one of three masks: `frontier` (to be expanded in this level), `next` (reached in
 * this level), `visited`. Expanding and collecting are two kernels because a level must be
 * complete before the next begins. */

struct node {
    uint first_edge;
    uint n_edges;
};

/* Every node of the frontier walks its own edge list: neighbouring work-items read far-apart rows,
 * and rows differ in length, so a warp takes as long as its longest row. Two nodes that reach the
 * same neighbour write the same values to it. */
__kernel void bfs_expand(__global const struct node *nodes, __global const uint *edges,
                         __global uchar *frontier, __global uchar *next,
                         __global const uchar *visited, __global int *cost, uint n_nodes)
{
    uint v = get_global_id(0);
    if (v >= n_nodes || !frontier[v])
        return;
    frontier[v] = 0;
    uint end = nodes[v].first_edge + nodes[v].n_edges;
    for (uint e = nodes[v].first_edge; e < end; e++) {
        uint neighbour = edges[e];
        if (!visited[neighbour]) {
            cost[neighbour] = cost[v] + 1;
            next[neighbour] = 1;
        }
    }
}

/* What was reached becomes the frontier; `more` tells the host that there is one. */
__kernel void bfs_collect(__global uchar *frontier, __global uchar *next, __global uchar *visited,
                          __global int *more, uint n_nodes)
{
    uint v = get_global_id(0);
    if (v >= n_nodes || !next[v])
        return;
    frontier[v] = 1;
    visited[v] = 1;
    next[v] = 0;
    *more = 1;
}
