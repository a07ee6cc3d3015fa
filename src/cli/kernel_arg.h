/* Kernel arguments as written on the command line: `i32:5`, `buf:4K`, `out:1M:c.bin`. Parsing
 * accesses no file; run_file.c does. */
#ifndef HEDDLE_CLI_KERNEL_ARG_H
#define HEDDLE_CLI_KERNEL_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

enum kernel_arg_kind { KERNEL_ARG_VALUE, KERNEL_ARG_BUFFER, KERNEL_ARG_LOCAL };
enum kernel_arg_type { KERNEL_ARG_BYTES, KERNEL_ARG_INTEGER, KERNEL_ARG_FLOAT };

struct kernel_arg {
    enum kernel_arg_kind kind;
    enum kernel_arg_type type; /* VALUE */
    const uint8_t *data;       /* VALUE */
    uint64_t bytes;            /* of the value, the buffer or the local memory; 0 = the size of
                           * in_file */
    const char *in_file;       /* BUFFER: its initial contents; NULL = zeros */
    const char *out_file;      /* BUFFER: receives its contents after the run, or NULL */
    bool is_random;            /* BUFFER: filled from `seed` */
    uint64_t seed;
};

/* One form of an argument, for parsing and for help. */
struct kernel_arg_form {
    const char *word;   /* what stands before the first colon */
    const char *syntax; /* what stands after it */
    const char *help;
    bool (*parse)(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                  struct kernel_arg *out, struct strbuf *why);
    uint32_t bytes; /* of a scalar */
};
extern const struct kernel_arg_form kernel_arg_forms[];
extern const uint32_t n_kernel_arg_forms;

/* Strings and bytes go to the arena. On failure returns false, and `why` says what is wrong. */
bool kernel_arg_parse(const char *text, struct arena *arena, struct kernel_arg *out,
                      struct strbuf *why);

enum kernel_arg_fit { KERNEL_ARG_FITS, KERNEL_ARG_DOUBTFUL, KERNEL_ARG_MISFIT };
/* Is an argument of the kind that a parameter requires, apart from sizes? `why` says what is wrong,
 * or what cannot be known: compilers declare either all pointers as such (OpenCL C) or none (CUDA
 * C), and an undeclared one looks like any 64-bit integer. */
enum kernel_arg_fit kernel_arg_fits(const struct kernel_arg *arg,
                                    const struct heddle_param_info *param, bool declares_pointers,
                                    struct strbuf *why);

#endif
