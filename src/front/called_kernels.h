/* OpenCL C lets a kernel call another as a function. clang inlines none of them and emits calls of
 * .entry, which PTX does not allow. */
#ifndef HEDDLE_FRONT_CALLED_KERNELS_H
#define HEDDLE_FRONT_CALLED_KERNELS_H

#include "base/strbuf.h"

/* Adds a .func with the same body before every kernel that clang's PTX calls, and calls that
 * instead. */
void called_kernels_to_functions(struct strbuf *ptx);

#endif
