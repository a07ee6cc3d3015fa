/* The files that clang needs from us, in one folder: the built-in library as bitcode, the header
 * read before OpenCL sources, the CUDA header and the names under which CUDA sources include it. */
#ifndef HEDDLE_FRONT_SUPPORT_H
#define HEDDLE_FRONT_SUPPORT_H

#include "front/toolchain.h"

struct support {
    const char *folder;
    const char *prelude;      /* header of OpenCL sources */
    const char *core;         /* bitcode of core.cl; see support_prepare_core() */
    const char *builtins;     /* bitcode of the whole library */
    const char *cuda;         /* header of CUDA sources */
    const char *cuda_include; /* folder of <cuda_runtime.h> and its like */
    bool cannot_write;        /* after a failure: the folder is not writable; errno says more */
};

/* Creates the folder in `base` if it does not exist yet, or repairs it if it is damaged. `scratch`
 * is a folder for temporary files. Safe against other processes that do the same. */
enum heddle_status support_prepare(struct support *support, const char *base, const char *scratch,
                                   const struct toolchain *tools, struct arena *arena,
                                   struct strbuf *error);

/* The same for `core`, which few compilations need; false if it could not be made. */
bool support_prepare_core(const struct support *support, const char *scratch,
                          const struct toolchain *tools, struct arena *arena);

/* Adds the texts above to a cache key. */
void support_hash(struct hash *key);

#endif
