/* Programs that run concurrently on this machine, with their output and messages collected. A crash
 * of one does not affect the others. When this process ends, for whatever reason, they end too. */
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
/* Ends those still running. */
void workers_destroy(struct workers *w);

/* Starts argv[0] in a free slot; false, with errno set, if the system refuses. */
bool workers_start(struct workers *w, uint32_t job, const char *const *argv);

/* A program that has ended, with its status in shell convention (128 + n after signal n). */
struct worker_end {
    uint32_t job;
    int exit_status;
    double seconds;
    struct strbuf out, err; /* the caller owns them from now on */
};

/* Collects the workers' output for at most `milliseconds`; true if one has ended. */
bool workers_wait(struct workers *w, int milliseconds, struct worker_end *end);

/* Processors that this process may use. */
uint32_t workers_processors(void);

#endif
