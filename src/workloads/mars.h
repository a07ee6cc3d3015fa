/* The host half of a Mars job (He et al., "Mars: a MapReduce framework on graphics processors",
 * PACT 2008), shared by the workloads that come from Mars.
 *
 * A GPU thread cannot allocate memory, so a job runs in two passes over its tasks, one thread each.
 * The count kernel determines how many bytes of keys, bytes of values and records each task will
 * emit; prefix sums turn the counts into the offsets at which the map kernel emits. Every record
 * has an entry in a directory: offset and length of its key and of its value. If the job can
 * compare records, a bitonic sort then orders the directory; keys and values stay where they are.
 *
 * Left out: Mars scans on the GPU (here the host does). Grouping and reduction belong to the
 * job. */
#ifndef HEDDLE_WORKLOADS_MARS_H
#define HEDDLE_WORKLOADS_MARS_H

#include "base/arena.h"
#include "workloads/workload.h"

enum { MARS_MAX_SHARED = 4 };

/* key offset, key bytes, value offset, value bytes: an int4 on the device. */
struct mars_entry {
    int32_t key_at, key_bytes, value_at, value_bytes;
};

/* The kernels' arguments, in this order: the shared ones; the tasks' directory (int4), the tasks'
 * values (int), the number of tasks (int); then three arrays of one int per task, which the count
 * kernel writes (key bytes, value bytes, records) and the map kernel receives as prefix sums; and
 * for the map kernel the output's keys, values and directory.
 *
 * The sort kernel receives the shared ones, the output's keys and directory, the number of records
 * (int) and a mask (int). It swaps records i and i ^ mask, if the second exists and is above i, and
 * if they are in the wrong order. No two records may be equal in that order. */
struct mars_job {
    const char *count_kernel, *map_kernel;
    const char *sort_kernel; /* NULL: the records stay in the order of the tasks */
    struct device_arg shared[MARS_MAX_SHARED]; /* read by all tasks: a matrix, a text */
    uint32_t n_shared;
    uint32_t n_tasks;
    const int32_t *values; /* the input of each task: words_per_value words per task */
    uint32_t words_per_value;
};

/* All of it in the arena given to mars_run(). Keys and values are NULL if there are no records or
 * if the counts are implausible. */
struct mars_output {
    uint64_t n_records, key_bytes, value_bytes;
    void *keys, *values;
    struct mars_entry *directory;
    struct {
        device_buffer keys, values, directory;
    } on_device; /* for stages after the job */
};

struct mars_output mars_run(const struct mars_job *job, struct device *d, struct arena *arena);

/* The tasks of jobs on a text: the offset of each line, and its bytes including the newline, two
 * words per line. Returns the number of lines; the text must end with a newline. */
uint32_t mars_lines(const uint8_t *text, uint32_t text_bytes, struct arena *arena, int32_t **lines);

/* True if there are n records with keys and values of the given sizes, one after another. */
bool mars_check_directory(struct strbuf *why, const struct mars_output *out, uint64_t n_records,
                          uint32_t key_bytes, uint32_t value_bytes);

#endif
