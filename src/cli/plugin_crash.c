#include "cli/plugin_crash.h"

#include <execinfo.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WATCHED = 64, MAX_FRAMES = 64 };

/* The address range of an object. Found when it is loaded, since a signal handler may do little. */
static struct watched {
    char *path;
    uintptr_t base, end;
} watched[MAX_WATCHED];
static uint32_t n_watched;

static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct watched *w = user;
    char *path = realpath(info->dlpi_name, NULL);
    bool is_it = path && strcmp(path, w->path) == 0;
    free(path);
    for (int i = 0; is_it && i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > w->end)
            w->end = end;
        w->base = info->dlpi_addr;
    }
    return is_it;
}

static const struct watched *owner_of(const void *address)
{
    for (uint32_t i = 0; i < n_watched; i++)
        if ((uintptr_t)address >= watched[i].base && (uintptr_t)address < watched[i].end)
            return &watched[i];
    return NULL;
}

/* The innermost frame in a plug-in: it may have crashed in a function that it called. */
static void report(int number)
{
    void *frames[MAX_FRAMES];
    char text[512];
    int n = backtrace(frames, MAX_FRAMES), len = 0;
    for (int i = 0; i < n && !len; i++) {
        const struct watched *w = owner_of(frames[i]);
        if (w)
            len = snprintf(text, sizeof text,
                           "heddle: error: the plug-in %.200s crashed: signal %d (%s)\n"
                           "  hint: addr2line -f -e %.200s 0x%" PRIxPTR
                           " names the line, if it was compiled with -g\n",
                           w->path, number, sigdescr_np(number), w->path,
                           (uintptr_t)frames[i] - w->base - 1);
    }
    ssize_t written = len > 0 ? write(STDERR_FILENO, text, strnlen(text, sizeof text)) : 0;
    (void)written; /* nothing else can be done */
}

static void on_crash(int number)
{
    signal(number, SIG_DFL);
    report(number);
    raise(number);
}

void plugin_crash_watch(const char *file)
{
    static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    struct watched *w = &watched[n_watched];
    void *frame;
    if (n_watched == MAX_WATCHED || !(w->path = realpath(file, NULL)))
        return;
    if (!dl_iterate_phdr(find_object, w)) {
        free(w->path);
        return;
    }
    n_watched++;
    backtrace(&frame, 1); /* loads its dependencies before anything has gone wrong */
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        struct sigaction now;
        if (sigaction(crashes[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(crashes[i], on_crash); /* a sanitizer's handler knows more and stays */
    }
}
