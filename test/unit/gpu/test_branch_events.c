/* Branches as criticality providers and schedulers are notified of them: targets, lanes and the
 * place where the paths meet. brx branches by a table, to each of its targets in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sim.h"

enum { MOST = 8 };
static struct branch_info seen[MOST];
static uint32_t n_seen;

static void note_branch(struct criticality *c, uint32_t warp, const struct branch_info *b)
{
    (void)c, (void)warp;
    assert_true(n_seen < MOST);
    seen[n_seen++] = *b;
}

static int64_t no_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)warp, (void)now;
    return 0;
}

static bool never_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)warp, (void)now;
    return false;
}

static uint64_t no_cost(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0;
}

static const struct criticality_desc listener = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "listener",
    .summary = "notes branches",
    .citation = "this test",
    .cost_bits = no_cost,
    .value = no_value,
    .is_critical = never_critical,
    .on_branch = note_branch,
};

/* One warp runs the body, which begins at PC 2. */
static void run(const char *body, bool every_cycle)
{
    struct strbuf text = {0};
    strbuf_addf(&text,
                ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                ".reg .pred %%q; .reg .b32 %%r<6>;\n"
                "mov.u32 %%r0, %%laneid; mov.u32 %%r1, 0;\n%s}\n",
                body);
    static const char *const settings[] = {"criticality=listener", "scheduler=gcaws"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .timing = true,
                               .settings = settings,
                               .n_settings = 2,
                               .every_cycle = every_cycle};
    struct heddle_sim *sim;
    struct heddle_module *module = NULL;
    n_seen = 0;
    if (heddle_create(&o, &sim) != HEDDLE_OK ||
        heddle_load(sim, HEDDLE_PTX, "k", strbuf_text(&text), text.len, NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    struct heddle_launch l = {.grid = {1}, .block = {32}};
    if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    heddle_destroy(sim);
    strbuf_destroy(&text);
}

static void assert_branch(uint32_t i, struct branch_info b)
{
    assert_true(i < n_seen);
    assert_int_equal(seen[i].pc, b.pc);
    assert_int_equal(seen[i].target, b.target);
    assert_int_equal(seen[i].fallthrough, b.pc + 1);
    assert_int_equal(seen[i].reconvergence, b.reconvergence);
    assert_int_equal(seen[i].taken_mask, b.taken_mask);
    assert_int_equal(seen[i].active_mask, b.active_mask);
}

static void a_branch_has_its_target_and_lanes(void **state)
{
    (void)state;
    for (int every_cycle = 0; every_cycle < 2; every_cycle++) {
        run("setp.lt.u32 %q, %r0, 8;\n" /* 2 */
            "@%q bra A;\n"              /* 3 */
            "add.u32 %r1, %r1, 1;\n"    /* 4 */
            "A: add.u32 %r1, %r1, 2;\n" /* 5 */
            "ret;\n",
            every_cycle);
        assert_int_equal(n_seen, 1);
        assert_branch(0, (struct branch_info){3, 5, 0, 5, 0xff, ~0u});
    }
}

/* Lanes 0 to 15 go to A, 16 to 23 to B, the others to A as well: two targets, two branches. */
static void a_branch_by_table_is_one_for_each_target(void **state)
{
    (void)state;
    for (int every_cycle = 0; every_cycle < 2; every_cycle++) {
        run("shr.u32 %r2, %r0, 3;\n" /* 2: 0, 1, 2, 3 */
            "T: .branchtargets A, A, B, A;\n"
            "brx.idx %r2, T;\n"         /* 3 */
            "A: add.u32 %r1, %r1, 1;\n" /* 4 */
            "add.u32 %r1, %r1, 2;\n"    /* 5 */
            "bra.uni C;\n"              /* 6 */
            "B: add.u32 %r1, %r1, 3;\n" /* 7 */
            "C: add.u32 %r1, %r1, 4;\n" /* 8 */
            "ret;\n",
            every_cycle);
        const uint32_t to_b = 0x00ff0000;
        assert_int_equal(n_seen, 3); /* brx twice, bra once */
        assert_branch(0, (struct branch_info){3, 4, 0, 8, ~to_b, ~to_b});
        uint32_t second = seen[1].pc == 3 ? 1 : 2;
        assert_branch(second, (struct branch_info){3, 7, 0, 8, to_b, to_b});
    }
}

/* The lanes of the guard first leave the others, for the same instruction. */
static void a_guarded_branch_by_table_takes_the_lanes_of_its_guard(void **state)
{
    (void)state;
    run("and.b32 %r2, %r0, 1; setp.lt.u32 %q, %r0, 8;\n" /* 2, 3 */
        "T: .branchtargets A, B;\n"
        "@%q brx.idx %r2, T;\n"     /* 4 */
        "A: add.u32 %r1, %r1, 1;\n" /* 5 */
        "B: add.u32 %r1, %r1, 3;\n" /* 6 */
        "ret;\n",
        false);
    assert_int_equal(n_seen, 3);
    assert_branch(0, (struct branch_info){4, 4, 0, 6, 0xff, ~0u});
    assert_branch(1, (struct branch_info){4, 5, 0, 6, 0x55, 0x55});
    assert_branch(2, (struct branch_info){4, 6, 0, 6, 0xaa, 0xaa});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_has_its_target_and_lanes),
        cmocka_unit_test(a_branch_by_table_is_one_for_each_target),
        cmocka_unit_test(a_guarded_branch_by_table_takes_the_lanes_of_its_guard),
    };
    struct strbuf why = {0};
    if (!criticality_register(&listener, &why)) {
        print_error("%s\n", strbuf_text(&why));
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
