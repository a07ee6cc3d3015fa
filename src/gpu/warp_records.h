/* The attribution of each warp and each CTA, passed on as struct heddle_attributed in an order that
 * depends neither on the quantum nor on the engine nor on threads: by periods of simulated time,
 * then by SMs, then in the order in which they ended. */
#ifndef HEDDLE_GPU_WARP_RECORDS_H
#define HEDDLE_GPU_WARP_RECORDS_H

#include "gpu/machine.h"
#include "heddle/heddle.h"

struct warp_records;

/* Before the first launch; every SM of the machine must have an attribution. */
struct warp_records *warp_records_create(struct machine *m,
                                         void (*tell)(void *user, const struct heddle_attributed *),
                                         void *user);
void warp_records_destroy(struct warp_records *r); /* NULL is fine */
/* The kernel of the warps from now on. */
void warp_records_begin(struct warp_records *r, const char *kernel);
/* Passes on the remaining records. */
void warp_records_end(struct warp_records *r);

#endif
