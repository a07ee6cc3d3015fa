/* Lowering of operands: registers to rows of the frame, constants to rows of the pool. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/softfp.h"
#include "ptx/lower.h"

void lower_error(struct lowerer *l, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&text, format, args);
    va_end(args);
    diag_add(l->diags, DIAG_ERROR, l->module->name, l->module->text, l->inst->line, l->inst->col,
             NULL, "%s", strbuf_text(&text));
    strbuf_destroy(&text);
}

static uint32_t hash_const(uint64_t bits, uint32_t width)
{
    uint64_t h = (bits ^ width) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

static void grow_entries(struct lowerer *l)
{
    uint32_t old_cap = l->cap_entries;
    struct pool_entry *old = l->entries;
    l->cap_entries = old_cap ? old_cap * 2 : 256;
    l->entries = xcalloc(l->cap_entries, sizeof *l->entries);
    for (uint32_t i = 0; i < old_cap; i++) {
        if (!old[i].width)
            continue;
        uint32_t at = hash_const(old[i].bits, old[i].width);
        while (l->entries[at & (l->cap_entries - 1)].width)
            at++;
        l->entries[at & (l->cap_entries - 1)] = old[i];
    }
    free(old);
}

static uint32_t add_pool_row(struct lowerer *l, uint64_t bits, uint32_t width)
{
    struct program *p = l->program;
    uint32_t at = p->pool_bytes;
    p->pool_bytes += width == 64 ? ROW64_BYTES : ROW32_BYTES;
    ARRAY_RESERVE(p->pool, l->cap_pool, p->pool_bytes);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (width == 64) {
            memcpy(p->pool + at + lane * 8, &bits, 8);
        } else {
            uint32_t word = (uint32_t)bits;
            memcpy(p->pool + at + lane * 4, &word, 4);
        }
    }
    return at;
}

uint32_t lower_const(struct lowerer *l, uint64_t bits, uint32_t width)
{
    if (width < 64)
        bits &= width <= 16 ? 0xffffull : 0xffffffffull;
    width = width == 64 ? 64 : 32; /* 16-bit values live zero-extended in 32-bit rows */
    if ((l->n_entries + 1) * 2 > l->cap_entries)
        grow_entries(l);
    uint32_t at = hash_const(bits, width);
    struct pool_entry *e;
    for (;; at++) {
        e = &l->entries[at & (l->cap_entries - 1)];
        if (!e->width)
            break;
        if (e->bits == bits && e->width == width)
            return e->at | OP_POOL;
    }
    *e = (struct pool_entry){bits, add_pool_row(l, bits, width), (uint8_t)width};
    l->n_entries++;
    return e->at | OP_POOL;
}

static uint32_t frame_row(const struct lowerer *l, struct ptx_place place)
{
    uint32_t bytes64 = (l->alloc->n_64 + 1) * ROW64_BYTES;
    return place.file == PTX_FILE_64 ? place.number * ROW64_BYTES
                                     : bytes64 + place.number * ROW32_BYTES;
}

uint32_t operand_reg_bits(const struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_REG)
        return 0;
    uint32_t bits = ptx_types[o->reg->type].bits;
    return bits == 8 ? 16 : bits;
}

static uint64_t immediate_bits(const struct ptx_operand *o, uint32_t bits, enum ptx_type type)
{
    struct fp_mode nearest = {FP_RN, false, false};
    uint64_t as_double = o->bits;
    if (!o->imm_float) {
        if (ptx_types[type].kind != 'f' || bits == 16 || type == PTX_F16X2 || type == PTX_BF16X2)
            return o->bits;
        as_double = fp_from_int(FP_F64, o->bits, true, nearest);
    }
    if (bits == 64)
        return as_double;
    if (bits == 16)
        return fp_convert(FP_F64, type == PTX_BF16 ? FP_BF16 : FP_F16, as_double, nearest);
    double d;
    memcpy(&d, &as_double, 8);
    float f = (float)d;
    uint32_t word;
    memcpy(&word, &f, 4);
    return word;
}

uint32_t lower_src(struct lowerer *l, const struct ptx_operand *o, uint32_t bits,
                   enum ptx_type type)
{
    uint64_t address;
    bool in_frame;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if ((operand_reg_bits(o) == 64) != (bits == 64)) {
            lower_error(l, "operand '%s' has %u bits where %u are needed", o->reg->name,
                        operand_reg_bits(o), bits);
            return 0;
        }
        return frame_row(l, l->alloc->places[o->reg->index]);
    case PTX_OPERAND_IMM:
        return lower_const(l, immediate_bits(o, bits, type), bits);
    case PTX_OPERAND_VAR:
        if (!lower_var_address(l, o->var, &address, &in_frame) || in_frame) {
            lower_error(l, "the address of '%s' can only be taken with mov", o->var->name);
            return 0;
        }
        return lower_const(l, address + (uint64_t)o->offset, bits);
    case PTX_OPERAND_FUNC:
        return lower_const(l, program_func_address(o->func->index), bits);
    case PTX_OPERAND_SREG:
        lower_error(l, "special register %s can only be read with mov", ptx_sreg_name(o->sreg));
        return 0;
    default:
        lower_error(l, "this instruction does not take this kind of operand");
        return 0;
    }
}

uint32_t lower_dst(struct lowerer *l, const struct ptx_operand *o, uint32_t bits)
{
    if (o->kind == PTX_OPERAND_SINK) {
        struct ptx_place scratch = {.file = bits == 64 ? PTX_FILE_64 : PTX_FILE_32,
                                    .number =
                                        (uint16_t)(bits == 64 ? l->alloc->n_64 : l->alloc->n_32)};
        return frame_row(l, scratch);
    }
    if (o->kind != PTX_OPERAND_REG || operand_reg_bits(o) == 1) {
        lower_error(l, "the destination is not a register that can hold the result");
        return 0;
    }
    if ((operand_reg_bits(o) == 64) != (bits == 64))
        lower_error(l, "destination '%s' has %u bits where %u are needed", o->reg->name,
                    operand_reg_bits(o), bits);
    struct ptx_place place = l->alloc->places[o->reg->index];
    if (place.file == PTX_FILE_NONE) /* written, never read */
        return lower_dst(l, &(struct ptx_operand){.kind = PTX_OPERAND_SINK}, bits);
    return frame_row(l, place);
}

uint16_t lower_pred_dst(struct lowerer *l, const struct ptx_operand *o)
{
    uint16_t scratch = (uint16_t)(l->alloc->n_preds + FRAME_PRED_SCRATCH);
    if (o->kind == PTX_OPERAND_SINK)
        return scratch;
    if (o->kind != PTX_OPERAND_REG || operand_reg_bits(o) != 1) {
        lower_error(l, "the destination is not a predicate");
        return scratch;
    }
    struct ptx_place place = l->alloc->places[o->reg->index];
    return place.file == PTX_FILE_PRED ? place.number : scratch;
}

uint16_t lower_pred_src(struct lowerer *l, const struct ptx_operand *o)
{
    uint16_t negated = o->negated ? OP_NEGATED : 0;
    if (o->kind == PTX_OPERAND_IMM) {
        bool value = (o->bits != 0) != o->negated;
        return (uint16_t)(l->alloc->n_preds + (value ? FRAME_PRED_TRUE : FRAME_PRED_FALSE));
    }
    if (o->kind != PTX_OPERAND_REG || operand_reg_bits(o) != 1) {
        lower_error(l, "a predicate is needed here");
        return 0;
    }
    return (uint16_t)(l->alloc->places[o->reg->index].number | negated);
}

uint32_t lower_extra(struct lowerer *l, uint32_t word)
{
    struct program *p = l->program;
    ARRAY_RESERVE(p->extra, l->cap_extra, p->n_extra + 1);
    p->extra[p->n_extra] = word;
    return p->n_extra++;
}

bool lower_var_address(struct lowerer *l, const struct ptx_var *v, uint64_t *address,
                       bool *in_frame)
{
    const struct ptx_func *f = l->func;
    *in_frame = false;
    if (v->index < l->module->n_vars && l->module->vars[v->index] == v) {
        *address = l->program->var_addresses[v->index];
        return true;
    }
    if (v->index < f->n_vars && f->vars[v->index] == v) {
        *address = l->out->var_at[v->index];
        *in_frame = v->space != PTX_SHARED && v->space != PTX_GLOBAL && v->space != PTX_CONST;
        return true;
    }
    bool is_param = f->n_params && v >= f->params && v < f->params + f->n_params;
    bool is_ret = f->n_rets && v >= f->rets && v < f->rets + f->n_rets;
    if (!is_param && !is_ret)
        return false;
    *address = is_param ? l->out->param_at[v - f->params] : l->out->ret_at[v - f->rets];
    *in_frame = !f->is_entry;
    return true;
}
