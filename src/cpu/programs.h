/* CPU programs by name: what is run, with which input, and which part of it is recorded. They are
 * recorded when they are first used, and kept in the cache folder beside compiled kernels. */
#ifndef HEDDLE_CPU_PROGRAMS_H
#define HEDDLE_CPU_PROGRAMS_H

#include "cpu/bubble.h"
#include "cpu/record.h"

struct cpu_program {
    const char *name, *summary;
    const char *file;         /* what is run: a path pattern, or one of Heddle's own programs */
    const char *package;      /* the Debian package that has it; NULL = it comes with Heddle */
    uint64_t skip, max_insts; /* instructions skipped before the recording; instructions recorded */
};

uint32_t cpu_program_count(void);
const struct cpu_program *cpu_program_at(uint32_t i);
const struct cpu_program *cpu_program_find(const char *name); /* NULL = there is none */
/* "there is no CPU program ...", with the nearest name. */
void cpu_program_unknown(const char *name, struct strbuf *why);
/* The path of what it runs; false if that is not installed. */
bool cpu_program_file(const struct cpu_program *p, struct strbuf *path);
/* The path of its recording; false if it does not exist or is damaged. */
bool cpu_program_is_recorded(const struct cpu_program *p, struct strbuf *path);

/* For `--cpu NAME|FILE`: the path of the trace of a program, which is recorded if the cache has no
 * intact one, or of a file. Words with a slash or a dot are files. With `:SKIP+N` after either, the
 * trace begins after the first SKIP instructions, and the next N are its first run, which is what
 * counts. Otherwise a status, with the reason in `why`: an unknown name with the nearest one, a
 * missing package, a full disk. A recording takes some seconds; processes that want the same one
 * wait for each other. */
enum heddle_status cpu_program_trace(const char *name_or_path, const struct cpu_watch *watch,
                                     struct strbuf *path, struct strbuf *why);

/* The program itself, for a core: a name, a trace, a part of either, or a bubble. `max_insts`
 * limits the program to that many instructions of a trace, unless a part is named, or gives the
 * length of a bubble's run; 0 = all. NULL if it is not available, with a status and the reason in
 * `why`. */
struct cpu_open {
    uint64_t max_insts;
    struct bubble_machine machine;
    struct cpu_watch watch;
};
struct cpu_source *cpu_program_open(const char *name_or_path, const struct cpu_open *o,
                                    enum heddle_status *status, struct strbuf *why);

#endif
