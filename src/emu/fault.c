/* Reports of a kernel's faults: where, which thread, and what is nearby. */
#include <stdarg.h>
#include <string.h>

#include "emu/vec.h"

void emu_describe_inst(const struct emu *e, uint32_t pc, struct strbuf *out)
{
    const struct program *p = e->program;
    const struct op_info *info = &p->info[pc];
    const struct ptx_inst *inst = info->inst;
    if (!inst) {
        strbuf_addf(out, "the end of '%s'", info->func->name);
        return;
    }
    strbuf_addf(out, "%s:%u", p->module->name, inst->line);
    if (inst->loc_line && inst->loc_file < p->module->n_files && p->module->files[inst->loc_file])
        strbuf_addf(out, " (%s:%u)", p->module->files[inst->loc_file], inst->loc_line);
    strbuf_add(out, ": ");
    ptx_print_inst(info->func, inst, out);
}

void emu_describe_barrier(const struct emu_warp *w, struct strbuf *out)
{
    const struct cta_barrier *b = &w->cta->barriers[w->barrier];
    strbuf_addf(out, "waits at barrier %u, where %u of %u warps have arrived", w->barrier,
                b->arrived, b->expected ? b->expected : w->cta->n_live);
}

void emu_describe_apart(const struct emu_warp *w, const char *before, const char *after,
                        struct strbuf *out)
{
    uint32_t apart = w->live & ~w->active;
    if (apart && w->state != WARP_AT_BARRIER)
        strbuf_addf(out,
                    "%s%d of its lanes wait at the reconvergence point: if the warp spins until "
                    "they do something, it never ends on machines with a SIMT stack%s",
                    before, __builtin_popcount(apart), after);
}

void emu_describe_place(const struct emu_warp *w, uint32_t pc, uint32_t lane, struct strbuf *out)
{
    const struct op_info *info = &w->emu->program->info[pc];
    strbuf_addf(out, "  in kernel '%s'", w->emu->launch.func->func->name);
    if (info->func != w->emu->launch.func->func)
        strbuf_addf(out, ", function '%s'", info->func->name);
    strbuf_add(out, ", ");
    emu_describe_inst(w->emu, pc, out);
    strbuf_addf(out, "\n  CTA %u,%u,%u, thread %u,%u,%u (warp %u, lane %u)\n", w->cta->id[0],
                w->cta->id[1], w->cta->id[2], w->tid[0][lane], w->tid[1][lane], w->tid[2][lane],
                w->id, lane);
}

void emu_fault(struct emu_warp *w, enum fault_kind kind, uint32_t lane, const char *format, ...)
{
    struct emu_fault *f = &w->emu->fault;
    w->state = WARP_FAULTED;
    if (f->kind != FAULT_NONE)
        return;
    f->kind = kind;
    f->pc = w->pc - 1;
    f->lane = lane;
    f->warp = w;
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&f->text, format, args);
    va_end(args);
    strbuf_add_char(&f->text, '\n');
    emu_describe_place(w, f->pc, lane, &f->text);
}

static void add_bytes(struct strbuf *out, uint64_t n)
{
    strbuf_addf(out, "%llu byte%s", (unsigned long long)n, n == 1 ? "" : "s");
}

static void describe_nearest(struct emu *e, uint64_t address)
{
    struct strbuf *out = &e->fault.text;
    const struct mem_alloc *a = mem_nearest(e->mem, address);
    if (!a)
        return;
    strbuf_addf(out, "  nearest allocation: '%s', ", a->label);
    add_bytes(out, a->bytes);
    strbuf_addf(out, " at 0x%llx, ", (unsigned long long)a->start);
    const uint64_t far_away = (uint64_t)1 << 40;
    if ((int64_t)address < 0) /* for example a negative or uninitialised index */
        strbuf_addf(out, "far away: as a signed number the address is %lld\n", (long long)address);
    else if (address > a->start + a->bytes + far_away)
        strbuf_add(out, "ended more than 1 TiB below\n");
    else if (address == a->start + a->bytes)
        strbuf_add(out, "the access begins right after its end\n");
    else {
        bool is_before = address < a->start;
        uint64_t end = a->start + a->bytes;
        strbuf_add(out, is_before ? "begins " : address < end ? "ends " : "ended ");
        add_bytes(out, is_before       ? a->start - address
                       : address < end ? end - address
                                       : address - end);
        strbuf_add(out, address < end ? " above\n" : " below\n");
    }
}

void emu_fault_access(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t address,
                      uint32_t bytes, enum ptx_space space)
{
    static const char *const names[PTX_N_SPACES] = {
        [PTX_GENERIC] = "generic", [PTX_GLOBAL] = "global",  [PTX_SHARED] = "shared",
        [PTX_LOCAL] = "local",     [PTX_CONST] = "constant", [PTX_PARAM] = "parameter"};
    const char *verb = op->klass == PTX_CLASS_ATOMIC ? "atomic on"
                       : op->klass == PTX_CLASS_ST_GLOBAL || op->klass == PTX_CLASS_ST_SHARED ||
                               op->klass == PTX_CLASS_ST_LOCAL
                           ? "store to"
                           : "load from";
    bool first = w->emu->fault.kind == FAULT_NONE;
    if (address & (bytes - 1)) {
        emu_fault(w, FAULT_MISALIGNED, lane,
                  "misaligned access: %u-byte %s %s address 0x%llx, which is not a multiple of %u",
                  bytes, verb, names[space], (unsigned long long)address, bytes);
        return;
    }
    emu_fault(w, FAULT_ACCESS, lane, "bad access: %u-byte %s %s address 0x%llx, outside %s", bytes,
              verb, names[space], (unsigned long long)address,
              space == PTX_GLOBAL ? "every allocation" : "the memory there is");
    if (!first)
        return;
    if (space == PTX_GLOBAL)
        describe_nearest(w->emu, address);
    else if (space == PTX_SHARED)
        strbuf_addf(&w->emu->fault.text, "  the CTA has %u bytes of shared memory\n",
                    w->cta->shared_bytes);
    else if (space == PTX_LOCAL)
        strbuf_addf(&w->emu->fault.text, "  the thread has %u bytes of local memory\n",
                    w->frames[w->n_frames - 1].local_end);
}

void emu_divided_by_zero(struct emu_warp *w, uint32_t lanes)
{
    struct emu *e = w->emu;
    e->stats->div_by_zero += (uint32_t)__builtin_popcount(lanes);
    if (e->strict) {
        emu_fault(w, FAULT_DIVISION, (uint32_t)__builtin_ctz(lanes), "integer division by zero");
        return;
    }
    if (e->div_zero_seen)
        return;
    e->div_zero_seen = true;
    strbuf_clear(&e->warning);
    strbuf_add(&e->warning, "warning: integer division by zero (first of possibly many)\n");
    emu_describe_place(w, w->pc - 1, (uint32_t)__builtin_ctz(lanes), &e->warning);
}
