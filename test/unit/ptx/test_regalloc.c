/* Register allocation against a checker that recomputes liveness, instruction by instruction,
 * from what the generator of the random programs knows its instructions read and write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/regalloc.h"
#include "unit/ptx/parse_text.h"
#include "unit/ptx/sample.h"

/* --- Checking --- */

struct truth {
    bool before[MAX_INSTS + 1][MAX_REGS]; /* alive */
    bool after[MAX_INSTS + 1][MAX_REGS];
    bool reached[MAX_INSTS + 1];
};

static uint32_t steps_from(const struct ptx_func *f, uint32_t i, uint32_t *to)
{
    const struct ptx_inst *inst = &f->insts[i];
    uint32_t n = 0;
    if (inst->op == PTX_OP_BRA)
        to[n++] = f->labels[inst->operands[0].label].at;
    if (inst->op == PTX_OP_BRX)
        for (uint32_t k = 0; k < inst->operands[1].targets->n; k++)
            to[n++] = f->labels[inst->operands[1].targets->labels[k]].at;
    bool jumps = inst->op == PTX_OP_BRA || inst->op == PTX_OP_BRX || inst->op == PTX_OP_RET;
    if (!jumps || inst->guard)
        to[n++] = i + 1;
    return n;
}

/* Grows the sets until nothing changes. */
static void find_truth(const struct sample *s, struct truth *t)
{
    const struct ptx_func *f = &s->b.f;
    memset(t, 0, sizeof *t);
    t->reached[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->n_insts; i-- > 0;) {
            const struct effect *e = &s->effects[i];
            uint32_t to[16], n_to = steps_from(f, i, to);
            bool before[MAX_REGS] = {false};
            for (uint32_t k = 0; k < n_to; k++) {
                changed |= t->reached[i] && !t->reached[to[k]];
                t->reached[to[k]] |= t->reached[i];
                for (uint32_t r = 0; r < f->n_regs; r++)
                    t->after[i][r] |= t->before[to[k]][r];
            }
            memcpy(before, t->after[i], sizeof before);
            for (uint32_t k = 0; k < e->n_writes && !e->guarded; k++)
                before[e->writes[k]] = false;
            for (uint32_t k = 0; k < e->n_writes && e->guarded; k++)
                before[e->writes[k]] = true;
            for (uint32_t k = 0; k < e->n_reads; k++)
                before[e->reads[k]] = true;
            changed |= memcmp(before, t->before[i], sizeof before) != 0;
            memcpy(t->before[i], before, sizeof before);
        }
    }
}

static bool share(const struct ptx_alloc *a, uint32_t x, uint32_t y)
{
    return x != y && a->places[x].file == a->places[y].file &&
           a->places[x].number == a->places[y].number;
}

static void assert_all_apart(const struct ptx_alloc *a, const bool *alive, uint32_t n_regs)
{
    for (uint32_t x = 0; x < n_regs; x++)
        for (uint32_t y = 0; y < x; y++)
            assert_false(alive[x] && alive[y] && share(a, x, y));
}

static uint32_t count_rows(const struct ptx_func *f, const bool *alive)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (alive[r] && f->regs[r].type != PTX_PRED)
            n += ptx_types[f->regs[r].type].bits == 64 ? 2 : 1;
    return n;
}

static void check_instruction_regs(const struct sample *s, uint32_t i)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    const struct effect *e = &s->effects[i];
    int32_t balance[MAX_REGS] = {0};
    ptx_inst_regs(&s->b.f.insts[i], false, reads, &n_reads, writes, &n_writes);
    assert_int_equal(n_reads, e->n_reads);
    for (uint32_t k = 0; k < n_reads; k++) {
        balance[reads[k]]++;
        balance[e->reads[k]]--;
    }
    for (uint32_t r = 0; r < MAX_REGS; r++)
        assert_int_equal(balance[r], 0);
    assert_int_equal(n_writes, e->n_writes);
    for (uint32_t k = 0; k < n_writes; k++)
        assert_int_equal(writes[k], e->writes[k]);
    ptx_inst_regs(&s->b.f.insts[i], true, reads, &n_reads, writes, &n_writes);
    assert_int_equal(n_reads, e->n_reads + (e->guarded ? e->n_writes : 0));
}

static void check_places(const struct sample *s, const struct ptx_alloc *a)
{
    uint32_t sizes[4] = {0};
    bool used[MAX_REGS] = {false};
    for (uint32_t i = 0; i < s->b.f.n_insts; i++) {
        for (uint32_t k = 0; k < s->effects[i].n_reads; k++)
            used[s->effects[i].reads[k]] = true;
        for (uint32_t k = 0; k < s->effects[i].n_writes; k++)
            used[s->effects[i].writes[k]] = true;
    }
    for (uint32_t r = 0; r < s->b.f.n_regs; r++) {
        enum ptx_type type = s->b.f.regs[r].type;
        enum ptx_reg_file file = type == PTX_PRED             ? PTX_FILE_PRED
                                 : ptx_types[type].bits == 64 ? PTX_FILE_64
                                                              : PTX_FILE_32;
        assert_int_equal(a->places[r].file, used[r] ? file : PTX_FILE_NONE);
        if (used[r] && a->places[r].number + 1u > sizes[file])
            sizes[file] = a->places[r].number + 1u;
    }
    assert_int_equal(sizes[PTX_FILE_32], a->n_32);
    assert_int_equal(sizes[PTX_FILE_64], a->n_64);
    assert_int_equal(sizes[PTX_FILE_PRED], a->n_preds);
}

static void check_sample(const struct sample *s)
{
    static struct truth t;
    const struct ptx_func *f = &s->b.f;
    struct arena arena = {0};
    const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(f, &arena), &arena);
    find_truth(s, &t);
    check_places(s, a);
    uint32_t pressure = 0;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        check_instruction_regs(s, i);
        if (!t.reached[i])
            continue;
        const struct effect *e = &s->effects[i];
        bool after[MAX_REGS];
        memcpy(after, t.after[i], sizeof after);
        for (uint32_t k = 0; k < e->n_writes; k++)
            after[e->writes[k]] = true;
        assert_all_apart(a, t.before[i], f->n_regs);
        assert_all_apart(a, after, f->n_regs);
        for (uint32_t k = 0; k < e->n_writes && (e->apart || e->n_writes > 1); k++)
            for (uint32_t j = 0; j < e->n_reads; j++)
                assert_false(share(a, e->writes[k], e->reads[j]));
        uint32_t rows_before = count_rows(f, t.before[i]), rows_after = count_rows(f, after);
        pressure = rows_before > pressure ? rows_before : pressure;
        pressure = rows_after > pressure ? rows_after : pressure;
    }
    assert_int_equal(a->pressure, pressure);
    arena_destroy(&arena);
}

static void no_two_live_registers_share_a_place(void **state)
{
    (void)state;
    static struct sample s;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        make_sample(&s, seed, seed % 4 == 0);
        check_sample(&s);
        arena_destroy(&s.b.arena);
    }
}

static uint32_t count_in_file(const struct ptx_alloc *a, const bool *alive, uint32_t n_regs,
                              enum ptx_reg_file file)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < n_regs; r++)
        n += alive[r] && a->places[r].file == file;
    return n;
}

/* The most registers of a file live at once, including results that are never read. */
static uint32_t most_alive(const struct sample *s, const struct ptx_alloc *a,
                           enum ptx_reg_file file)
{
    static struct truth t;
    uint32_t most = 0;
    find_truth(s, &t);
    for (uint32_t i = 0; i < s->b.f.n_insts; i++) {
        const struct effect *e = &s->effects[i];
        if (!t.reached[i])
            continue;
        uint32_t before = count_in_file(a, t.before[i], s->b.f.n_regs, file);
        for (uint32_t k = 0; k < e->n_writes; k++)
            t.after[i][e->writes[k]] = true;
        uint32_t after = count_in_file(a, t.after[i], s->b.f.n_regs, file);
        most = before > most ? before : most;
        most = after > most ? after : most;
    }
    return most;
}

static void single_assignment_needs_no_more_rows_than_are_alive(void **state)
{
    (void)state;
    static struct sample s;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct arena arena = {0};
        make_single_assignment(&s, seed);
        check_sample(&s);
        const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(&s.b.f, &arena), &arena);
        assert_int_equal(a->n_32, most_alive(&s, a, PTX_FILE_32));
        arena_destroy(&arena);
        arena_destroy(&s.b.arena);
    }
}

/* --- Programs read from text, computed by hand --- */

static struct ptx_place place_of(const struct ptx_func *f, const struct ptx_alloc *a,
                                 const char *name)
{
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (strcmp(f->regs[r].name, name) == 0)
            return a->places[r];
    fail_msg("no register %s", name);
    return (struct ptx_place){0};
}

static void the_row_free_longest_is_taken(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("ld.param.u64 %rd1, [k_p];\n"
                                      "mov.u32 %r1, 1;\n"
                                      "mov.u32 %r2, 2;\n"
                                      "mov.u32 %r3, 3;\n"
                                      "add.u32 %r4, %r2, 1;\n"   /* row 1: freed by this one */
                                      "add.u32 %r5, %r1, %r3;\n" /* row 0 of rows 0 and 2 */
                                      "add.u32 %r6, %r4, %r5;\n" /* row 2: free before 0 and 1 */
                                      "st.global.u32 [%rd1], %r6;\n"
                                      "ret;\n");
    static const struct {
        const char *name;
        uint32_t row;
    } expected[] = {{"%r1", 0}, {"%r2", 1}, {"%r3", 2}, {"%r4", 1},
                    {"%r5", 0}, {"%r6", 2}, {"%rd1", 0}};
    struct arena arena = {0};
    const struct ptx_func *f = m->funcs[0];
    const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(f, &arena), &arena);
    for (uint32_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        assert_int_equal(place_of(f, a, expected[k].name).number, expected[k].row);
    assert_int_equal(a->n_32, 3);
    assert_int_equal(a->n_64, 1);
    assert_int_equal(a->n_preds, 0);
    assert_int_equal(a->pressure, 5);
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

/* %r3 is set on both sides of a branch and %r2 before it, read after: %r4 may not take either's
 * row on the side where it is used, though in the text it lies between their uses. */
static void values_live_across_a_branch_keep_their_rows(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("ld.param.u64 %rd1, [k_p];\n"
                                      "mov.u32 %r1, %tid.x;\n"
                                      "mov.u32 %r2, %ctaid.x;\n"
                                      "setp.eq.u32 %p1, %r1, 0;\n"
                                      "@%p1 bra other;\n"
                                      "mov.u32 %r3, 1;\n"
                                      "bra.uni join;\n"
                                      "other:\n"
                                      "add.u32 %r4, %r1, 5;\n"
                                      "add.u32 %r3, %r4, 1;\n"
                                      "join:\n"
                                      "add.u32 %r5, %r3, %r2;\n"
                                      "st.global.u32 [%rd1], %r5;\n"
                                      "ret;\n");
    struct arena arena = {0};
    const struct ptx_func *f = m->funcs[0];
    const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(f, &arena), &arena);
    assert_int_not_equal(place_of(f, a, "%r2").number, place_of(f, a, "%r1").number);
    assert_int_not_equal(place_of(f, a, "%r2").number, place_of(f, a, "%r3").number);
    assert_int_not_equal(place_of(f, a, "%r2").number, place_of(f, a, "%r4").number);
    assert_int_equal(a->n_32, 2);
    assert_int_equal(a->pressure, 4);
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

static void a_load_does_not_overwrite_its_address(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("ld.param.u64 %rd1, [k_p];\n"
                                      "ld.global.u64 %rd2, [%rd1];\n"
                                      "add.u64 %rd3, %rd2, 8;\n"
                                      "st.global.u64 [%rd3], 0;\n"
                                      "ret;\n");
    struct arena arena = {0};
    const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(m->funcs[0], &arena), &arena);
    assert_int_equal(a->n_64, 2);
    assert_int_equal(a->pressure, 2); /* though one value at a time is alive */
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

/* --- Kernels as a compiler writes them --- */

/* What instructions read and write is taken from the library here; the random programs test it. */
static void sample_from_func(struct sample *s, const struct ptx_func *f)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS];
    assert_true(f->n_insts <= MAX_INSTS && f->n_regs <= MAX_REGS);
    memset(s->effects, 0, sizeof s->effects);
    s->b.f = *f;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        struct effect *e = &s->effects[i];
        e->guarded = f->insts[i].guard != NULL;
        ptx_inst_regs(&f->insts[i], false, reads, &e->n_reads, writes, &e->n_writes);
        assert_true(e->n_reads <= MAX_USES && e->n_writes <= MAX_USES);
        memcpy(e->reads, reads, e->n_reads * sizeof *reads);
        memcpy(e->writes, writes, e->n_writes * sizeof *writes);
    }
}

static void kernels_need_hardly_more_rows_than_are_alive(void **state)
{
    (void)state;
    static const char *const names[] = {"bfs", "gemm", "nw"};
    static struct sample s;
    for (uint32_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        struct arena arena = {0};
        struct strbuf text = {0};
        struct diag_list diags = {0};
        const char *path =
            arena_printf(&arena, "%s/test/ptx/kernels/%s.ptx", HEDDLE_SOURCE_DIR, names[n]);
        assert_int_equal(strbuf_read_file(&text, path), 0);
        struct ptx_module *m = ptx_parse(path, text.text, text.len, &diags);
        assert_non_null(m);
        for (uint32_t k = 0; k < m->n_funcs; k++) {
            sample_from_func(&s, m->funcs[k]);
            check_sample(&s);
            const struct ptx_alloc *a = ptx_regalloc(ptx_cfg_build(m->funcs[k], &arena), &arena);
            assert_int_equal(a->n_32, most_alive(&s, a, PTX_FILE_32));
            assert_int_equal(a->n_64, most_alive(&s, a, PTX_FILE_64));
            assert_int_equal(a->n_preds, most_alive(&s, a, PTX_FILE_PRED));
            /* The files are largest at different points, so together they hold somewhat more. */
            assert_in_range(a->n_32 + 2 * a->n_64, a->pressure, a->pressure * 4 / 3);
        }
        ptx_module_destroy(m);
        diag_list_destroy(&diags);
        strbuf_destroy(&text);
        arena_destroy(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_live_registers_share_a_place),
        cmocka_unit_test(single_assignment_needs_no_more_rows_than_are_alive),
        cmocka_unit_test(the_row_free_longest_is_taken),
        cmocka_unit_test(values_live_across_a_branch_keep_their_rows),
        cmocka_unit_test(a_load_does_not_overwrite_its_address),
        cmocka_unit_test(kernels_need_hardly_more_rows_than_are_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
