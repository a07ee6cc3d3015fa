#include "ptx/unsupported.h"

#include <string.h>

#include "ptx/exec_match.h"

/* The GPU features that refused instructions belong to. */
#define TEXTURES "textures"
#define SURFACES "surfaces"
#define MATRICES "matrix units"
#define ASYNC    "asynchronous copies and their barriers"
#define CLUSTERS "thread block clusters"
#define POLICIES "cache eviction policies"
#define VIDEO    "video instructions other than the four-byte ones"
static const char *const refused_parts[PTX_N_OPCODES] = {
    [PTX_OP_TEX] = TEXTURES,
    [PTX_OP_TLD4] = TEXTURES,
    [PTX_OP_TXQ] = TEXTURES,
    [PTX_OP_ISTYPEP] = TEXTURES,
    [PTX_OP_SULD] = SURFACES,
    [PTX_OP_SUST] = SURFACES,
    [PTX_OP_SURED] = SURFACES,
    [PTX_OP_SUQ] = SURFACES,
    [PTX_OP_WMMA] = MATRICES,
    [PTX_OP_MMA] = MATRICES,
    [PTX_OP_WGMMA] = MATRICES,
    [PTX_OP_TCGEN05] = MATRICES,
    [PTX_OP_LDMATRIX] = MATRICES,
    [PTX_OP_STMATRIX] = MATRICES,
    [PTX_OP_MOVMATRIX] = MATRICES,
    [PTX_OP_CP] = ASYNC,
    [PTX_OP_MBARRIER] = ASYNC,
    [PTX_OP_ST_ASYNC] = ASYNC,
    [PTX_OP_RED_ASYNC] = ASYNC,
    [PTX_OP_TENSORMAP] = ASYNC,
    [PTX_OP_ELECT] = ASYNC,
    [PTX_OP_MAPA] = CLUSTERS,
    [PTX_OP_GETCTARANK] = CLUSTERS,
    [PTX_OP_CLUSTERLAUNCHCONTROL] = CLUSTERS,
    [PTX_OP_GRIDDEPCONTROL] = "launches that depend on each other",
    [PTX_OP_MULTIMEM] = "addresses shared by several GPUs",
    [PTX_OP_CREATEPOLICY] = POLICIES,
    [PTX_OP_APPLYPRIORITY] = POLICIES,
    [PTX_OP_DISCARD] = POLICIES,
    [PTX_OP_SETMAXNREG] = "changes of the number of registers at run time",
    [PTX_OP_ALLOCA] = "allocations on the stack at run time",
    [PTX_OP_STACKSAVE] = "allocations on the stack at run time",
    [PTX_OP_STACKRESTORE] = "allocations on the stack at run time",
    [PTX_OP_VADD] = VIDEO,
    [PTX_OP_VSUB] = VIDEO,
    [PTX_OP_VABSDIFF] = VIDEO,
    [PTX_OP_VMIN] = VIDEO,
    [PTX_OP_VMAX] = VIDEO,
    [PTX_OP_VSHL] = VIDEO,
    [PTX_OP_VSHR] = VIDEO,
    [PTX_OP_VMAD] = VIDEO,
    [PTX_OP_VSET] = VIDEO,
    [PTX_OP_VADD2] = VIDEO,
    [PTX_OP_VSUB2] = VIDEO,
    [PTX_OP_VAVRG2] = VIDEO,
    [PTX_OP_VABSDIFF2] = VIDEO,
    [PTX_OP_VMIN2] = VIDEO,
    [PTX_OP_VMAX2] = VIDEO,
    [PTX_OP_VSET2] = VIDEO,
    [PTX_OP_VSET4] = VIDEO,
};

/* Functions that runtime libraries would supply, recognised by a word in their (possibly mangled)
 * names. */
static const struct {
    const char *word, *part;
} refused_calls[] = {
    {"__cudaCDP", "dynamic parallelism"},
    {"cudaLaunchDevice", "dynamic parallelism"},
    {"cudaGetParameterBuffer", "dynamic parallelism"},
    {"cudaDeviceSynchronize", "dynamic parallelism"},
    {"read_image", "OpenCL images"},
    {"write_image", "OpenCL images"},
    {"get_image_", "OpenCL images"},
    {"__translate_sampler_initializer", "OpenCL images"},
};

static const char *why_not_callable(const struct ptx_func *f, struct arena *arena)
{
    if (f->alias_of)
        f = f->alias_of;
    if (f->has_body || ptx_find_host_function(f->name) != PTX_N_HOST_FUNCTIONS)
        return NULL;
    for (size_t k = 0; k < sizeof refused_calls / sizeof refused_calls[0]; k++)
        if (strstr(f->name, refused_calls[k].word))
            return arena_printf(arena, "%s is not supplied: Heddle has no %s", f->name,
                                refused_calls[k].part);
    return arena_printf(arena, "%s has no body in this module and Heddle does not supply it",
                        f->name);
}

/* Variables of other modules: modules are not linked. Unsized shared variables belong to the
 * launch. */
static bool is_elsewhere(const struct ptx_var *var)
{
    return var->linkage == PTX_LINK_EXTERN && var->space != PTX_SHARED;
}

static const char *why_operand(const struct ptx_operand *operand, struct arena *arena)
{
    const char *why = NULL;
    if (operand->kind == PTX_OPERAND_FUNC)
        why = why_not_callable(operand->func, arena);
    else if (operand->kind == PTX_OPERAND_VAR && is_elsewhere(operand->var))
        why = arena_printf(arena, "%s is not defined in this module", operand->var->name);
    else if (operand->kind == PTX_OPERAND_SREG && operand->sreg >= PTX_N_SUPPORTED_SREGS)
        why = arena_printf(arena, "special register %s is not supported",
                           ptx_sreg_name(operand->sreg));
    else if (operand->kind == PTX_OPERAND_REG && ptx_types[operand->reg->type].bits > 64)
        why = "128-bit registers are not supported";
    for (uint32_t k = 0; k < operand->n_items && !why; k++)
        why = why_operand(&operand->items[k], arena);
    return why;
}

const char *ptx_why_unsupported(const struct ptx_inst *inst, struct arena *arena)
{
    if (refused_parts[inst->op])
        return arena_printf(arena, "%s are not supported", refused_parts[inst->op]);
    for (uint32_t k = 0; k < inst->n_operands; k++) {
        const char *why = why_operand(&inst->operands[k], arena);
        if (why)
            return why;
    }
    enum ptx_mod other = ptx_inst_mod(inst, PTX_GROUP_OTHER);
    if (other != PTX_NO_MOD)
        return arena_printf(arena, "modifier .%s is not supported", ptx_mods[other].text);
    if (inst->refused || exec_match(inst, N_EXEC) == N_EXEC)
        return arena_printf(arena, "this form of %s is not supported", ptx_insts[inst->op].text);
    return NULL;
}
