/* A point of an experiment: one workload with one input, or one program or kernel of the user's, on
 * one machine; or CPU programs alone. Its key says what its result depends on; two points of one
 * key have one result, and it is never made twice. */
#ifndef HEDDLE_LAB_POINT_H
#define HEDDLE_LAB_POINT_H

#include "base/diag.h"
#include "base/hash.h"
#include "lab/kernel_file.h"
#include "lab/program.h"
#include "workloads/workload.h"

/* `name=value` as --set takes it, and where in a file it was written; 0 = nowhere. */
struct point_word {
    const char *text;
    uint32_t line, col;
};

struct point {
    const struct workload *workload;
    const struct workload_size *size;
    const struct lab_program *program; /* that runs in place of the workload; NULL = none */
    const struct kernel_file *kernel;  /* likewise */
    uint64_t seed;
    struct point_word gpu;    /* a name or a path */
    struct point_word *words; /* scheduler and L1D policy too; a later one wins */
    uint32_t n_words;
    /* "" until point_make_keys(). What the result depends on, and of that all but the machine. A
     * limit of cycles is no part of it, for a run that ends below it is as it would be without one;
     * that a run failed depends on the limit as well. */
    char key[HASH_TEXT_BYTES], input[HASH_TEXT_BYTES], failure_key[HASH_TEXT_BYTES];
};

/* The workload `none`: the GPU is idle, and the machine's CPU programs run alone. It has no input.
 */
extern const struct workload point_idle_gpu;
extern const struct workload_size point_no_input;
bool point_is_idle(const struct point *p);

/* What all points of an experiment share. */
struct point_context {
    const char *file, *text; /* for messages; NULL = no file */
    const char *const *plugins;
    uint32_t n_plugins;
    struct file_marks *files; /* gets those that keys are made of; NULL = nobody asks */
    uint64_t max_cycles;      /* of a launch; 0 = no limit */
    uint32_t measures;        /* parts of locality.h: a result that tells of them is another one */
    bool attribute;           /* runs tell where the cycles of warps went */
    bool per_pc;              /* and what each load and store did at L1D */
    uint64_t series_cycles;   /* a time series with a row every so many; 0 = none */
    const char *series_columns; /* separated by commas; NULL = the usual ones */
};

/* Words of a command, in an arena; NULL follows the last. With nothing but an arena it is empty. */
struct point_words {
    struct arena *arena;
    const char **items;
    uint32_t n, cap;
};
void point_add_word(struct point_words *w, const char *word);

/* What `heddle run` is to run, and on which machine and with what to tell, as its words. */
void point_program_words(const struct point *p, struct point_words *w);
void point_machine_words(const struct point *p, const struct point_context *context,
                         struct point_words *w);
/* Adds a word, quoted where a shell would take it for something else. */
void point_quote(struct strbuf *out, const char *word);
/* The whole command, for a shell. */
void point_command(const struct point *p, const struct point_context *context, struct strbuf *out);

/* Checks every point's machine and gives every point its key. Machines that cannot be built are
 * reported where their words were written, each mistake once: HEDDLE_BAD_INPUT. Also
 * HEDDLE_ENVIRONMENT, if a kernel cannot be compiled or a plug-in not be read. The plug-ins must
 * have been loaded. */
enum heddle_status point_make_keys(struct point *points, uint32_t n,
                                   const struct point_context *context, struct diag_list *diags);

/* The inputs that the size stands for, as a JSON object: numbers, or words where users choose among
 * words. */
void point_inputs(const struct point *p, struct strbuf *out);

/* The value of the coordinate `name` (workload, size, seed, gpu, scheduler, l1d, llc, cpu, atomics,
 * a parameter as it was written, an input of the workload, or class.s4 and the like, how a paper
 * classes it) in `out`; false if the point does not say it. The coordinate `cpu` is `none` where no
 * CPU program runs. */
bool point_coordinate(const struct point *p, const char *name, struct strbuf *out);

/* "kmn tiny, gtx480 scheduler=lrr": for messages. */
void point_describe(const struct point *p, struct strbuf *out);

/* The words but for scheduler and L1D policy, separated by blanks: the column `settings`. */
void point_settings(const struct point *p, struct strbuf *out);

#endif
