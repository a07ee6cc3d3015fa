/* BT: point and range queries on a B+tree (S2 Table 2, S3 Tables 3.2, 4.2, 5.3; from Rodinia).
 *
 * Rodinia's two kernels: one work-group per query and one thread per key of a node, so a level
 * costs a few coalesced reads of a node of 2 KB, a barrier, and a dependent step to a child
 * elsewhere in memory. The upper levels are shared by all queries, the leaves by almost none.
 *
 * Differences from the original: the tree is bulk-loaded from random keys instead of built by
 * insertion; its nodes are 1/2 to full, as insertion would leave them. A range is half-open and its
 * bounds need not be keys. S2's 6000x3000 are 6000 ranges 3000 wide; the tree of a million records
 * and the 10,000 point queries are those of Rodinia's own command file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bt_source[];

enum {
    ORDER = 256, /* as in the kernel text */
    MAX_KEY_GAP = 4,
    NOT_FOUND = -1,
};

struct bt_node {
    int32_t key[ORDER + 1];
    int32_t child[ORDER + 1];
};

struct bt {
    uint32_t n_records, n_points, n_ranges, range_width;
    int32_t *key;    /* of the records, rising */
    int32_t *record; /* the answer to a point query */

    struct bt_node *nodes; /* level by level, leaves first; the root is the last */
    uint32_t n_nodes, cap_nodes, n_leaves, height;

    int32_t *query, *answer, *expected_answer;
    int32_t *start, *end, *first, *count, *expected_first, *expected_count;
};

/* --- The tree --- */

static struct bt_node *add_node(struct bt *s)
{
    ARRAY_RESERVE(s->nodes, s->cap_nodes, s->n_nodes + 1);
    struct bt_node *node = &s->nodes[s->n_nodes++];
    for (int i = 0; i <= ORDER; i++) {
        node->key[i] = INT_MAX;
        node->child[i] = 0;
    }
    return node;
}

/* Packs n (key, child) entries into new nodes and replaces them by one entry per node: the node's
 * first key and its number. Returns how many. */
static uint32_t pack_level(struct bt *s, int32_t *key, int32_t *child, uint32_t n,
                           struct workload_rng *rng)
{
    uint32_t packed = 0, n_new = 0;
    while (packed < n) {
        uint32_t fill = ORDER / 2 + workload_rng_below(rng, ORDER / 2 + 1);
        if (fill > n - packed)
            fill = n - packed;
        struct bt_node *node = add_node(s);
        memcpy(node->key, &key[packed], fill * sizeof *key);
        memcpy(node->child, &child[packed], fill * sizeof *child);
        key[n_new] = node->key[0];
        child[n_new++] = (int32_t)(s->n_nodes - 1);
        packed += fill;
    }
    s->height++;
    return n_new;
}

static void build_tree(struct bt *s, struct workload_rng *rng)
{
    int32_t *key = xcalloc(s->n_records, sizeof *key);
    int32_t *child = xcalloc(s->n_records, sizeof *child);
    memcpy(key, s->key, s->n_records * sizeof *key);
    for (uint32_t i = 0; i < s->n_records; i++)
        child[i] = (int32_t)i;
    uint32_t n = s->n_leaves = pack_level(s, key, child, s->n_records, rng);
    while (n > 1) {
        key[0] = INT_MIN; /* the leftmost child also takes everything below its first key */
        n = pack_level(s, key, child, n, rng);
    }
    free(key);
    free(child);
}

/* --- Input --- */

static void make_records(struct bt *s, struct workload_rng *rng)
{
    s->key = xcalloc(s->n_records, sizeof *s->key);
    s->record = xcalloc(s->n_records, sizeof *s->record);
    int32_t key = 0;
    for (uint32_t i = 0; i < s->n_records; i++) {
        key += 1 + (int32_t)workload_rng_below(rng, MAX_KEY_GAP);
        s->key[i] = key;
        s->record[i] = (int32_t)workload_rng_below(rng, INT32_MAX);
    }
}

/* A key to search for: usually an arbitrary number, present or not, but one in four is a leaf's
 * first key, where a wrong comparison in the tree would go to the wrong side. */
static int32_t pick_key(const struct bt *s, struct workload_rng *rng)
{
    if (workload_rng_below(rng, 4) == 0)
        return s->nodes[workload_rng_below(rng, s->n_leaves)].key[0];
    return (int32_t)workload_rng_below(rng, (uint32_t)s->key[s->n_records - 1] + 2);
}

static void make_points(struct bt *s, struct workload_rng *rng)
{
    s->query = xcalloc(s->n_points, sizeof *s->query);
    s->answer = xcalloc(s->n_points, sizeof *s->answer);
    s->expected_answer = xcalloc(s->n_points, sizeof *s->expected_answer);
    for (uint32_t q = 0; q < s->n_points; q++)
        s->query[q] = pick_key(s, rng);
}

/* Every other range begins at the chosen key, the rest end there; the outermost extend beyond the
 * keys. */
static void make_ranges(struct bt *s, struct workload_rng *rng)
{
    int32_t **arrays[] = {&s->start,          &s->end,           &s->first, &s->count,
                          &s->expected_first, &s->expected_count};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = xcalloc(s->n_ranges, sizeof(int32_t));
    for (uint32_t q = 0; q < s->n_ranges; q++) {
        int32_t width = (int32_t)s->range_width;
        s->start[q] = pick_key(s, rng) - (q % 2 ? width : 0);
        s->end[q] = s->start[q] + width;
    }
}

static void bt_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bt *s = state;
    struct workload_rng rng = {seed};
    s->n_records = (uint32_t)size->p[0];
    s->n_points = (uint32_t)size->p[1];
    s->n_ranges = (uint32_t)size->p[2];
    s->range_width = (uint32_t)size->p[3];
    make_records(s, &rng);
    build_tree(s, &rng);
    make_points(s, &rng);
    make_ranges(s, &rng);
}

/* --- The device part --- */

static device_buffer upload_i32(struct device *d, const int32_t *values, uint32_t n,
                                const char *label)
{
    return device_alloc_from(d, values, n * sizeof *values, label);
}

static device_buffer upload_filled(struct device *d, int32_t value, uint32_t n, const char *label)
{
    int32_t *values = xcalloc(n, sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        values[i] = value;
    device_buffer b = upload_i32(d, values, n, label);
    free(values);
    return b;
}

static void find_points(struct bt *s, struct device *d, device_buffer nodes)
{
    device_buffer records = upload_i32(d, s->record, s->n_records, "records");
    device_buffer queries = upload_i32(d, s->query, s->n_points, "queries");
    device_buffer answers = upload_filled(d, NOT_FOUND, s->n_points, "answers");
    device_buffer current = upload_filled(d, (int32_t)s->n_nodes - 1, s->n_points, "current");
    DEVICE_LAUNCH_1D(d, "bt_find", s->n_points * ORDER, ORDER, device_arg_buffer(nodes),
                     device_arg_buffer(records), device_arg_u32(s->height),
                     device_arg_buffer(queries), device_arg_buffer(current),
                     device_arg_buffer(answers));
    device_download(d, answers, 0, s->answer, s->n_points * sizeof *s->answer);
}

static void find_ranges(struct bt *s, struct device *d, device_buffer nodes)
{
    int32_t root = (int32_t)s->n_nodes - 1;
    size_t bytes = s->n_ranges * sizeof(int32_t);
    device_buffer starts = upload_i32(d, s->start, s->n_ranges, "starts");
    device_buffer ends = upload_i32(d, s->end, s->n_ranges, "ends");
    device_buffer current_start = upload_filled(d, root, s->n_ranges, "current_start");
    device_buffer current_end = upload_filled(d, root, s->n_ranges, "current_end");
    device_buffer first = device_alloc(d, bytes, "first");
    device_buffer count = device_alloc(d, bytes, "count");
    DEVICE_LAUNCH_1D(d, "bt_find_range", s->n_ranges * ORDER, ORDER, device_arg_buffer(nodes),
                     device_arg_u32(s->height), device_arg_buffer(starts), device_arg_buffer(ends),
                     device_arg_buffer(current_start), device_arg_buffer(current_end),
                     device_arg_buffer(first), device_arg_buffer(count));
    device_download(d, first, 0, s->first, bytes);
    device_download(d, count, 0, s->count, bytes);
}

static void bt_run(void *state, struct device *d)
{
    struct bt *s = state;
    device_buffer nodes = device_alloc_from(d, s->nodes, s->n_nodes * sizeof *s->nodes, "nodes");
    find_points(s, d, nodes);
    find_ranges(s, d, nodes);
}

/* --- The reference: binary search in the sorted keys, no tree --- */

/* The number of records with a key below `bound`, which is also the index of the first that is
 * not. */
static uint32_t count_below(const struct bt *s, int32_t bound)
{
    uint32_t low = 0, high = s->n_records;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->key[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void bt_reference(void *state)
{
    struct bt *s = state;
    for (uint32_t q = 0; q < s->n_points; q++) {
        uint32_t i = count_below(s, s->query[q]);
        bool found = i < s->n_records && s->key[i] == s->query[q];
        s->expected_answer[q] = found ? s->record[i] : NOT_FOUND;
    }
    for (uint32_t q = 0; q < s->n_ranges; q++) {
        uint32_t first = count_below(s, s->start[q]);
        s->expected_first[q] = (int32_t)first;
        s->expected_count[q] = (int32_t)(count_below(s, s->end[q]) - first);
    }
}

static bool bt_check(const void *state, struct strbuf *why)
{
    const struct bt *s = state;
    return workload_check_i32(why, "answer", s->answer, s->expected_answer, s->n_points) &&
           workload_check_i32(why, "first", s->first, s->expected_first, s->n_ranges) &&
           workload_check_i32(why, "count", s->count, s->expected_count, s->n_ranges);
}

static void bt_teardown(void *state)
{
    struct bt *s = state;
    int32_t *arrays[] = {s->key,           s->record, s->query, s->answer, s->expected_answer,
                         s->start,         s->end,    s->first, s->count,  s->expected_first,
                         s->expected_count};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(s->nodes);
}

static const struct workload_size bt_sizes[] = {
    {"tiny", {100000, 200, 120, 300}},
    {"small", {1000000, 4000, 2000, 3000}},
    {"paper-s2", {1000000, 10000, 6000, 3000}},
    {"paper-s3", {1000000, 10000, 6000, 3000}},
    {NULL, {0}},
};

const struct workload workload_bt = {
    .name = "bt",
    .paper_name = "BT",
    .title = "B+tree queries",
    .summary = "One work-group per query descends a B+tree, its threads comparing the keys of a "
               "node in parallel: short coalesced bursts, then a dependent jump.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-sufficient",
                   .s3_ch3 = "memory-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "not cache-sensitive"},
    .source = workload_bt_source,
    .param_names = {"records", "point_queries", "range_queries", "range_width"},
    .sizes = bt_sizes,
    .state_bytes = sizeof(struct bt),
    .setup = bt_setup,
    .run = bt_run,
    .reference = bt_reference,
    .check = bt_check,
    .teardown = bt_teardown,
};
