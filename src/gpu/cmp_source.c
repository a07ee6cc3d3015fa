/* Turns what warps did into the instructions of a core. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/cmp_log.h"

enum {
    MAX_PIECES = WARP_LANES, /* groups of lanes, at a simd_width of 1 */
    MOST_RECORDS = MAX_PIECES * 256,
    BATCH = MOST_RECORDS + 256,
    /* Registers of a trace that loads write, in turn: all above those with a meaning. */
    FIRST_REG = CPU_REG_IP + 1,
    N_REGS = 256 - FIRST_REG,
};

struct source {
    struct cpu_source source; /* first */
    struct cmp *cmp;
    uint64_t scratch; /* added to the core's private addresses */
    struct group_log *log;
    uint64_t at; /* the next word */
    uint32_t warp;
    /* By warp, register and group of lanes: the number of the load that produced its value; 0 =
     * none. */
    uint32_t *from, n_loads, n_pieces;
    const struct ptx_func **funcs; /* by warp: the function that these registers belong to */
    uint32_t n;
    struct cpu_inst batch[BATCH];
};

/* --- dependences --- */

static uint32_t *from_of(const struct source *s, uint32_t reg)
{
    return s->from + ((uint64_t)s->warp * s->cmp->n_regs + reg) * s->n_pieces;
}

/* Registers of another function are different ones. */
static void note_func(struct source *s, const struct ptx_func *f)
{
    if (s->funcs[s->warp] != f)
        memset(from_of(s, 0), 0, s->cmp->n_regs * s->n_pieces * sizeof *s->from);
    s->funcs[s->warp] = f;
}

/* The register that a load wrote; 0 = that was long ago, or there is none. */
static uint8_t reg_of(const struct source *s, uint32_t load)
{
    return load && s->n_loads - load < N_REGS ? (uint8_t)(FIRST_REG + load % N_REGS) : 0;
}

/* What the instruction writes comes from that load. */
static void set_from(struct source *s, const struct op_info *info, uint32_t piece, bool all,
                     uint32_t load)
{
    for (uint32_t i = 0; i < info->n_writes; i++) {
        uint32_t *from = from_of(s, info->regs[info->n_reads + i]);
        for (uint32_t k = all ? 0 : piece; k < (all ? s->n_pieces : piece + 1); k++)
            from[k] = load;
    }
}

static uint32_t youngest(const struct source *s, const struct op_info *info, uint32_t piece)
{
    uint32_t load = 0;
    for (uint32_t i = 0; i < info->n_reads; i++) {
        uint32_t from = from_of(s, info->regs[i])[piece];
        load = from > load ? from : load;
    }
    return load;
}

/* --- accesses --- */

struct accesses {
    uint64_t at[CPU_MAX_LINES];
    uint32_t n;
};

static uint64_t own_address(const struct source *s, uint64_t address)
{
    return address < CMP_SCRATCH_BASE ? address : address + s->scratch;
}

/* All lines from `first` on. */
static void add_range(struct accesses *out, uint64_t first, uint64_t bytes)
{
    uint64_t line = first / CPU_LINE_BYTES * CPU_LINE_BYTES;
    for (; line < first + bytes; line += CPU_LINE_BYTES) {
        assert(out->n < CPU_MAX_LINES);
        out->at[out->n++] = line;
    }
}

/* For lanes whose addresses are sorted: equal, adjacent, or arbitrary. */
static void find_accesses(const struct source *s, const uint64_t *address, uint32_t lanes,
                          uint32_t bytes, struct accesses *out)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), last = first;
    bool equal = true, consecutive = true;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        equal &= address[i] == address[first];
        consecutive &= address[i] == address[first] + (uint64_t)(i - first) * bytes;
        last = i;
    }
    out->n = 0;
    if (equal || consecutive) {
        uint64_t all = equal ? bytes : (uint64_t)(last - first + 1) * bytes;
        add_range(out, own_address(s, address[first]), all);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1)
        out->at[out->n++] = own_address(s, address[__builtin_ctz(m)]);
}

/* --- instructions --- */

static struct cpu_inst *add_inst(struct source *s)
{
    assert(s->n < BATCH);
    struct cpu_inst *inst = &s->batch[s->n++];
    *inst = (struct cpu_inst){0};
    return inst;
}

/* As many records as its accesses need; the first has the registers. */
static void add_memory(struct source *s, const struct cmp_op *o, const struct op_info *info,
                       const struct accesses *a, uint32_t piece)
{
    struct cpu_inst *inst = add_inst(s);
    uint32_t n_sources = 0, n_loaded = 0, n_stored = 0;
    for (uint32_t i = 0; o->loads && i < info->n_reads && n_sources < CPU_SOURCES; i++) {
        uint8_t reg = reg_of(s, from_of(s, info->regs[i])[piece]);
        if (reg)
            inst->source_regs[n_sources++] = reg;
    }
    if (o->loads)
        inst->dest_regs[0] = (uint8_t)(FIRST_REG + ++s->n_loads % N_REGS);
    for (;;) {
        for (uint32_t i = 0; o->loads && i < CPU_SOURCES && n_loaded < a->n; i++)
            inst->source_memory[i] = a->at[n_loaded++];
        for (uint32_t i = 0; o->stores && i < CPU_DESTS && n_stored < a->n; i++)
            inst->dest_memory[i] = a->at[n_stored++];
        if ((!o->loads || n_loaded == a->n) && (!o->stores || n_stored == a->n))
            return;
        inst = add_inst(s);
        inst->is_branch = CPU_JOINS;
    }
}

/* The operation of some lanes of the warp. */
static void add_piece(struct source *s, uint32_t pc, const uint64_t *address, uint32_t lanes,
                      uint32_t piece, bool all)
{
    const struct cmp_op *o = &s->cmp->ops[pc];
    const struct op *op = &s->cmp->emu.program->ops[pc];
    const struct op_info *info = &s->cmp->emu.program->info[pc];
    struct accesses accesses = {.n = 0};
    if ((o->loads || o->stores) && lanes)
        find_accesses(s, address, lanes, (uint32_t)op->width * op->vec, &accesses);
    if (!accesses.n) {
        for (uint32_t i = 0; i < o->n_insts; i++)
            add_inst(s);
        if (info->n_writes)
            set_from(s, info, piece, all,
                     s->cmp->config->follow_registers ? youngest(s, info, piece) : 0);
        return;
    }
    add_memory(s, o, info, &accesses, piece);
    if (o->loads)
        set_from(s, info, piece, all, s->n_loads);
}

/* A uniform memory operation needs only one lane. */
static void add_operation(struct source *s, uint32_t pc, const uint64_t *address, uint32_t mask)
{
    uint32_t width = s->cmp->config->simd_width, lanes = width == 32 ? ~0u : (1u << width) - 1;
    note_func(s, s->cmp->emu.program->info[pc].func);
    if (!s->cmp->ops[pc].varies) {
        add_piece(s, pc, address, mask & -mask, 0, true);
        return;
    }
    for (uint32_t k = 0; k < s->n_pieces; k++) {
        uint32_t active = mask & lanes << k * width;
        if (active)
            add_piece(s, pc, address, active, k, false);
    }
}

/* --- reading the log --- */

static void read_addresses(struct source *s, uint64_t word, uint64_t address[WARP_LANES])
{
    const struct op *op = &s->cmp->emu.program->ops[word & LOG_PC];
    uint64_t bytes = (uint64_t)op->width * op->vec, step = word & LOG_CONSECUTIVE ? bytes : 0;
    if (word & (LOG_CONSECUTIVE | LOG_EQUAL)) {
        uint64_t first = s->log->words[s->at++];
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = first + i * step;
        return;
    }
    for (uint32_t m = (uint32_t)(word >> 32); m; m &= m - 1)
        address[__builtin_ctz(m)] = s->log->words[s->at++];
}

static void read_operation(struct source *s)
{
    uint64_t word = s->log->words[s->at++], address[WARP_LANES];
    uint32_t pc = word & LOG_PC, mask = (uint32_t)(word >> 32);
    if (pc == LOG_WARP) {
        s->warp = mask;
        return;
    }
    const struct cmp_op *o = &s->cmp->ops[pc];
    if ((o->loads || o->stores) && mask)
        read_addresses(s, word, address);
    add_operation(s, pc, address, mask);
}

static void refill(struct cpu_source *source)
{
    struct source *s = (struct source *)source;
    s->n = 0;
    while (s->log && s->at < s->log->n && s->n < BATCH - MOST_RECORDS)
        read_operation(s);
    source->next = s->batch;
    source->n_left = s->n;
    if (s->n || !s->log)
        return;
    if (s->log->failed)
        source->error = "the kernel failed";
    cmp_give_back(s->cmp, s->log);
    s->log = NULL;
}

static void begin(struct cpu_source *source, uint64_t group)
{
    struct source *s = (struct source *)source;
    s->log = cmp_take_group(s->cmp, group);
    s->at = 0;
    if (!s->log)
        source->error = "the kernel failed";
    memset(s->funcs, 0, s->cmp->n_warps * sizeof(struct ptx_func *));
}

/* Work-groups cannot be rewound. */
static void rewind_nothing(struct cpu_source *source)
{
    (void)source;
}

static void close_source(struct cpu_source *source)
{
    struct source *s = (struct source *)source;
    if (s->log)
        cmp_give_back(s->cmp, s->log);
    free(s->from);
    free(s->funcs);
    free(s);
}

static const struct cpu_source_ops ops = {
    .refill = refill, .rewind = rewind_nothing, .close = close_source, .begin = begin};

struct cpu_source *cmp_source_create(struct cmp *c, uint32_t worker)
{
    struct source *s = xcalloc(1, sizeof *s);
    s->source.ops = &ops;
    s->cmp = c;
    s->scratch = worker * CMP_SCRATCH_BYTES;
    s->n_pieces = (WARP_LANES + c->config->simd_width - 1) / c->config->simd_width;
    return &s->source;
}

void cmp_source_start(struct cpu_source *source)
{
    struct source *s = (struct source *)source;
    uint64_t n = (uint64_t)s->cmp->n_warps * s->cmp->n_regs * s->n_pieces;
    free(s->from);
    free(s->funcs);
    s->from = xcalloc(n, sizeof *s->from);
    s->funcs = xcalloc(s->cmp->n_warps, sizeof(struct ptx_func *));
    source->error = NULL;
    source->n_left = 0;
}
