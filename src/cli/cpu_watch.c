#include "cli/cpu_watch.h"

#include <time.h>

#include "cli/output.h"

/* A few times a second. */
static void show(void *user, const char *name, uint64_t n_insts)
{
    static struct timespec shown;
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - shown.tv_sec) * 1000 + (now.tv_nsec - shown.tv_nsec) / 1000000;
    if (ms < 100)
        return;
    shown = now;
    if (n_insts)
        output_progress("recording %s: %.1f million instructions", name, (double)n_insts / 1e6);
    else
        output_progress("recording %s: skipping the first instructions", name);
}

const struct cpu_watch cpu_watch_on_terminal = {show, NULL};
