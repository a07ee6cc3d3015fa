/* Device memory: one flat address space from DEVICE_BASE up, inside a reserved range of host
 * addresses, so that one addition turns a device address into a host pointer. Addresses are
 * assigned deterministically. Allocations are never adjacent, so that an access just past the end
 * of one is detected. */
#ifndef HEDDLE_EMU_MEMORY_H
#define HEDDLE_EMU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct mem_alloc {
    uint64_t start, bytes;
    bool internal;
    char label[40];
};

struct dev_mem {
    char *bias;               /* host pointer of device address 0 (never used as such) */
    uint64_t limit;           /* first address past the reserved range */
    uint64_t committed;       /* first address past the pages in use */
    struct mem_alloc *allocs; /* sorted by start */
    uint32_t n, cap;
    uint32_t packed; /* the first so many are as close together as they can be */
};

/* Returns 0 or an errno value. */
int mem_create(struct dev_mem *m);
void mem_destroy(struct dev_mem *m);

/* Zeroed memory, aligned to 256 bytes. 0 = out of memory. */
uint64_t mem_alloc(struct dev_mem *m, uint64_t bytes, const char *label);
/* An allocation that is hidden from the user: mem_nearest() does not name it. */
uint64_t mem_alloc_internal(struct dev_mem *m, uint64_t bytes);
/* Labels the allocation that contains the address, if there is one. */
void mem_label(struct dev_mem *m, uint64_t address, const char *label);
/* False if nothing was allocated at that address. */
bool mem_free(struct dev_mem *m, uint64_t start);

/* The allocation that holds [address, address + bytes), or NULL. */
const struct mem_alloc *mem_find(const struct dev_mem *m, uint64_t address, uint64_t bytes);
/* For reports: the allocation nearest to the address, or NULL if there is none. */
const struct mem_alloc *mem_nearest(const struct dev_mem *m, uint64_t address);

static inline void *mem_host(const struct dev_mem *m, uint64_t address)
{
    return m->bias + address;
}

#endif
