#include "ptx/spin.h"

#include <string.h>

#include "ptx/liveness.h"
#include "ptx/regalloc.h"

struct spin_finder {
    const struct ptx_cfg *cfg;
    const struct ptx_func *func;
    struct ptx_spin *spin;
    const struct ptx_liveness *live; /* NULL until it is needed */
    struct arena *arena;
    bool *in_body;  /* per block: is it in the loop of the present back edge? */
    uint32_t *body; /* those blocks; the header first */
    uint32_t n_body;
    uint32_t *insts; /* and their instructions */
    uint32_t n_insts;
    bool *is_written;   /* per register: is it written there? */
    bool *is_carried;   /* per register: may its value there depend on earlier iterations? */
    uint32_t *alive;    /* room for all registers */
    bool *is_spin_loop; /* per loop: all its back edges make spin loops */
    bool *seen;         /* per block: is it in the present region (ptx_cfg_region())? */
    uint32_t *region;   /* those blocks */
    uint32_t n_region;
};

struct inst_regs {
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
};

static const struct ptx_inst *last_of(const struct spin_finder *s, uint32_t block)
{
    return &s->func->insts[s->cfg->blocks[block].end - 1];
}

static bool region_has(struct spin_finder *s, uint32_t b, uint32_t block)
{
    s->n_region = ptx_cfg_region(s->cfg, b, s->seen, s->region);
    return s->seen[block];
}

/* --- the loop of one back edge --- */

static void collect_body(struct spin_finder *s, uint32_t header, uint32_t from)
{
    memset(s->in_body, 0, s->cfg->n_blocks * sizeof *s->in_body);
    s->n_body = 0;
    s->body[s->n_body++] = header;
    s->in_body[header] = true;
    if (from != header)
        s->body[s->n_body++] = from;
    s->in_body[from] = true;
    for (uint32_t k = 1; k < s->n_body; k++) {
        const struct ptx_block *block = &s->cfg->blocks[s->body[k]];
        for (uint32_t e = 0; e < block->n_preds; e++) {
            uint32_t pred = block->preds[e];
            if (s->in_body[pred] || !s->cfg->blocks[pred].reachable)
                continue;
            s->in_body[pred] = true;
            s->body[s->n_body++] = pred;
        }
    }
    s->n_insts = 0;
    for (uint32_t k = 0; k < s->n_body; k++)
        for (uint32_t i = s->cfg->blocks[s->body[k]].first; i < s->cfg->blocks[s->body[k]].end; i++)
            s->insts[s->n_insts++] = i;
}

/* A register that may keep its old value, because the instruction is guarded, counts as read. */
static void find_regs(const struct spin_finder *s, uint32_t inst, struct inst_regs *regs)
{
    ptx_inst_regs(&s->func->insts[inst], true, regs->reads, &regs->n_reads, regs->writes,
                  &regs->n_writes);
}

static bool reads_one_of(const struct inst_regs *regs, const bool *set)
{
    for (uint32_t k = 0; k < regs->n_reads; k++)
        if (set[regs->reads[k]])
            return true;
    return false;
}

/* True if one was not there before. */
static bool add_writes_to(const struct inst_regs *regs, bool *set)
{
    bool more = false;
    for (uint32_t k = 0; k < regs->n_writes; k++) {
        more |= !set[regs->writes[k]];
        set[regs->writes[k]] = true;
    }
    return more;
}

static void collect_written(struct spin_finder *s)
{
    struct inst_regs regs;
    memset(s->is_written, 0, s->func->n_regs * sizeof *s->is_written);
    for (uint32_t k = 0; k < s->n_insts; k++) {
        find_regs(s, s->insts[k], &regs);
        add_writes_to(&regs, s->is_written);
    }
}

static bool is_zero(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMM && o->bits == 0;
}

/* Does the atomic do the same in every iteration, until memory changes? */
static bool is_attempt(const struct spin_finder *s, const struct ptx_inst *inst)
{
    enum ptx_mod mod = ptx_inst_mod(inst, PTX_GROUP_ATOMOP);
    bool adds = mod == PTX_MOD_ATOMOP_ADD || mod == PTX_MOD_ATOMOP_INC || mod == PTX_MOD_ATOMOP_DEC;
    if (inst->op != PTX_OP_ATOM || (adds && !is_zero(&inst->operands[2])))
        return false;
    for (uint32_t k = 2; k < inst->n_operands; k++)
        if (inst->operands[k].kind != PTX_OPERAND_IMM &&
            (inst->operands[k].kind != PTX_OPERAND_REG ||
             s->is_written[inst->operands[k].reg->index]))
            return false;
    return true;
}

static bool is_polling(const struct ptx_inst *inst)
{
    enum ptx_mod mod = ptx_inst_mod(inst, PTX_GROUP_SEM);
    return mod != PTX_NO_MOD && mod != PTX_MOD_SEM_WEAK;
}

enum role { ROLE_NONE, ROLE_ATTEMPT, ROLE_FORBIDDEN };

static enum role role_of(const struct spin_finder *s, const struct ptx_inst *inst)
{
    if (inst->op == PTX_OP_BRX)
        return ROLE_FORBIDDEN;
    switch (ptx_insts[inst->op].unit) {
    case PTX_UNIT_ATOMIC:
        return is_attempt(s, inst) ? ROLE_ATTEMPT : ROLE_FORBIDDEN;
    case PTX_UNIT_LOAD:
        return is_polling(inst) ? ROLE_ATTEMPT : ROLE_NONE;
    case PTX_UNIT_STORE:
    case PTX_UNIT_CALL:
    case PTX_UNIT_BARRIER:
    case PTX_UNIT_WARP:
    case PTX_UNIT_REFUSED:
        return ROLE_FORBIDDEN;
    default:
        return ROLE_NONE;
    }
}

/* Registers whose values depend on carried ones are carried, too. True if there were more. */
static bool spread_by_data(struct spin_finder *s)
{
    struct inst_regs regs;
    bool more = false;
    for (uint32_t k = 0; k < s->n_insts; k++) {
        find_regs(s, s->insts[k], &regs);
        if (reads_one_of(&regs, s->is_carried))
            more |= add_writes_to(&regs, s->is_carried);
    }
    return more;
}

/* The same for registers written in the region of a branch on a carried one, such as a loop that
 * passes the time between attempts. *decides: an attempt depends on the branch, as the next does
 * if lanes leave by it. */
static bool spread_by_branch(struct spin_finder *s, uint32_t block, bool *decides)
{
    struct inst_regs regs;
    const struct ptx_inst *last = last_of(s, block);
    bool more = false;
    if (last->op != PTX_OP_BRA || !last->guard || !s->is_carried[last->guard->index])
        return false;
    s->n_region = ptx_cfg_region(s->cfg, block, s->seen, s->region);
    for (uint32_t k = 1; k < s->n_region && !*decides; k++) {
        const struct ptx_block *in = &s->cfg->blocks[s->region[k]];
        for (uint32_t i = in->first; i < in->end; i++) {
            *decides |= role_of(s, &s->func->insts[i]) != ROLE_NONE;
            find_regs(s, i, &regs);
            more |= add_writes_to(&regs, s->is_carried);
        }
    }
    return more;
}

/* Does an attempt differ from earlier ones, for example in its address? */
static bool attempt_is_carried(const struct spin_finder *s)
{
    struct inst_regs regs;
    for (uint32_t k = 0; k < s->n_insts; k++) {
        find_regs(s, s->insts[k], &regs);
        if (role_of(s, &s->func->insts[s->insts[k]]) == ROLE_ATTEMPT &&
            reads_one_of(&regs, s->is_carried))
            return true;
    }
    return false;
}

/* May earlier iterations have an influence on whether lanes leave, other than through memory? */
static bool state_decides(struct spin_finder *s, uint32_t header)
{
    bool decides = false, more = true;
    if (!s->live)
        s->live = ptx_liveness_build(s->cfg, s->arena);
    memset(s->is_carried, 0, s->func->n_regs * sizeof *s->is_carried);
    uint32_t n = ptx_alive_in(s->live, header, s->alive);
    for (uint32_t k = 0; k < n; k++)
        s->is_carried[s->alive[k]] = s->is_written[s->alive[k]];
    while (more && !decides) {
        more = spread_by_data(s);
        for (uint32_t k = 0; k < s->n_body; k++)
            more |= spread_by_branch(s, s->body[k], &decides);
    }
    return decides || attempt_is_carried(s);
}

static bool is_spin(struct spin_finder *s, uint32_t header)
{
    bool attempts = false;
    collect_written(s);
    for (uint32_t k = 0; k < s->n_insts; k++) {
        enum role role = role_of(s, &s->func->insts[s->insts[k]]);
        if (role == ROLE_FORBIDDEN)
            return false;
        attempts |= role == ROLE_ATTEMPT;
    }
    return attempts && !state_decides(s, header);
}

/* --- its branches --- */

static bool stays(const struct spin_finder *s, uint32_t inst)
{
    return inst < s->func->n_insts && s->in_body[s->cfg->block_of[inst]];
}

static void mark_branch(struct spin_finder *s, uint32_t block)
{
    const struct ptx_inst *inst = last_of(s, block);
    if (inst->op != PTX_OP_BRA)
        return;
    uint32_t i = s->cfg->blocks[block].end - 1, ipdom = s->cfg->blocks[block].ipdom;
    uint32_t target = s->func->labels[inst->operands[0].label].at;
    bool target_stays = stays(s, target), next_stays = stays(s, i + 1);
    if (target_stays && target <= i)
        s->spin->kinds[i] |= PTX_SPIN_REPEATS;
    if (!inst->guard)
        return;
    if (!target_stays && next_stays)
        s->spin->kinds[i] |= PTX_SPIN_LEAVES_BY_TARGET;
    if (!target_stays || !next_stays || ipdom == PTX_NO_BLOCK || !s->in_body[ipdom])
        s->spin->kinds[i] |= PTX_SPIN_LATE;
}

static bool same_operand(const struct ptx_operand *a, const struct ptx_operand *b)
{
    bool same = a->kind == b->kind && a->reg == b->reg && a->var == b->var && a->bits == b->bits &&
                a->offset == b->offset && a->n_items == b->n_items;
    for (uint32_t k = 0; same && k < a->n_items; k++)
        same = same_operand(&a->items[k], &b->items[k]);
    return same;
}

/* Are they the same attempt, except for the register that receives the result? */
static bool same_attempt(const struct ptx_inst *a, const struct ptx_inst *b)
{
    bool same = a->op == b->op && a->n_operands == b->n_operands && a->n_mods == b->n_mods &&
                memcmp(a->mods, b->mods, a->n_mods) == 0;
    for (uint32_t k = 1; same && k < a->n_operands; k++)
        same = same_operand(&a->operands[k], &b->operands[k]);
    return same;
}

static bool repeats_attempt_of(const struct spin_finder *s, uint32_t block)
{
    const struct ptx_inst *insts = s->func->insts;
    for (uint32_t i = s->cfg->blocks[block].first; i < s->cfg->blocks[block].end; i++)
        for (uint32_t k = 0; k < s->n_insts; k++)
            if (role_of(s, &insts[s->insts[k]]) == ROLE_ATTEMPT &&
                same_attempt(&insts[i], &insts[s->insts[k]]))
                return true;
    return false;
}

/* clang may put a copy of the first attempt before the loop: lanes that succeed there do not wait
 * for the others either. */
static bool is_first_attempt(struct spin_finder *s, uint32_t b)
{
    const struct ptx_block *block = &s->cfg->blocks[b];
    const struct ptx_inst *last = last_of(s, b);
    return last->op == PTX_OP_BRA && last->guard && block->reachable && !s->in_body[b] &&
           block->ipdom != PTX_NO_BLOCK && repeats_attempt_of(s, b) && region_has(s, b, s->body[0]);
}

static void mark_first_attempt(struct spin_finder *s, uint32_t b)
{
    const struct ptx_block *block = &s->cfg->blocks[b];
    uint32_t target = s->func->labels[last_of(s, b)->operands[0].label].at;
    bool succeeds = target == s->cfg->blocks[block->ipdom].first;
    s->spin->kinds[block->end - 1] |= PTX_SPIN_LATE | (succeeds ? PTX_SPIN_LEAVES_BY_TARGET : 0);
}

/* --- where the lanes that leave reconverge --- */

/* Do lanes that diverged elsewhere, and may be in the loop of `header`, reconverge at block `c`?
 * Those of the loop may not go past it. */
static bool ends_region(struct spin_finder *s, uint32_t c, uint32_t header)
{
    for (uint32_t b = 0; b < s->cfg->n_blocks; b++) {
        const struct ptx_block *block = &s->cfg->blocks[b];
        const struct ptx_inst *last = last_of(s, b);
        bool diverges = last->op == PTX_OP_BRX || (last->op == PTX_OP_BRA && last->guard);
        if (diverges && block->reachable && block->ipdom == c &&
            !(s->spin->kinds[block->end - 1] & PTX_SPIN_LATE) && region_has(s, b, header))
            return true;
    }
    return false;
}

static bool goes_to(const struct spin_finder *s, uint32_t from, uint32_t to)
{
    const struct ptx_block *block = &s->cfg->blocks[from];
    for (uint32_t e = 0; e < block->n_succs; e++)
        if (block->succs[e] == to)
            return true;
    return false;
}

/* The last instruction of an iteration that ends with that block. */
static uint32_t end_of_iteration(const struct spin_finder *s, uint32_t latch, uint32_t header)
{
    bool branches = last_of(s, latch)->op == PTX_OP_BRA || last_of(s, latch)->op == PTX_OP_BRX;
    return branches ? s->cfg->blocks[latch].end - 1 : s->cfg->blocks[header].first;
}

static uint32_t find_meet(struct spin_finder *s, uint32_t block)
{
    const struct ptx_cfg *cfg = s->cfg;
    uint32_t header = s->body[0], loop = cfg->blocks[header].loop, spin = PTX_NO_LOOP;
    for (; loop != PTX_NO_LOOP && s->is_spin_loop[loop]; loop = cfg->loops[loop].outer)
        spin = loop; /* a loop that only spins has no iterations to wait for */
    for (uint32_t c = cfg->blocks[block].ipdom; c != PTX_NO_BLOCK; c = cfg->blocks[c].ipdom) {
        if (spin != PTX_NO_LOOP && ptx_cfg_in_loop(cfg, c, spin))
            continue;
        if ((loop != PTX_NO_LOOP && !ptx_cfg_in_loop(cfg, c, loop)) || ends_region(s, c, header))
            return cfg->blocks[c].first;
        if (loop != PTX_NO_LOOP && goes_to(s, c, cfg->loops[loop].header))
            return end_of_iteration(s, c, cfg->loops[loop].header);
    }
    return s->func->n_insts;
}

/* --- all loops --- */

/* Calls `visit` for each back edge that makes a spin loop. */
static void each_spin(struct spin_finder *s, void (*visit)(struct spin_finder *s))
{
    for (uint32_t loop = 0; loop < s->cfg->n_loops; loop++) {
        uint32_t header = s->cfg->loops[loop].header;
        const struct ptx_block *block = &s->cfg->blocks[header];
        bool all_spin = true;
        for (uint32_t e = 0; e < block->n_preds; e++) {
            if (!ptx_cfg_in_loop(s->cfg, block->preds[e], loop))
                continue;
            collect_body(s, header, block->preds[e]);
            bool spins = is_spin(s, header);
            all_spin &= spins;
            if (spins)
                visit(s);
        }
        s->is_spin_loop[loop] = all_spin;
    }
}

static void mark_branches(struct spin_finder *s)
{
    if (!s->spin) {
        s->spin = ARENA_NEW(s->arena, struct ptx_spin);
        s->spin->kinds = ARENA_ARRAY(s->arena, uint8_t, s->func->n_insts);
        s->spin->meet = ARENA_ARRAY(s->arena, uint32_t, s->func->n_insts);
    }
    for (uint32_t k = 0; k < s->n_body; k++)
        mark_branch(s, s->body[k]);
    for (uint32_t b = 0; b < s->cfg->n_blocks; b++)
        if (is_first_attempt(s, b))
            mark_first_attempt(s, b);
}

/* For the branches of the loop, and of the first attempts before it. */
static void find_meets(struct spin_finder *s)
{
    for (uint32_t b = 0; b < s->cfg->n_blocks; b++) {
        uint32_t last = s->cfg->blocks[b].end - 1;
        if (s->spin->kinds[last] & PTX_SPIN_LATE && (s->in_body[b] || is_first_attempt(s, b)))
            s->spin->meet[last] = find_meet(s, b);
    }
}

/* Most functions have neither atomics nor volatile loads. */
static bool may_attempt(const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_insts; i++) {
        enum ptx_unit unit = ptx_insts[f->insts[i].op].unit;
        if (unit == PTX_UNIT_ATOMIC || (unit == PTX_UNIT_LOAD && is_polling(&f->insts[i])))
            return true;
    }
    return false;
}

struct ptx_spin *ptx_spin_find(const struct ptx_cfg *cfg, struct arena *arena)
{
    if (!cfg->n_loops || !may_attempt(cfg->func))
        return NULL;
    struct spin_finder s = {
        .cfg = cfg,
        .func = cfg->func,
        .arena = arena,
        .in_body = ARENA_ARRAY(arena, bool, cfg->n_blocks),
        .body = ARENA_ARRAY(arena, uint32_t, cfg->n_blocks),
        .insts = ARENA_ARRAY(arena, uint32_t, cfg->func->n_insts),
        .is_written = ARENA_ARRAY(arena, bool, cfg->func->n_regs),
        .is_carried = ARENA_ARRAY(arena, bool, cfg->func->n_regs),
        .alive = ARENA_ARRAY(arena, uint32_t, cfg->func->n_regs),
        .is_spin_loop = ARENA_ARRAY(arena, bool, cfg->n_loops),
        .seen = ARENA_ARRAY(arena, bool, cfg->n_blocks),
        .region = ARENA_ARRAY(arena, uint32_t, cfg->n_blocks + 1),
    };
    each_spin(&s, mark_branches);
    if (s.spin)
        each_spin(&s, find_meets);
    return s.spin;
}
