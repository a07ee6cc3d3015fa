/* The cost of a kernel's operations on CPU cores, from its PTX. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/cmp.h"
#include "ptx/inst_kind.h"
#include "ptx/uniform.h"

static const struct program_func *find_func(const struct program *p, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < p->module->n_funcs; i++)
        if (p->funcs[i].func == f)
            return &p->funcs[i];
    return NULL;
}

/* A function that is called in several ways is uniform only where all of them are. */
static void note_uniform(const struct program *p, const struct uniform *u, uint8_t *reached,
                         struct cmp_op *ops)
{
    const struct program_func *f = find_func(p, u->func);
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        uint32_t i = pc - f->entry;
        bool varies = u->inst_varies[i];
        ops[pc].varies = reached[pc] ? ops[pc].varies || varies : varies;
        reached[pc] = true;
    }
}

/* Where nothing is known, everything varies. */
static void find_uniform(const struct program *p, const struct program_func *kernel,
                         struct cmp_op *ops)
{
    struct uniform_cache cache = {0};
    struct strbuf why = {0};
    uint8_t *reached = xcalloc(p->n_ops, 1);
    const struct uniform *u = uniform_analyse(&cache, kernel->func, &why);
    for (; u; u = u->next)
        if (u->n_calls)
            note_uniform(p, u, reached, ops);
    free(reached);
    strbuf_destroy(&why);
    uniform_cache_destroy(&cache);
}

static void classify(const struct program *p, uint32_t pc, uint32_t math_insts, struct cmp_op *o)
{
    const struct ptx_inst *inst = p->info[pc].inst;
    *o = (struct cmp_op){.varies = true, .n_insts = 1};
    switch (p->ops[pc].klass) {
    case PTX_CLASS_LD_GLOBAL:
    case PTX_CLASS_LD_SHARED:
    case PTX_CLASS_LD_LOCAL:
    case PTX_CLASS_LD_CONST:
        o->loads = true;
        break;
    case PTX_CLASS_ST_GLOBAL:
    case PTX_CLASS_ST_SHARED:
    case PTX_CLASS_ST_LOCAL:
        o->stores = true;
        break;
    case PTX_CLASS_ATOMIC:
        o->loads = o->stores = true;
        break;
    default:
        if (inst && ptx_inst_is_special_math(inst))
            o->n_insts = (uint8_t)math_insts;
    }
}

struct cmp_op *cmp_ops_build(const struct program *p, const struct program_func *kernel,
                             uint32_t math_insts)
{
    struct cmp_op *ops = xcalloc(p->n_ops, sizeof *ops);
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        classify(p, pc, math_insts, &ops[pc]);
    find_uniform(p, kernel, ops);
    return ops;
}
