/* Branches, calls, exits and barriers. */
#include "emu/barrier.h"
#include "emu/hostcall.h"
#include "emu/vec.h"

#define FN(id) void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask)

static const struct op_info *info_of(const struct emu_warp *w, const struct op *op)
{
    return &w->emu->program->info[op - w->code];
}

FN(BRA)
{
    if (mask == w->active)
        w->pc = (uint32_t)op->imm;
    else
        simt_branch(w, (uint32_t)op->imm, mask, info_of(w, op)->reconverge, false);
}

/* A branch of a spin loop (ptx/spin.h). Lanes that leave run first: those that stay may wait for
 * them. When a whole path repeats the loop, the next of the warp's paths runs: it may be the one
 * that ends the wait. */
FN(BRA_SPIN)
{
    bool is_uniform = mask == w->active;
    simt_branch(w, (uint32_t)op->imm, mask, info_of(w, op)->reconverge,
                op->sub & PTX_SPIN_LEAVES_BY_TARGET);
    if (is_uniform && op->sub & PTX_SPIN_REPEATS)
        simt_yield(w);
}

/* The lanes of `mask` whose table entry is `target`. */
static uint32_t lanes_to(const uint32_t *targets, const uint32_t *index, uint32_t mask,
                         uint32_t target)
{
    uint32_t lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        if (targets[index[__builtin_ctz(m)]] == target)
            lanes |= m & (0u - m);
    return lanes;
}

/* A branch to each distinct target in turn: lanes that go there leave those still undecided, which
 * repeat the instruction. */
FN(BRX)
{
    const uint32_t *index = warp_row(w, op->a);
    const uint32_t *targets = &w->emu->program->extra[op->extra];
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (index[i] >= op->imm) {
            emu_fault(w, FAULT_CALL, i, "branch index %u is past the table of %u targets", index[i],
                      (uint32_t)op->imm);
            return;
        }
    }
    uint32_t meet = info_of(w, op)->reconverge, here = w->pc - 1;
    if (mask != w->active) { /* a guard: its lanes return separately */
        simt_branch_by_table(w, here, mask, mask, meet);
        return;
    }
    uint32_t target = targets[index[__builtin_ctz(mask)]];
    simt_branch_by_table(w, target, lanes_to(targets, index, mask, target), mask, meet);
}

FN(CALL)
{
    const struct call_site *site = &w->emu->program->calls[op->extra];
    simt_call(w, &w->emu->program->funcs[site->callee], site, mask);
}

static uint64_t callee_of(const struct emu_warp *w, const struct op *op, uint32_t lane)
{
    const void *row = warp_row(w, op->a);
    return op->flags & OP_SRC64 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static bool same_sizes(const struct call_copy *given, uint32_t n, const struct ptx_var *declared,
                       uint32_t n_declared)
{
    bool same = n == n_declared;
    for (uint32_t i = 0; same && i < n; i++)
        same = given[i].bytes == declared[i].bytes;
    return same;
}

/* Copies follow the call's own list, so it must match the function's. */
static bool fits_call(const struct ptx_func *f, const struct call_site *site)
{
    return same_sizes(site->args, site->n_args, f->params, f->n_params) &&
           same_sizes(site->rets, site->n_rets, f->rets, f->n_rets);
}

/* Lanes that call the same function as the first lane go now; the others repeat the call. */
FN(CALL_INDIRECT)
{
    struct program *p = w->emu->program;
    const struct call_site *site = &p->calls[op->extra];
    uint32_t lead = (uint32_t)__builtin_ctz(mask), now = 0;
    uint64_t address = callee_of(w, op, lead);
    uint64_t index = (address - program_func_address(0)) / 16;
    if (index >= p->module->n_funcs || address != program_func_address((uint32_t)index) ||
        !p->funcs[index].func->has_body) {
        emu_fault(w, FAULT_CALL, lead,
                  "call through a register that holds 0x%llx, which is not a function",
                  (unsigned long long)address);
        return;
    }
    if (!fits_call(p->funcs[index].func, site)) {
        emu_fault(w, FAULT_CALL, lead,
                  "call of '%s' through a register: its parameters differ from the call's",
                  p->funcs[index].func->name);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1)
        if (callee_of(w, op, (uint32_t)__builtin_ctz(m)) == address)
            now |= m & (0u - m);
    if (now != mask) {
        uint32_t next = w->pc, frame = w->stack[w->depth - 1].frame;
        simt_push(w, next - 1, next, mask & ~now, frame);
        simt_push(w, next, next, now, frame);
    }
    simt_call(w, &p->funcs[index], site, now);
}

FN(CALL_HOST)
{
    host_call(w, &w->emu->program->calls[op->extra], mask);
}

FN(RET)
{
    (void)op;
    simt_return(w, mask);
}

FN(EXIT)
{
    (void)op;
    simt_exit(w, mask);
}

/* In CUDA, grid.sync() traps if the launch is not cooperative. */
FN(TRAP)
{
    (void)op;
    emu_fault(
        w, FAULT_TRAP, (uint32_t)__builtin_ctz(mask), "the kernel executed a trap%s",
        w->emu->program->asks_for_cooperation
            ? "; it needs a cooperative launch, as grid.sync() does, which Heddle does not support"
            : "");
}

FN(REFUSED)
{
    struct strbuf text = {0};
    const struct op_info *info = info_of(w, op);
    ptx_print_inst(info->func, info->inst, &text);
    emu_fault(w, FAULT_REFUSED, (uint32_t)__builtin_ctz(mask),
              "the instruction '%s' is not supported", strbuf_text(&text));
    strbuf_destroy(&text);
}

FN(NOP)
{
    (void)w;
    (void)op;
    (void)mask;
}

/* Functional execution makes every store visible at once: a fence has nothing to wait for. */
FN(FENCE)
{
    (void)w;
    (void)op;
    (void)mask;
}

FN(BAR)
{
    barrier_arrive(w, op, mask);
}

FN(BAR_WARP)
{
    (void)w;
    (void)op;
    (void)mask;
}
