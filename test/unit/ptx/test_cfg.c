/* The control-flow graph against definitions: dominance is tried out by removing an instruction
 * and seeing what can still be reached, loops by walking. The walks go over single instructions and
 * know nothing of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/cfg.h"
#include "unit/ptx/func_builder.h"
#include "unit/ptx/parse_text.h"

enum { MAX_NODES = 64 };

/* What may run after what, by the meaning of the instructions; node n_insts is the end. */
struct steps {
    uint32_t n;
    bool step[MAX_NODES][MAX_NODES];
};

static void add_steps(const struct ptx_func *f, uint32_t i, struct steps *s)
{
    const struct ptx_inst *inst = &f->insts[i];
    bool goes_on = inst->guard != NULL;
    switch (inst->op) {
    case PTX_OP_BRA:
        s->step[i][f->labels[inst->operands[0].label].at] = true;
        break;
    case PTX_OP_BRX:
        for (uint32_t k = 0; k < inst->operands[1].targets->n; k++)
            s->step[i][f->labels[inst->operands[1].targets->labels[k]].at] = true;
        break;
    case PTX_OP_RET:
    case PTX_OP_EXIT:
        s->step[i][f->n_insts] = true;
        break;
    case PTX_OP_TRAP:
        break;
    default:
        goes_on = true;
    }
    if (goes_on)
        s->step[i][i + 1] = true;
}

/* Can `to` be reached from `from` without stepping on `without`? */
static bool reaches(const struct steps *s, uint32_t from, uint32_t to, uint32_t without)
{
    bool seen[MAX_NODES] = {false};
    uint32_t stack[MAX_NODES], depth = 0;
    if (from == without)
        return false;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        uint32_t node = stack[--depth];
        for (uint32_t k = 0; k <= s->n; k++)
            if (s->step[node][k] && !seen[k] && k != without) {
                seen[k] = true;
                stack[depth++] = k;
            }
    }
    return seen[to];
}

enum { NOTHING = MAX_NODES };

static bool dominates(const struct steps *s, uint32_t a, uint32_t b)
{
    return a == b || (reaches(s, 0, b, NOTHING) && !reaches(s, 0, b, a));
}

static bool post_dominates(const struct steps *s, uint32_t a, uint32_t b)
{
    return a == b || (reaches(s, b, s->n, NOTHING) && !reaches(s, b, s->n, a));
}

typedef bool relation(const struct steps *s, uint32_t a, uint32_t b);

/* The block that stands in the relation to block b and to which all others that do stand in it. */
static uint32_t nearest(const struct ptx_cfg *cfg, const struct steps *s, uint32_t b,
                        relation *above)
{
    for (uint32_t c = 0; c < cfg->n_blocks; c++) {
        bool is_nearest = c != b && above(s, cfg->blocks[c].first, cfg->blocks[b].first);
        for (uint32_t d = 0; d < cfg->n_blocks && is_nearest; d++)
            if (d != b && above(s, cfg->blocks[d].first, cfg->blocks[b].first))
                is_nearest = above(s, cfg->blocks[d].first, cfg->blocks[c].first);
        if (is_nearest)
            return c;
    }
    return PTX_NO_BLOCK;
}

/* Blocks are as long as they can be: inside one, each instruction leads to the next and only it
 * leads there; at a border that is not so. */
static void check_blocks(const struct ptx_cfg *cfg, const struct steps *s)
{
    bool is_named[MAX_NODES] = {false};
    const struct ptx_func *f = cfg->func;
    for (uint32_t i = 0; i < f->n_insts; i++)
        for (uint32_t k = 0; k <= f->n_insts; k++)
            if (s->step[i][k] && k != i + 1)
                is_named[k] = true;
    uint32_t at = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        const struct ptx_block *block = &cfg->blocks[b];
        assert_int_equal(block->first, at);
        assert_true(block->end > block->first);
        for (uint32_t i = block->first; i < block->end; i++) {
            assert_int_equal(cfg->block_of[i], b);
            assert_false(i > block->first && is_named[i]);
        }
        uint32_t n_succs = 0;
        for (uint32_t c = 0; c < cfg->n_blocks; c++)
            n_succs += s->step[block->end - 1][cfg->blocks[c].first];
        bool listed[MAX_NODES] = {false};
        for (uint32_t k = 0; k < block->n_succs; k++) {
            assert_true(s->step[block->end - 1][cfg->blocks[block->succs[k]].first]);
            n_succs -= !listed[block->succs[k]];
            listed[block->succs[k]] = true;
        }
        assert_int_equal(n_succs, 0);
        at = block->end;
    }
    assert_int_equal(at, f->n_insts);
}

static void check_preds(const struct ptx_cfg *cfg)
{
    uint32_t n_edges = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        n_edges += cfg->blocks[b].n_succs;
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        for (uint32_t k = 0; k < cfg->blocks[b].n_preds; k++, n_edges--) {
            const struct ptx_block *pred = &cfg->blocks[cfg->blocks[b].preds[k]];
            bool found = false;
            for (uint32_t j = 0; j < pred->n_succs; j++)
                found |= pred->succs[j] == b;
            assert_true(found);
        }
    assert_int_equal(n_edges, 0);
}

/* Is block b in the natural loop of header h? */
static bool in_loop(const struct ptx_cfg *cfg, const struct steps *s, uint32_t h, uint32_t b)
{
    uint32_t head = cfg->blocks[h].first;
    for (uint32_t u = 0; u < cfg->n_blocks; u++) {
        uint32_t last = cfg->blocks[u].end - 1, first = cfg->blocks[u].first;
        bool is_latch =
            s->step[last][head] && reaches(s, 0, first, NOTHING) && dominates(s, head, first);
        if (is_latch && reaches(s, 0, cfg->blocks[b].first, NOTHING) &&
            (b == h || reaches(s, cfg->blocks[b].first, first, head)))
            return true;
    }
    return false;
}

static void check_loops(const struct ptx_cfg *cfg, const struct steps *s)
{
    uint32_t n_loops = 0, depth[MAX_NODES] = {0};
    for (uint32_t h = 0; h < cfg->n_blocks; h++) {
        uint32_t n_blocks = 0;
        for (uint32_t b = 0; b < cfg->n_blocks; b++)
            if (in_loop(cfg, s, h, b)) {
                n_blocks++;
                depth[b]++;
            }
        if (!n_blocks)
            continue;
        assert_true(n_loops < cfg->n_loops);
        assert_int_equal(cfg->loops[n_loops].header, h);
        assert_int_equal(cfg->loops[n_loops].n_blocks, n_blocks);
        n_loops++;
    }
    assert_int_equal(cfg->n_loops, n_loops);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        assert_int_equal(cfg->blocks[b].loop_depth, depth[b]);
    for (uint32_t k = 0; k < n_loops; k++)
        assert_int_equal(cfg->loops[k].depth, depth[cfg->loops[k].header]);
}

static void check_order(const struct ptx_cfg *cfg)
{
    bool seen[MAX_NODES] = {false};
    uint32_t n_reachable = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        n_reachable += cfg->blocks[b].reachable;
    assert_int_equal(cfg->n_order, n_reachable);
    for (uint32_t k = 0; k < cfg->n_order; k++) {
        uint32_t b = cfg->order[k], idom = cfg->blocks[b].idom;
        assert_false(seen[b]);
        assert_true(idom == PTX_NO_BLOCK ? b == 0 : seen[idom]);
        seen[b] = true;
    }
}

static void check_function(const struct ptx_func *f)
{
    struct arena arena = {0};
    struct steps s = {.n = f->n_insts};
    for (uint32_t i = 0; i < f->n_insts; i++)
        add_steps(f, i, &s);
    const struct ptx_cfg *cfg = ptx_cfg_build(f, &arena);
    check_blocks(cfg, &s);
    check_preds(cfg);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        const struct ptx_block *block = &cfg->blocks[b];
        bool reachable = reaches(&s, 0, block->first, NOTHING);
        assert_int_equal(block->reachable, reachable);
        assert_int_equal(block->idom,
                         reachable ? nearest(cfg, &s, b, dominates) : (uint32_t)PTX_NO_BLOCK);
        uint32_t ipdom = nearest(cfg, &s, b, post_dominates);
        assert_int_equal(block->ipdom, ipdom);
        uint32_t meet = ipdom == PTX_NO_BLOCK ? f->n_insts : cfg->blocks[ipdom].first;
        assert_int_equal(ptx_cfg_reconvergence(cfg, block->end - 1), meet);
    }
    check_order(cfg);
    check_loops(cfg, &s);
    arena_destroy(&arena);
}

/* --- Random programs --- */

static void add_random_inst(struct func_builder *b, uint64_t *rng, struct ptx_reg *pred,
                            struct ptx_reg *index, uint32_t n_labels)
{
    static const enum ptx_opcode ops[] = {
        PTX_OP_ADD, PTX_OP_ADD, PTX_OP_ADD, PTX_OP_CALL, PTX_OP_BRA,  PTX_OP_BRA,  PTX_OP_BRA,
        PTX_OP_BRA, PTX_OP_BRA, PTX_OP_BRX, PTX_OP_RET,  PTX_OP_EXIT, PTX_OP_TRAP,
    };
    enum ptx_opcode op = ops[random_below(rng, sizeof ops / sizeof ops[0])];
    uint32_t table[5], n_table = 1 + random_below(rng, 5);
    for (uint32_t k = 0; k < n_table; k++)
        table[k] = random_below(rng, n_labels);
    struct ptx_inst *inst;
    if (op == PTX_OP_BRA) {
        inst = builder_inst(b, op, 1);
        inst->operands[0] = operand_label(table[0]);
    } else if (op == PTX_OP_BRX) {
        inst = builder_inst(b, op, 2);
        inst->operands[0] = operand_reg(index);
        inst->operands[1] = operand_table(b, table, n_table);
    } else {
        inst = builder_inst(b, op, 0);
    }
    if (random_below(rng, 10) < 6)
        inst->guard = pred;
}

static void random_graphs_agree_with_definitions(void **state)
{
    (void)state;
    uint64_t rng = 0x9e3779b97f4a7c15u;
    for (uint32_t round = 0; round < 3000; round++) {
        struct func_builder b;
        builder_init(&b);
        struct ptx_reg *pred = builder_reg(&b, PTX_PRED), *index = builder_reg(&b, PTX_U32);
        uint32_t n = 1 + random_below(&rng, 22);
        uint32_t n_labels = 1 + random_below(&rng, 8);
        for (uint32_t k = 0; k < n_labels; k++)
            builder_label(&b, random_below(&rng, n + (random_below(&rng, 4) == 0)));
        for (uint32_t i = 0; i < n; i++)
            add_random_inst(&b, &rng, pred, index, n_labels);
        check_function(&b.f);
        arena_destroy(&b.arena);
    }
}

/* A chain of nested loops, each with its own blocks: work that grew with the square of the nesting
 * would show. */
static void deeply_nested_loops_are_counted(void **state)
{
    (void)state;
    enum { DEPTH = 200 };
    struct func_builder b;
    struct arena arena = {0};
    builder_init(&b);
    struct ptx_reg *pred = builder_reg(&b, PTX_PRED);
    for (uint32_t k = 0; k < DEPTH; k++)
        builder_label(&b, k);
    for (uint32_t k = 0; k < DEPTH; k++)
        builder_inst(&b, PTX_OP_ADD, 0);
    for (uint32_t k = DEPTH; k-- > 0;) {
        struct ptx_inst *back = builder_inst(&b, PTX_OP_BRA, 1);
        back->guard = pred;
        back->operands[0] = operand_label(k);
    }
    const struct ptx_cfg *cfg = ptx_cfg_build(&b.f, &arena);
    assert_int_equal(cfg->n_loops, DEPTH);
    for (uint32_t k = 0; k < DEPTH; k++) {
        assert_int_equal(cfg->loops[k].depth, k + 1);
        /* Headers k .. DEPTH-1 (the last shares a block with the first branch back), and the
         * branches back to them. */
        assert_int_equal(cfg->loops[k].n_blocks, 2 * (DEPTH - k) - 1);
    }
    arena_destroy(&arena);
    arena_destroy(&b.arena);
}

static void function_without_instructions_has_no_blocks(void **state)
{
    (void)state;
    struct func_builder b;
    struct arena arena = {0};
    builder_init(&b);
    assert_int_equal(ptx_cfg_build(&b.f, &arena)->n_blocks, 0);
    arena_destroy(&arena);
    arena_destroy(&b.arena);
}

/* --- Programs read from text --- */

static void branches_meet_after_their_sides(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("  mov.u32 %r1, 0;\n"            /*  0 */
                                      "loop:\n"                        /*    */
                                      "  setp.eq.s32 %p1, %r1, 7;\n"   /*  1 */
                                      "  @%p1 bra else;\n"             /*  2 */
                                      "  add.s32 %r1, %r1, 1;\n"       /*  3 */
                                      "  bra.uni join;\n"              /*  4 */
                                      "else:\n"                        /*    */
                                      "  add.s32 %r1, %r1, 2;\n"       /*  5 */
                                      "join:\n"                        /*    */
                                      "  setp.gt.s32 %p2, %r1, 100;\n" /*  6 */
                                      "  @%p2 bra fail;\n"             /*  7 */
                                      "  setp.lt.s32 %p3, %r1, 50;\n"  /*  8 */
                                      "  @%p3 bra loop;\n"             /*  9 */
                                      "  ret;\n"                       /* 10 */
                                      "fail:\n"                        /*    */
                                      "  trap;\n");                    /* 11 */
    struct arena arena = {0};
    check_function(m->funcs[0]);
    const struct ptx_cfg *cfg = ptx_cfg_build(m->funcs[0], &arena);
    assert_int_equal(ptx_cfg_reconvergence(cfg, 2), 6);
    assert_int_equal(ptx_cfg_reconvergence(cfg, 7), 8); /* the trap's lanes do not come back */
    assert_int_equal(ptx_cfg_reconvergence(cfg, 9), 10);
    assert_int_equal(ptx_cfg_reconvergence(cfg, 10), 12);
    assert_int_equal(cfg->n_loops, 1);
    assert_int_equal(cfg->blocks[cfg->loops[0].header].first, 1);
    assert_int_equal(cfg->loops[0].n_blocks, 5);
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

static void table_branch_goes_to_each_target_once(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("  mov.u32 %r1, %tid.x;\n"         /* 0 */
                                      "table: .branchtargets a, b, a;\n" /*   */
                                      "  brx.idx %r1, table;\n"          /* 1 */
                                      "a:\n"                             /*   */
                                      "  add.s32 %r1, %r1, 1;\n"         /* 2 */
                                      "  bra.uni end;\n"                 /* 3 */
                                      "b:\n"                             /*   */
                                      "  add.s32 %r1, %r1, 2;\n"         /* 4 */
                                      "end:\n"                           /*   */
                                      "  ret;\n");                       /* 5 */
    struct arena arena = {0};
    check_function(m->funcs[0]);
    const struct ptx_cfg *cfg = ptx_cfg_build(m->funcs[0], &arena);
    assert_int_equal(cfg->n_blocks, 4);
    assert_int_equal(cfg->blocks[0].n_succs, 2);
    assert_int_equal(ptx_cfg_reconvergence(cfg, 1), 5);
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_agree_with_definitions),
        cmocka_unit_test(deeply_nested_loops_are_counted),
        cmocka_unit_test(function_without_instructions_has_no_blocks),
        cmocka_unit_test(branches_meet_after_their_sides),
        cmocka_unit_test(table_branch_goes_to_each_target_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
