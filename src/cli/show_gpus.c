#include <string.h>

#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"
#include "gpu/machine_config.h"

static const struct paper {
    const char *name, *citation;
} papers[] = {
#define PAPER(name, citation) {name, citation},
#include "config/papers.def"
#undef PAPER
};
enum { N_PAPERS = sizeof papers / sizeof papers[0] };

void show_papers(struct strbuf *out)
{
    bool is_mentioned[N_PAPERS];
    for (int i = 0; i < N_PAPERS; i++)
        is_mentioned[i] = strstr(strbuf_text(out), papers[i].name) != NULL;
    for (int i = 0; i < N_PAPERS; i++) {
        if (!is_mentioned[i])
            continue;
        strbuf_addf(out, "  %s  ", papers[i].name);
        text_wrap(out, papers[i].citation, 6, 6, 96);
    }
}

/* Loads a GPU; NULL on errors. Errors and warnings have been reported. */
static struct machine_config *load(const char *name, const struct text_list *settings)
{
    struct diag_list diags = {0};
    struct machine_config *c = machine_config_load(name, settings->items, settings->n, &diags);
    if (diags.n)
        output_complaints(&diags);
    diag_list_destroy(&diags);
    return c;
}

static void json_gpu(const struct gpu_config *gpu, struct json_writer *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", gpu->name);
    json_string(j, "description", gpu->description);
    param_set_json(&gpu->params, j, "parameters");
    json_end_object(j);
}

enum heddle_status show_gpus(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    static const char *const titles[] = {"name", "SMs", "warps/SM", "core MHz", "description"};
    struct table t = {.titles = titles, .n_columns = 5, .right = "lrrrl"};
    struct json_writer j = {.out = out};
    enum heddle_status status = HEDDLE_OK;
    if (o->json)
        json_begin_array(&j, NULL);
    for (uint32_t i = 0; i < n_gpu_names && status == HEDDLE_OK; i++) {
        struct machine_config *c = load(gpu_names[i], &(struct text_list){0});
        const struct gpu_config *gpu = c ? c->gpu : NULL;
        if (!gpu) {
            status = HEDDLE_BAD_INPUT;
        } else if (o->json) {
            json_gpu(gpu, &j);
        } else {
            table_cell(&t, "%s", gpu->name);
            table_cell(&t, "%u", gpu->n_sms);
            table_cell(&t, "%u", gpu->warps_per_sm);
            table_cell(&t, "%u", gpu->core_clock_mhz);
            table_cell(&t, "%s", gpu->description);
        }
        machine_config_destroy(c);
    }
    if (o->json) {
        json_end_array(&j);
    } else {
        table_print(&t, out);
        strbuf_addf(out,
                    "\n%s is the default. `heddle show gpu NAME` prints all its parameters; a "
                    ".yaml file of your own may use one of these as its base.\n",
                    gpu_names[0]);
    }
    table_destroy(&t);
    return status;
}

enum heddle_status show_gpu(const struct show_options *o, const char *name, struct strbuf *out)
{
    struct machine_config *c = load(name, &o->settings);
    if (!c)
        return HEDDLE_BAD_INPUT;
    const struct gpu_config *gpu = c->gpu;
    if (o->json) {
        struct json_writer j = {.out = out};
        json_gpu(gpu, &j);
    } else {
        param_set_print(&gpu->params, out);
        strbuf_add(out, "\n* not in the source, but chosen for the reason in brackets.\n");
        show_papers(out);
    }
    machine_config_destroy(c);
    return HEDDLE_OK;
}
