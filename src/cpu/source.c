/* Recorded programs. */
#include "cpu/source.h"

#include <stdlib.h>

#include "base/arena.h"
#include "cpu/trace.h"

struct trace_source {
    struct cpu_source source; /* first */
    struct cpu_trace *trace;
    struct cpu_part part;
    uint64_t n_read; /* of it */
};

static uint32_t at_most(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The next read finds what is missing or broken. */
static void skip(struct trace_source *t)
{
    uint32_t n = 1;
    for (uint64_t left = t->part.skip; left && n; left -= n)
        cpu_trace_read(t->trace, at_most(left), &n);
}

static void refill(struct cpu_source *s)
{
    struct trace_source *t = (struct trace_source *)s;
    uint32_t most = t->part.max_insts ? at_most(t->part.max_insts - t->n_read) : UINT32_MAX;
    s->next = cpu_trace_read(t->trace, most, &s->n_left);
    t->n_read += s->n_left;
    if (most && !s->n_left)
        s->error = cpu_trace_error(t->trace);
}

static void rewind_trace(struct cpu_source *s)
{
    struct trace_source *t = (struct trace_source *)s;
    cpu_trace_rewind(t->trace);
    skip(t);
    t->n_read = 0;
    s->n_left = 0;
}

static void close_trace(struct cpu_source *s)
{
    struct trace_source *t = (struct trace_source *)s;
    cpu_trace_close(t->trace);
    free(t);
}

static const struct cpu_source_ops trace_ops = {
    .refill = refill, .rewind = rewind_trace, .close = close_trace};

/* Where is it damaged? */
static void find_damage(struct cpu_trace *t, const char *path, struct strbuf *why)
{
    uint32_t n;
    do
        cpu_trace_read(t, UINT32_MAX, &n);
    while (n);
    strbuf_addf(why, "%s: %s", path, cpu_trace_error(t));
}

struct cpu_source *cpu_source_open(const char *path, struct cpu_part part, int *error,
                                   struct strbuf *why)
{
    struct cpu_trace *trace = cpu_trace_open(path, error, why);
    if (!trace)
        return NULL;
    if (cpu_trace_is_damaged(trace)) {
        find_damage(trace, path, why);
        cpu_trace_close(trace);
        return NULL;
    }
    struct trace_source *t = xcalloc(1, sizeof *t);
    t->source.ops = &trace_ops;
    t->trace = trace;
    t->part = part;
    t->source.n_counted = part.n_counted;
    skip(t);
    return &t->source;
}

void cpu_source_rewind(struct cpu_source *s)
{
    s->ops->rewind(s);
}

void cpu_source_close(struct cpu_source *s)
{
    if (s)
        s->ops->close(s);
}
