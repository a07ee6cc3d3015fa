/* Replaying a trace is as good as executing: on the machine it was recorded on, and, unless it
 * depends on time, on any other. What replays are compared with are runs that execute.
 *
 * By default every workload but the longest is recorded on one machine and replayed on it and on
 * one other; HEDDLE_MATRIX=1 takes all of them and every machine. HEDDLE_FUZZ_CASES sets how many
 * random kernels are tried, HEDDLE_TEST which tests are run ("random*"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "determinism/random_kernel.h"
#include "determinism/random_testbed.h"
#include "determinism/testbeds.h"

static bool whole_matrix;
static uint64_t n_random = 24;
static char trace[64], other_trace[64];

static const struct manner plain = {.name = "skip, longest quantum"};
static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "cycle", .every_cycle = true},
    {.name = "skip, quantum 2", .quantum = 2},
    {.name = "skip, 3 threads", .threads = 3},
};
/* Threads cost time where there are fewer processors: not every workload is run with them. */
enum { N_MANNERS = sizeof manners / sizeof manners[0], N_QUICK_MANNERS = N_MANNERS - 1 };

static void must_agree(const char *what, const struct testbed *bed, struct strbuf *executed,
                       const struct strbuf *replayed)
{
    struct strbuf why = {0}, machine = {0};
    keep_what_replays(executed);
    if (!observations_agree(executed, replayed, &why)) {
        describe_testbed(bed, &machine);
        fail_msg("%s: replayed on %s something else happens:\n%s", what, strbuf_text(&machine),
                 strbuf_text(&why));
    }
    strbuf_destroy(&why);
    strbuf_destroy(&machine);
}

/* --- workloads --- */

static bool is_long(const struct workload *w)
{
    return strcmp(w->name, "kmn") == 0 || strcmp(w->name, "sssp") == 0;
}

/* Why what a workload does depends on time; NULL for most of them. */
static const char *why_timed(const struct workload *w)
{
    static const char *const by_atomics[] = {"sssp", "bfsq", "hsh"};
    for (uint32_t i = 0; i < sizeof by_atomics / sizeof by_atomics[0]; i++)
        if (strcmp(w->name, by_atomics[i]) == 0)
            return "the result of an atomic is used";
    /* A vertex, or an object, may be found by several others at a time. */
    if (strcmp(w->name, "bc") == 0 || strcmp(w->name, "gc") == 0)
        return "a load and a store of different threads access";
    return NULL;
}

static void record(const struct workload *w, const struct testbed *bed, struct strbuf *executed)
{
    if (record_workload(w, bed, &plain, trace, executed) != HEDDLE_OK)
        fail_msg("%s: %s", w->name, strbuf_text(executed));
}

static void replay_elsewhere(const struct workload *w, const struct testbed *bed,
                             const struct manner *how)
{
    struct strbuf executed = {0}, replayed = {0};
    enum heddle_status s = observe_replay(trace, false, bed, how, &replayed);
    if (why_timed(w)) {
        assert_int_equal(s, HEDDLE_BAD_INPUT);
        assert_non_null(strstr(strbuf_text(&replayed), why_timed(w)));
        assert_non_null(strstr(strbuf_text(&replayed), "--force-replay"));
        strbuf_clear(&replayed);
        assert_int_equal(observe_replay(trace, true, bed, how, &replayed), HEDDLE_OK);
    } else {
        observe_workload(w, bed, &plain, &executed);
        must_agree(w->name, bed, &executed, &replayed);
    }
    strbuf_destroy(&executed);
    strbuf_destroy(&replayed);
}

static void workloads_replay_as_they_run(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        struct strbuf executed = {0}, replayed = {0};
        if (!whole_matrix && (is_long(w) || !is_of_this_build(i)))
            continue;
        record(w, &testbeds[0], &executed);
        observe_replay(trace, false, &testbeds[0], &manners[i % N_QUICK_MANNERS], &replayed);
        must_agree(w->name, &testbeds[0], &executed, &replayed);
        for (uint32_t b = 1; b < N_TESTBEDS; b++)
            if (whole_matrix || b == 1 + i % (N_TESTBEDS - 1))
                replay_elsewhere(w, &testbeds[b], &manners[(i + b) % N_QUICK_MANNERS]);
        strbuf_destroy(&executed);
        strbuf_destroy(&replayed);
    }
}

static void hostile_machines_record_too(void **state)
{
    (void)state;
    struct strbuf executed = {0}, replayed = {0};
    record(workload_find("hg"), &testbeds[4], &executed);
    observe_replay(trace, false, &testbeds[4], &manners[3], &replayed);
    must_agree("hg", &testbeds[4], &executed, &replayed);
    replay_elsewhere(workload_find("hg"), &testbeds[0], &manners[0]);
    strbuf_destroy(&executed);
    strbuf_destroy(&replayed);
}

/* --- the file --- */

static void must_be_the_same_file(const char *what)
{
    struct strbuf a = {0}, b = {0};
    assert_int_equal(strbuf_read_file(&a, trace), 0);
    assert_int_equal(strbuf_read_file(&b, other_trace), 0);
    if (a.len != b.len || memcmp(a.text, b.text, a.len) != 0)
        fail_msg("%s: another file is written", what);
    strbuf_destroy(&a);
    strbuf_destroy(&b);
}

static void a_trace_is_the_same_however_it_is_recorded(void **state)
{
    static const char *const names[] = {"nw", "hg"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct strbuf executed = {0};
        record(workload_find(names[i]), &testbeds[1], &executed);
        for (uint32_t k = 0; k < N_MANNERS; k++) {
            strbuf_clear(&executed);
            record_workload(workload_find(names[i]), &testbeds[1], &manners[k], other_trace,
                            &executed);
            must_be_the_same_file(manners[k].name);
        }
        strbuf_destroy(&executed);
    }
}

/* --- random kernels: all control flow, calls, predication, every kind of memory --- */

/* Returns whether it was refused on another machine. */
static bool try_random(uint64_t seed, bool racy)
{
    struct random_case *c = calloc(1, sizeof *c);
    struct testbed other;
    random_case_make(c, seed, racy);
    random_testbed_make(&other, ~seed, &c->arena);
    struct strbuf executed = {0}, replayed = {0};
    char what[64];
    snprintf(what, sizeof what, "random kernel %llu", (unsigned long long)seed);
    if (record_kernel(&c->k, &c->bed, &plain, trace, &executed) != HEDDLE_OK)
        fail_msg("%s: %s", what, strbuf_text(&executed));
    observe_replay(trace, false, &c->bed, &manners[seed % N_QUICK_MANNERS], &replayed);
    must_agree(what, &c->bed, &executed, &replayed);
    strbuf_clear(&executed);
    strbuf_clear(&replayed);
    enum heddle_status s = observe_replay(trace, false, &other, &plain, &replayed);
    if (s != HEDDLE_OK && !racy) /* nothing in it depends on time */
        fail_msg("%s: %s", what, strbuf_text(&replayed));
    if (s == HEDDLE_OK) {
        observe_kernel(&c->k, &other, &plain, &executed);
        must_agree(what, &other, &executed, &replayed);
    }
    strbuf_destroy(&executed);
    strbuf_destroy(&replayed);
    random_case_destroy(c);
    free(c);
    return s != HEDDLE_OK;
}

static void random_kernels_replay_as_they_run(void **state)
{
    uint32_t n_racy = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= n_random; seed++)
        n_racy += try_random(seed, seed % 3 == 0);
    assert_true(n_racy >= n_random / 6);
}

static int remove_traces(void **state)
{
    (void)state;
    unlink(trace);
    unlink(other_trace);
    return 0;
}

int main(void)
{
    const char *cases = getenv("HEDDLE_FUZZ_CASES");
    if (cases)
        n_random = strtoull(cases, NULL, 10);
    whole_matrix = getenv("HEDDLE_MATRIX") != NULL;
    snprintf(trace, sizeof trace, "/tmp/heddle-replay-%d.trace", (int)getpid());
    snprintf(other_trace, sizeof other_trace, "/tmp/heddle-replay-%d-2.trace", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_replay_as_they_run),
        cmocka_unit_test(hostile_machines_record_too),
        cmocka_unit_test(a_trace_is_the_same_however_it_is_recorded),
        cmocka_unit_test(random_kernels_replay_as_they_run),
    };
    cmocka_set_test_filter(getenv("HEDDLE_TEST"));
    return cmocka_run_group_tests(tests, NULL, remove_traces);
}
