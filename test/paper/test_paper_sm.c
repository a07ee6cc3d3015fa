/* What an SM tells the mechanisms of the papers, and when: small kernels on a machine with one SM.
 * Expectations are derived from the sentences above them.
 * S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018. S3 = S.-Y. Lee: Intelligent scheduling and memory management
 * techniques for modern GPU architectures. PhD thesis, Arizona State University 2017. S4 = T. G.
 * Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012. */
#include "behaviour/probe/probe.h"
#include "crit/criticality.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The kernel runs twice: the first launch brings its instructions. */
static struct probe open_kernel(const char *const *more, const char *body)
{
    static const char *settings[16] = {"n_sms=1", "sm.n_schedulers=1", "sm.fetch_insts=8",
                                       "sm.ibuffer_entries=8"};
    uint32_t n = 4;
    do
        settings[n] = *more;
    while (*more++ && ++n);
    char text[2048];
    snprintf(text, sizeof text,
             ".version 6.0\n.target sm_30\n.address_size 64\n"
             ".global .align 128 .b8 data[1024];\n"
             ".visible .entry k()\n{\n.local .align 4 .b8 own[16];\n.reg .pred %%q;\n"
             ".reg .u32 %%x, %%y, %%z;\n.reg .u64 %%p, %%o;\n%s}\n",
             body);
    return probe_open_text("gtx480", settings, text);
}

static struct sm *sm_of(const struct probe *p)
{
    return machine_sm(p->sim->machine, 0);
}

static void run(struct probe *p, uint32_t n_threads)
{
    sm_of(p)->fetch.last = (n_threads + 31) / 32 - 1; /* the next fetch is warp 0's */
    probe_launch(p, "k", 1, n_threads, 0, NULL);
}

/* Each warp loads a line of its own. */
#define OWN_LINE                                                                                   \
    "mov.u32 %x, %tid.x;\nshl.b32 %x, %x, 2;\ncvt.u64.u32 %o, %x;\nmov.u64 %p, data;\n"            \
    "add.u64 %p, %p, %o;\n"

/* --- S3 4.2.1: CPL --- */

/* Algorithm 5 of a warp: PC_1 branches to PC_4, and the paths meet at PC_5. */
static uint64_t insts_ahead(const char *condition)
{
    char body[512];
    snprintf(body, sizeof body,
             "mov.u32 %%x, %%tid.x;\n%s\n@%%q bra L2;\nadd.u32 %%y, %%x, 1;\nbra L3;\n"
             "L2:\nsub.u32 %%y, %%x, 1;\nL3:\nmov.u32 %%z, %%y;\nret;\n",
             condition);
    struct probe p = open_kernel(SETTINGS("scheduler=gcaws"), body);
    run(&p, 32);
    uint64_t n = probe_count(&p, "criticality.branch_insts");
    probe_close(&p);
    return n;
}

/* "If branch divergence occurs at PC_1 for a particular warp, the warp has to run through all three
 * instructions (PC_2, PC_3, and PC_4). On the other hand, there is no branch divergence and [...]
 * the warp will execute either one (PC_4) or two (PC_2 and PC_3) instructions." */
static void cpl_learns_of_branches(void **state)
{
    (void)state;
    assert_int_equal(insts_ahead("setp.ge.u32 %q, %x, 32;"), 2);
    assert_int_equal(insts_ahead("setp.lt.u32 %q, %x, 32;"), 1);
    assert_int_equal(insts_ahead("setp.lt.u32 %q, %x, 16;"), 3);
}

/* Algorithm 6: the stalls "between executing two consecutive instructions". The warp has its
 * instructions in cycle 1. A move can be used 5 cycles after its issue, the result of an addition
 * or comparison 6; the return waits for all results. The first warp issues in cycles 1, 6 and 12,
 * the second one in cycles 1, 6, 12 and 13: both stall for 1, 4 and 5 cycles. */
static void cpl_learns_when_a_warp_issues(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mov.u32 %x, 1;\nadd.u32 %x, %x, 1;\nret;\n",
        "mov.u32 %x, 1;\nsetp.eq.u32 %q, %x, 1;\n@%q bra L;\nL:\nret;\n"};
    for (int i = 0; i < 2; i++) {
        struct probe p = open_kernel(SETTINGS("scheduler=gcaws"), bodies[i]);
        run(&p, 32);
        uint64_t before = probe_count(&p, "criticality.stall_cycles");
        run(&p, 32);
        assert_int_equal(probe_count(&p, "criticality.stall_cycles") - before, 1 + 4 + 5);
        probe_close(&p);
    }
}

/* "CPL also decrements the criticality counter whenever an instruction is committed": of each warp,
 * for loads too. When a warp without branches has ended, nInst is -n and n instructions have issued
 * in n + nStall cycles: Equation 4.1 gives -n * (n + nStall) / n + nStall = -n. */
static void cpl_learns_of_commits(void **state)
{
    (void)state;
    enum { N_WARPS = 2, N_INSTS = 8 };
    struct probe p = open_kernel(SETTINGS("scheduler=gcaws", "criticality.waiting=nothing"),
                                 OWN_LINE "ld.global.u32 %y, [%p];\nadd.u32 %z, %y, 1;\nret;\n");
    run(&p, 32 * N_WARPS);
    const struct criticality *c = sm_of(&p)->criticality;
    for (uint32_t w = 0; w < N_WARPS; w++)
        assert_int_equal(c->desc->value(c, w, 1u << 30), -N_INSTS);
    probe_close(&p);
}

/* --- S3 4.2.3: CACP --- */

static bool is_odd(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)c, (void)now;
    return warp % 2;
}

static int64_t odd_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    return is_odd(c, warp, now);
}

static uint64_t no_cost(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0;
}

static const struct criticality_desc odd_warps = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "odd_warps",
    .summary = "odd warps are critical",
    .citation = "this test",
    .cost_bits = no_cost,
    .value = odd_value,
    .is_critical = is_odd,
};

static struct cache_policy_desc watched_cacp, watched_dlp;
static uint32_t n_uses[2], n_uses_critical[2]; /* of even and odd warps */
static uint64_t n_thread_insts;

static void note_use(const struct mem_access *a)
{
    n_uses[a->warp_slot % 2]++;
    n_uses_critical[a->warp_slot % 2] += a->is_critical;
}

static void note_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     const struct mem_access *a)
{
    note_use(a);
    cache_policy_find("cacp")->on_hit(p, s, way, a);
}

static void note_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a)
{
    note_use(a);
    cache_policy_find("cacp")->on_merge(p, s, way, a);
}

/* Algorithm 8, line 8: "if IsCriticalWarp(req.WarpID)": of the warp whose request hits. Of four
 * warps the odd ones are critical. Each loads its line, merges with that load and hits it. */
static void cacp_learns_which_warp_hits(void **state)
{
    (void)state;
    struct probe p = open_kernel(
        SETTINGS("scheduler=lrr", "criticality=odd_warps", "l1d.policy=watched_cacp"),
        OWN_LINE "ld.global.u32 %x, [%p];\nld.global.u32 %y, [%p];\nadd.u32 %z, %x, %y;\n"
                 "ld.global.u32 %y, [%p];\nadd.u32 %z, %y, 1;\nret;\n");
    memset(n_uses, 0, sizeof n_uses);
    memset(n_uses_critical, 0, sizeof n_uses_critical);
    run(&p, 4 * 32);
    assert_memory_equal(n_uses, ((uint32_t[]){4, 4}), sizeof n_uses);
    assert_memory_equal(n_uses_critical, ((uint32_t[]){0, 4}), sizeof n_uses_critical);
    probe_close(&p);
}

/* --- S2 4.1.4: DLP --- */

static bool note_insts(struct cache_policy *p, uint64_t n)
{
    n_thread_insts += n;
    return cache_policy_find("dlp")->on_insts(p, n);
}

/* "The number of instructions executed" that ends a sample is of threads (ours: S2 counts IPC so):
 * 40 threads, a warp and a quarter, run four instructions, and 8 of the first warp one more. */
static void dlp_counts_the_instructions_of_threads(void **state)
{
    (void)state;
    struct probe p = open_kernel(SETTINGS("scheduler=lrr", "l1d.policy=watched_dlp"),
                                 "mov.u32 %x, %tid.x;\nsetp.lt.u32 %q, %x, 8;\n"
                                 "@%q add.u32 %y, %x, 1;\nadd.u32 %z, %x, 1;\nret;\n");
    n_thread_insts = 0;
    run(&p, 40);
    assert_int_equal(n_thread_insts, 4 * 40 + 8);
    probe_close(&p);
}

/* --- S4 3.2 and 5.1 --- */

static struct issue_trace trace;

/* The warps in the order in which they issued. */
static const char *order_of_issue(struct probe *p, uint32_t n_warps)
{
    static char order[64];
    run(p, 32 * n_warps);
    probe_trace(p, &trace);
    run(p, 32 * n_warps);
    assert_true(trace.n < sizeof order);
    for (uint32_t i = 0; i < trace.n; i++)
        order[i] = (char)('0' + trace.items[i].slot);
    order[trace.n] = '\0';
    return order;
}

/* "SWL limits the number of wavefronts running until a barrier, allows the rest of the work-group
 * to reach the barrier, then continues with the same multithreading constraints": whichever warp is
 * there first. One may run, and 0 is older. */
static void swl_learns_who_is_at_the_barrier(void **state)
{
    (void)state;
    struct probe p = open_kernel(SETTINGS("scheduler=swl", "scheduler.limit=1"),
                                 "mov.u32 %x, 1;\nbar.sync 0;\nret;\n");
    assert_string_equal(order_of_issue(&p, 2), "001101");
    probe_close(&p);
}

/* "Executes from only one fetch group until all wavefronts in that group are stalled": by memory,
 * so that the second of two groups loads before the first one goes on. */
static void two_level_learns_of_waits_for_memory(void **state)
{
    (void)state;
    struct probe p = open_kernel(
        SETTINGS("scheduler=two_level", "scheduler.group_size=2"),
        "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nadd.u32 %y, %x, 1;\nmembar.cta;\nret;\n");
    const char *order = order_of_issue(&p, 4);
    char others = order[0] < '2' ? '2' : '0'; /* a warp of the other group */
    const char *first = strchr(order, others);
    assert_int_equal(first - order, 2 * 2); /* the moves and loads of two warps */
    probe_close(&p);
}

static struct scheduler_desc watched_lrr;
static enum issue_class class_at[32]; /* by PC */

static void note_class(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                       uint32_t pc, uint64_t now)
{
    class_at[pc] = class;
    scheduler_find("lrr")->on_issue(s, slot, warp, class, pc, now);
}

/* 3.3.4: the cutoff is of "wavefronts attempting to issue loads". Ours: loads of local memory are
 * loads, as they go through L1D too; stores, and loads of shared memory and parameters, are not. */
static void ccws_learns_which_instructions_are_loads(void **state)
{
    (void)state;
    struct probe p = open_kernel(SETTINGS("scheduler=watched_lrr"),
                                 "mov.u64 %p, data;\nld.global.u32 %x, [%p];\nmov.u64 %o, own;\n"
                                 "st.local.u32 [%o], %x;\nld.local.u32 %y, [%o];\n"
                                 "st.global.u32 [%p], %y;\nret;\n");
    run(&p, 32);
    static const bool is_load[] = {false, true, false, false, true, false, false};
    for (uint32_t pc = 0; pc < sizeof is_load / sizeof is_load[0]; pc++)
        assert_int_equal(class_at[pc] == ISSUE_LOAD, is_load[pc]);
    probe_close(&p);
}

/* Copies of mechanisms that note what the SM tells them. */
static int register_watched(void **state)
{
    (void)state;
    struct strbuf why = {0};
    watched_cacp = *cache_policy_find("cacp");
    watched_cacp.name = "watched_cacp";
    watched_cacp.on_hit = note_hit;
    watched_cacp.on_merge = note_merge;
    watched_cacp.hit_effect = NULL; /* no hit is left out */
    watched_dlp = *cache_policy_find("dlp");
    watched_dlp.name = "watched_dlp";
    watched_dlp.on_insts = note_insts;
    watched_lrr = *scheduler_find("lrr");
    watched_lrr.name = "watched_lrr";
    watched_lrr.on_issue = note_class;
    watched_lrr.pick_and_issue = NULL;
    bool done = criticality_register(&odd_warps, &why) &&
                cache_policy_register(&watched_cacp, &why) &&
                cache_policy_register(&watched_dlp, &why) && scheduler_register(&watched_lrr, &why);
    if (!done)
        print_error("%s\n", strbuf_text(&why));
    strbuf_destroy(&why);
    return done ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpl_learns_of_branches),
        cmocka_unit_test(cpl_learns_when_a_warp_issues),
        cmocka_unit_test(cpl_learns_of_commits),
        cmocka_unit_test(cacp_learns_which_warp_hits),
        cmocka_unit_test(dlp_counts_the_instructions_of_threads),
        cmocka_unit_test(swl_learns_who_is_at_the_barrier),
        cmocka_unit_test(two_level_learns_of_waits_for_memory),
        cmocka_unit_test(ccws_learns_which_instructions_are_loads),
    };
    return cmocka_run_group_tests(tests, register_watched, NULL);
}
