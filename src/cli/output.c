#include "cli/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/demangle.h"
#include "workloads/workload.h"

/* The unfinished files, for the signal handler; "" = none. Process-wide, like signals. */
enum { MAX_STREAMS = 8, MAX_PATH_BYTES = 4096 };
static char unfinished_paths[MAX_STREAMS][MAX_PATH_BYTES];
static volatile sig_atomic_t progress_is_shown;

/* Two buffers, so that the one that the handler may print is never being written. */
static char farewells[2][256];
static volatile sig_atomic_t farewell;

void output_set_farewell(const char *line)
{
    int other = !farewell;
    snprintf(farewells[other], sizeof farewells[other], "%s", line);
    farewell = other;
}

static void erase_progress(void)
{
    static const char erase[] = "\r\033[K";
    if (progress_is_shown)
        progress_is_shown = write(STDERR_FILENO, erase, sizeof erase - 1) < 0;
}

static volatile sig_atomic_t stops_when_asked, is_asked_to_stop;

static void on_first_interrupt(void)
{
    static const char text[] =
        "heddle: interrupted: finishing with the results so far; interrupt again to end at once\n";
    is_asked_to_stop = 1;
    erase_progress();
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* it ends even if the message cannot be written */
}

/* The thread that blocks these signals while it has files to remove. */
static pthread_t main_thread;

/* Uses only async-signal-safe calls; then dies of the signal, as the shell expects. The system may
 * choose any thread, also one that a library has started, such as a BLAS. */
static void on_signal(int signal_number)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, signal_number);
        return;
    }
    if (signal_number == SIGINT && stops_when_asked && !is_asked_to_stop) {
        on_first_interrupt();
        return;
    }
    for (int i = 0; i < MAX_STREAMS; i++)
        if (unfinished_paths[i][0])
            unlink(unfinished_paths[i]);
    erase_progress();
    const char *last = farewells[farewell];
    if (last[0] && write(STDERR_FILENO, last, strlen(last)) < 0)
        last = ""; /* no reader is left */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void output_init(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    main_thread = pthread_self();
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct sigaction old;
        sigaction(ends[i], NULL, &old);
        if (old.sa_handler == SIG_IGN) /* as under nohup: stays ignored */
            continue;
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(ends[i], &action, NULL);
    }
}

void output_stop_when_asked(void)
{
    stops_when_asked = 1;
}

bool output_is_asked_to_stop(void)
{
    return is_asked_to_stop;
}

void output_end_if_asked(void)
{
    if (!is_asked_to_stop)
        return;
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
}

enum heddle_status output_write(const char *text, size_t len)
{
    output_progress_end();
    if (fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0 && !ferror(stdout))
        return HEDDLE_OK;
    if (errno == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    output_error("cannot write the output: %s", strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

enum heddle_status output_take(struct strbuf *text)
{
    enum heddle_status status = output_write(strbuf_text(text), text->len);
    strbuf_destroy(text);
    return status;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return true;
}

static bool has_failed;

bool output_has_failed(void)
{
    return has_failed;
}

enum heddle_status output_write_failure(const char *path)
{
    has_failed = true;
    output_error("cannot write %s: %s", path, strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

struct output_stream {
    char *path;
    char *unfinished; /* its slot; NULL if it is not a file */
    int fd;
    bool failed;
};

/* Opens a file beside the one it will replace, with the same permissions. */
static int open_unfinished(const char *path, const struct stat *old, char *slot)
{
    if (snprintf(slot, MAX_PATH_BYTES, "%s.XXXXXX", path) >= MAX_PATH_BYTES) {
        slot[0] = 0;
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(slot);
    mode_t mask = umask(0);
    umask(mask);
    if (fd >= 0 && fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask) == 0)
        return fd;
    if (fd >= 0) {
        unlink(slot);
        close(fd);
    }
    slot[0] = 0;
    return -1;
}

static char *free_slot(void)
{
    int i = 0;
    while (unfinished_paths[i][0])
        i++;
    assert(i < MAX_STREAMS);
    return unfinished_paths[i];
}

struct output_stream *output_open(const char *path)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    struct output_stream *s = xcalloc(1, sizeof *s);
    /* A device or a pipe has no half-written state to hide, and must not be replaced by a file. */
    if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        s->fd = open(path, O_WRONLY);
    } else {
        s->unfinished = free_slot();
        s->fd = open_unfinished(path, exists ? &info : NULL, s->unfinished);
    }
    if (s->fd < 0) {
        output_write_failure(path);
        free(s);
        return NULL;
    }
    s->path = strdup(path);
    return s;
}

bool output_add(void *stream, const void *data, size_t len)
{
    struct output_stream *s = stream;
    if (!s->failed && !write_all(s->fd, data, len)) {
        s->failed = true;
        output_write_failure(s->path);
    }
    return !s->failed;
}

/* Ends a stream; its file appears only if it is wanted and complete. */
static enum heddle_status end_stream(struct output_stream *s, bool is_wanted)
{
    bool ok = close(s->fd) == 0;
    ok = ok && !s->failed;
    if (is_wanted && ok && s->unfinished)
        ok = rename(s->unfinished, s->path) == 0;
    if (is_wanted && !ok && !s->failed)
        output_write_failure(s->path);
    if (s->unfinished) {
        if (!is_wanted || !ok)
            unlink(s->unfinished);
        s->unfinished[0] = 0;
    }
    free(s->path);
    free(s);
    return ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

enum heddle_status output_finish(struct output_stream *s)
{
    return end_stream(s, true);
}

void output_abandon(struct output_stream *s)
{
    if (s)
        end_stream(s, false);
}

enum heddle_status output_file(const char *path, const void *data, size_t len)
{
    struct output_stream *s = output_open(path);
    if (!s)
        return HEDDLE_ENVIRONMENT;
    output_add(s, data, len);
    return output_finish(s);
}

/* Prints and frees; messages of the library end with a line break, ours do not. */
static void output_line(struct strbuf *text)
{
    fprintf(stderr, "%s%s", strbuf_text(text), text->text[text->len - 1] == '\n' ? "" : "\n");
    strbuf_destroy(text);
}

void output_error(const char *format, ...)
{
    output_progress_end();
    va_list args;
    va_start(args, format);
    struct strbuf text = {0};
    strbuf_add(&text, "heddle: error: ");
    strbuf_vaddf(&text, format, args);
    va_end(args);
    output_line(&text);
}

void output_failure(const char *text)
{
    output_progress_end();
    const char *marker = strstr(text, "error: ");
    bool names_itself = marker && marker < text + strcspn(text, "\n");
    struct strbuf line = {0};
    strbuf_add(&line, names_itself ? "" : "heddle: error: ");
    demangle_text(text, &line);
    output_line(&line);
}

/* Adds the program's name to lines that name neither it nor a place in a file. */
static void add_warnings(struct strbuf *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n") + 1;
        bool is_bare = strncmp(text, "warning: ", strlen("warning: ")) == 0;
        strbuf_addf(out, "%s%.*s", is_bare ? "heddle: " : "", (int)len, text);
        text += text[len - 1] ? len : len - 1;
    }
}

void output_warnings(const char *text)
{
    static struct strbuf last; /* every workload on one GPU repeats that GPU's warnings */
    if (!*text || strcmp(strbuf_text(&last), text) == 0)
        return;
    strbuf_clear(&last);
    strbuf_add(&last, text);
    output_progress_end();
    struct strbuf named = {0}, shown = {0};
    add_warnings(&named, text);
    demangle_text(strbuf_text(&named), &shown);
    fputs(strbuf_text(&shown), stderr);
    strbuf_destroy(&named);
    strbuf_destroy(&shown);
}

enum heddle_status output_complaints(const struct diag_list *diags)
{
    struct strbuf text = {0};
    diag_format(diags, &text);
    output_progress_end();
    /* Messages about a file begin with its name, the others with ours. */
    bool names_us = diags->n && !diags->items[0].file;
    fprintf(stderr, "%s%s", names_us ? "heddle: " : "", strbuf_text(&text));
    strbuf_destroy(&text);
    return HEDDLE_BAD_INPUT;
}

enum heddle_status output_input_end(const struct diag_list *diags, enum heddle_status status)
{
    if (!diags->n_errors)
        return status;
    output_complaints(diags);
    return status != HEDDLE_OK ? status : HEDDLE_BAD_INPUT;
}

enum heddle_status output_unknown(const char *kind, const char *word, const char *const *names,
                                  uint32_t n, const char *hint)
{
    struct diag_list diags = {0};
    const char *meant = suggest_hint(&diags.arena, word, names, n);
    diag_add(&diags, DIAG_ERROR, NULL, NULL, 0, 0, meant ? meant : hint, "there is no %s '%s'",
             kind, word);
    enum heddle_status status = output_complaints(&diags);
    diag_list_destroy(&diags);
    return status;
}

/* The word `all` and files count too, unless only the name of a workload is possible. */
static enum heddle_status unknown_workload(const char *word, bool name_only)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, workload_count + 1);
    for (uint32_t i = 0; i < workload_count; i++)
        names[i] = workload_list[i]->name;
    names[workload_count] = "all";
    enum heddle_status status = output_unknown(
        "workload", word, names, workload_count + !name_only,
        name_only ? "`heddle show workloads` lists them"
                  : "`heddle show workloads` lists them; a file ends in .ptx, .cl or .cu");
    arena_destroy(&arena);
    return status;
}

enum heddle_status output_unknown_workload(const char *word)
{
    return unknown_workload(word, false);
}

enum heddle_status output_unknown_workload_name(const char *word)
{
    return unknown_workload(word, true);
}

void output_note(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    erase_progress();
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void output_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&text, format, args);
    va_end(args);
    erase_progress();
    /* A line that wraps could not be erased. */
    struct winsize size;
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
    bool fits = text.len < (size_t)width;
    fprintf(stderr, "%.*s%s", fits ? width - 1 : width - 4, strbuf_text(&text), fits ? "" : "...");
    fflush(stderr);
    progress_is_shown = 1;
    strbuf_destroy(&text);
}

void output_progress_end(void)
{
    erase_progress();
}
