/* Reads a program for commands that analyse its code without running it. */
#ifndef HEDDLE_CLI_PTX_LOAD_H
#define HEDDLE_CLI_PTX_LOAD_H

#include "heddle/heddle.h"
#include "ptx/ptx.h"

/* Is it the path of a program? It ends in .ptx, .cl or .cu. */
bool ptx_is_file(const char *path);
/* Must it be compiled? It ends in .cl or .cu. */
bool ptx_is_source(const char *path);

/* A .cl or .cu file is compiled; anything else is treated as PTX. Errors are printed and kept in
 * `diags`. */
enum heddle_status ptx_load_file(const char *path, const char *build_options,
                                 struct ptx_module **out, struct diag_list *diags);
/* The same for OpenCL C in memory. */
enum heddle_status ptx_load_opencl(const char *name, const char *source, const char *build_options,
                                   struct ptx_module **out, struct diag_list *diags);

#endif
