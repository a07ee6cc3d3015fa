/* malloc and free in kernels that run on several SMs at once: addresses do not depend on chance,
 * blocks of different threads never overlap, and what one SM frees is free for all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/testbeds.h"

static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, quantum 1", .quantum = 1},
    {.name = "skip, quantum 2, 2 threads", .quantum = 2, .threads = 2},
    {.name = "skip, longest quantum, 3 threads", .threads = 3},
    {.name = "skip, longest quantum, 7 threads", .threads = 7},
    {.name = "cycle", .every_cycle = true},
    {.name = "cycle, 2 threads", .every_cycle = true, .threads = 2},
};
enum { N_MANNERS = sizeof manners / sizeof manners[0] };

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".extern .func (.param .b64 result) malloc(.param .b64 bytes);\n"                              \
    ".extern .func free(.param .b64 address);\n"
#define MALLOC(to, bytes)                                                                          \
    "{ .param .b64 x; .param .b64 y; st.param.b64 [x], " bytes "; call (y), malloc, (x); "         \
    "ld.param.b64 " to ", [y]; }\n"
#define FREE(p) "{ .param .b64 x; st.param.b64 [x], " p "; call free, (x); }\n"

/* Each thread takes ROUNDS blocks of 16 to 61 bytes, writes its number into each, keeps every other
 * one, and leaves addresses, sizes and what it finds in the blocks at the end. */
enum { CTAS = 6, THREADS = 40, ROUNDS = 4, RECORD_WORDS = 4 };
static const char takes_and_gives[] = HEAD
    ".entry k(.param .u64 p)\n{ .reg .pred %q; .reg .b32 %g, %t, %i, %v; .reg .b64 %o, %n, %a, "
    "%b;\n"
    ".local .align 8 .b8 mine[32]; .reg .b32 %l;\n"
    "mov.u32 %g, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %g, %g, 40, %t;\n"
    "ld.param.u64 %o, [p]; mul.wide.u32 %a, %g, 64; add.u64 %o, %o, %a; mov.u32 %i, 0;\n"
    "mov.u32 %l, mine;\n"
    "TAKE: add.u32 %v, %g, %i; and.b32 %v, %v, 3; mad.lo.u32 %v, %v, 15, 16;\n"
    "cvt.u64.u32 %n, %v;\n" MALLOC(
        "%a",
        "%n") "st.u32 [%a], %g; st.u32 [%a+12], %g; st.local.u64 [%l], %a; add.u32 %l, %l, 8;\n"
              "st.global.u64 [%o], %a; st.global.u32 [%o+8], %v; add.u64 %o, %o, 16;\n"
              "add.u32 %v, %g, %i; and.b32 %v, %v, 1; setp.eq.u32 %q, %v, 0; @%q bra KEPT;\n" FREE(
                  "%a") "st.local.u64 [%l+-8], 0;\n"
                        "KEPT: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 4; @%q bra TAKE;\n"
                        "LOOK: sub.u32 %l, %l, 8; sub.u64 %o, %o, 16; ld.local.u64 %b, [%l]; "
                        "setp.eq.u64 %q, %b, 0;\n"
                        "mov.u32 %v, -1; @%q bra GONE; ld.u32 %v, [%b+12];\n"
                        "GONE: st.global.u32 [%o+12], %v; sub.u32 %i, %i, 1; setp.ne.u32 %q, %i, "
                        "0; @%q bra LOOK;\n"
                        "ret; }\n";

struct record {
    uint64_t address;
    uint32_t bytes, found;
};

static int by_address(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* What was kept holds its owner's number, and does not overlap others that were kept. */
static void check_records(const struct strbuf *contents)
{
    enum { N = CTAS * THREADS * ROUNDS };
    static struct record records[N], kept[N];
    uint32_t n_kept = 0;
    assert_int_equal(contents->len, sizeof records);
    memcpy(records, contents->text, sizeof records);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t owner = i / ROUNDS, round = i % ROUNDS;
        bool is_kept = (owner + round) % 2 == 0;
        assert_int_equal(records[i].bytes, (owner + round) % 4 * 15 + 16);
        assert_int_equal(records[i].found, is_kept ? owner : UINT32_MAX);
        if (is_kept)
            kept[n_kept++] = records[i];
    }
    qsort(kept, n_kept, sizeof kept[0], by_address);
    for (uint32_t i = 1; i < n_kept; i++)
        assert_true(kept[i - 1].address + kept[i - 1].bytes <= kept[i].address);
}

static void addresses_do_not_depend_on_how_it_is_run(void **state)
{
    (void)state;
    const struct kernel_buffer out = {CTAS * THREADS * ROUNDS * 16, NULL, true};
    const struct kernel_launch launch = {"k", CTAS, THREADS};
    struct kernel_case k = {"heap.ptx", takes_and_gives, &out, 1, &launch, 1, 5000000};
    for (uint32_t b = 0; b < N_TESTBEDS; b++) {
        struct strbuf first = {0}, other = {0}, contents = {0}, why = {0};
        assert_int_equal(run_kernel_case(&k, &testbeds[b], &manners[0], &contents, &why),
                         HEDDLE_OK);
        check_records(&contents);
        assert_int_equal(observe_kernel(&k, &testbeds[b], &manners[0], &first), HEDDLE_OK);
        for (uint32_t i = 1; i < N_MANNERS; i++) {
            strbuf_clear(&other);
            observe_kernel(&k, &testbeds[b], &manners[i], &other);
            if (!observations_agree(&first, &other, &why))
                fail_msg("'%s', %s:\n%s", testbeds[b].name, manners[i].name, strbuf_text(&why));
        }
        strbuf_destroy(&first);
        strbuf_destroy(&other);
        strbuf_destroy(&contents);
        strbuf_destroy(&why);
    }
}

/* Every manner reports the same fault, with these words in it. */
static void expect_fault(const char *ptx, uint32_t ctas, const char *const *parts)
{
    const struct kernel_buffer buffer = {256, NULL, false};
    const struct kernel_launch launch = {"k", ctas, 1};
    struct kernel_case k = {"heap.ptx", ptx, &buffer, 1, &launch, 1, 5000000};
    for (uint32_t b = 0; b < N_TESTBEDS; b++) {
        struct strbuf first = {0}, other = {0}, why = {0};
        for (uint32_t i = 0; i < N_MANNERS; i++) {
            strbuf_clear(&other);
            assert_int_equal(observe_kernel(&k, &testbeds[b], &manners[i], i ? &other : &first),
                             HEDDLE_KERNEL_FAULT);
            if (i && !observations_agree(&first, &other, &why))
                fail_msg("'%s', %s:\n%s", testbeds[b].name, manners[i].name, strbuf_text(&why));
        }
        for (uint32_t i = 0; parts[i]; i++)
            if (!strstr(strbuf_text(&first), parts[i]))
                fail_msg("no '%s' in:\n%s", parts[i], strbuf_text(&first));
        strbuf_destroy(&first);
        strbuf_destroy(&other);
        strbuf_destroy(&why);
    }
}

/* CTA 0 takes a block and says where; CTA 1 reads it and says so; CTA 0 frees it and says so; CTA
 * 1, whose load remembers where it was last, reads again. */
static void what_another_sm_freed_is_gone(void **state)
{
    (void)state;
    expect_fault(
        HEAD
        ".entry k(.param .u64 p)\n{ .reg .pred %q; .reg .b32 %c, %v; .reg .b64 %o, %a;\n"
        "ld.param.u64 %o, [p]; mov.u32 %c, %ctaid.x; setp.ne.u32 %q, %c, 0; @%q bra "
        "READER;\n" MALLOC("%a", "64") "st.volatile.global.u64 [%o], %a;\n"
                                       "AWAIT: ld.volatile.global.u32 %v, [%o+8]; setp.eq.u32 %q, "
                                       "%v, 0; @%q bra AWAIT;\n" FREE(
                                           "%a") "st.volatile.global.u32 [%o+16], 1; ret;\n"
                                                 "READER: ld.volatile.global.u64 %a, [%o]; "
                                                 "setp.eq.u64 %q, %a, 0; @%q bra READER;\n"
                                                 "AGAIN: ld.volatile.global.u32 %c, [%o+16];\n"
                                                 "ld.global.u32 %v, [%a];\n" /* line 16 */
                                                 "st.volatile.global.u32 [%o+8], 1; setp.eq.u32 "
                                                 "%q, %c, 0; @%q bra AGAIN; ret; }\n",
        2,
        (const char *const[]){"bad access: 4-byte load from global", "heap.ptx:16", "CTA 1,0,0",
                              NULL});
}

/* All free the same block; the first of them by SM and order of issue is right, the next one is
 * not. */
static void a_block_is_freed_once(void **state)
{
    (void)state;
    expect_fault(
        HEAD ".entry k(.param .u64 p)\n{ .reg .pred %q; .reg .b32 %c; .reg .b64 %o, %a;\n"
             "ld.param.u64 %o, [p]; mov.u32 %c, %ctaid.x; setp.ne.u32 %q, %c, 0; @%q bra "
             "SHARE;\n" MALLOC("%a", "64") "st.volatile.global.u64 [%o], %a;\n"
                                           "SHARE: ld.volatile.global.u64 %a, [%o]; setp.eq.u64 "
                                           "%q, %a, 0; @%q bra SHARE;\n" FREE("%a") "ret; }\n",
        4, (const char *const[]){"which malloc did not return", "heap.ptx:12", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_do_not_depend_on_how_it_is_run),
        cmocka_unit_test(what_another_sm_freed_is_gone),
        cmocka_unit_test(a_block_is_freed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
