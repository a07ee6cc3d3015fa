/* What the operations of isa.def compute on one lane. Everything is inline and has few branches, so
 * that loops over 32 lanes vectorise. It uses only IEEE basic operations, so that every host and
 * every vector variant gives the same bits. */
#ifndef HEDDLE_EMU_LANES_H
#define HEDDLE_EMU_LANES_H
#include "emu/lanes_int.h"
#include "emu/lanes_float.h"
#include "emu/lanes_approx.h"
#endif
