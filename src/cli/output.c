#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/workload.h"

/* The unfinished file, for the signal handler; "" = none. Process-wide, as signals are. */
static char unfinished_path[4096];
static volatile sig_atomic_t progress_is_shown;

static void erase_progress(void)
{
    static const char erase[] = "\r\033[K";
    if (progress_is_shown)
        progress_is_shown = write(STDERR_FILENO, erase, sizeof erase - 1) < 0;
}

/* Only calls that are safe in a signal handler; then dies of the signal, as the shell expects. */
static void on_signal(int signal_number)
{
    if (unfinished_path[0])
        unlink(unfinished_path);
    erase_progress();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void output_init(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct sigaction old;
        sigaction(ends[i], NULL, &old);
        if (old.sa_handler == SIG_IGN) /* as under nohup: stays ignored */
            continue;
        struct sigaction action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        sigaction(ends[i], &action, NULL);
    }
}

enum heddle_status output_write(const char *text, size_t len)
{
    output_progress_end();
    if (fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0 && !ferror(stdout))
        return HEDDLE_OK;
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

static enum heddle_status report_file(const char *path)
{
    output_error("cannot write %s: %s", path, strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

/* A device or a pipe has no half-written state to hide, and must not be replaced by a file. */
static enum heddle_status write_special(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0)
        return report_file(path);
    bool ok = write_all(fd, data, len);
    ok = close(fd) == 0 && ok;
    return ok ? HEDDLE_OK : report_file(path);
}

enum heddle_status output_file(const char *path, const void *data, size_t len)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return write_special(path, data, len);
    char temporary[sizeof unfinished_path];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return report_file(path);
    }
    int fd = mkstemp(temporary);
    if (fd < 0)
        return report_file(path);
    memcpy(unfinished_path, temporary, sizeof temporary);
    mode_t mask = umask(0);
    umask(mask);
    bool ok =
        fchmod(fd, exists ? info.st_mode & 0777 : 0666 & ~mask) == 0 && write_all(fd, data, len);
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    enum heddle_status status = ok ? HEDDLE_OK : report_file(path);
    if (!ok)
        unlink(temporary);
    unfinished_path[0] = 0;
    return status;
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
    strbuf_addf(&line, "%s%s", names_itself ? "" : "heddle: error: ", text);
    output_line(&line);
}

void output_warnings(const char *text)
{
    if (!*text)
        return;
    output_progress_end();
    fputs(text, stderr);
}

enum heddle_status output_complaints(const struct diag_list *diags)
{
    struct strbuf text = {0};
    diag_format(diags, &text);
    output_progress_end();
    /* Messages about a file begin with the file's name, the others with ours. */
    bool names_us = diags->n && !diags->items[0].file;
    fprintf(stderr, "%s%s", names_us ? "heddle: " : "", strbuf_text(&text));
    strbuf_destroy(&text);
    return HEDDLE_BAD_INPUT;
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

enum heddle_status output_unknown_workload(const char *word)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, workload_count + 1);
    for (uint32_t i = 0; i < workload_count; i++)
        names[i] = workload_list[i]->name;
    names[workload_count] = "all";
    enum heddle_status status =
        output_unknown("workload", word, names, workload_count + 1,
                       "`heddle show workloads` lists them; a file ends in .ptx, .cl or .cu");
    arena_destroy(&arena);
    return status;
}

void output_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    erase_progress();
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
    progress_is_shown = 1;
}

void output_progress_end(void)
{
    erase_progress();
}
