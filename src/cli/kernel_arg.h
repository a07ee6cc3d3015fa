/* Kernel arguments as they are written on the command line: `i32:5`, `buf:4K`, `out:1M:c.bin`.
 * Reading one touches no file; run_file.c does what it asks for. */
#ifndef HEDDLE_CLI_KERNEL_ARG_H
#define HEDDLE_CLI_KERNEL_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum kernel_arg_kind { KERNEL_ARG_VALUE, KERNEL_ARG_BUFFER, KERNEL_ARG_LOCAL };

struct kernel_arg {
    enum kernel_arg_kind kind;
    const uint8_t *data;  /* VALUE */
    uint64_t bytes;       /* of the value, the buffer or the local memory; 0 = as long as in_file */
    const char *in_file;  /* BUFFER: its first contents, or NULL: zeros */
    const char *out_file; /* BUFFER: where its contents go after the run, or NULL */
    bool is_random;       /* BUFFER: filled from `seed` */
    uint64_t seed;
};

/* One way to write an argument, for parsing and for help. */
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

/* Strings and bytes go to the arena. Otherwise false, and `why` says what is wrong. */
bool kernel_arg_parse(const char *text, struct arena *arena, struct kernel_arg *out,
                      struct strbuf *why);

#endif
