/* One measurement of a cache: N accesses of a kind. bench/cache.sh makes a table of many.
 *
 *     bench_cache list         NAME BUDGET, a line per kind
 *     bench_cache NAME N       N SECONDS
 *
 * A miss is counted with its fill. The accesses are made beforehand, so that the difference of two
 * counts is that of the cache alone. Budgets are some 10 % above what gcc 12 makes of the code. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/fast.h"
#include "stats/host.h"

enum { LINE_BYTES = 128 };

/* A function that is counted must not become part of another. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

struct bench {
    const char *name;
    uint32_t budget; /* host instructions per access */
    uint32_t n_sets, n_ways, n_lines;
    const char *policy;
    enum mem_kind kind;
};

/* The L1D is a Fermi's of 16 KB, the L2 a slice of 128 KB; loops that fit, and loops twice the size
 * of the cache, of which LRU keeps nothing. */
static const struct bench benches[] = {
    {"l1d_hit_lru", 84, 32, 4, 128, "lru", MEM_LOAD},
    {"l1d_hit_plru", 224, 32, 4, 128, "plru", MEM_LOAD},
    {"l1d_miss_lru", 394, 32, 4, 256, "lru", MEM_LOAD},
    {"l1d_miss_fifo", 464, 32, 4, 256, "fifo", MEM_LOAD},
    {"l1d_bypass", 174, 32, 4, 256, "none", MEM_LOAD},
    {"l1d_store_miss", 81, 32, 4, 256, "lru", MEM_STORE},
    {"l2_hit_lru", 92, 64, 16, 1024, "lru", MEM_LOAD},
    {"l2_miss_lru", 458, 64, 16, 1024 * 2, "lru", MEM_LOAD},
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static struct cache *make_cache(const struct bench *b)
{
    struct cache_config config = {.n_sets = b->n_sets,
                                  .n_ways = b->n_ways,
                                  .line_bytes = LINE_BYTES,
                                  .sector_bytes = LINE_BYTES,
                                  .n_mshrs = 32,
                                  .mshr_merges = 8,
                                  .write_evict = true};
    return cache_create(&config, cache_policy_find(b->policy), NULL, 48, 1);
}

/* As an owner does it: the fast path, then everything else. What is counted is what happens in
 * these three functions. */
static APART struct cache_result bench_load(struct cache *c, const struct mem_access *a,
                                            struct cache_resources room)
{
    struct cache_location at = cache_find_in(c, a->set, a->line);
    if (cache_load_fast(c, at, a->sector_mask, a->pc) == CACHE_FAST_HIT)
        return (struct cache_result){.answer = CACHE_HIT, .mshr = CACHE_NO_MSHR};
    return cache_load_at(c, a, &room, NULL, at);
}

static APART void bench_fill(struct cache *c, uint32_t mshr, uint64_t cycle)
{
    cache_fill_now(c, mshr, cycle);
}

static APART void bench_store(struct cache *c, const struct mem_access *a,
                              struct cache_resources room)
{
    cache_store(c, a, room, NULL);
}

static void run(struct cache *c, const struct mem_access *accesses, uint32_t n_lines, uint32_t n)
{
    const struct cache_resources room = {true, true, true};
    for (uint32_t i = 0, at = 0; i < n; i++, at = at + 1 == n_lines ? 0 : at + 1) {
        const struct mem_access *a = &accesses[at];
        if (a->kind == MEM_STORE) {
            bench_store(c, a, room);
            continue;
        }
        struct cache_result r = bench_load(c, a, room);
        if (r.answer == CACHE_MISS)
            bench_fill(c, r.mshr, i);
    }
}

static int measure(const struct bench *b, uint32_t n)
{
    struct cache *c = make_cache(b);
    struct mem_access *accesses = calloc(b->n_lines, sizeof *accesses);
    if (!accesses)
        return 1;
    for (uint32_t i = 0; i < b->n_lines; i++) {
        uint64_t line = (uint64_t)i * LINE_BYTES;
        accesses[i] = (struct mem_access){
            .id = i, .line = line, .set = cache_set_of(c, line), .sector_mask = 1, .kind = b->kind};
    }
    run(c, accesses, b->n_lines, b->n_lines); /* now it is warm */
    double start = host_now_seconds();
    run(c, accesses, b->n_lines, n);
    printf("%" PRIu32 " %.9f\n", n, host_now_seconds() - start);
    free(accesses);
    cache_destroy(c);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < N_BENCHES; i++)
            printf("%s %" PRIu32 "\n", benches[i].name, benches[i].budget);
        return 0;
    }
    for (int i = 0; argc == 3 && i < N_BENCHES; i++)
        if (strcmp(benches[i].name, argv[1]) == 0)
            return measure(&benches[i], (uint32_t)strtoul(argv[2], NULL, 10));
    fprintf(stderr, "usage: bench_cache list | bench_cache NAME N\n");
    return 2;
}
