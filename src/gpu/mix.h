/* Machines with CPU cores beside the GPU. CPU cores are never idle, so the end of a launch and a
 * deadlock are detected per device: the GPU is its SMs and the dispatcher, with all their
 * unanswered requests. What slices still have to write to DRAM does not count. */
#ifndef HEDDLE_GPU_MIX_H
#define HEDDLE_GPU_MIX_H

#include "gpu/machine.h"

enum { TESTBED_SAMPLES = 2 }; /* caches are warm in the last one */

/* All CTAs have ended, and nothing of the GPU's is in flight. */
bool mix_gpu_is_idle(const struct machine *m);
/* When the last part of the GPU became idle. */
sim_time mix_gpu_idle_since(const struct machine *m);
/* It has work, but nothing can happen to it any more. */
bool mix_gpu_is_stuck(const struct machine *m);

/* The same for cores that run a kernel: all its work-groups have ended. */
bool mix_cmp_is_idle(const struct machine *m);
/* The same for a discrete GPU's host as a whole, after its cores and transfers were stopped. */
bool mix_host_is_idle(const struct machine *m);

/* Have all CPU programs ended once? When the last one did. */
bool mix_cpus_have_ended(const struct machine *m);
sim_time mix_cpus_ended_at(const struct machine *m);
/* Instructions that all of them have retired, including runs after the first. */
uint64_t mix_cpu_insts(const struct machine *m);
/* Why a CPU program cannot continue; NULL = all can. */
const char *mix_cpu_error(const struct machine *m, uint32_t *core);

/* Are there as many samples as required before a launch (testbed.sample_us)? */
static inline bool testbed_is_sampled(const struct machine *m)
{
    return !m->config->testbed.sample_us || m->sample.is_over || m->sample.n >= TESTBED_SAMPLES;
}

#endif
