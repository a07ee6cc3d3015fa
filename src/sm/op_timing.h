/* What the pipeline needs to know about each operation of a program, computed once. */
#ifndef HEDDLE_SM_OP_TIMING_H
#define HEDDLE_SM_OP_TIMING_H

#include "ptx/program.h"
#include "sched/scheduler.h"
#include "sm/sm_config.h"

enum op_needs {
    NEEDS_DRAINED = 1,    /* no register of the warp may be pending: calls, returns, exits */
    NEEDS_NO_ATOMICS = 2, /* every atomic of the warp must have been performed */
    NEEDS_VISIBLE = 4,    /* the warp's stores must be visible to all: fences */
    TOUCHES_GLOBAL = 8,   /* must not overlap an atomic of the warp that has not been performed */
    IS_BRANCH = 16,
    IS_ORDERED = 32,  /* an atomic or a fence: other stores may delay it */
    READS_AGAIN = 64, /* some of its operands share a bank: see op_registers.again */
    /* Arithmetic with one result, after which a warp that does not stop continues with the next
     * instruction; and bank masks wrap around. */
    IS_SIMPLE_ALU = 128,
};

/* The masks of warps that contain a warp whose next instruction this is. */
struct op_kind {
    uint8_t unit;        /* enum sm_unit */
    uint8_t issue_class; /* enum issue_class */
};

/* All registers of an operation: the masks of op_timing in op_timing_words() words each, for
 * programs with more than 64 registers; those in banks, i.e. all except predicates: reads, then
 * writes; and those of its reads that `read_banks` leaves out. */
struct op_registers {
    const uint64_t *touches, *waits_for, *writes;
    const uint16_t *rows;
    uint16_t *again;
    uint32_t n_again;
};

/* One cache line per operation: examining a warp reads no more than that. */
struct op_timing {
    /* Registers for the scoreboard, one bit each: those it reads or writes, those that must not be
     * pending, those it writes. The first 64; `all` has all. */
    uint64_t touches, waits_for, writes;
    const struct op_registers *all;
    uint64_t read_banks; /* mask of the banks it reads, if register 0 is in bank 0 */
    uint8_t n_rows_read, n_rows_written;
    uint8_t n_writes;           /* registers, predicates included */
    uint8_t n_fetched;          /* instructions that a fetch of it brings into the buffer */
    uint16_t latency, interval; /* of its operation, in a unit */
    struct op_kind kind;
    uint16_t result;     /* the row it writes, if there is exactly one */
    uint8_t needs;       /* enum op_needs */
    uint8_t memory_op;   /* enum mem_operator */
    bool is_global : 1;  /* a load or store of global memory only */
    bool loads_l1d : 1;  /* ... a load of registers, through L1D */
    bool uncached;       /* the program requests what others wrote: L1D is bypassed */
    uint32_t load_index; /* number of the static load, for loads */
    uint32_t code_line;  /* start of its line of the instruction cache, in bytes of code */
};

_Static_assert(sizeof(struct op_timing) == 64, "it is one cache line");

/* Words of a register mask: enough for any function of the program. */
uint32_t op_timing_words(const struct program *p);
/* One entry per PC, from the arena, for an SM of that kind. */
const struct op_timing *op_timing_build(const struct program *p, const struct sm_config *config,
                                        struct arena *arena);

#endif
