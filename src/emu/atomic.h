/* One lane's atomic operation on a value, independent of where and when it is ordered. */
#ifndef HEDDLE_EMU_ATOMIC_H
#define HEDDLE_EMU_ATOMIC_H

#include "emu/warp.h"

/* The new value of a memory word of op->width bytes that holds `old`; b and c are the operands. */
uint64_t atomic_result(const struct op *op, uint64_t old, uint64_t b, uint64_t c);

/* Writes the old value to a lane's destination, once its atomic has been performed. */
void atomic_finish(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t old);

#endif
