#include "ptx/uniform.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/cfg.h"
#include "ptx/regalloc.h"

enum { NO_VALUE = 0xffffffffu };

/* The values that an instruction reads or defines, and the properties of its results that do not
 * depend on them. */
struct access {
    uint32_t *reads, *writes;
    uint32_t n_reads, n_writes;
    uint8_t origin; /* properties of the written values, whatever is read */
};

/* One function during its analysis. Values are numbered: registers, parameters, returned values,
 * variables of the body. */
struct flow {
    struct uniform_cache *cache;
    struct arena *scratch; /* of all functions, since callers wait for their callees */
    struct uniform *result;
    struct flow *caller;     /* waits for this one; NULL for the kernel */
    struct uniform *awaited; /* the callee that must be analysed before the next visit */
    const struct ptx_func *func;
    const struct ptx_cfg *cfg;
    uint32_t next; /* the instruction to visit next */
    uint32_t n_values;
    uint8_t *known; /* per value: VALUE_* */
    struct access *accesses;
    bool *is_done;    /* per instruction: a varying branch whose region has been marked */
    bool *in_region;  /* per block: of the present region */
    uint32_t *region; /* its blocks */
    bool changed;
};

/* --- What an instruction reads and defines --- */

static uint32_t value_of_var(const struct ptx_func *f, const struct ptx_var *var)
{
    if (f->n_params && var >= f->params && var < f->params + f->n_params)
        return f->n_regs + (uint32_t)(var - f->params);
    if (f->n_rets && var >= f->rets && var < f->rets + f->n_rets)
        return f->n_regs + f->n_params + (uint32_t)(var - f->rets);
    if (var->index < f->n_vars && f->vars[var->index] == var)
        return f->n_regs + f->n_params + f->n_rets + var->index;
    return NO_VALUE; /* a module variable: the same for all threads */
}

static uint32_t first_ret(const struct ptx_func *f)
{
    return f->n_regs + f->n_params;
}

static bool is_varying_sreg(uint32_t sreg)
{
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

static bool stores_to_param(const struct ptx_inst *inst)
{
    return inst->op == PTX_OP_ST && ptx_inst_space(inst) == PTX_PARAM;
}

/* Variables and special registers among the operands; registers come from ptx_inst_regs(). */
static void add_operand(const struct flow *flow, const struct ptx_operand *o, bool is_written,
                        struct access *a)
{
    if (o->kind == PTX_OPERAND_SREG && is_varying_sreg(o->sreg))
        a->origin |= VALUE_VARIES;
    if (o->kind == PTX_OPERAND_VAR) {
        uint32_t value = value_of_var(flow->func, o->var);
        if (value != NO_VALUE && is_written)
            a->writes[a->n_writes++] = value;
        else if (value != NO_VALUE)
            a->reads[a->n_reads++] = value;
    }
    for (uint32_t k = 0; k < o->n_items; k++)
        add_operand(flow, &o->items[k], is_written, a);
}

static uint32_t count_operands(const struct ptx_operand *o)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < o->n_items; k++)
        n += count_operands(&o->items[k]);
    return n;
}

static void collect(struct flow *flow, const struct ptx_inst *inst, struct access *a)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_vars = 0;
    ptx_inst_regs(inst, false, reads, &a->n_reads, writes, &a->n_writes);
    for (uint32_t k = 0; k < inst->n_operands; k++)
        n_vars += count_operands(&inst->operands[k]);
    a->reads = ARENA_ARRAY(flow->scratch, uint32_t, a->n_reads + n_vars);
    a->writes = ARENA_ARRAY(flow->scratch, uint32_t, a->n_writes + n_vars);
    memcpy(a->reads, reads, a->n_reads * sizeof *reads);
    memcpy(a->writes, writes, a->n_writes * sizeof *writes);
    for (uint32_t k = 0; k < inst->n_operands; k++) {
        bool is_written =
            (stores_to_param(inst) && k == 0) || (inst->op == PTX_OP_CALL && k == PTX_CALL_RETS);
        add_operand(flow, &inst->operands[k], is_written, a);
    }
    if (inst->op == PTX_OP_ATOM)
        a->origin |= VALUE_VARIES;
    if ((inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU) && ptx_inst_space(inst) == PTX_LOCAL)
        a->origin |= VALUE_VARIES;
}

/* --- Values --- */

static void learn(struct flow *flow, uint32_t value, uint8_t what)
{
    if ((flow->known[value] | what) == flow->known[value])
        return;
    flow->known[value] |= what;
    flow->changed = true;
}

static uint8_t known_of_reads(const struct flow *flow, const struct access *a)
{
    uint8_t known = 0;
    for (uint32_t k = 0; k < a->n_reads; k++)
        known |= flow->known[a->reads[k]];
    return known;
}

static bool guard_varies(const struct flow *flow, const struct ptx_inst *inst)
{
    return inst->guard && (flow->known[inst->guard->index] & VALUE_VARIES);
}

/* What is loaded through an address. A parameter's address does not vary, and its content is
 * known. */
static uint8_t known_of_loaded(const struct ptx_inst *inst, uint8_t read)
{
    if (ptx_inst_space(inst) == PTX_PARAM)
        return read;
    return read ? VALUE_VARIES : 0; /* a varying address, or one in local memory */
}

static uint8_t known_of_operand(const struct flow *flow, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG)
        return flow->known[o->reg->index];
    if (o->kind != PTX_OPERAND_VAR)
        return 0;
    uint32_t value = value_of_var(flow->func, o->var);
    return value == NO_VALUE ? 0 : flow->known[value];
}

/* --- Calls --- */

/* The newest first. While a function is being analysed, it is its newest. */
static struct uniform **list_of(struct uniform_cache *cache, const struct ptx_func *func)
{
    uint32_t n = cache->n_funcs;
    if (func->index >= n) {
        ARRAY_RESERVE(cache->of_func, cache->n_funcs, func->index + 1);
        memset(cache->of_func + n, 0, (cache->n_funcs - n) * sizeof(struct uniform *));
    }
    return &cache->of_func[func->index];
}

static struct uniform *find(struct uniform_cache *cache, const struct ptx_func *func,
                            const uint8_t *params)
{
    struct uniform *u = *list_of(cache, func);
    while (u && memcmp(u->params, params, func->n_params) != 0)
        u = u->next_of_func;
    return u;
}

static struct uniform *add(struct uniform_cache *cache, const struct ptx_func *func,
                           const uint8_t *params)
{
    struct uniform *u = ARENA_NEW(&cache->arena, struct uniform), **list = list_of(cache, func);
    uint8_t *copy = ARENA_ARRAY(&cache->arena, uint8_t, func->n_params + 1);
    memcpy(copy, params, func->n_params);
    *u = (struct uniform){.func = func, .params = copy, .next_of_func = *list};
    *list = u;
    return u;
}

/* The function that a direct call calls, if it has a body. */
static const struct ptx_func *direct_callee(const struct ptx_inst *inst)
{
    if (inst->op != PTX_OP_CALL || inst->operands[PTX_CALL_CALLEE].kind != PTX_OPERAND_FUNC)
        return NULL;
    const struct ptx_func *f = inst->operands[PTX_CALL_CALLEE].func;
    f = f->alias_of ? f->alias_of : f;
    return f->has_body ? f : NULL;
}

/* The callee with the arguments of this call; NULL if it has no body. One that is not yet analysed
 * becomes the awaited one. */
static struct uniform *find_callee(struct flow *flow, const struct ptx_inst *inst)
{
    const struct ptx_func *callee = direct_callee(inst);
    if (!callee)
        return NULL;
    const struct ptx_operand *args = &inst->operands[PTX_CALL_ARGS];
    uint8_t *params = xcalloc(callee->n_params + 1, 1);
    for (uint32_t k = 0; k < callee->n_params && k < args->n_items; k++)
        params[k] = known_of_operand(flow, &args->items[k]);
    struct uniform *newest = *list_of(flow->cache, callee);
    bool is_recursive = newest && newest->in_progress;
    struct uniform *u = is_recursive ? newest : find(flow->cache, callee, params);
    if (!u)
        u = add(flow->cache, callee, params);
    if (!u->is_complete)
        flow->awaited = u;
    free(params);
    return u;
}

/* What a function without a body returns is unknown: malloc() gives each thread its own. */
static void visit_call(struct flow *flow, const struct ptx_inst *inst, const struct access *a)
{
    const struct uniform *callee = find_callee(flow, inst);
    uint8_t guard = guard_varies(flow, inst) ? VALUE_VARIES : 0;
    for (uint32_t k = 0; k < a->n_writes && !flow->awaited; k++)
        learn(flow, a->writes[k],
              guard | (callee && k < callee->func->n_rets ? callee->rets[k] : VALUE_VARIES));
}

/* --- Regions --- */

/* Threads pass the region on different paths: what is defined in it and visible outside varies. */
static void visit_region(struct flow *flow)
{
    const struct ptx_func *f = flow->func;
    enum { DEFINED_INSIDE = 1, SEEN_OUTSIDE = 2 };
    uint8_t *seen = xcalloc(flow->n_values + 1, 1);
    for (uint32_t k = 0; k < f->n_rets; k++)
        seen[first_ret(f) + k] = SEEN_OUTSIDE; /* by the caller */
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const struct access *a = &flow->accesses[i];
        bool inside = flow->in_region[flow->cfg->block_of[i]];
        for (uint32_t k = 0; k < a->n_writes; k++)
            seen[a->writes[k]] |= inside ? DEFINED_INSIDE : SEEN_OUTSIDE;
        for (uint32_t k = 0; k < a->n_reads && !inside; k++)
            seen[a->reads[k]] |= SEEN_OUTSIDE;
    }
    for (uint32_t v = 0; v < flow->n_values; v++)
        if (seen[v] == (DEFINED_INSIDE | SEEN_OUTSIDE))
            learn(flow, v, VALUE_VARIES);
    free(seen);
}

/* The registers that an instruction reads include its guard and the index of brx. */
static bool is_branch_on_varying(const struct flow *flow, uint32_t i)
{
    enum ptx_opcode op = flow->func->insts[i].op;
    return (op == PTX_OP_BRA || op == PTX_OP_BRX) &&
           (known_of_reads(flow, &flow->accesses[i]) & VALUE_VARIES);
}

/* --- A function --- */

static void visit(struct flow *flow, uint32_t i)
{
    const struct ptx_inst *inst = &flow->func->insts[i];
    const struct access *a = &flow->accesses[i];
    if (inst->op == PTX_OP_CALL) {
        visit_call(flow, inst, a);
        return;
    }
    uint8_t known = known_of_reads(flow, a);
    if (inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU)
        known = known_of_loaded(inst, known);
    known |= a->origin;
    for (uint32_t k = 0; k < a->n_writes; k++)
        learn(flow, a->writes[k], known);
    if (!flow->is_done[i] && is_branch_on_varying(flow, i)) {
        flow->is_done[i] = true;
        ptx_cfg_region(flow->cfg, flow->cfg->block_of[i], flow->in_region, flow->region);
        visit_region(flow);
    }
}

static struct flow *begin(struct uniform_cache *cache, struct arena *a, struct uniform *u,
                          struct flow *caller)
{
    const struct ptx_func *f = u->func;
    struct flow *flow = ARENA_NEW(a, struct flow);
    *flow = (struct flow){.cache = cache, .scratch = a, .result = u, .caller = caller, .func = f};
    flow->cfg = ptx_cfg_build(f, a);
    flow->n_values = f->n_regs + f->n_params + f->n_rets + f->n_vars;
    flow->known = ARENA_ARRAY(a, uint8_t, flow->n_values + 1);
    flow->accesses = ARENA_ARRAY(a, struct access, f->n_insts + 1);
    flow->is_done = ARENA_ARRAY(a, bool, f->n_insts + 1);
    flow->in_region = ARENA_ARRAY(a, bool, flow->cfg->n_blocks + 1);
    flow->region = ARENA_ARRAY(a, uint32_t, flow->cfg->n_blocks + 1);
    if (f->n_params)
        memcpy(flow->known + f->n_regs, u->params, f->n_params);
    for (uint32_t k = 0; k < f->n_vars; k++)
        if (f->vars[k]->space == PTX_LOCAL)
            flow->known[first_ret(f) + f->n_rets + k] = VALUE_IS_LOCAL;
    for (uint32_t i = 0; i < f->n_insts; i++)
        collect(flow, &f->insts[i], &flow->accesses[i]);
    u->in_progress = true;
    return flow;
}

/* Visits all instructions until nothing changes; false if a callee must be analysed first. */
static bool advance(struct flow *flow)
{
    flow->awaited = NULL;
    for (;;) {
        for (; flow->next < flow->func->n_insts; flow->next++) {
            visit(flow, flow->next);
            if (flow->awaited)
                return false;
        }
        if (!flow->changed)
            return true;
        flow->changed = false;
        flow->next = 0;
    }
}

/* The last round has found all callees with the arguments that they have now. */
static void finish(struct flow *flow)
{
    const struct ptx_func *f = flow->func;
    struct uniform *u = flow->result;
    bool *inst_varies = ARENA_ARRAY(&flow->cache->arena, bool, f->n_insts + 1);
    uint8_t *rets = ARENA_ARRAY(&flow->cache->arena, uint8_t, f->n_rets + 1);
    u->callees = ARENA_ARRAY(&flow->cache->arena, struct uniform *, f->n_insts + 1);
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const struct access *a = &flow->accesses[i];
        bool reads_sreg = (a->origin & VALUE_VARIES) && f->insts[i].op == PTX_OP_MOV;
        inst_varies[i] = reads_sreg || (known_of_reads(flow, a) & VALUE_VARIES);
        u->callees[i] = find_callee(flow, &f->insts[i]);
    }
    for (uint32_t k = 0; k < f->n_rets; k++)
        rets[k] = flow->known[first_ret(f) + k];
    u->inst_varies = inst_varies;
    u->rets = rets;
    u->in_progress = false;
    u->is_complete = true;
    u->next = flow->cache->last;
    flow->cache->last = u;
}

static void complain_recursion(const struct flow *flow, struct strbuf *why)
{
    const struct ptx_func *callee = flow->awaited->func;
    strbuf_addf(why, "function %s calls itself", callee->name);
    if (flow->func != callee)
        strbuf_addf(why, " through %s", flow->func->name);
    strbuf_add(why, ": its instructions cannot be counted per call");
}

/* Chains of calls may be longer than the stack of the host. */
static bool analyse(struct flow *flow, struct strbuf *why)
{
    while (flow) {
        if (advance(flow)) {
            finish(flow);
            flow = flow->caller;
        } else if (flow->awaited->in_progress) {
            complain_recursion(flow, why);
            return false;
        } else {
            flow = begin(flow->cache, flow->scratch, flow->awaited, flow);
        }
    }
    return true;
}

/* Callers are completed after their callees. */
static void count_calls(struct uniform_cache *cache)
{
    cache->last->n_calls = 1;
    for (const struct uniform *u = cache->last; u; u = u->next)
        for (uint32_t i = 0; i < u->func->n_insts; i++) {
            struct uniform *callee = u->callees[i];
            if (callee && __builtin_add_overflow(callee->n_calls, u->n_calls, &callee->n_calls))
                callee->n_calls = UINT64_MAX;
        }
}

const struct uniform *uniform_analyse(struct uniform_cache *cache, const struct ptx_func *kernel,
                                      struct strbuf *why)
{
    struct arena scratch = {0};
    uint8_t *params = ARENA_ARRAY(&scratch, uint8_t, kernel->n_params + 1);
    struct uniform *u = add(cache, kernel, params);
    bool ok = analyse(begin(cache, &scratch, u, NULL), why);
    if (ok)
        count_calls(cache);
    arena_destroy(&scratch);
    return ok ? u : NULL;
}

void uniform_cache_destroy(struct uniform_cache *cache)
{
    arena_destroy(&cache->arena);
    free(cache->of_func);
    *cache = (struct uniform_cache){0};
}
