/* The axes of an experiment, as its file defines them. */
#ifndef HEDDLE_LAB_SPEC_AXES_H
#define HEDDLE_LAB_SPEC_AXES_H

#include "lab/spec.h"

/* One value of an axis: the words that it adds to a point's machine. */
struct axis_choice {
    const char *text;
    uint32_t line, col;
    const struct workload *workload;
    const struct lab_program *program;     /* instead of a workload; NULL = none */
    const struct kernel_file *kernel;      /* likewise */
    const struct workload_size *own_input; /* for such a choice; NULL for a workload */
    bool is_of_all; /* a workload that was not named explicitly: it need not have every size */
    const struct axis_choice *own_size; /* instead of the axis's sizes; NULL = none */
    uint64_t seed;
    struct point_word *words;
    uint32_t n_words;
};

struct spec_axis {
    struct axis_choice *choices;
    uint32_t n, cap;
};

enum { SPEC_MAX_SETTINGS = 32 };

/* The axes, from the slowest to the fastest: points of one machine are consecutive. */
struct spec_axes {
    struct spec_axis gpus, schedulers, l1d, atomics;
    struct spec_axis settings[SPEC_MAX_SETTINGS];
    uint32_t n_settings;
    struct spec_axis workloads, sizes, seeds;
};

/* State of the reader. */
struct spec_reader {
    struct spec *spec;
    struct yaml_doc *doc;
    const struct spec_changes *changes;
    struct spec_axes axes;
    bool complained_of_nothing; /* a point that would run nothing has been reported */
};

/* Reads every axis of the map `node`; what the file leaves out comes from the command line or the
 * defaults. Errors go to the tree's diags. */
void spec_read_axes(struct spec_reader *r, yaml_node_t *node);
/* Reports values that an axis has twice, and parameters that two axes set. */
void spec_check_axes(struct spec_reader *r);
void spec_destroy_axes(struct spec_axes *a);

/* The axes of what runs (spec_inputs.c). */
void spec_read_workloads(struct spec_reader *r, yaml_node_t *node);
/* Programs and kernels are additional choices of the workload axis. */
void spec_read_programs(struct spec_reader *r, yaml_node_t *node);
void spec_read_kernels(struct spec_reader *r, yaml_node_t *node);
void spec_read_sizes(struct spec_reader *r, yaml_node_t *node);
/* Exceptions from a single size; call it after the workloads have been read. */
void spec_read_own_sizes(struct spec_reader *r, yaml_node_t *node);
/* Multiplies the sizes. */
void spec_read_inputs(struct spec_reader *r, yaml_node_t *node);
void spec_read_seeds(struct spec_reader *r, yaml_node_t *node);
bool spec_some_workload_has(struct spec_reader *r, const char *size);
/* Clears those of the axis and those of single workloads. */
void spec_forget_sizes(struct spec_axes *a);

struct axis_choice *spec_add_choice(struct spec_axis *a, const char *text, const yaml_node_t *at);
const char *spec_keep_text(struct spec_reader *r, const char *text);
/* "there is no KIND 'x'", with the nearest name or the list of all. */
void spec_unknown(struct spec_reader *r, const yaml_node_t *at, const char *kind, const char *name,
                  const char *const *names, uint32_t n);
/* Records "KIND 'NAME'" as missing. */
void spec_note_missing(struct spec_reader *r, const char *kind, const char *name);

#endif
