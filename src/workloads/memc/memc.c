/* MEMC: GET requests to a key-value store (S4 Table 2; from Hetherington et al., ISPASS 2012).
 *
 * Memcached's look-up as that paper puts it on a GPU: one thread per request parses its packet,
 * hashes the key, walks the bucket's chain and compares keys; then it copies the value. Keys,
 * values and chains are as the table grew: next to nobody in particular. Access pattern: each
 * thread reads its own packet byte by byte, a packet apart from its neighbours, which is the
 * intra-thread locality that S4 finds; popular keys are shared by many warps.
 *
 * Differences from the original: the requests are drawn from the seed, where S4 has a part of
 * Wikipedia's access trace. The i-th most popular key is asked for in proportion to 1 / i, and one
 * request in ten is for a key that is not there. GETs only; no lock, expiry or statistics of an
 * item. S4 gives no numbers of items and requests. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_memc_source[];

enum {
    GROUP_SIZE = 256,
    PACKET_BYTES = 64, /* "get ", a key, "\r\n" */
    MIN_KEY_BYTES = 12,
    MAX_KEY_BYTES = 44,
    MIN_VALUE_BYTES = 4,
    MAX_VALUE_BYTES = 32,
    NOT_FOUND = -1,
    MISSES_PER_1000 = 100,
};

struct memc_item {
    uint32_t next; /* number of an item + 1, as in the kernel text */
    uint32_t key_at, key_bytes;
    uint32_t value_at, value_bytes;
};

struct memc {
    struct arena arena;
    uint32_t n_items, n_requests, n_buckets;
    struct memc_item *items;
    uint32_t *buckets; /* number of an item + 1; 0 = empty */
    uint8_t *store;    /* keys and values */
    uint32_t store_bytes, cap_store;
    uint8_t *packets;

    int32_t *answer_bytes, *expected_bytes;
    uint8_t *answers, *expected_answers; /* MAX_VALUE_BYTES each */
};

/* --- The store --- */

static uint32_t hash_of_key(const uint8_t *key, uint32_t n)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < n; i++) {
        hash += key[i];
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    return hash;
}

/* A unique key for every number: a random path, and the number. */
static uint32_t make_key(uint8_t *key, uint32_t number, struct workload_rng *rng)
{
    uint32_t n = MIN_KEY_BYTES + workload_rng_below(rng, MAX_KEY_BYTES - MIN_KEY_BYTES + 1);
    for (uint32_t i = 0; i < n; i++)
        key[i] = (uint8_t)('a' + workload_rng_below(rng, 26));
    for (uint32_t i = n - 8; i < n; i++, number /= 10)
        key[i] = (uint8_t)('0' + number % 10);
    return n;
}

static uint32_t add_bytes(struct memc *s, const uint8_t *bytes, uint32_t n)
{
    ARRAY_RESERVE(s->store, s->cap_store, s->store_bytes + n);
    memcpy(s->store + s->store_bytes, bytes, n);
    s->store_bytes += n;
    return s->store_bytes - n;
}

static void add_item(struct memc *s, uint32_t number, struct workload_rng *rng)
{
    uint8_t bytes[MAX_KEY_BYTES];
    struct memc_item *item = &s->items[number];
    item->key_bytes = make_key(bytes, number, rng);
    item->key_at = add_bytes(s, bytes, item->key_bytes);
    uint32_t *bucket = &s->buckets[hash_of_key(bytes, item->key_bytes) & (s->n_buckets - 1)];
    item->next = *bucket; /* new items come first */
    *bucket = number + 1;

    item->value_bytes =
        MIN_VALUE_BYTES + workload_rng_below(rng, MAX_VALUE_BYTES - MIN_VALUE_BYTES + 1);
    for (uint32_t i = 0; i < item->value_bytes; i++)
        bytes[i] = (uint8_t)workload_rng_below(rng, 256);
    item->value_at = add_bytes(s, bytes, item->value_bytes);
}

/* --- The requests --- */

/* Sums of 1/1, 1/2, ... 1/n in units of 2^-32: integers, the same on every host. */
static uint64_t *popularity_sums(struct memc *s)
{
    uint64_t *sum = ARENA_ARRAY(&s->arena, uint64_t, s->n_items);
    for (uint32_t i = 0; i < s->n_items; i++)
        sum[i] = (i ? sum[i - 1] : 0) + (UINT64_C(1) << 32) / (i + 1);
    return sum;
}

static uint32_t draw_rank(const uint64_t *sum, uint32_t n, struct workload_rng *rng)
{
    uint64_t at = (uint64_t)(((unsigned __int128)workload_rng_u64(rng) * sum[n - 1]) >> 64);
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at < sum[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Which item is the i-th most popular: random. */
static uint32_t *shuffle_items(struct memc *s, struct workload_rng *rng)
{
    uint32_t *item = ARENA_ARRAY(&s->arena, uint32_t, s->n_items);
    for (uint32_t i = 0; i < s->n_items; i++) {
        uint32_t other = workload_rng_below(rng, i + 1);
        item[i] = item[other];
        item[other] = i;
    }
    return item;
}

static void write_request(const struct memc *s, uint8_t *packet, uint32_t item, bool is_there,
                          struct workload_rng *rng)
{
    uint32_t n = s->items[item].key_bytes;
    memcpy(packet, "get ", 4);
    if (is_there)
        memcpy(packet + 4, s->store + s->items[item].key_at, n);
    else
        n = make_key(packet + 4, s->n_items + item, rng);
    memcpy(packet + 4 + n, "\r\n", 2);
}

static void memc_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct memc *s = state;
    struct workload_rng rng = {seed};
    s->n_items = (uint32_t)size->p[0];
    s->n_requests = (uint32_t)size->p[1];
    /* Memcached doubles its table at one and a half items a bucket. */
    for (s->n_buckets = 1; 3 * s->n_buckets < 2 * s->n_items;)
        s->n_buckets *= 2;
    s->items = ARENA_ARRAY(&s->arena, struct memc_item, s->n_items);
    s->buckets = ARENA_ARRAY(&s->arena, uint32_t, s->n_buckets);
    s->packets = ARENA_ARRAY(&s->arena, uint8_t, (size_t)s->n_requests * PACKET_BYTES);
    s->answer_bytes = ARENA_ARRAY(&s->arena, int32_t, s->n_requests);
    s->expected_bytes = ARENA_ARRAY(&s->arena, int32_t, s->n_requests);
    s->answers = ARENA_ARRAY(&s->arena, uint8_t, (size_t)s->n_requests * MAX_VALUE_BYTES);
    s->expected_answers = ARENA_ARRAY(&s->arena, uint8_t, (size_t)s->n_requests * MAX_VALUE_BYTES);
    for (uint32_t i = 0; i < s->n_items; i++)
        add_item(s, i, &rng);
    const uint64_t *sum = popularity_sums(s);
    const uint32_t *item = shuffle_items(s, &rng);
    for (uint32_t r = 0; r < s->n_requests; r++) {
        uint32_t wanted = item[draw_rank(sum, s->n_items, &rng)];
        bool is_there = workload_rng_below(&rng, 1000) >= MISSES_PER_1000;
        write_request(s, s->packets + (size_t)r * PACKET_BYTES, wanted, is_there, &rng);
    }
}

static void memc_run(void *state, struct device *d)
{
    struct memc *s = state;
    size_t packets_bytes = (size_t)s->n_requests * PACKET_BYTES;
    size_t answers_bytes = (size_t)s->n_requests * MAX_VALUE_BYTES;
    device_buffer packets = device_alloc_from(d, s->packets, packets_bytes, "packets");
    device_buffer buckets =
        device_alloc_from(d, s->buckets, s->n_buckets * sizeof *s->buckets, "buckets");
    device_buffer items = device_alloc_from(d, s->items, s->n_items * sizeof *s->items, "items");
    device_buffer store = device_alloc_from(d, s->store, s->store_bytes, "store");
    device_buffer bytes = device_alloc(d, s->n_requests * sizeof *s->answer_bytes, "answer_bytes");
    device_buffer answers = device_alloc(d, answers_bytes, "answers");
    DEVICE_LAUNCH_1D(d, "memc_get", device_round_up(s->n_requests, GROUP_SIZE), GROUP_SIZE,
                     device_arg_buffer(packets), device_arg_u32(PACKET_BYTES),
                     device_arg_u32(s->n_requests), device_arg_buffer(buckets),
                     device_arg_u32(s->n_buckets), device_arg_buffer(items),
                     device_arg_buffer(store), device_arg_buffer(bytes), device_arg_buffer(answers),
                     device_arg_u32(MAX_VALUE_BYTES));
    device_download(d, bytes, 0, s->answer_bytes, s->n_requests * sizeof *s->answer_bytes);
    device_download(d, answers, 0, s->answers, answers_bytes);
}

/* --- The reference: binary search among the sorted keys, no hash --- */

struct sorted_key {
    const uint8_t *text;
    uint32_t bytes, item;
};

static int compare_keys(const void *a, const void *b)
{
    const struct sorted_key *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void memc_reference(void *state)
{
    struct memc *s = state;
    struct sorted_key *keys = xcalloc(s->n_items, sizeof *keys);
    for (uint32_t i = 0; i < s->n_items; i++)
        keys[i] = (struct sorted_key){s->store + s->items[i].key_at, s->items[i].key_bytes, i};
    qsort(keys, s->n_items, sizeof *keys, compare_keys);
    for (uint32_t r = 0; r < s->n_requests; r++) {
        const uint8_t *key = s->packets + (size_t)r * PACKET_BYTES + strlen("get ");
        const uint8_t *end = memchr(key, '\r', PACKET_BYTES);
        struct sorted_key wanted = {key, (uint32_t)(end - key), 0};
        const struct sorted_key *found =
            bsearch(&wanted, keys, s->n_items, sizeof *keys, compare_keys);
        s->expected_bytes[r] = NOT_FOUND;
        if (!found)
            continue;
        const struct memc_item *item = &s->items[found->item];
        s->expected_bytes[r] = (int32_t)item->value_bytes;
        memcpy(s->expected_answers + (size_t)r * MAX_VALUE_BYTES, s->store + item->value_at,
               item->value_bytes);
    }
    free(keys);
}

static bool memc_check(const void *state, struct strbuf *why)
{
    const struct memc *s = state;
    if (!workload_check_i32(why, "answer_bytes", s->answer_bytes, s->expected_bytes, s->n_requests))
        return false;
    for (uint32_t r = 0; r < s->n_requests; r++) {
        size_t at = (size_t)r * MAX_VALUE_BYTES;
        if (memcmp(s->answers + at, s->expected_answers + at, MAX_VALUE_BYTES) == 0)
            continue;
        strbuf_addf(why, "the answer to request %" PRIu32 " is not the value of its key", r);
        return false;
    }
    return true;
}

static void memc_teardown(void *state)
{
    struct memc *s = state;
    free(s->store);
    arena_destroy(&s->arena);
}

static const struct workload_size memc_sizes[] = {
    {"tiny", {8192, 4096}},
    {"small", {262144, 65536}},
    {NULL, {0}},
};

static const struct workload_input memc_inputs[] = {
    {"items", NULL, 1, 10000000, "keys in the store"},
    {"requests", NULL, 1, 10000000, "requests answered in one launch"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_memc = {
    .name = "memc",
    .paper_name = "MEMC",
    .title = "Key-value store (Memcached)",
    .summary = "Each thread answers a request: it parses and hashes its own packet byte by byte, "
               "walks a bucket's chain and copies a value; keys follow a Zipf distribution.",
    .origin = "Hetherington et al. 2012",
    .categories = {.s4 = "highly sensitive"},
    .source = workload_memc_source,
    .param_names = {"items", "requests"},
    .sizes = memc_sizes,
    .inputs = memc_inputs,
    .state_bytes = sizeof(struct memc),
    .setup = memc_setup,
    .run = memc_run,
    .reference = memc_reference,
    .check = memc_check,
    .teardown = memc_teardown,
};
