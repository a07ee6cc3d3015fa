/* A program ready to execute: one decoded operation per static instruction of the module, operands
 * resolved to byte offsets, in one array. The index is the PC. Each function ends with an extra
 * operation, an implicit return. Produced by ptx_lower(); emu binds the functions. Immutable while
 * kernels run. */
#ifndef HEDDLE_PTX_PROGRAM_H
#define HEDDLE_PTX_PROGRAM_H

#include "ptx/ptx.h"

enum { WARP_LANES = 32, ROW32_BYTES = 4 * WARP_LANES, ROW64_BYTES = 8 * WARP_LANES };

/* The ways to execute, one per EXEC row of isa.def. */
enum exec_id {
#define EXEC(id, inst, types, mods, shape, td, ts, expr) EXEC_##id,
#include "ptx/isa.def"
    N_EXEC,
};

struct emu_warp;
struct op;
typedef void (*op_fn)(struct emu_warp *w, const struct op *op, uint32_t mask);

/* A source operand is 32 consecutive values: in the warp's register frame or, with this bit set, in
 * the program's pool of constants. */
#define OP_POOL 0x80000000u

/* A predicate operand is an index into the frame's predicate file, possibly negated. */
#define OP_NEGATED 0x8000u
#define OP_NO_PRED 0xffffu

enum op_flags {
    OP_FTZ = 1,
    OP_SAT = 2,
    OP_ADDR32 = 4,  /* the address is a 32-bit row */
    OP_DST64 = 8,   /* the destination is a 64-bit row */
    OP_SRC64 = 16,  /* the first source is a 64-bit row */
    OP_SIGNED = 32, /* a loaded or converted value is sign-extended */
    OP_DST16 = 64,  /* the destination is a 16-bit register: its upper half stays 0 */
    OP_SETS_CC = 128,
};

/* What execution needs, in one cache line. */
struct op {
    op_fn exec[2];         /* [0] under a mask, [1] with all live lanes active */
    uint32_t a, b, c, dst; /* rows: byte offset, or byte offset | OP_POOL */
    int64_t imm;           /* address offset, branch target, constant: depends on the operation */
    uint16_t guard;        /* the operation's guard predicate; OP_NO_PRED = none */
    uint16_t pdst, pdst2;  /* predicate destinations */
    uint16_t psrc;         /* predicate source */
    uint8_t klass;         /* enum ptx_class */
    uint8_t type, type2;   /* enum ptx_type: of the operation, of its source */
    uint8_t width;         /* bytes of one element of a memory access */
    uint8_t vec;           /* elements of a vector access: 1, 2, 4 or 8 */
    uint8_t sub;           /* enum ptx_mod that selects a variant, or PTX_NO_MOD */
    uint8_t sub2;          /* a second one: the Boolean operation of a comparison */
    uint8_t round;         /* enum fp_round */
    uint8_t flags;         /* enum op_flags */
    uint32_t extra;        /* first of this operation's words in program.extra[] */
};

_Static_assert(sizeof(struct op) == 64, "an operation is one cache line");

/* Needed only by reports, the scoreboard and recovery. */
struct op_info {
    const struct ptx_inst *inst;
    const struct ptx_func *func;
    uint16_t exec_id;
    /* Registers of the instruction for a scoreboard: reads first, then writes. Numbers are unique
     * in the function: 64-bit registers, then 32-bit ones, then predicates. */
    const uint16_t *regs;
    uint8_t n_reads, n_writes;
    uint32_t reconverge; /* PC where a branch's paths reconverge; PROGRAM_NO_PC = at the function's
                          * end */
};

#define PROGRAM_NO_PC 0xffffffffu

/* A copy between a caller's and a callee's frame at a call or return. */
struct call_copy {
    uint32_t from, to, bytes; /* offsets in the caller's and the callee's frame */
};

struct call_site {
    int32_t callee;                /* function index; -1 = through a register */
    uint16_t host;                 /* enum ptx_host_function + 1, or 0 */
    struct call_copy *args, *rets; /* for an indirect call, filled from the argument list */
    uint32_t n_args, n_rets;
};

struct program_func {
    const struct ptx_func *func;
    uint32_t entry, end;         /* PCs [entry, end); ops[end] is the implicit return */
    uint32_t frame_bytes;        /* of rows, including scratch rows */
    uint32_t n_preds;            /* preds[n_preds] is all true, [n_preds+1] all false, +2 scratch */
    uint32_t n_64, n_32;         /* registers of each width */
    uint32_t local_bytes;        /* per thread: parameters, local variables, call arguments */
    uint32_t local_align;        /* its alignment: that of its strictest variable, at least 16 */
    uint32_t shared_bytes;       /* static shared memory of the module, for an entry */
    uint32_t registers;          /* per thread, over the deepest call chain; 64-bit registers count
                                  * 2 */
    uint32_t *param_at, *ret_at; /* offsets: entry: in the parameter block; func: in the frame */
    uint32_t param_bytes;        /* of an entry's parameter block */
    uint32_t *var_at;            /* of func->vars: shared or frame offset */
    bool recursive;              /* on a cycle of the call graph, or makes indirect calls */
};

struct program {
    struct arena arena;
    const struct ptx_module *module;
    struct op *ops; /* indexed by PC */
    struct op_info *info;
    uint32_t n_ops;
    char *pool; /* constant rows, 64-byte aligned */
    uint32_t pool_bytes;
    uint32_t *extra;
    uint32_t n_extra;
    struct call_site *calls; /* an operation's is calls[op.extra] */
    uint32_t n_calls;
    struct program_func *funcs; /* in the order of module.funcs */
    bool asks_for_cooperation;  /* reads %envreg1 or 2, which say whether a launch is cooperative */
    const uint64_t *var_addresses; /* of module.vars: device address, or shared offset */
};

/* Predicates that every frame has after its own. */
enum { FRAME_PRED_TRUE, FRAME_PRED_FALSE, FRAME_PRED_SCRATCH, FRAME_EXTRA_PREDS };

/* A function's address as a kernel sees it. */
static inline uint64_t program_func_address(uint32_t index)
{
    return 0x10000ull + index * 16ull;
}

/* Lowers a module. `var_addresses` holds the device address of every module variable in the global
 * or const space (others are ignored). `module_shared_bytes` returns the size of module-level
 * shared variables. Problems (an instruction form that cannot be executed) go to `diags`. They are
 * warnings if the instruction may never run: executing it is then a fault. */
struct program *ptx_lower(const struct ptx_module *m, const uint64_t *var_addresses,
                          struct diag_list *diags);
void program_destroy(struct program *p);

/* Functions that the simulator supplies by name; HOSTFUNC(id, name). */
enum ptx_host_function {
#define HOSTFUNC(id, name) PTX_HOST_##id,
#include "ptx/hostfuncs.def"
#undef HOSTFUNC
    PTX_N_HOST_FUNCTIONS,
};
extern const char *const ptx_host_functions[PTX_N_HOST_FUNCTIONS]; /* their names */
/* PTX_N_HOST_FUNCTIONS if the simulator has no function of that name. */
enum ptx_host_function ptx_find_host_function(const char *name);

#endif
