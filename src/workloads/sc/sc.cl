/* What opening a centre would change, for every point of a streamcluster: one work-item a point. */

struct point {
    float weight;
    long assign; /* the point that is its centre */
    float cost;  /* weighted squared distance to that centre */
};

/* `coordinates` is dimension-major, so the reads of a warp coalesce. Row `p` of `work` has a column
 * for each of the n_centres open centres and one more: a point that would move to the candidate
 * notes its saving in the last column, any other what its moving would cost in the column of its
 * centre, in case that centre is closed. `work` starts out as zero.
 *
 * Only the first work-item fetches the candidate's coordinates for its group, as in the original:
 * the others wait for its one warp. */
__kernel void sc_gain(__global const struct point *points, __global const float *coordinates,
                      __global const int *centre_column, __global float *work,
                      __global uchar *switches, __local float *candidate_at, uint n_points,
                      uint n_dims, uint n_centres, uint candidate)
{
    uint p = get_global_id(0);
    if (get_local_id(0) == 0)
        for (uint i = 0; i < n_dims; i++)
            candidate_at[i] = coordinates[i * n_points + candidate];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p >= n_points)
        return;

    float distance = 0;
    for (uint i = 0; i < n_dims; i++) {
        float difference = coordinates[i * n_points + p] - candidate_at[i];
        distance += difference * difference;
    }
    float change = distance * points[p].weight - points[p].cost;
    __global float *row = &work[p * (n_centres + 1)];
    if (change < 0) {
        switches[p] = 1;
        row[n_centres] = change;
    } else {
        switches[p] = 0;
        row[centre_column[points[p].assign]] = change;
    }
}
