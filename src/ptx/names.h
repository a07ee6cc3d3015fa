/* Every identifier and dotted word of a text, once each, and its current meaning: as an opcode,
 * directive, type, modifier or special register (fixed), and as a declaration (changes as scopes
 * open and close). One hash lookup per token finds all of it. */
#ifndef HEDDLE_PTX_NAMES_H
#define HEDDLE_PTX_NAMES_H

#include "ptx/ptx.h"

/* Directives that begin a statement or follow a function's parameters. */
/* clang-format off */
#define PTX_DIRECTIVES(DIRECTIVE)                                                                  \
    DIRECTIVE(VERSION, "version") DIRECTIVE(TARGET, "target")                                      \
    DIRECTIVE(ADDRESS_SIZE, "address_size") DIRECTIVE(FILE, "file") DIRECTIVE(LOC, "loc")          \
    DIRECTIVE(SECTION, "section") DIRECTIVE(PRAGMA, "pragma") DIRECTIVE(ALIAS, "alias")            \
    DIRECTIVE(EXTERN, "extern") DIRECTIVE(VISIBLE, "visible") DIRECTIVE(WEAK, "weak")              \
    DIRECTIVE(COMMON, "common") DIRECTIVE(ENTRY, "entry") DIRECTIVE(FUNC, "func")                  \
    DIRECTIVE(REG, "reg") DIRECTIVE(GLOBAL, "global") DIRECTIVE(SHARED, "shared")                  \
    DIRECTIVE(LOCAL, "local") DIRECTIVE(CONST, "const") DIRECTIVE(PARAM, "param")                  \
    DIRECTIVE(TEX, "tex") DIRECTIVE(ALIGN, "align") DIRECTIVE(PTR, "ptr")                          \
    DIRECTIVE(ATTRIBUTE, "attribute") DIRECTIVE(V2, "v2") DIRECTIVE(V4, "v4")                      \
    DIRECTIVE(MAXNTID, "maxntid") DIRECTIVE(REQNTID, "reqntid")                                    \
    DIRECTIVE(MINNCTAPERSM, "minnctapersm") DIRECTIVE(MAXNCTAPERSM, "maxnctapersm")                \
    DIRECTIVE(MAXNREG, "maxnreg") DIRECTIVE(NORETURN, "noreturn")                                  \
    DIRECTIVE(REQNCTAPERCLUSTER, "reqnctapercluster")                                              \
    DIRECTIVE(EXPLICITCLUSTER, "explicitcluster") DIRECTIVE(MAXCLUSTERRANK, "maxclusterrank")      \
    DIRECTIVE(BLOCKSARECLUSTERS, "blocksareclusters") DIRECTIVE(ABI_PRESERVE, "abi_preserve")      \
    DIRECTIVE(ABI_PRESERVE_CONTROL, "abi_preserve_control")                                        \
    DIRECTIVE(BRANCHTARGETS, "branchtargets") DIRECTIVE(CALLTARGETS, "calltargets")                \
    DIRECTIVE(CALLPROTOTYPE, "callprototype")

/* clang-format on */

enum directive {
    NO_DIRECTIVE,
#define DIRECTIVE(id, text) DIRECTIVE_##id,
    PTX_DIRECTIVES(DIRECTIVE)
#undef DIRECTIVE
        N_DIRECTIVES,
};
extern const char *const directive_texts[N_DIRECTIVES];

enum decl_kind {
    DECL_REG,
    DECL_RANGE, /* .reg .b32 %r<10>: found by its prefix, see name.range */
    DECL_VAR,
    DECL_FUNC,
    DECL_LABEL,
    DECL_TARGETS,
    DECL_PROTO,
};

struct decl {
    enum decl_kind kind;
    uint32_t depth; /* depth of its scope; 0 = the module */
    struct name *name;
    struct decl *outer; /* the declaration it hides */
    struct decl *next_in_scope;
    enum ptx_type type;    /* REG, RANGE */
    uint32_t vec;          /* REG, RANGE: registers in a vector; 1 = scalar */
    uint32_t count;        /* RANGE */
    struct ptx_reg **regs; /* REG: created at the first use */
    struct ptx_var *var;
    struct ptx_func *func;
    struct ptx_targets *targets;
    struct ptx_proto *proto;
    uint32_t label;
};

enum { MAX_WORD_MODS = 6, NO_OPCODE = 0xffff, NO_SREG = 0xffff };

struct name {
    const char *text; /* terminated */
    uint32_t len, hash;
    struct decl *decl;  /* the innermost visible one */
    struct decl *range; /* the innermost visible register range with this prefix */
    uint16_t opcode, sreg;
    uint8_t type, directive; /* as a dotted word */
    uint8_t n_mods, mods[MAX_WORD_MODS];
    /* Unique names within a function: the last function that took this one, and its number of
     * copies with a numeric suffix. */
    uint32_t taken_by, n_copies;
};

struct names {
    struct arena *arena;
    struct name **slots;
    uint32_t n, n_slots; /* a power of two */
};

/* Initially contains the opcodes, words, directives and special registers. */
void names_init(struct names *names, struct arena *arena);
void names_destroy(struct names *names);
struct name *names_intern(struct names *names, const char *text, size_t len);
struct name *names_find(const struct names *names, const char *text, size_t len);

#endif
