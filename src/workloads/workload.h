/* A workload: a kernel in OpenCL C, a host part against device.h, a plain C reference, and a
 * descriptor. Each has its own folder; to add one, add the folder and one word in list.def.
 *
 * Order of calls: setup, run, reference, check, teardown. `state` is one zeroed block of
 * `state_bytes` that the framework allocates; teardown frees what setup has allocated in it. */
#ifndef HEDDLE_WORKLOADS_WORKLOAD_H
#define HEDDLE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "workloads/device.h"

enum { WORKLOAD_PARAMS = 6 };

struct workload_size {
    const char *name;           /* "tiny", "small", "paper-s2", "paper-s3", "paper-s4" */
    int64_t p[WORKLOAD_PARAMS]; /* named by workload.param_names */
};

/* A parameter that users may choose: `SIZE:NAME=VALUE` is SIZE with that change. */
struct workload_input {
    const char *name;           /* one of param_names */
    const char *const *choices; /* words for 0, 1, ...; ends with NULL. NULL = it is a number */
    int64_t min, max;           /* of a number, both allowed */
    const char *meaning;
};

/* The program's class in each paper, in the paper's words; NULL if the paper does not use it. */
struct workload_categories {
    const char *s2;     /* "cache-sufficient" or "cache-insufficient" */
    const char *s3_ch3; /* "memory-intensive" or "computation-intensive" */
    const char *s3_ch4; /* "sensitive" or "non-sensitive" */
    const char *s3_ch5; /* "cache-sensitive" or "not cache-sensitive" */
    const char *s3_ch6; /* "memory-intensive" or "computation-intensive" */
    const char *s4;     /* "highly sensitive", "moderately sensitive" or "insensitive" */
};

struct workload {
    const char *name;       /* as typed: "bfs" */
    const char *paper_name; /* as the papers abbreviate it: "BFS" */
    const char *title;      /* "Breadth-first search" */
    const char *summary;    /* the algorithm and its access pattern, one or two sentences */
    const char *origin;     /* the suite the papers took it from */
    struct workload_categories categories;
    const char *source;        /* the kernel text, embedded at build time */
    const char *build_options; /* for the OpenCL compiler, or NULL */
    const char *param_names[WORKLOAD_PARAMS];
    const struct workload_size *sizes;   /* ends with a NULL name; includes "tiny" and "small" */
    const struct workload_input *inputs; /* ends with a NULL name; NULL = users choose only the
                                          * size */
    size_t state_bytes;

    void (*setup)(void *state, const struct workload_size *size, uint64_t seed);
    void (*run)(void *state, struct device *d);
    void (*reference)(void *state);
    /* True if the device's result agrees with the reference; otherwise says where it differs. */
    bool (*check)(const void *state, struct strbuf *why);
    void (*teardown)(void *state);
};

extern const struct workload *const workload_list[];
extern const uint32_t workload_count;
const struct workload *workload_find(const char *name); /* NULL if there is none */
/* One of the workload's own sizes; NULL if it has none of that name. */
const struct workload_size *workload_find_size(const struct workload *w, const char *name);

/* The size that `text` stands for: `SIZE`, or `SIZE:NAME=VALUE:NAME=VALUE`, in the arena. Its name
 * lists the differences from SIZE, in the order of the workload's inputs: equal inputs have equal
 * names. NULL if the workload has no such size or input, or the value is not allowed: `why` says
 * what is wrong, but stays empty if SIZE itself does not exist. */
const struct workload_size *workload_make_size(const struct workload *w, const char *text,
                                               struct arena *arena, struct strbuf *why);

/* The value of the i-th parameter as users write it: a number or a word. */
void workload_print_param(const struct workload *w, const struct workload_size *size, uint32_t i,
                          struct strbuf *out);
/* The size as a JSON object, parameter by parameter: numbers, or words where users choose among
 * words. */
void workload_json_inputs(const struct workload *w, const struct workload_size *size,
                          const char *key, struct json_writer *out);
/* The permitted values of an input: "1000 to 40000000" or "uniform, tree". */
void workload_print_range(const struct workload_input *input, struct strbuf *out);
/* The index of the parameter; WORKLOAD_PARAMS if there is none of that name. */
uint32_t workload_find_param(const struct workload *w, const char *name);
/* NULL if users cannot choose it. */
const struct workload_input *workload_find_input(const struct workload *w, const char *name);

/* --- Helpers for setup and check --- */

/* A small deterministic generator (splitmix64); the same numbers on every host. */
struct workload_rng {
    uint64_t state;
};
uint64_t workload_rng_u64(struct workload_rng *r);
uint32_t workload_rng_below(struct workload_rng *r, uint32_t n); /* uniform in 0..n-1 */
float workload_rng_unit(struct workload_rng *r);                 /* uniform in [0, 1) */

/* True if all n values agree; otherwise names the first difference and the number of
 * differences. */
bool workload_check_u32(struct strbuf *why, const char *what, const uint32_t *got,
                        const uint32_t *want, size_t n);
bool workload_check_i32(struct strbuf *why, const char *what, const int32_t *got,
                        const int32_t *want, size_t n);
/* |got - want| <= abs_tol + rel_tol * |want|; a NaN never agrees with a number. */
bool workload_check_f32(struct strbuf *why, const char *what, const float *got, const float *want,
                        size_t n, float rel_tol, float abs_tol);

#endif
