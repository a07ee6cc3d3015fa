/* heddle hetero run: one launch on the testbed, alone and beside native programs. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/hetero_testbed.h"
#include "cli/output.h"
#include "cli/pick_size.h"
#include "cli/table.h"

enum { MAX_NATIVES = 3, N_TARGETS = 2 };
static const char *const targets[N_TARGETS] = {"cmp", "gpu"};

/* A launch on one target: numbers of simulations. */
struct on_target {
    bool is_wanted;
    uint32_t alone, together;
};

struct question {
    const struct workload *workload;
    const struct workload_size *size;
    uint32_t launch;
    const char *natives[MAX_NATIVES + 1];
    uint32_t n_natives;
    uint32_t native_alone[MAX_NATIVES];
    struct on_target on[N_TARGETS];
    struct testbed_runs runs;
};

static enum heddle_status read_question(struct question *q, const struct hetero_options *o,
                                        const char *name)
{
    q->workload = workload_find(name);
    if (!q->workload)
        return output_unknown_workload_name(name);
    for (uint32_t k = 0; k < N_TARGETS; k++)
        q->on[k].is_wanted = !o->on || strcmp(o->on, targets[k]) == 0;
    if (!q->on[0].is_wanted && !q->on[1].is_wanted) {
        output_error("--on %s: expected cmp, for the CPU's cores, or gpu", o->on);
        return HEDDLE_BAD_INPUT;
    }
    if (o->launch.is_given && (o->launch.value == 0 || o->launch.value >= TESTBED_NO_LAUNCH)) {
        output_error("--launch %" PRIu64 ": launches count from 1 to %d", o->launch.value,
                     TESTBED_NO_LAUNCH - 1);
        return HEDDLE_BAD_INPUT;
    }
    if (!testbed_split(o->with ? o->with : "", &q->runs.arena, q->natives, &q->n_natives))
        return HEDDLE_BAD_INPUT;
    return pick_size(q->workload, o->size ? o->size : "small", &q->runs.arena, &q->size);
}

/* Of several launches, the one that takes longest on the CMP. */
static enum heddle_status find_launch(struct question *q, const struct hetero_options *o)
{
    struct testbed_runs all = {0};
    enum heddle_status status = HEDDLE_OK;
    if (o->launch.is_given) {
        q->launch = (uint32_t)o->launch.value;
        return HEDDLE_OK;
    }
    testbed_add(
        &all, o,
        &(struct testbed_point){q->workload, q->size, "cmp", TESTBED_ALL_LAUNCHES, "", NULL});
    status = testbed_go(&all, o);
    if (status == HEDDLE_OK)
        q->launch = (uint32_t)testbed_stat(&all, 0, "testbed.longest_launch");
    testbed_destroy(&all);
    return status;
}

static enum heddle_status simulate(struct question *q, const struct hetero_options *o)
{
    for (uint32_t k = 0; k < N_TARGETS; k++) {
        struct testbed_point p = {q->workload, q->size, targets[k], q->launch, "", NULL};
        if (!q->on[k].is_wanted)
            continue;
        q->on[k].alone = testbed_add(&q->runs, o, &p);
        p.natives = o->with ? o->with : "";
        q->on[k].together = testbed_add(&q->runs, o, &p);
    }
    for (uint32_t i = 0; i < q->n_natives; i++)
        q->native_alone[i] = testbed_add(
            &q->runs, o,
            &(struct testbed_point){NULL, NULL, "gpu", TESTBED_NO_LAUNCH, q->natives[i], NULL});
    enum heddle_status status = testbed_go(&q->runs, o);
    for (uint32_t i = 0; status == HEDDLE_OK && i < q->runs.n; i++)
        if (i < q->runs.n - q->n_natives && testbed_stat(&q->runs, i, "testbed.launches") == 0) {
            output_error("%s (%s) has no launch %u", q->workload->name, q->size->name, q->launch);
            return HEDDLE_BAD_INPUT;
        }
    return status;
}

/* --- what follows --- */

static double seconds_of(const struct question *q, uint32_t i)
{
    return 1e-9 * testbed_stat(&q->runs, i, "testbed.ns");
}

static double slowdown_of(const struct question *q, const struct on_target *t)
{
    return seconds_of(q, t->together) / seconds_of(q, t->alone);
}

static double native_slowdown(const struct question *q, const struct on_target *t, uint32_t native)
{
    return testbed_native_seconds(&q->runs, t->together, native) /
           testbed_native_seconds(&q->runs, q->native_alone[native], 0);
}

static void json_target(const struct question *q, uint32_t k, struct json_writer *w)
{
    const struct on_target *t = &q->on[k];
    json_begin_object(w, targets[k]);
    json_double(w, "alone", seconds_of(q, t->alone));
    json_string(w, "alone_id", testbed_id(&q->runs, t->alone));
    json_double(w, "co_located", seconds_of(q, t->together));
    json_string(w, "co_located_id", testbed_id(&q->runs, t->together));
    json_double(w, "slowdown", slowdown_of(q, t));
    json_uint(w, "pcie_bytes",
              (uint64_t)(testbed_stat(&q->runs, t->alone, "testbed.bytes_up") +
                         testbed_stat(&q->runs, t->alone, "testbed.bytes_down")));
    json_begin_array(w, "natives");
    for (uint32_t i = 0; i < q->n_natives; i++)
        json_double(w, NULL, native_slowdown(q, t, i));
    json_end_array(w);
    json_end_object(w);
}

static void print_json(const struct question *q, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "workload", q->workload->name);
    json_string(&w, "size", q->size->name);
    json_uint(&w, "launch", q->launch);
    for (uint32_t k = 0; k < N_TARGETS; k++)
        if (q->on[k].is_wanted)
            json_target(q, k, &w);
    json_begin_array(&w, "natives");
    for (uint32_t i = 0; i < q->n_natives; i++) {
        json_begin_object(&w, NULL);
        json_string(&w, "name", q->natives[i]);
        json_double(&w, "alone", testbed_native_seconds(&q->runs, q->native_alone[i], 0));
        json_string(&w, "alone_id", testbed_id(&q->runs, q->native_alone[i]));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
}

static void print_text(const struct question *q, struct strbuf *out)
{
    struct table t = {.n_columns = 7, .right = "lrrrrll"};
    static const char *const titles[] = {"  of",    "alone us",   "together us", "slowdown",
                                         "PCIe MB", "  id alone", "id together"};
    strbuf_addf(out, "%s (%s), launch %u, beside %s", q->workload->name, q->size->name, q->launch,
                q->n_natives ? q->natives[0] : "nothing");
    for (uint32_t i = 1; i < q->n_natives; i++)
        strbuf_addf(out, ", %s", q->natives[i]);
    strbuf_add(out, ":\n");
    for (uint32_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        table_cell(&t, "%s", titles[i]);
    for (uint32_t k = 0; k < N_TARGETS; k++) {
        const struct on_target *on = &q->on[k];
        if (!on->is_wanted)
            continue;
        table_cell(&t, "  kernel on %s", targets[k]);
        table_cell(&t, "%.1f", 1e6 * seconds_of(q, on->alone));
        table_cell(&t, "%.1f", 1e6 * seconds_of(q, on->together));
        table_cell(&t, "%.3f", slowdown_of(q, on));
        table_cell(&t, "%.3f",
                   1e-6 * (testbed_stat(&q->runs, on->alone, "testbed.bytes_up") +
                           testbed_stat(&q->runs, on->alone, "testbed.bytes_down")));
        table_cell(&t, "  %.12s", testbed_id(&q->runs, on->alone));
        table_cell(&t, "%.12s", testbed_id(&q->runs, on->together));
        for (uint32_t i = 0; i < q->n_natives; i++) {
            table_cell(&t, "    %s", q->natives[i]);
            table_cell(&t, "%.1f", 1e6 * testbed_native_seconds(&q->runs, q->native_alone[i], 0));
            table_cell(&t, "%.1f", 1e6 * testbed_native_seconds(&q->runs, on->together, i));
            table_cell(&t, "%.3f", native_slowdown(q, on, i));
            table_cell(&t, "-");
            table_cell(&t, "  %.12s", testbed_id(&q->runs, q->native_alone[i]));
            table_cell(&t, "%.12s", testbed_id(&q->runs, on->together));
        }
    }
    table_print(&t, out);
    table_destroy(&t);
}

enum heddle_status hetero_cmd_run(const struct hetero_options *o, const char *name,
                                  struct strbuf *out)
{
    struct question q = {0};
    enum heddle_status status = read_question(&q, o, name);
    if (status == HEDDLE_OK)
        status = find_launch(&q, o);
    if (status == HEDDLE_OK)
        status = simulate(&q, o);
    if (status == HEDDLE_OK && o->json)
        print_json(&q, out);
    else if (status == HEDDLE_OK)
        print_text(&q, out);
    testbed_destroy(&q.runs);
    return status;
}
