/* Launches on a machine with a discrete GPU and a host (S3 chapter 6): on the GPU or on CPU cores,
 * as testbed.on says.
 *
 * All buffers are valid on the host when a timed launch begins. On the GPU it is the upload of the
 * argument buffers that it reads, the kernel, and the read-back of those that it writes, one after
 * the other; on CPU cores it is the kernel.
 *
 * With testbed.launch only that launch is timed. If CPU programs have not ended once when it has,
 * it begins again, with memory as it was, until they have; what it counts is that of the first
 * time.
 *
 * MODEL: the buffers that a launch reads and writes are found by executing it before it is timed on
 * the GPU. */
#ifndef HEDDLE_GPU_TESTBED_H
#define HEDDLE_GPU_TESTBED_H

#include "gpu/sim.h"

/* Does it run launches in this way? */
bool testbed_is_used(const struct heddle_sim *sim);
/* sim->emu.launch, as sim_run_launch() does. */
enum heddle_status testbed_run(struct heddle_sim *sim, struct heddle_module *module);

#endif
