/* k-means clustering, one work-item per point. */

/* Turns point-major features into feature-major ones. Each work-item walks its own row, so the
 * reads of a warp touch a line per lane and come back to those lines n_features times; the writes
 * coalesce. */
__kernel void kmn_transpose(__global const float *in, __global float *out, uint n_points,
                            uint n_features)
{
    uint point = get_global_id(0);
    if (point >= n_points)
        return;
    for (uint i = 0; i < n_features; i++)
        out[i * n_points + point] = in[point * n_features + i];
}

/* The nearest centre of every point; of equally near ones the first. The strides choose the
 * layout: (n_features, 1) is point-major, (1, n_points) feature-major. */
__kernel void kmn_assign(__global const float *in, __global const float *centres,
                         __global int *membership, uint n_points, uint n_features, uint n_clusters,
                         uint point_stride, uint feature_stride)
{
    uint point = get_global_id(0);
    if (point >= n_points)
        return;
    int nearest = 0;
    float nearest_distance = FLT_MAX;
    for (uint c = 0; c < n_clusters; c++) {
        float distance = 0;
        for (uint i = 0; i < n_features; i++) {
            float difference =
                in[point * point_stride + i * feature_stride] - centres[c * n_features + i];
            distance += difference * difference;
        }
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = (int)c;
        }
    }
    membership[point] = nearest;
}

/* The same as Rodinia has it: features are feature-major, and centres constant. */
__kernel void km_assign(__global const float *in, __constant float *centres,
                        __global int *membership, uint n_points, uint n_features, uint n_clusters)
{
    uint point = get_global_id(0);
    if (point >= n_points)
        return;
    int nearest = 0;
    float nearest_distance = FLT_MAX;
    for (uint c = 0; c < n_clusters; c++) {
        float distance = 0;
        for (uint i = 0; i < n_features; i++) {
            float difference = in[i * n_points + point] - centres[c * n_features + i];
            distance += difference * difference;
        }
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = (int)c;
        }
    }
    membership[point] = nearest;
}
