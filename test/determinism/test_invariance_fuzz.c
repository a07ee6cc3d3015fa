/* Random kernels on random machines: nothing a run shows depends on the quantum, the engine, its
 * fast paths or the host's vector instructions, and kernels without races compute what functional
 * execution does.
 *
 * A failure names its seed; `test_invariance_fuzz SEED` runs that case alone and prints the kernel.
 * `test_invariance_fuzz FIRST N` runs a range of them; HEDDLE_FUZZ_CASES sets how many are run from
 * the first on. With HEDDLE_FUZZ_ALONE=1 no case is run on several threads, which takes most of the
 * time where there are fewer processors: for soaks. HEDDLE_FUZZ_UNIT=atom_dir, or another, is
 * the atomics unit of all: every kernel has atomics. */
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
#include "atomics/atomics.h"
#include "cache/cache_policy.h"
#include "gpu/plugins.h"
#include "sched/scheduler.h"

enum { DEFAULT_CASES = 50, MAX_FAILURES = 5 };
#ifdef __SANITIZE_THREAD__
enum { SANITIZES_THREADS = true };
#else
enum { SANITIZES_THREADS = false };
#endif
static uint64_t first_seed = 1, n_cases = DEFAULT_CASES;
static bool show_kernel, one_thread_alone;
static const struct atomics_desc *unit_of_all; /* NULL = drawn with the rest of the machine */

/* Cases that showed a difference when the first ones did not: what L2 returns comes at a time of
 * its own clock; credits that another thread is just returning; an atomic that reaches L2 before
 * the store in front of it is visible; a line that a load hits ahead of its time, although another
 * gets its way before; an access that waits behind one that DRAM had no room for; hits done early,
 * past the end of the SM's quantum. */
static const uint64_t telling_seeds[] = {9011, 10311, 12833, 2128, 50024, 34010, 557};
static uint32_t n_telling = sizeof telling_seeds / sizeof telling_seeds[0];

/* What users run comes first. The first that differs from it is reported: the second if messages or
 * credits are wrong, the third if a fast path is, others if the engine is. */
static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, quantum 3", .quantum = 3},
    {.name = "skip, quantum 3, fast paths off", .quantum = 3, .no_fast_paths = true},
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
    bool wide; /* and with plug-ins */
    bool failed;
};

static const char *const plugins[] = {HEDDLE_PLUGIN_DIR "/plugin_youngest.so",
                                      HEDDLE_PLUGIN_DIR "/plugin_one_in_n.so"};
enum { N_PLUGINS = sizeof plugins / sizeof plugins[0] };

static void complain(struct fuzz_case *c, const char *what, const struct strbuf *why)
{
    struct strbuf bed = {0};
    describe_testbed(&c->random.bed, &bed);
    for (uint32_t i = 0; c->wide && i < N_PLUGINS; i++)
        strbuf_addf(&bed, " --plugin %s", plugins[i]);
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

/* Several threads take most of the time where there are fewer processors: of the manners that have
 * them a new case runs one, in turn; one that has shown a difference runs all. ThreadSanitizer has
 * no use for the others. */
static bool is_left_out(const struct fuzz_case *c, const struct manner *how)
{
    if (SANITIZES_THREADS)
        return !how->threads;
    uint64_t nth = 0, n = 0;
    for (uint32_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        nth = &manners[i] == how ? n : nth;
        n += manners[i].threads != 0;
    }
    return how->threads && (one_thread_alone || (c->wide && !show_kernel && c->seed % n != nth));
}

/* Every manner but the first against that one, and what only attribution counts against the first
 * manner that has it. */
static void compare_manners(struct fuzz_case *c, const struct strbuf *first)
{
    struct strbuf other = {0}, attributed = {0}, why = {0};
    for (uint32_t i = 1; !c->failed && i < sizeof manners / sizeof manners[0]; i++) {
        const struct manner *how = &manners[i];
        if (is_left_out(c, how))
            continue;
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

/* Before the first wide machine is made: they are registered then, whatever seeds come first. */
static void load_plugins(void)
{
    struct strbuf why = {0};
    for (uint32_t i = 0; i < N_PLUGINS; i++)
        if (!plugins_load(plugins[i], &why))
            fail_msg("%s: %s", plugins[i], strbuf_text(&why));
}

static void make_case(struct fuzz_case *c, uint64_t seed, bool wide)
{
    c->seed = seed;
    c->wide = wide;
    random_case_make(&c->random, seed, seed % 3 == 0);
    if (wide)
        random_case_widen(&c->random, seed);
}

static bool run_case(uint64_t seed, bool wide)
{
    struct fuzz_case *c = calloc(1, sizeof *c);
    struct strbuf first = {0};
    make_case(c, seed, wide);
    if (unit_of_all)
        random_testbed_set_unit(&c->random.bed, unit_of_all, seed, &c->random.arena);
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

/* Without plug-ins, which would change what seeds stand for. */
static void nothing_that_has_differed_does_so_again(void **state)
{
    (void)state;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < n_telling; i++)
        failed += !run_case(telling_seeds[i], false);
    assert_int_equal(failed, 0);
}

static void nothing_depends_on_quantum_engine_or_host(void **state)
{
    (void)state;
    uint32_t failed = 0;
    load_plugins();
    for (uint64_t i = 0; i < n_cases && failed < MAX_FAILURES; i++)
        failed += !run_case(first_seed + i, true);
    assert_int_equal(failed, 0);
}

/* --- what random machines cover --- */

static bool has_setting(const struct testbed *bed, const char *name, const char *value)
{
    const char *last = "";
    size_t n = strlen(name);
    for (uint32_t i = 0; bed->settings[i]; i++)
        if (!strncmp(bed->settings[i], name, n) && bed->settings[i][n] == '=')
            last = bed->settings[i] + n + 1;
    return !strcmp(last, value);
}

enum { N_MACHINES = 800 };
static struct fuzz_case *machines[N_MACHINES];

static void must_occur(const char *name, const char *value)
{
    for (uint32_t i = 0; i < N_MACHINES; i++)
        if (has_setting(&machines[i]->random.bed, name, value))
            return;
    fail_msg("none of %d random machines has %s=%s", N_MACHINES, name, value);
}

static void must_happen(const char *what, bool (*happens)(const struct fuzz_case *c))
{
    for (uint32_t i = 0; i < N_MACHINES; i++)
        if (happens(machines[i]))
            return;
    fail_msg("none of %d random machines has %s", N_MACHINES, what);
}

/* Its SMs have a short way to find a slice (sm_hashed_route()). */
static bool has_hashed_route(const struct fuzz_case *c)
{
    const struct testbed *bed = &c->random.bed;
    return has_setting(bed, "memory.hash_partitions", "true") &&
           !has_setting(bed, "memory.interleave_bytes", "384") &&
           (has_setting(bed, "memory.n_partitions", "16") ||
            has_setting(bed, "memory.n_partitions", "32"));
}

static bool has_several_launches(const struct fuzz_case *c)
{
    return c->random.k.n_launches > 1;
}

static bool is_short_of_everything(const struct fuzz_case *c)
{
    const struct testbed *bed = &c->random.bed;
    return has_setting(bed, "l1d.n_mshrs", "1") && has_setting(bed, "l2.n_mshrs", "1") &&
           has_setting(bed, "sm.miss_queue", "1") && has_setting(bed, "memory.input_queue", "1") &&
           has_setting(bed, "dram.queue_entries", "1");
}

static void memories_must_occur(void)
{
    static const char *const memories[][2] = {{"memory.n_partitions", "5"},
                                              {"memory.interleave_bytes", "128"},
                                              {"memory.interleave_bytes", "384"},
                                              {"dram.scheduler", "fcfs"},
                                              {"dram.bank_interleave_bytes", "0"},
                                              {"dram.bank_interleave_bytes", "384"},
                                              {"dram.permute_banks", "false"},
                                              {"dram.n_banks", "6"},
                                              {"dram.row_bytes", "1536"},
                                              {"noc.flits_per_cycle_down", "4"},
                                              {"l2.index", "hash"},
                                              {"l2.line_bytes", "64"},
                                              {"l2.line_bytes", "32"}};
    for (uint32_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        must_occur(memories[i][0], memories[i][1]);
    must_happen("a short way to hashed partitions", has_hashed_route);
}

/* Kernels with atomics close the fast paths of an SM whose unit performs them there. */
static bool keeps_fast_paths(const struct testbed *bed)
{
    for (uint32_t i = 0; i < atomics_count(); i++)
        if (has_setting(bed, "atomics.unit", atomics_at(i)->name))
            return !atomics_at(i)->net;
    return false;
}

/* Of all, and of the cases that run by default. */
static void half_must_keep_fast_paths(uint32_t n)
{
    uint32_t n_open = 0;
    for (uint32_t i = 0; i < n; i++)
        n_open += keeps_fast_paths(&machines[i]->random.bed);
    if (2 * n_open < n)
        fail_msg("fast paths are open in only %u of %u cases", n_open, n);
}

static void random_machines_have_everything_there_is(void **state)
{
    static const char *const on_fill[] = {"l1d.allocate_on_fill", "l1i.allocate_on_fill",
                                          "l1c.allocate_on_fill", "l2.allocate_on_fill"};
    (void)state;
    load_plugins();
    for (uint32_t i = 0; i < N_MACHINES; i++) {
        machines[i] = calloc(1, sizeof *machines[i]);
        make_case(machines[i], i + 1, true);
        assert_true(testbed_is_accepted(&machines[i]->random.bed));
    }
    for (uint32_t i = 0; i < scheduler_count(); i++)
        must_occur("scheduler", scheduler_at(i)->name);
    for (uint32_t i = 0; i < cache_policy_count(); i++) {
        if (!cache_policy_at(i)->l2_only)
            must_occur("l1d.policy", cache_policy_at(i)->name);
        must_occur("l2.policy", cache_policy_at(i)->name);
    }
    must_occur("noc.sms_per_port", "2");
    must_occur("noc.sms_per_port", "3");
    for (uint32_t i = 0; i < atomics_count(); i++)
        must_occur("atomics.unit", atomics_at(i)->name);
    must_occur("atomics.spec_fetch", "true");
    static const char *const drops[] = {"all_read", "first_hit", "demote"};
    for (uint32_t i = 0; i < sizeof drops / sizeof drops[0]; i++)
        must_occur("l2.policy.drop", drops[i]);
    must_occur("l2.policy.mark_stores", "true");
    must_occur("l2.policy.mark_loads", "true");
    for (uint32_t i = 0; i < sizeof on_fill / sizeof on_fill[0]; i++) {
        must_occur(on_fill[i], "true");
        must_occur(on_fill[i], "false");
    }
    memories_must_occur();
    must_happen("several launches", has_several_launches);
    must_happen("few MSHRs and short queues at once", is_short_of_everything);
    half_must_keep_fast_paths(N_MACHINES);
    half_must_keep_fast_paths(DEFAULT_CASES);
    for (uint32_t i = 0; i < N_MACHINES; i++) {
        random_case_destroy(&machines[i]->random);
        free(machines[i]);
    }
}

static bool is_telling(uint64_t seed)
{
    for (uint32_t i = 0; i < n_telling; i++)
        if (telling_seeds[i] == seed)
            return true;
    return false;
}

/* One case, with its kernel. */
static int show_case(uint64_t seed)
{
    bool wide = !is_telling(seed);
    if (wide)
        load_plugins();
    show_kernel = true;
    return !run_case(seed, wide);
}

int main(int argc, char **argv)
{
    const char *cases = getenv("HEDDLE_FUZZ_CASES"), *alone = getenv("HEDDLE_FUZZ_ALONE");
    const char *unit = getenv("HEDDLE_FUZZ_UNIT");
    one_thread_alone = alone && strcmp(alone, "0") != 0;
    unit_of_all = unit ? atomics_find(unit) : NULL;
    if (unit && !unit_of_all) {
        fprintf(stderr, "HEDDLE_FUZZ_UNIT: there is no atomics unit '%s'\n", unit);
        return 2;
    }
    if (argc == 2)
        return show_case(strtoull(argv[1], NULL, 10));
    if (cases)
        n_cases = strtoull(cases, NULL, 10);
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        n_cases = strtoull(argv[2], NULL, 10);
    }
    if (cases || argc > 2)
        n_telling = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_has_differed_does_so_again), /* first: see there */
        cmocka_unit_test(nothing_depends_on_quantum_engine_or_host),
        cmocka_unit_test(random_machines_have_everything_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
