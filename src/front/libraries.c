#include "front/libraries.h"

#include <string.h>

#include "base/strbuf.h"
#include "front/words.h"

static const char *const core_functions[] = {
    "get_local_id",
    "get_local_size",
    "get_group_id",
    "get_num_groups",
    "get_global_size",
    "get_global_offset",
    "get_global_id",
    "get_work_dim",
    "get_enqueued_local_size",
    "get_local_linear_id",
    "get_global_linear_id",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "native_exp2",
    "native_exp",
    "native_exp10",
    "native_log2",
    "native_log",
    "native_log10",
    "native_sin",
    "native_cos",
    "native_tan",
    "native_recip",
    "native_rsqrt",
    "native_sqrt",
    "native_divide",
    "native_powr",
    "half_exp2",
    "half_exp",
    "half_exp10",
    "half_recip",
    "half_rsqrt",
    "half_sqrt",
    "half_divide",
};

/* Before a parenthesis in the headers, but not functions. */
static const char *const other_words[] = {
    "__attribute__",
    "work_group_size_hint",
    "vec_type_hint",
    "ext_vector_type",
    "defined",
    "if",
    "deprecated",
    "format",
    "f",
};

#define HAS(list, word, len) has(list, sizeof(list) / sizeof *(list), word, len)

static bool has(const char *const *list, size_t n, const char *word, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(list[i], word, len) == 0 && list[i][len] == '\0')
            return true;
    return false;
}

/* The lines that contain `what`. */
static void split_lines(const char *text, const char *what, struct arg_list *lines)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (memmem(text, len, what, strlen(what)))
            args_addf(lines, "%.*s", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

/* `called` ends in a parenthesis. */
static bool is_harmless(const char *called)
{
    size_t len = strlen(called) - 1;
    return HAS(core_functions, called, len) || HAS(other_words, called, len) ||
           strncmp(called, "as_", 3) == 0;
}

/* Options may define macros as names of functions, so that each of their words counts. */
static void collect_calls(const char *source, const struct arg_list *options,
                          struct arg_list *calls)
{
    struct arg_list words = {.arena = calls->arena};
    words_collect(source, true, &words);
    for (size_t i = 0; i < words.n; i++)
        if (strchr(words.items[i], '('))
            args_add(calls, words.items[i]);
    words.n = 0;
    for (size_t i = 0; i < options->n; i++)
        words_collect(options->items[i], false, &words);
    for (size_t i = 0; i < words.n; i++)
        args_addf(calls, "%s(", words.items[i]);
    args_destroy(&words);
    words_sort(calls);
}

bool libraries_core_suffices(const char *source, const struct arg_list *options,
                             const char *header_words)
{
    struct arena arena = {0};
    struct arg_list calls = {.arena = &arena}, of_headers = {.arena = &arena};
    bool suffices = true;
    collect_calls(source, options, &calls);
    split_lines(header_words, "(", &of_headers);
    for (size_t i = 0; suffices && i < calls.n; i++)
        suffices = is_harmless(calls.items[i]) || !words_have(&of_headers, calls.items[i]);
    args_destroy(&calls);
    args_destroy(&of_headers);
    arena_destroy(&arena);
    return suffices;
}

/* clang ends the first line of a definition, but not that of a declaration, with a parenthesis. */
static bool is_defined(const struct arg_list *lines, const char *name, struct arena *arena)
{
    const char *end = arena_printf(arena, "%s(", name);
    for (size_t i = 0; i < lines->n; i++) {
        size_t len = strlen(lines->items[i]);
        if (len > strlen(end) && strcmp(lines->items[i] + len - strlen(end), end) == 0)
            return true;
    }
    return false;
}

static bool lacks_definition(const char *ptx, struct arena *arena)
{
    struct arg_list lines = {.arena = arena};
    bool lacks = false;
    split_lines(ptx, ".func", &lines);
    for (size_t i = 0; !lacks && i < lines.n; i++) {
        const char *name = strrchr(lines.items[i], ' ');
        lacks = name && !strchr(name, '(') && !is_defined(&lines, name, arena);
    }
    args_destroy(&lines);
    return lacks;
}

bool libraries_are_missing(const char *ptx_path)
{
    struct arena arena = {0};
    struct strbuf ptx = {0};
    bool missing =
        strbuf_read_file(&ptx, ptx_path) != 0 || lacks_definition(strbuf_text(&ptx), &arena);
    strbuf_destroy(&ptx);
    arena_destroy(&arena);
    return missing;
}
