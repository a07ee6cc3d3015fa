/* The EXEC rows of isa.def as a table, and which one an instruction takes. */
#ifndef HEDDLE_PTX_EXEC_MATCH_H
#define HEDDLE_PTX_EXEC_MATCH_H

#include "ptx/program.h"

struct exec_row {
    enum ptx_opcode op;
    const char *types, *mods;
    const char *shape;   /* "BIN", "CUSTOM", ... */
    const char *td, *ts; /* C types of the destination and the sources */
    const char *name;
};
extern const struct exec_row exec_rows[N_EXEC];

/* The first matching row after `after` (N_EXEC = from the start), or N_EXEC. */
enum exec_id exec_match(const struct ptx_inst *inst, enum exec_id after);

/* Bits of the C type in a row: "u32" -> 32, "p" -> 1. */
uint32_t exec_type_bits(const char *ctype);

#endif
