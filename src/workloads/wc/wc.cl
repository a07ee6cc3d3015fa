/* Word count as a Mars job: one work-item per task, a task per line of a text. The map emits each
 * word, as its hash, place and length, as key and 1 as value; the sort brings equal words together;
 * then one work-item per word adds up the values. */

struct word {
    uint hash;
    int at, length;
};

static bool is_letter(uchar c)
{
    return c >= 'a' && c <= 'z';
}

/* Finds the next word from *at on, before `end`; false if there is none. Moves *at behind it. */
static bool next_word(__global const uchar *text, int *at, int end, struct word *word)
{
    int i = *at;
    while (i < end && !is_letter(text[i]))
        i++;
    word->at = i;
    word->hash = 5381;
    for (; i < end && is_letter(text[i]); i++)
        word->hash = 33 * word->hash + text[i];
    word->length = i - word->at;
    *at = i;
    return word->length > 0;
}

__kernel void wc_map_count(__global const uchar *text, __global const int4 *tasks,
                           __global const int *task_values, int n_tasks, __global int *key_bytes,
                           __global int *value_bytes, __global int *records)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int at = task[0], end = task[0] + task[1], found = 0;
    struct word word;
    while (next_word(text, &at, end, &word))
        found++;
    key_bytes[t] = found * (int)sizeof(struct word);
    value_bytes[t] = found * (int)sizeof(int);
    records[t] = found;
}

__kernel void wc_map(__global const uchar *text, __global const int4 *tasks,
                     __global const int *task_values, int n_tasks, __global const int *key_at,
                     __global const int *value_at, __global const int *record_at,
                     __global char *keys, __global char *values, __global int4 *directory)
{
    int t = (int)get_global_id(0);
    if (t >= n_tasks)
        return;
    __global const int *task = task_values + tasks[t].z / (int)sizeof(int);
    int at = task[0], end = task[0] + task[1];
    int key = key_at[t], value = value_at[t], record = record_at[t];
    struct word word;
    while (next_word(text, &at, end, &word)) {
        *(__global struct word *)(keys + key) = word;
        *(__global int *)(values + value) = 1;
        directory[record++] =
            (int4)(key, (int)sizeof(struct word), value, (int)sizeof(int));
        key += (int)sizeof(struct word);
        value += (int)sizeof(int);
    }
}

/* By hash; where that is equal by length, then letter by letter. 0 for the same word. */
static int compare_words(__global const uchar *text, struct word a, struct word b)
{
    if (a.hash != b.hash)
        return a.hash < b.hash ? -1 : 1;
    if (a.length != b.length)
        return a.length - b.length;
    int i = 0;
    while (i < a.length && text[a.at + i] == text[b.at + i])
        i++;
    return i == a.length ? 0 : (int)text[a.at + i] - (int)text[b.at + i];
}

__kernel void wc_sort(__global const uchar *text, __global const char *keys,
                      __global int4 *directory, int n, int mask)
{
    int i = (int)get_global_id(0);
    int j = i ^ mask;
    if (j <= i || j >= n)
        return;
    int4 a = directory[i], b = directory[j];
    struct word first = *(__global const struct word *)(keys + a.x);
    struct word second = *(__global const struct word *)(keys + b.x);
    int order = compare_words(text, first, second);
    if (order > 0 || (order == 0 && first.at > second.at)) {
        directory[i] = b;
        directory[j] = a;
    }
}

/* Marks the records at which another word begins. */
__kernel void wc_group(__global const uchar *text, __global const char *keys,
                       __global const int4 *directory, __global int *begins, int n)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    if (i == 0) {
        begins[i] = 1;
        return;
    }
    struct word before = *(__global const struct word *)(keys + directory[i - 1].x);
    struct word here = *(__global const struct word *)(keys + directory[i].x);
    begins[i] = compare_words(text, before, here) != 0;
}

__kernel void wc_reduce(__global const int4 *directory, __global const char *values,
                        __global const int *first, __global int *counts, int n_groups)
{
    int g = (int)get_global_id(0);
    if (g >= n_groups)
        return;
    int sum = 0;
    for (int i = first[g]; i < first[g + 1]; i++)
        sum += *(__global const int *)(values + directory[i].z);
    counts[g] = sum;
}
