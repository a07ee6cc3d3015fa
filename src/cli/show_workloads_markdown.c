/* doc/workloads.md: the descriptors of the workloads as one page. */
#include "cli/show.h"
#include "workloads/workload.h"

static const char *or_blank(const char *text)
{
    return text ? text : "";
}

static void add_overview(struct strbuf *out)
{
    strbuf_add(out,
               "| name | title | from | S2 | S3 ch. 3 | S3 ch. 4 | S3 ch. 5 | S3 ch. 6 | S4 |\n"
               "|---|---|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        const struct workload_categories *c = &w->categories;
        strbuf_addf(out, "| [`%s`](#%s) | %s | %s | %s | %s | %s | %s | %s | %s |\n", w->name,
                    w->name, w->title, w->origin, or_blank(c->s2), or_blank(c->s3_ch3),
                    or_blank(c->s3_ch4), or_blank(c->s3_ch5), or_blank(c->s3_ch6), or_blank(c->s4));
    }
}

static void add_sizes(const struct workload *w, struct strbuf *out)
{
    uint32_t n_params = 0;
    strbuf_add(out, "| size |");
    for (; n_params < WORKLOAD_PARAMS && w->param_names[n_params]; n_params++)
        strbuf_addf(out, " %s |", w->param_names[n_params]);
    strbuf_add(out, "\n|---|");
    for (uint32_t p = 0; p < n_params; p++)
        strbuf_add(out, "---:|");
    for (const struct workload_size *s = w->sizes; s->name; s++) {
        strbuf_addf(out, "\n| `%s` |", s->name);
        for (uint32_t p = 0; p < n_params; p++) {
            strbuf_add_char(out, ' ');
            workload_print_param(w, s, p, out);
            strbuf_add(out, " |");
        }
    }
    strbuf_add_char(out, '\n');
}

static void add_inputs(const struct workload *w, struct strbuf *out)
{
    if (!w->inputs)
        return;
    strbuf_add(out, "\n| input | values | meaning |\n|---|---|---|\n");
    for (const struct workload_input *input = w->inputs; input->name; input++) {
        strbuf_addf(out, "| `%s` | ", input->name);
        workload_print_range(input, out);
        strbuf_addf(out, " | %s |\n", input->meaning);
    }
}

void show_workloads_markdown(struct strbuf *out)
{
    strbuf_add(
        out,
        "# The workloads\n\n"
        "<!-- Written by `heddle show workloads --markdown`; a test fails when it drifts. "
        "-->\n\n"
        "A workload consists of kernels in OpenCL C, a host part, and a reference in C that "
        "checks the result, all in\n`src/workloads/NAME`. Inputs are generated from a seed. The "
        "kernels are Heddle's own, written from\ndescriptions of the algorithms.\n\n"
        "In the table, \"from\" names the suite from which the papers took the program. The last "
        "columns give the\nclass of the workload in each paper. Below, some workloads list "
        "inputs. `SIZE:NAME=VALUE:NAME=VALUE`\ninstead of a size changes them: `heddle run bfs "
        "--size paper-s4:graph=tree:edges=2M`.\n\n");
    add_overview(out);
    strbuf_add(out, "\n```\n");
    show_papers(out);
    strbuf_add(out, "```\n");
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        strbuf_addf(out, "\n## %s\n\n%s (%s). %s\n\n", w->name, w->title, w->paper_name,
                    w->summary);
        add_sizes(w, out);
        add_inputs(w, out);
    }
}
