/* Random kernels on random machines: nothing a run shows depends on the quantum, the engine, its
 * fast paths or the host's vector instructions, and kernels without races compute what functional
 * execution does.
 *
 * A failure names its seed; `test_invariance_fuzz SEED` runs that case alone and prints the kernel.
 * `test_invariance_fuzz FIRST N` runs a range of them; HEDDLE_FUZZ_CASES sets how many are run from
 * the first on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/random_kernel.h"
#include "determinism/random_testbed.h"
#include "emu/bind.h"

enum { DEFAULT_CASES = 60, MAX_FAILURES = 5 };
static uint64_t first_seed = 1, n_cases = DEFAULT_CASES;
static bool show_kernel;

/* Cases that showed a difference when the first ones did not: what L2 gives back comes at a time of
 * its own clock; credits that another thread is just giving back; an atomic that is at L2 before
 * the store in front of it is visible; a line that a load hits ahead of its time, though another
 * gets its place before; an access that waits behind one that DRAM had no room for. */
static const uint64_t telling_seeds[] = {9011, 10311, 12833, 2128, 50024, 34010};
static uint32_t n_telling = sizeof telling_seeds / sizeof telling_seeds[0];

/* What users run comes first. If it differs from the second, a fast path is wrong; if those two
 * agree and others differ, the engine is. */
static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, longest quantum, fast paths off", .no_fast_paths = true},
    {.name = "skip, quantum 3", .quantum = 3},
    {.name = "skip, longest quantum, attributed", .attribute = true},
    {.name = "skip, quantum 1, attributed", .quantum = 1, .attribute = true},
    {.name = "skip, quantum 2, 7 threads", .quantum = 2, .host_isa = "generic", .threads = 7},
    {.name = "skip, longest quantum, 2 threads", .threads = 2},
    {.name = "cycle, attributed, 3 threads", .every_cycle = true, .attribute = true, .threads = 3},
    {.name = "cycle, quantum 1, fast paths off",
     .every_cycle = true,
     .quantum = 1,
     .host_isa = "generic",
     .no_fast_paths = true},
};

struct fuzz_case {
    uint64_t seed;
    struct random_case random;
    bool failed;
};

static void complain(struct fuzz_case *c, const char *what, const struct strbuf *why)
{
    struct strbuf bed = {0};
    describe_testbed(&c->random.bed, &bed);
    print_error("seed %llu (%s kernel, %u CTAs of %u): %s\n", (unsigned long long)c->seed,
                c->random.kernel.racy ? "racy" : "race-free", c->random.kernel.grid,
                c->random.kernel.block, what);
    fprintf(stderr, "%s  on --gpu %s\n", strbuf_text(why), strbuf_text(&bed));
    strbuf_destroy(&bed);
    c->failed = true;
}

/* The lines up to the statistics: what functional execution has too. */
static void keep_outcome(struct strbuf *b)
{
    const char *end = strstr(strbuf_text(b), "printed <>\n");
    if (end)
        b->text[b->len = (size_t)(end - b->text)] = 0;
}

static void compare_with_functional(struct fuzz_case *c, const struct strbuf *timed)
{
    struct strbuf functional = {0}, head = {0}, why = {0};
    observe_functional(&c->random.k, &functional);
    strbuf_add(&head, strbuf_text(timed));
    keep_outcome(&head);
    keep_outcome(&functional);
    if (!observations_agree(&functional, &head, &why))
        complain(c, "other results than functional execution", &why);
    strbuf_destroy(&functional);
    strbuf_destroy(&head);
    strbuf_destroy(&why);
}

/* Every manner but the first against that one, and what only attribution counts against the first
 * manner that has it. */
static void compare_manners(struct fuzz_case *c, const struct strbuf *first)
{
    struct strbuf other = {0}, attributed = {0}, why = {0};
    for (uint32_t i = 1; !c->failed && i < sizeof manners / sizeof manners[0]; i++) {
        const struct manner *how = &manners[i];
        strbuf_clear(&other);
        observe_kernel(&c->random.k, &c->random.bed, how, &other);
        bool agrees = observations_agree(first, &other, &why);
        if (how->attribute && attributed.len)
            agrees = observations_agree(&attributed, &other, &why) && agrees;
        else if (how->attribute)
            strbuf_add(&attributed, strbuf_text(&other));
        if (!agrees)
            complain(c, how->name, &why);
    }
    strbuf_destroy(&other);
    strbuf_destroy(&attributed);
    strbuf_destroy(&why);
}

static bool run_case(uint64_t seed)
{
    struct fuzz_case *c = calloc(1, sizeof *c);
    struct strbuf first = {0};
    c->seed = seed;
    random_case_make(&c->random, seed, seed % 3 == 0);
    if (show_kernel)
        puts(c->random.k.ptx);
    enum heddle_status s = observe_kernel(&c->random.k, &c->random.bed, &manners[0], &first);
    if (s != HEDDLE_OK)
        complain(c, "does not run", &first);
    if (!c->failed)
        compare_manners(c, &first);
    if (!c->failed && !c->random.kernel.racy)
        compare_with_functional(c, &first);
    strbuf_destroy(&first);
    bool ok = !c->failed;
    random_case_destroy(&c->random);
    free(c);
    return ok;
}

static void nothing_depends_on_quantum_engine_or_host(void **state)
{
    (void)state;
    uint32_t failed = 0;
    for (uint64_t i = 0; i < n_cases && failed < MAX_FAILURES; i++)
        failed += !run_case(first_seed + i);
    for (uint32_t i = 0; i < n_telling; i++)
        failed += !run_case(telling_seeds[i]);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    const char *cases = getenv("HEDDLE_FUZZ_CASES");
    if (cases || argc > 1)
        n_telling = 0;
    if (cases)
        n_cases = strtoull(cases, NULL, 10);
    if (argc > 1) {
        first_seed = strtoull(argv[1], NULL, 10);
        n_cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        show_kernel = argc == 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_depends_on_quantum_engine_or_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
