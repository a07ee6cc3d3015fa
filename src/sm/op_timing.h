/* What the pipeline needs to know of each operation of a program, worked out once. */
#ifndef HEDDLE_SM_OP_TIMING_H
#define HEDDLE_SM_OP_TIMING_H

#include "ptx/program.h"
#include "sched/scheduler.h"
#include "sm/sm_config.h"

enum op_needs {
    NEEDS_DRAINED = 1,    /* no register of the warp may be pending: calls, returns, exits */
    NEEDS_NO_ATOMICS = 2, /* every atomic of the warp must have been performed */
    NEEDS_VISIBLE = 4,    /* the warp's stores must be visible to all: fences */
    TOUCHES_GLOBAL = 8,   /* must not overlap an atomic of the warp that is not performed */
    IS_BRANCH = 16,
    IS_ORDERED = 32,  /* an atomic or a fence: stores of others may hold it back */
    READS_AGAIN = 64, /* some of its operands are in a bank of others: see op_registers.again */
    /* Arithmetic of one result, after which a warp that does not stop goes on with what follows;
     * and masks of banks go round. */
    IS_SIMPLE_ALU = 128,
};

/* Which masks of warps a warp stands in that is to issue it. */
struct op_kind {
    uint8_t unit;        /* enum sm_unit */
    uint8_t issue_class; /* enum issue_class */
};

/* All registers of an operation: the masks of op_timing in op_timing_words() words each, for
 * programs of more than 64 registers; those in banks, all but predicates: reads, then writes; and
 * those of its reads that `read_banks` leaves out. */
struct op_registers {
    const uint64_t *touches, *waits_for, *writes;
    const uint16_t *rows;
    uint16_t *again;
    uint32_t n_again;
};

/* One cache line an operation: a look at a warp reads no more of it than that. */
struct op_timing {
    /* Registers as the scoreboard wants them, a bit each: those it reads or writes, those that must
     * not be pending, those it writes. The first 64; `all` has all. */
    uint64_t touches, waits_for, writes;
    const struct op_registers *all;
    uint64_t read_banks; /* mask of those it reads, if register 0 is in bank 0 */
    uint8_t n_rows_read, n_rows_written;
    uint8_t n_writes;           /* registers, predicates included */
    uint8_t n_fetched;          /* instructions that a fetch of it brings into the buffer */
    uint16_t latency, interval; /* of its operation, in a unit */
    struct op_kind kind;
    uint16_t result;     /* the row it writes, if that is one */
    uint8_t needs;       /* enum op_needs */
    uint8_t memory_op;   /* enum mem_operator */
    bool is_global : 1;  /* a load or store of nothing but global memory */
    bool loads_l1d : 1;  /* ... a load of registers, through L1D */
    bool uncached;       /* the program asks for what others wrote: L1D is passed by */
    uint32_t load_index; /* number of the static load, for loads */
    uint32_t code_line;  /* where its line of the instruction cache begins, in bytes of code */
};

_Static_assert(sizeof(struct op_timing) == 64, "it is one cache line");

/* Words of a register mask: enough for any function of the program. */
uint32_t op_timing_words(const struct program *p);
/* One entry per PC, from the arena, for an SM of that kind. */
const struct op_timing *op_timing_build(const struct program *p, const struct sm_config *config,
                                        struct arena *arena);

#endif
