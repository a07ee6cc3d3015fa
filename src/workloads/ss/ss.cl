/* Similarity of documents as a Mars map: one work-item per task, a task per pair of documents.
 *
 * `features` holds one vector per document, in quads of floats; a task's value is the pair. It emits
 * the cosine of the two vectors as key and the pair as value. */

__kernel void ss_map_count(__global const float4 *features, int quads, __global const int4 *tasks,
                           __global const int *task_values, int n_tasks, __global int *key_bytes,
                           __global int *value_bytes, __global int *records)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    key_bytes[t] = (int)sizeof(float);
    value_bytes[t] = (int)sizeof(int2);
    records[t] = 1;
}

__kernel void ss_map(__global const float4 *features, int quads, __global const int4 *tasks,
                     __global const int *task_values, int n_tasks, __global const int *key_at,
                     __global const int *value_at, __global const int *record_at,
                     __global char *keys, __global char *values, __global int4 *directory)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int2 pair = (int2)(task[0], task[1]);
    __global const float4 *first = features + pair.x * quads;
    __global const float4 *second = features + pair.y * quads;
    float both = 0.0f, first_alone = 0.0f, second_alone = 0.0f;
    for (int q = 0; q < quads; q++) {
        float4 x = first[q];
        float4 y = second[q];
        both += dot(x, y);
        first_alone += dot(x, x);
        second_alone += dot(y, y);
    }
    *(__global float *)(keys + key_at[t]) = both / (sqrt(first_alone) * sqrt(second_alone));
    *(__global int2 *)(values + value_at[t]) = pair;
    directory[record_at[t]] =
        (int4)(key_at[t], (int)sizeof(float), value_at[t], (int)sizeof(int2));
}
