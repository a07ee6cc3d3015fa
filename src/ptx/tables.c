/* The tables of types, modifiers, instructions, special registers and classes, generated from the
 * lists in isa.def and ptx.h. */
#include "ptx/ptx.h"

#include <assert.h>

const struct ptx_type_info ptx_types[PTX_N_TYPES] = {[PTX_NO_TYPE] = {"", 0, ' '},
#define TYPE(id, text, bits, kind) [PTX_##id] = {text, bits, kind},
                                                     PTX_TYPES(TYPE)
#undef TYPE
};

const struct ptx_mod_info ptx_mods[PTX_N_MODS] = {
    [PTX_NO_MOD] = {"", 0},
#define MOD(group, id, text) [PTX_MOD_##group##_##id] = {text, PTX_GROUP_##group},
#include "ptx/isa.def"
};

const struct ptx_inst_info ptx_insts[PTX_N_OPCODES] = {
#define INST(id, text, unit, format, groups, types)                                                \
    [PTX_OP_##id] = {text, PTX_UNIT_##unit, format, groups, types},
#include "ptx/isa.def"
};

/* Sets of groups are 64-bit masks, and an instruction stores its modifiers as bytes. */
static_assert(PTX_N_GROUPS <= 64, "too many modifier groups");
static_assert(PTX_N_MODS <= 256, "too many modifiers");

const char *const ptx_class_names[PTX_N_CLASSES] = {
#define CLASS(id, text, help) text,
    PTX_CLASSES(CLASS)
#undef CLASS
};

const char *const ptx_class_helps[PTX_N_CLASSES] = {
#define CLASS(id, text, help) help,
    PTX_CLASSES(CLASS)
#undef CLASS
};

static const char *const sreg_names[PTX_N_SREGS] = {
#define SREG(id, text) [PTX_SREG_##id] = text,
    PTX_SREGS(SREG) PTX_REFUSED_SREGS(SREG)
#undef SREG
#define ENVREG(n) [PTX_SREG_ENVREG0 + n] = "%envreg" #n
        ENVREG(1),
    ENVREG(2),
    ENVREG(3),
    ENVREG(4),
    ENVREG(5),
    ENVREG(6),
    ENVREG(7),
    ENVREG(8),
    ENVREG(9),
    ENVREG(10),
    ENVREG(11),
    ENVREG(12),
    ENVREG(13),
    ENVREG(14),
    ENVREG(15),
    ENVREG(16),
    ENVREG(17),
    ENVREG(18),
    ENVREG(19),
    ENVREG(20),
    ENVREG(21),
    ENVREG(22),
    ENVREG(23),
    ENVREG(24),
    ENVREG(25),
    ENVREG(26),
    ENVREG(27),
    ENVREG(28),
    ENVREG(29),
    ENVREG(30),
    ENVREG(31),
#undef ENVREG
};

const char *ptx_sreg_name(uint32_t sreg)
{
    return sreg < PTX_N_SREGS ? sreg_names[sreg] : NULL;
}
