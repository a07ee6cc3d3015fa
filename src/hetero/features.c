#include "hetero/features.h"

#include "ptx/inst_kind.h"
#include "ptx/uniform.h"

const struct hetero_feature_info hetero_features[HETERO_N_FEATURES] = {
#define COUNT(id, name, meaning)  [HETERO_##id] = {name, meaning, false},
#define LAUNCH(id, name, meaning) [HETERO_##id] = {name, meaning, true},
#include "hetero/features.def"
};

enum kind { KIND_NONE, KIND_BRANCH, KIND_ATOMIC, KIND_MEMORY, KIND_BARRIER, KIND_ALU };

static bool is_param_access(const struct ptx_inst *inst)
{
    return (inst->op == PTX_OP_LD || inst->op == PTX_OP_ST) && ptx_inst_space(inst) == PTX_PARAM;
}

static enum kind kind_of(const struct ptx_inst *inst)
{
    switch (inst->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
        return KIND_NONE;
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_CALL:
        return KIND_BRANCH;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return KIND_ATOMIC;
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
        return is_param_access(inst) ? KIND_NONE : KIND_MEMORY;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return KIND_BARRIER;
    default:
        return KIND_ALU;
    }
}

static void count_for_cmp(enum kind kind, bool varies, uint64_t *n)
{
    n[HETERO_BRANCH] += kind == KIND_BRANCH;
    n[HETERO_ATOMIC] += kind == KIND_ATOMIC;
    n[varies ? HETERO_VECTOR_MEM : HETERO_SCALAR_MEM] += kind == KIND_MEMORY;
    n[varies ? HETERO_VECTOR_ALU : HETERO_SCALAR_ALU] += kind == KIND_ALU;
}

/* Branches are the same for both targets and have been counted already. */
static void count_for_gpu(enum kind kind, const struct ptx_inst *inst, uint64_t *n)
{
    n[HETERO_MEM] += kind == KIND_MEMORY || kind == KIND_ATOMIC;
    n[HETERO_BARRIER] += kind == KIND_BARRIER;
    if (kind == KIND_ALU)
        n[ptx_inst_is_special_math(inst)  ? HETERO_MATH
          : ptx_inst_has_float_type(inst) ? HETERO_FP
                                          : HETERO_INT]++;
}

static void note_doubt(struct hetero_doubt *d, const struct ptx_func *f,
                       const struct ptx_inst *inst)
{
    if (d->n++ == 0) {
        d->func = f;
        d->inst = inst;
    }
}

static struct hetero_counts count_function(const struct uniform *u)
{
    struct hetero_counts counts = {0};
    for (uint32_t i = 0; i < u->func->n_insts; i++) {
        const struct ptx_inst *inst = &u->func->insts[i];
        enum kind kind = kind_of(inst);
        count_for_cmp(kind, u->inst_varies[i], counts.n);
        count_for_gpu(kind, inst, counts.n);
        if (inst->refused && kind != KIND_NONE)
            note_doubt(&counts.unsupported, u->func, inst);
        if (inst->op == PTX_OP_CALL && !u->callees[i])
            note_doubt(&counts.unknown_calls, u->func, inst);
    }
    return counts;
}

/* False if the sum is beyond 64 bits. */
static bool add_times(uint64_t *sum, uint64_t n_calls, uint64_t n)
{
    uint64_t product;
    return !__builtin_mul_overflow(n_calls, n, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

static bool add_doubts(struct hetero_doubt *sum, uint64_t n_calls, struct hetero_doubt d)
{
    if (sum->n == 0 && d.n) {
        sum->func = d.func;
        sum->inst = d.inst;
    }
    return add_times(&sum->n, n_calls, d.n);
}

/* Adds a function as often as the kernel calls it. */
static bool add_function(struct hetero_counts *counts, const struct uniform *u)
{
    struct hetero_counts own = count_function(u);
    bool ok = true;
    for (int f = 0; f < HETERO_N_FEATURES; f++)
        ok = ok && add_times(&counts->n[f], u->n_calls, own.n[f]);
    return ok && add_doubts(&counts->unsupported, u->n_calls, own.unsupported) &&
           add_doubts(&counts->unknown_calls, u->n_calls, own.unknown_calls);
}

bool hetero_count(const struct ptx_func *kernel, struct hetero_counts *counts, struct strbuf *why)
{
    struct uniform_cache cache = {0};
    const struct uniform *u = uniform_analyse(&cache, kernel, why);
    bool ok = u != NULL;
    *counts = (struct hetero_counts){0};
    for (; ok && u; u = u->next)
        if (u->n_calls && !add_function(counts, u)) {
            strbuf_add(why, "its instructions, counted once for each call, are 2^64 or more");
            ok = false;
        }
    uniform_cache_destroy(&cache);
    return ok;
}
