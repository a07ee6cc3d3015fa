/* Where a CPU core's instructions come from: a recorded trace, or a generator. */
#ifndef HEDDLE_CPU_SOURCE_H
#define HEDDLE_CPU_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "cpu/inst_record.h"

struct cpu_source;

struct cpu_source_ops {
    /* Makes the next instructions available from `next` on and sets `n_left`; 0 at the end and
     * after an error. Earlier instructions are no longer valid. */
    void (*refill)(struct cpu_source *s);
    void (*rewind)(struct cpu_source *s); /* back to the first instruction */
    void (*close)(struct cpu_source *s);
    /* Of a kernel (core.h), otherwise NULL: the instructions of that work-group come next. */
    void (*begin)(struct cpu_source *s, uint64_t group);
};

struct cpu_source {
    const struct cpu_source_ops *ops;
    const struct cpu_inst *next;
    uint32_t n_left;
    const char *error;  /* why there are no more, with the offset; NULL = the program has ended */
    uint64_t n_counted; /* its first run ends after this many instructions; 0 = at its end */
};

/* The next instruction, valid until the following call; NULL at the end, and if the trace is broken
 * (error). */
static inline const struct cpu_inst *cpu_source_next(struct cpu_source *s)
{
    if (!s->n_left)
        s->ops->refill(s);
    if (!s->n_left)
        return NULL;
    s->n_left--;
    return s->next++;
}

/* The instructions of a trace that form the program. */
struct cpu_part {
    uint64_t skip, max_insts; /* instructions skipped before it; its length, 0 = all that follow */
    uint64_t n_counted;       /* of the first run, as in struct cpu_source */
};
/* Opens a trace. NULL if it cannot be read, with the reason in `why`, and an errno value or 0 in
 * *error. */
struct cpu_source *cpu_source_open(const char *path, struct cpu_part part, int *error,
                                   struct strbuf *why);
/* Back to the first instruction. */
void cpu_source_rewind(struct cpu_source *s);
void cpu_source_close(struct cpu_source *s); /* NULL is fine */

#endif
