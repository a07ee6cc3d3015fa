/* What a trace must record about each operation of a program: as little as possible. Everything
 * else follows from the program and the earlier answers. */
#ifndef HEDDLE_TRACE_TRACE_OP_H
#define HEDDLE_TRACE_TRACE_OP_H

#include "ptx/program.h"

/* Questions, asked in this order about an executed operation; all but the first only if at least
 * one lane executes it. */
enum trace_question {
    ASK_GUARD = 1,   /* which of the active lanes execute it */
    ASK_ADDRESS = 2, /* the address of each lane */
    ASK_TARGET = 4,  /* where an indirect branch or call goes, and with which lanes */
    ASK_BARRIER = 8, /* number and threads of a barrier, if in registers */
    ASK_TEXT = 16,   /* what it prints */
    ASK_ZEROS = 32,  /* how many lanes divided by zero */
};

/* Why an operation's behaviour may depend on timing. */
enum time_source {
    TIME_NONE,
    TIME_CLOCK, /* it reads a clock, the number of its SM, or the number of SMs */
    TIME_HEAP,  /* it allocates memory: the address depends on the order of allocations */
};

struct trace_op {
    uint8_t asks;        /* enum trace_question */
    uint8_t time_source; /* enum time_source */
    bool commutes;       /* an atomic whose order does not matter for the final value */
    bool uses_result;    /* an atomic whose result is read */
    bool acts;           /* it does more than compute: memory, control, or it has a question */
    bool any_order;      /* it does not matter which lane has which address */
    uint8_t unit;        /* bytes of a lane's memory access; its address is a multiple of this */
    uint16_t exec_id;    /* enum exec_id */
    uint32_t guard;      /* index of its guard's state in a warp's model */
    uint32_t state;      /* likewise for its addresses or value */
};

struct trace_ops {
    struct trace_op *ops; /* indexed by PC */
    uint32_t n_ops, n_guards, n_addresses, n_values;
    bool has_atomics;
};

void trace_ops_build(struct trace_ops *t, const struct program *p);
void trace_ops_destroy(struct trace_ops *t);

#endif
