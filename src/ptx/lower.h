/* Shared between the files that lower a module; private to them. */
#ifndef HEDDLE_PTX_LOWER_H
#define HEDDLE_PTX_LOWER_H

#include "ptx/cfg.h"
#include "ptx/program.h"
#include "ptx/regalloc.h"
#include "ptx/spin.h"

/* Windows of the generic address space. Global memory begins above them. */
#define GENERIC_SHARED_BASE 0x01000000ull
#define GENERIC_LOCAL_BASE  0x02000000ull
#define GENERIC_LOCAL_END   0x03000000ull
#define DEVICE_BASE         0x10000000ull

struct lowerer {
    const struct ptx_module *module;
    struct program *program;
    struct diag_list *diags;
    /* The function being lowered. */
    const struct ptx_func *func;
    struct program_func *out;
    const struct ptx_cfg *cfg;
    const struct ptx_alloc *alloc;
    const struct ptx_spin *spin; /* NULL = no spin loops */
    const struct ptx_inst *inst;
    struct op *op;
    struct op_info *info;
    /* The function being lowered. */
    struct pool_entry {
        uint64_t bits;
        uint32_t at;
        uint8_t width; /* 0 = empty */
    } * entries;
    uint32_t n_entries, cap_entries;
    uint32_t cap_pool, cap_extra, cap_calls;
};

/* --- operands (lower_operand.c) --- */
uint32_t lower_const(struct lowerer *l, uint64_t bits, uint32_t width_bits);
/* The row of a source of `bits` bits; `type` says how to read an immediate. */
uint32_t lower_src(struct lowerer *l, const struct ptx_operand *o, uint32_t bits,
                   enum ptx_type type);
uint32_t lower_dst(struct lowerer *l, const struct ptx_operand *o, uint32_t bits);
uint16_t lower_pred_dst(struct lowerer *l, const struct ptx_operand *o);
uint16_t lower_pred_src(struct lowerer *l, const struct ptx_operand *o);
/* Bits of the operand's register: 16, 32 or 64; 1 for a predicate; 0 if it is not a register. */
uint32_t operand_reg_bits(const struct ptx_operand *o);
uint32_t lower_extra(struct lowerer *l, uint32_t word);
void lower_error(struct lowerer *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The address of a variable; false if it has none. `*in_frame`: offset in the thread's frame. */
bool lower_var_address(struct lowerer *l, const struct ptx_var *v, uint64_t *address,
                       bool *in_frame);

/* --- instructions (lower_inst.c, lower_memory.c, lower_call.c) --- */
void lower_inst(struct lowerer *l);
void lower_load(struct lowerer *l);
void lower_store(struct lowerer *l);
void lower_atomic(struct lowerer *l);
void lower_call(struct lowerer *l);

#endif
