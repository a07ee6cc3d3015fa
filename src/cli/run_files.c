/* The files that a run reads and writes. */
#include <string.h>

#include "cli/file_uses.h"
#include "cli/kernel_arg.h"
#include "cli/run.h"

/* A buffer may be written to the file it came from: one argument gives both. Invalid arguments are
 * reported later. */
static void add_arguments(struct file_uses *uses, const struct text_list *args, struct arena *arena)
{
    struct strbuf why = {0};
    for (uint32_t i = 0; i < args->n; i++) {
        struct kernel_arg a = {0};
        if (!kernel_arg_parse(args->items[i], arena, &a, &why))
            continue;
        if (!a.out_file || !a.in_file || strcmp(a.in_file, a.out_file) != 0)
            file_uses_read(uses, a.in_file);
        file_uses_write(uses, "--arg", a.out_file);
    }
    strbuf_destroy(&why);
}

static void add_files_that_are_read(struct file_uses *uses, const struct run_context *run)
{
    const struct run_options *o = run->options;
    const struct bound_param *times = param_set_find(&run->gpu->params, "criticality.file");
    file_uses_read(uses, o->replay);
    file_uses_read(uses, o->annotations);
    file_uses_read_gpu(uses, o->gpu);
    for (uint32_t i = 0; i < o->plugins.n; i++)
        file_uses_read(uses, o->plugins.items[i]);
    if (times && times->param->type == PARAM_TYPE_STRING)
        file_uses_read(uses,
                       *(const char *const *)((const char *)times->values + times->param->offset));
}

enum heddle_status run_check_files(const struct run_context *run, const char *kernel_file)
{
    const struct run_options *o = run->options;
    struct file_uses uses = {0};
    struct arena arena = {0};
    file_uses_read(&uses, kernel_file);
    add_files_that_are_read(&uses, run);
    add_arguments(&uses, &o->args, &arena);
    file_uses_write(&uses, "--record", o->record);
    file_uses_write(&uses, "--record-l1d", o->record_l1d);
    file_uses_write(&uses, "--record-decisions", o->record_decisions);
    file_uses_write(&uses, "--series-out", o->series_out);
    file_uses_write(&uses, "--attribute-out", o->attribute_out);
    file_uses_write(&uses, "--timeline", o->timeline);
    enum heddle_status status = file_uses_check(&uses);
    arena_destroy(&arena);
    return status;
}
