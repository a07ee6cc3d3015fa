#include "lab/kernel_file.h"

#include <stdio.h>
#include <string.h>
#include <wordexp.h>

#include "base/diag.h"
#include "front/front.h"

/* Options of `heddle run` that describe the launch; each has a value. */
static const char *const options[] = {"--entry",  "--grid", "--block",        "--offset",
                                      "--shared", "--arg",  "--build-options"};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

static bool is_option(const char *word)
{
    for (int i = 0; i < N_OPTIONS; i++)
        if (strcmp(word, options[i]) == 0)
            return true;
    return false;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

static bool split(struct kernel_file *k, struct arena *arena, struct strbuf *why)
{
    wordexp_t words;
    if (wordexp(k->command, &words, WRDE_NOCMD | WRDE_UNDEF) != 0 || !words.we_wordc) {
        strbuf_addf(why, "'%s' cannot be split into words as a shell would", k->command);
        return false;
    }
    k->n_words = (uint32_t)words.we_wordc;
    k->words = ARENA_ARRAY(arena, const char *, k->n_words);
    for (uint32_t i = 0; i < k->n_words; i++)
        k->words[i] = arena_strdup(arena, words.we_wordv[i]);
    wordfree(&words);
    return true;
}

/* A file, then options with their values. */
static bool check_words(const struct kernel_file *k, struct strbuf *why)
{
    const char *file = k->words[0];
    if (!ends_with(file, ".cl") && !ends_with(file, ".cu") && !ends_with(file, ".ptx")) {
        strbuf_addf(why, "'%s' is not a .cl, .cu or .ptx file", file);
        return false;
    }
    for (uint32_t i = 1; i < k->n_words; i += 2) {
        if (!is_option(k->words[i])) {
            const char *near = suggest_nearest(k->words[i], options, N_OPTIONS);
            strbuf_addf(why,
                        "'%s' is not an option of a kernel launch%s%s%s: these are --entry, "
                        "--grid, --block, --offset, --shared, --arg and --build-options; the "
                        "experiment defines the machine",
                        k->words[i], near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "");
            return false;
        }
        if (i + 1 == k->n_words) {
            strbuf_addf(why, "%s needs a value", k->words[i]);
            return false;
        }
        if (strcmp(k->words[i], "--arg") == 0 && strncmp(k->words[i + 1], "out:", 4) == 0) {
            strbuf_addf(why,
                        "--arg %s: points of a sweep run concurrently and write no files; use buf: "
                        "or rand: for a buffer without a file",
                        k->words[i + 1]);
            return false;
        }
    }
    return true;
}

static const char *value_of(const struct kernel_file *k, const char *option)
{
    for (uint32_t i = 1; i + 1 < k->n_words; i += 2)
        if (strcmp(k->words[i], option) == 0)
            return k->words[i + 1];
    return NULL;
}

/* The PTX that will run. */
static bool hash_kernel(const struct kernel_file *k, struct hash *h, struct file_marks *marks,
                        struct strbuf *why)
{
    struct strbuf text = {0}, ptx = {0};
    const char *file = k->words[0];
    file_marks_add(marks, file);
    int error = strbuf_read_file(&text, file);
    bool ok = !error;
    if (error)
        strbuf_addf(why, "cannot read %s: %s", file, strerror(error));
    else if (ends_with(file, ".ptx"))
        hash_add_field_n(h, strbuf_text(&text), text.len);
    else {
        ok = front_compile(ends_with(file, ".cu") ? FRONT_CUDA_C : FRONT_OPENCL_C, file,
                           strbuf_text(&text), text.len, value_of(k, "--build-options"), &ptx,
                           why) == HEDDLE_OK;
        hash_add_field_n(h, strbuf_text(&ptx), ptx.len);
    }
    strbuf_destroy(&text);
    strbuf_destroy(&ptx);
    return ok;
}

/* The initial content of a buffer: buf:@FILE, buf:BYTES:@FILE. */
static bool hash_argument(struct hash *h, const char *arg, struct file_marks *marks,
                          struct strbuf *why)
{
    const char *at = strstr(arg, ":@");
    struct strbuf text = {0};
    if (at)
        file_marks_add(marks, at + 2);
    int error = at ? strbuf_read_file(&text, at + 2) : 0;
    if (error)
        strbuf_addf(why, "--arg %s: cannot read %s: %s", arg, at + 2, strerror(error));
    hash_add_field_n(h, strbuf_text(&text), text.len);
    strbuf_destroy(&text);
    return !error;
}

bool kernel_file_read(struct kernel_file *k, const char *command, struct arena *arena,
                      struct file_marks *marks, struct strbuf *why)
{
    struct hash h;
    *k = (struct kernel_file){.command = arena_strdup(arena, command)};
    if (!split(k, arena, why) || !check_words(k, why))
        return false;
    const char *slash = strrchr(k->words[0], '/');
    const char *rest = k->command + strspn(k->command, " \t\n");
    rest += strcspn(rest, " \t\n");
    rest += strspn(rest, " \t\n");
    k->workload.name = slash ? slash + 1 : k->words[0];
    k->size.name = *rest ? rest : "-";
    hash_init(&h);
    hash_add_field(&h, "kernel");
    for (uint32_t i = 1; i < k->n_words; i++)
        hash_add_field(&h, k->words[i]);
    bool ok = hash_kernel(k, &h, marks, why);
    for (uint32_t i = 1; ok && i + 1 < k->n_words; i += 2)
        ok = strcmp(k->words[i], "--arg") != 0 || hash_argument(&h, k->words[i + 1], marks, why);
    hash_finish(&h, k->digest);
    return ok;
}

void kernel_file_json_inputs(const struct kernel_file *k, struct json_writer *w)
{
    uint32_t n_args = 0;
    for (uint32_t i = 1; i + 1 < k->n_words; i += 2) {
        char name[32];
        if (strcmp(k->words[i], "--arg") == 0)
            snprintf(name, sizeof name, "arg%u", ++n_args);
        else
            snprintf(name, sizeof name, "%s", k->words[i] + 2);
        json_string(w, name, k->words[i + 1]);
    }
}
