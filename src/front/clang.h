/* The command lines with which clang makes PTX. */
#ifndef HEDDLE_FRONT_CLANG_H
#define HEDDLE_FRONT_CLANG_H

#include "front/front.h"
#include "front/process.h"
#include "front/support.h"
#include "front/toolchain.h"

/* One compilation; the source comes through standard input. */
struct clang_job {
    enum front_language language;
    const struct toolchain *tools;
    const struct support *support;
    const char *headers;       /* precompiled headers of OpenCL C, or NULL */
    const char *source_folder; /* searched for included files */
    /* Translated build options; they come after ours, so that -cl-std=CL2.0 or -O0 win. */
    const struct arg_list *user;
    const struct arg_list *more; /* what the kind of output requires */
    bool links_library;
    bool core_only;            /* links core.cl alone */
    const char *output, *deps; /* paths */
};

void clang_args_for_source(struct arg_list *args, const struct clang_job *job);

/* Precompiles the headers of OpenCL sources. */
void clang_args_for_headers(struct arg_list *args, const struct toolchain *tools,
                            const struct support *support, const struct arg_list *user,
                            const char *output, const char *deps);

/* For a built-in library. */
void clang_args_for_builtins(struct arg_list *args, const struct toolchain *tools,
                             const char *bitcode_path);

/* Adds the pragma that makes up for what clang does to locks (ptx/spin.h). The cache holds PTX
 * without it, as clang has written it. */
void clang_mark_ptx(struct strbuf *ptx);

#endif
