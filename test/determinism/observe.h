/* Everything a run shows of itself, as text: status and report, what the kernel printed, what the
 * host read back, and every statistic but those of the host. Two runs that must not differ are
 * compared line by line. */
#ifndef HEDDLE_TEST_OBSERVE_H
#define HEDDLE_TEST_OBSERVE_H

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "workloads/run.h"

/* How a run is carried out; nothing of this may be seen in its results. */
struct manner {
    const char *name;
    bool every_cycle;
    uint32_t quantum;     /* core cycles, 0 = as long as links allow */
    const char *host_isa; /* NULL = the best there is */
    bool attribute;       /* watch where the cycles of warps go, which adds statistics */
    uint32_t threads;     /* 0 = one */
    bool no_fast_paths;   /* everything takes the general way */
};

/* The machine it is carried out on. */
struct testbed {
    const char *name;
    const char *gpu;
    const char *settings[128]; /* ends with NULL */
};

/* A launch or several of one PTX text over buffers that all its kernels take as parameters. */
struct kernel_buffer {
    uint64_t bytes;
    const void *data; /* NULL = zeros */
    bool read_back;
};
struct kernel_launch {
    const char *kernel;
    uint32_t grid, block;
};
struct kernel_case {
    const char *name, *ptx;
    const struct kernel_buffer *buffers;
    uint32_t n_buffers;
    const struct kernel_launch *launches;
    uint32_t n_launches;
    uint64_t max_cycles;
};

/* A failure leaves statistics that nothing relies on: then only status and report are observed. */
enum heddle_status observe_workload(const struct workload *w, const struct testbed *bed,
                                    const struct manner *how, struct strbuf *out);
enum heddle_status observe_kernel(const struct kernel_case *k, const struct testbed *bed,
                                  const struct manner *how, struct strbuf *out);
/* The statistics of a run that its progress function stops, at the first call with that cycle or a
 * later one. */
enum heddle_status observe_stopped(const struct kernel_case *k, uint64_t cycle,
                                   const struct testbed *bed, const struct manner *how,
                                   struct strbuf *out);
/* Without timing; only what the host read back and what was printed is observed. */
enum heddle_status observe_functional(const struct kernel_case *k, struct strbuf *out);
/* The contents of the buffers that are read back, one after another, after a timed run. */
enum heddle_status run_kernel_case(const struct kernel_case *k, const struct testbed *bed,
                                   const struct manner *how, struct strbuf *contents,
                                   struct strbuf *error);

/* The same as the first two, with a trace written to the file. */
enum heddle_status record_workload(const struct workload *w, const struct testbed *bed,
                                   const struct manner *how, const char *path, struct strbuf *out);
enum heddle_status record_kernel(const struct kernel_case *k, const struct testbed *bed,
                                 const struct manner *how, const char *path, struct strbuf *out);
/* A trace on a machine: what was printed, and the statistics. */
enum heddle_status observe_replay(const char *path, bool force, const struct testbed *bed,
                                  const struct manner *how, struct strbuf *out);
/* What a replay must have in common with the run it is of: cuts off what comes before. */
void keep_what_replays(struct strbuf *observation);

/* True if they are equal, except for the statistics of attribution if only one has them; otherwise
 * `why` gets the differing lines, up to ten. */
bool observations_agree(const struct strbuf *a, const struct strbuf *b, struct strbuf *why);
/* "gtx480 n_sms=1 l1d.n_mshrs=1", for reports. */
void describe_testbed(const struct testbed *bed, struct strbuf *out);

/* Workloads that a test which walks them all does in this build: one sixth where addresses are
 * sanitized, which is slow, and the others where they are not, so that all are done in little time.
 */
static inline bool is_of_this_build(uint32_t workload)
{
#if defined HEDDLE_SANITIZED
    return workload % 6 == 0;
#else
    return workload % 6 != 0;
#endif
}

#endif
