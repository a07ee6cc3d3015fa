/* OpenCL C and CUDA C to PTX: runs clang as a child process, with built-in libraries of our own in
 * front of libclc's, and caches the results on disk. */
#ifndef HEDDLE_FRONT_FRONT_H
#define HEDDLE_FRONT_FRONT_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"

enum front_language { FRONT_OPENCL_C, FRONT_CUDA_C };

/* Compiles `len` bytes of source at `text`. `name` is the file name in messages; a quoted #include
 * is also searched in its folder. `build_options` are compiler options as one string with a shell's
 * quoting ("-DN=4 -I 'my headers'"); NULL is none.
 *
 * On success `ptx` holds the PTX and `error` the compiler's warnings, if any. Otherwise `error`
 * says what is wrong: HEDDLE_BAD_INPUT for the source or the options, HEDDLE_ENVIRONMENT if the
 * compiler or its library is missing.
 *
 * Environment: HEDDLE_CLANG (the compiler), HEDDLE_LIBCLC (nvptx64--nvidiacl.bc or its folder),
 * HEDDLE_CACHE (the cache's folder; by default heddle/ in XDG_CACHE_HOME or ~/.cache). */
enum heddle_status front_compile(enum front_language language, const char *name, const char *text,
                                 size_t len, const char *build_options, struct strbuf *ptx,
                                 struct strbuf *error);

enum front_ir {
    FRONT_IR_TO_LINK,     /* a part of a program */
    FRONT_IR_TO_DESCRIBE, /* for its metadata only: without the built-in library, hence faster */
};

/* OpenCL C to unoptimised LLVM IR as text, with metadata about kernel arguments. Otherwise as
 * above. */
enum heddle_status front_compile_ir(const char *name, const char *text, size_t len,
                                    const char *build_options, enum front_ir kind,
                                    struct strbuf *ir, struct strbuf *error);
/* Links several parts into one (ir.c). */
enum heddle_status front_ir_link(const struct strbuf *pieces, uint32_t n, struct strbuf *ir,
                                 struct strbuf *error);
/* Optimises a part and generates code. Cached like front_compile(). */
enum heddle_status front_ir_to_ptx(const struct strbuf *ir, struct strbuf *ptx,
                                   struct strbuf *error);

/* The extensions that OpenCL C sources may use, as CL_DEVICE_EXTENSIONS lists them: names separated
 * by blanks. Their macros are defined. */
const char *front_opencl_extensions(void);

#endif
