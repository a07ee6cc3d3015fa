/* Register allocation without spilling.
 *
 * The reachable blocks are laid end to end in reverse postorder, and every register gets the exact
 * live ranges on that line: an instruction has two points on it, first its reads, then its writes.
 * Two registers may share a row if their live ranges do not overlap. Registers are placed in the
 * order in which they become live, so everything live at that point was placed before. For code in
 * single-assignment form this needs no more rows than are live at once, and compilers' output is
 * nearly of that form.
 *
 * Left out: splitting a register's live ranges over several rows, and coalescing copies. */
#include "ptx/regalloc.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/liveness.h"

enum { N_FILES = PTX_FILE_PRED + 1 };

static enum ptx_reg_file file_of(enum ptx_type type)
{
    if (type == PTX_PRED)
        return PTX_FILE_PRED;
    if (ptx_types[type].bits <= 32)
        return PTX_FILE_32;
    return ptx_types[type].bits == 64 ? PTX_FILE_64 : PTX_FILE_NONE;
}

/* --- Live ranges --- */

/* Points [start, end) on the line. */
struct stretch {
    uint32_t start, end;
    struct stretch *next; /* later on the line */
};

struct lifetimes {
    const struct ptx_cfg *cfg;
    struct arena scratch;
    struct stretch **stretches; /* per register, in order, never adjacent */
    uint32_t *alive_until;      /* per register, during the backward scan: where it dies; 0 = it is
                                 * dead */
    bool *is_used;              /* per register: some instruction names it, reachable or not */
    uint32_t alive[N_FILES];    /* number of registers live at the current point */
    uint32_t pressure;
};

static void begin_alive(struct lifetimes *life, uint32_t reg, uint32_t until)
{
    if (life->alive_until[reg])
        return;
    life->alive_until[reg] = until;
    life->alive[file_of(life->cfg->func->regs[reg].type)]++;
}

/* In the backward scan, the register becomes dead before `start`. */
static void end_alive(struct lifetimes *life, uint32_t reg, uint32_t start)
{
    uint32_t end = life->alive_until[reg];
    if (!end)
        return;
    struct stretch *later = life->stretches[reg];
    if (later && later->start <= end) {
        later->start = start;
    } else {
        struct stretch *s = ARENA_NEW(&life->scratch, struct stretch);
        *s = (struct stretch){start, end, later};
        life->stretches[reg] = s;
    }
    life->alive_until[reg] = 0;
    life->alive[file_of(life->cfg->func->regs[reg].type)]--;
}

static void note_pressure(struct lifetimes *life)
{
    uint32_t now = life->alive[PTX_FILE_32] + 2 * life->alive[PTX_FILE_64];
    if (now > life->pressure)
        life->pressure = now;
}

/* A destination may take the row of a source that dies in the same instruction, unless the
 * instruction executes in steps and a later one could still read that source. */
static bool writes_before_reads_end(const struct ptx_inst *inst, uint32_t n_writes)
{
    enum ptx_unit unit = ptx_insts[inst->op].unit;
    return n_writes > 1 || unit == PTX_UNIT_WARP || unit == PTX_UNIT_ATOMIC ||
           unit == PTX_UNIT_LOAD || unit == PTX_UNIT_CALL;
}

/* One instruction of the backward scan; `point` is that of its reads, its writes come right after.
 * A guarded instruction also reads what it writes, so the register stays live before it. */
static void scan_inst(struct lifetimes *life, const struct ptx_inst *inst, uint32_t point)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    ptx_inst_regs(inst, true, reads, &n_reads, writes, &n_writes);
    for (uint32_t k = 0; k < n_writes; k++) /* a result that is never read needs a row too */
        begin_alive(life, writes[k], point + 2);
    note_pressure(life);
    uint32_t born = writes_before_reads_end(inst, n_writes) ? point : point + 1;
    for (uint32_t k = 0; k < n_writes; k++)
        end_alive(life, writes[k], born);
    for (uint32_t k = 0; k < n_reads; k++)
        begin_alive(life, reads[k], point + 1);
    note_pressure(life);
}

static void note_used(struct lifetimes *life, const struct ptx_inst *inst)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    ptx_inst_regs(inst, false, reads, &n_reads, writes, &n_writes);
    for (uint32_t k = 0; k < n_reads; k++)
        life->is_used[reads[k]] = true;
    for (uint32_t k = 0; k < n_writes; k++)
        life->is_used[writes[k]] = true;
}

static struct lifetimes scan_function(const struct ptx_cfg *cfg)
{
    const struct ptx_func *f = cfg->func;
    struct lifetimes life = {.cfg = cfg};
    life.stretches = ARENA_ARRAY(&life.scratch, struct stretch *, f->n_regs);
    life.alive_until = ARENA_ARRAY(&life.scratch, uint32_t, f->n_regs);
    life.is_used = ARENA_ARRAY(&life.scratch, bool, f->n_regs);
    const struct ptx_liveness *live = ptx_liveness_build(cfg, &life.scratch);
    uint32_t *alive = ARENA_ARRAY(&life.scratch, uint32_t, live->n_globals);

    uint32_t point = 0;
    for (uint32_t place = 0; place < cfg->n_order; place++) {
        const struct ptx_block *block = &cfg->blocks[cfg->order[place]];
        point += 2 * (block->end - block->first);
    }
    for (uint32_t place = cfg->n_order; place-- > 0;) {
        uint32_t b = cfg->order[place];
        uint32_t n_alive = ptx_alive_out(live, b, alive);
        for (uint32_t k = 0; k < n_alive; k++)
            begin_alive(&life, alive[k], point);
        for (uint32_t i = cfg->blocks[b].end; i-- > cfg->blocks[b].first;) {
            point -= 2;
            scan_inst(&life, &f->insts[i], point);
        }
        n_alive = ptx_alive_in(live, b, alive);
        for (uint32_t k = 0; k < n_alive; k++)
            end_alive(&life, alive[k], point);
    }
    for (uint32_t i = 0; i < f->n_insts; i++)
        note_used(&life, &f->insts[i]);
    return life;
}

/* --- Rows --- */

struct row {
    struct span {
        uint32_t start, end;
    } * spans; /* when it is occupied, in order */
    uint32_t n, cap;
};

struct file {
    struct row *rows;
    uint32_t n, cap;
};

/* The first span that ends after the point; n if none. */
static uint32_t row_find(const struct row *row, uint32_t point)
{
    uint32_t low = 0, high = row->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row->spans[middle].end > point)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool row_is_free(const struct row *row, const struct stretch *s)
{
    for (; s; s = s->next) {
        uint32_t k = row_find(row, s->start);
        if (k < row->n && row->spans[k].start < s->end)
            return false;
    }
    return true;
}

/* When the row's last register before the point died. */
static uint32_t row_free_since(const struct row *row, uint32_t point)
{
    uint32_t k = row_find(row, point);
    return k ? row->spans[k - 1].end : 0;
}

static void row_take(struct row *row, const struct stretch *s)
{
    for (; s; s = s->next) {
        uint32_t k = row_find(row, s->start);
        ARRAY_RESERVE(row->spans, row->cap, row->n + 1);
        memmove(row->spans + k + 1, row->spans + k, (row->n - k) * sizeof *row->spans);
        row->spans[k] = (struct span){s->start, s->end};
        row->n++;
    }
}

/* Takes the row that has been free longest, or a new one. */
static uint32_t file_place(struct file *file, const struct stretch *s)
{
    uint32_t best = file->n, best_since = UINT32_MAX;
    for (uint32_t k = 0; k < file->n; k++) {
        if (!row_is_free(&file->rows[k], s))
            continue;
        uint32_t since = row_free_since(&file->rows[k], s->start);
        if (since < best_since) {
            best = k;
            best_since = since;
        }
    }
    if (best == file->n) {
        ARRAY_RESERVE(file->rows, file->cap, file->n + 1);
        file->rows[file->n++] = (struct row){0};
    }
    row_take(&file->rows[best], s);
    return best;
}

static void file_destroy(struct file *file)
{
    for (uint32_t k = 0; k < file->n; k++)
        free(file->rows[k].spans);
    free(file->rows);
}

/* --- The whole --- */

struct birth {
    uint32_t at, reg;
};

static int compare_births(const void *a, const void *b)
{
    const struct birth *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* The registers with live ranges, sorted by their first point. */
static struct birth *sort_births(struct lifetimes *life, uint32_t *n)
{
    uint32_t n_regs = life->cfg->func->n_regs;
    struct birth *births = ARENA_ARRAY(&life->scratch, struct birth, n_regs);
    *n = 0;
    for (uint32_t r = 0; r < n_regs; r++)
        if (life->stretches[r])
            births[(*n)++] = (struct birth){life->stretches[r]->start, r};
    if (*n)
        qsort(births, *n, sizeof *births, compare_births);
    return births;
}

/* False if a file grows past its limit. */
static bool place_all(struct lifetimes *life, struct file *files, struct ptx_alloc *alloc)
{
    const struct ptx_reg *regs = life->cfg->func->regs;
    uint32_t n_births;
    const struct birth *births = sort_births(life, &n_births);
    for (uint32_t k = 0; k < n_births; k++) {
        uint32_t r = births[k].reg;
        enum ptx_reg_file file = file_of(regs[r].type);
        if (file == PTX_FILE_NONE)
            continue;
        uint32_t number = file_place(&files[file], life->stretches[r]);
        if (number >= PTX_MAX_ROWS)
            return false;
        alloc->places[r] = (struct ptx_place){(uint8_t)file, (uint16_t)number};
    }
    /* Registers that only unreachable code names need some row; they conflict with nothing. */
    for (uint32_t r = 0; r < life->cfg->func->n_regs; r++) {
        enum ptx_reg_file file = file_of(regs[r].type);
        if (!life->is_used[r] || life->stretches[r] || file == PTX_FILE_NONE)
            continue;
        if (!files[file].n)
            file_place(&files[file], NULL);
        alloc->places[r].file = (uint8_t)file;
    }
    return true;
}

struct ptx_alloc *ptx_regalloc(const struct ptx_cfg *cfg, struct arena *arena)
{
    struct lifetimes life = scan_function(cfg);
    struct file files[N_FILES] = {0};
    struct ptx_alloc *alloc = ARENA_NEW(arena, struct ptx_alloc);
    alloc->places = ARENA_ARRAY(arena, struct ptx_place, cfg->func->n_regs);
    bool fits = place_all(&life, files, alloc);
    alloc->n_32 = files[PTX_FILE_32].n;
    alloc->n_64 = files[PTX_FILE_64].n;
    alloc->n_preds = files[PTX_FILE_PRED].n;
    alloc->pressure = life.pressure;
    for (uint32_t k = 0; k < N_FILES; k++)
        file_destroy(&files[k]);
    arena_destroy(&life.scratch);
    return fits ? alloc : NULL;
}
