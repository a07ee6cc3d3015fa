/* Makes functions by hand, for tests on random programs: no text, no parser. */
#ifndef HEDDLE_TEST_FUNC_BUILDER_H
#define HEDDLE_TEST_FUNC_BUILDER_H

#include <assert.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum { BUILDER_MAX = 512 }; /* instructions, registers, labels */

struct func_builder {
    struct arena arena;
    struct ptx_func f;
};

static inline void builder_init(struct func_builder *b)
{
    *b = (struct func_builder){0};
    b->f.name = "made_by_hand";
    b->f.has_body = b->f.is_entry = true;
    b->f.insts = ARENA_ARRAY(&b->arena, struct ptx_inst, BUILDER_MAX);
    b->f.regs = ARENA_ARRAY(&b->arena, struct ptx_reg, BUILDER_MAX);
    b->f.labels = ARENA_ARRAY(&b->arena, struct ptx_label, BUILDER_MAX);
}

static inline struct ptx_reg *builder_reg(struct func_builder *b, enum ptx_type type)
{
    assert(b->f.n_regs < BUILDER_MAX);
    struct ptx_reg *reg = &b->f.regs[b->f.n_regs];
    reg->name = arena_printf(&b->arena, "%%x%u", b->f.n_regs);
    reg->type = type;
    reg->index = b->f.n_regs++;
    return reg;
}

/* A label that stands before instruction `at`. */
static inline uint32_t builder_label(struct func_builder *b, uint32_t at)
{
    assert(b->f.n_labels < BUILDER_MAX);
    b->f.labels[b->f.n_labels].at = at;
    return b->f.n_labels++;
}

static inline struct ptx_inst *builder_inst(struct func_builder *b, enum ptx_opcode op,
                                            uint32_t n_operands)
{
    assert(b->f.n_insts < BUILDER_MAX);
    struct ptx_inst *inst = &b->f.insts[b->f.n_insts++];
    inst->op = op;
    inst->n_operands = n_operands;
    inst->operands = ARENA_ARRAY(&b->arena, struct ptx_operand, n_operands);
    return inst;
}

static inline struct ptx_operand operand_reg(struct ptx_reg *reg)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = reg};
}

static inline struct ptx_operand operand_label(uint32_t label)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .label = label};
}

static inline struct ptx_operand operand_group(struct func_builder *b, enum ptx_operand_kind kind,
                                               struct ptx_reg *const *regs, uint32_t n)
{
    struct ptx_operand group = {.kind = kind, .n_items = n};
    group.items = ARENA_ARRAY(&b->arena, struct ptx_operand, n);
    for (uint32_t k = 0; k < n; k++)
        group.items[k] = operand_reg(regs[k]);
    return group;
}

static inline struct ptx_operand operand_table(struct func_builder *b, const uint32_t *labels,
                                               uint32_t n)
{
    struct ptx_targets *targets = ARENA_NEW(&b->arena, struct ptx_targets);
    targets->labels = ARENA_ARRAY(&b->arena, uint32_t, n);
    targets->n = n;
    for (uint32_t k = 0; k < n; k++)
        targets->labels[k] = labels[k];
    return (struct ptx_operand){.kind = PTX_OPERAND_TARGETS, .targets = targets};
}

/* xorshift: the tests make the same programs everywhere. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % limit;
}

#endif
