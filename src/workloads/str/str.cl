/* String match as a Mars map: one work-item per task, a task per stretch of a text of one word per
 * line. A task's value is where its stretch begins and how many bytes it has; it ends with a
 * newline. For each word equal to the keyword it emits the word's place as key and its length as
 * value. */

/* Moves *at behind the word that begins there; returns the word's length. */
static int next_word(__global const uchar *text, int *at)
{
    int start = *at;
    int end = start;
    while (text[end] != '\n')
        end++;
    *at = end + 1;
    return end - start;
}

static bool same_word(__global const uchar *word, __global const uchar *keyword, int length)
{
    int i = 0;
    while (i < length && word[i] == keyword[i])
        i++;
    return i == length;
}

__kernel void str_map_count(__global const uchar *text, __global const uchar *keyword,
                            int keyword_length, __global const int4 *tasks,
                            __global const int *task_values, int n_tasks, __global int *key_bytes,
                            __global int *value_bytes, __global int *records)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int at = task[0];
    int end = at + task[1];
    int found = 0;
    while (at < end) {
        int start = at;
        int length = next_word(text, &at);
        if (length == keyword_length && same_word(text + start, keyword, length))
            found++;
    }
    key_bytes[t] = found * (int)sizeof(int);
    value_bytes[t] = found * (int)sizeof(int);
    records[t] = found;
}

__kernel void str_map(__global const uchar *text, __global const uchar *keyword,
                      int keyword_length, __global const int4 *tasks,
                      __global const int *task_values, int n_tasks, __global const int *key_at,
                      __global const int *value_at, __global const int *record_at,
                      __global char *keys, __global char *values, __global int4 *directory)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int at = task[0];
    int end = at + task[1];
    int key = key_at[t], value = value_at[t], record = record_at[t];
    while (at < end) {
        int start = at;
        int length = next_word(text, &at);
        if (length == keyword_length && same_word(text + start, keyword, length)) {
            *(__global int *)(keys + key) = start;
            *(__global int *)(values + value) = length;
            directory[record++] = (int4)(key, (int)sizeof(int), value, (int)sizeof(int));
            key += (int)sizeof(int);
            value += (int)sizeof(int);
        }
    }
}
