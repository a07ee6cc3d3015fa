#include "front/support.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "front/cache.h"
#include "front/clang.h"
#include "front/process.h"

extern const char front_core_source[];
extern const char front_builtins_source[];
extern const char front_conversions_source[];
extern const char front_math_source[];
extern const char front_images_source[];
extern const char front_atomics_source[];
extern const char front_prelude_source[];
extern const char front_cuda_source[];
extern const char front_cuda_math_source[];
extern const char front_cuda_intrinsics_source[];
extern const char front_cuda_memory_source[];
extern const char front_cuda_warp_source[];
extern const char front_cuda_host_source[];
extern const char front_cuda_groups_source[];
extern const char front_cuda_half_source[];
extern const char front_cuda_samples_source[];

/* The built-in library is one text: later parts use macros and functions of earlier ones. */
static const char *const library_parts[] = {
    front_core_source, front_builtins_source, front_conversions_source,
    front_math_source, front_images_source,   front_atomics_source,
};

enum { N_LIBRARY_PARTS = sizeof library_parts / sizeof *library_parts };

/* A CUDA source may include the SDK's headers by name; all but these few are covered by cuda.cuh,
 * which is always included before it. */
#define IN_CUDA_CUH                                                                                \
    "/* Heddle's cuda.cuh, which is included before every CUDA source, has it all. */\n"

static const struct support_file {
    const char *path; /* within the folder */
    const char *text;
} support_files[] = {
    {"prelude.cl", front_prelude_source},
    {"cuda.cuh", front_cuda_source},
    {"cuda_math.cuh", front_cuda_math_source},
    {"cuda_intrinsics.cuh", front_cuda_intrinsics_source},
    {"cuda_memory.cuh", front_cuda_memory_source},
    {"cuda_warp.cuh", front_cuda_warp_source},
    {"cuda_host.cuh", front_cuda_host_source},
    {"include/cooperative_groups.h", front_cuda_groups_source},
    {"include/cuda_fp16.h", front_cuda_half_source},
    {"include/helper_cuda.h", front_cuda_samples_source},
    {"include/helper_timer.h", front_cuda_samples_source},
    {"include/helper_functions.h", front_cuda_samples_source},
    {"include/cuda.h", IN_CUDA_CUH},
    {"include/cuda_runtime.h", IN_CUDA_CUH},
    {"include/cuda_runtime_api.h", IN_CUDA_CUH},
    {"include/cuda_device_runtime_api.h", IN_CUDA_CUH},
    {"include/cuda_profiler_api.h", IN_CUDA_CUH},
    {"include/device_atomic_functions.h", IN_CUDA_CUH},
    {"include/device_functions.h", IN_CUDA_CUH},
    {"include/device_launch_parameters.h", IN_CUDA_CUH},
    {"include/driver_types.h", IN_CUDA_CUH},
    {"include/host_defines.h", IN_CUDA_CUH},
    {"include/math_constants.h", IN_CUDA_CUH},
    {"include/math_functions.h", IN_CUDA_CUH},
    {"include/sm_20_atomic_functions.h", IN_CUDA_CUH},
    {"include/sm_30_intrinsics.h", IN_CUDA_CUH},
    {"include/sm_60_atomic_functions.h", IN_CUDA_CUH},
    {"include/vector_functions.h", IN_CUDA_CUH},
    {"include/vector_types.h", IN_CUDA_CUH},
};

enum { N_SUPPORT_FILES = sizeof support_files / sizeof *support_files };

static char digest_of_texts[HASH_TEXT_BYTES];

static void make_digest(void)
{
    struct hash h;
    hash_init(&h);
    for (size_t i = 0; i < N_LIBRARY_PARTS; i++)
        hash_add_field(&h, library_parts[i]);
    for (size_t i = 0; i < N_SUPPORT_FILES; i++) {
        hash_add_field(&h, support_files[i].path);
        hash_add_field(&h, support_files[i].text);
    }
    hash_finish(&h, digest_of_texts);
}

void support_hash(struct hash *key)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_digest);
    hash_add_field(key, digest_of_texts);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool file_holds(const char *path, const char *text, size_t len)
{
    struct strbuf contents = {0};
    bool same = strbuf_read_file(&contents, path) == 0 && contents.len == len &&
                memcmp(strbuf_text(&contents), text, len) == 0;
    strbuf_destroy(&contents);
    return same;
}

static bool place_text(const char *path, const char *text)
{
    size_t len = strlen(text);
    return file_holds(path, text, len) || disk_cache_write_file(path, text, len);
}

static bool place_headers(const struct support *s, struct arena *arena)
{
    bool ok = make_folder(s->folder) && make_folder(s->cuda_include);
    for (size_t i = 0; ok && i < N_SUPPORT_FILES; i++)
        ok = place_text(arena_printf(arena, "%s/%s", s->folder, support_files[i].path),
                        support_files[i].text);
    return ok;
}

enum { SUM_BYTES = 17 };

static void sum_of(const struct strbuf *contents, char sum[SUM_BYTES])
{
    snprintf(sum, SUM_BYTES, "%016" PRIx64, hash_quick(strbuf_text(contents), contents->len));
}

/* Bitcode is compiled from the source, so a checksum kept beside it shows whether it is intact.
 * Every compilation checks it. */
static bool bitcode_is_intact(const char *path, const char *sum_path)
{
    struct strbuf bitcode = {0};
    char sum[SUM_BYTES];
    bool intact = strbuf_read_file(&bitcode, path) == 0;
    if (intact) {
        sum_of(&bitcode, sum);
        intact = file_holds(sum_path, sum, strlen(sum));
    }
    strbuf_destroy(&bitcode);
    return intact;
}

/* The first `n_parts` of the library. */
static enum heddle_status compile_parts(size_t n_parts, const struct toolchain *tools,
                                        const char *output, struct arena *arena,
                                        struct strbuf *error)
{
    struct arg_list args = {.arena = arena};
    struct strbuf library = {0}, messages = {0};
    clang_args_for_builtins(&args, tools, output);
    for (size_t i = 0; i < n_parts; i++)
        strbuf_add(&library, library_parts[i]);
    struct process_result result =
        process_run(&args, strbuf_text(&library), library.len, &messages);
    strbuf_destroy(&library);
    args_destroy(&args);
    bool ok = result.error == 0 && result.exit_status == 0;
    if (!ok)
        strbuf_addf(error, "%s could not compile Heddle's built-in library: %s\n%s", tools->clang,
                    result.error ? strerror(result.error) : "it failed", strbuf_text(&messages));
    strbuf_destroy(&messages);
    return ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

static enum heddle_status place_bitcode(struct support *s, const char *path, size_t n_parts,
                                        const char *scratch, const struct toolchain *tools,
                                        struct arena *arena, struct strbuf *error)
{
    const char *sum_path = arena_printf(arena, "%s.sum", path);
    if (bitcode_is_intact(path, sum_path))
        return HEDDLE_OK;
    const char *fresh = arena_printf(arena, "%s/library.bc", scratch);
    enum heddle_status status = compile_parts(n_parts, tools, fresh, arena, error);
    if (status != HEDDLE_OK)
        return status;
    struct strbuf bitcode = {0};
    char sum[SUM_BYTES];
    bool ok = strbuf_read_file(&bitcode, fresh) == 0;
    if (ok) {
        sum_of(&bitcode, sum);
        ok = disk_cache_write_file(path, strbuf_text(&bitcode), bitcode.len) &&
             disk_cache_write_file(sum_path, sum, strlen(sum));
    }
    s->cannot_write = !ok;
    if (!ok)
        strbuf_addf(error, "%s: cannot write: %s\n", path, strerror(errno));
    strbuf_destroy(&bitcode);
    return ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

/* Covers everything that determines the folder's contents. */
static const char *name_folder(const char *base, const struct toolchain *tools, struct arena *arena)
{
    struct hash h;
    char key[HASH_TEXT_BYTES];
    hash_init(&h);
    toolchain_hash(tools, &h);
    support_hash(&h);
    struct arg_list args = {.arena = arena};
    clang_args_for_builtins(&args, tools, "");
    for (size_t i = 0; i < args.n; i++)
        hash_add_field(&h, args.items[i]);
    args_destroy(&args);
    hash_finish(&h, key);
    return arena_printf(arena, "%s/support-%.16s", base, key);
}

enum heddle_status support_prepare(struct support *support, const char *base, const char *scratch,
                                   const struct toolchain *tools, struct arena *arena,
                                   struct strbuf *error)
{
    support->cannot_write = false;
    support->folder = name_folder(base, tools, arena);
    support->prelude = arena_printf(arena, "%s/prelude.cl", support->folder);
    support->core = arena_printf(arena, "%s/core.bc", support->folder);
    support->builtins = arena_printf(arena, "%s/builtins.bc", support->folder);
    support->cuda = arena_printf(arena, "%s/cuda.cuh", support->folder);
    support->cuda_include = arena_printf(arena, "%s/include", support->folder);
    if (!place_headers(support, arena)) {
        support->cannot_write = true;
        strbuf_addf(error, "%s: cannot write: %s\n", support->folder, strerror(errno));
        return HEDDLE_ENVIRONMENT;
    }
    return place_bitcode(support, support->builtins, N_LIBRARY_PARTS, scratch, tools, arena, error);
}

bool support_prepare_core(const struct support *support, const char *scratch,
                          const struct toolchain *tools, struct arena *arena)
{
    struct strbuf why = {0};
    struct support s = *support;
    bool ok = place_bitcode(&s, s.core, 1, scratch, tools, arena, &why) == HEDDLE_OK;
    strbuf_destroy(&why);
    return ok;
}
