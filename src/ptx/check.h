/* The two halves of the checks on instructions. */
#ifndef HEDDLE_PTX_CHECK_H
#define HEDDLE_PTX_CHECK_H

#include "ptx/parse.h"

bool check_operands(struct parser *p, const struct ptx_inst *i);

#endif
