/* The details of an instruction in a timeline, as members of a JSON object. They are built once per
 * instruction, because there are millions of slices. */
#ifndef HEDDLE_ANALYSIS_TIMELINE_ARGS_H
#define HEDDLE_ANALYSIS_TIMELINE_ARGS_H

#include <stdint.h>

#include "base/arena.h"

struct program;
struct timeline_program;

/* A zeroed struct is empty and valid. */
struct timeline_args {
    struct arena arena;
    struct timeline_program *programs; /* most recently used first */
};

/* "pc":62,"op":"ld.global.f32","source":"kmn.cl:13" - the last one only if it is known. */
const char *timeline_args_of(struct timeline_args *a, const struct program *p, uint32_t pc);
void timeline_args_destroy(struct timeline_args *a);

#endif
