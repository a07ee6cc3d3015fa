#include "icd/program_result.h"

#include <string.h>

#include "icd/launch_files.h"
#include "lab/result_json.h"

/* The program's name as the workload, its arguments as the size. */
static void json_program(struct json_writer *w)
{
    struct strbuf line = {0};
    launch_command_line(&line);
    char *name = line.text ? line.text : "", *rest = name + strcspn(name, " ");
    if (*rest)
        *rest++ = '\0';
    const char *slash = strrchr(name, '/');
    json_string(w, "workload", slash ? slash + 1 : name);
    json_string(w, "size", *rest ? rest : "-");
    strbuf_destroy(&line);
}

void program_result_write(struct _cl_device_id *d, const char *path)
{
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w, NULL);
    launch_json_origin(&w);
    json_program(&w);
    json_bool(&w, "complete", d->n_failed == 0);
    result_json_machine(d->config->gpu, d->platform->settings.functional ? NULL : d->config, &w);
    param_set_json_values(&d->config->gpu->params, &w, "config");
    result_json_stats(d->sim, NULL, &w);
    json_end_object(&w);
    launch_append_line(path, "the result", &text);
    strbuf_destroy(&text);
}
