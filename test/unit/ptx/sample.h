/* Random programs whose maker notes, beside each instruction, what it reads and writes. */
#ifndef HEDDLE_TEST_SAMPLE_H
#define HEDDLE_TEST_SAMPLE_H

#include <string.h>

#include "unit/ptx/func_builder.h"

enum { MAX_REGS = 256, MAX_INSTS = 256, MAX_USES = 16 };

/* A program and, beside it, what its instructions do: kept apart from what the library finds. */
struct sample {
    struct func_builder b;
    struct effect {
        uint32_t reads[MAX_USES], n_reads; /* the guard included */
        uint32_t writes[MAX_USES], n_writes;
        bool apart; /* no destination may take the place of a source */
        bool guarded;
    } effects[MAX_INSTS];
    uint64_t rng;
};

static inline struct ptx_reg *pick(struct sample *s, bool want_pred, bool want_64)
{
    for (;;) {
        struct ptx_reg *reg = &s->b.f.regs[random_below(&s->rng, s->b.f.n_regs)];
        bool is_64 = ptx_types[reg->type].bits == 64;
        if ((reg->type == PTX_PRED) == want_pred && is_64 == want_64)
            return reg;
    }
}

static inline struct effect *effect_of_last(struct sample *s)
{
    return &s->effects[s->b.f.n_insts - 1];
}

static inline struct ptx_operand use(struct sample *s, struct ptx_reg *reg)
{
    struct effect *e = effect_of_last(s);
    e->reads[e->n_reads++] = reg->index;
    return operand_reg(reg);
}

static inline struct ptx_operand set(struct sample *s, struct ptx_reg *reg)
{
    struct effect *e = effect_of_last(s);
    e->writes[e->n_writes++] = reg->index;
    return operand_reg(reg);
}

static inline struct ptx_operand set_group(struct sample *s, enum ptx_operand_kind kind,
                                           struct ptx_reg *const *regs, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        set(s, regs[k]);
    return operand_group(&s->b, kind, regs, n);
}

static inline struct ptx_operand use_group(struct sample *s, enum ptx_operand_kind kind,
                                           struct ptx_reg *const *regs, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        use(s, regs[k]);
    return operand_group(&s->b, kind, regs, n);
}

static inline void add_add(struct sample *s)
{
    bool is_64 = random_below(&s->rng, 2);
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_ADD, 3);
    inst->operands[0] = set(s, pick(s, false, is_64));
    inst->operands[1] = use(s, pick(s, false, is_64));
    inst->operands[2] = random_below(&s->rng, 4)
                            ? use(s, pick(s, false, is_64))
                            : (struct ptx_operand){.kind = PTX_OPERAND_IMM, .bits = 1};
}

static inline void add_setp(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_SETP, 4);
    struct ptx_reg *pair[2] = {pick(s, true, false), pick(s, true, false)};
    bool is_pair = random_below(&s->rng, 2);
    inst->operands[0] =
        is_pair ? set_group(s, PTX_OPERAND_PAIR, pair, 2) : set(s, pick(s, true, false));
    inst->operands[1] = use(s, pick(s, false, false));
    inst->operands[2] = use(s, pick(s, false, false));
    inst->operands[3] = use(s, pick(s, true, false));
    inst->operands[3].negated = true;
    effect_of_last(s)->apart = is_pair;
}

static inline void add_unpack(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_MOV, 2);
    struct ptx_reg *halves[2] = {pick(s, false, false), pick(s, false, false)};
    inst->operands[0] = set_group(s, PTX_OPERAND_VEC, halves, 2);
    inst->operands[1] = use(s, pick(s, false, true));
    effect_of_last(s)->apart = true;
}

static inline void add_pack(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_MOV, 2);
    struct ptx_reg *halves[2] = {pick(s, false, false), pick(s, false, false)};
    inst->operands[0] = set(s, pick(s, false, true));
    inst->operands[1] = use_group(s, PTX_OPERAND_VEC, halves, 2);
}

static inline void add_load(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_LD, 2);
    struct ptx_reg *base = pick(s, false, random_below(&s->rng, 2));
    struct ptx_reg *four[4];
    for (uint32_t k = 0; k < 4; k++)
        four[k] = pick(s, false, false);
    inst->operands[0] = random_below(&s->rng, 2) ? set_group(s, PTX_OPERAND_VEC, four, 4)
                                                 : set(s, pick(s, false, true));
    inst->operands[1] = use_group(s, PTX_OPERAND_MEM, &base, 1);
    effect_of_last(s)->apart = true;
}

static inline void add_store(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_ST, 2);
    struct ptx_reg *base = pick(s, false, true);
    struct ptx_reg *two[2] = {pick(s, false, false), pick(s, false, false)};
    inst->operands[0] = use_group(s, PTX_OPERAND_MEM, &base, 1);
    inst->operands[1] = use_group(s, PTX_OPERAND_VEC, two, 2);
}

static inline void add_atomic(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_ATOM, 4);
    struct ptx_reg *base = pick(s, false, true);
    inst->operands[0] = random_below(&s->rng, 3) ? set(s, pick(s, false, false))
                                                 : (struct ptx_operand){.kind = PTX_OPERAND_SINK};
    inst->operands[1] = use_group(s, PTX_OPERAND_MEM, &base, 1);
    inst->operands[2] = use(s, pick(s, false, false));
    inst->operands[3] = use(s, pick(s, false, false));
    effect_of_last(s)->apart = true;
}

static inline void add_shuffle(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_SHFL, 3);
    struct ptx_operand pair = {.kind = PTX_OPERAND_PAIR, .n_items = 2};
    pair.items = ARENA_ARRAY(&s->b.arena, struct ptx_operand, 2);
    pair.items[0] = set(s, pick(s, false, false));
    pair.items[1] = set(s, pick(s, true, false));
    inst->operands[0] = pair;
    inst->operands[1] = use(s, pick(s, false, false));
    inst->operands[2] = use(s, pick(s, false, false));
    effect_of_last(s)->apart = true;
}

static inline void add_barrier_reduction(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_BAR, 3);
    inst->mods[inst->n_mods++] = PTX_MOD_BAR_RED;
    inst->operands[0] = set(s, pick(s, true, false));
    inst->operands[1] = use(s, pick(s, false, false));
    inst->operands[2] = use(s, pick(s, true, false));
}

static inline void add_call(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_CALL, 3);
    struct ptx_reg *result = pick(s, false, false);
    struct ptx_reg *args[2] = {pick(s, false, false), pick(s, false, true)};
    inst->operands[0] = set_group(s, PTX_OPERAND_LIST, &result, 1);
    inst->operands[1] = use(s, pick(s, false, true));
    inst->operands[2] = use_group(s, PTX_OPERAND_LIST, args, 2);
    effect_of_last(s)->apart = true;
}

static inline void add_branch(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_BRA, 1);
    inst->operands[0] = operand_label(random_below(&s->rng, s->b.f.n_labels));
}

static inline void add_switch(struct sample *s)
{
    struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_BRX, 2);
    uint32_t table[3];
    for (uint32_t k = 0; k < 3; k++)
        table[k] = random_below(&s->rng, s->b.f.n_labels);
    inst->operands[0] = use(s, pick(s, false, false));
    inst->operands[1] = operand_table(&s->b, table, 3);
}

static inline void add_return(struct sample *s)
{
    builder_inst(&s->b, PTX_OP_RET, 0);
}

static inline void guard_last(struct sample *s)
{
    struct effect *e = effect_of_last(s);
    struct ptx_reg *guard = pick(s, true, false);
    s->b.f.insts[s->b.f.n_insts - 1].guard = guard;
    e->reads[e->n_reads++] = guard->index;
    e->guarded = true;
}

static inline void make_sample(struct sample *s, uint64_t seed, bool straight)
{
    static void (*const makers[])(struct sample *) = {
        add_add,  add_add,    add_setp,   add_unpack,  add_pack,
        add_load, add_store,  add_atomic, add_shuffle, add_barrier_reduction,
        add_call, add_branch, add_branch, add_switch,  add_return,
    };
    enum { N_MAKERS = sizeof makers / sizeof makers[0], N_STRAIGHT = N_MAKERS - 4 };
    memset(s->effects, 0, sizeof s->effects);
    s->rng = seed * 0x9e3779b97f4a7c15u + 1;
    builder_init(&s->b);
    static const enum ptx_type types[] = {PTX_B32, PTX_F64, PTX_PRED, PTX_U16, PTX_B64, PTX_F32};
    uint32_t n_regs = 6 + random_below(&s->rng, seed % 3 ? 34 : 180);
    for (uint32_t k = 0; k < n_regs; k++)
        builder_reg(&s->b, types[k % 6]);
    uint32_t n = 4 + random_below(&s->rng, seed % 3 ? 75 : 200);
    for (uint32_t k = 0; k < 6; k++)
        builder_label(&s->b, random_below(&s->rng, n + 1));
    for (uint32_t i = 0; i < n; i++) {
        makers[random_below(&s->rng, straight ? N_STRAIGHT : N_MAKERS)](s);
        if (random_below(&s->rng, 4) == 0)
            guard_last(s);
    }
}

/* In single-assignment form. Each instruction makes a new 32-bit register from two that were surely
 * made before: in the entry block or since the last place that control comes to or leaves from. */
static inline void make_single_assignment(struct sample *s, uint64_t seed)
{
    enum { N_ENTRY = 12, N = 60 };
    memset(s->effects, 0, sizeof s->effects);
    s->rng = seed * 0x9e3779b97f4a7c15u + 1;
    builder_init(&s->b);
    bool has_label[N + 1] = {false};
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t at = N_ENTRY + random_below(&s->rng, N - N_ENTRY);
        has_label[at] = true;
        builder_label(&s->b, at);
    }
    struct ptx_reg *made[N] = {NULL};
    struct ptx_reg *pred = builder_reg(&s->b, PTX_PRED);
    uint32_t since = 0;
    for (uint32_t i = 0; i < N; i++) {
        if (has_label[i])
            since = i;
        if (i >= N_ENTRY && random_below(&s->rng, 4) == 0) {
            add_branch(s);
            s->b.f.insts[i].guard = pred;
            struct effect *e = effect_of_last(s);
            e->reads[e->n_reads++] = pred->index;
            e->guarded = true;
            since = i + 1;
            continue;
        }
        struct ptx_inst *inst = builder_inst(&s->b, PTX_OP_ADD, 3);
        for (uint32_t k = 1; k <= 2; k++) {
            uint32_t from = random_below(&s->rng, i > since ? i - since + 1 : 1) + since;
            if (from >= i || random_below(&s->rng, 2))
                from = random_below(&s->rng, N_ENTRY);
            inst->operands[k] = made[from] && from < i
                                    ? use(s, made[from])
                                    : (struct ptx_operand){.kind = PTX_OPERAND_IMM};
        }
        made[i] = builder_reg(&s->b, PTX_B32);
        inst->operands[0] = set(s, made[i]);
    }
}

#endif
