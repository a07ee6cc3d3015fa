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
#include "front/options.h"
#include "front/scratch.h"

struct compilation {
    enum front_language language;
    const char *name, *text;
    size_t len;
    struct arena arena;
    struct toolchain tools;
    struct arg_list options; /* clang's */
    const char *cache;       /* folder, or NULL */
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

/* The command line, except for the paths of our own files. */
static void hash_command(struct compilation *c, struct hash *h)
{
    const struct support nowhere = {"", "", "", "", "", false};
    struct arg_list args = {.arena = &c->arena};
    clang_args_for_source(&args, c->language, &c->tools, &nowhere, "", &c->options, "", "");
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

/* The dependency file is a make rule, "target: path path \", with blanks escaped. */
static void read_dependencies(const char *deps_path, const char *support_folder,
                              struct arg_list *deps)
{
    struct strbuf rule = {0}, path = {0};
    if (strbuf_read_file(&rule, deps_path) != 0) {
        strbuf_destroy(&rule);
        return;
    }
    const char *p = strstr(strbuf_text(&rule), ": ");
    for (p = p ? p + 1 : ""; *p;) {
        strbuf_clear(&path);
        while (*p == ' ' || *p == '\n' || (*p == '\\' && p[1] == '\n'))
            p++;
        for (; *p && *p != ' ' && *p != '\n'; p++) {
            if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) || (*p == '$' && p[1] == '$'))
                p++;
            strbuf_add_char(&path, *p);
        }
        if (is_users_file(strbuf_text(&path), support_folder))
            args_add(deps, strbuf_text(&path));
    }
    strbuf_destroy(&rule);
    strbuf_destroy(&path);
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

static enum heddle_status run_clang(struct compilation *c, const struct support *support,
                                    struct strbuf *ptx, struct strbuf *error)
{
    const char *ptx_path = arena_printf(&c->arena, "%s/out.ptx", c->scratch);
    const char *deps_path = arena_printf(&c->arena, "%s/out.d", c->scratch);
    struct arg_list args = {.arena = &c->arena}, deps = {.arena = &c->arena};
    struct strbuf input = {0}, messages = {0}, result_text = {0};
    clang_args_for_source(&args, c->language, &c->tools, support, folder_of(c->name, &c->arena),
                          &c->options, ptx_path, deps_path);
    add_named_source(c, &input);
    struct process_result result = process_run(&args, strbuf_text(&input), input.len, &messages);
    strip_summary(&messages);
    cut_flood(&messages);

    enum heddle_status status = HEDDLE_OK;
    if (result.error || result.exit_status != 0) {
        status = explain_failure(c, result, &messages, error);
    } else if (strbuf_read_file(&result_text, ptx_path) != 0) {
        strbuf_addf(error, "%s: %s produced no PTX\n", c->name, c->tools.clang);
        status = HEDDLE_ENVIRONMENT;
    } else {
        if (c->language == FRONT_OPENCL_C)
            called_kernels_to_functions(&result_text);
        strbuf_add_n(ptx, strbuf_text(&result_text), result_text.len);
        strbuf_add_n(error, strbuf_text(&messages), messages.len);
        read_dependencies(deps_path, support->folder, &deps);
        if (c->cache && !disk_cache_store(c->cache, c->key, &deps, &result_text, &messages))
            disk_cache_warn(c->cache, errno, error);
    }
    args_destroy(&args);
    args_destroy(&deps);
    strbuf_destroy(&input);
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
        status = run_clang(c, &support, ptx, error);
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

/* `more` are clang's options besides the user's; ends with NULL. */
static enum heddle_status compile_cached(struct compilation *c, const char *build_options,
                                         const char *const *more, struct strbuf *out,
                                         struct strbuf *error)
{
    c->options.arena = &c->arena;
    enum heddle_status status = toolchain_find(&c->tools, &c->arena, error);
    if (status == HEDDLE_OK)
        status = read_options(c, build_options, error);
    if (status == HEDDLE_OK) {
        for (; *more; more++)
            args_add(&c->options, *more);
        make_key(c);
        c->cache = disk_cache_folder(&c->arena);
        if (!c->cache || !disk_cache_load(c->cache, c->key, out, error))
            status = compile(c, out, error);
    }
    args_destroy(&c->options);
    arena_destroy(&c->arena);
    return status;
}

enum heddle_status front_compile(enum front_language language, const char *name, const char *text,
                                 size_t len, const char *build_options, struct strbuf *ptx,
                                 struct strbuf *error)
{
    static const char *const none[] = {NULL};
    struct compilation c = {.language = language, .name = name, .text = text, .len = len};
    return compile_cached(&c, build_options, none, ptx, error);
}

enum heddle_status front_compile_ir(const char *name, const char *text, size_t len,
                                    const char *build_options, struct strbuf *ir,
                                    struct strbuf *error)
{
    static const char *const more[] = {"-emit-llvm", "-cl-kernel-arg-info", "-Xclang",
                                       "-disable-llvm-passes", NULL};
    struct compilation c = {.language = FRONT_OPENCL_C, .name = name, .text = text, .len = len};
    return compile_cached(&c, build_options, more, ir, error);
}
