/* HSH: inserts keys into a hash table whose chains are protected by spin-locks.
 *
 * For atomics units (S1 section 3): locks are the basis of global synchronisation on GPUs. Each
 * insertion takes a lock by compare-and-swap, changes a chain with plain loads and stores, and
 * releases the lock after a fence. `buckets` controls contention between lanes. */
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_hsh_source[];

enum { GROUP = 128 /* as in hsh.cl */ };

struct hsh {
    struct arena memory;
    uint32_t keys, groups, buckets;
    uint32_t *key, *head, *next;
    uint32_t *count, *expected; /* of each bucket */
    uint32_t *sum, *expected_sum;
};

static void hsh_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct hsh *s = state;
    struct workload_rng rng = {seed};
    s->keys = (uint32_t)size->p[0];
    s->groups = (uint32_t)size->p[1];
    s->buckets = (uint32_t)size->p[2];
    uint32_t **of_buckets[] = {&s->head, &s->count, &s->expected, &s->sum, &s->expected_sum};
    for (uint32_t i = 0; i < sizeof of_buckets / sizeof of_buckets[0]; i++)
        *of_buckets[i] = ARENA_ARRAY(&s->memory, uint32_t, s->buckets);
    s->key = ARENA_ARRAY(&s->memory, uint32_t, s->keys);
    s->next = ARENA_ARRAY(&s->memory, uint32_t, s->keys);
    for (uint32_t i = 0; i < s->keys; i++)
        s->key[i] = (uint32_t)workload_rng_u64(&rng);
}

static void hsh_run(void *state, struct device *d)
{
    struct hsh *s = state;
    memset(s->head, 0, s->buckets * sizeof *s->head);
    memset(s->next, 0, s->keys * sizeof *s->next);
    device_buffer key = device_alloc_from(d, s->key, s->keys * sizeof *s->key, "key");
    device_buffer lock = device_alloc_from(d, s->head, s->buckets * sizeof *s->head, "lock");
    device_buffer head = device_alloc_from(d, s->head, s->buckets * sizeof *s->head, "head");
    device_buffer next = device_alloc_from(d, s->next, s->keys * sizeof *s->next, "next");
    DEVICE_LAUNCH_1D(d, "insert_keys", s->groups * GROUP, GROUP, device_arg_buffer(key),
                     device_arg_u32(s->keys), device_arg_u32(s->buckets), device_arg_buffer(lock),
                     device_arg_buffer(head), device_arg_buffer(next));
    device_download(d, head, 0, s->head, s->buckets * sizeof *s->head);
    device_download(d, next, 0, s->next, s->keys * sizeof *s->next);
}

static void hsh_reference(void *state)
{
    struct hsh *s = state;
    memset(s->expected, 0, s->buckets * sizeof *s->expected);
    memset(s->expected_sum, 0, s->buckets * sizeof *s->expected_sum);
    for (uint32_t i = 0; i < s->keys; i++) {
        s->expected[s->key[i] % s->buckets]++;
        s->expected_sum[s->key[i] % s->buckets] += i;
    }
}

/* The order within a chain is arbitrary. A broken chain may be a cycle, so at most as many links
 * are followed as there are keys. */
static void walk_chain(const struct hsh *s, uint32_t bucket)
{
    uint32_t n = 0, sum = 0;
    for (uint32_t at = s->head[bucket]; at && at <= s->keys && n < s->keys; at = s->next[at - 1]) {
        n++;
        sum += at - 1;
    }
    s->count[bucket] = n;
    s->sum[bucket] = sum;
}

static bool hsh_check(const void *state, struct strbuf *why)
{
    const struct hsh *s = state;
    for (uint32_t b = 0; b < s->buckets; b++)
        walk_chain(s, b);
    return workload_check_u32(why, "keys of a bucket", s->count, s->expected, s->buckets) &&
           workload_check_u32(why, "numbers of a bucket's keys", s->sum, s->expected_sum,
                              s->buckets);
}

static void hsh_teardown(void *state)
{
    struct hsh *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {98304, 60, 24576}},
    {"small", {262144, 120, 65536}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"keys", NULL, 1, 1 << 24, "inserted"},
    {"work_groups", NULL, 1, 4096, "of 128 work-items; with few of them, few SMs take part"},
    {"buckets", NULL, 1, 1 << 20, "of the table, each with a lock"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_hsh = {
    .name = "hsh",
    .paper_name = "HSH",
    .title = "Hash table with locks",
    .summary = "Insertion into chains, each protected by a spin-lock: compare-and-swap until the "
               "lock is free, two plain stores, a fence, an exchange.",
    .origin = "own, for S1 section 3",
    .source = workload_hsh_source,
    .param_names = {"keys", "work_groups", "buckets"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct hsh),
    .setup = hsh_setup,
    .run = hsh_run,
    .reference = hsh_reference,
    .check = hsh_check,
    .teardown = hsh_teardown,
};
