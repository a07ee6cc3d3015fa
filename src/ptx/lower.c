/* Lowering of a module: lays out frames and shared memory, allocates registers, then decodes each
 * function's instructions. */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t n, uint64_t a)
{
    return a ? (n + a - 1) / a * a : n;
}

/* Sizes beyond any machine saturate; a launch or call that needs so much is refused. */
static uint32_t saturate_u32(uint64_t bytes)
{
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* --- frames: parameters, results and local variables of a function --- */

static uint32_t place_in_frame(const struct ptx_var *v, uint64_t *bytes)
{
    uint32_t align = v->align > 4 ? v->align : 4; /* copies move whole words */
    *bytes = align_up(*bytes, align);
    uint32_t at = (uint32_t)*bytes;
    *bytes += align_up(v->bytes, 4);
    return at;
}

/* A kernel's parameters are packed in its parameter block, as the driver would lay them out. */
static void place_entry_params(struct program_func *pf)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pf->func->n_params; i++) {
        const struct ptx_var *v = &pf->func->params[i];
        bytes = align_up(bytes, v->align);
        pf->param_at[i] = (uint32_t)bytes;
        bytes += v->bytes;
    }
    pf->param_bytes = saturate_u32(bytes);
}

static void layout_frame(struct lowerer *l, struct program_func *pf)
{
    const struct ptx_func *f = pf->func;
    struct arena *a = &l->program->arena;
    uint64_t bytes = 0;
    pf->param_at = ARENA_ARRAY(a, uint32_t, f->n_params);
    pf->ret_at = ARENA_ARRAY(a, uint32_t, f->n_rets);
    pf->var_at = ARENA_ARRAY(a, uint32_t, f->n_vars);
    if (f->is_entry) {
        place_entry_params(pf);
    } else {
        for (uint32_t i = 0; i < f->n_params; i++)
            pf->param_at[i] = place_in_frame(&f->params[i], &bytes);
        for (uint32_t i = 0; i < f->n_rets; i++)
            pf->ret_at[i] = place_in_frame(&f->rets[i], &bytes);
    }
    pf->local_align = 16;
    for (uint32_t i = 0; i < f->n_vars; i++)
        if (f->vars[i]->space == PTX_LOCAL || f->vars[i]->space == PTX_PARAM) {
            pf->var_at[i] = place_in_frame(f->vars[i], &bytes);
            if (f->vars[i]->align > pf->local_align)
                pf->local_align = f->vars[i]->align;
        }
    pf->local_bytes = saturate_u32(align_up(bytes, 16));
}

/* --- call graph: the functions that a kernel reaches --- */

static void mark_operand_funcs(const struct ptx_operand *o, bool *reached, const struct program *p);

static void mark_reached(const struct program *p, uint32_t f, bool *reached)
{
    if (reached[f])
        return;
    reached[f] = true;
    const struct ptx_func *func = p->funcs[f].func;
    for (uint32_t i = 0; i < func->n_insts; i++)
        for (uint32_t k = 0; k < func->insts[i].n_operands; k++)
            mark_operand_funcs(&func->insts[i].operands[k], reached, p);
}

static void mark_operand_funcs(const struct ptx_operand *o, bool *reached, const struct program *p)
{
    if (o->kind == PTX_OPERAND_FUNC)
        mark_reached(p, o->func->index, reached);
    for (uint32_t i = 0; i < o->n_items; i++)
        mark_operand_funcs(&o->items[i], reached, p);
}

/* Does it exchange values between the lanes of a warp? The result depends on which lanes are on
 * its path. */
static bool is_warp_wide(const struct ptx_inst *inst)
{
    bool barrier = ptx_insts[inst->op].unit == PTX_UNIT_BARRIER;
    for (uint32_t k = 0; barrier && k < inst->n_mods; k++)
        if (inst->mods[k] == PTX_MOD_BAR_WARP)
            return true;
    return ptx_insts[inst->op].unit == PTX_UNIT_WARP;
}

static bool reaches_warp_wide(const struct program *p, uint32_t f)
{
    bool *reached = xcalloc(p->module->n_funcs, sizeof *reached), found = false;
    mark_reached(p, f, reached);
    for (uint32_t g = 0; g < p->module->n_funcs; g++)
        for (uint32_t i = 0; reached[g] && !found && i < p->funcs[g].func->n_insts; i++)
            found = is_warp_wide(&p->funcs[g].func->insts[i]);
    free(reached);
    return found;
}

static bool calls_indirectly(const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const struct ptx_inst *inst = &f->insts[i];
        if (inst->op != PTX_OP_CALL)
            continue;
        bool direct = false;
        for (uint32_t k = 0; k < inst->n_operands; k++)
            direct |= inst->operands[k].kind == PTX_OPERAND_FUNC;
        if (!direct)
            return true;
    }
    return false;
}

/* --- shared memory: a kernel is charged for what it and its functions use --- */

static bool operand_uses(const struct ptx_operand *o, const struct ptx_var *v)
{
    if (o->kind == PTX_OPERAND_VAR && o->var == v)
        return true;
    for (uint32_t i = 0; i < o->n_items; i++)
        if (operand_uses(&o->items[i], v))
            return true;
    return false;
}

static bool func_uses(const struct ptx_func *f, const struct ptx_var *v)
{
    for (uint32_t i = 0; i < f->n_insts; i++)
        for (uint32_t k = 0; k < f->insts[i].n_operands; k++)
            if (operand_uses(&f->insts[i].operands[k], v))
                return true;
    return false;
}

struct shared_var {
    const struct ptx_var *var;
    uint64_t *at;     /* where its address is stored */
    uint32_t *at32;   /* or here, for a function's own variable */
    uint8_t *used_by; /* per entry function */
    uint32_t n_users;
};

static uint32_t collect_shared(struct lowerer *l, uint64_t *addresses, struct shared_var **out)
{
    struct program *p = l->program;
    const struct ptx_module *m = l->module;
    uint32_t n = 0, cap = 0;
    struct shared_var *list = NULL;
    for (uint32_t i = 0; i < m->n_vars; i++) {
        if (m->vars[i]->space != PTX_SHARED)
            continue;
        ARRAY_RESERVE(list, cap, n + 1);
        list[n++] = (struct shared_var){.var = m->vars[i], .at = &addresses[i]};
    }
    for (uint32_t f = 0; f < m->n_funcs; f++) {
        for (uint32_t i = 0; i < m->funcs[f]->n_vars; i++) {
            if (m->funcs[f]->vars[i]->space != PTX_SHARED)
                continue;
            ARRAY_RESERVE(list, cap, n + 1);
            list[n++] =
                (struct shared_var){.var = m->funcs[f]->vars[i], .at32 = &p->funcs[f].var_at[i]};
        }
    }
    *out = list;
    return n;
}

static void find_users(struct lowerer *l, struct shared_var *vars, uint32_t n)
{
    struct program *p = l->program;
    uint32_t n_funcs = l->module->n_funcs;
    bool *reached = xcalloc(n_funcs, sizeof *reached);
    bool *uses = xcalloc((size_t)n_funcs * n, sizeof *uses); /* function f itself uses v */
    for (uint32_t v = 0; v < n; v++) {
        vars[v].used_by = xcalloc(n_funcs, 1);
        for (uint32_t f = 0; f < n_funcs; f++)
            uses[(size_t)f * n + v] = func_uses(p->funcs[f].func, vars[v].var);
    }
    for (uint32_t e = 0; n && e < n_funcs; e++) {
        if (!p->funcs[e].func->is_entry)
            continue;
        memset(reached, 0, n_funcs * sizeof *reached);
        mark_reached(p, e, reached);
        for (uint32_t f = 0; f < n_funcs; f++)
            for (uint32_t v = 0; reached[f] && v < n; v++)
                if (!vars[v].used_by[e] && uses[(size_t)f * n + v]) {
                    vars[v].used_by[e] = 1;
                    vars[v].n_users++;
                }
    }
    free(uses);
    free(reached);
}

static void place_shared(struct shared_var *v, uint64_t *top)
{
    *top = align_up(*top, v->var->align);
    if (v->at)
        *v->at = *top;
    else
        *v->at32 = (uint32_t)*top;
    *top += v->var->bytes;
}

/* Variables used by several kernels get one address for all; a kernel's own come after those.
 * Dynamic shared memory begins after everything that its users have. */
static void layout_shared(struct lowerer *l, uint64_t *addresses)
{
    struct program *p = l->program;
    struct shared_var *vars;
    uint32_t n = collect_shared(l, addresses, &vars);
    uint64_t common = 0, dynamic = 0;
    find_users(l, vars, n);
    for (uint32_t v = 0; v < n; v++)
        if (vars[v].n_users > 1 && !vars[v].var->is_unsized)
            place_shared(&vars[v], &common);
    for (uint32_t e = 0; e < l->module->n_funcs; e++) {
        uint64_t top = 0;
        bool uses_dynamic = false;
        for (uint32_t v = 0; v < n; v++)
            if (vars[v].used_by[e] && vars[v].n_users > 1 && !vars[v].var->is_unsized)
                top = common;
        for (uint32_t v = 0; v < n; v++) {
            if (vars[v].used_by[e] && vars[v].var->is_unsized)
                uses_dynamic = true;
            else if (vars[v].used_by[e] && vars[v].n_users == 1)
                place_shared(&vars[v], &top);
        }
        p->funcs[e].shared_bytes = saturate_u32(top);
        if (uses_dynamic && align_up(top, 16) > dynamic)
            dynamic = align_up(top, 16);
    }
    for (uint32_t v = 0; v < n; v++) {
        if (vars[v].var->is_unsized) {
            uint64_t at = align_up(dynamic, vars[v].var->align);
            if (vars[v].at)
                *vars[v].at = at;
            else
                *vars[v].at32 = (uint32_t)at;
            for (uint32_t e = 0; e < l->module->n_funcs; e++)
                if (vars[v].used_by[e] && p->funcs[e].shared_bytes < at)
                    p->funcs[e].shared_bytes = saturate_u32(at);
        }
        free(vars[v].used_by);
    }
    free(vars);
}

/* --- functions --- */

static uint16_t scoreboard_number(const struct ptx_alloc *a, uint32_t reg)
{
    struct ptx_place place = a->places[reg];
    switch (place.file) {
    case PTX_FILE_64:
        return place.number;
    case PTX_FILE_32:
        return (uint16_t)(a->n_64 + place.number);
    default:
        return (uint16_t)(a->n_64 + a->n_32 + place.number);
    }
}

/* What the scoreboard needs to know about an instruction. */
static void list_registers(struct lowerer *l)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes, n = 0;
    ptx_inst_regs(l->inst, false, reads, &n_reads, writes, &n_writes);
    uint16_t *regs = ARENA_ARRAY(&l->program->arena, uint16_t, n_reads + n_writes);
    for (uint32_t i = 0; i < n_reads; i++)
        regs[n++] = scoreboard_number(l->alloc, reads[i]);
    l->info->n_reads = (uint8_t)n;
    for (uint32_t i = 0; i < n_writes; i++)
        if (l->alloc->places[writes[i]].file != PTX_FILE_NONE) /* otherwise it is never read */
            regs[n++] = scoreboard_number(l->alloc, writes[i]);
    l->info->n_writes = (uint8_t)(n - l->info->n_reads);
    l->info->regs = regs;
}

static void lower_func(struct lowerer *l, struct program_func *pf)
{
    struct program *p = l->program;
    struct arena scratch = {0};
    l->func = pf->func;
    l->out = pf;
    l->cfg = ptx_cfg_build(pf->func, &scratch);
    l->alloc = ptx_regalloc(l->cfg, &scratch);
    l->spin = l->module->late_reconvergence ? ptx_spin_find(l->cfg, &scratch) : NULL;
    if (l->spin && reaches_warp_wide(p, pf->func->index))
        l->spin = NULL;
    if (!l->alloc) {
        diag_add(l->diags, DIAG_ERROR, l->module->name, l->module->text, pf->func->line,
                 pf->func->col, NULL, "'%s' keeps more values alive at once than %d registers hold",
                 pf->func->name, PTX_MAX_ROWS);
        arena_destroy(&scratch);
        return;
    }
    pf->frame_bytes = (l->alloc->n_64 + 1) * ROW64_BYTES + (l->alloc->n_32 + 1) * ROW32_BYTES;
    pf->n_preds = l->alloc->n_preds;
    pf->n_64 = l->alloc->n_64;
    pf->n_32 = l->alloc->n_32;
    pf->registers = l->alloc->pressure;
    for (uint32_t i = 0; i < pf->func->n_insts; i++) {
        l->inst = &pf->func->insts[i];
        l->op = &p->ops[pf->entry + i];
        l->info = &p->info[pf->entry + i];
        *l->info = (struct op_info){.inst = l->inst, .func = pf->func, .reconverge = PROGRAM_NO_PC};
        lower_inst(l);
        list_registers(l);
    }
    struct op *end = &p->ops[pf->end];
    end->guard = OP_NO_PRED;
    end->klass = PTX_CLASS_CALL;
    p->info[pf->end] =
        (struct op_info){.func = pf->func, .exec_id = EXEC_RET, .reconverge = PROGRAM_NO_PC};
    arena_destroy(&scratch);
}

enum { CHAIN_UNKNOWN, CHAIN_OPEN, CHAIN_KNOWN };

/* Registers on the deepest chain of calls from f; a cycle counts once. */
static uint32_t chain_registers(struct program *p, uint32_t f, uint8_t *state, uint32_t *chain)
{
    struct program_func *pf = &p->funcs[f];
    if (state[f] == CHAIN_OPEN) { /* it calls itself: a cycle */
        pf->recursive = true;
        return 0;
    }
    if (state[f] == CHAIN_KNOWN)
        return chain[f];
    uint32_t deepest = 0;
    state[f] = CHAIN_OPEN;
    for (uint32_t i = 0; i < pf->func->n_insts; i++) {
        const struct ptx_inst *inst = &pf->func->insts[i];
        for (uint32_t k = 0; inst->op == PTX_OP_CALL && k < inst->n_operands; k++) {
            if (inst->operands[k].kind != PTX_OPERAND_FUNC)
                continue;
            uint32_t below = chain_registers(p, inst->operands[k].func->index, state, chain);
            deepest = below > deepest ? below : deepest;
        }
    }
    state[f] = CHAIN_KNOWN;
    return chain[f] = pf->registers + deepest;
}

static void count_registers(struct program *p)
{
    uint32_t n = p->module->n_funcs;
    uint8_t *state = xcalloc(n, 1);
    uint32_t *chain = xcalloc(n, sizeof *chain);
    for (uint32_t f = 0; f < n; f++) {
        chain_registers(p, f, state, chain);
        p->funcs[f].recursive |= calls_indirectly(p->funcs[f].func);
    }
    for (uint32_t f = 0; f < n; f++)
        p->funcs[f].registers = chain[f];
    free(chain);
    free(state);
}

static void number_functions(struct lowerer *l)
{
    struct program *p = l->program;
    const struct ptx_module *m = l->module;
    p->funcs = ARENA_ARRAY(&p->arena, struct program_func, m->n_funcs);
    for (uint32_t f = 0; f < m->n_funcs; f++) {
        struct program_func *pf = &p->funcs[f];
        pf->func = m->funcs[f];
        pf->entry = p->n_ops;
        pf->end = p->n_ops + m->funcs[f]->n_insts;
        if (m->funcs[f]->has_body)
            p->n_ops = pf->end + 1;
        layout_frame(l, pf);
    }
    p->ops = aligned_alloc(64, (size_t)(p->n_ops + 1) * sizeof *p->ops);
    if (!p->ops)
        abort();
    memset(p->ops, 0, (size_t)(p->n_ops + 1) * sizeof *p->ops);
    p->info = ARENA_ARRAY(&p->arena, struct op_info, p->n_ops + 1);
}

struct program *ptx_lower(const struct ptx_module *m, const uint64_t *var_addresses,
                          struct diag_list *diags)
{
    struct program *p = xcalloc(1, sizeof *p);
    struct lowerer l = {.module = m, .program = p, .diags = diags};
    uint32_t errors = diags->n_errors;
    p->module = m;
    uint64_t *addresses = ARENA_ARRAY(&p->arena, uint64_t, m->n_vars);
    if (m->n_vars)
        memcpy(addresses, var_addresses, m->n_vars * sizeof *addresses);
    p->var_addresses = addresses;
    number_functions(&l);
    layout_shared(&l, addresses);
    for (uint32_t f = 0; f < m->n_funcs; f++)
        if (m->funcs[f]->has_body)
            lower_func(&l, &p->funcs[f]);
    count_registers(p);
    free(l.entries);
    /* Rows are read with aligned vector loads. */
    char *pool = aligned_alloc(64, (size_t)p->pool_bytes + 256);
    if (!pool)
        abort();
    if (p->pool_bytes)
        memcpy(pool, p->pool, p->pool_bytes);
    free(p->pool);
    p->pool = pool;
    if (diags->n_errors > errors) {
        program_destroy(p);
        return NULL;
    }
    return p;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    free(p->ops);
    free(p->pool);
    free(p->extra);
    free(p->calls);
    arena_destroy(&p->arena);
    free(p);
}
