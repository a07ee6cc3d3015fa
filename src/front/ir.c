/* The second half of compiling OpenCL C in two steps: llvm-link joins the IR, and clang compiles it
 * to PTX. The first half is front_compile_ir(). */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/cache.h"
#include "front/called_kernels.h"
#include "front/clang.h"
#include "front/front.h"
#include "front/process.h"
#include "front/scratch.h"
#include "front/toolchain.h"

struct ir_job {
    struct arena arena;
    struct toolchain tools;
    const char *cache;   /* folder, or NULL */
    const char *scratch; /* folder */
    char key[HASH_TEXT_BYTES];
};

/* llvm-link of clang's version: for clang-14, llvm-link-14 in clang's folder or on the PATH. */
static const char *find_linker(struct ir_job *j)
{
    const char *own = getenv("HEDDLE_LLVM_LINK");
    if (own && *own)
        return own;
    char *real = realpath(j->tools.clang, NULL);
    const char *result = "llvm-link", *slash = real ? strrchr(real, '/') : NULL;
    if (slash) {
        const char *beside = arena_printf(&j->arena, "%.*s/llvm-link", (int)(slash - real), real);
        if (access(beside, X_OK) == 0)
            result = beside;
    }
    free(real);
    return result;
}

static enum heddle_status run_tool(const struct arg_list *args, struct strbuf *error)
{
    struct strbuf messages = {0};
    struct process_result r = process_run(args, "", 0, &messages);
    enum heddle_status status = HEDDLE_OK;
    if (r.error) {
        strbuf_addf(error, "cannot run %s: %s\n", args->items[0], strerror(r.error));
        status = HEDDLE_ENVIRONMENT;
    } else if (r.exit_status != 0) {
        strbuf_addf(error, "%s%s failed\n", strbuf_text(&messages), args->items[0]);
        status = HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&messages);
    return status;
}

static enum heddle_status take_output(const char *path, struct strbuf *out, struct strbuf *error)
{
    int failed = strbuf_read_file(out, path);
    if (failed)
        strbuf_addf(error, "%s: %s\n", path, strerror(failed));
    return failed ? HEDDLE_ENVIRONMENT : HEDDLE_OK;
}

static enum heddle_status link_pieces(struct ir_job *j, const struct strbuf *pieces, uint32_t n,
                                      struct strbuf *ir, struct strbuf *error)
{
    struct arg_list args = {.arena = &j->arena};
    const char *output = arena_printf(&j->arena, "%s/out.ll", j->scratch);
    enum heddle_status status = HEDDLE_OK;
    args_add_all(&args, find_linker(j), "-S", "-o", output, NULL);
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++) {
        const char *path = arena_printf(&j->arena, "%s/%u.ll", j->scratch, i);
        args_add(&args, path);
        if (!disk_cache_write_file(path, strbuf_text(&pieces[i]), pieces[i].len)) {
            strbuf_addf(error, "%s: cannot write\n", path);
            status = HEDDLE_ENVIRONMENT;
        }
    }
    if (status == HEDDLE_OK)
        status = run_tool(&args, error);
    if (status == HEDDLE_OK)
        status = take_output(output, ir, error);
    args_destroy(&args);
    return status;
}

static enum heddle_status make_code(struct ir_job *j, const struct strbuf *ir, struct strbuf *ptx,
                                    struct strbuf *error)
{
    struct arg_list args = {.arena = &j->arena}, no_files = {.arena = &j->arena};
    const char *input = arena_printf(&j->arena, "%s/in.ll", j->scratch);
    const char *output = arena_printf(&j->arena, "%s/out.ptx", j->scratch);
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    args_add_all(&args, j->tools.clang, "-target", "nvptx64-nvidia-nvcl", "-x", "ir", "-O2", "-S",
                 "-Xclang", "-target-cpu", "-Xclang", "sm_35", "-Xclang", "-target-feature",
                 "-Xclang", "+ptx60", "-fno-color-diagnostics", NULL);
    args_add_all(&args, "-o", output, input, NULL);
    if (disk_cache_write_file(input, strbuf_text(ir), ir->len))
        status = run_tool(&args, error);
    else
        strbuf_addf(error, "%s: cannot write\n", input);
    if (status == HEDDLE_OK)
        status = take_output(output, ptx, error);
    if (status == HEDDLE_OK)
        called_kernels_to_functions(ptx);
    struct strbuf no_messages = {0};
    if (status == HEDDLE_OK && j->cache)
        disk_cache_store(j->cache, j->key, &no_files, ptx, &no_messages); /* front.c warns */
    args_destroy(&args);
    return status;
}

/* Ctrl-C ends the tools at once, and us after our files are removed. */
static bool begin(struct ir_job *j, sigset_t *old, struct strbuf *error)
{
    sigset_t ends = process_ends();
    pthread_sigmask(SIG_BLOCK, &ends, old);
    j->scratch = scratch_make(&j->arena, error);
    return j->scratch != NULL;
}

static void end(struct ir_job *j, const sigset_t *old)
{
    if (j->scratch)
        scratch_remove(j->scratch);
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

enum heddle_status front_ir_link(const struct strbuf *pieces, uint32_t n, struct strbuf *ir,
                                 struct strbuf *error)
{
    struct ir_job j = {0};
    sigset_t old;
    enum heddle_status status = toolchain_find(&j.tools, &j.arena, error);
    if (status == HEDDLE_OK) {
        status =
            begin(&j, &old, error) ? link_pieces(&j, pieces, n, ir, error) : HEDDLE_ENVIRONMENT;
        end(&j, &old);
    }
    arena_destroy(&j.arena);
    return status;
}

static void make_key(struct ir_job *j, const struct strbuf *ir)
{
    struct hash h;
    hash_init(&h);
    toolchain_hash(&j->tools, &h);
    hash_add_field(&h, "ptx of ir");
    hash_add_field_n(&h, strbuf_text(ir), ir->len);
    hash_finish(&h, j->key);
}

enum heddle_status front_ir_to_ptx(const struct strbuf *ir, struct strbuf *ptx,
                                   struct strbuf *error)
{
    struct ir_job j = {0};
    sigset_t old;
    enum heddle_status status = toolchain_find(&j.tools, &j.arena, error);
    if (status == HEDDLE_OK) {
        struct strbuf messages = {0};
        make_key(&j, ir);
        j.cache = disk_cache_folder(&j.arena);
        if (!j.cache || !disk_cache_load(j.cache, j.key, ptx, &messages)) {
            status = begin(&j, &old, error) ? make_code(&j, ir, ptx, error) : HEDDLE_ENVIRONMENT;
            end(&j, &old);
        }
        strbuf_destroy(&messages);
        if (status == HEDDLE_OK)
            clang_mark_ptx(ptx);
    }
    arena_destroy(&j.arena);
    return status;
}
