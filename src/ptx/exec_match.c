/* Finds the EXEC row of isa.def for an instruction. */
#include "ptx/exec_match.h"

#include <string.h>

const struct exec_row exec_rows[N_EXEC] = {
#define EXEC(id, inst, types, mods, shape, td, ts, expr)                                           \
    {PTX_OP_##inst, types, mods, #shape, #td, #ts, #id},
#include "ptx/isa.def"
};

/* Instructions that execute like another one. */
static enum ptx_opcode executes_like(enum ptx_opcode op)
{
    switch (op) {
    case PTX_OP_RED:
        return PTX_OP_ATOM;
    case PTX_OP_LDU:
        return PTX_OP_LD;
    case PTX_OP_FENCE:
        return PTX_OP_MEMBAR;
    case PTX_OP_BARRIER:
        return PTX_OP_BAR;
    case PTX_OP_PREFETCHU:
    case PTX_OP_BRKPT:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PMEVENT:
        return PTX_OP_PREFETCH;
    case PTX_OP_VADD4:
    case PTX_OP_VSUB4:
    case PTX_OP_VAVRG4:
    case PTX_OP_VMIN4:
    case PTX_OP_VMAX4:
        return PTX_OP_VABSDIFF4;
    default:
        return op;
    }
}

/* Modifier groups that change the result; the match ignores the others. */
static bool group_matters(uint8_t group)
{
    switch (group) {
    case PTX_GROUP_RND:
    case PTX_GROUP_RNDI:
    case PTX_GROUP_FTZ:
    case PTX_GROUP_SAT:
    case PTX_GROUP_APPROX:
    case PTX_GROUP_CMP:
    case PTX_GROUP_HALF:
    case PTX_GROUP_CC:
    case PTX_GROUP_SHIFT:
    case PTX_GROUP_SHIFTDIR:
    case PTX_GROUP_SHIFTAMT:
    case PTX_GROUP_PRMT:
    case PTX_GROUP_NAN:
    case PTX_GROUP_XORSIGN:
    case PTX_GROUP_RELU:
        return true;
    default:
        return false;
    }
}

/* The word used in the rows: unsigned comparisons have separate names in PTX. */
static const char *row_word(uint8_t mod)
{
    switch (mod) {
    case PTX_MOD_CMP_LO:
        return "lt";
    case PTX_MOD_CMP_LS:
        return "le";
    case PTX_MOD_CMP_HI:
        return "gt";
    case PTX_MOD_CMP_HS:
        return "ge";
    default:
        return ptx_mods[mod].text;
    }
}

/* Is `word` in `list`, whose words are separated by spaces and end at ',' or the end? */
static bool list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    while (*list && *list != ',') {
        size_t len = strcspn(list, " ,");
        if (len == n && strncmp(list, word, n) == 0)
            return true;
        list += len;
        while (*list == ' ')
            list++;
    }
    return false;
}

static uint32_t count_words(const char *list)
{
    uint32_t n = 0;
    while (*list) {
        n++;
        list += strcspn(list, " ");
        list += strspn(list, " ");
    }
    return n;
}

static bool mods_fit(const struct exec_row *row, const struct ptx_inst *inst)
{
    if (strcmp(row->mods, "*") == 0)
        return true;
    uint32_t n = 0;
    for (uint32_t i = 0; i < inst->n_mods; i++) {
        uint8_t mod = inst->mods[i];
        if (!group_matters(ptx_mods[mod].group))
            continue;
        if (mod == PTX_MOD_RND_RN && inst->op != PTX_OP_CVT)
            continue; /* the default of float arithmetic */
        if (!list_has(row->mods, row_word(mod)))
            return false;
        n++;
    }
    return n == count_words(row->mods);
}

static bool types_fit(const struct exec_row *row, const struct ptx_inst *inst)
{
    const char *slot = row->types;
    if (!*slot)
        return true;
    for (uint32_t i = 0; *slot; i++) {
        if (i >= inst->n_types || !list_has(slot, ptx_types[inst->types[i]].text))
            return false;
        slot += strcspn(slot, ",");
        slot += *slot == ',';
    }
    return true;
}

enum exec_id exec_match(const struct ptx_inst *inst, enum exec_id after)
{
    enum ptx_opcode op = executes_like(inst->op);
    for (uint32_t i = after == N_EXEC ? 0 : (uint32_t)after + 1; i < N_EXEC; i++) {
        const struct exec_row *row = &exec_rows[i];
        if (row->op == op && types_fit(row, inst) && mods_fit(row, inst))
            return (enum exec_id)i;
    }
    return N_EXEC;
}

uint32_t exec_type_bits(const char *ctype)
{
    if (strcmp(ctype, "p") == 0)
        return 1;
    return strstr(ctype, "64") ? 64 : strstr(ctype, "32") ? 32 : strstr(ctype, "16") ? 16 : 8;
}
