/* PageRank as repeated sparse matrix-vector products: one work-item per vertex, which walks the
 * vertex's neighbours in compressed sparse rows. */

/* Every vertex starts with the same share. */
__kernel void prk_start(__global float *rank, __global float *gathered, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    rank[v] = 1.0f / (float)n;
    gathered[v] = 0.0f;
}

/* A neighbour gives each of its own neighbours an equal part. */
__kernel void prk_weights(__global const int *row, __global const int *column,
                          __global const int *degree, __global float *weight, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    int end = row[v + 1];
    for (int e = row[v]; e < end; e++)
        weight[e] = 1.0f / (float)degree[column[e]];
}

__kernel void prk_gather(__global const int *row, __global const int *column,
                         __global const float *weight, __global const float *rank,
                         __global float *gathered, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    int end = row[v + 1];
    float sum = 0.0f;
    for (int e = row[v]; e < end; e++)
        sum += weight[e] * rank[column[e]];
    gathered[v] += sum;
}

__kernel void prk_damp(__global float *rank, __global float *gathered, int n, float damping)
{
    int v = (int)get_global_id(0);
    if (v >= n)
        return;
    rank[v] = (1.0f - damping) / (float)n + damping * gathered[v];
    gathered[v] = 0.0f;
}
