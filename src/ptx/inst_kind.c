#include "ptx/inst_kind.h"

#include <string.h>

/* Is one of the dotted words (".2d.v4.f32.s32") a float type? */
static bool have_float_type(const char *words)
{
    while (*words) {
        size_t len = strcspn(++words, ".");
        for (uint32_t t = 1; t < PTX_N_TYPES; t++)
            if (ptx_types[t].kind == 'f' && strlen(ptx_types[t].text) == len &&
                memcmp(ptx_types[t].text, words, len) == 0)
                return true;
        words += len;
    }
    return false;
}

/* .f32x2 is a type to PTX and a modifier to Heddle, which cannot execute it. */
bool ptx_inst_has_float_type(const struct ptx_inst *inst)
{
    for (uint32_t k = 0; k < inst->n_types; k++)
        if (ptx_types[inst->types[k]].kind == 'f')
            return true;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        if (inst->mods[k] == PTX_MOD_OTHER_F32X2)
            return true;
    return inst->words && have_float_type(inst->words);
}

bool ptx_inst_is_special_math(const struct ptx_inst *inst)
{
    switch (inst->op) {
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_EX2:
    case PTX_OP_LG2:
    case PTX_OP_TANH:
    case PTX_OP_RCP:
    case PTX_OP_RSQRT:
    case PTX_OP_SQRT:
        return true;
    case PTX_OP_DIV:
        return ptx_inst_has_float_type(inst);
    default:
        return false;
    }
}
