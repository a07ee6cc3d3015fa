/* A point of an experiment: one workload with one input, or one user program or kernel, on one
 * machine; or CPU programs alone. Its key covers everything that its result depends on; two points
 * with the same key share one result, which is computed only once. */
#ifndef HEDDLE_LAB_POINT_H
#define HEDDLE_LAB_POINT_H

#include "base/diag.h"
#include "base/hash.h"
#include "lab/kernel_file.h"
#include "lab/program.h"
#include "workloads/workload.h"

/* `name=value` as --set takes it, and its position in a file; 0 = none. */
struct point_word {
    const char *text;
    uint32_t line, col;
};

struct point {
    const struct workload *workload;
    const struct workload_size *size;
    const struct lab_program *program; /* runs instead of the workload; NULL = none */
    const struct kernel_file *kernel;  /* likewise */
    uint64_t seed;
    struct point_word gpu;    /* a name or a path */
    struct point_word *words; /* includes scheduler and L1D policy; a later one wins */
    uint32_t n_words;
    /* "" until point_make_keys(). Digests of what the result depends on, and of the same without
     * the machine. The cycle limit is not included, because a run that ends below the limit is the
     * same without one; whether a run failed does depend on the limit. */
    char key[HASH_TEXT_BYTES], input[HASH_TEXT_BYTES], failure_key[HASH_TEXT_BYTES];
};

/* The workload `none`: the GPU is idle, and the machine's CPU programs run alone. It has no
 * input. */
extern const struct workload point_idle_gpu;
extern const struct workload_size point_no_input;
bool point_is_idle(const struct point *p);

/* Shared by all points of an experiment. */
struct point_context {
    const char *file, *text; /* for messages; NULL = no file */
    const char *const *plugins;
    uint32_t n_plugins;
    struct file_marks *files;   /* collects the files that keys depend on; NULL = none */
    uint64_t max_cycles;        /* cycle limit of a launch; 0 = no limit */
    uint32_t measures;          /* parts of locality.h; they change the key */
    bool attribute;             /* attribute the cycles of warps */
    bool per_pc;                /* and count loads and stores at L1D per instruction */
    uint64_t series_cycles;     /* a time series with a row every this many cycles; 0 = none */
    const char *series_columns; /* separated by commas; NULL = the usual ones */
};

/* Words of a command, in an arena, followed by NULL. Set only the arena for an empty list. */
struct point_words {
    struct arena *arena;
    const char **items;
    uint32_t n, cap;
};
void point_add_word(struct point_words *w, const char *word);

/* The arguments of `heddle run`: what it runs, on which machine, and what it measures. */
void point_program_words(const struct point *p, struct point_words *w);
void point_machine_words(const struct point *p, const struct point_context *context,
                         struct point_words *w);
/* Adds a word, quoted if a shell requires it. */
void point_quote(struct strbuf *out, const char *word);
/* The whole command, for a shell. */
void point_command(const struct point *p, const struct point_context *context, struct strbuf *out);

/* Checks every point's machine and gives every point its key. Invalid machines are reported where
 * their words were written, each error once: HEDDLE_BAD_INPUT. HEDDLE_ENVIRONMENT if a kernel
 * cannot be compiled or a plug-in cannot be read. The plug-ins must have been loaded. */
enum heddle_status point_make_keys(struct point *points, uint32_t n,
                                   const struct point_context *context, struct diag_list *diags);

/* The inputs that the size stands for, as a JSON object: numbers, or words where users choose among
 * words. */
void point_inputs(const struct point *p, struct strbuf *out);

/* Writes the value of the coordinate `name` to `out`: workload, size, seed, gpu, scheduler, l1d,
 * llc, cpu, atomics, a parameter as written, an input of the workload, or class.s4 and the like
 * (the class in a paper). False if the point does not have it. The coordinate `cpu` is `none` if no
 * CPU program runs. */
bool point_coordinate(const struct point *p, const char *name, struct strbuf *out);

/* "kmn tiny, gtx480 scheduler=lrr": for messages. */
void point_describe(const struct point *p, struct strbuf *out);

/* The words except scheduler and L1D policy, separated by blanks: the column `settings`. */
void point_settings(const struct point *p, struct strbuf *out);

#endif
