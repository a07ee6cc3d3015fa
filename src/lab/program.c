#include "lab/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "lab/model.h"
#include "lab/point.h"
#include "lab/store_internal.h"
#include "lab/workers.h"

/* --- the command --- */

static const char blanks[] = " \t\n";
/* Characters that end a word of the shell. Quotes do too: a name with spaces is not found. */
static const char ends[] = " \t\n'\";|&<>()";

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The file that the shell would run; NULL if there is none, as for shell built-ins. */
static const char *find_program(const char *word, struct arena *arena)
{
    const char *path = getenv("PATH");
    if (strchr(word, '/'))
        return is_file(word) ? word : NULL;
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        const char *file = arena_printf(arena, "%.*s/%s", (int)n, at, word);
        if (is_file(file) && access(file, X_OK) == 0)
            return file;
        at += n;
    }
    return NULL;
}

static bool hash_file(struct hash *h, const char *path, struct strbuf *why)
{
    struct strbuf content = {0};
    int error = strbuf_read_file(&content, path);
    if (error)
        strbuf_addf(why, "cannot read %s: %s", path, strerror(error));
    hash_add_field_n(h, strbuf_text(&content), content.len);
    strbuf_destroy(&content);
    return !error;
}

static bool hash_command(struct lab_program *p, const char *program, struct arena *arena,
                         struct strbuf *why)
{
    struct hash h;
    bool ok = true;
    hash_init(&h);
    hash_add_field(&h, "program");
    hash_add_field(&h, p->command);
    ok = hash_file(&h, program, why);
    for (const char *at = p->command; ok && *at; at += strspn(at, ends)) {
        size_t n = strcspn(at, ends);
        const char *word = arena_strndup(arena, at, n);
        if (n && is_file(word))
            ok = hash_file(&h, word, why);
        at += n;
    }
    hash_finish(&h, p->digest);
    return ok;
}

bool program_read(struct lab_program *p, const char *command, struct arena *arena,
                  struct file_marks *marks, struct strbuf *why)
{
    const char *first = command + strspn(command, blanks);
    const char *word = arena_strndup(arena, first, strcspn(first, ends));
    const char *rest = first + strlen(word), *slash = strrchr(word, '/');
    const char *program = find_program(word, arena);
    *p = (struct lab_program){.command = arena_strdup(arena, command)};
    p->workload.name = slash ? slash + 1 : word;
    rest += strspn(rest, blanks);
    p->size.name = *rest ? arena_strdup(arena, rest) : "-";
    if (program) {
        file_marks_add(marks, program);
        return hash_command(p, program, arena, why);
    }
    strbuf_addf(why, "there is no program '%s'", word);
    return false;
}

/* --- running --- */

bool program_files_open(struct program_files *f)
{
    f->result = memfd_create("heddle result", MFD_CLOEXEC);
    f->launches = memfd_create("heddle launches", MFD_CLOEXEC);
    f->is_open = true;
    if (f->result >= 0 && f->launches >= 0)
        return true;
    int error = errno;
    program_files_close(f);
    errno = error;
    return false;
}

void program_files_close(struct program_files *f)
{
    if (!f->is_open)
        return;
    if (f->result >= 0)
        close(f->result);
    if (f->launches >= 0)
        close(f->launches);
    *f = (struct program_files){0};
}

/* Any process that the program starts can open the file by this name. */
static const char *name_of(int fd, struct arena *arena)
{
    return arena_printf(arena, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

void program_add_options(const struct program_files *f, struct point_words *words)
{
    point_add_word(words, "--result");
    point_add_word(words, name_of(f->result, words->arena));
    point_add_word(words, "--json");
    point_add_word(words, name_of(f->launches, words->arena));
}

void program_add_command(const struct lab_program *p, struct point_words *words)
{
    point_add_word(words, "--");
    point_add_word(words, "/bin/sh");
    point_add_word(words, "-c");
    point_add_word(words, p->command);
}

/* --- the outcome --- */

/* One JSON document per line. */
static void read_lines(int fd, struct strbuf *out)
{
    char piece[65536];
    ssize_t n;
    off_t at = 0;
    while ((n = pread(fd, piece, sizeof piece, at)) > 0) {
        strbuf_add_n(out, piece, (size_t)n);
        at += n;
    }
}

/* What the sweep knows precedes the document: of two values with one name the first wins. */
void program_name_document(const struct point *p, const char *output_hash, const char *text,
                           struct strbuf *document)
{
    struct json_writer w = {.out = document};
    json_begin_object(&w, NULL);
    json_string(&w, "workload", p->workload->name);
    json_string(&w, "size", p->size->name);
    if (output_hash)
        json_string(&w, "output_hash", output_hash);
    json_end_object(&w);
    while (document->text[document->len - 1] != '}')
        document->len--;
    document->text[document->len - 1] = ',';
    strbuf_add(document, text + 1);
}

void program_document(const struct program_files *f, const struct point *p,
                      const struct worker_end *e, struct strbuf *document, struct strbuf *message)
{
    struct strbuf text = {0};
    read_lines(f->result, &text);
    const char *end = strchr(strbuf_text(&text), '\n');
    if (e->exit_status && e->exit_status <= 128)
        strbuf_addf(message, "it ended with status %d", e->exit_status);
    else if (!e->exit_status && !end)
        strbuf_add(message, "it launched no kernel on the device Heddle");
    else if (end && end[1])
        strbuf_add(message, "several of its processes used the device: a point is one process");
    else if (strstr(strbuf_text(&text), "\"complete\":false"))
        strbuf_add(message, "a launch failed");
    else if (end) {
        char digest[HASH_TEXT_BYTES];
        hash_of(strbuf_text(&e->out), e->out.len, digest);
        program_name_document(p, digest, strbuf_text(&text), document);
    }
    strbuf_destroy(&text);
}

static enum heddle_status keep_launch(const struct point *p, struct store *s, const char *document,
                                      uint64_t number)
{
    char key[HASH_TEXT_BYTES];
    struct strbuf settings = {0};
    struct hash h;
    int64_t id;
    hash_init(&h);
    hash_add_field(&h, p->key);
    hash_add(&h, &number, sizeof number);
    hash_finish(&h, key);
    point_settings(p, &settings);
    struct store_result r = {.key = key,
                             .document = document,
                             .workload = p->workload->name,
                             .size = p->program->command,
                             .gpu = p->gpu.text,
                             .settings = strbuf_text(&settings),
                             .seed = number,
                             .model = model_engine_version()};
    enum heddle_status status = store_put(s, &r, &id);
    strbuf_destroy(&settings);
    return status;
}

enum heddle_status program_keep_launches(const struct program_files *f, const struct point *p,
                                         struct store *s)
{
    struct strbuf text = {0};
    enum heddle_status status = HEDDLE_OK;
    uint64_t number = 1;
    read_lines(f->launches, &text);
    char *line = text.text, *end;
    for (; status == HEDDLE_OK && line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        status = keep_launch(p, s, line, number++);
    }
    strbuf_destroy(&text);
    return status;
}

/* --- output must not differ --- */

/* "" if the store has no result of the point. */
static enum heddle_status read_output(struct store *s, const struct point *p,
                                      char digest[HASH_TEXT_BYTES])
{
    sqlite3_stmt *q = store_prepare(s, "SELECT output_hash FROM run"
                                       " WHERE key = :key AND state = 'done'");
    digest[0] = 0;
    if (!q)
        return store_fail(s, "read");
    store_bind_text(q, ":key", p->key);
    int step = sqlite3_step(q);
    if (step == SQLITE_ROW && sqlite3_column_text(q, 0))
        snprintf(digest, HASH_TEXT_BYTES, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return step == SQLITE_ROW || step == SQLITE_DONE ? HEDDLE_OK : store_fail(s, "read");
}

static void tell_difference(const struct point *p, const struct point *first,
                            program_difference told, void *user)
{
    struct strbuf message = {0};
    strbuf_add(&message, "its output differs from that of ");
    point_describe(first, &message);
    strbuf_add(&message, ": a policy changed a result, the program has a race, or it prints times "
                         "(doc/experiments.md)");
    told(user, p, strbuf_text(&message));
    strbuf_destroy(&message);
}

enum heddle_status program_compare_outputs(struct store *s, const struct point *points, uint32_t n,
                                           program_difference told, void *user)
{
    char(*outputs)[HASH_TEXT_BYTES] = xcalloc(n + 1, sizeof *outputs);
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++) {
        if (!points[i].program)
            continue;
        status = read_output(s, &points[i], outputs[i]);
        uint32_t first = 0;
        while (first < i &&
               (!outputs[first][0] || strcmp(points[first].input, points[i].input) != 0))
            first++;
        if (outputs[i][0] && strcmp(outputs[first], outputs[i]) != 0)
            tell_difference(&points[i], &points[first], told, user);
    }
    free(outputs);
    return status;
}
