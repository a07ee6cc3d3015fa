/* A valgrind tool that records the instructions of a program as struct cpu_inst, for `heddle cpu
 * record`. It is linked with valgrind's own libraries and not with Heddle, and runs without a C
 * library: only functions that valgrind's pub_tool_*.h declare may be called.
 *
 * Valgrind must run without its own optimiser (--vex-iropt-level=0): it would remove writes of
 * registers that are overwritten in the same block, and with them the dependences. If a value is in
 * a temporary, the registers of an instruction are those that hold the temporaries it uses.
 *
 * Left out: what the kernel does for the program, and child processes. Threads run one at a time
 * under valgrind, and their instructions are recorded in that order. */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#include "libvex_guest_amd64.h"

#include "../inst_record.h"

/* A descriptor that programs cannot close; one of valgrind's functions. */
Int VG_(safe_fd)(Int fd);

enum { BUFFER_RECORDS = 1024 };

static Int out_fd = -1;
static Long n_to_skip, n_to_record; /* n_to_record 0 = all */
static Bool is_recording = True;

static struct cpu_inst buffer[BUFFER_RECORDS + 1]; /* the last one is being built */
static UInt n_buffered;
static Long n_seen, n_recorded;
static Bool has_current;
static UInt current_bytes; /* length of the current instruction */

/* --- What happens while the program runs --- */

static void write_buffer(void)
{
    const HChar *at = (const HChar *)buffer;
    Int left = (Int)(n_buffered * sizeof buffer[0]);
    while (left > 0) {
        Int n = VG_(write)(out_fd, at, left);
        if (n <= 0)
            VG_(exit)(1); /* the reader has closed its end */
        at += n;
        left -= n;
    }
    n_buffered = 0;
}

static void finish_current(ULong next_ip)
{
    struct cpu_inst *inst = &buffer[n_buffered];
    if (!has_current)
        return;
    has_current = False;
    inst->is_taken = inst->is_branch && next_ip != inst->ip + current_bytes;
    if (++n_buffered == BUFFER_RECORDS) {
        struct cpu_inst *spare = &buffer[BUFFER_RECORDS];
        write_buffer();
        VG_(memset)(spare, 0, sizeof *spare);
    }
    if (++n_recorded == n_to_record) {
        write_buffer();
        VG_(exit)(0);
    }
}

/* What is known about an instruction before it runs. */
struct template
{
    struct cpu_inst inst;
    UInt bytes;
};

static VG_REGPARM(1) void begin_inst(const struct template *t)
{
    if (!is_recording)
        return;
    finish_current(t->inst.ip);
    if (n_seen++ < n_to_skip)
        return;
    buffer[n_buffered] = t->inst;
    current_bytes = t->bytes;
    has_current = True;
}

static void add_address(unsigned long long *list, UInt n, Addr address)
{
    for (UInt i = 0; i < n; i++)
        if (!list[i] || list[i] == address) {
            list[i] = address;
            return;
        }
}

static VG_REGPARM(1) void add_load(Addr address)
{
    if (has_current)
        add_address(buffer[n_buffered].source_memory, CPU_SOURCES, address);
}

static VG_REGPARM(1) void add_store(Addr address)
{
    if (has_current)
        add_address(buffer[n_buffered].dest_memory, CPU_DESTS, address);
}

/* A child's instructions would be mixed with its parent's. */
static void stop_in_child(ThreadId thread)
{
    (void)thread;
    is_recording = False;
    has_current = False;
    n_buffered = 0;
}

/* --- Registers --- */

#define GUEST(field) ((Int)offsetof(VexGuestAMD64State, field))

/* The number of the register at an offset of the guest's state; 0 = not a register that matters. */
static UChar register_at(Int offset)
{
    static const UChar general[16] = {1,  2,  3,  4, CPU_REG_STACK, 5, 7, 8, 9, 10, 11, 12,
                                      13, 14, 15, 16};
    if (offset >= GUEST(guest_RAX) && offset < GUEST(guest_R15) + 8)
        return general[(offset - GUEST(guest_RAX)) / 8];
    if (offset >= GUEST(guest_CC_OP) && offset < GUEST(guest_CC_NDEP) + 8)
        return CPU_REG_FLAGS;
    if (offset >= GUEST(guest_YMM0) && offset < GUEST(guest_YMM16))
        return (UChar)(32 + (offset - GUEST(guest_YMM0)) / 32);
    return 0;
}

static void add_register(UChar *list, UInt n, UChar reg)
{
    for (UInt i = 0; i < n && reg; i++)
        if (!list[i] || list[i] == reg) {
            list[i] = reg;
            return;
        }
}

/* Which registers hold which temporaries, while a block is processed. */
struct block {
    IRTemp held[256]; /* per register: the temporary with its value */
    UChar *home;      /* per temporary: a register it was read from or written to; 0 = none */
};

static void hold(struct block *b, UChar reg, const IRExpr *value)
{
    if (!reg)
        return;
    b->held[reg] = value->tag == Iex_RdTmp ? value->Iex.RdTmp.tmp : IRTemp_INVALID;
    if (value->tag == Iex_RdTmp && !b->home[value->Iex.RdTmp.tmp])
        b->home[value->Iex.RdTmp.tmp] = reg;
}

/* The register with the temporary's value, otherwise one that had it; 0 = none. */
static UChar register_of(const struct block *b, IRTemp t)
{
    UChar home = b->home[t];
    if (home && b->held[home] != t)
        for (UInt reg = 1; reg < 256; reg++)
            if (b->held[reg] == t)
                return (UChar)reg;
    return home;
}

/* Blocks are flat: expressions consist of temporaries and constants. */
static void add_reads(struct block *b, struct cpu_inst *inst, const IRExpr *e)
{
    switch (e->tag) {
    case Iex_RdTmp:
        add_register(inst->source_regs, CPU_SOURCES, register_of(b, e->Iex.RdTmp.tmp));
        break;
    case Iex_Get:
        add_register(inst->source_regs, CPU_SOURCES, register_at(e->Iex.Get.offset));
        break;
    case Iex_Unop:
        add_reads(b, inst, e->Iex.Unop.arg);
        break;
    case Iex_Binop:
        add_reads(b, inst, e->Iex.Binop.arg1);
        add_reads(b, inst, e->Iex.Binop.arg2);
        break;
    case Iex_Triop:
        add_reads(b, inst, e->Iex.Triop.details->arg2);
        add_reads(b, inst, e->Iex.Triop.details->arg3);
        break;
    case Iex_Qop:
        add_reads(b, inst, e->Iex.Qop.details->arg2);
        add_reads(b, inst, e->Iex.Qop.details->arg3);
        add_reads(b, inst, e->Iex.Qop.details->arg4);
        break;
    case Iex_Load:
        add_reads(b, inst, e->Iex.Load.addr);
        break;
    case Iex_ITE:
        add_reads(b, inst, e->Iex.ITE.cond);
        add_reads(b, inst, e->Iex.ITE.iftrue);
        add_reads(b, inst, e->Iex.ITE.iffalse);
        break;
    case Iex_CCall:
        for (UInt i = 0; e->Iex.CCall.args[i]; i++)
            add_reads(b, inst, e->Iex.CCall.args[i]);
        break;
    default:
        break;
    }
}

static void add_statement(struct block *b, struct cpu_inst *inst, const IRStmt *s)
{
    UChar reg;
    switch (s->tag) {
    case Ist_WrTmp:
        add_reads(b, inst, s->Ist.WrTmp.data);
        reg =
            s->Ist.WrTmp.data->tag == Iex_Get ? register_at(s->Ist.WrTmp.data->Iex.Get.offset) : 0;
        if (reg) {
            b->held[reg] = s->Ist.WrTmp.tmp;
            b->home[s->Ist.WrTmp.tmp] = reg;
        }
        break;
    case Ist_Put:
        reg = register_at(s->Ist.Put.offset);
        if (reg != CPU_REG_FLAGS)
            add_reads(b, inst, s->Ist.Put.data);
        add_register(inst->dest_regs, CPU_DESTS, reg);
        hold(b, reg, s->Ist.Put.data);
        break;
    case Ist_Store:
        add_reads(b, inst, s->Ist.Store.addr);
        add_reads(b, inst, s->Ist.Store.data);
        break;
    case Ist_Exit:
        add_reads(b, inst, s->Ist.Exit.guard);
        inst->is_branch |= s->Ist.Exit.jk == Ijk_Boring;
        break;
    default:
        break;
    }
}

/* --- instrumentation of the program --- */

static void call(IRSB *sb, const HChar *name, void *function, IRExpr *arg, IRExpr *guard)
{
    IRDirty *d = unsafeIRDirty_0_N(1, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_1(arg));
    if (guard)
        d->guard = guard;
    addStmtToIRSB(sb, IRStmt_Dirty(d));
}

static void plant_load(IRSB *sb, IRExpr *address, IRExpr *guard)
{
    call(sb, "add_load", add_load, address, guard);
}

static void plant_store(IRSB *sb, IRExpr *address, IRExpr *guard)
{
    call(sb, "add_store", add_store, address, guard);
}

/* The template of an instruction: its registers, and whether it is a branch, from its statements up
 * to the next instruction. */
static struct template *make_template(const IRSB *sb, Int at, struct block *b)
{
    struct template *t = VG_(calloc)("heddle.template", 1, sizeof *t);
    const IRStmt *mark = sb->stmts[at];
    Int i = at + 1;
    t->inst.ip = mark->Ist.IMark.addr;
    t->bytes = mark->Ist.IMark.len;
    for (; i < sb->stmts_used && sb->stmts[i]->tag != Ist_IMark; i++)
        add_statement(b, &t->inst, sb->stmts[i]);
    if (i < sb->stmts_used)
        return t;
    Bool falls_through =
        sb->next->tag == Iex_Const && sb->next->Iex.Const.con->Ico.U64 == t->inst.ip + t->bytes;
    add_reads(b, &t->inst, sb->next);
    if (!falls_through || sb->jumpkind == Ijk_Call || sb->jumpkind == Ijk_Ret)
        t->inst.is_branch = 1;
    return t;
}

static void plant_dirty(IRSB *sb, const IRDirty *d)
{
    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        plant_load(sb, d->mAddr, d->guard);
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        plant_store(sb, d->mAddr, d->guard);
}

static void plant_before(IRSB *out, const IRSB *in, Int at, struct block *b)
{
    const IRStmt *s = in->stmts[at];
    switch (s->tag) {
    case Ist_IMark:
        call(out, "begin_inst", begin_inst, mkIRExpr_HWord((HWord)make_template(in, at, b)), NULL);
        break;
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            plant_load(out, s->Ist.WrTmp.data->Iex.Load.addr, NULL);
        break;
    case Ist_Store:
        plant_store(out, s->Ist.Store.addr, NULL);
        break;
    case Ist_StoreG:
        plant_store(out, s->Ist.StoreG.details->addr, s->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        plant_load(out, s->Ist.LoadG.details->addr, s->Ist.LoadG.details->guard);
        break;
    case Ist_CAS:
        plant_load(out, s->Ist.CAS.details->addr, NULL);
        plant_store(out, s->Ist.CAS.details->addr, NULL);
        break;
    case Ist_Dirty:
        plant_dirty(out, s->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
                        IRType host_word)
{
    (void)closure, (void)layout, (void)extents, (void)arch, (void)guest_word, (void)host_word;
    IRSB *out = deepCopyIRSBExceptStmts(in);
    struct block b;
    VG_(memset)(b.held, 0xff, sizeof b.held); /* IRTemp_INVALID */
    b.home = VG_(calloc)("heddle.home", 1, (SizeT)in->tyenv->types_used + 1);
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_IMark)
            addStmtToIRSB(out, in->stmts[i]);
        plant_before(out, in, i, &b);
        if (s->tag != Ist_IMark)
            addStmtToIRSB(out, in->stmts[i]);
    }
    VG_(free)(b.home);
    return out;
}

/* --- The tool --- */

static Bool take_option(const HChar *arg)
{
    return VG_INT_CLO(arg, "--out-fd", out_fd) || VG_INT_CLO(arg, "--skip", n_to_skip) ||
           VG_INT_CLO(arg, "--max-insts", n_to_record);
}

static void print_usage(void)
{
    VG_(printf)
    ("    --out-fd=N       file descriptor of the records\n    --skip=N         instructions "
     "before the first recorded one\n    --max-insts=N    end the program after this many; 0 = "
     "record all\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void begin(void)
{
    if (out_fd < 0)
        VG_(fmsg_bad_option)("--out-fd", "this option is required\n");
    out_fd = VG_(safe_fd)(out_fd);
    VG_(atfork)(NULL, NULL, stop_in_child);
}

static void finish(Int exit_code)
{
    (void)exit_code;
    if (!is_recording)
        return;
    finish_current(0);
    write_buffer();
}

static void describe(void)
{
    VG_(details_name)("heddle");
    VG_(details_version)(NULL);
    VG_(details_description)("records instructions and memory accesses");
    VG_(details_copyright_author)("Heddle");
    VG_(details_bug_reports_to)("Heddle");
    VG_(basic_tool_funcs)(begin, instrument, finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
