/* Records a native program as a trace: valgrind runs it with Heddle's tool (cpu/recorder). */
#ifndef HEDDLE_CPU_RECORD_H
#define HEDDLE_CPU_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Called with the progress of a recording; n_insts is 0 while the first instructions are
 * skipped. */
struct cpu_watch {
    void (*recorded)(void *user, const char *name, uint64_t n_insts); /* may be NULL */
    void *user;
};

struct cpu_recording {
    const char *name;         /* for messages and the watcher */
    const char *const *argv;  /* ends with NULL */
    const char *const *env;   /* likewise; NULL = that of this process */
    const char *folder;       /* its working folder; NULL = the current one */
    bool quiet;               /* its standard input is empty, and its output is discarded */
    uint64_t skip, max_insts; /* instructions skipped before the first recorded one; instructions
                               * recorded, 0 = all */
    struct cpu_watch watch;
};

/* The folder of the recorder and of Heddle's own native programs: HEDDLE_LIBEXEC; otherwise beside
 * this program in a build, or ../libexec/heddle in an installation. False if it does not exist. */
bool cpu_find_libexec(struct strbuf *folder);

/* Writes the trace to `out`. Addresses are not randomised, so that two recordings of the same
 * program are equal. Signals by which a user ends a program end the recording, and are delivered
 * when this function returns; a caller that must clean up blocks them meanwhile. Otherwise a
 * status, with the reason in `why`; no reason if `out` failed, whose owner knows it. */
enum heddle_status cpu_record(const struct cpu_recording *r, struct sink out, uint64_t *n_insts,
                              struct strbuf *why);

#endif
