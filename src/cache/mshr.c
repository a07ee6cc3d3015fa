#include "cache/mshr.h"

#include <string.h>

void mshr_init(struct mshr_file *f, struct arena *arena, uint32_t n, uint32_t n_merges,
               bool keep_accesses, bool hashed)
{
    uint32_t bucket_bits = 1;
    while (1u << bucket_bits < 2 * n)
        bucket_bits++;
    *f = (struct mshr_file){
        .entries = ARENA_ARRAY(arena, struct mshr, n),
        .accesses = keep_accesses ? ARENA_ARRAY(arena, struct mem_access, n) : NULL,
        .heads = hashed ? ARENA_ARRAY(arena, uint16_t, (size_t)1 << bucket_bits) : NULL,
        .free = ARENA_ARRAY(arena, uint16_t, n),
        .n = n,
        .n_merges = n_merges,
        .n_free = n,
        .hash_shift = 64 - bucket_bits,
    };
    if (hashed)
        memset(f->heads, 0xff, sizeof *f->heads << bucket_bits);
    void **waiters = ARENA_ARRAY(arena, void *, (size_t)n *n_merges);
    for (uint32_t i = 0; i < n; i++) {
        f->free[i] = (uint16_t)(n - 1 - i);
        f->entries[i].waiters = waiters + (size_t)i * n_merges;
    }
}

void mshr_detach_line(struct mshr_file *f, uint64_t line)
{
    uint32_t m;
    while ((m = mshr_find(f, line, 0)) != MSHR_NONE) {
        mshr_unlink(f, &f->entries[m], m);
        mshr_detach(f, m);
    }
}
