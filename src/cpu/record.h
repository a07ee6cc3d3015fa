/* Records a native program as a trace: valgrind runs it with Heddle's tool (cpu/recorder). */
#ifndef HEDDLE_CPU_RECORD_H
#define HEDDLE_CPU_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Is told how far a recording has come; n_insts is 0 while the first ones are skipped. */
struct cpu_watch {
    void (*recorded)(void *user, const char *name, uint64_t n_insts); /* NULL = nobody is */
    void *user;
};

struct cpu_recording {
    const char *name;         /* for messages and the watcher */
    const char *const *argv;  /* ends with NULL */
    const char *const *env;   /* likewise; NULL = that of this process */
    const char *folder;       /* to run it in; NULL = the present one */
    bool quiet;               /* its standard input is empty, and nobody sees what it writes */
    uint64_t skip, max_insts; /* run before the first that is recorded; recorded, 0 = all */
    struct cpu_watch watch;
};

/* The folder of the recorder and of Heddle's own native programs: HEDDLE_LIBEXEC, beside this
 * program in a build, in ../libexec/heddle where it is installed. False if it is not there. */
bool cpu_find_libexec(struct strbuf *folder);

/* Writes the trace to `out`. Addresses are not randomised, so that two recordings of the same are
 * alike. Signals by which a user ends a program end the recording, and are delivered when this
 * function returns; whoever has something to clean up then holds them back meanwhile.
 * Otherwise a status with the reason in `why`; no reason if `out` failed, whose owner knows it. */
enum heddle_status cpu_record(const struct cpu_recording *r, struct sink out, uint64_t *n_insts,
                              struct strbuf *why);

#endif
