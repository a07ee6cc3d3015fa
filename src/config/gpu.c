#include "config/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "config/gpu_files.h"

/* The defaults are those of NVIDIA's Fermi generation. */
const struct param gpu_params[] = {
    PARAM_STRING(struct gpu_config, name, "", "what the GPU is called"),
    PARAM_STRING(struct gpu_config, description, "", "what it is, in one line"),
    PARAM_U32(struct gpu_config, n_sms, "15", 1, 1024, "SMs", "streaming multiprocessors"),
    PARAM_U32(struct gpu_config, warps_per_sm, "48", 1, 128, "warps", "warps an SM holds at once"),
    PARAM_U32(struct gpu_config, threads_per_sm, "1536", 1, 4096, "threads",
              "threads an SM holds at once"),
    PARAM_U32(struct gpu_config, ctas_per_sm, "8", 1, 128, "CTAs", "CTAs an SM holds at once"),
    PARAM_U32(struct gpu_config, threads_per_cta, "1024", 1, 4096, "threads",
              "threads a CTA may have"),
    PARAM_U32(struct gpu_config, registers_per_sm, "32768", 1, 1 << 20, "registers",
              "32-bit registers of an SM"),
    PARAM_U32(struct gpu_config, registers_per_thread, "63", 1, 1024, "registers",
              "32-bit registers a thread may have; a kernel that needs more is warned about"),
    PARAM_U32(struct gpu_config, register_granule, "4", 1, 256, "registers",
              "a thread's registers are rounded up to a multiple of this"),
    PARAM_U64(struct gpu_config, shared_bytes_per_sm, "48K", 0, 1 << 30, "bytes",
              "shared memory of an SM"),
    PARAM_U64(struct gpu_config, shared_bytes_per_cta, "48K", 0, 1 << 30, "bytes",
              "shared memory a CTA may have"),
    PARAM_U64(struct gpu_config, local_bytes_per_thread, "512K", 0, 1 << 30, "bytes",
              "local memory a thread may have"),
    PARAM_U32(struct gpu_config, core_clock_mhz, "700", 1, 100000, "MHz", "clock of the SMs"),
};
const uint32_t n_gpu_params = sizeof gpu_params / sizeof gpu_params[0];

/* Reports a limit that exceeds another limit. */
static void check_at_most(const struct gpu_config *gpu, const char *name, uint64_t value,
                          const char *limit_name, uint64_t limit, struct diag_list *diags)
{
    if (value > limit)
        param_set_complain(&gpu->params, DIAG_ERROR, "", PARAM_NAMES(name, limit_name), NULL, diags,
                           "%s (%llu) is more than %s allows (%llu)", name,
                           (unsigned long long)value, limit_name, (unsigned long long)limit);
}

static void check_limits(const struct gpu_config *gpu, struct diag_list *diags)
{
    check_at_most(gpu, "threads_per_sm", gpu->threads_per_sm, "warps_per_sm",
                  (uint64_t)gpu->warps_per_sm * GPU_WARP_LANES, diags);
    check_at_most(gpu, "threads_per_cta", gpu->threads_per_cta, "threads_per_sm",
                  gpu->threads_per_sm, diags);
    check_at_most(gpu, "shared_bytes_per_cta", gpu->shared_bytes_per_cta, "shared_bytes_per_sm",
                  gpu->shared_bytes_per_sm, diags);
}

/* A file that gives no name is named after itself: "my/small.yaml" is "small". Names and
 * descriptions are not inherited from bases. */
static void name_after_file(struct gpu_config *gpu, const char *path)
{
    const struct settings *s = &gpu->params.settings;
    if (!*gpu->description && s->base)
        gpu->description = arena_printf(&gpu->params.settings.arena, "based on %s", s->base);
    if (*gpu->name)
        return;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    gpu->name = arena_strndup(&gpu->params.settings.arena, base, strcspn(base, "."));
}

struct gpu_config *
gpu_config_load_with(const char *name_or_path, const char *const *words, uint32_t n_words,
                     void (*bind_more)(struct param_set *set, void *user, struct diag_list *diags),
                     void *user, struct diag_list *diags)
{
    const char *what = name_or_path ? name_or_path : gpu_names[0];
    struct gpu_config *gpu = xcalloc(1, sizeof *gpu);
    uint32_t n_errors_before = diags->n_errors;
    bool readable = gpu_files_read(&gpu->params.settings, what, diags);
    for (uint32_t i = 0; i < n_words; i++)
        settings_add_word(&gpu->params.settings, words[i], diags);
    param_set_bind(&gpu->params, "", gpu_params, n_gpu_params, gpu, diags);
    if (bind_more)
        bind_more(&gpu->params, user, diags);
    param_set_finish(&gpu->params, diags);
    name_after_file(gpu, what);
    if (readable && diags->n_errors == n_errors_before)
        check_limits(gpu, diags);
    if (diags->n_errors == n_errors_before)
        return gpu;
    gpu_config_destroy(gpu);
    return NULL;
}

struct gpu_config *gpu_config_load(const char *name_or_path, const char *const *words,
                                   uint32_t n_words, struct diag_list *diags)
{
    return gpu_config_load_with(name_or_path, words, n_words, NULL, NULL, diags);
}

void gpu_config_destroy(struct gpu_config *gpu)
{
    if (!gpu)
        return;
    param_set_destroy(&gpu->params);
    free(gpu);
}
