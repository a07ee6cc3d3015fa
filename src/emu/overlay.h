/* Stores that are not visible to all SMs yet. Under timing the memory image is read-only within a
 * visibility period. What an SM stores (or a partition's atomics produce) is kept here, visible
 * only to its owner, and committed to the image at the period's end.
 *
 * A small epoch-tagged filter tells most loads that they need not look here. */
#ifndef HEDDLE_EMU_OVERLAY_H
#define HEDDLE_EMU_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/memory.h"

enum { OVERLAY_LINE = 128, OVERLAY_FILTER = 2048 };

struct overlay_line {
    uint64_t number;  /* address / OVERLAY_LINE */
    uint64_t mask[2]; /* valid bytes, low first */
    uint8_t data[OVERLAY_LINE];
};

struct overlay {
    struct overlay_line *lines; /* in order of their first store */
    uint32_t n, cap;
    uint32_t *table; /* open addressing: index + 1 into lines, 0 = empty */
    uint32_t table_size;
    uint32_t epoch; /* counts commits, from 1 */
    uint32_t filter[OVERLAY_FILTER];
};

void overlay_init(struct overlay *o);
void overlay_destroy(struct overlay *o);

/* May a byte of this address's line be here? False is certain. */
static inline bool overlay_may_hold(const struct overlay *o, uint64_t address)
{
    uint64_t number = address / OVERLAY_LINE;
    return o->filter[(number ^ number >> 11) % OVERLAY_FILTER] == o->epoch;
}

/* Bytes must not cross a line; natural alignment ensures that. */
void overlay_write(struct overlay *o, uint64_t address, const void *data, uint32_t bytes);
/* Overwrites those bytes of `data` that are here. */
void overlay_read(const struct overlay *o, uint64_t address, void *data, uint32_t bytes);

/* Copies everything to the image and clears the overlay. */
void overlay_commit(struct overlay *o, struct dev_mem *mem);

#endif
