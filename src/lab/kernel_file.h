/* User kernels as points of an experiment: a file (.cl, .cu or .ptx) with its launch and arguments,
 * in the syntax of `heddle run`: "saxpy.cl --grid 64 --block 256 --arg i32:16384 ...".
 *
 * Left out: the kernel's output is neither verified nor kept. */
#ifndef HEDDLE_LAB_KERNEL_FILE_H
#define HEDDLE_LAB_KERNEL_FILE_H

#include "base/hash.h"
#include "base/json.h"
#include "lab/file_marks.h"
#include "workloads/workload.h"

struct kernel_file {
    const char *command;
    const char **words; /* of the command; the first is the file */
    uint32_t n_words;
    /* A pseudo-workload for code that distinguishes points by workload and size: the file's name,
     * and the rest of the command. It cannot be run. */
    struct workload workload;
    struct workload_size size;
    /* Of the command, the kernel as it will run (its PTX) and every file that an argument reads. */
    char digest[HASH_TEXT_BYTES];
};

/* False, with the reason in `why`, if the command is none, or names what cannot be read or
 * compiled. `marks` gets the files that it reads. */
bool kernel_file_read(struct kernel_file *k, const char *command, struct arena *arena,
                      struct file_marks *marks, struct strbuf *why);

/* The launch and the arguments as members of an object: "grid", "block", "arg1", ... */
void kernel_file_json_inputs(const struct kernel_file *k, struct json_writer *w);

#endif
