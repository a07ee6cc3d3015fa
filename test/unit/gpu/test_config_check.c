/* Values that do not go together: on both sides of every edge, the machine is built or the message
 * names parameters, values, what is allowed, and the place where the value was set. Messages are
 * written out: they are what a user has to work with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/machine_config.h"
#include "unit/random_bits.h"

enum { MAX_WORDS = 4 };

/* True if the machine can be built; messages go to `text`. */
static bool builds(const char *gpu, const char *const *words, struct strbuf *text)
{
    struct diag_list diags = {0};
    uint32_t n = 0;
    while (n < MAX_WORDS && words[n])
        n++;
    struct machine_config *c = machine_config_load(gpu, words, n, &diags);
    strbuf_clear(text);
    diag_format(&diags, text);
    bool ok = c != NULL;
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    return ok;
}

static void assert_refused(const char *gpu, const char *const *words, const char *want)
{
    struct strbuf text = {0};
    if (builds(gpu, words, &text))
        fail_msg("%s %s is accepted, expected: %s", gpu, words[0], want);
    if (!strstr(strbuf_text(&text), want))
        fail_msg("expected '%s' in: %s", want, strbuf_text(&text));
    strbuf_destroy(&text);
}

struct edge {
    const char *gpu;
    const char *good[MAX_WORDS], *bad[MAX_WORDS];
    const char *message;
};

static void walk_edges(const struct edge *edges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct strbuf text = {0};
        if (!builds(edges[i].gpu, edges[i].good, &text))
            fail_msg("%s: %s", edges[i].good[0], strbuf_text(&text));
        assert_refused(edges[i].gpu, edges[i].bad, edges[i].message);
        strbuf_destroy(&text);
    }
}

/* gtx480: t_ras 28, t_rp 12, t_rc 40, t_rcd 12, t_rrd 6, t_ccd 2, t_ccdl 3, bursts of 2 cycles, 16
 * banks in 4 groups. */
static void dram_timing_is_as_a_data_sheet_could_have_it(void **state)
{
    (void)state;
    static const struct edge edges[] = {
        {"gtx480",
         {"dram.t_rc=40"},
         {"dram.t_rc=39"},
         "--set dram.t_rc=39: error: dram.t_rc (39) must be at least dram.t_ras + dram.t_rp "
         "(28 + 12)"},
        {"gtx480",
         {"dram.t_rp=12"},
         {"dram.t_rp=13"},
         "--set dram.t_rp=13: error: dram.t_rc (40) must be at least dram.t_ras + dram.t_rp "
         "(28 + 13)"},
        {"gtx480",
         {"dram.t_ras=27"},
         {"dram.t_ras=29"},
         "--set dram.t_ras=29: error: dram.t_rc (40) must be"},
        {"gtx480",
         {"dram.t_rcd=28"},
         {"dram.t_rcd=29"},
         "--set dram.t_rcd=29: error: dram.t_ras (28) must be at least dram.t_rcd (29)"},
        {"gtx480",
         {"dram.t_rrd=40"},
         {"dram.t_rrd=41"},
         "--set dram.t_rrd=41: error: dram.t_rc (40) must be at least dram.t_rrd (41)"},
        {"gtx480",
         {"dram.t_ccd=2"},
         {"dram.t_ccd=1"},
         "--set dram.t_ccd=1: error: dram.t_ccd (1) must be at least dram.burst_cycles (2)"},
        {"gtx480",
         {"dram.t_ccdl=2"},
         {"dram.t_ccdl=1"},
         "--set dram.t_ccdl=1: error: dram.t_ccdl (1) must be at least dram.t_ccd (2)"},
        {"gtx480",
         {"dram.n_bank_groups=2"},
         {"dram.n_bank_groups=3"},
         "--set dram.n_bank_groups=3: error: dram.n_bank_groups (3) must divide dram.n_banks (16)"},
        /* Without groups, t_ccdl does not count. */
        {"gtx480",
         {"dram.t_ccdl=1", "dram.n_bank_groups=1"},
         {"dram.t_ccdl=0"},
         "--set dram.t_ccdl=0: error: dram.t_ccdl (0)"},
    };
    walk_edges(edges, sizeof edges / sizeof edges[0]);
}

static void lines_sectors_and_pieces_fit(void **state)
{
    (void)state;
    static const struct edge edges[] = {
        {"gtx480",
         {"l1d.line_bytes=64", "l1d.sector_bytes=64"},
         {"l1d.line_bytes=64"},
         "--set l1d.line_bytes=64: error: l1d.sector_bytes (128) must not be more than "
         "l1d.line_bytes (64)\nconfigs/gtx480.yaml:94:17: note: l1d.sector_bytes is 128 here\n"},
        {"gtx480",
         {"l1d.sector_bytes=64"},
         {"l1d.sector_bytes=96"},
         "--set l1d.sector_bytes=96: error: l1d.sector_bytes (96) must be a power of two"},
        {"gtx480",
         {"l1d.line_bytes=128"},
         {"l1d.line_bytes=96"},
         "--set l1d.line_bytes=96: error: l1d.line_bytes (96) must be a power of two"},
        {"v100",
         {"l1d.n_sets=32", "sm.carveout=none"},
         {"l1d.n_sets=24"},
         "--set l1d.n_sets=24: error: l1d.n_sets (24) must be a power of two where l1d.index is "
         "hash\n"},
        {"gtx480",
         {"l1i.line_bytes=64", "l1i.sector_bytes=64"},
         {"l1i.sector_bytes=64"},
         "--set l1i.sector_bytes=64: error: l1i.sector_bytes (64) must equal l1i.line_bytes (128): "
         "its "
         "lines have no sectors"},
        {"gtx480",
         {"l1c.policy=lru"},
         {"l1c.policy=fifo"},
         "--set l1c.policy=fifo: error: l1c.policy (fifo): l1c supports only lru"},
        {"v100",
         {"l2.line_bytes=128"},
         {"l2.line_bytes=64"},
         "--set l2.line_bytes=64: error: l1d.line_bytes (128) must not be more than "
         "l2.line_bytes (64)"},
        {"gtx480",
         {"memory.interleave_bytes=384"},
         {"memory.interleave_bytes=320"},
         "--set memory.interleave_bytes=320: error: memory.interleave_bytes (320) must be a "
         "multiple of l2.line_bytes (128)"},
        {"gtx480",
         {"dram.bank_interleave_bytes=0"},
         {"dram.bank_interleave_bytes=64"},
         "dram.bank_interleave_bytes (64) must be a multiple of l2.line_bytes (128)"},
        {"gtx480",
         {"dram.row_bytes=1280"},
         {"dram.row_bytes=1000"},
         "dram.row_bytes (1000) must be a multiple of l2.line_bytes (128)"},
        {"gtx480",
         {"sm.bypass_bytes=128"},
         {"sm.bypass_bytes=64"},
         "--set sm.bypass_bytes=64: error: sm.bypass_bytes (64) must be 32 or l1d.line_bytes "
         "(128)"},
    };
    walk_edges(edges, sizeof edges / sizeof edges[0]);
}

static void the_rest_of_a_machine_fits(void **state)
{
    (void)state;
    static const struct edge edges[] = {
        {"gtx480",
         {"sm.coalesce_lanes=16"},
         {"sm.coalesce_lanes=12"},
         "--set sm.coalesce_lanes=12: error: sm.coalesce_lanes (12) must be 8, 16 or 32"},
        {"gtx480",
         {"sm.inst_bytes=16"},
         {"sm.inst_bytes=12"},
         "--set sm.inst_bytes=12: error: sm.inst_bytes (12) must be 4, 8 or 16"},
        {"gtx480",
         {"warps_per_sm=64"},
         {"warps_per_sm=65"},
         "--set warps_per_sm=65: error: warps_per_sm (65): the cycle-level machine supports at "
         "most "
         "64"},
        {"gtx480",
         {"ctas_per_sm=32"},
         {"ctas_per_sm=33"},
         "--set ctas_per_sm=33: error: ctas_per_sm (33): the cycle-level machine supports at most "
         "32"},
        {"v100",
         {"memory.n_partitions=32"},
         {"memory.n_partitions=48"},
         "--set memory.n_partitions=48: error: memory.n_partitions (48) must be a power of two "
         "where memory.hash_partitions is true"},
        {"gtx480",
         {"memory.hash_partitions=true", "memory.n_partitions=8"},
         {"memory.hash_partitions=true"},
         "--set memory.hash_partitions=true: error: memory.n_partitions (6) must be a power of "
         "two"},
        {"gtx480",
         {"l1d.policy=plru"},
         {"l1d.policy=plru", "l1d.n_ways=3"},
         "--set l1d.n_ways=3: error: l1d.policy: policy plru"},
        {"gtx480",
         {"sm.carveout=0,4K"},
         {"sm.carveout=0,5K"},
         "--set sm.carveout=0,5K: error: sm.carveout (0,5K): 5120 bytes of shared memory are not "
         "whole ways"},
        {"v100",
         {"l1d.n_ways=32", "sm.carveout=none"},
         {"l1d.n_ways=32"},
         "--set l1d.n_ways=32: error: sm.carveout (0,8K,16K,32K,64K,96K): 65536 bytes of shared "
         "memory leave no way"},
        {"gtx480",
         {"noc.header_bytes=1"},
         {"noc.header_bytes=0"}, /* a request would be nothing at all */
         "--set noc.header_bytes=0: error: noc.header_bytes: 0 is out of range, it may be 1 to"},
        {"gtx480",
         {"noc.buffer_flits=5"},
         {"noc.buffer_flits=4"},
         "--set noc.buffer_flits=4: error: noc.buffer_flits: a buffer of 4 flits is too small for"},
    };
    walk_edges(edges, sizeof edges / sizeof edges[0]);
}

/* In a file, too, a mistake has its place. */
static void mistakes_in_a_file_have_line_and_column(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-gpu-XXXXXX.yaml", want[512];
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "base: gtx480\n"
                            "scheduler: gta\n"
                            "l1d: {policy: lur}\n"
                            "l2.policy: xyzzy\n") > 0);
    struct strbuf text = {0};
    assert_false(builds(path, (const char *const[MAX_WORDS]){NULL}, &text));
    snprintf(want, sizeof want,
             "%s:2:12: error: scheduler: there is no scheduler 'gta'\n    scheduler: gta\n"
             "               ^\n  hint: did you mean 'gto'? there are lrr, gto,",
             path);
    assert_non_null(strstr(strbuf_text(&text), want));
    snprintf(want, sizeof want, "%s:3:15: error: l1d.policy: there is no cache policy 'lur'\n",
             path);
    assert_non_null(strstr(strbuf_text(&text), want));
    snprintf(want, sizeof want, "%s:4:12: error: l2.policy: there is no cache policy 'xyzzy'\n",
             path);
    assert_non_null(strstr(strbuf_text(&text), want));
    remove(path);
    close(fd);
    strbuf_destroy(&text);
}

static void parameters_of_mechanisms_that_are_not_in_use_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *words[MAX_WORDS], *hint;
    } cases[] = {
        {{"scheduler.limit=3"},
         "there is no parameter 'scheduler.limit'\n  hint: scheduler is gto, which has no "
         "parameter "
         "'limit'; one is in swl; gto has none\n"},
        {{"scheduler=swl", "scheduler.limt=3"},
         "hint: did you mean 'scheduler.limit'? scheduler is swl, which has no parameter 'limt'; "
         "swl has scheduler.limit\n"},
        {{"swl.limit=3"},
         "hint: parameters of scheduler swl begin with scheduler: swl has scheduler.limit; "
         "scheduler is gto\n"},
        {{"atomics.unit=at_l3"},
         "--set atomics.unit=at_l3: error: atomics.unit: there is no atomics unit 'at_l3'\n  hint: "
         "did "
         "you mean 'at_l2'?"},
        {{"atomics.limit=3"},
         "there is no parameter 'atomics.limit'\n  hint: atomics.unit is at_l2, which has no "
         "parameter 'limit'"},
        {{"scheduler=swl", "swl.limit=3"},
         "hint: parameters of scheduler swl begin with scheduler: swl has scheduler.limit\n"},
        {{"l1d.policy.pd_max=3"},
         "hint: l1d.policy is lru, which has no parameter 'pd_max'; one is in "},
        {{"l2.drop=demote"},
         "hint: l2.policy is lru, which has no parameter 'drop'; one is in write_buffering; lru"},
        {{"l2.policy.seed=3"}, "hint: l2.policy is lru, which has no parameter 'seed'; one is in "},
        {{"criticality.file=x"},
         "hint: criticality is none, which has no parameter 'file'; one is in oracle; none has "
         "none\n"},
        {{"dlp.pd_max=3"}, "hint: parameters of cache policy dlp begin with l1d.policy: dlp has "},
        /* What has nothing to do with mechanisms is looked for by its spelling. */
        {{"dram.t_rass=3"}, "hint: did you mean 'dram.t_ras'?\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused("gtx480", cases[i].words, cases[i].hint);
    struct strbuf text = {0};
    assert_true(builds(
        "gtx480", (const char *const[MAX_WORDS]){"scheduler=swl", "scheduler.limit=3"}, &text));
    assert_string_equal(strbuf_text(&text), "");
    strbuf_destroy(&text);
}

/* A value that the row allows: an end of its range, next to one, or anything between. */
static const char *random_value(const struct param *p, uint64_t *state, struct arena *arena)
{
    uint64_t r = random_u64(state), span = p->max - p->min;
    uint64_t number = p->min + (span == UINT64_MAX ? r : r % (span + 1));
    switch (random_u64(state) % 4) {
    case 0:
        number = p->min;
        break;
    case 1:
        number = p->max;
        break;
    case 2: /* where most of the edges between parameters are */
        number = p->min + (span < 64 ? r % (span + 1) : r % 64);
        break;
    }
    switch (p->type) {
    case PARAM_TYPE_BOOL:
        return r % 2 ? "true" : "false";
    case PARAM_TYPE_ENUM:
        return p->choices[r % 2]; /* all have two at least */
    case PARAM_TYPE_STRING:
        return NULL;
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64:
        break;
    }
    return arena_printf(arena, "%llu", (unsigned long long)number);
}

/* The shipped GPUs are sound. So whatever does not go together, words are to blame for it: no
 * message may stand at a line of the shipped file, or nowhere. */
static void mistakes_of_words_are_never_blamed_on_the_file(void **state)
{
    (void)state;
    struct diag_list none = {0};
    struct machine_config *sample = machine_config_load("gtx480", NULL, 0, &none);
    const struct param_set *set = &sample->gpu->params;
    uint64_t random = 20120612;
    uint32_t n_refused = 0, n_built = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        struct diag_list diags = {0};
        const char *words[MAX_WORDS];
        uint32_t n = 0;
        for (uint32_t k = random_u64(&random) % MAX_WORDS + 1; n < k;) {
            const struct bound_param *b = &set->items[random_u64(&random) % set->n];
            const char *value = random_value(b->param, &random, &diags.arena);
            if (value)
                words[n++] = arena_printf(&diags.arena, "%s=%s", b->name, value);
        }
        const char *gpu = gpu_names[random_u64(&random) % n_gpu_names];
        struct machine_config *c = machine_config_load(gpu, words, n, &diags);
        n_built += c != NULL;
        n_refused += c == NULL;
        for (uint32_t k = 0; k < diags.n; k++)
            if (diags.items[k].severity != DIAG_NOTE &&
                (!diags.items[k].file || strncmp(diags.items[k].file, "--set ", 6) != 0))
                fail_msg("%s %s: %s", gpu, words[0], diags.items[k].message);
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
    print_message("%u machines were built, %u refused\n", n_built, n_refused);
    assert_true(n_built > 200 && n_refused > 200);
    machine_config_destroy(sample);
    diag_list_destroy(&none);
}

static const char *policy_of(const char *yaml, const char *const *words)
{
    char path[] = "/tmp/heddle-gpu-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "%s", yaml) > 0);
    struct diag_list diags = {0};
    uint32_t n = 0;
    while (n < MAX_WORDS && words[n])
        n++;
    struct machine_config *c = machine_config_load(path, words, n, &diags);
    assert_non_null(c);
    const char *name = c->l1d_policy->name;
    assert_string_equal(name, c->sm.l1d.policy);
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    remove(path);
    close(fd);
    return name;
}

/* CAWA brings CACP, unless the user chooses another. */
static void a_scheduler_brings_its_policy_unless_told_otherwise(void **state)
{
    (void)state;
    static const char *const none[MAX_WORDS] = {NULL}, *const cawa[MAX_WORDS] = {"scheduler=cawa"},
                             *const fifo[MAX_WORDS] = {"l1d.policy=fifo"};
    assert_string_equal(policy_of("base: gtx480-cawa\n", none), "lru");
    assert_string_equal(policy_of("base: gtx480-cawa\n", cawa), "cacp");
    assert_string_equal(policy_of("base: gtx480-cawa\nscheduler: cawa\n", none), "cacp");
    assert_string_equal(policy_of("base: gtx480-cawa\nscheduler: cawa\n", fifo), "fifo");
    assert_string_equal(policy_of("base: gtx480-cawa\nscheduler: cawa\nl1d.policy: fifo\n", none),
                        "fifo");
    assert_string_equal(policy_of("base: gtx480-cawa\nl1d.policy: fifo\n", cawa), "cacp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dram_timing_is_as_a_data_sheet_could_have_it),
        cmocka_unit_test(lines_sectors_and_pieces_fit),
        cmocka_unit_test(the_rest_of_a_machine_fits),
        cmocka_unit_test(mistakes_in_a_file_have_line_and_column),
        cmocka_unit_test(parameters_of_mechanisms_that_are_not_in_use_are_explained),
        cmocka_unit_test(mistakes_of_words_are_never_blamed_on_the_file),
        cmocka_unit_test(a_scheduler_brings_its_policy_unless_told_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
