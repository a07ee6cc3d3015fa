/* Classifies instructions beyond their class: for counts of kernels and for models of devices other
 * than the GPU. */
#ifndef HEDDLE_PTX_INST_KIND_H
#define HEDDLE_PTX_INST_KIND_H

#include "ptx/ptx.h"

/* Does it have a float type? Instructions that are not supported may have one too. */
bool ptx_inst_has_float_type(const struct ptx_inst *inst);
/* sin, cos, ex2, lg2, tanh, rcp, rsqrt, sqrt of any rounding, division of floats. */
bool ptx_inst_is_special_math(const struct ptx_inst *inst);

#endif
