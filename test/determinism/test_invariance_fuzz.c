/* Random kernels on random machines: nothing a run shows depends on the quantum, the engine or the
 * host's vector instructions, and kernels without races compute what functional execution does.
 *
 * A failure names its seed; `test_invariance_fuzz SEED` runs that case alone and prints the kernel.
 * HEDDLE_FUZZ_CASES sets how many cases are run. */
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

static const struct manner manners[] = {
    {"skip, longest quantum, attributed", false, 0, NULL, true, 0},
    {"skip, quantum 1, attributed", false, 1, NULL, true, 0},
    {"skip, quantum 2, 7 threads", false, 2, "generic", false, 7},
    {"skip, longest quantum, 2 threads", false, 0, NULL, false, 2},
    {"cycle, longest quantum, attributed, 3 threads", true, 0, NULL, true, 3},
    {"cycle, quantum 1", true, 1, "generic", false, 0},
};

struct fuzz_case {
    uint64_t seed;
    struct random_kernel kernel;
    struct testbed bed;
    struct arena arena;
    uint32_t input[RANDOM_INPUT_WORDS];
    struct kernel_buffer buffers[4];
    struct kernel_launch launches[2];
    struct kernel_case k;
    bool failed;
};

static void make_case(struct fuzz_case *c, uint64_t seed)
{
    struct workload_rng rng = {seed};
    c->seed = seed;
    random_kernel_make(&c->kernel, rng_u64(&rng), seed % 3 == 0);
    random_testbed_make(&c->bed, rng_u64(&rng), &c->arena);
    for (uint32_t i = 0; i < RANDOM_INPUT_WORDS; i++)
        c->input[i] = (uint32_t)rng_u64(&rng) >> rng_below(&rng, 32);
    uint64_t threads = (uint64_t)c->kernel.grid * c->kernel.block;
    c->buffers[0] = (struct kernel_buffer){sizeof c->input, c->input, false};
    c->buffers[1] = (struct kernel_buffer){threads * RANDOM_OWN_WORDS * 4, NULL, true};
    c->buffers[2] = (struct kernel_buffer){RANDOM_COUNTERS * 4, NULL, true};
    c->buffers[3] = (struct kernel_buffer){RANDOM_COUNTERS * 4, NULL, true};
    for (uint32_t i = 0; i < 2; i++)
        c->launches[i] = (struct kernel_launch){"k", c->kernel.grid, c->kernel.block};
    c->k = (struct kernel_case){.name = "random.ptx",
                                .ptx = strbuf_text(&c->kernel.ptx),
                                .buffers = c->buffers,
                                .n_buffers = 4,
                                .launches = c->launches,
                                .n_launches = c->kernel.launches,
                                .max_cycles = 20000000};
}

static void destroy_case(struct fuzz_case *c)
{
    random_kernel_destroy(&c->kernel);
    arena_destroy(&c->arena);
    free(c);
}

static void complain(struct fuzz_case *c, const char *what, const struct strbuf *why)
{
    struct strbuf bed = {0};
    describe_testbed(&c->bed, &bed);
    print_error("seed %llu (%s kernel, %u CTAs of %u): %s\n", (unsigned long long)c->seed,
                c->kernel.racy ? "racy" : "race-free", c->kernel.grid, c->kernel.block, what);
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
    observe_functional(&c->k, &functional);
    strbuf_add(&head, strbuf_text(timed));
    keep_outcome(&head);
    keep_outcome(&functional);
    if (!observations_agree(&functional, &head, &why))
        complain(c, "other results than functional execution", &why);
    strbuf_destroy(&functional);
    strbuf_destroy(&head);
    strbuf_destroy(&why);
}

static bool run_case(uint64_t seed)
{
    struct fuzz_case *c = calloc(1, sizeof *c);
    struct strbuf first = {0}, other = {0}, why = {0};
    make_case(c, seed);
    if (show_kernel)
        puts(c->k.ptx);
    enum heddle_status s = observe_kernel(&c->k, &c->bed, &manners[0], &first);
    if (s != HEDDLE_OK)
        complain(c, "does not run", &first);
    for (uint32_t i = 1; !c->failed && i < sizeof manners / sizeof manners[0]; i++) {
        strbuf_clear(&other);
        observe_kernel(&c->k, &c->bed, &manners[i], &other);
        if (!observations_agree(&first, &other, &why))
            complain(c, manners[i].name, &why);
    }
    if (!c->failed && !c->kernel.racy)
        compare_with_functional(c, &first);
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
    bool ok = !c->failed;
    destroy_case(c);
    return ok;
}

static void nothing_depends_on_quantum_engine_or_host(void **state)
{
    (void)state;
    uint32_t failed = 0;
    for (uint64_t i = 0; i < n_cases && failed < MAX_FAILURES; i++)
        failed += !run_case(first_seed + i);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    const char *cases = getenv("HEDDLE_FUZZ_CASES");
    if (cases)
        n_cases = strtoull(cases, NULL, 10);
    if (argc > 1) {
        first_seed = strtoull(argv[1], NULL, 10);
        n_cases = 1;
        show_kernel = true;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_depends_on_quantum_engine_or_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
