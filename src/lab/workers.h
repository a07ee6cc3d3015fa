/* Programs that run side by side on this machine, each with its output and messages collected.
 * What happens to one (a crash, a signal) is its own affair. When this process ends, however it
 * ends, they end too. */
#ifndef HEDDLE_LAB_WORKERS_H
#define HEDDLE_LAB_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

struct worker {
    pid_t pid; /* 0 = free */
    int out_fd, err_fd;
    struct strbuf out, err;
    double began; /* host seconds */
    uint32_t job; /* the caller's */
};

struct workers {
    struct worker *items;
    uint32_t n, n_busy;
};

void workers_create(struct workers *w, uint32_t n);
/* Ends those that still run. */
void workers_destroy(struct workers *w);

/* Starts argv[0] in a free place; false if the system could not, with errno set. */
bool workers_start(struct workers *w, uint32_t job, const char *const *argv);

/* One that has ended: how, as a shell would say (128 + n after signal n). */
struct worker_end {
    uint32_t job;
    int exit_status;
    double seconds;
    struct strbuf out, err; /* the caller's from now on */
};

/* Collects what they write, for at most so many milliseconds; true if one has ended. */
bool workers_wait(struct workers *w, int milliseconds, struct worker_end *end);

/* Processors that this process may use. */
uint32_t workers_processors(void);

#endif
