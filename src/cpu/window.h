/* The reorder window of a CPU core. Only loads and stores are stored: everything else is complete
 * as it enters, so its position among them is its only state. */
#ifndef HEDDLE_CPU_WINDOW_H
#define HEDDLE_CPU_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "cpu/core_config.h"
#include "cpu/inst_record.h"

#define CPU_NEVER UINT64_MAX

struct cpu_caches;

/* A load in the window, or an instruction that passes on the dependences of its sources. */
struct cpu_load {
    uint64_t inst;     /* its number: the count of instructions that entered before it */
    uint64_t ready_at; /* complete from that cycle on; CPU_NEVER = unknown */
    uint64_t known;    /* everything known so far, sources or data, is complete by then */
    uint64_t lines[CPU_MAX_LINES];
    uint8_t n_lines;   /* lines still to be accessed, from the last to the first */
    uint8_t n_out;     /* lines that it waits for */
    uint8_t n_unknown; /* sources whose completion time is unknown */
    /* The loads that wait for it, a list: 1 + CPU_SOURCES * index of the load + number of the
     * source; 0 = the end. */
    uint16_t waiters;
    uint16_t next_waiter[CPU_SOURCES]; /* the next one in the list of each of its own sources */
};

struct cpu_store {
    uint64_t inst, line;
};

struct cpu_window {
    uint32_t width, rob, l1_latency;
    bool follow_registers;
    uint64_t entered, retired; /* instructions */
    /* Rings, by numbers that only grow. */
    struct cpu_load *loads;
    uint32_t load_mask;
    uint64_t first_load,
        end_load;            /* the first that is not known to be complete, and the last + 1 */
    uint64_t first_new_load; /* the first that entered in the current cycle */
    struct cpu_store *stores;
    uint32_t store_mask, store_buffer;
    /* Stores before kept_store have retired, those before done_store are in L1. */
    uint64_t done_store, kept_store, end_store;
    /* By register: 1 + number of the load that wrote it last; 0 = another instruction did. */
    uint64_t writers[256];
    /* Sets of indices in the ring of loads, n_words each: those that lack room, and by cycle modulo
     * 64 those whose sources are complete then. */
    uint32_t n_words;
    uint64_t *blocked, *wheel;
    uint64_t wheel_used; /* a bit a cycle */
    bool any_blocked;
};

void cpu_window_create(struct cpu_window *w, const struct cpu_config *c, struct arena *arena);

/* The window's steps of a cycle; see core.h. */
void cpu_window_retire(struct cpu_window *w, uint64_t now);
void cpu_window_store(struct cpu_window *w, struct cpu_caches *caches, uint64_t now);
/* May another instruction enter? */
static inline bool cpu_window_has_room(const struct cpu_window *w)
{
    return w->entered - w->retired < w->rob;
}
/* `application` is added to all addresses. */
void cpu_window_enter(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application,
                      uint64_t now);
/* Further memory operands of the instruction that entered last, in this cycle. */
void cpu_window_join(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application);
/* Like cpu_window_enter() for an instruction that only writes registers; false, and nothing done,
 * for all others. */
static inline bool cpu_window_enter_fast(struct cpu_window *w, const struct cpu_inst *inst)
{
    const unsigned long long *from = inst->source_memory, *to = inst->dest_memory;
    if (from[0] | from[1] | from[2] | from[3] | to[0] | to[1] | w->follow_registers)
        return false;
    for (uint32_t i = 0; i < CPU_DESTS; i++)
        w->writers[inst->dest_regs[i]] = 0;
    w->entered++;
    return true;
}
/* `unblocked`: there may be room again for loads that lacked it. */
void cpu_window_load(struct cpu_window *w, struct cpu_caches *caches, bool unblocked, uint64_t now);
/* A line that a load waits for has arrived. */
void cpu_window_data(struct cpu_window *w, struct cpu_load *l, uint64_t now);
/* The next cycle after `now` in which the full window has something to do by itself. */
uint64_t cpu_window_next(const struct cpu_window *w, uint64_t now);

#endif
