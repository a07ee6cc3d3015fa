/* The simulated GPU as its configuration file describes it, checked. It holds the limits that
 * functional execution obeys; the cycle-level machine binds its own tables beside them. */
#ifndef HEDDLE_CONFIG_GPU_H
#define HEDDLE_CONFIG_GPU_H

#include <stdint.h>

#include "base/diag.h"
#include "config/param_set.h"

enum { GPU_WARP_LANES = 32 };

struct gpu_config {
    struct param_set params; /* every parameter with its source; the values are the fields below */

    const char *name;
    const char *description;
    uint32_t n_sms;
    uint32_t warps_per_sm;
    uint32_t threads_per_sm;
    uint32_t ctas_per_sm;
    uint32_t threads_per_cta;
    uint32_t registers_per_sm;
    uint32_t registers_per_thread; /* the most registers that one thread may use */
    uint32_t register_granule;     /* a thread's registers are rounded up to a multiple of it */
    uint64_t shared_bytes_per_sm;
    uint64_t shared_bytes_per_cta;
    uint64_t local_bytes_per_thread;
    uint32_t core_clock_mhz;
};

extern const struct param gpu_params[];
extern const uint32_t n_gpu_params;

/* The names of the GPUs that Heddle ships, ending with NULL. The first is the default. */
extern const char *const gpu_names[];
extern const uint32_t n_gpu_names;

/* Loads a GPU by its shipped name or from a .yaml file (a name with a '/' or ending in .yaml or
 * .yml), then applies `name=value` words. NULL means the default. Returns NULL on errors, which are
 * in `diags`. */
struct gpu_config *gpu_config_load(const char *name_or_path, const char *const *words,
                                   uint32_t n_words, struct diag_list *diags);
/* The same with further tables: `bind_more` binds them to the set before it is finished. */
struct gpu_config *
gpu_config_load_with(const char *name_or_path, const char *const *words, uint32_t n_words,
                     void (*bind_more)(struct param_set *set, void *user, struct diag_list *diags),
                     void *user, struct diag_list *diags);
void gpu_config_destroy(struct gpu_config *gpu);

#endif
