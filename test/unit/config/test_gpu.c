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
    {"gtx480", "ctas_per_sm", "8"},
    {"gtx480", "registers_per_sm", "32768"},
    {"gtx480", "shared_bytes_per_sm", "49152"},
    {"gtx480", "threads_per_sm", "1536"},
    {"gtx480-ch3", "n_sms", "15"},
    {"gtx480-ch3", "warps_per_sm", "48"},
    {"gtx480-ch3", "ctas_per_sm", "8"},
    {"gtx480-ch3", "registers_per_sm", "32768"},
    {"gtx480-ch3", "shared_bytes_per_sm", "49152"},
    {"gtx480-ch3", "threads_per_sm", "1536"},
    {"gtx480-cawa", "n_sms", "15"},
    {"gtx480-cawa", "warps_per_sm", "48"},
    {"gtx480-cawa", "ctas_per_sm", "8"},
    {"gtx480-cawa", "registers_per_sm", "32768"},
    {"gtx480-cawa", "shared_bytes_per_sm", "49152"},
    {"gtx480-cawa", "threads_per_sm", "1536"},
    {"m2090", "n_sms", "16"},
    {"m2090", "warps_per_sm", "48"},
    {"m2090", "registers_per_sm", "32768"},
    {"m2090", "shared_bytes_per_sm", "49152"},
    {"m2090", "core_clock_mhz", "650"},
    {"m2090", "threads_per_sm", "1536"},
    {"ccws", "n_sms", "30"},
    {"ccws", "threads_per_sm", "1024"},
    {"ccws", "registers_per_sm", "16384"},
    {"ccws", "shared_bytes_per_sm", "16384"},
    {"ccws", "core_clock_mhz", "1300"},
    {"ccws", "warps_per_sm", "32"},
};

static const struct from_table *in_a_table(const char *gpu, const char *param)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i].gpu, gpu) == 0 && strcmp(tables[i].param, param) == 0)
            return &tables[i];
    return NULL;
}

static void shipped_gpus_are_what_the_papers_say(void **state)
{
    (void)state;
    assert_int_equal(n_gpu_names, 5);
    size_t n_found = 0;
    for (uint32_t i = 0; i < n_gpu_names; i++) {
        struct diag_list diags = {0};
        struct machine_config *c = machine_config_load(gpu_names[i], NULL, 0, &diags);
        assert_non_null(c);
        const struct gpu_config *gpu = c->gpu;
        assert_int_equal(diags.n, 0);
        assert_string_equal(gpu->name, gpu_names[i]);
        assert_true(strlen(gpu->description) > 10);
        for (uint32_t j = 0; j < gpu->params.n; j++) {
            const struct bound_param *b = &gpu->params.items[j];
            if (b->param->type == PARAM_TYPE_STRING || b->values != gpu)
                continue;
            const struct from_table *t = in_a_table(gpu->name, b->name);
            struct strbuf value = {0};
            param_print(b->param, b->values, &value);
            if (t)
                assert_string_equal(strbuf_text(&value), t->value);
            else if (!bound_param_is_chosen(b))
                fail_msg("%s of %s is in no table and not marked as chosen", b->name, gpu->name);
            assert_int_equal(bound_param_is_chosen(b), t == NULL);
            assert_string_not_equal(b->source, "default");
            n_found += t != NULL;
            strbuf_destroy(&value);
        }
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
    assert_int_equal(n_found, sizeof tables / sizeof tables[0]);
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
                   "threads_per_sm (1024) is more than warps_per_sm allows (992)");
    assert_refused("ccws", (const char *const[]){"shared_bytes_per_sm=15K"}, 1,
                   "shared_bytes_per_cta (16384) is more than shared_bytes_per_sm allows (15360)");
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
        cmocka_unit_test(the_default_is_the_gtx480),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_file_of_ones_own_starts_from_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
