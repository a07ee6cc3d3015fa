/* heddle hetero features: the features of kernels and of their launches. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/hetero.h"
#include "cli/hetero_launches.h"
#include "cli/kernel_name.h"
#include "cli/output.h"
#include "cli/pick_size.h"
#include "cli/ptx_load.h"
#include "cli/table.h"

/* --- Files --- */

static enum heddle_status of_file(const struct hetero_options *o, const char *path,
                                  struct hetero_launches *rows)
{
    struct ptx_module *module = NULL;
    struct diag_list diags = {0};
    enum heddle_status status = ptx_load_file(path, o->build_options, &module, &diags);
    for (uint32_t i = 0; module && i < module->n_funcs; i++) {
        const struct ptx_func *f = module->funcs[i];
        if (!f->is_entry || !f->has_body)
            continue;
        struct hetero_row *row = hetero_add_row(rows, f->name);
        row->has_threads = o->threads.is_given;
        row->has_buffer = o->buffer.is_given;
        row->threads = o->threads.value;
        row->buffer = o->buffer.value;
    }
    if (status == HEDDLE_OK && rows->n == 0) {
        output_error("%s: it contains no kernel", path);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = hetero_count_kernels(module, rows);
    ptx_module_destroy(module);
    diag_list_destroy(&diags);
    return status;
}

/* --- Workloads --- */

static enum heddle_status of_workload(const struct hetero_options *o, const struct workload *w,
                                      struct hetero_launches *rows)
{
    const struct workload_size *size = NULL;
    enum heddle_status status = HEDDLE_OK;
    if (o->threads.is_given || o->buffer.is_given || o->build_options) {
        output_error("%s is a workload: its launches determine threads and buffers", w->name);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = pick_size(w, o->size ? o->size : "small", &rows->arena, &size);
    if (status == HEDDLE_OK)
        status =
            hetero_watch(w, size, o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED, rows);
    return status;
}

/* --- Printing --- */

static void print_json(const struct hetero_launches *rows, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct hetero_row *row = &rows->items[i];
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

/* One column per kernel, since there are more features than kernels. */
static void print_text(const struct hetero_launches *rows, struct strbuf *out)
{
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct hetero_row *row = &rows->items[i];
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
    struct hetero_launches rows = {0};
    const struct workload *w = workload_find(what);
    enum heddle_status status;
    if (w)
        status = of_workload(o, w, &rows);
    else if (!ptx_is_file(what) && !strchr(what, '/'))
        status = output_unknown_workload(what);
    else if (o->size || o->seed.is_given) {
        output_error("--size and --seed are for workloads, and %s is a file", what);
        status = HEDDLE_BAD_INPUT;
    } else if (o->build_options && !ptx_is_source(what)) {
        output_error("--build-options are for a compiler, and %s is not a .cl or .cu file", what);
        status = HEDDLE_BAD_INPUT;
    } else
        status = of_file(o, what, &rows);
    if (status == HEDDLE_OK && o->json)
        print_json(&rows, out);
    else if (status == HEDDLE_OK)
        print_text(&rows, out);
    hetero_launches_destroy(&rows);
    return status;
}
