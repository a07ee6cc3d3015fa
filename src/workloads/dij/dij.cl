/* Shortest paths from one node by sparse matrix-vector products in which + is min and * is +: one
 * work-item per row. The rows are compressed (CSR) or padded to equal length (ELL). */

/* The neighbours of a row one after another, the work-items of a warp a row apart. */
__kernel void dij_csr(__global const int *row, __global const int *column,
                      __global const int *weight, __global const int *distance,
                      __global int *lower, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    int end = row[v + 1];
    int least = distance[v];
    for (int e = row[v]; e < end; e++)
        least = min(least, distance[column[e]] + weight[e]);
    lower[v] = least;
}

/* The first neighbours of all rows, then the second ones: coalesced. A row with fewer than `length`
 * neighbours has -1 for the rest. */
__kernel void dij_ell(int length, __global const int *column, __global const int *weight,
                      __global const int *distance, __global int *lower, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    int least = distance[v];
    for (int k = 0; k < length; k++) {
        int other = column[k * n + v];
        if (other >= 0)
            least = min(least, distance[other] + weight[k * n + v]);
    }
    lower[v] = least;
}

__kernel void dij_adopt(__global int *distance, __global const int *lower, __global int *changed,
                        int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || lower[v] == distance[v])
        return;
    distance[v] = lower[v];
    *changed = 1;
}
