#include "base/json.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"
#include "workloads/workload.h"

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void json_sizes(const struct workload *w, struct json_writer *j)
{
    json_begin_array(j, "sizes");
    for (const struct workload_size *s = w->sizes; s->name; s++) {
        json_begin_object(j, NULL);
        json_string(j, "name", s->name);
        for (int p = 0; p < WORKLOAD_PARAMS && w->param_names[p]; p++)
            json_int(j, w->param_names[p], s->p[p]);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Choices of an input, whose numbers in the sizes count from 0, or its range. */
static void json_inputs(const struct workload *w, struct json_writer *j)
{
    json_begin_array(j, "inputs");
    for (const struct workload_input *input = w->inputs; input && input->name; input++) {
        json_begin_object(j, NULL);
        json_string(j, "name", input->name);
        json_string(j, "meaning", input->meaning);
        if (input->choices) {
            json_begin_array(j, "choices");
            for (uint32_t i = 0; input->choices[i]; i++)
                json_string(j, NULL, input->choices[i]);
            json_end_array(j);
        } else {
            json_int(j, "min", input->min);
            json_int(j, "max", input->max);
        }
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_workload(const struct workload *w, struct json_writer *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", w->name);
    json_string(j, "paper_name", w->paper_name);
    json_string(j, "title", w->title);
    json_string(j, "summary", w->summary);
    json_string(j, "origin", w->origin);
    json_begin_object(j, "categories");
    json_string(j, "s2", w->categories.s2);
    json_string(j, "s3-ch3", w->categories.s3_ch3);
    json_string(j, "s3-ch4", w->categories.s3_ch4);
    json_string(j, "s3-ch5", w->categories.s3_ch5);
    json_string(j, "s3-ch6", w->categories.s3_ch6);
    json_string(j, "s4", w->categories.s4);
    json_end_object(j);
    json_sizes(w, j);
    json_inputs(w, j);
    json_end_object(j);
}

static void print_workloads(struct strbuf *out)
{
    static const char *const titles[] = {"name",     "paper",    "title",    "S2", "S3 ch. 3",
                                         "S3 ch. 4", "S3 ch. 5", "S3 ch. 6", "S4"};
    struct table t = {.titles = titles, .n_columns = 9};
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        table_cell(&t, "%s", w->name);
        table_cell(&t, "%s", w->paper_name);
        table_cell(&t, "%s", w->title);
        table_cell(&t, "%s", or_dash(w->categories.s2));
        table_cell(&t, "%s", or_dash(w->categories.s3_ch3));
        table_cell(&t, "%s", or_dash(w->categories.s3_ch4));
        table_cell(&t, "%s", or_dash(w->categories.s3_ch5));
        table_cell(&t, "%s", or_dash(w->categories.s3_ch6));
        table_cell(&t, "%s", or_dash(w->categories.s4));
    }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add(out, "\nThe last six columns: the program's class in each paper.\n");
    show_papers(out);
    strbuf_add(out, "`heddle show workload NAME` describes one.\n");
}

enum heddle_status show_workloads(const struct show_options *o, const char *name,
                                  struct strbuf *out)
{
    (void)name;
    if (!o->json) {
        print_workloads(out);
        return HEDDLE_OK;
    }
    struct json_writer j = {.out = out};
    json_begin_array(&j, NULL);
    for (uint32_t i = 0; i < workload_count; i++)
        json_workload(workload_list[i], &j);
    json_end_array(&j);
    return HEDDLE_OK;
}

static void print_sizes(const struct workload *w, struct strbuf *out)
{
    uint32_t n_params = 0;
    const char *titles[1 + WORKLOAD_PARAMS] = {"size"};
    for (; n_params < WORKLOAD_PARAMS && w->param_names[n_params]; n_params++)
        titles[1 + n_params] = w->param_names[n_params];
    struct table t = {.titles = titles, .n_columns = 1 + n_params, .right = "lrrrrrr"};
    for (const struct workload_size *s = w->sizes; s->name; s++) {
        table_cell(&t, "%s", s->name);
        for (uint32_t p = 0; p < n_params; p++) {
            struct strbuf value = {0};
            workload_print_param(w, s, p, &value);
            table_cell(&t, "%s", strbuf_text(&value));
            strbuf_destroy(&value);
        }
    }
    table_print(&t, out);
    table_destroy(&t);
}

static void print_inputs(const struct workload *w, struct strbuf *out)
{
    static const char *const titles[] = {"input", "values", "meaning"};
    if (!w->inputs)
        return;
    struct table t = {.titles = titles, .n_columns = 3};
    for (const struct workload_input *input = w->inputs; input->name; input++) {
        struct strbuf range = {0};
        workload_print_range(input, &range);
        table_cell(&t, "%s", input->name);
        table_cell(&t, "%s", strbuf_text(&range));
        table_cell(&t, "%s", input->meaning);
        strbuf_destroy(&range);
    }
    strbuf_add(out, "\nInputs that --size SIZE:NAME=VALUE:... changes:\n\n");
    table_print(&t, out);
    table_destroy(&t);
}

enum heddle_status show_workload(const struct show_options *o, const char *name, struct strbuf *out)
{
    const struct workload *w = workload_find(name);
    if (!w)
        return output_unknown_workload(name);
    if (o->json) {
        struct json_writer j = {.out = out};
        json_workload(w, &j);
        return HEDDLE_OK;
    }
    strbuf_addf(out, "%s (%s): %s\n\n", w->name, w->paper_name, w->title);
    text_wrap(out, w->summary, 0, 0, 96);
    strbuf_addf(out,
                "\nFrom %s. Classes in the papers: S2 %s; S3 ch. 3 %s; S3 ch. 4 %s; S3 ch. 5 %s; "
                "S3 ch. 6 %s; S4 %s.\n\n",
                w->origin, or_dash(w->categories.s2), or_dash(w->categories.s3_ch3),
                or_dash(w->categories.s3_ch4), or_dash(w->categories.s3_ch5),
                or_dash(w->categories.s3_ch6), or_dash(w->categories.s4));
    print_sizes(w, out);
    print_inputs(w, out);
    strbuf_addf(out, "\n`heddle show kernels %s` lists its kernels and their arguments.\n",
                w->name);
    return HEDDLE_OK;
}
