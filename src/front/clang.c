/* Which flags, and why:
 * - sm_35 and PTX 6.0 for OpenCL C: the oldest target with 64-bit atomics and shuffles in their
 *   present form. sm_70 for CUDA C, as its present-day sources expect (atomicAdd on double, votes
 *   with a mask).
 * - The full OpenCL header rather than clang's built-in table (-cl-no-stdinc keeps the driver from
 *   choosing the table): our prelude adds overloads, and overloads hide the table's.
 * - gnu89 inline: OpenCL sources use plain `inline` and expect a body to be there.
 * - Line directives (.loc) and nothing else of debug information: faults name the source line. */
#include "front/clang.h"

#include <string.h>

#include "ptx/ptx.h"

/* Programs test for an extension with #ifdef, so only those that work are listed. Half precision is
 * a storage format (vload_half), not an arithmetic one. */
#define OPENCL_EXTENSIONS(X)                                                                       \
    X(cl_khr_byte_addressable_store)                                                               \
    X(cl_khr_global_int32_base_atomics)                                                            \
    X(cl_khr_global_int32_extended_atomics)                                                        \
    X(cl_khr_local_int32_base_atomics)                                                             \
    X(cl_khr_local_int32_extended_atomics)                                                         \
    X(cl_khr_int64_base_atomics)                                                                   \
    X(cl_khr_int64_extended_atomics)                                                               \
    X(cl_khr_fp64)                                                                                 \
    X(cl_khr_3d_image_writes)

const char *front_opencl_extensions(void)
{
#define WORD(name) " " #name
    return &(OPENCL_EXTENSIONS(WORD))[1];
#undef WORD
}

static void add_cc1(struct arg_list *args, const char *option)
{
    args_add_all(args, "-Xclang", option, NULL);
}

static void add_cc1_value(struct arg_list *args, const char *option, const char *value)
{
    add_cc1(args, option);
    add_cc1(args, value);
}

static void add_opencl_target(struct arg_list *args, const char *kind)
{
    args_add_all(args, "-target", "nvptx64-nvidia-nvcl", "-x", kind, "-cl-std=CL1.2",
                 "-fgnu89-inline", "-fgnu-keywords", "-cl-no-stdinc", "-D__IMAGE_SUPPORT__=1",
                 NULL);
#define ENABLED(name) ",+" #name
    /* OpenCL C 3.0 also has two of them as features, and requires both to agree. */
    add_cc1(args, "-cl-ext=-all" OPENCL_EXTENSIONS(
                      ENABLED) ",+__opencl_c_fp64"
                               ",+__opencl_c_3d_image_writes,+__opencl_c_images");
#undef ENABLED
    add_cc1_value(args, "-target-cpu", "sm_35");
    add_cc1_value(args, "-target-feature", "+ptx60");
}

static void add_cuda_target(struct arg_list *args, const struct arg_list *user)
{
    args_add_all(args, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                 "-Wno-unknown-cuda-version", NULL);
    bool user_chose = false;
    for (size_t i = 0; i < user->n; i++)
        user_chose |= strncmp(user->items[i], "--cuda-gpu-arch=", 16) == 0;
    if (!user_chose)
        args_add(args, "--cuda-gpu-arch=sm_70");
    add_cc1_value(args, "-target-feature", "+ptx63");
}

/* Ours first: the first definition of a function wins. libclc's triple differs in spelling only. */
static void add_libraries(struct arg_list *args, const struct toolchain *tools,
                          const struct support *support, bool core_only)
{
    if (core_only) {
        add_cc1_value(args, "-mlink-builtin-bitcode", support->core);
    } else {
        add_cc1_value(args, "-mlink-builtin-bitcode", support->builtins);
        add_cc1_value(args, "-mlink-builtin-bitcode", tools->libclc);
    }
    args_add(args, "-Wno-linker-warnings");
}

static void add_opencl(struct arg_list *args, const struct clang_job *job)
{
    add_opencl_target(args, "cl");
    if (job->headers) {
        args_add_all(args, "-include-pch", job->headers, NULL);
    } else {
        add_cc1(args, "-finclude-default-header");
        args_add_all(args, "-include", job->support->prelude, NULL);
    }
}

static void add_cuda(struct arg_list *args, const struct clang_job *job)
{
    add_cuda_target(args, job->user);
    args_add_all(args, "-include", job->support->cuda, "-isystem", job->support->cuda_include,
                 NULL);
}

static void add_optimization(struct arg_list *args)
{
    args_add_all(args, "-O2", "-gdwarf-2", "-gline-directives-only", "-fdebug-compilation-dir=.",
                 "-fno-color-diagnostics", NULL);
}

static void add_list(struct arg_list *args, const struct arg_list *more)
{
    for (size_t i = 0; i < more->n; i++)
        args_add(args, more->items[i]);
}

void clang_args_for_source(struct arg_list *args, const struct clang_job *job)
{
    args_add(args, job->tools->clang);
    if (job->language == FRONT_OPENCL_C)
        add_opencl(args, job);
    else
        add_cuda(args, job);
    if (job->links_library)
        add_libraries(args, job->tools, job->support, job->core_only);
    add_optimization(args);
    args_add_all(args, "-S", "-iquote", job->source_folder, "-MD", "-MF", job->deps, NULL);
    add_list(args, job->user);
    add_list(args, job->more);
    args_add_all(args, "-o", job->output, "-", NULL);
}

/* The same headers in the same order as without them: -finclude-default-header includes opencl-c.h
 * first. clang insists on equal options in both steps, so the headers do not use that one. */
void clang_args_for_headers(struct arg_list *args, const struct toolchain *tools,
                            const struct support *support, const struct arg_list *user,
                            const char *output, const char *deps)
{
    args_add(args, tools->clang);
    add_opencl_target(args, "cl-header");
    args_add_all(args, "-include", "opencl-c.h", "-include", support->prelude, NULL);
    add_optimization(args);
    args_add_all(args, "-MD", "-MF", deps, NULL);
    add_list(args, user);
    args_add_all(args, "-o", output, "-", NULL);
}

void clang_args_for_builtins(struct arg_list *args, const struct toolchain *tools,
                             const char *bitcode_path)
{
    args_add(args, tools->clang);
    add_opencl_target(args, "cl");
    add_cc1(args, "-finclude-default-header");
    args_add_all(args, "-O2", "-c", "-emit-llvm", "-o", bitcode_path, "-", NULL);
}

/* At the end, so that the lines of the text keep their numbers. */
void clang_mark_ptx(struct strbuf *ptx)
{
    strbuf_add(ptx, ".pragma \"" PTX_LATE_RECONVERGENCE "\";\n");
}
