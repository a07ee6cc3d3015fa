/* Shared by the parts of the parser. A part returns false after an error, which it has reported;
 * the statement loop then skips to the end of the statement and continues.
 *
 *   parse.c         tokens, messages, ptx_parse()      scope.c          scopes, declarations
 *   parse_module.c  directives outside functions      link.c           the end of the module
 *   parse_decl.c    registers, variables, parameters  parse_init.c     initial values
 *   parse_func.c    functions and their bodies        parse_label.c    labels, lists of targets
 *   parse_inst.c    instructions                      parse_operand.c  their operands
 *   parse_expr.c    constant expressions              check*.c         requirements of PTX */
#ifndef HEDDLE_PTX_PARSE_H
#define HEDDLE_PTX_PARSE_H

#include "ptx/lexer.h"
#include "ptx/names.h"
#include "ptx/ptx.h"

enum {
    MAX_SCOPES = 64,
    MAX_NESTING = 64, /* of braces, brackets and parentheses in an operand or expression */
    MAX_ERRORS = 100, /* after that many, the rest of the text is not read */
    MAX_REGISTER_RANGE = 1 << 24,
    MAX_FILES = 1 << 16,
};
#define MAX_VAR_BYTES  (1ull << 34)
#define MAX_INIT_BYTES (1ull << 26) /* initial values of all variables of a module together */

/* A label used before its scope is closed, or a name that the module may declare later. */
struct label_ref {
    struct name *name;
    uint32_t line, col;
    uint32_t *slot; /* gets the label's index */
};

struct global_ref {
    struct name *name;
    uint32_t line, col;
    struct ptx_operand *operand; /* a VAR or FUNC that lacks it, or */
    struct ptx_reloc *reloc;     /* an initial value, or */
    struct ptx_func **func;      /* a .calltargets or .alias entry */
};

/* A function whose body is being read. Arrays grow here and move to the arena at its end. */
struct body {
    struct ptx_func *f;
    struct ptx_reg **regs;
    struct ptx_var **vars;
    struct ptx_label *labels;
    struct ptx_targets **targets;
    struct ptx_proto **protos;
    struct ptx_inst *insts;
    struct label_ref *label_refs;
    uint32_t first_label_ref[MAX_SCOPES + 1]; /* of each open scope */
    uint32_t n_regs, n_vars, n_labels, n_targets, n_protos, n_insts, n_label_refs;
    uint32_t regs_cap, vars_cap, labels_cap, targets_cap, protos_cap, insts_cap, label_refs_cap;
    uint32_t loc_file, loc_line, loc_col;
};

struct parser {
    struct ptx_module *m;
    struct diag_list *diags;
    struct lexer lex;
    struct token tok; /* the next token */
    struct names names;
    struct decl *scopes[MAX_SCOPES + 1]; /* the declarations of each open scope */
    uint32_t depth;                      /* number of open scopes; 0 = the module */
    uint32_t nesting;
    struct body body; /* body.f is NULL outside function bodies */
    uint32_t func_serial;
    struct ptx_operand *operands; /* a stack of operands being read */
    struct global_ref *global_refs;
    struct ptx_inst *late_insts; /* calls and users of forward references: copies, checked when the
                                  * whole module is known */
    struct ptx_reloc *relocs;    /* of the variable being read */
    uint8_t *init;               /* its bytes */
    uint64_t init_bytes_left;
    uint32_t n_operands, operands_cap, n_global_refs, global_refs_cap, n_late_insts, late_insts_cap;
    uint32_t n_relocs, relocs_cap;
    uint64_t init_cap, init_used; /* bytes from init_used on are zero */
    uint32_t vars_cap, funcs_cap, files_cap;
    uint32_t n_errors;
    bool has_aliases;
};

/* --- tokens --- */
void parser_advance(struct parser *p);
bool parser_at_punct(const struct parser *p, int punct);
bool parser_accept_punct(struct parser *p, int punct);
bool parser_expect_punct(struct parser *p, int punct);
/* Returns the token's name and advances; NULL after a message if it is not a name. */
struct name *parser_expect_name(struct parser *p, const char *what);
struct name *parser_expect_word(struct parser *p, const char *what);
bool parser_expect_uint32(struct parser *p, uint32_t *value, const char *what);
enum directive parser_token_directive(struct parser *p);

/* --- messages; errors return false --- */
bool parser_error(struct parser *p, uint32_t line, uint32_t col, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
bool parser_error_here(struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "expected X, found Y" */
bool parser_expected(struct parser *p, const char *what);
const char *parser_hint_declared(struct parser *p, const char *word);
const char *parser_hint_sreg(struct parser *p, const char *word);
const char *parser_hint_directive(struct parser *p, const char *word);
void parser_warning(struct parser *p, uint32_t line, uint32_t col, const char *hint,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* --- scopes and declarations --- */
bool parser_scope_open(struct parser *p);
void parser_scope_close(struct parser *p);
/* Declares a name in the innermost scope; NULL after a message if it is taken there. */
struct decl *parser_declare(struct parser *p, struct name *name, enum decl_kind kind, uint32_t line,
                            uint32_t col);
/* The declaration visible under this name, or NULL. Registers of ranges get their own declaration
 * here. */
struct decl *parser_lookup(struct parser *p, struct name *name);
/* The registers of a declaration (vec of them), created at the first use. */
struct ptx_reg **parser_use_register(struct parser *p, struct decl *d);
/* A text for the name that is unique among the local names of this function. */
const char *parser_unique_name(struct parser *p, struct name *name);
void parser_add_global_ref(struct parser *p, struct global_ref ref);

/* --- constant expressions --- */
struct constant {
    bool is_float, is_f32, is_unsigned;
    uint64_t bits; /* an integer's value, or a double's bit pattern */
};
bool parse_constant(struct parser *p, struct constant *value);
bool parse_integer(struct parser *p, int64_t *value);

/* --- declarations --- */
bool parse_registers(struct parser *p);
/* A variable statement after its linkage: from the state space to the semicolon. */
bool parse_variables(struct parser *p, enum ptx_linkage linkage);
/* "( .param ..., ... )" */
bool parse_params(struct parser *p, struct ptx_var **params, uint32_t *n);
bool parser_declare_params(struct parser *p, struct ptx_var *params, uint32_t n);
bool parser_skip_attribute(struct parser *p);
/* The shape of an array: dimensions, the vector's as the last one. dims[0] == 0 = not given. */
enum { MAX_DIMS = 8 };
struct shape {
    uint64_t dims[MAX_DIMS + 1];
    uint32_t n_dims;
};
bool parse_initializer(struct parser *p, struct ptx_var *v, struct shape *shape);

/* --- functions and statements --- */
bool parse_function(struct parser *p, enum ptx_linkage linkage);
bool parse_tuning(struct parser *p, struct ptx_func *f); /* .maxntid and the like */
bool parse_label(struct parser *p);
void parser_bind_labels(struct parser *p); /* at the end of a block */
bool parse_instruction(struct parser *p);
void parser_skip_statement(struct parser *p);
bool parser_skip_block(struct parser *p);
bool parse_file(struct parser *p);
bool parse_pragma(struct parser *p);
bool parse_section(struct parser *p);
void parse_module(struct parser *p);
void parser_finish_module(struct parser *p);
/* The operands of an instruction, pushed on p->operands. */
bool parse_operands(struct parser *p, const struct ptx_inst *i);
/* The operands from `first` on, popped. */
struct ptx_operand *parser_take_operands(struct parser *p, uint32_t first, uint32_t *n);
/* Records the use of a label; the caller sets the slot once it has its final address. */
void parser_add_label_ref(struct parser *p, struct name *name, uint32_t line, uint32_t col);

/* --- checks --- */
bool parser_check_inst(struct parser *p, struct ptx_inst *i);
bool parser_check_call(struct parser *p, const struct ptx_inst *i);

#endif
