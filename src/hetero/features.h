/* The features that HeteroPDP predicts from (S3 section 6.4.2, Table 6.4): static counts of a
 * kernel's instructions, for the CMP's models and for the GPU's. S3's are those of Intel's and
 * AMD's compilers; here both come from the kernel's PTX.
 *
 * Each instruction counts once, a called function's once for each call. mov, cvta, ld.param,
 * st.param, fences, ret and exit count nowhere. */
#ifndef HEDDLE_HETERO_FEATURES_H
#define HEDDLE_HETERO_FEATURES_H

#include "ptx/ptx.h"

enum hetero_feature {
#define COUNT(id, name, meaning)  HETERO_##id,
#define LAUNCH(id, name, meaning) HETERO_##id,
#include "hetero/features.def"
    HETERO_N_FEATURES,
};

struct hetero_feature_info {
    const char *name, *meaning;
    bool is_of_launch; /* otherwise a static count */
};
extern const struct hetero_feature_info hetero_features[HETERO_N_FEATURES];

/* Instructions that the counts do not quite cover. */
struct hetero_doubt {
    uint64_t n;
    const struct ptx_func *func; /* of the first; NULL if n is 0; lives as long as the module */
    const struct ptx_inst *inst; /* the first */
};

struct hetero_counts {
    uint64_t n[HETERO_N_FEATURES];     /* those of the launch stay 0 */
    struct hetero_doubt unknown_calls; /* indirect, or without a body: only the call is counted */
    struct hetero_doubt unsupported;   /* cannot be executed; counted by their names and types */
};

/* False, with the reason in `why`, if it is not possible. */
bool hetero_count(const struct ptx_func *kernel, struct hetero_counts *counts, struct strbuf *why);

#endif
