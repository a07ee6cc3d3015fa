/* One sweep of Bellman-Ford over a graph in compressed sparse rows, one work-item per node.
 *
 * There is no worklist: every reached node relaxes its whole edge list in every sweep, until a
 * sweep changes nothing. A distance read here may be lowered by another work-item at the same
 * time; distances only ever fall and a fall asks for another sweep, so a stale value costs work,
 * never correctness. */
__kernel void sssp_relax(__global const uint *first_edge, __global const uint *target,
                         __global const uint *weight, __global uint *distance,
                         __global int *changed, uint n_nodes, uint unreached)
{
    uint v = get_global_id(0);
    if (v >= n_nodes)
        return;
    uint base = distance[v];
    if (base == unreached)
        return;
    uint end = first_edge[v + 1];
    for (uint e = first_edge[v]; e < end; e++) {
        uint through_v = base + weight[e];
        uint neighbour = target[e];
        if (through_v < distance[neighbour] &&
            through_v < atomic_min(&distance[neighbour], through_v))
            *changed = 1;
    }
}
