/* Shared by the two halves of the printer. */
#ifndef HEDDLE_PTX_PRINT_H
#define HEDDLE_PTX_PRINT_H

#include "ptx/ptx.h"

/* ".param .u64 .ptr .global .align 4 name", without the terminator. */
void print_variable(const struct ptx_var *v, struct strbuf *out);
/* The .reg statements of a body. Uses ranges unless other names start with '%' too. */
void print_registers(const struct ptx_func *f, bool use_ranges, struct strbuf *out);

#endif
