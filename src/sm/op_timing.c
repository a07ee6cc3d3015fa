#include "sm/op_timing.h"

#include <assert.h>

#include "sm/register_bank.h"

/* Addition, comparison, multiplication, ... within a kind of number: offsets from SM_OP_INT_ADD,
 * SM_OP_FP32_ADD and SM_OP_FP64_ADD. */
enum arithmetic { ARITH_ADD, ARITH_MAX, ARITH_MUL, ARITH_MAD, ARITH_DIV };

static enum arithmetic arithmetic_of(enum ptx_opcode op)
{
    switch (op) {
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        return ARITH_MAX;
    case PTX_OP_MUL:
    case PTX_OP_MUL24:
        return ARITH_MUL;
    case PTX_OP_MAD:
    case PTX_OP_MADC:
    case PTX_OP_MAD24:
    case PTX_OP_FMA:
    case PTX_OP_SAD:
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        return ARITH_MAD;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return ARITH_DIV;
    default:
        return ARITH_ADD;
    }
}

static enum sm_operation operation_of(const struct ptx_inst *inst, enum ptx_class class)
{
    enum ptx_type type = inst && inst->n_types ? (enum ptx_type)inst->types[0] : PTX_NO_TYPE;
    enum arithmetic a = inst ? arithmetic_of(inst->op) : ARITH_ADD;
    switch (class) {
    case PTX_CLASS_FP16:
    case PTX_CLASS_FP32:
        return (enum sm_operation)(SM_OP_FP32_ADD + a);
    case PTX_CLASS_FP64:
        return (enum sm_operation)(SM_OP_FP64_ADD + a);
    case PTX_CLASS_SFU:
        if (a != ARITH_DIV)
            return type == PTX_F64 ? SM_OP_FP64_DIV : SM_OP_SFU;
        if (ptx_types[type].kind != 'f')
            return SM_OP_INT_DIV;
        return type == PTX_F64 ? SM_OP_FP64_DIV : SM_OP_FP32_DIV;
    case PTX_CLASS_LD_GLOBAL:
    case PTX_CLASS_ST_GLOBAL:
    case PTX_CLASS_LD_SHARED:
    case PTX_CLASS_ST_SHARED:
    case PTX_CLASS_LD_LOCAL:
    case PTX_CLASS_ST_LOCAL:
    case PTX_CLASS_LD_CONST:
    case PTX_CLASS_ATOMIC:
        return SM_OP_MEMORY;
    default:
        return (enum sm_operation)(SM_OP_INT_ADD + a);
    }
}

static enum issue_class issue_class_of(enum ptx_class class)
{
    switch (class) {
    case PTX_CLASS_SFU:
        return ISSUE_SFU;
    case PTX_CLASS_LD_GLOBAL:
    case PTX_CLASS_LD_LOCAL:
        return ISSUE_LOAD;
    case PTX_CLASS_ST_GLOBAL:
    case PTX_CLASS_ST_LOCAL:
        return ISSUE_STORE;
    case PTX_CLASS_LD_SHARED:
    case PTX_CLASS_ST_SHARED:
        return ISSUE_SHARED;
    case PTX_CLASS_ATOMIC:
        return ISSUE_ATOMIC;
    case PTX_CLASS_BRANCH:
    case PTX_CLASS_CALL:
        return ISSUE_BRANCH;
    case PTX_CLASS_BARRIER:
        return ISSUE_BARRIER;
    case PTX_CLASS_LD_CONST:
    case PTX_CLASS_FENCE:
    case PTX_CLASS_MISC:
        return ISSUE_OTHER;
    default:
        return ISSUE_ALU;
    }
}

static uint8_t needs_of(const struct ptx_inst *inst, enum ptx_class class)
{
    switch (class) {
    case PTX_CLASS_BRANCH:
        return inst && inst->op == PTX_OP_EXIT ? NEEDS_DRAINED | NEEDS_NO_ATOMICS : IS_BRANCH;
    case PTX_CLASS_CALL:
        return NEEDS_DRAINED | NEEDS_NO_ATOMICS;
    case PTX_CLASS_BARRIER:
        return NEEDS_NO_ATOMICS;
    case PTX_CLASS_FENCE:
        return NEEDS_NO_ATOMICS | NEEDS_VISIBLE | IS_ORDERED;
    case PTX_CLASS_ATOMIC:
        return IS_ORDERED;
    case PTX_CLASS_LD_GLOBAL:
    case PTX_CLASS_ST_GLOBAL:
        return TOUCHES_GLOBAL;
    default:
        return 0;
    }
}

static enum mem_operator memory_op_of(const struct ptx_inst *inst)
{
    switch (inst ? ptx_inst_mod(inst, PTX_GROUP_CACHE) : PTX_NO_MOD) {
    case PTX_MOD_CACHE_CA:
        return MEM_OP_CA;
    case PTX_MOD_CACHE_CG:
        return MEM_OP_CG;
    case PTX_MOD_CACHE_CS:
        return MEM_OP_CS;
    case PTX_MOD_CACHE_LU:
        return MEM_OP_LU;
    case PTX_MOD_CACHE_CV:
        return MEM_OP_CV;
    case PTX_MOD_CACHE_WB:
        return MEM_OP_WB;
    case PTX_MOD_CACHE_WT:
        return MEM_OP_WT;
    case PTX_MOD_CACHE_CC:
        return MEM_OP_CC;
    case PTX_MOD_CACHE_CP:
        return MEM_OP_CP;
    default:
        return MEM_OP_NONE;
    }
}

static bool is_uncached(const struct ptx_inst *inst, enum mem_operator op)
{
    if (!inst || op == MEM_OP_CG || op == MEM_OP_CV)
        return inst != NULL;
    enum ptx_mod sem = ptx_inst_mod(inst, PTX_GROUP_SEM);
    return sem != PTX_NO_MOD && sem != PTX_MOD_SEM_WEAK;
}

static enum sm_unit unit_of(enum sm_operation op, const struct sm_config *config)
{
    static const uint8_t units[] = {
#define OP(id, name, unit, latency, interval) UNIT_##unit,
        SM_OPERATIONS(OP)
#undef OP
    };
    if (op == SM_OP_MEMORY)
        return UNIT_LDST;
    return config->n_units[units[op]] ? (enum sm_unit)units[op] : UNIT_SP;
}

static uint32_t n_registers(const struct program_func *f)
{
    return f->n_64 + f->n_32 + f->n_preds;
}

uint32_t op_timing_words(const struct program *p)
{
    uint32_t most = 1;
    for (uint32_t f = 0; f < p->module->n_funcs; f++)
        if (n_registers(&p->funcs[f]) > most)
            most = n_registers(&p->funcs[f]);
    return (most + 63) / 64;
}

static void set_register(uint64_t *mask, uint32_t reg)
{
    mask[reg / 64] |= 1ull << reg % 64;
}

/* With these masks, one AND per word tells whether an instruction can issue. */
static void add_masks(struct op_timing *t, struct op_registers *all, const struct op_info *info,
                      uint32_t words, struct arena *arena)
{
    uint64_t *touches = ARENA_ARRAY(arena, uint64_t, 3 * (size_t)words);
    uint64_t *waits_for = touches + words, *writes = waits_for + words;
    for (uint32_t i = 0; i < (uint32_t)info->n_reads + info->n_writes; i++) {
        set_register(touches, info->regs[i]);
        if (i >= info->n_reads)
            set_register(writes, info->regs[i]);
    }
    for (uint32_t i = 0; i < words; i++)
        waits_for[i] = t->needs & NEEDS_DRAINED ? ~0ull : touches[i];
    all->touches = touches;
    all->waits_for = waits_for;
    all->writes = writes;
    t->touches = touches[0];
    t->waits_for = waits_for[0];
    t->writes = writes[0];
}

/* Predicates have the highest numbers and a file of their own. */
static void add_rows(struct op_timing *t, struct op_registers *all, const struct op_info *info,
                     const struct program_func *f, struct arena *arena)
{
    uint32_t n_rows = f->n_64 + f->n_32, n = 0, n_regs = (uint32_t)info->n_reads + info->n_writes;
    uint16_t *rows = ARENA_ARRAY(arena, uint16_t, n_regs);
    for (uint32_t i = 0; i < n_regs; i++) {
        if (info->regs[i] >= n_rows)
            continue;
        rows[n++] = info->regs[i];
        if (i < info->n_reads)
            t->n_rows_read++;
        else
            t->n_rows_written++;
    }
    all->rows = rows;
    t->result = t->n_rows_written ? rows[t->n_rows_read] : 0;
}

/* Registers are dealt to banks in turn, so the same registers conflict in every warp. */
static void add_banks(struct op_timing *t, struct op_registers *all, uint32_t n_banks,
                      struct arena *arena)
{
    uint64_t first = banks_first(n_banks);
    all->again = ARENA_ARRAY(arena, uint16_t, t->n_rows_read);
    for (uint32_t i = 0; i < t->n_rows_read; i++) {
        uint64_t bank = first << all->rows[i] % n_banks;
        if (t->read_banks & bank || !banks_go_round(n_banks))
            all->again[all->n_again++] = all->rows[i];
        else
            t->read_banks |= bank;
    }
    if (all->n_again)
        t->needs |= READS_AGAIN;
}

static void add_registers(struct op_timing *t, const struct program *p, uint32_t n_banks,
                          struct arena *arena)
{
    uint32_t words = op_timing_words(p);
    struct op_registers *all = ARENA_ARRAY(arena, struct op_registers, p->n_ops);
    for (uint32_t f = 0; f < p->module->n_funcs; f++) {
        const struct program_func *func = &p->funcs[f];
        for (uint32_t pc = func->entry; func->func->has_body && pc <= func->end; pc++)
            add_rows(&t[pc], &all[pc], &p->info[pc], func, arena);
    }
    for (uint32_t pc = 0; pc < p->n_ops; pc++) {
        t[pc].all = &all[pc];
        add_masks(&t[pc], &all[pc], &p->info[pc], words, arena);
        add_banks(&t[pc], &all[pc], n_banks, arena);
    }
}

/* A fetch also brings the instructions that follow in its line of the instruction cache. */
static uint8_t fetched_insts(const struct sm_config *c, uint32_t pc)
{
    uint32_t line_bytes = c->l1i.line_bytes;
    uint32_t left = line_bytes - (uint32_t)((uint64_t)pc * c->inst_bytes & (line_bytes - 1));
    uint32_t n = left >= c->fetch_insts * c->inst_bytes ? c->fetch_insts : left / c->inst_bytes;
    return (uint8_t)(n < c->ibuffer_entries ? n : c->ibuffer_entries);
}

static uint32_t code_line(const struct sm_config *c, uint32_t pc)
{
    assert(pc <= UINT32_MAX / c->inst_bytes);
    return pc * c->inst_bytes & ~(c->l1i.line_bytes - 1);
}

static bool is_simple_alu(const struct op_timing *t, const struct sm_config *c)
{
    return !c->no_fast_paths && t->kind.issue_class == ISSUE_ALU && t->n_writes == 1 &&
           banks_go_round(c->register_banks);
}

const struct op_timing *op_timing_build(const struct program *p, const struct sm_config *config,
                                        struct arena *arena)
{
    struct op_timing *t = ARENA_ARRAY(arena, struct op_timing, p->n_ops + 1);
    uint32_t loads = 0;
    for (uint32_t pc = 0; pc < p->n_ops; pc++) {
        const struct op_info *info = &p->info[pc];
        enum ptx_class class = p->ops[pc].klass;
        enum sm_operation operation = operation_of(info->inst, class);
        t[pc] = (struct op_timing){
            .n_writes = info->n_writes,
            .latency = (uint16_t)(operation == SM_OP_MEMORY ? 0 : config->latency[operation]),
            .interval = (uint16_t)(operation == SM_OP_MEMORY ? 0 : config->interval[operation]),
            .kind = {(uint8_t)unit_of(operation, config), (uint8_t)issue_class_of(class)},
            .needs = needs_of(info->inst, class),
            .memory_op = (uint8_t)memory_op_of(info->inst),
            .is_global = info->exec_id == EXEC_LD_GLOBAL || info->exec_id == EXEC_ST_GLOBAL,
            .loads_l1d = info->exec_id == EXEC_LD_GLOBAL && class == PTX_CLASS_LD_GLOBAL &&
                         info->n_writes && config->l1d_global &&
                         !is_uncached(info->inst, memory_op_of(info->inst)),
            .uncached = is_uncached(info->inst, memory_op_of(info->inst)),
            .n_fetched = fetched_insts(config, pc),
            .code_line = code_line(config, pc),
            .load_index = class == PTX_CLASS_LD_GLOBAL || class == PTX_CLASS_LD_LOCAL ? loads++ : 0,
        };
    }
    add_registers(t, p, config->register_banks, arena);
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        if (is_simple_alu(&t[pc], config))
            t[pc].needs |= IS_SIMPLE_ALU;
    return t;
}
