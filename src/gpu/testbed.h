/* Launches on a machine with a discrete GPU and a host (S3 chapter 6): on the GPU or on CPU cores,
 * as testbed.on says.
 *
 * All buffers are on the host when a timed launch begins. On the GPU the launch is the upload of
 * the argument buffers that it reads, the kernel, and the read-back of those that it writes, one
 * after the other; on CPU cores it is only the kernel.
 *
 * With testbed.launch only that launch is timed. If it ends before all CPU programs have ended
 * once, it begins again, with memory restored, until they have; only its first run counts.
 *
 * MODEL: the buffers that a launch reads and writes are found by executing it before it is timed on
 * the GPU. */
#ifndef HEDDLE_GPU_TESTBED_H
#define HEDDLE_GPU_TESTBED_H

#include "gpu/sim.h"

/* Does the simulation run launches in this way? */
bool testbed_is_used(const struct heddle_sim *sim);
/* Runs sim->emu.launch, like sim_run_launch(). */
enum heddle_status testbed_run(struct heddle_sim *sim, struct heddle_module *module);

#endif
