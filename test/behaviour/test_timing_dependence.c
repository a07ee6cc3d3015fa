/* Whether a launch depends on time, by small kernels that do or just do not. Every case has its
 * counterpart on the other side of the edge. Two CTAs of two warps, unless a case says otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "heddle/heddle.h"
#include "trace/file.h"

static char path[64];

/* A machine that looks at branches and at lanes that issue, too. */
static const char *const settings[] = {"l1d.policy=dlp", "l1d.policy.max_sample_insns=64"};
static const struct heddle_options options = {.struct_size = sizeof options,
                                              .gpu = "gtx480",
                                              .timing = true,
                                              .settings = settings,
                                              .n_settings = 2};

/* %d1: the buffer; %d2: its word of this thread (of the whole grid), %d3: of this thread in its
 * CTA; %r1: thread, %r2: CTA, %r3: warp, %r4: thread in the grid. */
static const char prologue[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .u64 %d<9>;\n.reg .u32 %r<9>;\n.reg .f32 %f<3>;\n.reg .pred %p<3>;\n.shared .u32 s[64];\n"
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshr.u32 %r3, %r1, 5;\n"
    "mad.lo.u32 %r4, %r2, 64, %r1;\nmul.wide.u32 %d2, %r4, 4;\nadd.u64 %d2, %d2, %d1;\n"
    "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d1;\nshl.b32 %r5, %r1, 2;\n"
    "mov.f32 %f1, 0f3F800000;\nmov.u32 %r8, s;\n";

static const struct dependence {
    const char *name, *body;
    int reason; /* enum trace_reason; -1 = it depends on nothing */
    uint32_t grid;
} cases[] = {
    {"its own word", "st.global.u32 [%d2], %r1;\nld.global.u32 %r6, [%d2];\n", -1, 2},
    {"read only, everyone the same", "ld.global.u32 %r6, [%d1];\n", -1, 2},
    {"clock", "mov.u32 %r6, %clock;\n", REASON_CLOCK, 2},
    {"SM", "mov.u32 %r6, %smid;\n", REASON_CLOCK, 1},
    {"other registers", "mov.u32 %r6, %laneid;\nmov.u32 %r7, %nctaid.x;\n", -1, 2},
    {"clock, never executed", "setp.gt.u32 %p1, %r1, 99;\n@%p1 mov.u32 %r6, %clock;\n", -1, 2},
    {"heap", "{ .param .b64 n;\n.param .b64 a;\nst.param.b64 [n], 8;\ncall (a), malloc, (n);\n}\n",
     REASON_HEAP, 1},

    {"a word that another CTA writes",
     "xor.b32 %r6, %r4, 64;\nmul.wide.u32 %d4, %r6, 4;\nadd.u64 %d4, %d4, %d1;\n"
     "st.global.u32 [%d2], %r1;\nld.global.u32 %r7, [%d4];\n",
     REASON_LOAD, 2},
    {"read before the other CTA writes it",
     "xor.b32 %r6, %r4, 64;\nmul.wide.u32 %d4, %r6, 4;\nadd.u64 %d4, %d4, %d1;\n"
     "ld.global.u32 %r7, [%d4];\nst.global.u32 [%d2], %r1;\n",
     REASON_LOAD, 2},
    {"a byte beside another CTA's",
     "add.u64 %d4, %d1, %d1;\ncvt.u64.u32 %d5, %r4;\nadd.u64 %d5, %d5, %d1;\n"
     "st.global.u8 [%d5], %r1;\nld.global.u8 %r7, [%d5];\n",
     -1, 2},
    {"bytes, read as words another CTA is in",
     "shl.b32 %r6, %r1, 1;\nadd.u32 %r6, %r6, %r2;\ncvt.u64.u32 %d5, %r6;\nadd.u64 %d5, %d5, %d1;\n"
     "st.global.u8 [%d5], %r1;\nld.global.u32 %r7, [%d3];\n",
     REASON_LOAD, 2},

    {"another warp's word after a barrier",
     "st.global.u32 [%d2], %r1;\nbar.sync 0;\nxor.b32 %r6, %r4, 32;\nmul.wide.u32 %d4, %r6, 4;\n"
     "add.u64 %d4, %d4, %d1;\nld.global.u32 %r7, [%d4];\n",
     -1, 2},
    {"another warp's word without one",
     "st.global.u32 [%d2], %r1;\nxor.b32 %r6, %r4, 32;\nmul.wide.u32 %d4, %r6, 4;\n"
     "add.u64 %d4, %d4, %d1;\nld.global.u32 %r7, [%d4];\n",
     REASON_LOAD, 2},
    {"another lane's word of the same warp",
     "st.global.u32 [%d2], %r1;\nxor.b32 %r6, %r4, 1;\nmul.wide.u32 %d4, %r6, 4;\n"
     "add.u64 %d4, %d4, %d1;\nld.global.u32 %r7, [%d4];\n",
     -1, 2},
    {"a barrier of one warp orders nothing",
     "st.global.u32 [%d2], %r1;\nbarrier.sync %r3, 32;\nxor.b32 %r6, %r4, 32;\n"
     "mul.wide.u32 %d4, %r6, 4;\nadd.u64 %d4, %d4, %d1;\nld.global.u32 %r7, [%d4];\n",
     REASON_LOAD, 2},
    {"a barrier does not order CTAs",
     "st.global.u32 [%d2], %r1;\nbar.sync 0;\nxor.b32 %r6, %r4, 64;\nmul.wide.u32 %d4, %r6, 4;\n"
     "add.u64 %d4, %d4, %d1;\nld.global.u32 %r7, [%d4];\n",
     REASON_LOAD, 2},
    {"written again after a barrier",
     "ld.global.u32 %r7, [%d1];\nbar.sync 0;\nst.global.u32 [%d1], 5;\n", -1, 1},
    {"written again without one", "ld.global.u32 %r7, [%d1];\nst.global.u32 [%d1], 5;\n",
     REASON_LOAD, 1},
    {"read by both warps, written by the first",
     "setp.eq.u32 %p1, %r3, 0;\nld.global.u32 %r7, [%d1];\n@%p1 st.global.u32 [%d1], 5;\n",
     REASON_LOAD, 1},
    {"read by both warps, written by the second",
     "setp.eq.u32 %p1, %r3, 1;\nld.global.u32 %r7, [%d1];\n@%p1 st.global.u32 [%d1], 5;\n",
     REASON_LOAD, 1},
    {"read by both warps, written by the second after a barrier",
     "setp.eq.u32 %p1, %r3, 1;\nld.global.u32 %r7, [%d1];\nbar.sync 0;\n"
     "@%p1 st.global.u32 [%d1], 5;\n",
     -1, 1},

    {"shared memory after a barrier",
     "st.shared.u32 [%r5], %r1;\nbar.sync 0;\nxor.b32 %r6, %r5, 128;\nld.shared.u32 %r7, [%r6];\n",
     -1, 2},
    {"shared memory without one",
     "st.shared.u32 [%r5], %r1;\nxor.b32 %r6, %r5, 128;\nld.shared.u32 %r7, [%r6];\n", REASON_LOAD,
     2},
    {"shared memory of another CTA is another", "st.shared.u32 [%r5], %r2;\n", -1, 2},
    {"generic addresses of shared memory",
     "cvta.shared.u64 %d4, s;\nmul.wide.u32 %d5, %r1, 4;\nadd.u64 %d4, %d4, %d5;\nst.u32 [%d4], "
     "1;\n"
     "xor.b32 %r6, %r5, 128;\nld.shared.u32 %r7, [%r6];\n",
     REASON_LOAD, 1},

    {"a branch on what a barrier counted",
     "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r6, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
     "@%p2 bra L;\nst.global.u32 [%d2], %r6;\nL:\n",
     -1, 2},

    {"equal values from everyone", "st.global.u32 [%d1], 7;\n", -1, 2},
    {"different values from two CTAs", "st.global.u32 [%d3], %r2;\n", REASON_STORE, 2},
    {"different values from two warps", "st.global.u32 [%d1], %r3;\n", REASON_STORE, 1},
    {"different values in their order",
     "st.global.u32 [%d1], 1;\nbar.sync 0;\nst.global.u32 [%d1], 2;\n", -1, 1},
    {"different halves of a word of eight bytes",
     "mul.wide.u32 %d4, %r1, 8;\nadd.u64 %d4, %d4, %d1;\nmul.wide.u32 %d5, %r2, 4;\n"
     "add.u64 %d4, %d4, %d5;\nst.global.u32 [%d4], %r2;\n",
     -1, 2},

    {"counting", "red.global.add.u32 [%d1], 1;\n", -1, 2},
    {"counting, with a result nobody reads", "atom.global.add.u32 %r6, [%d1], 1;\n", -1, 2},
    {"counting, and asking how far it has come",
     "atom.global.add.u32 %r6, [%d1], 1;\nst.global.u32 [%d2+4096], %r6;\n", REASON_ATOMIC, 2},
    {"asking on a word of its own",
     "atom.global.add.u32 %r6, [%d2], 1;\nst.global.u32 [%d2+4096], %r6;\n", -1, 2},
    {"asking, in shared memory",
     "atom.shared.add.u32 %r6, [s], 1;\nst.global.u32 [%d2+4096], %r6;\n", REASON_ATOMIC, 2},
    {"adding floats", "red.global.add.f32 [%d1], %f1;\n", REASON_ORDER, 2},
    {"adding floats, each its own", "red.global.add.f32 [%d2], %f1;\n", -1, 2},
    {"the largest and a sum",
     "setp.eq.u32 %p1, %r3, 0;\n@%p1 red.global.add.u32 [%d1], 1;\n"
     "@!%p1 red.global.max.u32 [%d1], 100;\n",
     REASON_ORDER, 1},
    {"a sum that is read", "red.global.add.u32 [%d1], 1;\nld.global.u32 %r6, [%d1];\n", REASON_LOAD,
     2},
    {"a sum that is read after a barrier, by one CTA",
     "red.global.add.u32 [%d1], 1;\nbar.sync 0;\nld.global.u32 %r6, [%d1];\n", -1, 1},
    {"a sum and a store", "red.global.add.u32 [%d3], 1;\nst.global.u32 [%d3], 1;\n", REASON_STORE,
     2},
};

static bool write_to(void *file, const void *data, size_t n)
{
    return fwrite(data, 1, n, file) == n;
}

/* Every statistic but those of the host. */
static void add_statistics(const struct heddle_sim *sim, struct strbuf *out)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_stat_at(sim, i);
        if (strncmp(s.name, "host.", 5) != 0)
            strbuf_addf(out, "%s %llu %a\n", s.name, (unsigned long long)s.count, s.real);
    }
}

static void record(const struct dependence *c, struct strbuf *statistics)
{
    char ptx[4096];
    struct heddle_options o = options;
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t buffer;
    snprintf(ptx, sizeof ptx, "%s%sret;\n}\n", prologue, c->body);
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    FILE *file = fopen(path, "wb");
    assert_int_equal(heddle_record(sim, c->name, write_to, file), HEDDLE_OK);
    if (heddle_load(sim, HEDDLE_PTX, "case.ptx", ptx, strlen(ptx), NULL, &module) != HEDDLE_OK)
        fail_msg("%s: %s", c->name, heddle_error(sim));
    heddle_alloc(sim, 8192, "buffer", &buffer);
    struct heddle_arg arg = {.data = &buffer, .bytes = 8};
    struct heddle_launch launch = {.grid = {c->grid}, .block = {64}, .args = &arg, .n_args = 1};
    for (int i = 0; i < 2; i++) /* what another launch did is settled */
        if (heddle_launch(sim, module, "k", &launch) != HEDDLE_OK)
            fail_msg("%s: %s", c->name, heddle_error(sim));
    assert_int_equal(heddle_record_end(sim), HEDDLE_OK);
    add_statistics(sim, statistics);
    heddle_destroy(sim);
    fclose(file);
}

/* Depending on time or not: on its own machine it does the same. */
static void check_replay(const struct dependence *c, const struct strbuf *executed)
{
    struct heddle_options o = options;
    struct heddle_sim *sim;
    struct strbuf replayed = {0};
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    if (heddle_replay(sim, path, false) != HEDDLE_OK)
        fail_msg("%s: %s", c->name, heddle_error(sim));
    add_statistics(sim, &replayed);
    assert_string_equal(strbuf_text(executed), strbuf_text(&replayed));
    strbuf_destroy(&replayed);
    heddle_destroy(sim);
}

static void check(const struct dependence *c)
{
    struct strbuf why = {0};
    bool cannot_read;
    struct trace_reader *r = trace_reader_open(path, &cannot_read, &why);
    assert_non_null(r);
    for (uint32_t i = 0; i < 2; i++) {
        struct trace_launch l;
        struct trace_launch_end end;
        assert_true(trace_reader_launch(r, i, &l, &end, &why));
        for (int k = 0; k < N_TRACE_REASONS; k++)
            if ((end.reasons[k] != NULL) != (k == c->reason))
                fail_msg("%s, launch %u: %s '%s'%s%s", c->name, i + 1,
                         end.reasons[k] ? "found" : "did not find", trace_reason_words[k],
                         end.reasons[k] ? " at " : "", end.reasons[k] ? end.reasons[k] : "");
    }
    trace_reader_close(r);
    strbuf_destroy(&why);
}

static void each_kernel_depends_on_what_it_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf executed = {0};
        record(&cases[i], &executed);
        check(&cases[i]);
        check_replay(&cases[i], &executed);
        strbuf_destroy(&executed);
    }
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/heddle-dependence-%d", (int)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kernel_depends_on_what_it_should)};
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
