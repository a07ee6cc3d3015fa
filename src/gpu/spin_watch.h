/* Detects kernels that spin forever.
 *
 * A spin is not a deadlock, and the engine cannot tell it from work. Its sign is that nothing new
 * happens: no warp ends, whenever a warp returns to an instruction it is in a state in which it has
 * been there before (SIMT stack, registers, local and shared memory), and global memory does not
 * change. Then a warning is given, once per launch. The launch continues, since only the state of
 * the whole machine, including caches and queues, would be a proof. Loops that compute change a
 * register in every iteration and are never taken for a spin; a spin that counts its attempts is
 * not found.
 *
 * The machine is sampled at fixed cycles: the warning depends neither on the host nor on the
 * engine. While warps start and end, states are not compared, so this costs nothing. */
#ifndef HEDDLE_GPU_SPIN_WATCH_H
#define HEDDLE_GPU_SPIN_WATCH_H

#include "gpu/machine.h"

enum {
    SPIN_LOOK_CYCLES = 16411,    /* between two samples: a prime, so as not to run in step with
                               * loops */
    SPIN_QUIET_CYCLES = 2 << 20, /* without the start or end of a warp before states are compared */
    SPIN_REPEATS = 64,           /* consecutive samples that must find nothing new */
};

struct spin_watch;

/* Call it before the first launch. `tell` receives a text for the user, valid during the call. */
struct spin_watch *spin_watch_create(struct machine *m, void (*tell)(void *user, const char *text),
                                     void *user);
void spin_watch_destroy(struct spin_watch *w); /* NULL is fine */

#endif
