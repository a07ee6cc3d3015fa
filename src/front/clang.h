/* The command lines with which clang makes PTX. */
#ifndef HEDDLE_FRONT_CLANG_H
#define HEDDLE_FRONT_CLANG_H

#include "front/front.h"
#include "front/process.h"
#include "front/support.h"
#include "front/toolchain.h"

/* The source comes through standard input. `user` are the translated build options; they come after
 * ours, so that -cl-std=CL2.0 or -O0 win. */
void clang_args_for_source(struct arg_list *args, enum front_language language,
                           const struct toolchain *tools, const struct support *support,
                           const char *source_folder, const struct arg_list *user,
                           const char *ptx_path, const char *deps_path);

void clang_args_for_builtins(struct arg_list *args, const struct toolchain *tools,
                             const char *bitcode_path);

#endif
