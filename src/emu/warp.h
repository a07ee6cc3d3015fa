/* The state of warps and CTAs during execution, and the engine that owns them. Independent of time:
 * emu_step() performs one operation of one warp at once. A timing model reads `last` afterwards to
 * see what the operation did. */
#ifndef HEDDLE_EMU_WARP_H
#define HEDDLE_EMU_WARP_H

#include "emu/memory.h"
#include "emu/overlay.h"
#include "ptx/lower.h"
#include "ptx/program.h"
#include "stats/run_stats.h"

enum { MAX_WARPS_PER_CTA = 64, MAX_BARRIERS = 16 };

/* One path of a diverged warp. The active lanes run at `pc` until they reach `rpc`, where the entry
 * below takes over. */
struct simt_entry {
    uint32_t pc, rpc, mask;
    uint32_t frame; /* index into the warp's frames: the call it belongs to */
    bool parked;    /* its lanes are at the barrier at `pc`, and the warp's others are not yet */
};

/* One call: where its rows, predicates and local memory begin. */
struct call_frame {
    uint32_t rows_at, preds_at;
    uint32_t local_at, local_end; /* bytes in the thread's local memory */
    const struct program_func *func;
    const struct call_site *site; /* the call that created it; NULL for the kernel itself */
};

/* AT_HEAP: under timing, it has called malloc or free and waits until the call is performed. */
enum warp_state { WARP_RUNNING, WARP_AT_BARRIER, WARP_AT_HEAP, WARP_DONE, WARP_FAULTED };

struct emu;
struct emu_cta;

/* Where the last brx sent lanes. */
struct table_step {
    uint32_t target, lanes;
};

struct emu_warp {
    /* Used by every operation. */
    char *bank[2]; /* rows of the current frame; constants of the program */
    uint32_t *preds;
    const struct op *code;
    uint32_t pc, rpc;
    uint32_t active; /* lanes of the current path */
    uint32_t live;   /* lanes that have not exited */
    uint32_t state;  /* enum warp_state */
    uint32_t cc;     /* carry flag of each lane */
    struct emu *emu;
    struct emu_cta *cta;

    /* Control. */
    struct simt_entry *stack; /* the top entry's pc and mask are kept above */
    uint32_t depth, cap_stack;
    struct call_frame *frames;
    uint32_t n_frames, cap_frames;
    char *rows; /* backing store of the frames */
    uint32_t rows_cap;
    uint32_t *pred_store;
    uint32_t preds_cap;
    char *local;        /* word w of lane i at (w * 32 + i) * 4 */
    uint32_t local_cap; /* bytes per thread */
    uint32_t id;        /* in its CTA */
    uint32_t barrier;   /* the barrier it waits at */
    uint32_t arrived_mask;
    struct table_step by_table;
    void *trace; /* for the tracer */
    uint32_t tid[3][WARP_LANES];
};

/* Memory for the arrays of a CTA's warps. */
struct cta_store {
    struct store_block *blocks; /* newest first */
    char *next, *end;           /* free part of the newest */
};

struct cta_barrier {
    uint32_t arrived;        /* warps */
    uint32_t expected;       /* warps; 0 = all that have not exited */
    uint32_t popc, all, any; /* partial results of a bar.red */
};

struct emu_cta {
    struct cta_store store;
    struct emu_warp *warps;
    uint32_t n_warps, n_live, cap_warps;
    uint32_t id[3];
    uint32_t block[3]; /* the shape from which its warps have their tids; 0 = none yet */
    uint64_t number;   /* linear */
    char *shared;
    uint32_t shared_bytes, cap_shared;
    uint32_t n_arrived; /* arrivals at barriers that have not opened yet */
    struct cta_barrier barriers[MAX_BARRIERS];
};

enum fault_kind {
    FAULT_NONE,
    FAULT_ACCESS,
    FAULT_MISALIGNED,
    FAULT_BARRIER,
    FAULT_DEADLOCK,
    FAULT_DIVISION,
    FAULT_TRAP,
    FAULT_REFUSED,
    FAULT_CALL,
    FAULT_STACK,
    FAULT_LIMIT,
    FAULT_TRACE,
};

struct emu_fault {
    enum fault_kind kind;
    uint32_t pc, lane;
    const struct emu_warp *warp;
    struct strbuf text; /* the whole report */
};

/* What launches need to know about the running kernel. */
struct emu_launch {
    const struct program_func *func;
    uint32_t grid[3], block[3], offset[3];
    uint32_t work_dim;
    uint32_t shared_bytes; /* static and dynamic */
    uint32_t dynamic_shared_bytes;
    const uint8_t *params;   /* the parameter block */
    uint64_t params_address; /* its address in device memory */
    uint32_t number;
};

/* The part of an allocation that an instruction accessed last: most accesses are checked only
 * against it. */
struct mem_range {
    uint64_t start, bytes;
};

/* The pattern of the addresses of a full warp, as far as execution has found out: unknown; each at
 * the same distance above the previous one (less than MAX_STRIDE); adjacent elements; all at one
 * address. Aligned unless scattered. The last two are runs. */
enum access_shape { SCATTERED, STRIDED, CONSECUTIVE, UNIFORM };
#define MAX_STRIDE (1ull << 32)

/* What the last memory operation did, for a timing model. */
struct emu_access {
    uint64_t address[WARP_LANES];
    uint32_t mask;
    enum access_shape shape;
};

/* An atomic that was issued and not performed yet: the operands of its lanes. */
struct emu_atomic {
    const struct op *op;
    uint32_t mask; /* lanes on global memory; their addresses are in emu_access */
    uint64_t b[WARP_LANES], c[WARP_LANES];
};

/* Calls of malloc and free to be performed, in the order in which they were made. */
struct heap_calls {
    struct heap_call {
        struct emu_warp *warp;
        const struct call_site *site;
        uint32_t mask;
    } * items;
    uint32_t n, cap;
};

/* Runs a warp until it stops or has executed `slice` operations. Returns how many it executed. */
typedef uint64_t (*warp_runner)(struct emu_warp *w, uint64_t slice);

/* Records what warps do, or does it for them: replaces run_warp and is notified of CTAs. */
struct emu_tracer {
    void (*cta_begins)(struct emu *e, struct emu_cta *cta);
    void (*cta_ends)(struct emu *e, struct emu_cta *cta);
    bool replays; /* nothing is computed: registers and memory must not be changed */
};

struct emu {
    warp_runner run_warp;
    struct emu_tracer *tracer; /* NULL = nobody */
    struct dev_mem *mem;
    struct program *program;
    struct emu_launch launch;
    struct run_stats *stats;
    struct mem_range *ranges; /* per PC */
    struct emu_access last;
    struct emu_fault fault;
    /* Under timing: stores are kept here until they become visible; atomics on global memory and
     * calls of malloc and free are only recorded (in `atomic` and `heap`); the clock and the SM
     * number are the machine's. */
    struct overlay *overlay; /* NULL = functional execution */
    struct heap_calls *heap; /* likewise */
    struct emu_atomic atomic;
    uint64_t cycle;
    uint32_t smid;
    bool strict;
    uint32_t max_local_bytes; /* per thread */
    uint32_t n_sms;
    void (*print)(void *user, const char *text, size_t len);
    void *print_user;
    bool div_zero_seen;
    struct strbuf warning; /* the first division by zero of the launch */
};

/* --- rows and predicates --- */
static inline void *warp_row(const struct emu_warp *w, uint32_t at)
{
    return __builtin_assume_aligned(w->bank[at >> 31] + (at & ~OP_POOL), 64);
}

static inline uint32_t warp_pred(const struct emu_warp *w, uint16_t p)
{
    uint32_t value = w->preds[p & ~OP_NEGATED];
    return p & OP_NEGATED ? ~value : value;
}

static inline void warp_set_pred(struct emu_warp *w, uint16_t p, uint32_t value, uint32_t mask)
{
    w->preds[p] = (w->preds[p] & ~mask) | (value & mask);
}

/* --- control (simt.c) --- */
/* Lanes of `taken` go to `target`, the other active ones continue; they reconverge at `meet`. Which
 * of them run first? */
void simt_branch(struct emu_warp *w, uint32_t target, uint32_t taken, uint32_t meet,
                 bool target_first);
/* Of the paths that could run instead of the active one, that which has waited longest does. */
void simt_yield(struct emu_warp *w);
/* A step of brx: lanes `group` go to `target`, the others of `mask` repeat the instruction. */
void simt_branch_by_table(struct emu_warp *w, uint32_t target, uint32_t group, uint32_t mask,
                          uint32_t meet);
void simt_push(struct emu_warp *w, uint32_t pc, uint32_t rpc, uint32_t mask, uint32_t frame);
/* The top path has reached its end; entries below it that have ended are removed as well. */
void simt_reconverge(struct emu_warp *w);
/* The active lanes have reached the barrier before w->pc, others of the warp have not. True: paths
 * that lead to the others run first, or all have arrived and continue as one path (w->active is
 * w->live). False: the others wait for these lanes, or are in another function. */
bool simt_meet_at_barrier(struct emu_warp *w);
/* The lanes leave the kernel. */
void simt_exit(struct emu_warp *w, uint32_t lanes);
/* The lanes return from the current function. */
void simt_return(struct emu_warp *w, uint32_t lanes);
void simt_call(struct emu_warp *w, const struct program_func *callee, const struct call_site *site,
               uint32_t lanes);
void simt_give_room(struct emu_warp *w, const struct program_func *kernel);
void simt_free_store(struct emu_cta *cta);

/* --- faults (fault.c) --- */
/* Stops the warp with a report; only the first fault of a launch counts. */
void emu_fault(struct emu_warp *w, enum fault_kind kind, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void emu_fault_access(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t address,
                      uint32_t bytes, enum ptx_space space);
/* Parts of functional and timed reports. "k.ptx:12 (k.cl:3): bar.sync 0;" */
void emu_describe_inst(const struct emu *e, uint32_t pc, struct strbuf *out);
/* "waits at barrier 1, where 1 of 2 warps have arrived", for a warp that waits at one. */
void emu_describe_barrier(const struct emu_warp *w, struct strbuf *out);
/* "31 of its lanes wait ..." between two texts, if some lanes wait while the warp runs: spinning on
 * them never ends. */
void emu_describe_apart(const struct emu_warp *w, const char *before, const char *after,
                        struct strbuf *out);
/* "  in kernel 'k', k.ptx:12 (k.cl:3): ...;\n  CTA 1,0,0, thread 5,0,0 ...\n" */
void emu_describe_place(const struct emu_warp *w, uint32_t pc, uint32_t lane, struct strbuf *out);

/* --- memory, one lane at a time (lane_memory.c) --- */
/* The host pointer of an access, or NULL after reporting a fault. Local memory is not contiguous
 * and has separate functions. */
void *lane_pointer(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t address,
                   uint32_t bytes, enum ptx_space space);
uint64_t local_read(const struct emu_warp *w, uint32_t lane, uint32_t at, uint32_t bytes);
void local_write(struct emu_warp *w, uint32_t lane, uint32_t at, uint32_t bytes, uint64_t value);
/* Copies what the warp sees at a valid global address. */
void global_read(const struct emu_warp *w, uint64_t address, void *data, uint32_t bytes);
/* Reads a terminated string a kernel points to; false if it runs into unmapped memory. */
bool lane_read_string(struct emu_warp *w, uint64_t address, struct strbuf *out);

/* --- functions of the operations that are not vector code --- */
#define EXEC(id, inst, types, mods, shape, td, ts, expr) EXEC_DECLARE_##shape(id)
#define EXEC_DECLARE_FN(id)                              void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask);
#define EXEC_DECLARE_CUSTOM(id)                          EXEC_DECLARE_FN(id)
#define EXEC_DECLARE_CTRL(id)                            EXEC_DECLARE_FN(id)
#define EXEC_DECLARE_VEC(id)
#define EXEC_DECLARE_UN(id)
#define EXEC_DECLARE_BIN(id)
#define EXEC_DECLARE_TER(id)
#define EXEC_DECLARE_TERW(id)
#define EXEC_DECLARE_TER64_32(id)
#define EXEC_DECLARE_SHIFT(id)
#define EXEC_DECLARE_CVTB(id)
#define EXEC_DECLARE_DIVIDE(id)
#define EXEC_DECLARE_CARRY(id)
#define EXEC_DECLARE_CARRY3(id)
#define EXEC_DECLARE_SETP(id)
#define EXEC_DECLARE_SELP(id)
#define EXEC_DECLARE_PUN(id)
#define EXEC_DECLARE_PBIN(id)
#include "ptx/isa.def"

static inline uint32_t count_lanes(uint32_t mask)
{
#ifndef __POPCNT__ /* popcount would be a call here, and usually all lanes are active, or none */
    if (mask == ~0u)
        return WARP_LANES;
    if (!mask)
        return 0;
#endif
    return (uint32_t)__builtin_popcount(mask);
}

/* One operation of one warp, which must be running, up to emu_step_end(). `s`: the statistics of
 * its engine. */
static inline void emu_step_begin(struct emu_warp *w, struct run_stats *s)
{
    const struct op *op = &w->code[w->pc];
    uint32_t mask = w->active;
    if (op->guard != OP_NO_PRED)
        mask &= warp_pred(w, op->guard);
    w->pc++;
    s->warp_insts++;
    s->insts[op->klass]++;
    s->thread_insts += count_lanes(mask);
    if (mask == w->live)
        op->exec[1](w, op, mask);
    else if (mask)
        op->exec[0](w, op, mask);
}

/* Lanes that have reached the end of their path wait for others or continue with them. */
static inline void emu_step_end(struct emu_warp *w)
{
    if (w->pc == w->rpc)
        simt_reconverge(w);
}

static inline void emu_step_counted(struct emu_warp *w, struct run_stats *s)
{
    emu_step_begin(w, s);
    emu_step_end(w);
}

static inline void emu_step(struct emu_warp *w)
{
    emu_step_counted(w, w->emu->stats);
}

#endif
