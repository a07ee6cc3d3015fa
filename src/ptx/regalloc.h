/* Register allocation by liveness. Virtual registers of a function are mapped to small files:
 * 32-bit rows (also for 8- and 16-bit types), 64-bit rows, predicates. The files are separate
 * because a row holds one register of 32 lanes, and lanes on different paths may use a row at the
 * same time: with one width per row their masked writes cannot collide.
 *
 * Free registers are reused oldest first, so that a register is reused as late as possible (fewer
 * false dependences for a scoreboard). Nothing is spilled. */
#ifndef HEDDLE_PTX_REGALLOC_H
#define HEDDLE_PTX_REGALLOC_H

#include "ptx/cfg.h"

enum ptx_reg_file { PTX_FILE_NONE, PTX_FILE_32, PTX_FILE_64, PTX_FILE_PRED };

struct ptx_alloc {
    struct ptx_place {
        uint8_t file;    /* enum ptx_reg_file; NONE = never used, or .b128, which no file holds */
        uint16_t number; /* in its file */
    } * places;          /* per register of the function (ptx_reg.index) */
    uint32_t n_32, n_64, n_preds; /* sizes of the files */
    /* The most 32-bit registers live at once (64-bit values count 2, predicates 0): what a thread
     * of this function needs on a machine with one 32-bit register file. */
    uint32_t pressure;
};

/* The registers that instruction i reads (operands, guard, addresses) and writes, as register
 * indices. Both arrays have room for PTX_MAX_INST_REGS. For liveness, a guarded instruction's
 * destination also counts as read (its old value survives in lanes where the guard is false):
 * *n_reads includes it only with `for_liveness`. A register named twice is listed twice.
 * Instructions of the matrix units, which are refused, name up to 132; registers beyond the size of
 * the arrays are omitted. */
enum { PTX_MAX_INST_REGS = 256 };
void ptx_inst_regs(const struct ptx_inst *inst, bool for_liveness, uint32_t *reads,
                   uint32_t *n_reads, uint32_t *writes, uint32_t *n_writes);

/* NULL if a file would need more than PTX_MAX_ROWS. No real program comes near. The limit keeps an
 * index within 14 bits, so that operands have room for flags. */
enum { PTX_MAX_ROWS = 1 << 14 };
struct ptx_alloc *ptx_regalloc(const struct ptx_cfg *cfg, struct arena *arena);

#endif
