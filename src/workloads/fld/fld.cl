/* One step of Floyd-Warshall: may paths go through vertex k? One work-item per pair (i, j).
 *
 * Row k and column k do not change in step k (dist[k][k] is 0 and no weight is negative), so no
 * work-item reads what another one writes. */
__kernel void fld_step(__global int *dist, __global int *via, int n, int k)
{
    int i = (int)get_global_id(0);
    int j = (int)get_global_id(1);
    if (i >= n || j >= n)
        return;
    if (dist[i * n + k] + dist[k * n + j] < dist[i * n + j]) {
        dist[i * n + j] = dist[i * n + k] + dist[k * n + j];
        via[i * n + j] = k;
    }
}
