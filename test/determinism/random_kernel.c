#include "determinism/random_kernel.h"

#include "workloads/workload.h"

enum { N_VALUES = 8, MAX_DEPTH = 3, SHARED_WORDS = 8 /* of a thread, half in each layout */ };

struct writer {
    struct strbuf *out;
    struct workload_rng rng;
    const struct random_kernel *k;
    uint32_t next_label;
    uint32_t depth, budget;
    bool uniform; /* all threads of the CTA come here together */
};

static void write_block(struct writer *w);

/* --- small choices --- */

static uint32_t pick(struct writer *w, uint32_t n)
{
    return workload_rng_below(&w->rng, n);
}

#define PICK_WORD(w, ...)                                                                          \
    pick_word(w, (const char *const[]){__VA_ARGS__},                                               \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
static const char *pick_word(struct writer *w, const char *const *words, size_t n)
{
    return words[pick(w, (uint32_t)n)];
}

#define EMIT(w, ...) strbuf_addf((w)->out, __VA_ARGS__)

static uint32_t value(struct writer *w)
{
    return pick(w, N_VALUES);
}

/* Sets %i to a random index below n (a power of two). */
static void write_index(struct writer *w, uint32_t n)
{
    if (pick(w, 3) == 0)
        EMIT(w, "mov.u32 %%i, %u;\n", pick(w, n));
    else
        EMIT(w, "and.b32 %%i, %%v%u, %u;\n", value(w), n - 1);
}

/* Sets %a to the address of a random word of a region. */
static void write_address(struct writer *w, const char *base, uint32_t words, uint32_t bytes)
{
    write_index(w, words * 4 / bytes);
    EMIT(w, "mul.wide.u32 %%a, %%i, %u;\nadd.u64 %%a, %%a, %s;\n", bytes, base);
}

/* --- statements --- */

static void write_arithmetic(struct writer *w)
{
    const char *op = PICK_WORD(w, "add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32",
                               "xor.b32", "min.u32", "max.s32", "shl.b32", "shr.u32");
    EMIT(w, "%s %%v%u, %%v%u, %%v%u;\n", op, value(w), value(w), value(w));
}

static void write_long_arithmetic(struct writer *w)
{
    uint32_t d = value(w), a = value(w), b = value(w);
    switch (pick(w, 4)) {
    case 0:
        EMIT(w, "or.b32 %%i, %%v%u, 1;\ndiv.u32 %%v%u, %%v%u, %%i;\n", b, d, a);
        break;
    case 1:
        EMIT(w, "cvt.rn.f32.u32 %%f1, %%v%u;\nsqrt.approx.f32 %%f1, %%f1;\n", a);
        EMIT(w, "cvt.rzi.u32.f32 %%v%u, %%f1;\n", d);
        break;
    case 2:
        EMIT(w, "cvt.rn.f64.u32 %%d1, %%v%u;\nfma.rn.f64 %%d1, %%d1, %%d1, %%d1;\n", a);
        EMIT(w, "mov.b64 {%%i, %%v%u}, %%d1;\n", d);
        break;
    default:
        EMIT(w, "mad.lo.u32 %%v%u, %%v%u, %%v%u, %%v%u;\n", d, a, b, value(w));
    }
}

static void write_predicated(struct writer *w)
{
    EMIT(w, "setp.%s.u32 %%q, %%v%u, %%v%u;\n", PICK_WORD(w, "lt", "eq", "ge"), value(w), value(w));
    EMIT(w, "@%s%%q ", pick(w, 2) ? "!" : "");
    write_arithmetic(w);
}

static void write_input_load(struct writer *w)
{
    const char *how = PICK_WORD(w, "", "", ".cg", ".volatile", ".ca", ".cv", ".cs");
    if (pick(w, 4) == 0) {
        write_address(w, "%in", RANDOM_INPUT_WORDS, 16);
        EMIT(w, "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%a];\n");
        return;
    }
    write_address(w, "%in", RANDOM_INPUT_WORDS, 4);
    EMIT(w, "ld%s.global%s.u32 %%v%u, [%%a];\n", *how == '.' && how[1] == 'v' ? how : "",
         *how == '.' && how[1] == 'v' ? "" : how, value(w));
}

static void write_constant_load(struct writer *w)
{
    write_index(w, 64);
    EMIT(w, "mov.u32 %%j, table;\nmad.lo.u32 %%j, %%i, 4, %%j;\n");
    EMIT(w, "ld.const.u32 %%v%u, [%%j];\n", value(w));
}

static void write_own_access(struct writer *w)
{
    const char *type = PICK_WORD(w, "u32", "u32", "u8", "u16");
    write_address(w, "%own", RANDOM_OWN_WORDS, 4);
    if (pick(w, 4) == 0)
        EMIT(w, "setp.ne.u32 %%q, %%v%u, 0;\n@%%q ", value(w));
    if (pick(w, 2))
        EMIT(w, "st.global.%s [%%a], %%v%u;\n", type, value(w));
    else
        EMIT(w, "ld%s.global.%s %%v%u, [%%a];\n", PICK_WORD(w, "", ".volatile"), type, value(w));
}

/* Word i of thread t at (i * threads + t) * 4, or a thread's words adjacent: bank conflicts. */
static void write_shared_access(struct writer *w)
{
    write_index(w, SHARED_WORDS / 2);
    if (pick(w, 2))
        EMIT(w, "mad.lo.u32 %%j, %%i, %u, %%tid4;\n", w->k->block * 4);
    else
        EMIT(w, "mad.lo.u32 %%j, %%tid4, 4, %u;\nmad.lo.u32 %%j, %%i, 4, %%j;\n",
             w->k->block * SHARED_WORDS / 2 * 4);
    EMIT(w, "mov.u32 %%s, mine;\nadd.u32 %%j, %%j, %%s;\n");
    if (pick(w, 2))
        EMIT(w, "st.shared.u32 [%%j], %%v%u;\n", value(w));
    else
        EMIT(w, "ld.shared.u32 %%v%u, [%%j];\n", value(w));
}

static void write_local_access(struct writer *w)
{
    write_index(w, RANDOM_OWN_WORDS);
    EMIT(w, "mov.u32 %%j, stack;\nmad.lo.u32 %%j, %%i, 4, %%j;\n");
    if (pick(w, 2))
        EMIT(w, "st.local.u32 [%%j], %%v%u;\n", value(w));
    else
        EMIT(w, "ld.local.u32 %%v%u, [%%j];\n", value(w));
}

/* On a word of the thread's own: the results are those of the program order. */
static void write_own_atomic(struct writer *w)
{
    write_address(w, "%own", RANDOM_OWN_WORDS, 4);
    if (pick(w, 3) == 0)
        EMIT(w, "setp.gt.u32 %%q, %%v%u, %%v%u;\n@%%q ", value(w), value(w));
    const char *op = PICK_WORD(w, "add.u32", "exch.b32", "max.u32", "xor.b32", "inc.u32");
    if (pick(w, 2))
        EMIT(w, "atom.global.%s %%v%u, [%%a], %%v%u;\n", op, value(w), value(w));
    else
        EMIT(w, "red.global.add.u32 [%%a], %%v%u;\n", value(w));
    if (pick(w, 2))
        EMIT(w, "ld.global.u32 %%v%u, [%%a];\n", value(w));
    else if (pick(w, 2))
        EMIT(w, "st.global.u32 [%%a], %%v%u;\n", value(w));
}

/* Some lanes on shared memory, the others on global memory, by one generic instruction. */
static void write_generic_access(struct writer *w)
{
    write_address(w, "%own", RANDOM_OWN_WORDS, 4);
    EMIT(w, "mov.u32 %%j, mine;\nadd.u32 %%j, %%j, %%tid4;\ncvt.u64.u32 %%b, %%j;\n"
            "cvta.shared.u64 %%b, %%b;\n");
    EMIT(w, "and.b32 %%i, %%v%u, 1;\nsetp.eq.u32 %%q, %%i, 0;\nselp.b64 %%a, %%a, %%b, %%q;\n",
         value(w));
    switch (pick(w, 3)) {
    case 0:
        EMIT(w, "atom.add.u32 %%v%u, [%%a], %%v%u;\n", value(w), value(w));
        break;
    case 1:
        EMIT(w, "st.u32 [%%a], %%v%u;\n", value(w));
        break;
    default:
        EMIT(w, "ld.u32 %%v%u, [%%a];\n", value(w));
    }
}

/* Sums that are not read before the end. */
static void write_count(struct writer *w)
{
    uint32_t spread = 1u << pick(w, 7);
    if (pick(w, 3) == 0) {
        EMIT(w, "mov.u32 %%j, tally;\nand.b32 %%i, %%v%u, 12;\nadd.u32 %%j, %%j, %%i;\n", value(w));
        EMIT(w, "red.shared.add.u32 [%%j], %%v%u;\n", value(w));
        return;
    }
    write_address(w, "%count", spread, 4);
    if (pick(w, 2))
        EMIT(w, "red.global.add.u32 [%%a], %%v%u;\n", value(w));
    else
        EMIT(w, "atom.global.add.u32 %%junk, [%%a], %%v%u;\n", value(w));
}

static void write_call(struct writer *w)
{
    EMIT(w, "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\n");
    EMIT(w, "st.param.b32 [x], %%v%u;\nst.param.b32 [y], %%v%u;\n", value(w), value(w));
    EMIT(w, "call (z), helper%u, (x, y);\nld.param.b32 %%v%u, [z];\n}\n", pick(w, 2), value(w));
}

static void write_fence(struct writer *w)
{
    EMIT(w, "membar.%s;\n", PICK_WORD(w, "gl", "cta", "sys"));
}

static void write_race(struct writer *w)
{
    write_address(w, "%common", 1u << pick(w, 7), 4);
    switch (pick(w, 6)) {
    case 0:
        EMIT(w, "st%s.global.u32 [%%a], %%v%u;\n", PICK_WORD(w, "", ".volatile"), value(w));
        break;
    case 1:
        EMIT(w, "atom.global.%s %%v%u, [%%a], %%v%u;\n",
             PICK_WORD(w, "add.u32", "exch.b32", "min.u32"), value(w), value(w));
        break;
    case 2:
        EMIT(w, "atom.global.cas.b32 %%v%u, [%%a], %%v%u, %%v%u;\n", value(w), value(w), value(w));
        break;
    case 3:
        EMIT(w, "mov.u32 %%v%u, %s;\n", value(w), PICK_WORD(w, "%clock", "%smid", "%warpid"));
        break;
    default:
        EMIT(w, "ld%s.global.u32 %%v%u, [%%a];\n", PICK_WORD(w, "", ".volatile"), value(w));
    }
}

/* --- uniform flow only --- */

static void write_exchange(struct writer *w)
{
    uint32_t by = 1 + pick(w, w->k->block - 1);
    EMIT(w, "bar.sync 0;\nmov.u32 %%j, mailbox;\nadd.u32 %%s, %%j, %%tid4;\n");
    EMIT(w, "st.shared.u32 [%%s], %%v%u;\nbar.sync 0;\n", value(w));
    EMIT(w, "mov.u32 %%i, %%tid.x;\nadd.u32 %%i, %%i, %u;\nrem.u32 %%i, %%i, %u;\n", by,
         w->k->block);
    EMIT(w, "mad.lo.u32 %%s, %%i, 4, %%j;\nld.shared.u32 %%v%u, [%%s];\n", value(w));
}

static void write_warp_operation(struct writer *w)
{
    if (w->k->block % 32 != 0)
        return;
    uint32_t d = value(w), a = value(w);
    if (pick(w, 2)) {
        EMIT(w, "shfl.sync.bfly.b32 %%v%u, %%v%u, %u, 31, -1;\n", d, a, 1 + pick(w, 31));
        return;
    }
    EMIT(w, "setp.lt.s32 %%q, %%v%u, 0;\nvote.sync.ballot.b32 %%v%u, %%q, -1;\n", a, d);
}

/* A barrier makes what the CTA added visible to all of it. */
static void write_barrier(struct writer *w)
{
    EMIT(w, "bar.sync 0;\n");
}

/* --- control --- */

static void write_if(struct writer *w)
{
    uint32_t label = w->next_label++;
    bool uniform = w->uniform;
    EMIT(w, "setp.%s.u32 %%q, %%v%u, %%v%u;\n@%%q bra ELSE%u;\n", PICK_WORD(w, "lt", "eq", "ge"),
         value(w), value(w), label);
    w->uniform = false;
    write_block(w);
    EMIT(w, "bra END%u;\nELSE%u:\n", label, label);
    if (pick(w, 2))
        write_block(w);
    EMIT(w, "END%u:\n", label);
    w->uniform = uniform;
}

/* The trip count comes from data, or, in uniform flow, at times from a constant. */
static void write_loop(struct writer *w)
{
    uint32_t label = w->next_label++, counter = w->depth;
    bool uniform = w->uniform;
    w->uniform = uniform && pick(w, 2);
    if (w->uniform)
        EMIT(w, "mov.u32 %%c%u, %u;\n", counter, 1 + pick(w, 4));
    else
        EMIT(w, "and.b32 %%c%u, %%v%u, 3;\nadd.u32 %%c%u, %%c%u, 1;\n", counter, value(w), counter,
             counter);
    EMIT(w, "LOOP%u:\n", label);
    write_block(w);
    EMIT(w, "sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q, %%c%u, 0;\n@%%q bra LOOP%u;\n", counter,
         counter, counter, label);
    w->uniform = uniform;
}

static void write_statement(struct writer *w)
{
    static void (*const anywhere[])(struct writer *) = {
        write_arithmetic,    write_arithmetic, write_long_arithmetic,
        write_predicated,    write_input_load, write_input_load,
        write_constant_load, write_own_access, write_shared_access,
        write_local_access,  write_own_atomic, write_generic_access,
        write_count,         write_call,       write_fence};
    static void (*const together[])(struct writer *) = {write_exchange, write_warp_operation,
                                                        write_barrier};
    uint32_t n = sizeof anywhere / sizeof anywhere[0];
    w->budget -= w->budget > 0;
    if (w->depth < MAX_DEPTH && w->budget > 4 && pick(w, 5) == 0) {
        (pick(w, 2) ? write_if : write_loop)(w);
    } else if (w->uniform && pick(w, 6) == 0) {
        together[pick(w, sizeof together / sizeof together[0])](w);
    } else if (w->k->racy && pick(w, 4) == 0) {
        write_race(w);
    } else {
        anywhere[pick(w, n)](w);
    }
}

static void write_block(struct writer *w)
{
    w->depth++;
    for (uint32_t n = 1 + pick(w, 5); n > 0; n--)
        write_statement(w);
    w->depth--;
}

/* --- the whole --- */

static void write_head(struct writer *w)
{
    EMIT(w, ".version 8.0\n.target sm_90\n.address_size 64\n.const .u32 table[64] = {");
    for (uint32_t i = 0; i < 64; i++)
        EMIT(w, "%s%u", i ? "," : "", pick(w, 1u << 30));
    EMIT(w, "};\n");
    for (uint32_t i = 0; i < 2; i++)
        EMIT(w,
             ".func (.param .b32 z) helper%u(.param .b32 x, .param .b32 y)\n{\n"
             ".reg .pred %%t;\n.reg .b32 %%n, %%x, %%z;\nld.param.b32 %%x, [x];\n"
             "ld.param.b32 %%z, [y];\nand.b32 %%n, %%x, %u;\n"
             "AGAIN:\nmad.lo.u32 %%z, %%z, 1664525, %%x;\nsetp.eq.u32 %%t, %%n, 0;\n"
             "sub.u32 %%n, %%n, 1;\n@!%%t bra AGAIN;\nst.param.b32 [z], %%z;\nret;\n}\n",
             i, i ? 7 : 1);
    EMIT(w,
         ".entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
         ".reg .pred %%q;\n.reg .b32 %%v<%d>;\n.reg .b32 %%c<%d>;\n.reg .b32 %%i, %%j, %%s, "
         "%%junk, %%tid4, %%gid;\n.reg .b64 %%a, %%b, %%in, %%own, %%count, %%common;\n"
         ".reg .f32 %%f<2>;\n.reg .f64 %%d<2>;\n.local .align 4 .b8 stack[%d];\n"
         ".shared .align 4 .b8 mine[%u];\n.shared .align 4 .b8 mailbox[%u];\n"
         ".shared .align 4 .b8 tally[16];\n",
         N_VALUES, MAX_DEPTH + 2, RANDOM_OWN_WORDS * 4, w->k->block * SHARED_WORDS * 4,
         w->k->block * 4);
}

/* Values from the input, own memory cleared, shared counters zero. */
static void write_start(struct writer *w)
{
    EMIT(w, "ld.param.u64 %%in, [p0];\nld.param.u64 %%own, [p1];\nld.param.u64 %%count, [p2];\n"
            "ld.param.u64 %%common, [p3];\nmov.u32 %%i, %%tid.x;\nshl.b32 %%tid4, %%i, 2;\n"
            "mov.u32 %%gid, %%ctaid.x;\n");
    EMIT(w,
         "mad.lo.u32 %%gid, %%gid, %u, %%i;\nmul.wide.u32 %%a, %%gid, %d;\n"
         "add.u64 %%own, %%own, %%a;\n",
         w->k->block, RANDOM_OWN_WORDS * 4);
    for (uint32_t v = 0; v < N_VALUES; v++) {
        EMIT(w, "mad.lo.u32 %%i, %%gid, %u, %u;\nand.b32 %%i, %%i, %d;\n", 1 + pick(w, 9),
             pick(w, 999), RANDOM_INPUT_WORDS - 1);
        EMIT(w, "mul.wide.u32 %%a, %%i, 4;\nadd.u64 %%a, %%a, %%in;\nld.global.u32 %%v%u, [%%a];\n",
             v);
    }
    for (uint32_t i = 0; i < RANDOM_OWN_WORDS; i++)
        EMIT(w, "st.local.u32 [stack+%u], %%v%u;\n", i * 4, i % N_VALUES);
    EMIT(w, "mov.u32 %%j, mine;\nmad.lo.u32 %%j, %%tid4, %d, %%j;\n", SHARED_WORDS);
    for (uint32_t i = 0; i < SHARED_WORDS; i++)
        EMIT(w, "st.shared.u32 [%%j+%u], 0;\n", i * 4);
    EMIT(w, "mov.u32 %%j, tally;\nand.b32 %%i, %%tid4, 12;\nadd.u32 %%j, %%j, %%i;\n"
            "st.shared.u32 [%%j], 0;\nbar.sync 0;\n");
}

/* Everything computed goes where the host sees it. */
static void write_end(struct writer *w)
{
    for (uint32_t v = 0; v < N_VALUES; v++)
        EMIT(w, "red.global.xor.b32 [%%own+%u], %%v%u;\n", v * 4, v);
    EMIT(w, "ld.local.u32 %%i, [stack+%u];\nst.global.u32 [%%own+%d], %%i;\nbar.sync 0;\n",
         pick(w, RANDOM_OWN_WORDS) * 4, RANDOM_OWN_WORDS * 4 - 4);
    EMIT(w,
         "mov.u32 %%j, tally;\nld.shared.u32 %%i, [%%j+%u];\nst.global.u32 [%%own+%d], %%i;\n"
         "ret;\n}\n",
         pick(w, 4) * 4, RANDOM_OWN_WORDS * 4 - 8);
}

void random_kernel_make(struct random_kernel *k, uint64_t seed, bool racy)
{
    static const uint32_t blocks[] = {32, 33, 64, 96, 128, 20, 200};
    struct writer w = {.out = &k->ptx, .rng = {seed}, .k = k, .uniform = true};
    k->racy = racy;
    k->block = blocks[pick(&w, sizeof blocks / sizeof blocks[0])];
    k->grid = 1 + pick(&w, 8);
    k->launches = 1 + pick(&w, 2);
    w.budget = 12 + pick(&w, 24);
    write_head(&w);
    write_start(&w);
    while (w.budget > 0)
        write_statement(&w);
    write_end(&w);
}

void random_kernel_destroy(struct random_kernel *k)
{
    strbuf_destroy(&k->ptx);
}
