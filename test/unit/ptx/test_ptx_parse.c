/* What the parser makes of each construct; the expected values are computed by hand from the text
 * and the PTX manual. */
#include "ptx_test.h"

#define HEAD ".version 6.0\n.target sm_35, texmode_independent\n.address_size 64\n"

static const struct ptx_func *only_func(const struct ptx_module *m)
{
    assert_int_equal(m->n_funcs, 1);
    return m->funcs[0];
}

static void module_header_is_kept(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".file 2 \"a/b.cl\"\n");
    assert_int_equal(m->version_major, 6);
    assert_int_equal(m->version_minor, 0);
    assert_string_equal(m->target, "sm_35, texmode_independent");
    assert_int_equal(m->sm, 35);
    assert_int_equal(m->address_bits, 64);
    assert_int_equal(m->n_files, 3);
    assert_null(m->files[0]);
    assert_string_equal(m->files[2], "a/b.cl");
    ptx_module_destroy(m);
    m = parse(".target sm_35\n.target debug\n");
    assert_int_equal(m->sm, 0);
    ptx_module_destroy(m);
}

static void parameters_have_types_sizes_and_pointers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".entry k(.param .u64 .ptr .global .align 4 p,\n"
                   ".param .align 8 .b8 s[388], .param .v4 .f32 v, .param .u8 c)\n"
                   ".maxntid 256, 2\n.minnctapersm 3\n.maxnreg 32\n{ ret; }\n");
    const struct ptx_func *f = only_func(m);
    assert_true(f->is_entry && f->has_body);
    assert_int_equal(f->n_params, 4);
    assert_true(f->params[0].is_ptr);
    assert_int_equal(f->params[0].ptr_space, PTX_GLOBAL);
    assert_int_equal(f->params[0].ptr_align, 4);
    assert_int_equal(f->params[0].align, 8);
    assert_int_equal(f->params[1].bytes, 388);
    assert_int_equal(f->params[1].align, 8);
    assert_int_equal(f->params[2].bytes, 16);
    assert_int_equal(f->params[2].align, 16);
    assert_int_equal(f->params[3].bytes, 1);
    assert_int_equal(f->maxntid[0], 256);
    assert_int_equal(f->maxntid[1], 2);
    assert_int_equal(f->maxntid[2], 1);
    assert_int_equal(f->minnctapersm, 3);
    assert_int_equal(f->maxnreg, 32);
    ptx_module_destroy(m);
}

static const struct ptx_var *var(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_vars; i++)
        if (!strcmp(m->vars[i]->name, name))
            return m->vars[i];
    fail_msg("no variable '%s'", name);
    return NULL;
}

static void check_bytes(const struct ptx_module *m, const char *name, const uint8_t *bytes,
                        size_t n)
{
    const struct ptx_var *v = var(m, name);
    assert_int_equal(v->bytes, n);
    assert_non_null(v->data);
    assert_memory_equal(v->data, bytes, n);
}

static void initial_values_become_bytes(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD ".global .b8 short_list[4] = {1, 0xff};\n"
                                      ".const .align 4 .u16 rows[2][3] = {{1}, {2, 3}};\n"
                                      ".global .f32 f[] = {1.0, 0f40000000, -3};\n"
                                      ".global .f64 d = 0d3FF8000000000000;\n"
                                      ".global .s32 negative = -2;\n"
                                      ".global .b8 text[] = \"a\\n\";\n"
                                      ".global .v2 .u8 pairs[2] = {{1, 2}, {3}};\n"
                                      ".global .u64 sum = 1 + 2 * (3 << 4);\n");
    check_bytes(m, "short_list", (const uint8_t[]){1, 255, 0, 0}, 4);
    check_bytes(m, "rows", (const uint8_t[]){1, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0}, 12);
    check_bytes(m, "f", (const uint8_t[]){0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0xc0}, 12);
    check_bytes(m, "d", (const uint8_t[]){0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 8);
    check_bytes(m, "negative", (const uint8_t[]){0xfe, 0xff, 0xff, 0xff}, 4);
    check_bytes(m, "text", (const uint8_t[]){'a', '\n', 0}, 3);
    check_bytes(m, "pairs", (const uint8_t[]){1, 2, 3, 0}, 4);
    check_bytes(m, "sum", (const uint8_t[]){97, 0, 0, 0, 0, 0, 0, 0}, 8);
    assert_int_equal(var(m, "rows")->n_elems, 6);
    assert_int_equal(var(m, "pairs")->n_elems, 2);
    assert_int_equal(var(m, "rows")->align, 4);
    check_round_trip(m, "initial values");
    ptx_module_destroy(m);
}

static void addresses_in_initial_values_are_kept(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".func f();\n.global .u64 p[3] = {x+4, 0, generic(y)};\n"
             ".global .align 8 .b8 packed[10] = {7, 0xFF(f), 0xFF00(f), 0xFF0000(f),\n"
             "0xFF000000(f), 0xFF00000000(f), 0xFF0000000000(f), 0xFF000000000000(f),\n"
             "0xFF00000000000000(f), 9};\n"
             ".global .b8 low[1] = {0xFF00(x)};\n"
             ".global .b8 swapped[8] = {0xFF00(x), 0xFF(x), 0xFF0000(x), 0xFF000000(x),\n"
             "0xFF00000000(x), 0xFF0000000000(x), 0xFF000000000000(x), 0xFF00000000000000(x)};\n"
             ".global .u32 x[4];\n.const .u32 y;\n");
    const struct ptx_var *p = var(m, "p"), *packed = var(m, "packed"), *low = var(m, "low");
    assert_int_equal(p->n_relocs, 2);
    assert_ptr_equal(p->relocs[0].var, var(m, "x"));
    assert_int_equal(p->relocs[0].addend, 4);
    assert_int_equal(p->relocs[0].at, 0);
    assert_false(p->relocs[0].generic);
    assert_ptr_equal(p->relocs[1].var, var(m, "y"));
    assert_int_equal(p->relocs[1].at, 16);
    assert_true(p->relocs[1].generic);
    assert_int_equal(packed->n_relocs, 1);
    assert_ptr_equal(packed->relocs[0].func, m->funcs[0]);
    assert_int_equal(packed->relocs[0].at, 1);
    assert_int_equal(packed->relocs[0].bytes, 8);
    assert_int_equal(packed->data[9], 9);
    assert_int_equal(low->relocs[0].bytes, 1);
    assert_int_equal(low->relocs[0].shift_bits, 8);
    assert_int_equal(var(m, "swapped")->n_relocs, 8);
    assert_int_equal(var(m, "swapped")->relocs[1].shift_bits, 0);
    check_round_trip(m, "addresses");
    ptx_module_destroy(m);
}

static int64_t constant(const char *expression)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "%smov.u64 %%rd1, %s;%s", KERNEL_HEAD, expression, KERNEL_TAIL);
    struct ptx_module *m = parse(strbuf_text(&text));
    int64_t value = (int64_t)m->funcs[0]->insts[0].operands[1].bits;
    ptx_module_destroy(m);
    strbuf_destroy(&text);
    return value;
}

static void constant_expressions_follow_c(void **state)
{
    (void)state;
    assert_int_equal(constant("0x1F"), 31);
    assert_int_equal(constant("017"), 15);
    assert_int_equal(constant("0b1011U"), 11);
    assert_int_equal(constant("-5"), -5);
    assert_int_equal(constant("- - 5"), 5);
    assert_int_equal(constant("2 + 3 * 4 - 1"), 13);
    assert_int_equal(constant("(2 + 3) * 4 % 7"), 6);
    assert_int_equal(constant("1 << 4 | 3 & 2 ^ 1"), 16 | (2 ^ 1));
    assert_int_equal(constant("-7 / 2"), -3);
    assert_int_equal(constant("-8 >> 1"), -4);
    assert_int_equal(constant("0xFFFFFFFFFFFFFFFFU >> 63"), 1);
    assert_int_equal(constant("(.u64)-1 > 0 ? 3 : 4"), 3);
    assert_int_equal(constant("-1 > 0U"), 1);
    assert_int_equal(constant("-1 > 0"), 0);
    assert_int_equal(constant("!0 && 3 == 3 || 0"), 1);
    assert_int_equal(constant("~0"), -1);
    assert_int_equal(constant("0 ? 1 : 0 ? 2 : 3"), 3);
    assert_int_equal(constant("1.5 < 2"), 1);
    assert_int_equal(constant("WARP_SZ * 2"), 64);
    assert_int_equal(constant("(.s64)0x8000000000000000 / -1"), INT64_MIN);
}

static uint64_t float_bits(const char *literal)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "%smov.f64 %%fd1, %s;%s", KERNEL_HEAD, literal, KERNEL_TAIL);
    struct ptx_module *m = parse(strbuf_text(&text));
    uint64_t bits = m->funcs[0]->insts[0].operands[1].bits;
    assert_true(m->funcs[0]->insts[0].operands[1].imm_float);
    check_round_trip(m, literal);
    ptx_module_destroy(m);
    strbuf_destroy(&text);
    return bits;
}

static void float_literals_are_exact(void **state)
{
    (void)state;
    assert_int_equal(float_bits("1.5"), 0x3ff8000000000000);
    assert_int_equal(float_bits("1e-3"), 0x3f50624dd2f1a9fc);
    assert_int_equal(float_bits("-2.0"), 0xc000000000000000);
    assert_int_equal(float_bits("0d7FF0000000000001"), 0x7ff0000000000001);
    assert_int_equal(float_bits("0f3F800000"), 0x3ff0000000000000);
    assert_int_equal(float_bits("0f00000001"), 0x36a0000000000000); /* 2^-149 */
    assert_int_equal(float_bits("0f007FFFFF"), 0x380fffffc0000000); /* (1 - 2^-23) 2^-126 */
    assert_int_equal(float_bits("0f7F800001"), 0x7ff0000020000000); /* a signalling NaN */
    assert_int_equal(float_bits("0fFF800000"), 0xfff0000000000000);
}

static void registers_are_those_used_in_order_of_use(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".global .u32 g;\n.entry k()\n{\n.reg .b32 t, u, unused; .reg .b64 %rd<1000000>;\n"
             "mov.u32 t, 1;\n{ .reg .f32 t; mov.f32 t, 2.0;\n"
             "{ .reg .b32 u; mov.u32 u, 3; } mov.u32 u, 4; }\nmov.u32 t, 5;\n"
             "{ .reg .b64 g; mov.u64 g, 6; }\nmov.u64 %rd7, g;\n}\n");
    const struct ptx_func *f = only_func(m);
    static const struct {
        const char *name;
        enum ptx_type type;
    } expected[] = {{"t", PTX_B32},   {"t$1", PTX_F32}, {"u", PTX_B32},
                    {"u$1", PTX_B32}, {"g$1", PTX_B64}, {"%rd7", PTX_B64}};
    static const uint32_t written[] = {0, 1, 2, 3, 0, 4, 5};
    assert_int_equal(f->n_regs, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(f->regs[i].name, expected[i].name);
        assert_int_equal(f->regs[i].type, expected[i].type);
        assert_int_equal(f->regs[i].index, i);
    }
    assert_int_equal(f->n_insts, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_ptr_equal(f->insts[i].operands[0].reg, &f->regs[written[i]]);
    assert_ptr_equal(f->insts[6].operands[1].var, m->vars[0]);
    check_round_trip(m, "blocks");
    ptx_module_destroy(m);
}

static void labels_belong_to_their_block(void **state)
{
    (void)state;
    struct ptx_module *m = parse(KERNEL("L: bra L;\n{ bra L; L: bra L; bra M; }\nbra L;\nM:\n"));
    const struct ptx_func *f = only_func(m);
    static const uint32_t goes_to[] = {0, 2, 2, 5, 0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(f->labels[f->insts[i].operands[0].label].at, goes_to[i]);
    check_round_trip(m, "labels");
    ptx_module_destroy(m);
    m = parse(KERNEL("L: ret;\n{ { bra L; } ret; L: ret; }\n"));
    f = only_func(m);
    assert_int_equal(f->labels[f->insts[1].operands[0].label].at, 3);
    ptx_module_destroy(m);
}

static void branch_targets_and_prototypes_are_lists(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".func f(.param .b32 x) { ret; }\n.func g(.param .b32 x) { ret; }\n.entry k()\n{\n"
             ".reg .b32 %r<3>; .reg .b64 %rd<2>; .param .b32 a; .param .b32 r;\n"
             "ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: ret;\nB:\n"
             "fs: .calltargets f, g;\ncall %rd1, (a), fs;\n"
             "pr: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;\n"
             "call (r), %rd1, (a), pr;\n}\n");
    const struct ptx_func *k = ptx_find_func(m, "k");
    const struct ptx_targets *ts = k->insts[0].operands[1].targets;
    assert_int_equal(ts->n, 3);
    assert_int_equal(k->labels[ts->labels[0]].at, 1);
    assert_int_equal(k->labels[ts->labels[1]].at, 2);
    assert_int_equal(k->labels[ts->labels[2]].at, 1);
    const struct ptx_operand *call = k->insts[2].operands;
    assert_int_equal(k->insts[2].n_operands, 4);
    assert_int_equal(call[PTX_CALL_RETS].n_items, 0);
    assert_int_equal(call[PTX_CALL_CALLEE].kind, PTX_OPERAND_REG);
    assert_int_equal(call[PTX_CALL_ARGS].n_items, 1);
    assert_ptr_equal(call[PTX_CALL_SHAPE].targets->funcs[1], ptx_find_func(m, "g"));
    call = k->insts[3].operands;
    assert_int_equal(call[PTX_CALL_RETS].n_items, 1);
    assert_true(call[PTX_CALL_SHAPE].proto->noreturn);
    assert_int_equal(call[PTX_CALL_SHAPE].proto->n_params, 1);
    check_round_trip(m, "lists");
    ptx_module_destroy(m);
}

static void functions_and_variables_may_come_later(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".entry k()\n{\n.reg .b64 %rd<3>; .param .b32 p;\nmov.u64 %rd1, later;\n"
                   "call f, (p);\ncall g;\n}\n.func f(.param .b32 x);\n.global .u32 later;\n"
                   ".func f(.param .b32 x) { ret; }\n.func g() { call.uni g; ret; }\n");
    assert_int_equal(m->n_funcs, 3);
    const struct ptx_func *k = m->funcs[0], *f = m->funcs[1];
    assert_string_equal(f->name, "f");
    assert_true(f->has_body);
    assert_ptr_equal(k->insts[0].operands[1].var, m->vars[0]);
    assert_ptr_equal(k->insts[1].operands[PTX_CALL_CALLEE].func, f);
    assert_ptr_equal(m->funcs[2]->insts[0].operands[PTX_CALL_CALLEE].func, m->funcs[2]);
    assert_int_equal(k->first_pc, 0);
    assert_int_equal(f->first_pc, 3);
    assert_int_equal(m->funcs[2]->insts[1].pc, 5);
    assert_int_equal(m->n_insts, 6);
    check_round_trip(m, "forward references");
    ptx_module_destroy(m);
}

static void an_extern_declaration_and_its_definition_are_one_variable(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".extern .global .u32 x;\n.extern .shared .align 16 .b8 s[];\n"
                   ".visible .global .u32 x = 3;\n.extern .global .u32 x;\n");
    assert_int_equal(m->n_vars, 2);
    assert_int_equal(m->vars[0]->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(m->vars[0]->data[0], 3);
    assert_true(m->vars[1]->is_unsized);
    assert_int_equal(m->vars[1]->bytes, 0);
    check_round_trip(m, "extern");
    ptx_module_destroy(m);
}

static void clang_calls_printf_with_more_than_it_declares(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".func (.param .b32 r) printf(.param .b64 f);\n.entry k()\n{\n"
                   ".param .b64 a; .param .b32 b; .param .b32 c;\n"
                   "call.uni (c), printf, (a, b);\n}\n");
    assert_int_equal(m->funcs[1]->insts[0].operands[PTX_CALL_ARGS].n_items, 2);
    ptx_module_destroy(m);
}

static void calls_of_an_alias_go_to_the_function_behind_it(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(".version 7.0\n.target sm_70\n.func other();\n.func real() { ret; }\n"
              ".alias other, real;\n.entry k() { call other; ret; }\n");
    const struct ptx_func *real = ptx_find_func(m, "real"), *k = ptx_find_func(m, "k");
    assert_ptr_equal(ptx_find_func(m, "other"), real);
    assert_ptr_equal(k->insts[0].operands[PTX_CALL_CALLEE].func, real);
    check_round_trip(m, "alias");
    ptx_module_destroy(m);
}

static void vector_registers_are_their_parts(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(KERNEL(".reg .v4 .f32 %w; ld.global.v4.f32 %w, [%rd1];\n"
                     "add.f32 %f1, %w.x, %w.a;\nld.global.v2.f32 %v, [%rd1];\n"));
    const struct ptx_func *f = only_func(m);
    const struct ptx_operand *all = &f->insts[0].operands[0];
    assert_int_equal(all->kind, PTX_OPERAND_VEC);
    assert_int_equal(all->n_items, 4);
    assert_string_equal(all->items[2].reg->name, "%w.z");
    assert_ptr_equal(f->insts[1].operands[1].reg, all->items[0].reg);
    assert_ptr_equal(f->insts[1].operands[2].reg, all->items[3].reg);
    check_round_trip(m, "vector registers");
    ptx_module_destroy(m);
}

static void guards_pairs_and_sinks(void **state)
{
    (void)state;
    struct ptx_module *m = parse(KERNEL("@!%p3 setp.lt.and.s32 %p1|_, %r1, -2, !%p2;\n"));
    const struct ptx_inst *i = &only_func(m)->insts[0];
    assert_true(i->guard_negated);
    assert_string_equal(i->guard->name, "%p3");
    assert_int_equal(i->operands[0].kind, PTX_OPERAND_PAIR);
    assert_int_equal(i->operands[0].items[1].kind, PTX_OPERAND_SINK);
    assert_int_equal((int64_t)i->operands[2].bits, -2);
    assert_true(i->operands[3].negated);
    assert_int_equal(ptx_inst_mod(i, PTX_GROUP_CMP), PTX_MOD_CMP_LT);
    assert_int_equal(ptx_inst_mod(i, PTX_GROUP_BOOL), PTX_MOD_BOOL_AND);
    assert_int_equal(ptx_inst_mod(i, PTX_GROUP_FTZ), PTX_NO_MOD);
    ptx_module_destroy(m);
}

static void source_lines_follow_loc(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(KERNEL("mov.u32 %r1, 1;\n.loc 1 20 3\nmov.u32 %r1, 2;\nmov.u32 %r1, 3;\n"
                     ".loc 2 7 1, function_name $L_info+4, inlined_at 1 9 2\n"
                     "mov.u32 %r1, 4;"));
    const struct ptx_inst *i = only_func(m)->insts;
    assert_int_equal(i[0].loc_line, 0);
    assert_int_equal(i[2].loc_line, 20);
    assert_int_equal(i[2].loc_col, 3);
    assert_int_equal(i[3].loc_file, 2);
    assert_int_equal(i[3].loc_line, 7);
    check_round_trip(m, "loc");
    ptx_module_destroy(m);
}

static void debugging_information_is_skipped(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD "@@DWARF .section .debug_info { {{\n.entry k() { ret; }\n"
                                      ".section .debug_abbrev\n{\n.b8 1\n.b32 .debug_str\n"
                                      ".b64 $L__tmp0-$L__tmp1\n$L__info: .b8 0 }\n/* no end");
    assert_int_equal(m->n_insts, 1);
    ptx_module_destroy(m);
}

static void comments_are_blanks(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(KERNEL("// to the end of the line */ mov\nadd/* a // b\n * c */.s32 %r1,"
                     "/**/%r2, /* /* */ 3; // }\n"));
    assert_int_equal(m->n_insts, 2);
    assert_int_equal(only_func(m)->insts[0].line, 12);
    assert_int_equal(only_func(m)->insts[1].line, 15);
    ptx_module_destroy(m);
}

static void what_cannot_be_executed_is_marked(void **state)
{
    (void)state;
    struct ptx_module *m = parse(KERNEL(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [gf, {%f5, %f6}];\n"
        "mov.u32 %r1, %cluster_ctarank;\nfence.proxy.async;\nbarrier.cluster.arrive.aligned;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];\n"
        "ld.shared::cluster.u32 %r1, [%rd1];\ncvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;\n"
        "add.u32 %r1, %r1, 1;\n"));
    const struct ptx_inst *i = only_func(m)->insts;
    for (uint32_t k = 0; k < 7; k++)
        assert_true(i[k].refused);
    assert_false(i[7].refused);
    assert_string_equal(i[0].words, ".2d.v4.f32.f32");
    assert_int_equal(i[4].op, PTX_OP_ST_ASYNC);
    check_round_trip(m, "refused");
    ptx_module_destroy(m);
}

static enum ptx_class class_of(const char *statement)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "%s%s%s", KERNEL_HEAD, statement, KERNEL_TAIL);
    struct ptx_module *m = parse(strbuf_text(&text));
    enum ptx_class c = ptx_inst_class(&m->funcs[0]->insts[0]);
    ptx_module_destroy(m);
    strbuf_destroy(&text);
    return c;
}

static void instructions_are_counted_by_class(void **state)
{
    (void)state;
    assert_int_equal(class_of("add.s32 %r1, %r2, 3;"), PTX_CLASS_INT);
    assert_int_equal(class_of("setp.lt.s32 %p1, %r2, 3;"), PTX_CLASS_INT);
    assert_int_equal(class_of("fma.rn.f32 %f1, %f2, %f3, %f4;"), PTX_CLASS_FP32);
    assert_int_equal(class_of("setp.lt.f64 %p1, %fd1, %fd2;"), PTX_CLASS_FP64);
    assert_int_equal(class_of("set.lt.u32.f32 %r1, %f1, %f2;"), PTX_CLASS_FP32);
    assert_int_equal(class_of("add.f16x2 %r1, %r2, %r3;"), PTX_CLASS_FP16);
    assert_int_equal(class_of("div.s32 %r1, %r2, 3;"), PTX_CLASS_SFU);
    assert_int_equal(class_of("cvt.u64.u32 %rd1, %r2;"), PTX_CLASS_CVT);
    assert_int_equal(class_of("ld.param.u64 %rd1, [a];"), PTX_CLASS_MOVE);
    assert_int_equal(class_of("ld.u32 %r1, [%rd1];"), PTX_CLASS_LD_GLOBAL);
    assert_int_equal(class_of("ld.shared::cta.u32 %r1, [%rd1];"), PTX_CLASS_LD_SHARED);
    assert_int_equal(class_of("ld.const.u32 %r1, [%rd1];"), PTX_CLASS_LD_CONST);
    assert_int_equal(class_of("st.local.u32 [%rd1], %r1;"), PTX_CLASS_ST_LOCAL);
    assert_int_equal(class_of("red.shared.add.u32 [%rd1], 1;"), PTX_CLASS_ATOMIC);
    assert_int_equal(class_of("bar.warp.sync -1;"), PTX_CLASS_BARRIER);
    assert_int_equal(class_of("membar.gl;"), PTX_CLASS_FENCE);
    assert_int_equal(class_of("activemask.b32 %r1;"), PTX_CLASS_WARP);
    assert_int_equal(class_of("exit;"), PTX_CLASS_BRANCH);
    assert_int_equal(class_of("trap;"), PTX_CLASS_MISC);
}

static void special_registers_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(ptx_sreg_name(PTX_SREG_TID_X), "%tid.x");
    assert_string_equal(ptx_sreg_name(PTX_SREG_ENVREG0 + 31), "%envreg31");
    assert_string_equal(ptx_sreg_name(PTX_SREG_PM7), "%pm7");
    assert_null(ptx_sreg_name(PTX_N_SREGS));
    for (uint32_t i = 0; i < PTX_N_SREGS; i++)
        assert_non_null(ptx_sreg_name(i));
}

static void equality_sees_a_single_change(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {KERNEL("@%p1 ret;"), KERNEL("@!%p1 ret;")},
        {KERNEL("and.pred %p1, %p2, %p3;"), KERNEL("and.pred %p1, %p2, !%p3;")},
        {KERNEL("ld.u32 %r1, [%rd1];"), KERNEL("ld.u32 %r1, [%rd1+4];")},
        {".target sm_35", ".target sm_36"},
        {".global .u8 x = 1;", ".global .u8 x = 2;"},
        {".global .u64 x = y; .global .u8 y, z;", ".global .u64 x = z; .global .u8 y, z;"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct ptx_module *a = parse(pairs[i][0]), *b = parse(pairs[i][1]);
        assert_true(ptx_module_equal(a, a, NULL));
        assert_false(ptx_module_equal(a, b, NULL));
        ptx_module_destroy(a);
        ptx_module_destroy(b);
    }
    static const char *const texts[] = {
        KERNEL("add.s32 %r1, %r2, 3;"),
        KERNEL("add.s32 %r1, %r2, 4;"),
        KERNEL("add.u32 %r1, %r2, 3;"),
        KERNEL("add.s32 %r2, %r1, 3;"),
        KERNEL("@%p1 add.s32 %r1, %r2, 3;"),
        KERNEL("add.s32 %r1, %r2, 3; L:"),
        KERNEL("add.sat.s32 %r1, %r2, 3;"),
        KERNEL(".loc 1 1 1 add.s32 %r1, %r2, 3;"),
        KERNEL("add.s32 %r1, %r2, 3;") ".global .u32 x;",
    };
    struct ptx_module *first = parse(texts[0]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ptx_module *other = parse(texts[i]);
        struct strbuf why = {0};
        assert_int_equal(ptx_module_equal(first, other, &why), i == 0);
        assert_int_equal(why.len > 0, i != 0);
        strbuf_destroy(&why);
        ptx_module_destroy(other);
    }
    ptx_module_destroy(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_header_is_kept),
        cmocka_unit_test(parameters_have_types_sizes_and_pointers),
        cmocka_unit_test(initial_values_become_bytes),
        cmocka_unit_test(addresses_in_initial_values_are_kept),
        cmocka_unit_test(constant_expressions_follow_c),
        cmocka_unit_test(float_literals_are_exact),
        cmocka_unit_test(registers_are_those_used_in_order_of_use),
        cmocka_unit_test(labels_belong_to_their_block),
        cmocka_unit_test(branch_targets_and_prototypes_are_lists),
        cmocka_unit_test(functions_and_variables_may_come_later),
        cmocka_unit_test(an_extern_declaration_and_its_definition_are_one_variable),
        cmocka_unit_test(clang_calls_printf_with_more_than_it_declares),
        cmocka_unit_test(calls_of_an_alias_go_to_the_function_behind_it),
        cmocka_unit_test(vector_registers_are_their_parts),
        cmocka_unit_test(guards_pairs_and_sinks),
        cmocka_unit_test(source_lines_follow_loc),
        cmocka_unit_test(debugging_information_is_skipped),
        cmocka_unit_test(comments_are_blanks),
        cmocka_unit_test(what_cannot_be_executed_is_marked),
        cmocka_unit_test(instructions_are_counted_by_class),
        cmocka_unit_test(special_registers_have_their_names),
        cmocka_unit_test(equality_sees_a_single_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
