/* What the simulator cannot execute, with messages that tell a user what to change. */
#ifndef HEDDLE_PTX_UNSUPPORTED_H
#define HEDDLE_PTX_UNSUPPORTED_H

#include "ptx/ptx.h"

/* Why the instruction cannot be executed ("textures are not supported"), or NULL when it can. The
 * text is constant or in the arena. */
const char *ptx_why_unsupported(const struct ptx_inst *inst, struct arena *arena);

#endif
