/* CPU programs by name: what is run, with which input, and which part of it is recorded. They are
 * recorded when they are first used and kept in the cache folder. */
#ifndef HEDDLE_CPU_PROGRAMS_H
#define HEDDLE_CPU_PROGRAMS_H

#include <heddle/heddle.h>

#include "base/strbuf.h"

struct cpu_program {
    const char *name, *summary;
    const char *needs;        /* what it runs: a program of the PATH, or a part of Heddle */
    const char *package;      /* Debian's, that has it; NULL = it comes with Heddle */
    uint64_t skip, max_insts; /* not recorded at first; recorded then */
};

uint32_t cpu_program_count(void);
const struct cpu_program *cpu_program_at(uint32_t i);
const struct cpu_program *cpu_program_find(const char *name); /* NULL = there is none */

/* Says how a recording goes on; NULL = nobody wants to know. */
struct cpu_watch {
    void (*recorded)(void *user, const char *name, uint64_t n_insts, uint64_t max_insts);
    void *user;
};

/* For `--cpu NAME|FILE`: the path of the trace of a program, which is recorded if it is not in the
 * cache yet, or of a file. A name with a slash or of an existing file is a file. Otherwise a
 * status, with the reason in `why`: an unknown name with what it could have been, a package that is
 * missing, a full disk. May take half a minute; processes that want the same recording wait for
 * each other. */
enum heddle_status cpu_program_trace(const char *name_or_path, const struct cpu_watch *watch,
                                     struct strbuf *path, struct strbuf *why);

#endif
