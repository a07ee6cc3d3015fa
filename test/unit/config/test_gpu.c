/* The shipped GPUs against the tables of the papers, typed in from the papers and not from
 * configs/. Where a table is silent the value must be marked as chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/machine_config.h"

struct from_table {
    const char *gpu, *param, *value;
};

static const struct from_table tables[] = {
    {"gtx480", "n_sms", "15"},
    {"gtx480", "warps_per_sm", "48"},
    {"gtx480", "threads_per_sm", "1536"},
    {"gtx480", "ctas_per_sm", "8"},
    {"gtx480", "registers_per_sm", "32768"},
    {"gtx480", "shared_bytes_per_sm", "49152"},
    {"gtx480", "sm.n_schedulers", "2"},
    {"gtx480", "l1i.n_sets", "4"},
    {"gtx480", "l1i.n_ways", "4"},
    {"gtx480", "l2.n_sets", "64"},
    {"gtx480", "l1d.n_sets", "32"},
    {"gtx480", "l1d.n_ways", "4"},
    {"gtx480", "l2.n_ways", "8"},
    {"gtx480", "memory.banks", "2"},
    {"gtx480", "memory.rop_latency", "120"},
    {"gtx480", "memory.dram_latency", "100"},
    {"gtx480-ch3", "n_sms", "15"},
    {"gtx480-ch3", "warps_per_sm", "48"},
    {"gtx480-ch3", "threads_per_sm", "1536"},
    {"gtx480-ch3", "ctas_per_sm", "8"},
    {"gtx480-ch3", "registers_per_sm", "32768"},
    {"gtx480-ch3", "shared_bytes_per_sm", "49152"},
    {"gtx480-ch3", "sm.n_schedulers", "2"},
    {"gtx480-ch3", "l1i.n_sets", "4"},
    {"gtx480-ch3", "l1i.n_ways", "4"},
    {"gtx480-ch3", "l2.n_sets", "64"},
    {"gtx480-ch3", "l1d.n_sets", "32"},
    {"gtx480-ch3", "l1d.n_ways", "4"},
    {"gtx480-ch3", "l2.n_ways", "16"},
    {"gtx480-ch3", "memory.banks", "1"},
    {"gtx480-ch3", "memory.rop_latency", "120"},
    {"gtx480-ch3", "memory.dram_latency", "100"},
    {"gtx480-cawa", "n_sms", "15"},
    {"gtx480-cawa", "warps_per_sm", "48"},
    {"gtx480-cawa", "threads_per_sm", "1536"},
    {"gtx480-cawa", "ctas_per_sm", "8"},
    {"gtx480-cawa", "registers_per_sm", "32768"},
    {"gtx480-cawa", "shared_bytes_per_sm", "49152"},
    {"gtx480-cawa", "sm.n_schedulers", "2"},
    {"gtx480-cawa", "l1i.n_sets", "4"},
    {"gtx480-cawa", "l1i.n_ways", "4"},
    {"gtx480-cawa", "l2.n_sets", "64"},
    {"gtx480-cawa", "l1d.n_sets", "8"},
    {"gtx480-cawa", "l1d.n_ways", "16"},
    {"gtx480-cawa", "l2.n_ways", "16"},
    {"gtx480-cawa", "memory.banks", "1"},
    {"gtx480-cawa", "memory.rop_latency", "120"},
    {"gtx480-cawa", "memory.dram_latency", "100"},
    {"m2090", "n_sms", "16"},
    {"m2090", "warps_per_sm", "48"},
    {"m2090", "threads_per_sm", "1536"},
    {"m2090", "sm.n_schedulers", "2"},
    {"m2090", "scheduler", "gto"},
    {"m2090", "registers_per_sm", "32768"},
    {"m2090", "shared_bytes_per_sm", "49152"},
    {"m2090", "l1d.n_sets", "32"},
    {"m2090", "l1d.n_ways", "4"},
    {"m2090", "l1d.index", "hash"},
    {"m2090", "core_clock_mhz", "650"},
    {"m2090", "noc_clock_mhz", "650"},
    {"m2090", "dram_clock_mhz", "924"},
    {"m2090", "memory.n_partitions", "12"},
    {"m2090", "l2.n_sets", "64"},
    {"m2090", "l2.n_ways", "8"},
    {"m2090", "l2.index", "linear"},
    {"m2090", "dram.bus_bytes_per_cycle", "16"},
    {"m2090", "dram.n_banks", "6"},
    {"ccws", "n_sms", "30"},
    {"ccws", "threads_per_sm", "1024"},
    {"ccws", "warps_per_sm", "32"},
    {"ccws", "sm.fp32_add_interval", "1"}, /* 8 lanes at 1300 MHz: a warp each cycle at 325 */
    {"ccws", "registers_per_sm", "16384"},
    {"ccws", "shared_bytes_per_sm", "16384"},
    {"ccws", "memory.n_partitions", "8"},
    {"ccws", "l1d.n_sets", "32"},
    {"ccws", "l1d.n_ways", "8"},
    {"ccws", "l1d.line_bytes", "128"},
    {"ccws", "l1d.policy", "lru"},
    {"ccws", "l2.n_sets", "128"},
    {"ccws", "l2.n_ways", "8"},
    {"ccws", "l2.line_bytes", "128"},
    {"ccws", "l2.policy", "lru"},
    {"ccws", "core_clock_mhz", "325"}, /* 1300 / 4; see above */
    {"ccws", "noc_clock_mhz", "650"},
    {"ccws", "dram_clock_mhz", "800"},
    {"ccws", "dram.queue_entries", "32"},
    {"ccws", "dram.scheduler", "fr_fcfs"},
    {"ccws", "dram.t_cl", "10"},
    {"ccws", "dram.t_rp", "10"},
    {"ccws", "dram.t_rc", "35"},
    {"ccws", "dram.t_ras", "25"},
    {"ccws", "dram.t_rcd", "12"},
    {"ccws", "dram.t_rrd", "8"},
    {"ccws", "dram.bus_bytes_per_cycle", "8"},
    {"v100", "n_sms", "80"},
    {"v100", "warps_per_sm", "64"},
    {"v100", "threads_per_sm", "2048"},
    {"v100", "ctas_per_sm", "32"},
    {"v100", "threads_per_cta", "1024"},
    {"v100", "registers_per_sm", "65536"},
    {"v100", "registers_per_thread", "255"},
    {"v100", "shared_bytes_per_sm", "98304"},
    {"v100", "core_clock_mhz", "1530"},
    {"v100", "dram_clock_mhz", "877"},
    {"v100", "sm.n_schedulers", "4"},
    {"v100", "sm.sub_cores", "true"},
    {"v100", "sm.inst_bytes", "16"},
    {"v100", "sm.n_sp_units", "1"},
    {"v100", "sm.n_int_units", "1"},
    {"v100", "sm.n_fp64_units", "1"},
    {"v100", "sm.n_sfu_units", "1"},
    {"i7-s9150", "n_sms", "44"},
    {"i7-s9150", "core_clock_mhz", "900"},
    {"i7-s9150", "dram_clock_mhz", "1250"},
    {"i7-s9150", "dram.bus_bytes_per_cycle", "16"}, /* 320 GB/s / 16 channels / 1,250 MHz */
    {"i7-s9150", "host.global_bytes", "17179869184"},
    {"i7-s9150", "cpu.cores", "4"},
    {"i7-s9150", "cpu.clock_mhz", "3400"},
    {"i7-s9150", "host_memory.n_partitions", "2"},
    {"i7-s9150", "host_memory.usable_mb_per_s", "22000"},
    {"i7-s9150", "host_llc.n_sets", "2048"}, /* 8 MB of 16 ways and 64 bytes in 2 x 2 banks */
};

static uint64_t cache_bytes(const struct cache_config *c)
{
    return (uint64_t)c->n_sets * c->n_ways * c->line_bytes;
}

static const struct from_table *in_a_table(const char *gpu, const char *param)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i].gpu, gpu) == 0 && strcmp(tables[i].param, param) == 0)
            return &tables[i];
    return NULL;
}

/* Names, and what belongs to a program: no values of the machine. */
static bool is_label(const struct bound_param *b)
{
    return strcmp(b->name, "name") == 0 || strcmp(b->name, "description") == 0 ||
           strcmp(b->name, "l2.annotations") == 0;
}

/* True if it stands in a table; everything else must be marked as chosen, with the reason. */
static bool check_param(const char *gpu, const struct bound_param *b)
{
    const struct from_table *t = in_a_table(gpu, b->name);
    struct strbuf value = {0};
    param_print(b->param, b->values, &value);
    if (!b->setting)
        fail_msg("%s does not say its %s", gpu, b->name);
    if (t && strcmp(strbuf_text(&value), t->value) != 0)
        fail_msg("%s of %s is %s, not %s", b->name, gpu, strbuf_text(&value), t->value);
    if (bound_param_is_chosen(b) != (t == NULL))
        fail_msg("%s of %s is %s a table, but its source is '%s'", b->name, gpu, t ? "in" : "in no",
                 b->source);
    if (!t)
        assert_true(strlen(b->source) > strlen("chosen ()"));
    strbuf_destroy(&value);
    return t != NULL;
}

static void shipped_gpus_are_what_the_papers_say(void **state)
{
    (void)state;
    assert_int_equal(n_gpu_names, 8);
    size_t n_found = 0;
    for (uint32_t i = 0; i < n_gpu_names; i++) {
        struct diag_list diags = {0};
        struct machine_config *c = machine_config_load(gpu_names[i], NULL, 0, &diags);
        assert_non_null(c);
        assert_int_equal(diags.n, 0);
        assert_string_equal(c->gpu->name, gpu_names[i]);
        assert_true(strlen(c->gpu->description) > 10);
        for (uint32_t j = 0; j < c->gpu->params.n; j++)
            if (!is_label(&c->gpu->params.items[j]))
                n_found += check_param(gpu_names[i], &c->gpu->params.items[j]);
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
    assert_int_equal(n_found, sizeof tables / sizeof tables[0]);
}

/* What the configurations take from GPGPU-Sim, typed in from its files: -ptx_opcode_latency_* and
 * -ptx_opcode_initiation_* in the order add, max, mul, mad, div; the SFU's are those of fp
 * division. configs/GTX480/gpgpusim.config is the same in 3.2.0 and 3.2.2 as far as this goes. */
struct opcode_timing {
    uint32_t latency[3][5], interval[3][5]; /* int, fp32, fp64 */
};
static const struct opcode_timing gtx480_opcodes = {
    {{4, 13, 4, 5, 145}, {4, 13, 4, 5, 39}, {8, 19, 8, 8, 330}},
    {{1, 2, 2, 1, 8}, {1, 2, 1, 1, 4}, {8, 16, 8, 8, 130}}};
/* The defaults of tgrogers/ccws-2012, which configs/QuadroFX5800-CCWS leaves as they are. */
static const struct opcode_timing quadro_opcodes = {
    {{1, 1, 19, 25, 145}, {1, 1, 1, 1, 30}, {8, 8, 8, 8, 335}},
    {{1, 1, 4, 4, 32}, {1, 1, 1, 1, 5}, {8, 8, 8, 8, 130}}};

static void check_opcodes(const struct sm_config *sm, const struct opcode_timing *t)
{
    static const enum sm_operation first[] = {SM_OP_INT_ADD, SM_OP_FP32_ADD, SM_OP_FP64_ADD};
    for (uint32_t i = 0; i < 15; i++) {
        enum sm_operation op = (enum sm_operation)(first[i / 5] + i % 5);
        assert_int_equal(sm->latency[op], t->latency[i / 5][i % 5]);
        assert_int_equal(sm->interval[op], t->interval[i / 5][i % 5]);
    }
    assert_int_equal(sm->latency[SM_OP_SFU], t->latency[1][4]);
    assert_int_equal(sm->interval[SM_OP_SFU], t->interval[1][4]);
}

/* -gpgpu_cache:*: sets, line bytes, ways, MSHRs, merges; allocation on miss or on fill. */
static void check_cache(const struct cache_config *c, uint32_t n_sets, uint32_t line_bytes,
                        uint32_t n_ways, bool on_fill, uint32_t n_mshrs, uint32_t merges)
{
    assert_int_equal(c->n_sets, n_sets);
    assert_int_equal(c->line_bytes, line_bytes);
    assert_int_equal(c->n_ways, n_ways);
    assert_int_equal(c->allocate_on_fill, on_fill);
    assert_int_equal(c->n_mshrs, n_mshrs);
    assert_int_equal(c->mshr_merges, merges);
}

static void check_register_file(const struct sm_config *sm, uint32_t n_sp_units, uint32_t n_banks)
{
    assert_int_equal(sm->n_units[UNIT_SP], n_sp_units);
    assert_int_equal(sm->n_units[UNIT_SFU], 1);
    assert_int_equal(sm->collectors[UNIT_SP], 6);
    assert_int_equal(sm->collectors[UNIT_SFU], 8);
    assert_int_equal(sm->register_banks, n_banks);
    assert_int_equal(sm->ibuffer_entries, 2); /* IBUFFER_SIZE, and what decode() fills */
    assert_int_equal(sm->fetch_insts, 2);
}

static void check_fermi(const struct machine_config *c)
{
    check_opcodes(&c->sm, &gtx480_opcodes);
    check_register_file(&c->sm, 2, 16);
    bool cawa = strcmp(c->gpu->name, "gtx480-cawa") == 0; /* S3 Table 4.1 */
    check_cache(&c->sm.l1d, cawa ? 8 : 32, 128, cawa ? 16 : 4, false, 32, 8);
    check_cache(&c->sm.l1i, 4, 128, 4, true, 2, 32);
    check_cache(&c->sm.l1c, 64, 64, 2, true, 2, 32);
    assert_int_equal(c->sm.miss_queue, 8);
    assert_int_equal(c->l2.n_mshrs, 32);
    assert_int_equal(c->l2.mshr_merges, 4);
    /* 16 that wait; the request that a bank serves has left frfcfs_scheduler's queue. */
    assert_int_equal(c->dram.queue_entries, 16 + c->dram.n_banks);
    assert_int_equal(c->memory.rop_latency, 120);
    assert_int_equal(c->memory.dram_latency, 100);
    assert_int_equal(c->memory.interleave_bytes, 256); /* dramid@8 */
    assert_int_equal(c->memory.input_queue, 8);        /* -gpgpu_dram_partition_queues 8:8:8:8 */
    assert_int_equal(c->memory.dram_queue, 8);
    assert_int_equal(c->memory.reply_queue, 8);
    assert_int_equal(c->noc.flit_bytes, 32);
    assert_int_equal(c->noc.header_bytes, 8); /* READ_PACKET_SIZE, WRITE_PACKET_SIZE */
    assert_int_equal(c->run.dram_clock_mhz, 924);
}

/* configs/QuadroFX5800-CCWS/gpgpusim.config of tgrogers/ccws-2012, and its simulator's defaults. */
static void check_gt200(const struct machine_config *c)
{
    check_opcodes(&c->sm, &quadro_opcodes);
    check_register_file(&c->sm, 1, 8);
    check_cache(&c->sm.l1d, 32, 128, 8, false, 16, 4);
    check_cache(&c->sm.l1i, 8, 128, 4, true, 2, 32); /* 4:256:4 */
    check_cache(&c->sm.l1c, 64, 64, 2, true, 2, 32);
    check_cache(&c->l2, 128, 128, 8, false, 16, 4); /* 64:256:8; S4 Table 1 has 128-byte lines */
    assert_int_equal(c->sm.miss_queue, 4);
    assert_int_equal(c->sm.l1d_latency, 20); /* -L1_HIT_LATENCY */
    assert_int_equal(c->memory.rop_latency, 115 * 650 / 325);
    assert_int_equal(c->memory.dram_latency, 30 * 650 / 325);
    assert_true(c->l2.write_evict && !c->l2.write_back && !c->l2.write_allocate);
    assert_int_equal(c->dram.t_wr, 13);
}

/* What the simulators do without an option in the files: ldst_unit has three pipeline registers and
 * a cycle of write-back, and addrdec_tlx() takes the bank from bits of the address. 3.2.0 empties
 * no cache between kernels (-gpgpu_flush_l1_cache 0, _l2_cache 0); the simulator of ccws both
 * (-gpgpu_flush_cache 1). */
static void check_defaults(const struct machine_config *c, bool flushes)
{
    assert_int_equal(c->sm.shared_latency, 3 + 1);
    assert_false(c->dram.permute_banks);
    assert_int_equal(c->run.flush_l1, flushes);
    assert_int_equal(c->run.flush_l2, flushes);
}

/* The index of L1D is linear up to 3.2.2. 3.2.0 has one port for each of its six L2 banks, at
 * 1400 MHz; 3.2.2 twelve at 700 MHz. */
static void what_the_papers_leave_open_is_gpgpu_sim_s(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "gtx480-ch3", "gtx480-cawa", "m2090", "ccws"};
    for (uint32_t i = 0; i < 5; i++) {
        struct diag_list diags = {0};
        struct machine_config *c = machine_config_load(gpus[i], NULL, 0, &diags);
        bool gt200 = strcmp(gpus[i], "ccws") == 0, m2090 = strcmp(gpus[i], "m2090") == 0;
        bool six_banks = c->memory.n_partitions * c->memory.banks == 6;
        /* ID_OC_MEM, two collectors, OC_EX_MEM, and what is at L1D. */
        assert_int_equal(c->sm.ldst_queue, 1 + 2 + 1 + 1);
        assert_int_equal(c->memory.l2_latency, 1);
        if (gt200 || six_banks)
            check_defaults(c, gt200);
        if (gt200) {
            check_gt200(c);
        } else {
            check_fermi(c);
            if (!m2090)
                assert_int_equal(c->run.noc_clock_mhz, six_banks ? 1400 : 700);
            if (six_banks) /* ...BBBBCCCC.CCSSSSSS; 3.2.2 has ...BBBCCCCB.CCSSSSSS */
                assert_int_equal(c->dram.bank_interleave_bytes, 1 << 12);
        }
        assert_int_equal(c->sm.l1d.index, m2090 ? INDEX_HASH : INDEX_LINEAR);
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
}

/* What the tables say about whole machines: cache sizes, and bandwidths in MB/s. */
static void sizes_and_bandwidths_add_up(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint64_t l1d_bytes, l1i_bytes, l1c_bytes, l2_bytes, dram_mb_per_s;
    } sums[] = {
        {"gtx480", 16 << 10, 2 << 10, 8 << 10, 768 << 10, 177408},
        {"gtx480-ch3", 16 << 10, 2 << 10, 8 << 10, 768 << 10, 177408},
        {"gtx480-cawa", 16 << 10, 2 << 10, 8 << 10, 768 << 10, 177408},
        {"m2090", 16 << 10, 2 << 10, 8 << 10, 768 << 10, 177408}, /* S2: 177.4 GB/s */
        {"ccws", 32 << 10, 4 << 10, 8 << 10, 8 * (128 << 10), 8 * 8 * 800},
        /* V1: 128 KB with shared memory, 6 MB, 900 GB/s */
        {"v100", 128 << 10, 128 << 10, 64 << 10, 6 << 20, 64 * 16 * 877},
    };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        struct diag_list diags = {0};
        struct machine_config *c = machine_config_load(sums[i].gpu, NULL, 0, &diags);
        uint32_t n = c->memory.n_partitions;
        assert_int_equal(cache_bytes(&c->sm.l1d), sums[i].l1d_bytes);
        assert_int_equal(cache_bytes(&c->sm.l1i), sums[i].l1i_bytes);
        assert_int_equal(cache_bytes(&c->sm.l1c), sums[i].l1c_bytes);
        assert_int_equal(cache_bytes(&c->l2) * c->memory.banks * n, sums[i].l2_bytes);
        assert_int_equal((uint64_t)n * c->dram.bus_bytes_per_cycle * c->run.dram_clock_mhz,
                         sums[i].dram_mb_per_s);
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
}

static void the_default_is_the_gtx480(void **state)
{
    (void)state;
    struct diag_list diags = {0};
    struct machine_config *c = machine_config_load(NULL, NULL, 0, &diags);
    const struct gpu_config *gpu = c->gpu;
    assert_string_equal(gpu->name, "gtx480");
    assert_int_equal(gpu->shared_bytes_per_cta, 49152);
    assert_int_equal(gpu->local_bytes_per_thread, 524288);
    machine_config_destroy(c);
    diag_list_destroy(&diags);
}

static void assert_refused(const char *name, const char *const *words, uint32_t n, const char *want)
{
    struct diag_list diags = {0};
    struct strbuf text = {0};
    assert_null(machine_config_load(name, words, n, &diags));
    diag_format(&diags, &text);
    if (!strstr(strbuf_text(&text), want))
        fail_msg("expected '%s' in: %s", want, strbuf_text(&text));
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    assert_refused("gtx408", NULL, 0, "there is no GPU 'gtx408'\n  hint: did you mean 'gtx480'?");
    assert_refused("nowhere/x.yaml", NULL, 0,
                   "nowhere/x.yaml: error: cannot read it: No such file");
    assert_refused("ccws", (const char *const[]){"n_sm=3"}, 1, "did you mean 'n_sms'?");
    assert_refused("ccws", (const char *const[]){"n_sms=0"}, 1, "it may be 1 to 1024 SMs");
    assert_refused("ccws", (const char *const[]){"threads_per_cta=2048"}, 1,
                   "--set threads_per_cta=2048: error: threads_per_cta (2048) is more than "
                   "threads_per_sm allows (1024)");
    assert_refused("ccws", (const char *const[]){"warps_per_sm=31"}, 1,
                   "--set warps_per_sm=31: error: threads_per_sm (1024) is more than warps_per_sm "
                   "allows (992)\nconfigs/ccws.yaml:6:17: note: threads_per_sm is 1024 here\n");
    assert_refused("ccws", (const char *const[]){"shared_bytes_per_sm=15K"}, 1,
                   "--set shared_bytes_per_sm=15K: error: shared_bytes_per_cta (16384) is more "
                   "than shared_bytes_per_sm allows (15360)\n");
}

static void a_file_of_ones_own_starts_from_the_defaults(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-gpu-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "n_sms: 2\n") > 0);
    struct diag_list diags = {0};
    const char *words[] = {"core_clock_mhz=1000"};
    struct gpu_config *gpu = gpu_config_load(path, words, 1, &diags);
    remove(path);
    assert_non_null(gpu);
    assert_int_equal(gpu->n_sms, 2);
    assert_int_equal(gpu->warps_per_sm, 48);
    assert_int_equal(gpu->core_clock_mhz, 1000);
    assert_memory_equal(gpu->name, "heddle-gpu-", 11);
    assert_null(strchr(gpu->name, '.'));
    assert_string_equal(param_set_find(&gpu->params, "n_sms")->source, path);
    gpu_config_destroy(gpu);
    diag_list_destroy(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_gpus_are_what_the_papers_say),
        cmocka_unit_test(what_the_papers_leave_open_is_gpgpu_sim_s),
        cmocka_unit_test(sizes_and_bandwidths_add_up),
        cmocka_unit_test(the_default_is_the_gtx480),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_file_of_ones_own_starts_from_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
