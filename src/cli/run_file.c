/* Runs one kernel of a file: buffers from the arguments, one launch, results to files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_status.h"
#include "cli/kernel_arg.h"
#include "cli/kernel_name.h"
#include "cli/output.h"
#include "cli/run_oracle.h"
#include "cli/run_watch.h"
#include "lab/demangle.h"
#include "lab/idle_mechanisms.h"
#include "workloads/workload.h"

struct file_run {
    const struct run_context *run;
    const char *path;
    struct arena arena;
    struct heddle_sim *sim;
    struct run_watch watch;
    struct heddle_module *module;
    const char *kernel;
    struct kernel_arg *specs;
    struct heddle_arg *args;
    uint64_t *addresses; /* of the buffers among the arguments */
    uint32_t n_args;
};

static void add_heading(const struct file_run *f, const char *what, struct strbuf *out)
{
    struct arena arena = {0};
    strbuf_addf(out, "%s: %s %s on %s\n", f->path, demangle_kernel(&arena, f->kernel), what,
                f->run->gpu->name);
    arena_destroy(&arena);
}

/* Output for a failed run: with JSON the error, and the statistics if it was stopped at a limit. */
static void print_failure(const struct file_run *f, enum heddle_status status)
{
    enum run_extent extent = run_extent(f->sim, status);
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    if (f->run->options->json) {
        json_begin_object(&w, NULL);
        json_string(&w, "file", f->path);
        json_string(&w, "kernel", f->kernel);
        json_string(&w, "heddle_version", heddle_version());
        run_json_failure(f->run, f->sim, status, &w);
        if (extent == RUN_PARTIAL)
            run_watch_json(&f->watch, f->run->options, &w);
        json_end_object(&w);
    } else if (!f->run->options->quiet && extent == RUN_PARTIAL) {
        add_heading(f, "was stopped", &text);
        run_print_extent(RUN_PARTIAL, status, &text);
        if (!run_is_attributed(f->run->options))
            run_print_stats(f->sim, NULL, &text);
        run_watch_print(&f->watch, f->run->options, f->sim, &text);
    }
    output_take(&text);
}

static enum heddle_status end_watch(struct file_run *f, enum run_extent extent)
{
    run_watch_note(&f->watch, "file", f->path);
    run_watch_note(&f->watch, "kernel", f->kernel);
    return run_watch_end(&f->watch, extent);
}

/* Reports a failure of the library to the user. */
static enum heddle_status report(struct file_run *f, enum heddle_status status)
{
    if (status == HEDDLE_OK)
        return status;
    run_print_error(f->run->options, NULL, heddle_error(f->sim));
    if (run_extent(f->sim, status) == RUN_PARTIAL)
        end_watch(f, RUN_PARTIAL);
    print_failure(f, status);
    return status;
}

static enum heddle_status parse_args(struct file_run *f)
{
    const struct text_list *texts = &f->run->options->args;
    f->n_args = texts->n;
    f->specs = ARENA_ARRAY(&f->arena, struct kernel_arg, texts->n);
    f->args = ARENA_ARRAY(&f->arena, struct heddle_arg, texts->n);
    f->addresses = ARENA_ARRAY(&f->arena, uint64_t, texts->n);
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < texts->n; i++) {
        strbuf_clear(&why);
        if (kernel_arg_parse(texts->items[i], &f->arena, &f->specs[i], &why))
            continue;
        output_error("--arg %s: %s", texts->items[i], strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&why);
    return status;
}

/* The kernels of a module that --entry may refer to. */
struct candidates {
    const char **names, **source_names, **matching;
    uint32_t n, n_matching;
};

/* Collects the kernels that `wanted` names: all of them if it is NULL, the one with exactly that
 * name, or those with that name in their source, before C++ added the parameter types. */
static void find_candidates(struct file_run *f, const char *wanted, struct candidates *c)
{
    c->n = heddle_kernel_count(f->module);
    c->names = ARENA_ARRAY(&f->arena, const char *, c->n);
    c->source_names = ARENA_ARRAY(&f->arena, const char *, c->n);
    c->matching = ARENA_ARRAY(&f->arena, const char *, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        c->names[i] = heddle_kernel_name(f->module, i);
        c->source_names[i] = kernel_name_in_source(&f->arena, c->names[i]);
        if (wanted && strcmp(c->names[i], wanted) == 0) {
            c->matching[0] = c->names[i];
            c->n_matching = 1;
            return;
        }
        if (!wanted || strcmp(c->source_names[i], wanted) == 0)
            c->matching[c->n_matching++] = c->names[i];
    }
}

/* The kernel named by --entry, or the only one. */
static enum heddle_status choose_kernel(struct file_run *f)
{
    const char *wanted = f->run->options->entry;
    struct candidates c = {0};
    find_candidates(f, wanted, &c);
    if (c.n_matching == 1) {
        f->kernel = c.matching[0];
        return HEDDLE_OK;
    }
    bool is_ambiguous = wanted && c.n_matching;
    const char **listed = is_ambiguous ? c.matching : c.source_names;
    uint32_t n_listed = is_ambiguous ? c.n_matching : c.n;
    struct strbuf list = {0};
    for (uint32_t i = 0; i < n_listed; i++)
        strbuf_addf(&list, "%s%s", i ? ", " : "", listed[i]);
    enum heddle_status status = HEDDLE_BAD_INPUT;
    if (c.n == 0)
        output_error("%s: this file contains no kernel", f->path);
    else if (c.n_matching == 0)
        status = output_unknown("kernel", wanted, c.source_names, c.n, strbuf_text(&list));
    else
        output_error("%s has several kernels%s%s; choose one with --entry: %s", f->path,
                     wanted ? " called " : "", wanted ? wanted : "", strbuf_text(&list));
    strbuf_destroy(&list);
    return status;
}

static bool declares_pointers(const struct file_run *f)
{
    struct heddle_param_info param;
    for (uint32_t i = 0; heddle_kernel_param(f->module, f->kernel, i, &param); i++)
        if (param.space != HEDDLE_PARAM_VALUE)
            return true;
    return false;
}

/* Checks against the kernel's signature; the launch checks sizes and their number. */
static enum heddle_status check_args(struct file_run *f)
{
    enum heddle_status status = HEDDLE_OK;
    struct heddle_param_info param;
    struct strbuf why = {0}, warnings = {0};
    bool declared = declares_pointers(f);
    for (uint32_t i = 0; i < f->n_args; i++) {
        if (!heddle_kernel_param(f->module, f->kernel, i, &param))
            break;
        const char *text = f->run->options->args.items[i];
        strbuf_clear(&why);
        switch (kernel_arg_fits(&f->specs[i], &param, declared, &why)) {
        case KERNEL_ARG_FITS:
            break;
        case KERNEL_ARG_DOUBTFUL:
            strbuf_addf(&warnings, "warning: --arg %s, argument %u: %s\n", text, i + 1,
                        strbuf_text(&why));
            break;
        case KERNEL_ARG_MISFIT:
            output_error("--arg %s, argument %u of '%s': %s", text, i + 1,
                         kernel_name_in_source(&f->arena, f->kernel), strbuf_text(&why));
            status = HEDDLE_BAD_INPUT;
        }
    }
    output_warnings(strbuf_text(&warnings));
    strbuf_destroy(&why);
    strbuf_destroy(&warnings);
    return status;
}

/* Reads the initial contents of a buffer into `contents`, and determines its size. */
static enum heddle_status read_contents(const struct kernel_arg *spec, struct strbuf *contents,
                                        uint64_t *bytes)
{
    *bytes = spec->bytes;
    if (spec->in_file) {
        int error = strbuf_read_file(contents, spec->in_file);
        if (error) {
            output_error("cannot read %s: %s", spec->in_file, strerror(error));
            return file_read_status(error);
        }
        if (!spec->bytes)
            *bytes = contents->len;
        if (contents->len > *bytes || !*bytes) {
            output_error("%s has %zu bytes, which do not fit into a buffer of %llu", spec->in_file,
                         contents->len, (unsigned long long)*bytes);
            return HEDDLE_BAD_INPUT;
        }
    }
    return HEDDLE_OK;
}

/* A file's contents, or random bits in pieces, so that the host need not hold them all. The rest is
 * zero initially. */
static enum heddle_status fill_buffer(struct file_run *f, uint64_t address, uint64_t bytes,
                                      const struct kernel_arg *spec, const struct strbuf *contents)
{
    uint64_t piece[8192];
    struct workload_rng rng = {spec->seed};
    if (contents->len) {
        enum heddle_status status = heddle_write(f->sim, address, contents->text, contents->len);
        if (status != HEDDLE_OK)
            return report(f, status);
    }
    for (uint64_t at = 0; spec->is_random && at < bytes; at += sizeof piece) {
        for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++)
            piece[i] = workload_rng_u64(&rng);
        uint64_t n = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        enum heddle_status status = heddle_write(f->sim, address + at, piece, n);
        if (status != HEDDLE_OK)
            return report(f, status);
    }
    return HEDDLE_OK;
}

static enum heddle_status make_buffer(struct file_run *f, uint32_t i)
{
    struct kernel_arg *spec = &f->specs[i];
    struct strbuf contents = {0};
    enum heddle_status status = read_contents(spec, &contents, &spec->bytes);
    if (status == HEDDLE_OK) {
        const char *label =
            arena_printf(&f->arena, "argument %u (%s)", i + 1, f->run->options->args.items[i]);
        status = report(f, heddle_alloc(f->sim, spec->bytes, label, &f->addresses[i]));
    }
    if (status == HEDDLE_OK)
        status = fill_buffer(f, f->addresses[i], spec->bytes, spec, &contents);
    strbuf_destroy(&contents);
    f->args[i] = (struct heddle_arg){.data = &f->addresses[i], .bytes = sizeof f->addresses[i]};
    return status;
}

static enum heddle_status make_args(struct file_run *f)
{
    for (uint32_t i = 0; i < f->n_args; i++) {
        const struct kernel_arg *spec = &f->specs[i];
        if (spec->kind == KERNEL_ARG_BUFFER) {
            enum heddle_status status = make_buffer(f, i);
            if (status != HEDDLE_OK)
                return status;
        } else {
            f->args[i] = (struct heddle_arg){.data = spec->data,
                                             .bytes = (size_t)spec->bytes,
                                             .local = spec->kind == KERNEL_ARG_LOCAL};
        }
    }
    return HEDDLE_OK;
}

static enum heddle_status launch(struct file_run *f)
{
    const struct run_options *o = f->run->options;
    struct heddle_launch launch = {
        .shared_bytes = o->shared_bytes, .args = f->args, .n_args = f->n_args};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = o->grid.v[i];
        launch.block[i] = o->block.v[i];
        launch.global_offset[i] = o->offset.v[i];
    }
    enum heddle_status status = heddle_launch(f->sim, f->module, f->kernel, &launch);
    return report(f, status == HEDDLE_OK ? heddle_finish(f->sim) : status);
}

static enum heddle_status write_results(struct file_run *f)
{
    for (uint32_t i = 0; i < f->n_args; i++) {
        const struct kernel_arg *spec = &f->specs[i];
        if (!spec->out_file)
            continue;
        void *data = xcalloc(1, spec->bytes);
        enum heddle_status status =
            report(f, heddle_read(f->sim, f->addresses[i], data, spec->bytes));
        if (status == HEDDLE_OK)
            status = output_file(spec->out_file, data, spec->bytes);
        free(data);
        if (status != HEDDLE_OK)
            return status;
    }
    return HEDDLE_OK;
}

static enum heddle_status print_result(const struct file_run *f)
{
    const struct run_options *o = f->run->options;
    struct strbuf text = {0};
    if (o->json) {
        struct json_writer w = {.out = &text};
        json_begin_object(&w, NULL);
        json_string(&w, "file", f->path);
        json_string(&w, "kernel", f->kernel);
        json_string(&w, "heddle_version", heddle_version());
        run_json_outcome(f->sim, HEDDLE_OK, NULL, &w);
        run_json_machine(f->run, &w);
        run_json_stats(f->sim, &f->watch.locality, &w);
        run_json_kernels(f->sim, &w);
        run_watch_json(&f->watch, o, &w);
        json_end_object(&w);
    } else if (!o->quiet) {
        add_heading(f, "completed", &text);
        run_watch_print_result(&f->watch, o, f->sim, &text);
    }
    return output_take(&text);
}

static enum heddle_status do_run(struct file_run *f)
{
    enum heddle_status status = parse_args(f);
    if (status == HEDDLE_OK)
        status = run_create_sim(f->run, &f->watch.attribution, &f->sim);
    if (status == HEDDLE_OK)
        status = report(
            f, heddle_load_file(f->sim, f->path, f->run->options->build_options, &f->module));
    if (status == HEDDLE_OK)
        status = choose_kernel(f);
    if (status == HEDDLE_OK)
        status = check_args(f);
    if (status == HEDDLE_OK)
        status = make_args(f);
    if (status == HEDDLE_OK)
        status = run_watch_begin(&f->watch, f->run->options, f->sim, f->path);
    const struct run_spectator *spectator = f->run->spectator;
    if (status == HEDDLE_OK && spectator)
        spectator->begin(spectator->user, f->sim);
    if (status == HEDDLE_OK)
        status = launch(f);
    if (status == HEDDLE_OK)
        status = run_oracle_check(f->sim, NULL);
    if (status == HEDDLE_OK)
        status = end_watch(f, RUN_WHOLE);
    if (status == HEDDLE_OK)
        status = write_results(f);
    if (status == HEDDLE_OK && spectator)
        spectator->end(spectator->user, f->sim);
    if (f->sim && !spectator) /* L2 may have dropped results */
        output_warnings(heddle_warnings(f->sim));
    if (status == HEDDLE_OK && !spectator)
        run_warn_of_no_atomics(f->run, idle_mechanisms_has_atomics(f->sim));
    if (status == HEDDLE_OK)
        status = print_result(f);
    return run_check_stale(f->run->options, f->sim, status);
}

enum heddle_status run_file(const struct run_context *run, const char *path)
{
    struct file_run f = {.run = run, .path = path};
    enum heddle_status status = do_run(&f);
    run_watch_destroy(&f.watch);
    heddle_destroy(f.sim);
    arena_destroy(&f.arena);
    return status;
}
