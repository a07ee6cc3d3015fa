#include "emu/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "ptx/lower.h"

enum { ALIGNMENT = 256, GAP = 256 };

/* Address space is reserved, not memory: pages are allocated when they are touched. If a tool or a
 * limit does not grant that much, less is enough. */
static const uint64_t most_bytes = 64ull << 30, least_bytes = 1ull << 30;

int mem_create(struct dev_mem *m)
{
    memset(m, 0, sizeof *m);
    uint64_t bytes = most_bytes;
    void *p;
    while ((p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) ==
           MAP_FAILED) {
        bytes /= 2;
        if (bytes < least_bytes)
            return errno;
    }
    m->bias = (char *)((uintptr_t)p - DEVICE_BASE);
    m->limit = DEVICE_BASE + bytes;
    m->committed = DEVICE_BASE;
    return 0;
}

void mem_destroy(struct dev_mem *m)
{
    if (m->limit)
        munmap(m->bias + DEVICE_BASE, m->limit - DEVICE_BASE);
    free(m->allocs);
    memset(m, 0, sizeof *m);
}

/* Index of the first allocation above the address. */
static uint32_t first_above(const struct dev_mem *m, uint64_t address)
{
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->allocs[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static bool commit(struct dev_mem *m, uint64_t end)
{
    const uint64_t chunk = 1 << 20;
    if (end <= m->committed)
        return true;
    uint64_t new_end = round_up(end, chunk);
    if (new_end > m->limit)
        new_end = m->limit;
    if (mprotect(m->bias + m->committed, new_end - m->committed, PROT_READ | PROT_WRITE))
        return false;
    m->committed = new_end;
    return true;
}

/* The address after an allocation at which the next one may begin. */
static uint64_t after(const struct mem_alloc *a)
{
    return round_up(a->start + a->bytes + GAP, ALIGNMENT);
}

/* First fit: the lowest gap that is wide enough. There is none among the `packed` allocations, so
 * that the time does not grow with the number of allocations while none are freed. */
static uint64_t find_gap(struct dev_mem *m, uint64_t bytes, uint32_t *index)
{
    uint64_t at = m->packed ? after(&m->allocs[m->packed - 1]) : DEVICE_BASE;
    while (m->packed < m->n && m->allocs[m->packed].start == at)
        at = after(&m->allocs[m->packed++]);
    for (*index = m->packed; *index < m->n; (*index)++) {
        const struct mem_alloc *a = &m->allocs[*index];
        if (a->start >= at + bytes + GAP)
            return at;
        at = after(a);
    }
    return at;
}

uint64_t mem_alloc(struct dev_mem *m, uint64_t bytes, const char *label)
{
    if (bytes == 0)
        bytes = 1;
    if (bytes > m->limit - DEVICE_BASE)
        return 0;
    uint32_t index;
    uint64_t at = find_gap(m, bytes, &index);
    if (at + bytes + GAP > m->limit)
        return 0;
    uint64_t old_end = m->committed;
    if (!commit(m, at + bytes + GAP))
        return 0;
    if (at < old_end) { /* reused memory; fresh pages are already zero */
        uint64_t end = at + bytes < old_end ? at + bytes : old_end;
        memset(m->bias + at, 0, end - at);
    }
    ARRAY_RESERVE(m->allocs, m->cap, m->n + 1);
    memmove(&m->allocs[index + 1], &m->allocs[index], (m->n - index) * sizeof *m->allocs);
    m->allocs[index] = (struct mem_alloc){.start = at, .bytes = bytes};
    snprintf(m->allocs[index].label, sizeof m->allocs[index].label, "%s", label ? label : "buffer");
    m->n++;
    return at;
}

bool mem_free(struct dev_mem *m, uint64_t start)
{
    uint32_t i = first_above(m, start);
    if (i == 0 || m->allocs[i - 1].start != start)
        return false;
    memmove(&m->allocs[i - 1], &m->allocs[i], (m->n - i) * sizeof *m->allocs);
    m->n--;
    if (m->packed > i - 1)
        m->packed = i - 1;
    return true;
}

const struct mem_alloc *mem_find(const struct dev_mem *m, uint64_t address, uint64_t bytes)
{
    uint32_t i = first_above(m, address);
    if (i == 0)
        return NULL;
    const struct mem_alloc *a = &m->allocs[i - 1];
    uint64_t offset = address - a->start;
    return offset <= a->bytes && bytes <= a->bytes - offset ? a : NULL;
}

void mem_label(struct dev_mem *m, uint64_t address, const char *label)
{
    const struct mem_alloc *found = mem_find(m, address, 1);
    struct mem_alloc *a = found ? &m->allocs[found - m->allocs] : NULL;
    if (a)
        snprintf(a->label, sizeof a->label, "%s", label);
}

uint64_t mem_alloc_internal(struct dev_mem *m, uint64_t bytes)
{
    uint64_t at = mem_alloc(m, bytes, NULL);
    if (at)
        m->allocs[first_above(m, at) - 1].internal = true;
    return at;
}

const struct mem_alloc *mem_nearest(const struct dev_mem *m, uint64_t address)
{
    const struct mem_alloc *nearest = NULL;
    uint64_t least = UINT64_MAX;
    for (const struct mem_alloc *a = m->allocs; a != m->allocs + m->n; a++) {
        uint64_t end = a->start + a->bytes;
        uint64_t off = address < a->start ? a->start - address : address < end ? 0 : address - end;
        if (a->internal || off >= least)
            continue;
        nearest = a;
        least = off;
    }
    return nearest;
}
