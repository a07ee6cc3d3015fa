#include "analysis/pc_profile.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/machine.h"

/* What one SM saw of one program. */
struct table {
    const struct program *program;
    struct pc_counts *counts; /* by PC */
    struct table *next;
};

/* Every SM counts on its own. */
struct lane {
    const struct sm *sm;
    struct table *tables; /* that of the current program first */
};

struct pc_profile {
    struct lane *lanes;
    uint32_t n_lanes;
    struct pc_row *rows;
    uint32_t n_rows, cap_rows;
    struct arena arena; /* texts of rows */
};

/* The table of the program that the SM currently runs. */
static struct table *present_table(struct lane *l)
{
    const struct program *program = l->sm->emu.program;
    if (l->tables && l->tables->program == program)
        return l->tables;
    struct table **at = &l->tables;
    while (*at && (*at)->program != program)
        at = &(*at)->next;
    struct table *t = *at;
    if (t) {
        *at = t->next;
    } else {
        t = xcalloc(1, sizeof *t);
        t->program = program;
        t->counts = xcalloc(program->n_ops, sizeof *t->counts);
    }
    t->next = l->tables;
    l->tables = t;
    return t;
}

static void count_load(struct pc_counts *c, const struct cache_event_info *e)
{
    switch (e->event) {
    case CE_HIT:
        c->loads++;
        c->hits++;
        break;
    case CE_MERGE:
        c->loads++;
        c->merges++;
        break;
    case CE_MISS:
        c->loads++;
        c->misses++;
        break;
    case CE_BYPASS: /* comes after its miss, unless the program requested it */
        if (e->reason == BYPASS_NO_CACHE)
            c->loads++;
        else
            c->misses--;
        c->bypasses++;
        break;
    default:
        break;
    }
}

static void on_event(void *user, const struct cache_event_info *e)
{
    struct lane *l = user;
    if (!e->access)
        return;
    struct pc_counts *c = &present_table(l)->counts[e->access->pc];
    if (e->event == CE_EVICT)
        c->evictions += e->cause == EVICT_REPLACE;
    else if (e->event == CE_STORE)
        c->stores++;
    else if (e->access->kind != MEM_STORE)
        count_load(c, e);
}

struct pc_profile *pc_profile_create(struct machine *m)
{
    struct pc_profile *p = xcalloc(1, sizeof *p);
    p->n_lanes = machine_n_sms(m);
    p->lanes = xcalloc(p->n_lanes, sizeof *p->lanes);
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        p->lanes[i].sm = machine_sm(m, i);
        cache_observe(machine_sm(m, i)->l1d, on_event, &p->lanes[i]);
    }
    return p;
}

static void free_tables(struct table *t)
{
    while (t) {
        struct table *next = t->next;
        free(t->counts);
        free(t);
        t = next;
    }
}

void pc_profile_destroy(struct pc_profile *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_lanes; i++)
        free_tables(p->lanes[i].tables);
    free(p->lanes);
    free(p->rows);
    arena_destroy(&p->arena);
    free(p);
}

/* --- rows --- */

static void add_counts(struct pc_counts *into, const struct pc_counts *from)
{
#define COUNTER(field, help) into->field += from->field;
    PC_COUNTERS(COUNTER)
#undef COUNTER
}

static struct pc_counts sum_of(const struct pc_profile *p, const struct program *program,
                               uint32_t pc)
{
    struct pc_counts sum = {0};
    for (uint32_t i = 0; i < p->n_lanes; i++)
        for (const struct table *t = p->lanes[i].tables; t; t = t->next)
            if (t->program == program)
                add_counts(&sum, &t->counts[pc]);
    return sum;
}

static void add_row(struct pc_profile *p, const struct program *program, uint32_t pc,
                    const struct pc_counts *counts)
{
    const struct op_info *info = &program->info[pc];
    const struct ptx_inst *inst = info->inst;
    struct strbuf text = {0};
    struct pc_row row = {.kernel = info->func->name, .pc = pc, .text = "", .counts = *counts};
    if (inst) {
        row.ptx_line = inst->line;
        ptx_print_inst(info->func, inst, &text);
        row.text = arena_strdup(&p->arena, strbuf_text(&text));
        if (inst->loc_line && inst->loc_file < program->module->n_files) {
            row.source_file = program->module->files[inst->loc_file];
            row.source_line = inst->loc_line;
        }
    }
    strbuf_destroy(&text);
    ARRAY_RESERVE(p->rows, p->cap_rows, p->n_rows + 1);
    p->rows[p->n_rows++] = row;
}

static bool is_among(const struct program *const *done, uint32_t n, const struct program *program)
{
    for (uint32_t i = 0; i < n; i++)
        if (done[i] == program)
            return true;
    return false;
}

static void add_program(struct pc_profile *p, const struct program *program)
{
    static const struct pc_counts none;
    for (uint32_t pc = 0; pc < program->n_ops; pc++) {
        struct pc_counts c = sum_of(p, program, pc);
        if (memcmp(&c, &none, sizeof c) != 0)
            add_row(p, program, pc, &c);
    }
}

const struct pc_row *pc_profile_rows(struct pc_profile *p, uint32_t *n)
{
    const struct program **done = NULL;
    uint32_t n_done = 0, cap = 0;
    p->n_rows = 0;
    for (uint32_t i = 0; i < p->n_lanes; i++)
        for (const struct table *t = p->lanes[i].tables; t; t = t->next) {
            if (is_among(done, n_done, t->program))
                continue;
            add_program(p, t->program);
            ARRAY_RESERVE(done, cap, n_done + 1);
            done[n_done++] = t->program;
        }
    free(done);
    *n = p->n_rows;
    return p->rows;
}
