/* Betweenness centrality by Brandes' algorithm, one work-item per vertex: from a source, levels of
 * a breadth-first search count the shortest paths, then the levels are walked back and each vertex
 * adds up what depends on it. Predecessors on shortest paths are noted in an n x n matrix. */

__kernel void bc_clear(__global int *precedes, int cells)
{
    int i = (int)get_global_id(0);
    if (i < cells)
        precedes[i] = 0;
}

__kernel void bc_start(__global int *level, __global int *paths, __global float *dependency,
                       int source, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    level[v] = v == source ? 0 : -1;
    paths[v] = v == source ? 1 : 0;
    dependency[v] = 0.0f;
}

/* Several vertices may discover the same one; all write the same level. */
__kernel void bc_forward(__global const int *row, __global const int *column, __global int *level,
                         __global int *paths, __global int *precedes, __global int *more, int now,
                         int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || level[v] != now)
        return;
    int end = row[v + 1], own_paths = paths[v];
    for (int e = row[v]; e < end; e++) {
        int w = column[e];
        if (level[w] < 0) {
            level[w] = now + 1;
            *more = 1;
        }
        if (level[w] == now + 1) {
            precedes[w * n + v] = 1;
            atomic_add(&paths[w], own_paths);
        }
    }
}

__kernel void bc_backward(__global const int *row, __global const int *column,
                          __global const int *level, __global const int *paths,
                          __global const int *precedes, __global float *dependency, int now, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || level[v] != now)
        return;
    int end = row[v + 1];
    float sum = 0.0f;
    for (int e = row[v]; e < end; e++) {
        int w = column[e];
        if (precedes[w * n + v])
            sum += (float)paths[v] / (float)paths[w] * (1.0f + dependency[w]);
    }
    dependency[v] = sum;
}

__kernel void bc_add(__global float *centrality, __global const float *dependency, int source,
                     int n)
{
    int v = (int)get_global_id(0);
    if (v < n && v != source)
        centrality[v] += dependency[v];
}
