/* Queries on a parsed module and its instructions. */
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

void ptx_module_destroy(struct ptx_module *m)
{
    if (!m)
        return;
    arena_destroy(&m->arena);
    free(m);
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        struct ptx_func *f = m->funcs[i];
        if (!strcmp(f->name, name))
            return f->alias_of ? f->alias_of : f;
    }
    return NULL;
}

enum ptx_mod ptx_inst_mod(const struct ptx_inst *i, enum ptx_mod_group group)
{
    for (uint32_t k = 0; k < i->n_mods; k++)
        if (ptx_mods[i->mods[k]].group == group)
            return i->mods[k];
    return PTX_NO_MOD;
}

uint32_t ptx_inst_vector(const struct ptx_inst *i)
{
    switch (ptx_inst_mod(i, PTX_GROUP_VEC)) {
    case PTX_MOD_VEC_V2:
        return 2;
    case PTX_MOD_VEC_V4:
        return 4;
    case PTX_MOD_VEC_V8:
        return 8;
    default:
        return 0;
    }
}

enum ptx_space ptx_inst_space(const struct ptx_inst *i)
{
    switch (ptx_inst_mod(i, PTX_GROUP_SPACE)) {
    case PTX_MOD_SPACE_GLOBAL:
        return PTX_GLOBAL;
    case PTX_MOD_SPACE_SHARED:
    case PTX_MOD_SPACE_SHARED_CTA:
        return PTX_SHARED;
    case PTX_MOD_SPACE_LOCAL:
        return PTX_LOCAL;
    case PTX_MOD_SPACE_CONST:
        return PTX_CONST;
    case PTX_MOD_SPACE_PARAM:
    case PTX_MOD_SPACE_PARAM_ENTRY:
    case PTX_MOD_SPACE_PARAM_FUNC:
        return PTX_PARAM;
    default:
        return PTX_GENERIC;
    }
}

/* Comparisons are classified by what they compare, everything else by its result. */
static enum ptx_class alu_class(const struct ptx_inst *i)
{
    if (!i->n_types)
        return PTX_CLASS_INT;
    bool compares = i->op == PTX_OP_SET;
    const struct ptx_type_info *t = &ptx_types[i->types[compares ? i->n_types - 1 : 0]];
    if (t->kind != 'f')
        return PTX_CLASS_INT;
    switch (i->types[compares ? i->n_types - 1 : 0]) {
    case PTX_F32:
    case PTX_TF32:
        return PTX_CLASS_FP32;
    case PTX_F64:
        return PTX_CLASS_FP64;
    default:
        return PTX_CLASS_FP16;
    }
}

static enum ptx_class load_class(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return PTX_CLASS_LD_SHARED;
    case PTX_LOCAL:
        return PTX_CLASS_LD_LOCAL;
    case PTX_CONST:
        return PTX_CLASS_LD_CONST;
    case PTX_PARAM:
        return PTX_CLASS_MOVE;
    default:
        return PTX_CLASS_LD_GLOBAL;
    }
}

static enum ptx_class store_class(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return PTX_CLASS_ST_SHARED;
    case PTX_LOCAL:
        return PTX_CLASS_ST_LOCAL;
    case PTX_PARAM:
        return PTX_CLASS_MOVE;
    default:
        return PTX_CLASS_ST_GLOBAL;
    }
}

enum ptx_class ptx_inst_class(const struct ptx_inst *i)
{
    switch (ptx_insts[i->op].unit) {
    case PTX_UNIT_ALU:
        return alu_class(i);
    case PTX_UNIT_SFU:
        return PTX_CLASS_SFU;
    case PTX_UNIT_MOVE:
        return PTX_CLASS_MOVE;
    case PTX_UNIT_CVT:
        return PTX_CLASS_CVT;
    case PTX_UNIT_LOAD:
        return load_class(ptx_inst_space(i));
    case PTX_UNIT_STORE:
        return store_class(ptx_inst_space(i));
    case PTX_UNIT_ATOMIC:
        return PTX_CLASS_ATOMIC;
    case PTX_UNIT_BRANCH:
        return PTX_CLASS_BRANCH;
    case PTX_UNIT_CALL:
        return PTX_CLASS_CALL;
    case PTX_UNIT_BARRIER:
        return PTX_CLASS_BARRIER;
    case PTX_UNIT_FENCE:
        return PTX_CLASS_FENCE;
    case PTX_UNIT_WARP:
        return PTX_CLASS_WARP;
    case PTX_UNIT_MISC:
    case PTX_UNIT_REFUSED:
        return PTX_CLASS_MISC;
    }
    return PTX_CLASS_MISC;
}
