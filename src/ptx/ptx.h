/* A parsed PTX module: the text with names resolved, before any lowering. Built by ptx_parse(),
 * printed by ptx_print(), analysed by cfg.h and regalloc.h, lowered to executable operations by
 * lower.h. Everything lives in the module's arena. */
#ifndef HEDDLE_PTX_PTX_H
#define HEDDLE_PTX_PTX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"

/* clang-format off */
/* --- Types: TYPE(enumerator suffix, text, bits, kind) --- */
#define PTX_TYPES(TYPE)                                                                            \
    TYPE(B8, "b8", 8, 'b')                                                                         \
    TYPE(B16, "b16", 16, 'b')                                                                      \
    TYPE(B32, "b32", 32, 'b')                                                                      \
    TYPE(B64, "b64", 64, 'b')                                                                      \
    TYPE(B128, "b128", 128, 'b')                                                                   \
    TYPE(U8, "u8", 8, 'u')                                                                         \
    TYPE(U16, "u16", 16, 'u')                                                                      \
    TYPE(U32, "u32", 32, 'u')                                                                      \
    TYPE(U64, "u64", 64, 'u')                                                                      \
    TYPE(S8, "s8", 8, 's')                                                                         \
    TYPE(S16, "s16", 16, 's')                                                                      \
    TYPE(S32, "s32", 32, 's')                                                                      \
    TYPE(S64, "s64", 64, 's')                                                                      \
    TYPE(F16, "f16", 16, 'f')                                                                      \
    TYPE(BF16, "bf16", 16, 'f')                                                                    \
    TYPE(F32, "f32", 32, 'f')                                                                      \
    TYPE(F64, "f64", 64, 'f')                                                                      \
    TYPE(F16X2, "f16x2", 32, 'f')                                                                  \
    TYPE(BF16X2, "bf16x2", 32, 'f')                                                                \
    TYPE(U16X2, "u16x2", 32, 'u')                                                                  \
    TYPE(S16X2, "s16x2", 32, 's')                                                                  \
    TYPE(TF32, "tf32", 32, 'f')                                                                    \
    TYPE(PRED, "pred", 1, 'p')                                                                     \
    TYPE(TEXREF, "texref", 64, 'b')                                                                \
    TYPE(SAMPLERREF, "samplerref", 64, 'b')                                                        \
    TYPE(SURFREF, "surfref", 64, 'b')
/* clang-format on */

enum ptx_type {
    PTX_NO_TYPE,
#define TYPE(id, text, bits, kind) PTX_##id,
    PTX_TYPES(TYPE)
#undef TYPE
        PTX_N_TYPES,
};

struct ptx_type_info {
    const char *text;
    uint8_t bits;
    char kind; /* 'b' untyped, 'u' unsigned, 's' signed, 'f' float, 'p' predicate */
};
extern const struct ptx_type_info ptx_types[PTX_N_TYPES];

/* --- State spaces --- */
enum ptx_space {
    PTX_GENERIC, /* none written */
    PTX_REG,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM,
    PTX_N_SPACES,
};

/* --- Modifiers: the dotted words after an opcode, in groups; see isa.def --- */
enum ptx_mod_group {
#define GROUP(id) PTX_GROUP_##id,
#include "ptx/isa.def"
    PTX_N_GROUPS,
};

enum ptx_mod {
    PTX_NO_MOD,
#define MOD(group, id, text) PTX_MOD_##group##_##id,
#include "ptx/isa.def"
    PTX_N_MODS,
};

struct ptx_mod_info {
    const char *text;
    uint8_t group;
};
extern const struct ptx_mod_info ptx_mods[PTX_N_MODS];

/* --- Instructions --- */
enum ptx_opcode {
#define INST(id, text, unit, format, groups, types) PTX_OP_##id,
#include "ptx/isa.def"
    PTX_N_OPCODES,
};

/* The unit in an instruction's row; ptx_inst_class() refines it by type and space. */
enum ptx_unit {
    PTX_UNIT_ALU, /* integer or floating point, depending on the type */
    PTX_UNIT_SFU, /* approximations and divisions */
    PTX_UNIT_MOVE,
    PTX_UNIT_CVT,
    PTX_UNIT_LOAD,
    PTX_UNIT_STORE,
    PTX_UNIT_ATOMIC,
    PTX_UNIT_BRANCH,
    PTX_UNIT_CALL,
    PTX_UNIT_BARRIER,
    PTX_UNIT_FENCE,
    PTX_UNIT_WARP, /* votes, shuffles, matches */
    PTX_UNIT_MISC,
    PTX_UNIT_REFUSED, /* known but not supported: textures, surfaces, matrix units, ... */
};

/* clang-format off */
/* Categories of static and dynamic counts. CLASS(id, name in statistics, meaning) */
#define PTX_CLASSES(CLASS)                                                                         \
    CLASS(INT, "int", "integer, logic and comparison")                                             \
    CLASS(FP16, "fp16", "half precision")                                                          \
    CLASS(FP32, "fp32", "single precision")                                                        \
    CLASS(FP64, "fp64", "double precision")                                                        \
    CLASS(SFU, "sfu", "division, square root and approximate functions")                          \
    CLASS(CVT, "cvt", "conversions between types")                                                 \
    CLASS(MOVE, "move", "moves and parameter reads")                                               \
    CLASS(LD_GLOBAL, "ld_global", "loads from global or generic addresses")                        \
    CLASS(ST_GLOBAL, "st_global", "stores to global or generic addresses")                         \
    CLASS(LD_SHARED, "ld_shared", "loads from shared memory")                                      \
    CLASS(ST_SHARED, "st_shared", "stores to shared memory")                                       \
    CLASS(LD_LOCAL, "ld_local", "loads from local memory")                                         \
    CLASS(ST_LOCAL, "st_local", "stores to local memory")                                          \
    CLASS(LD_CONST, "ld_const", "loads from constant memory")                                      \
    CLASS(ATOMIC, "atomic", "atomics and reductions")                                              \
    CLASS(BRANCH, "branch", "branches and exits")                                                  \
    CLASS(CALL, "call", "calls and returns")                                                       \
    CLASS(BARRIER, "barrier", "CTA and warp barriers")                                             \
    CLASS(FENCE, "fence", "memory fences")                                                         \
    CLASS(WARP, "warp", "votes, shuffles and matches")                                             \
    CLASS(MISC, "misc", "everything else")
/* clang-format on */

enum ptx_class {
#define CLASS(id, text, help) PTX_CLASS_##id,
    PTX_CLASSES(CLASS)
#undef CLASS
        PTX_N_CLASSES,
};

struct ptx_inst_info {
    const char *text;
    enum ptx_unit unit;
    const char *format; /* operands, see isa.def */
    uint64_t groups;    /* bit set of allowed modifier groups */
    const char *types;  /* allowed types, see isa.def */
};
extern const struct ptx_inst_info ptx_insts[PTX_N_OPCODES];

/* clang-format off */
/* Special registers. */
#define PTX_SREGS(SREG)                                                                            \
    SREG(TID_X, "%tid.x") SREG(TID_Y, "%tid.y") SREG(TID_Z, "%tid.z")                              \
    SREG(NTID_X, "%ntid.x") SREG(NTID_Y, "%ntid.y") SREG(NTID_Z, "%ntid.z")                        \
    SREG(CTAID_X, "%ctaid.x") SREG(CTAID_Y, "%ctaid.y") SREG(CTAID_Z, "%ctaid.z")                  \
    SREG(NCTAID_X, "%nctaid.x") SREG(NCTAID_Y, "%nctaid.y") SREG(NCTAID_Z, "%nctaid.z")            \
    SREG(LANEID, "%laneid") SREG(WARPID, "%warpid") SREG(NWARPID, "%nwarpid")                      \
    SREG(SMID, "%smid") SREG(NSMID, "%nsmid") SREG(GRIDID, "%gridid")                              \
    SREG(LANEMASK_EQ, "%lanemask_eq") SREG(LANEMASK_LE, "%lanemask_le")                            \
    SREG(LANEMASK_LT, "%lanemask_lt") SREG(LANEMASK_GE, "%lanemask_ge")                            \
    SREG(LANEMASK_GT, "%lanemask_gt") SREG(CLOCK, "%clock") SREG(CLOCK_HI, "%clock_hi")            \
    SREG(CLOCK64, "%clock64") SREG(GLOBALTIMER, "%globaltimer")                                    \
    SREG(GLOBALTIMER_LO, "%globaltimer_lo") SREG(GLOBALTIMER_HI, "%globaltimer_hi")                \
    SREG(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size") SREG(TOTAL_SMEM_SIZE, "%total_smem_size")        \
    SREG(ENVREG0, "%envreg0") /* ENVREG0 + n is %envregN, 0 <= n < 32 */

/* Known but not supported: an instruction that reads one is refused. */
#define PTX_REFUSED_SREGS(SREG)                                                                    \
    SREG(CLUSTERID_X, "%clusterid.x") SREG(CLUSTERID_Y, "%clusterid.y")                            \
    SREG(CLUSTERID_Z, "%clusterid.z") SREG(NCLUSTERID_X, "%nclusterid.x")                          \
    SREG(NCLUSTERID_Y, "%nclusterid.y") SREG(NCLUSTERID_Z, "%nclusterid.z")                        \
    SREG(CLUSTER_CTAID_X, "%cluster_ctaid.x") SREG(CLUSTER_CTAID_Y, "%cluster_ctaid.y")            \
    SREG(CLUSTER_CTAID_Z, "%cluster_ctaid.z") SREG(CLUSTER_NCTAID_X, "%cluster_nctaid.x")          \
    SREG(CLUSTER_NCTAID_Y, "%cluster_nctaid.y") SREG(CLUSTER_NCTAID_Z, "%cluster_nctaid.z")        \
    SREG(CLUSTER_CTARANK, "%cluster_ctarank") SREG(CLUSTER_NCTARANK, "%cluster_nctarank")          \
    SREG(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster") SREG(AGGR_SMEM_SIZE, "%aggr_smem_size")      \
    SREG(CURRENT_GRAPH_EXEC, "%current_graph_exec")                                                \
    SREG(RESERVED_SMEM_BEGIN, "%reserved_smem_offset_begin")                                       \
    SREG(RESERVED_SMEM_END, "%reserved_smem_offset_end")                                           \
    SREG(RESERVED_SMEM_CAP, "%reserved_smem_offset_cap")                                           \
    SREG(RESERVED_SMEM_0, "%reserved_smem_offset_0")                                               \
    SREG(RESERVED_SMEM_1, "%reserved_smem_offset_1") SREG(PM0, "%pm0") SREG(PM1, "%pm1")           \
    SREG(PM2, "%pm2") SREG(PM3, "%pm3") SREG(PM4, "%pm4") SREG(PM5, "%pm5") SREG(PM6, "%pm6")      \
    SREG(PM7, "%pm7")
/* clang-format on */

enum ptx_sreg {
#define SREG(id, text) PTX_SREG_##id,
    PTX_SREGS(SREG) PTX_N_SUPPORTED_SREGS = PTX_SREG_ENVREG0 + 32,
    PTX_SREG_LAST_SUPPORTED = PTX_N_SUPPORTED_SREGS - 1,
    PTX_REFUSED_SREGS(SREG)
#undef SREG
        PTX_N_SREGS,
};
const char *ptx_sreg_name(uint32_t sreg);

/* --- Declarations --- */
enum ptx_linkage {
    PTX_LINK_NONE,
    PTX_LINK_VISIBLE,
    PTX_LINK_EXTERN,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
};

struct ptx_reg {
    const char *name;
    enum ptx_type type;
    uint32_t index; /* its index in the function's regs[] */
};

struct ptx_func;

/* A location in an initialiser that holds an address: *(data + at) = &symbol + addend. */
struct ptx_reloc {
    uint32_t at;
    uint8_t bytes;      /* 4 or 8; 1 for a single byte of the address, written 0xFF00(symbol) */
    uint8_t shift_bits; /* which byte of the address: *(data + at) = address >> shift_bits */
    bool generic;       /* written generic(symbol): the generic address */
    const char *symbol; /* resolved after parsing to exactly one of these */
    struct ptx_var *var;
    struct ptx_func *func;
    int64_t addend;
};

/* A variable in any space except registers; also a parameter. */
struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_linkage linkage;
    enum ptx_type type; /* of an element */
    uint8_t vec;        /* elements of a vector type: 1, 2 or 4 */
    bool is_array;
    bool is_unsized;  /* .extern .shared x[]: dynamic shared memory */
    uint64_t n_elems; /* product of the dimensions; 1 for a scalar */
    uint64_t bytes;   /* whole size; 0 when unsized */
    uint32_t align;
    const uint8_t *data; /* initial bytes, `bytes` long, or NULL */
    struct ptx_reloc *relocs;
    uint32_t n_relocs;
    bool is_ptr; /* parameter with .ptr */
    enum ptx_space ptr_space;
    uint32_t ptr_align;
    uint32_t line, col;
    uint32_t index; /* its index in its list (module vars, params, rets, locals) */
};

struct ptx_label {
    const char *name;
    uint32_t at; /* index of the instruction it precedes; n_insts = end of the function */
};

enum ptx_operand_kind {
    PTX_OPERAND_REG,
    PTX_OPERAND_SREG,
    PTX_OPERAND_IMM,     /* integer or float literal */
    PTX_OPERAND_VAR,     /* address of a variable, or a parameter in a call; + offset */
    PTX_OPERAND_FUNC,    /* a function's name */
    PTX_OPERAND_LABEL,   /* a code label */
    PTX_OPERAND_TARGETS, /* name of a .branchtargets or .calltargets list */
    PTX_OPERAND_PROTO,   /* name of a .callprototype */
    PTX_OPERAND_MEM,     /* [base + offset] */
    PTX_OPERAND_VEC,     /* {a, b, ...} */
    PTX_OPERAND_PAIR,    /* a|b : two destinations */
    PTX_OPERAND_SINK,    /* _ : result not used */
    PTX_OPERAND_LIST,    /* (a, b, ...) in a call */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;   /* !%p, or -%r where allowed */
    bool imm_float; /* IMM: `bits` is a double's bit pattern (f32 literals as their exact double) */
    bool imm_f32;   /* IMM: written 0fXXXXXXXX; prints back that way */
    uint64_t bits;  /* IMM: value, sign-extended to 64 bits */
    uint32_t line, col;
    struct ptx_reg *reg;         /* REG */
    uint32_t sreg;               /* SREG */
    struct ptx_var *var;         /* VAR */
    struct ptx_func *func;       /* FUNC */
    uint32_t label;              /* LABEL: index into the function's labels[] */
    struct ptx_targets *targets; /* TARGETS */
    struct ptx_proto *proto;     /* PROTO */
    int64_t offset;              /* VAR, MEM */
    struct ptx_operand *items;   /* VEC, PAIR, LIST: the parts; MEM: items[0] is the base (REG, VAR
                                  * or IMM), more only in refused instructions */
    uint32_t n_items;
};

struct ptx_targets {
    const char *name;
    uint32_t *labels;        /* .branchtargets: indices into labels[] */
    struct ptx_func **funcs; /* .calltargets */
    uint32_t n;
    uint32_t at;    /* index of the instruction that the directive precedes, for printing */
    uint32_t index; /* in the function's targets[] */
};

struct ptx_proto {
    const char *name;
    struct ptx_var *rets, *params;
    uint32_t n_rets, n_params;
    bool noreturn;
    uint32_t at;
    uint32_t index; /* in the function's protos[] */
};

enum { PTX_MAX_MODS = 12, PTX_MAX_INST_TYPES = 4 };

/* A call always has these operands, however it was written: a LIST of returns, the callee (FUNC, or
 * REG if indirect), a LIST of arguments, and for an indirect call TARGETS or PROTO if given. The
 * lists may be empty; their parts are VAR (.param variables), REG or IMM. */
enum { PTX_CALL_RETS, PTX_CALL_CALLEE, PTX_CALL_ARGS, PTX_CALL_SHAPE };

struct ptx_inst {
    enum ptx_opcode op;
    uint8_t n_mods, n_types;
    uint8_t mods[PTX_MAX_MODS];        /* enum ptx_mod, as written */
    uint8_t types[PTX_MAX_INST_TYPES]; /* enum ptx_type, as written */
    /* Where types are among the dotted words, so that printing restores the text: bit i set = the
     * i-th word is a type. */
    uint32_t type_places;
    struct ptx_reg *guard; /* @%p, or NULL */
    bool guard_negated;
    uint32_t n_operands;
    struct ptx_operand *operands;
    uint32_t line, col;                   /* in the PTX text */
    uint32_t loc_file, loc_line, loc_col; /* from .loc; loc_line 0 = none */
    uint32_t pc;                          /* static instruction's number in the module */
    bool refused;                         /* known but not supported; executing it is an error */
    const char *words; /* the dotted words of an opcode of unit REFUSED (".2d.v4.f32.f32"), which
                        * are in neither mods nor types; otherwise NULL */
};

/* Names of registers, variables, labels, targets and prototypes are unique within a function: a
 * name that hides or is hidden by another in the text has a suffix "$1", "$2", ... here. */
struct ptx_func {
    const char *name;
    bool is_entry, has_body, noreturn;
    enum ptx_linkage linkage;
    struct ptx_var *params, *rets;
    uint32_t n_params, n_rets;
    struct ptx_reg *regs; /* every register the body uses, in all scopes, by first use; the parts of
                           * a vector register are separate registers: %v.x, %v.y, ... */
    uint32_t n_regs;
    struct ptx_var **vars; /* .local, .shared, .param declared in the body */
    uint32_t n_vars;
    struct ptx_label *labels;
    uint32_t n_labels;
    struct ptx_targets *targets;
    uint32_t n_targets;
    struct ptx_proto *protos;
    uint32_t n_protos;
    struct ptx_inst *insts;
    uint32_t n_insts;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0 = not given */
    uint32_t line, col;
    uint32_t index; /* in the module's funcs[] */
    uint32_t first_pc;
    struct ptx_func *alias_of; /* .alias: operands name that function; this one has no body */
};

struct ptx_module {
    struct arena arena;
    const char *name; /* file name for messages */
    const char *text; /* the whole source, kept for excerpts */
    uint32_t version_major, version_minor;
    const char *target; /* as written: "sm_35, texmode_independent" */
    uint32_t sm;        /* 35 */
    uint32_t address_bits;
    struct ptx_var **vars;
    uint32_t n_vars;
    struct ptx_func **funcs; /* a declaration and its definition are one entry */
    uint32_t n_funcs;
    const char **files; /* .file table, indexed by its number; entries may be NULL */
    uint32_t n_files;
    uint32_t n_insts;        /* over all functions: PCs run from 0 to n_insts - 1 */
    bool late_reconvergence; /* .pragma PTX_LATE_RECONVERGENCE: see spin.h */
};

/* In a module with this pragma, lanes that leave a spin loop reconverge late: see spin.h. */
#define PTX_LATE_RECONVERGENCE "heddle.late_reconvergence"

/* Parses a module. Problems go to `diags`, several per file; returns NULL if any is an error.
 * Instructions of refused kinds (textures, ...) parse to inst->refused and are not errors here.
 * `text` need not be terminated at `len`; a copy is kept. */
struct ptx_module *ptx_parse(const char *name, const char *text, size_t len,
                             struct diag_list *diags);
void ptx_module_destroy(struct ptx_module *m);

/* Writes the module back as PTX that parses to the same module. */
void ptx_print(const struct ptx_module *m, struct strbuf *out);
/* One instruction, without the guard's line break: "@%p1 add.s32 %r1, %r2, 3;". */
void ptx_print_inst(const struct ptx_func *f, const struct ptx_inst *i, struct strbuf *out);

/* Are two modules equal, ignoring positions in the text? If not, `why` (may be NULL) names the
 * first difference. */
bool ptx_module_equal(const struct ptx_module *a, const struct ptx_module *b, struct strbuf *why);

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);

/* The instruction's modifier of that group, or PTX_NO_MOD. */
enum ptx_mod ptx_inst_mod(const struct ptx_inst *i, enum ptx_mod_group group);
/* The state space the instruction names; PTX_GENERIC if none. */
enum ptx_space ptx_inst_space(const struct ptx_inst *i);
/* The number of elements of its vectors; 0 = it has none. */
uint32_t ptx_inst_vector(const struct ptx_inst *i);
enum ptx_class ptx_inst_class(const struct ptx_inst *i);
extern const char *const ptx_class_names[PTX_N_CLASSES];
extern const char *const ptx_class_helps[PTX_N_CLASSES];

#endif
