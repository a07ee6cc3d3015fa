#include "cpu/bubble.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { BATCH = 256, LINE_BYTES = 64, BASE = 0x10000000 };

struct bubble {
    struct cpu_source source; /* first */
    uint64_t bytes, at;       /* of the buffer; the next line in it */
    bool stores;              /* otherwise it loads */
    /* An access whenever `due` reaches `per_access`; `step` is added for each instruction. */
    uint64_t due, step, per_access;
    uint64_t n_insts, n_read; /* of a run */
    struct cpu_inst batch[BATCH];
};

static const char cache_name[] = "cache_bubble_", bandwidth_name[] = "bandwidth_bubble_";

/* The number after the prefix; -1 = there is none. */
static int pressure(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    bool fits = strncmp(name, prefix, n) == 0 && name[n] >= '0' && name[n] <= '0' + BUBBLE_STEPS;
    return fits && !name[n + 1] ? name[n] - '0' : -1;
}

bool cpu_is_bubble(const char *name)
{
    return pressure(name, cache_name) >= 0 || pressure(name, bandwidth_name) >= 0;
}

static void make(struct bubble *b, struct cpu_inst *inst)
{
    *inst = (struct cpu_inst){.ip = BASE};
    b->due += b->step;
    if (b->due < b->per_access)
        return;
    b->due -= b->per_access;
    if (b->stores)
        inst->dest_memory[0] = BASE + b->at;
    else
        inst->source_memory[0] = BASE + b->at;
    b->at = b->at + LINE_BYTES < b->bytes ? b->at + LINE_BYTES : 0;
}

static void refill(struct cpu_source *s)
{
    struct bubble *b = (struct bubble *)s;
    uint64_t left = b->n_insts - b->n_read;
    uint32_t n = left < BATCH ? (uint32_t)left : BATCH;
    for (uint32_t i = 0; i < n; i++)
        make(b, &b->batch[i]);
    b->n_read += n;
    s->next = b->batch;
    s->n_left = n;
}

static void begin_again(struct cpu_source *s)
{
    ((struct bubble *)s)->n_read = 0;
    s->n_left = 0;
}

static void close_bubble(struct cpu_source *s)
{
    free(s);
}

static const struct cpu_source_ops bubble_ops = {
    .refill = refill, .rewind = begin_again, .close = close_bubble};

/* Bytes per second = step / per_access x width x MHz x 10^6 x bytes per access: a line is read, and
 * written back. */
static void set_pace(struct bubble *b, uint32_t eighths, const struct bubble_machine *m)
{
    b->step = (uint64_t)eighths * m->memory_mb_per_s;
    b->per_access = (uint64_t)BUBBLE_STEPS * m->width * m->cpu_mhz * 2 * LINE_BYTES;
    if (b->step > b->per_access)
        b->step = b->per_access;
}

struct cpu_source *cpu_bubble_open(const char *name, const struct bubble_machine *m, uint64_t insts)
{
    int cache = pressure(name, cache_name), bandwidth = pressure(name, bandwidth_name);
    if (cache < 0 && bandwidth < 0)
        return NULL;
    struct bubble *b = xcalloc(1, sizeof *b);
    b->source.ops = &bubble_ops;
    b->n_insts = insts ? insts : BUBBLE_INSTS;
    if (bandwidth >= 0) {
        b->bytes = BUBBLE_LLCS * m->llc_bytes;
        b->stores = true;
        set_pace(b, (uint32_t)bandwidth, m);
    } else {
        b->bytes = m->llc_bytes / BUBBLE_STEPS * (uint32_t)cache;
        b->step = cache != 0;
        b->per_access = 1;
    }
    return &b->source;
}
