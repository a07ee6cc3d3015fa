#include "front/precompiled.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "front/cache.h"
#include "front/clang.h"
#include "front/dependencies.h"
#include "front/words.h"

enum { SUM_DIGITS = 16, FIRST_LINE_BYTES = 2 * SUM_DIGITS + 3 };

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* --- build options --- */

/* How an option relates to the headers. */
enum option_kind {
    OPTION_OF_MACRO,   /* defines or undefines one */
    OPTION_OF_SOURCE,  /* has no effect on the headers */
    OPTION_OF_HEADERS, /* one precompiled header for each value */
    OPTION_UNKNOWN,    /* rules a precompiled header out */
};

static enum option_kind kind_of(const char *word)
{
    if (begins(word, "-D") || begins(word, "-U"))
        return OPTION_OF_MACRO;
    /* -Wl, and its like pass options to other tools. */
    if (begins(word, "-I") || strcmp(word, "-w") == 0 || (begins(word, "-W") && !strchr(word, ',')))
        return OPTION_OF_SOURCE;
    if (begins(word, "-cl-") || begins(word, "-O"))
        return OPTION_OF_HEADERS;
    return OPTION_UNKNOWN;
}

/* The value of -D, -U or -I may be the next word. */
static bool takes_next(const char *word)
{
    return strlen(word) == 2 && strchr("DUI", word[1]);
}

/* Those that the headers depend on; false if an option rules a precompiled header out. */
static bool options_of_headers(const struct arg_list *options, struct arg_list *out)
{
    for (size_t i = 0; i < options->n; i++) {
        enum option_kind kind = kind_of(options->items[i]);
        if (kind == OPTION_UNKNOWN)
            return false;
        if (kind == OPTION_OF_HEADERS)
            args_add(out, options->items[i]);
        i += takes_next(options->items[i]);
    }
    return true;
}

/* --- the words of the headers --- */

/* Adds the sorted words, each on a line. False if a header cannot be read. */
static bool add_words(const struct arg_list *headers, struct strbuf *out)
{
    struct arena arena = {0};
    struct arg_list words = {.arena = &arena};
    bool ok = headers->n > 0;
    for (size_t i = 0; ok && i < headers->n; i++) {
        struct strbuf text = {0};
        ok = strbuf_read_file(&text, headers->items[i]) == 0;
        words_collect(strbuf_text(&text), true, &words);
        strbuf_destroy(&text);
    }
    words_sort(&words);
    for (size_t i = 0; i < words.n; i++)
        strbuf_addf(out, "%s\n", words.items[i]);
    args_destroy(&words);
    arena_destroy(&arena);
    return ok;
}

/* Does a macro of the options occur in the headers? */
static bool options_change_headers(const struct arg_list *options, const struct strbuf *index)
{
    struct strbuf line = {0};
    bool change = false;
    for (size_t i = 0; i < options->n; i++) {
        const char *word = options->items[i];
        const char *macro = takes_next(word) ? options->items[++i] : word + 2;
        if (kind_of(word) != OPTION_OF_MACRO)
            continue;
        strbuf_clear(&line);
        strbuf_add_char(&line, '\n');
        strbuf_add_n(&line, macro, strcspn(macro, "=("));
        strbuf_add_char(&line, '\n');
        change |= strstr(strbuf_text(index), strbuf_text(&line)) != NULL;
    }
    strbuf_destroy(&line);
    return change;
}

/* --- files --- */

static const char *path_of_sum(const struct support *support, const char *sum, struct arena *arena)
{
    return arena_printf(arena, "%s/headers-%.*s.pch", support->folder, SUM_DIGITS, sum);
}

static void sum_of(const char *contents, size_t len, char sum[SUM_DIGITS + 1])
{
    snprintf(sum, SUM_DIGITS + 1, "%016" PRIx64, hash_quick(contents, len));
}

/* The first line of the index: the sums of the header and of the words. */
static void first_line(const struct strbuf *header, const char *words, size_t len,
                       char line[FIRST_LINE_BYTES])
{
    char of_header[SUM_DIGITS + 1], of_words[SUM_DIGITS + 1];
    sum_of(strbuf_text(header), header->len, of_header);
    sum_of(words, len, of_words);
    snprintf(line, FIRST_LINE_BYTES, "%s %s\n", of_header, of_words);
}

/* Reads the index and checks it and the header that it names. */
static bool load(struct precompiled *header, const struct support *support, struct strbuf *index,
                 struct arena *arena)
{
    struct strbuf contents = {0};
    char line[FIRST_LINE_BYTES];
    const size_t len = FIRST_LINE_BYTES - 1;
    bool ok = strbuf_read_file(index, header->index) == 0 && index->len > len &&
              strspn(index->text, "0123456789abcdef") == SUM_DIGITS;
    if (ok) {
        header->path = path_of_sum(support, index->text, arena);
        ok = strbuf_read_file(&contents, header->path) == 0;
        first_line(&contents, index->text + len, index->len - len, line);
        ok = ok && begins(index->text, line);
        if (!ok)
            unlink(header->path); /* its successor has another name */
    }
    strbuf_destroy(&contents);
    return ok;
}

static bool run_clang(const struct support *support, const struct toolchain *tools,
                      const struct arg_list *options, const char *pch, const char *deps)
{
    struct arg_list args = {.arena = options->arena};
    struct strbuf messages = {0};
    clang_args_for_headers(&args, tools, support, options, pch, deps);
    struct process_result result = process_run(&args, "", 0, &messages);
    args_destroy(&args);
    strbuf_destroy(&messages);
    return result.error == 0 && result.exit_status == 0;
}

/* Writes the header, then the index. */
static bool store(struct precompiled *header, const struct support *support,
                  const struct strbuf *contents, const struct strbuf *words, struct strbuf *index,
                  struct arena *arena)
{
    char line[FIRST_LINE_BYTES];
    first_line(contents, strbuf_text(words), words->len, line);
    strbuf_clear(index);
    strbuf_add(index, line);
    strbuf_add_n(index, strbuf_text(words), words->len);
    header->path = path_of_sum(support, line, arena);
    return disk_cache_write_file(header->path, strbuf_text(contents), contents->len) &&
           disk_cache_write_file(header->index, index->text, index->len);
}

static bool build(struct precompiled *header, const struct support *support, const char *scratch,
                  const struct toolchain *tools, const struct arg_list *options,
                  struct strbuf *index, struct arena *arena)
{
    const char *pch = arena_printf(arena, "%s/headers.pch", scratch);
    const char *deps = arena_printf(arena, "%s/headers.d", scratch);
    struct arg_list files = {.arena = arena};
    struct strbuf contents = {0}, words = {0};
    bool ok = run_clang(support, tools, options, pch, deps) &&
              strbuf_read_file(&contents, pch) == 0 && dependencies_read(deps, &files) &&
              add_words(&files, &words) && store(header, support, &contents, &words, index, arena);
    args_destroy(&files);
    strbuf_destroy(&contents);
    strbuf_destroy(&words);
    return ok;
}

/* The folder's name covers clang and the texts of our headers. */
static const char *index_path(const struct support *support, const struct toolchain *tools,
                              const struct arg_list *options, struct arena *arena)
{
    struct arg_list args = {.arena = arena};
    struct hash h;
    char key[HASH_TEXT_BYTES];
    hash_init(&h);
    clang_args_for_headers(&args, tools, support, options, "", "");
    for (size_t i = 0; i < args.n; i++)
        hash_add_field(&h, args.items[i]);
    args_destroy(&args);
    hash_finish(&h, key);
    return arena_printf(arena, "%s/headers-%.16s.index", support->folder, key);
}

bool precompiled_find(struct precompiled *header, const struct support *support,
                      const char *scratch, const struct toolchain *tools,
                      const struct arg_list *options, struct arena *arena)
{
    struct arg_list of_headers = {.arena = arena};
    struct strbuf index = {0};
    bool ok = options_of_headers(options, &of_headers);
    if (ok) {
        header->index = index_path(support, tools, &of_headers, arena);
        ok = (load(header, support, &index, arena) ||
              build(header, support, scratch, tools, &of_headers, &index, arena)) &&
             !options_change_headers(options, &index);
    }
    if (ok)
        header->words = arena_strndup(arena, index.text + FIRST_LINE_BYTES - 1,
                                      index.len - (FIRST_LINE_BYTES - 1));
    args_destroy(&of_headers);
    strbuf_destroy(&index);
    return ok;
}

void precompiled_discard(const struct precompiled *header)
{
    unlink(header->index);
    unlink(header->path);
}
