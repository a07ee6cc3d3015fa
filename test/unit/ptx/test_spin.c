/* Which loops are spin loops, and where the lanes that leave them reconverge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx/spin.h"
#include "unit/ptx/parse_text.h"

enum { NO_SPIN = 0xff };

/* Checks the branch at instruction `at`: its kind, and where its lanes reconverge. NO_SPIN: the
 * function has no spin loop. */
static void check_branch(const char *body, uint32_t at, uint8_t kind, uint32_t meet)
{
    struct ptx_module *m = parse_body(body);
    struct arena arena = {0};
    const struct ptx_spin *spin = ptx_spin_find(ptx_cfg_build(m->funcs[0], &arena), &arena);
    if (kind == NO_SPIN) {
        assert_null(spin);
    } else {
        assert_non_null(spin);
        assert_int_equal(spin->kinds[at], kind);
        if (kind & PTX_SPIN_LATE)
            assert_int_equal(spin->meet[at], meet);
    }
    arena_destroy(&arena);
    ptx_module_destroy(m);
}

static void is_no_spin_loop(const char *body)
{
    check_branch(body, 0, NO_SPIN, 0);
}

#define TRY  "atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0;\n"
#define FREE "atom.global.exch.b32 %r2, [%rd1], 0;\n"

enum { BACK_AND_LATE = PTX_SPIN_REPEATS | PTX_SPIN_LATE };

static void without_anything_around_it_lanes_meet_at_the_end(void **state)
{
    (void)state;
    check_branch("L: " TRY "@%p1 bra L;\n" FREE "add.u32 %r5, %r5, 1; ret;\n", 2, BACK_AND_LATE, 6);
}

static void lanes_that_leave_may_be_those_that_branch(void **state)
{
    (void)state;
    const char *body = "L: " TRY "@!%p1 bra X;\n bra.uni L;\n"
                       "X: " FREE "ret;\n";
    check_branch(body, 2, PTX_SPIN_LATE | PTX_SPIN_LEAVES_BY_TARGET, 6);
    check_branch(body, 3, PTX_SPIN_REPEATS, 0);
}

static void lanes_meet_where_the_branch_around_it_does(void **state)
{
    (void)state;
    check_branch("setp.eq.u32 %p2, %r3, 0; @%p2 bra J;\n"
                 "L: " TRY "@%p1 bra L;\n" FREE "J: add.u32 %r5, %r5, 1; ret;\n",
                 4, BACK_AND_LATE, 6);
}

static void lanes_meet_at_the_end_of_an_iteration(void **state)
{
    (void)state;
    check_branch("mov.u32 %r3, 0;\n"
                 "N: add.u32 %r3, %r3, 1;\n"
                 "L: " TRY "@%p1 bra L;\n" FREE "setp.lt.u32 %p2, %r3, 9; @%p2 bra N;\n ret;\n",
                 4, BACK_AND_LATE, 7);
    /* The iteration begins with the attempt: both loops have one header. */
    check_branch("mov.u32 %r3, 0;\n"
                 "L: " TRY "@%p1 bra L;\n" FREE "add.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p2, %r3, 9; @%p2 bra L;\n ret;\n",
                 3, BACK_AND_LATE, 7);
    /* No block ends every iteration: lanes meet behind the loop. */
    check_branch("N: add.u32 %r3, %r3, 1;\n"
                 "L: " TRY "@%p1 bra L;\n"
                 "setp.lt.u32 %p2, %r3, 5; @%p2 bra A;\n" FREE "@%p3 bra N;\n bra.uni X;\n"
                 "A: " FREE "@%p4 bra N;\n"
                 "X: mov.u32 %r5, 1; ret;\n",
                 3, BACK_AND_LATE, 11);
}

static void loops_within_the_critical_section_do_not_matter(void **state)
{
    (void)state;
    check_branch("L: " TRY "@%p1 bra L;\n"
                 "I: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 9; @%p2 bra I;\n" FREE "ret;\n",
                 2, BACK_AND_LATE, 8);
}

/* A lock that is tried after another, which is released on failure: lanes with the first must not
 * wait for lanes without it. */
static void spin_loops_within_spin_loops_have_no_iterations(void **state)
{
    (void)state;
    const char *body = "L: " TRY "@%p1 bra L;\n"
                       "atom.global.cas.b32 %r3, [%rd2], 0, 1; setp.ne.u32 %p2, %r3, 0;\n"
                       "@%p2 bra R;\n"
                       "atom.global.exch.b32 %r4, [%rd2], 0;\n" FREE "ret;\n"
                       "R: " FREE "bra.uni L;\n";
    check_branch(body, 2, BACK_AND_LATE, 11);
    check_branch(body, 5, PTX_SPIN_LATE, 11);
    check_branch(body, 10, PTX_SPIN_REPEATS, 0);
}

static void polling_is_spinning(void **state)
{
    (void)state;
    check_branch("L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;\n"
                 "ret;\n",
                 2, BACK_AND_LATE, 4);
    check_branch("L: atom.global.add.u32 %r1, [%rd1], 0; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;\n"
                 "ret;\n",
                 2, BACK_AND_LATE, 4);
    is_no_spin_loop("L: ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;\nret;\n");
}

/* Neither a count of the attempts nor a growing pause between them decides whether lanes leave. */
static void state_that_decides_nothing_does_not_matter(void **state)
{
    (void)state;
    check_branch("L: " TRY "add.u32 %r3, %r3, 1; @%p1 bra L;\n"
                 "st.global.u32 [%rd2], %r3;\nret;\n",
                 3, BACK_AND_LATE, 6);
    check_branch("L: shl.b32 %r3, %r3, 1; mov.u32 %r4, %r3; setp.eq.u32 %p2, %r4, 0; @%p2 bra T;\n"
                 "I: membar.cta; sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra I;\n"
                 "T: " TRY "@%p1 bra L;\n" FREE "ret;\n",
                 10, BACK_AND_LATE, 13);
}

/* Lanes that have the lock at once do not wait for those that enter the loop. */
static void first_attempts_may_be_outside(void **state)
{
    (void)state;
    const char *body = TRY "@!%p1 bra X;\n"
                           "L: membar.cta;\n" TRY "@!%p1 bra X;\n bra.uni L;\n"
                           "X: " FREE "ret;\n";
    check_branch(body, 2, PTX_SPIN_LATE | PTX_SPIN_LEAVES_BY_TARGET, 10);
    check_branch(body, 6, PTX_SPIN_LATE | PTX_SPIN_LEAVES_BY_TARGET, 10);
    check_branch("setp.eq.u32 %p2, %r3, 0; @%p2 bra X;\n" /* this is another condition */
                 "L: " TRY "@%p1 bra L;\n"
                 "X: " FREE "ret;\n",
                 1, 0, 0);
}

static void loops_that_do_more_are_no_spin_loops(void **state)
{
    (void)state;
    is_no_spin_loop("L: " TRY "add.u32 %r3, %r3, 1; setp.lt.and.u32 %p1, %r3, 99, %p1;\n"
                    "@%p1 bra L;\nret;\n"); /* counts */
    is_no_spin_loop("L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0;\n"
                    "add.u64 %rd1, %rd1, 4; @%p1 bra L;\nret;\n"); /* tries another lock */
    is_no_spin_loop("L: mov.u32 %r1, 0; setp.gt.u32 %p2, %r3, 9; @%p2 bra S;\n" TRY
                    "S: add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
                    "ret;\n"); /* gives up, whatever the last attempt said */
    is_no_spin_loop("L: " TRY "st.global.u32 [%rd2], %r1;\n@%p1 bra L;\nret;\n");
    is_no_spin_loop("L: " TRY "red.global.add.u32 [%rd2], 1;\n@%p1 bra L;\nret;\n");
    is_no_spin_loop("L: " TRY "bar.sync 0;\n@%p1 bra L;\nret;\n");
    is_no_spin_loop("L: " TRY "vote.ballot.b32 %r3, %p1;\n@%p1 bra L;\nret;\n");
    is_no_spin_loop("T: .branchtargets L, X;\n L: " TRY "brx.idx %r1, T;\nX: ret;\n");
    is_no_spin_loop("atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
                    "L: add.u32 %r3, %r4, 1;\n@%p1 bra L;\nret;\n"); /* waits for nothing */
}

/* Each iteration makes progress: some lane's update succeeds, some lane gets an item. */
static void updates_are_no_spin_loops(void **state)
{
    (void)state;
    is_no_spin_loop("L: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1;\n"
                    "atom.global.cas.b32 %r3, [%rd1], %r1, %r2; setp.ne.u32 %p1, %r1, %r3;\n"
                    "@%p1 bra L;\nret;\n");
    is_no_spin_loop("L: atom.global.add.u32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, %r2;\n"
                    "@%p1 bra L;\nret;\n");
    is_no_spin_loop("L: atom.global.inc.u32 %r1, [%rd1], 9; setp.ne.u32 %p1, %r1, %r2;\n"
                    "@%p1 bra L;\nret;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_anything_around_it_lanes_meet_at_the_end),
        cmocka_unit_test(lanes_that_leave_may_be_those_that_branch),
        cmocka_unit_test(lanes_meet_where_the_branch_around_it_does),
        cmocka_unit_test(lanes_meet_at_the_end_of_an_iteration),
        cmocka_unit_test(loops_within_the_critical_section_do_not_matter),
        cmocka_unit_test(spin_loops_within_spin_loops_have_no_iterations),
        cmocka_unit_test(polling_is_spinning),
        cmocka_unit_test(state_that_decides_nothing_does_not_matter),
        cmocka_unit_test(first_attempts_may_be_outside),
        cmocka_unit_test(loops_that_do_more_are_no_spin_loops),
        cmocka_unit_test(updates_are_no_spin_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
