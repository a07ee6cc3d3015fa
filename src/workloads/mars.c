/* See mars.h. */
#include "workloads/mars.h"

#include <string.h>

enum { GROUP = 256, COUNTERS = 3, MAX_ARGS = MARS_MAX_SHARED + 3 + COUNTERS + 3 };

/* More output than any of the workloads has: only a wrong count kernel exceeds it. */
static const uint64_t OUTPUT_LIMIT_BYTES = UINT64_C(1) << 30;

struct arg_list {
    struct device_arg arg[MAX_ARGS];
    uint32_t n;
};

static void push(struct arg_list *list, struct device_arg arg)
{
    list->arg[list->n++] = arg;
}

static void launch(struct device *d, const char *kernel, uint32_t n_tasks,
                   const struct arg_list *args)
{
    const uint32_t global[3] = {device_round_up(n_tasks, GROUP), 1, 1};
    const uint32_t local[3] = {GROUP, 1, 1};
    device_launch(d, kernel, global, local, args->arg, args->n);
}

static device_buffer task_directory(const struct mars_job *job, struct device *d,
                                    struct arena *arena)
{
    struct mars_entry *entry = ARENA_ARRAY(arena, struct mars_entry, job->n_tasks);
    int32_t value_bytes = (int32_t)(job->words_per_value * sizeof(int32_t));
    for (uint32_t t = 0; t < job->n_tasks; t++)
        entry[t] =
            (struct mars_entry){.value_at = (int32_t)t * value_bytes, .value_bytes = value_bytes};
    return device_alloc_from(d, entry, job->n_tasks * sizeof *entry, "task directory");
}

/* Replaces each task's count by the sum of those before it; returns the sum of all. */
static uint64_t prefix_sum(struct device *d, device_buffer counts, uint32_t n, struct arena *arena)
{
    uint32_t *count = ARENA_ARRAY(arena, uint32_t, n);
    device_download(d, counts, 0, count, n * sizeof *count);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t own = count[t];
        count[t] = (uint32_t)sum;
        sum += own;
    }
    device_upload(d, counts, 0, count, n * sizeof *count);
    return sum;
}

static bool believable(const struct mars_output *out)
{
    return out->n_records > 0 && out->key_bytes > 0 && out->value_bytes > 0 &&
           out->n_records < OUTPUT_LIMIT_BYTES / sizeof *out->directory &&
           out->key_bytes < OUTPUT_LIMIT_BYTES && out->value_bytes < OUTPUT_LIMIT_BYTES;
}

/* A bitonic sort whose passes all put the lesser record first: each run of 2, 4, 8, ... starts by
 * comparing records in mirrored positions. So no padding after the last record is needed. */
static void sort_records(const struct mars_job *job, struct device *d,
                         const struct mars_output *out)
{
    for (uint32_t run = 2; run < 2 * out->n_records && device_ok(d); run *= 2)
        for (uint32_t mask = run - 1; mask > 0; mask = mask == run - 1 ? run / 4 : mask / 2) {
            struct arg_list args = {.n = 0};
            for (uint32_t i = 0; i < job->n_shared; i++)
                push(&args, job->shared[i]);
            push(&args, device_arg_buffer(out->on_device.keys));
            push(&args, device_arg_buffer(out->on_device.directory));
            push(&args, device_arg_u32((uint32_t)out->n_records));
            push(&args, device_arg_u32(mask));
            launch(d, job->sort_kernel, (uint32_t)out->n_records, &args);
        }
}

static void emit(const struct mars_job *job, struct device *d, struct arena *arena,
                 struct arg_list *args, struct mars_output *out)
{
    size_t directory_bytes = out->n_records * sizeof *out->directory;
    out->on_device.keys = device_alloc(d, out->key_bytes, "output keys");
    out->on_device.values = device_alloc(d, out->value_bytes, "output values");
    out->on_device.directory = device_alloc(d, directory_bytes, "output directory");
    push(args, device_arg_buffer(out->on_device.keys));
    push(args, device_arg_buffer(out->on_device.values));
    push(args, device_arg_buffer(out->on_device.directory));
    launch(d, job->map_kernel, job->n_tasks, args);
    if (job->sort_kernel)
        sort_records(job, d, out);

    out->keys = arena_alloc(arena, out->key_bytes);
    out->values = arena_alloc(arena, out->value_bytes);
    out->directory = arena_alloc(arena, directory_bytes);
    device_download(d, out->on_device.keys, 0, out->keys, out->key_bytes);
    device_download(d, out->on_device.values, 0, out->values, out->value_bytes);
    device_download(d, out->on_device.directory, 0, out->directory, directory_bytes);
}

struct mars_output mars_run(const struct mars_job *job, struct device *d, struct arena *arena)
{
    struct arg_list args = {.n = 0};
    for (uint32_t i = 0; i < job->n_shared; i++)
        push(&args, job->shared[i]);
    push(&args, device_arg_buffer(task_directory(job, d, arena)));
    push(&args, device_arg_buffer(device_alloc_from(
                    d, job->values, (size_t)job->n_tasks * job->words_per_value * sizeof(int32_t),
                    "task values")));
    push(&args, device_arg_i32((int32_t)job->n_tasks));

    static const char *const labels[COUNTERS] = {"key bytes", "value bytes", "records"};
    device_buffer counter[COUNTERS];
    for (int c = 0; c < COUNTERS; c++) {
        counter[c] = device_alloc(d, job->n_tasks * sizeof(int32_t), labels[c]);
        push(&args, device_arg_buffer(counter[c]));
    }
    launch(d, job->count_kernel, job->n_tasks, &args);

    struct mars_output out = {
        .key_bytes = prefix_sum(d, counter[0], job->n_tasks, arena),
        .value_bytes = prefix_sum(d, counter[1], job->n_tasks, arena),
        .n_records = prefix_sum(d, counter[2], job->n_tasks, arena),
    };
    if (believable(&out))
        emit(job, d, arena, &args, &out);
    return out;
}

bool mars_check_directory(struct strbuf *why, const struct mars_output *out, uint64_t n_records,
                          uint32_t key_bytes, uint32_t value_bytes)
{
    if (out->n_records != n_records || out->key_bytes != n_records * key_bytes ||
        out->value_bytes != n_records * value_bytes || !out->directory) {
        strbuf_addf(why,
                    "%llu records with %llu bytes of keys and %llu of values were counted; "
                    "there are %llu records of %u and %u bytes",
                    (unsigned long long)out->n_records, (unsigned long long)out->key_bytes,
                    (unsigned long long)out->value_bytes, (unsigned long long)n_records, key_bytes,
                    value_bytes);
        return false;
    }
    for (uint64_t r = 0; r < n_records; r++) {
        const struct mars_entry *e = &out->directory[r];
        if (e->key_at != (int32_t)(r * key_bytes) || e->key_bytes != (int32_t)key_bytes ||
            e->value_at != (int32_t)(r * value_bytes) || e->value_bytes != (int32_t)value_bytes) {
            strbuf_addf(why, "the directory entry of record %llu is wrong: %d, %d, %d, %d",
                        (unsigned long long)r, e->key_at, e->key_bytes, e->value_at,
                        e->value_bytes);
            return false;
        }
    }
    return true;
}

uint32_t mars_lines(const uint8_t *text, uint32_t text_bytes, struct arena *arena, int32_t **lines)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < text_bytes; i++)
        n += text[i] == '\n';
    *lines = ARENA_ARRAY(arena, int32_t, 2 * (size_t)n);
    const uint8_t *at = text;
    for (uint32_t line = 0; line < n; line++) {
        const uint8_t *end =
            (const uint8_t *)memchr(at, '\n', (size_t)(text + text_bytes - at)) + 1;
        (*lines)[2 * line] = (int32_t)(at - text);
        (*lines)[2 * line + 1] = (int32_t)(end - at);
        at = end;
    }
    return n;
}
