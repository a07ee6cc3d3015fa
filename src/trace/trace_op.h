/* What a trace must tell of each operation of a program: as little as possible. Everything else
 * follows from the program and from what was told before. */
#ifndef HEDDLE_TRACE_TRACE_OP_H
#define HEDDLE_TRACE_TRACE_OP_H

#include "ptx/program.h"

/* Questions, asked in this order of an operation that is executed; all but the first only if at
 * least one lane executes it. */
enum trace_question {
    ASK_GUARD = 1,   /* which of the active lanes execute it */
    ASK_ADDRESS = 2, /* the address of each lane */
    ASK_TARGET = 4,  /* where an indirect branch or call goes, and with which lanes */
    ASK_BARRIER = 8, /* number and threads of a barrier that are in registers */
    ASK_TEXT = 16,   /* what it prints */
    ASK_ZEROS = 32,  /* how many lanes divided by zero */
};

/* Why what an operation does may depend on time. */
enum time_source {
    TIME_NONE,
    TIME_CLOCK, /* it reads a clock, or the number of its SM or of SMs */
    TIME_HEAP,  /* it allocates memory: where depends on who came first */
};

struct trace_op {
    uint8_t asks;        /* enum trace_question */
    uint8_t time_source; /* enum time_source */
    bool commutes;       /* an atomic whose order does not matter for what it leaves behind */
    bool uses_result;    /* an atomic, and what it found is read */
    bool acts;           /* it does more than compute: memory, control, or something is asked */
    bool any_order;      /* which lane has which of the addresses does not matter */
    uint8_t unit;        /* bytes of a lane's memory access, which its address is a multiple of */
    uint16_t exec_id;    /* enum exec_id */
    uint32_t guard;      /* number of its guard's state in a warp's model */
    uint32_t state;      /* likewise of its addresses or value */
};

struct trace_ops {
    struct trace_op *ops; /* indexed by PC */
    uint32_t n_ops, n_guards, n_addresses, n_values;
    bool has_atomics;
};

void trace_ops_build(struct trace_ops *t, const struct program *p);
void trace_ops_destroy(struct trace_ops *t);

#endif
