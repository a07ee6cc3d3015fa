/* Shows the progress of recording a CPU program on a terminal. */
#ifndef HEDDLE_CLI_CPU_WATCH_H
#define HEDDLE_CLI_CPU_WATCH_H

#include "cpu/record.h"

extern const struct cpu_watch cpu_watch_on_terminal;

#endif
