/* Watches a machine for kernels that spin for ever.
 *
 * A spin is no deadlock, and to the engine no different from work. What gives it away is that
 * nothing new happens: no warp ends, whenever a warp is back at an instruction it is in a state in
 * which it has been there before (SIMT stack, registers, local and shared memory), and global
 * memory stays as it is. Then it is said so, once a launch; the launch goes on, since only the
 * whole machine's state, caches and queues included, would be a proof. Loops that compute change a
 * register every time round, and are never taken for a spin; one that counts how often it tried is
 * not found.
 *
 * Looks happen at given cycles: what is said depends neither on the host nor on the engine. Nothing
 * is looked at closely, and so nothing costs anything, while warps come and go. */
#ifndef HEDDLE_GPU_SPIN_WATCH_H
#define HEDDLE_GPU_SPIN_WATCH_H

#include "gpu/machine.h"

enum {
    SPIN_LOOK_CYCLES = 16411, /* between two looks: a prime, so as not to go in step with loops */
    SPIN_QUIET_CYCLES = 2 << 20, /* without the start or end of a warp before states are compared */
    SPIN_REPEATS = 64,           /* looks in a row that must find nothing new */
};

struct spin_watch;

/* Before the first launch. `tell` is given a text for the user, valid during the call. */
struct spin_watch *spin_watch_create(struct machine *m, void (*tell)(void *user, const char *text),
                                     void *user);
void spin_watch_destroy(struct spin_watch *w); /* NULL is fine */

#endif
