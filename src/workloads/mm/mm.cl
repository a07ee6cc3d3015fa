/* Matrix product as a Mars map: one work-item per task, a task per element of the product.
 *
 * `a` holds the left matrix row by row, `b` the right one column by column, both in quads of floats;
 * a task's value is (row, column). It emits the element as key and (row, column) as value. */

__kernel void mm_map_count(__global const float4 *a, __global const float4 *b, int quads,
                           __global const int4 *tasks, __global const int *task_values,
                           int n_tasks, __global int *key_bytes, __global int *value_bytes,
                           __global int *records)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    key_bytes[t] = (int)sizeof(float);
    value_bytes[t] = (int)sizeof(int2);
    records[t] = 1;
}

__kernel void mm_map(__global const float4 *a, __global const float4 *b, int quads,
                     __global const int4 *tasks, __global const int *task_values, int n_tasks,
                     __global const int *key_at, __global const int *value_at,
                     __global const int *record_at, __global char *keys, __global char *values,
                     __global int4 *directory)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int2 place = (int2)(task[0], task[1]);
    __global const float4 *row = a + place.x * quads;
    __global const float4 *column = b + place.y * quads;
    float sum = 0.0f;
    for (int q = 0; q < quads; q++) {
        float4 x = row[q];
        float4 y = column[q];
        sum += x.x * y.x;
        sum += x.y * y.y;
        sum += x.z * y.z;
        sum += x.w * y.w;
    }
    *(__global float *)(keys + key_at[t]) = sum;
    *(__global int2 *)(values + value_at[t]) = place;
    directory[record_at[t]] =
        (int4)(key_at[t], (int)sizeof(float), value_at[t], (int)sizeof(int2));
}
