#include "cli/hetero_testbed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lab_common.h"
#include "cli/output.h"
#include "gpu/machine_config.h"
#include "workloads/run.h"

static const char machine[] = "i7-s9150";

static void add_word(struct point *p, const char *text)
{
    p->words[p->n_words++].text = text;
}

/* Native programs alone run beside a workload of which no launch is timed. */
static void choose_workload(struct point *p, const struct testbed_point *what)
{
    p->workload = what->workload ? what->workload : workload_find("bfs");
    p->size = what->workload ? what->size : workload_find_size(p->workload, "tiny");
}

uint32_t testbed_add(struct testbed_runs *t, const struct hetero_options *o,
                     const struct testbed_point *what)
{
    ARRAY_RESERVE(t->points, t->cap, t->n + 1);
    struct point *p = &t->points[t->n];
    *p = (struct point){.seed = o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED,
                        .gpu = {.text = machine}};
    choose_workload(p, what);
    p->words = ARENA_ARRAY(&t->arena, struct point_word, 4 + o->settings.n);
    for (uint32_t i = 0; i < o->settings.n; i++)
        add_word(p, o->settings.items[i]);
    add_word(p, arena_printf(&t->arena, "testbed.on=%s", what->on));
    add_word(p, arena_printf(&t->arena, "testbed.launch=%u", what->launch));
    add_word(p, arena_printf(&t->arena, "cpu.programs=%s", what->natives));
    if (what->setting)
        add_word(p, what->setting);
    return t->n++;
}

/* Its clock, for times of native programs. */
static enum heddle_status read_clock(struct testbed_runs *t, const struct hetero_options *o)
{
    struct diag_list diags = {0};
    struct strbuf text = {0};
    struct machine_config *c =
        machine_config_load(machine, o->settings.items, o->settings.n, &diags);
    diag_format(&diags, &text);
    enum heddle_status status = c ? HEDDLE_OK : HEDDLE_BAD_INPUT;
    if (c) {
        t->cpu_mhz = machine_config_cpu_mhz(c);
        t->llc_bytes = (double)machine_config_llc_bytes(c);
        t->dram_gbps = c->host_memory.usable_mb_per_s / 1e3;
    } else {
        output_failure(strbuf_text(&text));
    }
    machine_config_destroy(c);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

/* A missing one has no statistics. */
static void add_nothing(struct testbed_runs *t)
{
    ARRAY_RESERVE(t->results.items, t->results.cap, t->results.n + 1);
    t->results.items[t->results.n++] = (struct result){0};
}

static enum heddle_status read_kernels(struct testbed_runs *t, struct store *s, uint32_t i,
                                       int64_t id)
{
    struct testbed_kernels *k = &t->kernels[i];
    enum heddle_status status = result_load_kernels(s, id, "testbed.ns", &t->arena, &k->ns, &k->n);
    return status == HEDDLE_OK
               ? result_load_kernels(s, id, "testbed.launches", &t->arena, &k->launches, &k->n)
               : status;
}

static enum heddle_status read_results(struct testbed_runs *t, const struct hetero_options *o,
                                       struct store *s)
{
    enum heddle_status status = HEDDLE_OK;
    t->kernels = ARENA_ARRAY(&t->arena, struct testbed_kernels, t->n + 1);
    for (uint32_t i = 0; status == HEDDLE_OK && i < t->n; i++) {
        enum store_state state;
        int64_t id;
        status = sweep_find(s, &t->points[i], &state, &id);
        if (status == HEDDLE_OK && o->stored_only && state != STORE_DONE)
            add_nothing(t);
        else if (status == HEDDLE_OK)
            status = result_load(s, id, &t->results, &t->arena);
        if (status == HEDDLE_OK && t->wants_kernels && testbed_has(t, i))
            status = read_kernels(t, s, i, id);
    }
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    return status;
}

static enum heddle_status run_in(struct testbed_runs *t, const struct hetero_options *o,
                                 struct store *s)
{
    const struct point_context context = {0};
    const struct lab_sweep how = {
        .store_path = o->store ? o->store : "memory only, because there is no --store",
        .jobs = o->jobs};
    enum heddle_status status =
        o->stored_only ? HEDDLE_OK : lab_run_points(&how, s, t->points, t->n, &context);
    return status == HEDDLE_OK ? read_results(t, o, s) : status;
}

enum heddle_status testbed_go(struct testbed_runs *t, const struct hetero_options *o)
{
    const struct point_context context = {0};
    struct diag_list diags = {0};
    struct strbuf text = {0};
    struct store *s = NULL;
    free(t->results.items);
    t->results = (struct result_set){0};
    enum heddle_status status = read_clock(t, o);
    if (status != HEDDLE_OK)
        return status;
    status = point_make_keys(t->points, t->n, &context, &diags);
    diag_format(&diags, &text);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&text));
    if (status == HEDDLE_OK)
        status = lab_open_store(o->store, o->store ? STORE_WRITE : STORE_MEMORY, &s);
    if (status == HEDDLE_OK)
        status = run_in(t, o, s);
    store_close(s);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

void testbed_destroy(struct testbed_runs *t)
{
    free(t->results.items);
    free(t->points);
    arena_destroy(&t->arena);
    *t = (struct testbed_runs){0};
}

double testbed_stat(const struct testbed_runs *t, uint32_t i, const char *name)
{
    const struct result_stat *s = result_find(&t->results.items[i], name);
    return s ? s->value : 0;
}

bool testbed_has(const struct testbed_runs *t, uint32_t i)
{
    return t->results.items[i].n_stats;
}

double testbed_kernel_seconds(const struct testbed_runs *t, uint32_t i, const char *kernel)
{
    const struct testbed_kernels *k = &t->kernels[i];
    for (uint32_t j = 0; j < k->n; j++)
        if (strcmp(k->ns[j].name, kernel) == 0 && k->launches[j].value > 0)
            return 1e-9 * k->ns[j].value / k->launches[j].value;
    return 0;
}

const char *testbed_id(const struct testbed_runs *t, uint32_t i)
{
    return t->points[i].key;
}

double testbed_native_seconds(const struct testbed_runs *t, uint32_t i, uint32_t core)
{
    char name[24];
    snprintf(name, sizeof name, "cpu%u.cycles", core);
    return testbed_stat(t, i, name) / (1e6 * t->cpu_mhz);
}

bool testbed_split(const char *natives, struct arena *arena, const char *names[4], uint32_t *n)
{
    char *rest = arena_strdup(arena, natives), *word;
    *n = 0;
    while ((word = strsep(&rest, ",")))
        if (*word && *n < 4)
            names[(*n)++] = word;
        else if (*word)
            *n = 5;
    if (*n <= 3)
        return true;
    output_error(
        "--with %s: at most three native programs are possible, so that a core is left for kernels",
        natives);
    return false;
}
