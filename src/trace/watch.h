/* Watches for anything that would come out differently if warps ran at other times: then a trace is
 * valid only on the machine it was recorded on.
 *
 * Two accesses of one launch to one byte are ordered if they are of the same warp, or of the same
 * CTA with a barrier of the whole CTA between them. If they are unordered and one of them writes,
 * timing may matter: a load may find either value; of two stores of different values, either may be
 * the last. Commuting atomics may access the same byte if their results are not used. The shadow
 * keeps, for each word or byte, its last writer and reader. It does not see fences and flags by
 * which CTAs wait for each other; such a kernel is reported as timing-dependent. */
#ifndef HEDDLE_TRACE_WATCH_H
#define HEDDLE_TRACE_WATCH_H

#include "emu/warp.h"
#include "trace/bytes.h"
#include "trace/file.h"
#include "trace/trace_op.h"

/* What was found, and where it was first seen. */
struct time_reasons {
    bool found[N_TRACE_REASONS];
    uint64_t cycle[N_TRACE_REASONS];
    struct strbuf where[N_TRACE_REASONS];
};
void time_reasons_clear(struct time_reasons *t);
void time_reasons_destroy(struct time_reasons *t);
/* Moves the findings to `into`; the earlier place is kept. */
void time_reasons_join(struct time_reasons *into, struct time_reasons *from);

/* One word or byte of memory. */
struct shadow_cell {
    uint64_t writer, reader; /* packed: see watch.c; 0 = none */
    uint32_t value;          /* stored last */
    uint8_t operation;       /* 0 = the writer stored; otherwise the atomic's operation + 1 */
    bool atomic_reader;      /* the readers include an atomic whose result is used */
};

/* Shared memory of a CTA. A zeroed struct is valid. */
struct shared_watch {
    struct shadow_cell *cells;
    uint32_t n_cells, cap_cells;
    uint32_t log_bytes; /* of a cell */
};
void shared_watch_begin(struct shared_watch *s, uint32_t bytes);
void shared_watch_destroy(struct shared_watch *s);

/* Global memory accesses of one SM that have not been checked yet. */
struct access_log {
    struct bytes bytes;
    size_t next;
};
void access_log_destroy(struct access_log *l);

/* An instruction has been executed by the lanes of `mask`. */
void watch_instruction(const struct emu_warp *w, uint32_t pc, uint32_t mask,
                       const struct trace_op *t, uint32_t n_barriers, struct shared_watch *shared,
                       struct access_log *log, struct time_reasons *reasons);
/* Does the barrier instruction wait for every warp of the CTA? */
bool watch_is_full_barrier(const struct emu_warp *w, const struct op *op, uint32_t mask);

/* Global memory. */
struct memory_watch;
struct memory_watch *memory_watch_create(void);
void memory_watch_destroy(struct memory_watch *m);
void memory_watch_begin(struct memory_watch *m); /* another launch */
/* Checks what the SMs have logged, in time order, and empties the logs. */
void memory_watch_take(struct memory_watch *m, struct access_log *const *logs, uint32_t n_logs,
                       const struct program *p, struct time_reasons *reasons);

#endif
