#include "cli/hetero_launches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/ptx_load.h"

struct hetero_row *hetero_add_row(struct hetero_launches *rows, const char *kernel)
{
    ARRAY_RESERVE(rows->items, rows->cap, rows->n + 1);
    struct hetero_row *row = &rows->items[rows->n++];
    *row = (struct hetero_row){.kernel = arena_strdup(&rows->arena, kernel)};
    return row;
}

void hetero_launches_destroy(struct hetero_launches *rows)
{
    free(rows->items);
    free(rows->row_of);
    arena_destroy(&rows->arena);
    *rows = (struct hetero_launches){0};
}

/* --- Counting --- */

/* "function f, t.ptx:12 (t.cl:3): call g;" */
static void describe(const struct ptx_module *m, const struct hetero_doubt *d, struct strbuf *out)
{
    const struct ptx_inst *i = d->inst;
    strbuf_addf(out, "function %s, %s:%u", d->func->name, m->name, i->line);
    if (i->loc_line && i->loc_file < m->n_files && m->files[i->loc_file])
        strbuf_addf(out, " (%s:%u)", m->files[i->loc_file], i->loc_line);
    strbuf_add(out, ": ");
    ptx_print_inst(d->func, i, out);
}

static void warn(const struct ptx_module *m, const char *kernel, const struct hetero_doubt *d,
                 const char *one, const char *many)
{
    if (d->n == 0)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text, "heddle: warning: kernel %s: ", kernel);
    if (d->n == 1)
        strbuf_addf(&text, "%s, in ", one);
    else
        strbuf_addf(&text, "%" PRIu64 " %s; the first is in ", d->n, many);
    describe(m, d, &text);
    strbuf_add(&text, "\n");
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

static bool count_row(const struct ptx_module *module, struct hetero_row *row, struct strbuf *why)
{
    const struct ptx_func *kernel = ptx_find_func(module, row->kernel);
    if (!hetero_count(kernel, &row->counts, why))
        return false;
    warn(module, row->kernel, &row->counts.unknown_calls,
         "a call of an unknown function, of which only the call is counted",
         "calls of unknown functions, of which only the calls are counted");
    warn(module, row->kernel, &row->counts.unsupported,
         "an instruction that Heddle cannot execute, counted by its name and types",
         "instructions that Heddle cannot execute, counted by their names and types");
    return true;
}

/* All launches, or nothing. */
static enum heddle_status count_launches(const struct ptx_module *module,
                                         struct hetero_launches *rows)
{
    struct strbuf why = {0};
    uint32_t n = 0;
    while (n < rows->n && count_row(module, &rows->items[n], &why))
        n++;
    if (n < rows->n)
        output_error("kernel %s: %s", rows->items[n].kernel, strbuf_text(&why));
    strbuf_destroy(&why);
    return n < rows->n ? HEDDLE_BAD_INPUT : HEDDLE_OK;
}

static void say_left_out(bool is_error, const char *kernel, const struct strbuf *why)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "heddle: %s: kernel %s%s: %s\n", is_error ? "error" : "warning", kernel,
                is_error ? "" : " is left out", strbuf_text(why));
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

enum heddle_status hetero_count_kernels(const struct ptx_module *module,
                                        struct hetero_launches *rows)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        struct strbuf why = {0};
        bool ok = count_row(module, &rows->items[i], &why);
        if (!ok)
            say_left_out(n == 0 && i + 1 == rows->n, rows->items[i].kernel, &why);
        else
            rows->items[n++] = rows->items[i];
        strbuf_destroy(&why);
    }
    rows->n = n;
    return n ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

/* --- Workloads --- */

static uint32_t find_row(const struct hetero_launches *rows, const struct device_launch_info *info)
{
    uint32_t i = 0;
    for (; i < rows->n; i++) {
        const struct hetero_row *row = &rows->items[i];
        if (strcmp(row->kernel, info->kernel) == 0 && row->threads == info->work_items &&
            row->buffer == info->buffer_bytes)
            break;
    }
    return i;
}

static void on_launch(void *user, const struct device_launch_info *info)
{
    struct hetero_launches *rows = user;
    uint32_t i = find_row(rows, info);
    if (i == rows->n) {
        struct hetero_row *row = hetero_add_row(rows, info->kernel);
        row->has_threads = row->has_buffer = true;
        row->threads = info->work_items;
        row->buffer = info->buffer_bytes;
    }
    rows->items[i].n_launches++;
    ARRAY_RESERVE(rows->row_of, rows->cap_launches, rows->n_launches + 1);
    rows->row_of[rows->n_launches++] = i;
}

/* Runs it without timing, to see what it launches. */
static enum heddle_status watch_launches(const struct workload *w, const struct workload_size *size,
                                         uint64_t seed, struct hetero_launches *rows)
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

enum heddle_status hetero_watch(const struct workload *w, const struct workload_size *size,
                                uint64_t seed, struct hetero_launches *rows)
{
    struct ptx_module *module = NULL;
    struct diag_list diags = {0};
    enum heddle_status status = watch_launches(w, size, seed, rows);
    if (status == HEDDLE_OK)
        status = ptx_load_opencl(w->name, w->source, w->build_options, &module, &diags);
    if (status == HEDDLE_OK)
        status = count_launches(module, rows);
    ptx_module_destroy(module);
    diag_list_destroy(&diags);
    return status;
}
