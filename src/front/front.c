/* Order of steps: find the tools, read the options, look into the cache; on a miss create our
 * headers and libraries, run clang, store the result. */
#include "front/front.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/cache.h"
#include "front/called_kernels.h"
#include "front/clang.h"
#include "front/dependencies.h"
#include "front/libraries.h"
#include "front/options.h"
#include "front/precompiled.h"
#include "front/scratch.h"

struct compilation {
    enum front_language language;
    const char *name, *text;
    size_t len;
    struct arena arena;
    struct toolchain tools;
    struct arg_list options; /* clang's, from the build options */
    struct arg_list more;    /* what the kind of output requires */
    bool links_library;
    const char *cache; /* folder, or NULL */
    char key[HASH_TEXT_BYTES];
    const char *scratch; /* folder, or NULL */
};

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

static enum heddle_status read_options(struct compilation *c, const char *build_options,
                                       struct strbuf *error)
{
    struct arg_list words = {.arena = &c->arena};
    bool ok = options_split(build_options, &words, error) &&
              options_translate(c->language, &words, &c->options, error);
    args_destroy(&words);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static bool mentions(const char *text, size_t len, const char *word)
{
    return memmem(text, len, word, strlen(word)) != NULL;
}

/* Which files a program includes depends on where it is compiled, unless it includes none. */
static bool may_include_files(const struct compilation *c)
{
    bool may = mentions(c->text, c->len, "include") || mentions(c->text, c->len, "import");
    for (size_t i = 0; i < c->options.n; i++)
        may |= strcmp(c->options.items[i], "-include") == 0 ||
               strcmp(c->options.items[i], "-imacros") == 0;
    return may;
}

static void hash_place(struct hash *h)
{
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    char cwd[PATH_MAX];
    hash_add_field(h, getcwd(cwd, sizeof cwd));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        hash_add_field(h, getenv(variables[i]));
}

static struct clang_job job_of(const struct compilation *c, const struct support *support,
                               const char *source_folder)
{
    return (struct clang_job){.language = c->language,
                              .tools = &c->tools,
                              .support = support,
                              .source_folder = source_folder,
                              .user = &c->options,
                              .more = &c->more,
                              .links_library = c->links_library,
                              .output = "",
                              .deps = ""};
}

/* The command line, except for the paths of our own files. */
static void hash_command(struct compilation *c, struct hash *h)
{
    const struct support nowhere = {"", "", "", "", "", "", false};
    const struct clang_job job = job_of(c, &nowhere, "");
    struct arg_list args = {.arena = &c->arena};
    clang_args_for_source(&args, &job);
    for (size_t i = 0; i < args.n; i++)
        hash_add_field(h, args.items[i]);
    args_destroy(&args);
}

static void make_key(struct compilation *c)
{
    struct hash h;
    hash_init(&h);
    toolchain_hash(&c->tools, &h);
    support_hash(&h);
    hash_command(c, &h);
    hash_add_field(&h, c->name);
    hash_add_field_n(&h, c->text, c->len);
    if (may_include_files(c))
        hash_place(&h);
    hash_finish(&h, c->key);
}

/* The source itself is "-" or "<stdin>"; our headers and clang's OpenCL header are in the key
 * already, by their text and as part of the compiler. */
static bool is_users_file(const char *path, const char *support_folder)
{
    return *path && *path != '<' && strcmp(path, "-") != 0 &&
           strncmp(path, support_folder, strlen(support_folder)) != 0 &&
           !strstr(path, "/include/opencl-c");
}

static void read_dependencies(const char *deps_path, const char *support_folder,
                              struct arg_list *deps)
{
    struct arg_list all = {.arena = deps->arena};
    dependencies_read(deps_path, &all);
    for (size_t i = 0; i < all.n; i++)
        if (is_users_file(all.items[i], support_folder))
            args_add(deps, all.items[i]);
    args_destroy(&all);
}

/* Drops clang's final count ("1 warning generated."). */
static void strip_summary(struct strbuf *messages)
{
    if (messages->len < 2)
        return;
    char *text = messages->text;
    char *last = memrchr(text, '\n', messages->len - 1);
    last = last ? last + 1 : text;
    if (*last >= '0' && *last <= '9' && strstr(last, " generated"))
        messages->len = (size_t)(last - text);
    text[messages->len] = '\0';
}

/* Keeps the first messages: those that follow from them do not help. */
static void cut_flood(struct strbuf *messages)
{
    enum { MOST_LINES = 60 };
    size_t n_lines = 0, kept = messages->len;
    for (size_t i = 0; i < messages->len; i++)
        if (messages->text[i] == '\n' && ++n_lines == MOST_LINES)
            kept = i + 1;
    if (n_lines <= MOST_LINES)
        return;
    messages->len = kept;
    strbuf_addf(messages, "... and %zu more lines from the compiler\n", n_lines - MOST_LINES);
}

/* A #line directive makes clang name the user's file instead of its standard input. */
static void add_named_source(const struct compilation *c, struct strbuf *input)
{
    strbuf_add(input, "#line 1 \"");
    for (const char *p = c->name; *p; p++) {
        if (*p == '"' || *p == '\\')
            strbuf_add_char(input, '\\');
        strbuf_add_char(input, *p == '\n' ? ' ' : *p);
    }
    strbuf_add(input, "\"\n");
    strbuf_add_n(input, c->text, c->len);
    strbuf_add_char(input, '\n');
}

static enum heddle_status explain_failure(const struct compilation *c, struct process_result result,
                                          const struct strbuf *messages, struct strbuf *error)
{
    if (result.error) {
        strbuf_addf(error, "cannot run %s: %s\n", c->tools.clang, strerror(result.error));
        return HEDDLE_ENVIRONMENT;
    }
    strbuf_add_n(error, strbuf_text(messages), messages->len);
    if (result.signal) {
        strbuf_addf(error, "%s: the compiler %s was killed by signal %d (%s)\n", c->name,
                    c->tools.clang, result.signal, strsignal(result.signal));
        return HEDDLE_ENVIRONMENT;
    }
    if (messages->len == 0)
        strbuf_addf(error, "%s: %s failed with status %d without a message\n", c->name,
                    c->tools.clang, result.exit_status);
    return HEDDLE_BAD_INPUT;
}

static struct process_result run_job(const struct clang_job *job, const struct strbuf *input,
                                     struct strbuf *messages)
{
    struct arg_list args = {.arena = job->user->arena};
    clang_args_for_source(&args, job);
    strbuf_clear(messages);
    struct process_result result = process_run(&args, strbuf_text(input), input->len, messages);
    args_destroy(&args);
    strip_summary(messages);
    cut_flood(messages);
    return result;
}

static bool is_success(struct process_result result)
{
    return result.error == 0 && result.exit_status == 0;
}

static bool needs_core_only(const struct compilation *c, const char *source,
                            const char *header_words)
{
    bool makes_ptx = c->links_library && c->more.n == 0;
    return makes_ptx && !may_include_files(c) &&
           libraries_core_suffices(source, &c->options, header_words);
}

/* With precompiled headers, and with the core of the built-in library alone if that suffices. */
static struct process_result run_precompiled(struct compilation *c, struct clang_job *job,
                                             const struct precompiled *headers,
                                             const struct strbuf *input, struct strbuf *messages)
{
    job->headers = headers->path;
    job->core_only = needs_core_only(c, strbuf_text(input), headers->words) &&
                     support_prepare_core(job->support, c->scratch, &c->tools, &c->arena);
    struct process_result result = run_job(job, input, messages);
    if (job->core_only && is_success(result) && libraries_are_missing(job->output)) {
        job->core_only = false;
        result = run_job(job, input, messages);
    }
    job->headers = NULL;
    job->core_only = false;
    return result;
}

/* With precompiled headers if possible. A compilation that fails with them is repeated without
 * them: the messages are those of the source, whatever the state of the headers. */
static struct process_result run_clang(struct compilation *c, const struct support *support,
                                       struct clang_job *job, struct strbuf *messages)
{
    struct strbuf input = {0};
    struct precompiled headers;
    struct process_result result;
    add_named_source(c, &input);
    bool precompiled =
        c->language == FRONT_OPENCL_C && c->cache &&
        precompiled_find(&headers, support, c->scratch, &c->tools, &c->options, &c->arena);
    if (precompiled)
        result = run_precompiled(c, job, &headers, &input, messages);
    if (!precompiled || !is_success(result)) {
        result = run_job(job, &input, messages);
        if (precompiled && is_success(result))
            precompiled_discard(&headers);
    }
    strbuf_destroy(&input);
    return result;
}

static enum heddle_status make_output(struct compilation *c, const struct support *support,
                                      struct strbuf *ptx, struct strbuf *error)
{
    struct clang_job job = job_of(c, support, folder_of(c->name, &c->arena));
    struct arg_list deps = {.arena = &c->arena};
    struct strbuf messages = {0}, result_text = {0};
    job.output = arena_printf(&c->arena, "%s/out.ptx", c->scratch);
    job.deps = arena_printf(&c->arena, "%s/out.d", c->scratch);
    struct process_result result = run_clang(c, support, &job, &messages);

    enum heddle_status status = HEDDLE_OK;
    if (!is_success(result)) {
        status = explain_failure(c, result, &messages, error);
    } else if (strbuf_read_file(&result_text, job.output) != 0) {
        strbuf_addf(error, "%s: %s produced no PTX\n", c->name, c->tools.clang);
        status = HEDDLE_ENVIRONMENT;
    } else {
        if (c->language == FRONT_OPENCL_C)
            called_kernels_to_functions(&result_text);
        strbuf_add_n(ptx, strbuf_text(&result_text), result_text.len);
        strbuf_add_n(error, strbuf_text(&messages), messages.len);
        read_dependencies(job.deps, support->folder, &deps);
        if (c->cache && !disk_cache_store(c->cache, c->key, &deps, &result_text, &messages))
            disk_cache_warn(c->cache, errno, error);
    }
    args_destroy(&deps);
    strbuf_destroy(&messages);
    strbuf_destroy(&result_text);
    return status;
}

/* In the cache, or with a warning in the scratch folder if the cache is not writable. */
static enum heddle_status prepare(struct compilation *c, struct support *support,
                                  struct strbuf *error)
{
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_OK;
    if (c->cache)
        status = support_prepare(support, c->cache, c->scratch, &c->tools, &c->arena, &why);
    if (!c->cache || (status != HEDDLE_OK && support->cannot_write)) {
        int reason = errno;
        strbuf_clear(&why);
        status = support_prepare(support, c->scratch, c->scratch, &c->tools, &c->arena, &why);
        if (status == HEDDLE_OK)
            disk_cache_warn(c->cache, reason, error);
        c->cache = NULL;
    }
    strbuf_add(error, strbuf_text(&why));
    strbuf_destroy(&why);
    return status;
}

static enum heddle_status compile_in_scratch(struct compilation *c, struct strbuf *ptx,
                                             struct strbuf *error)
{
    c->scratch = scratch_make(&c->arena, error);
    if (!c->scratch)
        return HEDDLE_ENVIRONMENT;
    struct support support;
    enum heddle_status status = prepare(c, &support, error);
    if (status == HEDDLE_OK)
        status = make_output(c, &support, ptx, error);
    scratch_remove(c->scratch);
    return status;
}

/* Ctrl-C ends clang at once, and us after our files are removed. */
static enum heddle_status compile(struct compilation *c, struct strbuf *ptx, struct strbuf *error)
{
    sigset_t ends = process_ends(), old;
    pthread_sigmask(SIG_BLOCK, &ends, &old);
    enum heddle_status status = compile_in_scratch(c, ptx, error);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return status;
}

/* clang accepts a byte order mark only where its input begins, and ours begins with a #line. */
static void skip_byte_order_mark(struct compilation *c)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    if (c->len < sizeof mark || memcmp(c->text, mark, sizeof mark) != 0)
        return;
    c->text += sizeof mark;
    c->len -= sizeof mark;
}

/* `more` are clang's options besides the user's; ends with NULL. */
static enum heddle_status compile_cached(struct compilation *c, const char *build_options,
                                         const char *const *more, struct strbuf *out,
                                         struct strbuf *error)
{
    c->options.arena = c->more.arena = &c->arena;
    skip_byte_order_mark(c);
    enum heddle_status status = toolchain_find(&c->tools, &c->arena, error);
    if (status == HEDDLE_OK)
        status = read_options(c, build_options, error);
    if (status == HEDDLE_OK) {
        for (; *more; more++)
            args_add(&c->more, *more);
        make_key(c);
        c->cache = disk_cache_folder(&c->arena);
        if (!c->cache || !disk_cache_load(c->cache, c->key, out, error))
            status = compile(c, out, error);
    }
    args_destroy(&c->options);
    args_destroy(&c->more);
    arena_destroy(&c->arena);
    return status;
}

enum heddle_status front_compile(enum front_language language, const char *name, const char *text,
                                 size_t len, const char *build_options, struct strbuf *ptx,
                                 struct strbuf *error)
{
    static const char *const none[] = {NULL};
    struct compilation c = {
        .language = language, .name = name, .text = text, .len = len, .links_library = true};
    enum heddle_status status = compile_cached(&c, build_options, none, ptx, error);
    if (status == HEDDLE_OK)
        clang_mark_ptx(ptx);
    return status;
}

enum heddle_status front_compile_ir(const char *name, const char *text, size_t len,
                                    const char *build_options, enum front_ir kind,
                                    struct strbuf *ir, struct strbuf *error)
{
    static const char *const more[] = {"-emit-llvm", "-cl-kernel-arg-info", "-Xclang",
                                       "-disable-llvm-passes", NULL};
    struct compilation c = {.language = FRONT_OPENCL_C,
                            .name = name,
                            .text = text,
                            .len = len,
                            .links_library = kind == FRONT_IR_TO_LINK};
    return compile_cached(&c, build_options, more, ir, error);
}
