/* A program of the list: its description, command line and input files. */
#ifndef HEDDLE_CPU_PROGRAM_LIST_H
#define HEDDLE_CPU_PROGRAM_LIST_H

#include "cpu/inputs.h"
#include "cpu/programs.h"

enum { PROGRAM_ARGS = 8, PROGRAM_INPUTS = 2 };

struct listed_program {
    struct cpu_program program; /* first */
    const char *argv[PROGRAM_ARGS];
    struct {
        const char *name; /* NULL = there are no more */
        void (*make)(struct strbuf *out);
    } inputs[PROGRAM_INPUTS];
};

extern const struct listed_program program_list[];
extern const uint32_t program_list_n;

#endif
