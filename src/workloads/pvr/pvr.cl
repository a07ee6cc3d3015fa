/* Page view rank as a Mars job: one work-item per task, a task per line of a log, which holds a
 * page's address, a tab and how often it was seen, in decimal. The map emits the number as key and
 * the address as value; the sort brings the pages seen most often to the front. */

static int address_length(__global const uchar *line)
{
    int length = 0;
    while (line[length] != '\t')
        length++;
    return length;
}

__kernel void pvr_map_count(__global const uchar *text, __global const int4 *tasks,
                            __global const int *task_values, int n_tasks, __global int *key_bytes,
                            __global int *value_bytes, __global int *records)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    key_bytes[t] = (int)sizeof(int);
    value_bytes[t] = address_length(text + task[0]);
    records[t] = 1;
}

__kernel void pvr_map(__global const uchar *text, __global const int4 *tasks,
                      __global const int *task_values, int n_tasks, __global const int *key_at,
                      __global const int *value_at, __global const int *record_at,
                      __global char *keys, __global char *values, __global int4 *directory)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const uchar *line = text + task_values[tasks[t].z / (int)sizeof(int)];
    __global char *value = values + value_at[t];
    int length = 0;
    for (; line[length] != '\t'; length++)
        value[length] = (char)line[length];
    int views = 0;
    for (int i = length + 1; line[i] != '\n'; i++)
        views = 10 * views + (line[i] - '0');
    *(__global int *)(keys + key_at[t]) = views;
    directory[record_at[t]] = (int4)(key_at[t], (int)sizeof(int), value_at[t], length);
}

/* Most views first; of pages with equally many, the one that comes first in the log. */
__kernel void pvr_sort(__global const uchar *text, __global const char *keys,
                       __global int4 *directory, int n, int mask)
{
    int i = (int)get_global_id(0);
    int j = i ^ mask;
    if (j <= i || j >= n)
        return;
    int4 a = directory[i], b = directory[j];
    int a_views = *(__global const int *)(keys + a.x);
    int b_views = *(__global const int *)(keys + b.x);
    if (a_views < b_views || (a_views == b_views && a.x > b.x)) {
        directory[i] = b;
        directory[j] = a;
    }
}
