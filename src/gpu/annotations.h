/* Annotations for L2 beside the program: which argument of which kernel is stored to as if by
 * st.global.cc, or loaded from as if by ld.global.cp. One per line:
 *
 *     KERNEL ARGUMENT .cc|.cp        # the argument's number, from 1
 *
 * Lines may also be separated by semicolons, so that a text fits into `--set l2.annotations=...`. A
 * first line `from FILE` names the file of the others, for messages. */
#ifndef HEDDLE_GPU_ANNOTATIONS_H
#define HEDDLE_GPU_ANNOTATIONS_H

#include "base/diag.h"
#include "base/mem_access.h"
#include "emu/warp.h"
#include "slice/slice_config.h"

struct annotation {
    const char *kernel;
    uint32_t argument;    /* from 1 */
    enum mem_operator op; /* MEM_OP_CC or MEM_OP_CP */
    uint32_t line, col;   /* in the text */
};

/* A zeroed struct has none and is valid. */
struct annotations {
    struct annotation *items;
    uint32_t n;
    const char *file, *text; /* for messages */
};

/* Errors are in `diags`, what could be read in `out`; the list and its texts live in the arena.
 * `file` is for messages. */
bool annotations_parse(const char *file, const char *text, struct arena *arena,
                       struct annotations *out, struct diag_list *diags);

/* Reads a file and makes a setting of it: l2.annotations=TEXT, in the arena. Returns 0 or an errno
 * value. */
int annotations_read_file(const char *path, struct arena *arena, const char **setting);

/* Does every annotation name one of the kernels? Reports those that do not. */
bool annotations_check_kernels(const struct annotations *a, const char *const *kernels, uint32_t n,
                               struct diag_list *diags);
/* The same for the launched kernels, after the last launch: warnings. */
void annotations_check_launched(const struct annotations *a, const char *const *kernels, uint32_t n,
                                struct diag_list *diags);
/* The address ranges that they annotate in a launch, whose arguments are in memory. False, with the
 * reasons in `diags`, if they do not fit the kernel. */
bool annotations_resolve(const struct annotations *a, const struct emu_launch *launch,
                         const struct dev_mem *mem, struct l2_marks *out, struct diag_list *diags);

#endif
