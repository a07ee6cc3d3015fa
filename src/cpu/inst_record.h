/* One instruction of a CPU trace: ChampSim's record, 64 bytes, little endian. An address or
 * register of 0 means none. */
#ifndef HEDDLE_CPU_INST_RECORD_H
#define HEDDLE_CPU_INST_RECORD_H

enum { CPU_DESTS = 2, CPU_SOURCES = 4 };

/* Version of the recorder: stored recordings are made again when it changes. */
enum { CPU_RECORDER_VERSION = 4 };

/* Registers with a fixed number in ChampSim; the others are arbitrary. */
enum { CPU_REG_STACK = 6, CPU_REG_FLAGS = 25, CPU_REG_IP = 26 };

/* For is_branch, only in generated instructions: further memory operands of the previous
 * instruction. */
enum { CPU_JOINS = 2 };

struct cpu_inst {
    unsigned long long ip;
    unsigned char is_branch, is_taken;
    unsigned char dest_regs[CPU_DESTS], source_regs[CPU_SOURCES];
    unsigned long long dest_memory[CPU_DESTS];     /* stores */
    unsigned long long source_memory[CPU_SOURCES]; /* loads */
};

_Static_assert(sizeof(struct cpu_inst) == 64, "ChampSim's records have 64 bytes");

#endif
