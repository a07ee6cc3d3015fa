/* heddle hetero features: the features of kernels and of their launches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/hetero.h"
#include "cli/kernel_name.h"
#include "cli/output.h"
#include "cli/pick_size.h"
#include "cli/ptx_load.h"
#include "cli/table.h"
#include "hetero/features.h"
#include "workloads/run.h"

/* A kernel, or equal launches of one. */
struct row {
    const char *kernel;
    struct hetero_counts counts;
    bool has_threads, has_buffer;
    uint64_t threads, buffer;
    uint64_t n_launches; /* 0 = of a file */
};

struct rows {
    struct arena arena;
    struct row *items;
    uint32_t n, cap;
};

static struct row *add_row(struct rows *rows, const char *kernel)
{
    ARRAY_RESERVE(rows->items, rows->cap, rows->n + 1);
    struct row *row = &rows->items[rows->n++];
    *row = (struct row){.kernel = arena_strdup(&rows->arena, kernel)};
    return row;
}

/* --- Counting --- */

static void warn(const char *kernel, uint64_t n, const char *what)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "heddle: warning: kernel %s: %" PRIu64 " %s\n", kernel, n, what);
    if (n)
        output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

static enum heddle_status count_row(const struct ptx_module *module, struct row *row)
{
    struct strbuf why = {0};
    const struct ptx_func *kernel = ptx_find_func(module, row->kernel);
    bool ok = hetero_count(kernel, &row->counts, &why);
    if (!ok)
        output_error("kernel %s: %s", row->kernel, strbuf_text(&why));
    strbuf_destroy(&why);
    warn(row->kernel, row->counts.n_unknown_calls,
         "calls of functions that are not known here: only the calls count");
    warn(row->kernel, row->counts.n_unsupported,
         "instructions that Heddle cannot execute: they count as arithmetic");
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status count_rows(const struct ptx_module *module, struct rows *rows)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < rows->n && status == HEDDLE_OK; i++)
        status = count_row(module, &rows->items[i]);
    return status;
}

/* --- Files --- */

static enum heddle_status of_file(const struct hetero_options *o, const char *path,
                                  struct rows *rows)
{
    struct ptx_module *module = NULL;
    struct diag_list diags = {0};
    enum heddle_status status = ptx_load_file(path, o->build_options, &module, &diags);
    for (uint32_t i = 0; module && i < module->n_funcs; i++) {
        const struct ptx_func *f = module->funcs[i];
        if (!f->is_entry || !f->has_body)
            continue;
        struct row *row = add_row(rows, f->name);
        row->has_threads = o->threads.is_given;
        row->has_buffer = o->buffer.is_given;
        row->threads = o->threads.value;
        row->buffer = o->buffer.value;
    }
    if (status == HEDDLE_OK && rows->n == 0) {
        output_error("%s: there is no kernel in it", path);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = count_rows(module, rows);
    ptx_module_destroy(module);
    diag_list_destroy(&diags);
    return status;
}

/* --- Workloads --- */

static void on_launch(void *user, const struct device_launch_info *info)
{
    struct rows *rows = user;
    for (uint32_t i = 0; i < rows->n; i++) {
        struct row *row = &rows->items[i];
        if (strcmp(row->kernel, info->kernel) == 0 && row->threads == info->work_items &&
            row->buffer == info->buffer_bytes) {
            row->n_launches++;
            return;
        }
    }
    struct row *row = add_row(rows, info->kernel);
    row->has_threads = row->has_buffer = true;
    row->threads = info->work_items;
    row->buffer = info->buffer_bytes;
    row->n_launches = 1;
}

/* Runs it without timing, to see what it launches. */
static enum heddle_status watch_launches(const struct workload *w, const struct workload_size *size,
                                         uint64_t seed, struct rows *rows)
{
    struct heddle_options options = {.struct_size = sizeof options};
    struct heddle_sim *sim = NULL;
    struct workload_result result = {0};
    enum heddle_status status = heddle_create(&options, &sim);
    if (status != HEDDLE_OK) {
        output_failure(heddle_error(sim));
    } else {
        struct device *device = device_create_heddle(sim);
        device_observe(device, on_launch, rows);
        if (!workload_run(w, size, seed, device, &result)) {
            output_failure(strbuf_text(&result.message));
            status = result.status;
        }
        device_destroy(device);
    }
    workload_result_destroy(&result);
    heddle_destroy(sim);
    return status;
}

static enum heddle_status of_workload(const struct hetero_options *o, const struct workload *w,
                                      struct rows *rows)
{
    struct ptx_module *module = NULL;
    struct diag_list diags = {0};
    const struct workload_size *size = NULL;
    enum heddle_status status = HEDDLE_OK;
    if (o->threads.is_given || o->buffer.is_given || o->build_options) {
        output_error("%s is a workload: its own launches tell threads and buffers", w->name);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = pick_size(w, o->size ? o->size : "small", &rows->arena, &size);
    if (status == HEDDLE_OK)
        status =
            watch_launches(w, size, o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED, rows);
    if (status == HEDDLE_OK)
        status = ptx_load_opencl(w->name, w->source, w->build_options, &module, &diags);
    if (status == HEDDLE_OK)
        status = count_rows(module, rows);
    ptx_module_destroy(module);
    diag_list_destroy(&diags);
    return status;
}

/* --- Printing --- */

static void print_json(const struct rows *rows, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];
        json_begin_object(&w, NULL);
        json_string(&w, "kernel", row->kernel);
        if (row->n_launches)
            json_uint(&w, "launches", row->n_launches);
        for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
            if (!hetero_features[f].is_of_launch)
                json_uint(&w, hetero_features[f].name, row->counts.n[f]);
        if (row->has_threads)
            json_uint(&w, hetero_features[HETERO_THREADS].name, row->threads);
        if (row->has_buffer)
            json_uint(&w, hetero_features[HETERO_BUFFER].name, row->buffer);
        json_end_object(&w);
    }
    json_end_array(&w);
}

/* A column a kernel, since there are more features than kernels. */
static void print_text(const struct rows *rows, struct strbuf *out)
{
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];
        struct table t = {.n_columns = 3, .right = "lrl"};
        strbuf_addf(out, "%skernel %s", i ? "\n" : "", row->kernel);
        if (row->n_launches)
            strbuf_addf(out, ", %" PRIu64 " launch%s", row->n_launches,
                        row->n_launches == 1 ? "" : "es");
        strbuf_add(out, "\n");
        for (uint32_t f = 0; f < HETERO_N_FEATURES; f++) {
            bool is_known = f == HETERO_THREADS  ? row->has_threads
                            : f == HETERO_BUFFER ? row->has_buffer
                                                 : true;
            uint64_t value = f == HETERO_THREADS  ? row->threads
                             : f == HETERO_BUFFER ? row->buffer
                                                  : row->counts.n[f];
            table_cell(&t, "  %s", hetero_features[f].name);
            if (is_known)
                table_count(&t, value);
            else
                table_cell(&t, "-");
            table_cell(&t, "%s", hetero_features[f].meaning);
        }
        table_print(&t, out);
        table_destroy(&t);
    }
}

enum heddle_status hetero_cmd_features(const struct hetero_options *o, const char *what,
                                       struct strbuf *out)
{
    struct rows rows = {0};
    const struct workload *w = workload_find(what);
    enum heddle_status status;
    if (w)
        status = of_workload(o, w, &rows);
    else if (!ptx_is_file(what) && !strchr(what, '/'))
        status = output_unknown_workload(what);
    else if (o->size || o->seed.is_given) {
        output_error("--size and --seed are for workloads, and %s is a file", what);
        status = HEDDLE_BAD_INPUT;
    } else
        status = of_file(o, what, &rows);
    if (status == HEDDLE_OK && o->json)
        print_json(&rows, out);
    else if (status == HEDDLE_OK)
        print_text(&rows, out);
    free(rows.items);
    arena_destroy(&rows.arena);
    return status;
}
