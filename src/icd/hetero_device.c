/* Heddle HeteroPDP as a device. */
#include <stdlib.h>

#include "icd/hetero.h"

struct hetero *hetero_new(const struct icd_settings *s, struct _cl_device_id *gpu,
                          struct strbuf *error)
{
    struct hetero *h = xcalloc(1, sizeof *h);
    struct target *cmp = &h->targets[HETERO_CMP], *other = &h->targets[HETERO_GPU];
    cmp->which = HETERO_CMP;
    other->which = HETERO_GPU;
    bool ok = target_find(cmp, s->hetero_cmp, CL_DEVICE_TYPE_CPU, error);
    if (ok && gpu)
        target_take(other, gpu);
    else if (ok)
        ok = target_find(other, s->hetero_gpu, CL_DEVICE_TYPE_GPU, error);
    h->policy = ok ? hetero_policy_new(s, error) : NULL;
    if (h->policy)
        return h;
    free(h);
    return NULL;
}

uint64_t hetero_limit(const struct hetero *h, cl_device_info which)
{
    uint64_t cmp = target_limit(&h->targets[HETERO_CMP], which);
    uint64_t gpu = target_limit(&h->targets[HETERO_GPU], which);
    return cmp < gpu ? cmp : gpu;
}

void hetero_summary(const struct hetero *h)
{
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        icd_complain("HeteroPDP: launches on the %s, %s: %llu", t == HETERO_CMP ? "CMP" : "GPU",
                     strbuf_text(&h->targets[t].name), (unsigned long long)h->n_launches[t]);
    if (h->n_taken_over)
        icd_complain("HeteroPDP: of these, launches that had failed on the other target: %llu",
                     (unsigned long long)h->n_taken_over);
}
