/* One level of a breadth-first search with a queue: each work-item takes a node of this level's
 * queue, claims the neighbours that nobody has reached, and puts them into the next one's. */
__kernel void bfs_queue(__global const uint *first_edge, __global const uint *target,
                        __global volatile uint *level, __global const uint *queue, uint n_queue,
                        __global uint *next, __global volatile uint *n_next, uint depth,
                        uint unreached)
{
    for (uint i = get_global_id(0); i < n_queue; i += get_global_size(0)) {
        uint v = queue[i], end = first_edge[v + 1];
        for (uint e = first_edge[v]; e < end; e++) {
            uint neighbour = target[e];
            if (level[neighbour] == unreached &&
                atomic_cmpxchg(&level[neighbour], unreached, depth + 1) == unreached)
                next[atomic_inc(n_next)] = neighbour;
        }
    }
}
