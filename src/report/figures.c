/* The figures of papers for which the store has points. A figure may have been run with inputs of
 * another size (`heddle figure --size`): the size with most of its points is shown. */
#include <string.h>

#include "base/json.h"
#include "lab/figure.h"
#include "report/report_internal.h"

/* Which workloads, sizes and GPUs the store has; checked before the expensive computation of
 * keys. */
struct inputs {
    struct query_answer places; /* workload, size, GPU */
    struct query_answer sizes;
};

static bool knows_input(const struct inputs *in, const struct point *p)
{
    bool is_file = strpbrk(p->gpu.text, "./"); /* results have the name inside the file */
    for (uint32_t i = 0; i + 2 < in->places.n_cells; i += 3)
        if (strcmp(in->places.cells[i].text, p->workload->name) == 0 &&
            strcmp(in->places.cells[i + 1].text, p->size->name) == 0 &&
            (is_file || strcmp(in->places.cells[i + 2].text, p->gpu.text) == 0))
            return true;
    return false;
}

static bool may_have_points(const struct inputs *in, const struct figure *f)
{
    for (uint32_t i = 0; i < f->spec.n_points; i++)
        if (knows_input(in, &f->spec.points[i]))
            return true;
    return false;
}

/* The figure with inputs of a size (NULL = its own), and how many of its points the store has. A
 * figure that is not possible with them has none. */
static enum heddle_status try_figure(struct store *s, const struct inputs *in, const char *name,
                                     const char *size, struct figure *f)
{
    struct diag_list diags = {0};
    const struct spec_changes changes = {.size = size, .notes_missing = true};
    enum heddle_status status = HEDDLE_OK;
    bool is_read = figure_read(f, name, &changes, &diags) == HEDDLE_OK;
    if (is_read && !f->table && may_have_points(in, f)) {
        struct point_context context = spec_context(&f->spec, NULL, NULL);
        if (point_make_keys(f->spec.points, f->spec.n_points, &context, &diags) == HEDDLE_OK)
            status = figure_derive(f, s);
    }
    diag_list_destroy(&diags);
    return status;
}

static void add_figure(struct figure *f, const char *size, const char *store_name,
                       struct strbuf *out)
{
    struct strbuf text = {0};
    strbuf_add(out, "{\"inputs\":");
    figure_describe_inputs(f, &text);
    json_add_quoted(out, strbuf_text(&text));
    strbuf_clear(&text);
    strbuf_addf(&text, "heddle figure %s --store %s", f->name, store_name);
    if (size)
        strbuf_addf(&text, " --size %s", size);
    strbuf_add(out, ",\"command\":");
    json_add_quoted(out, strbuf_text(&text));
    strbuf_add(out, ",\"of\":");
    figure_json(f, out);
    strbuf_add(out, "}");
    strbuf_destroy(&text);
}

/* A figure that shares only a few points with what was run would be an empty drawing. */
static bool is_worth_drawing(const struct figure *f)
{
    enum { LEAST_SHARE = 4 }; /* a fourth */
    return f->n_found && LEAST_SHARE * f->n_found >= f->spec.n_points;
}

/* Adds the best of the sizes, if it has enough points or was requested. */
static enum heddle_status add_best(struct store *s, const struct inputs *in, const char *name,
                                   bool is_wanted, const char *store_name, bool *is_first,
                                   struct strbuf *out)
{
    struct figure best = {0};
    const char *best_size = NULL;
    enum heddle_status status = try_figure(s, in, name, NULL, &best);
    for (uint32_t i = 0; status == HEDDLE_OK && i < in->sizes.n_cells; i++) {
        struct figure other = {0};
        if (best.n_found && best.n_found == best.spec.n_points)
            break;
        status = try_figure(s, in, name, in->sizes.cells[i].text, &other);
        bool is_better = other.n_found > best.n_found;
        if (is_better)
            best_size = in->sizes.cells[i].text;
        figure_destroy(is_better ? &best : &other);
        if (is_better)
            best = other;
    }
    if (status == HEDDLE_OK && (is_wanted ? best.n_found > 0 : is_worth_drawing(&best))) {
        strbuf_add(out, *is_first ? "" : ",\n");
        *is_first = false;
        add_figure(&best, best_size, store_name, out);
    }
    figure_destroy(&best);
    return status;
}

enum heddle_status report_add_figures(struct store *s, const struct report_options *options,
                                      struct strbuf *out)
{
    struct inputs in = {0};
    bool is_first = true;
    enum heddle_status status = report_query(
        s, "SELECT DISTINCT workload, size, coalesce(gpu, '') FROM run WHERE state = 'done'",
        &in.places);
    if (status == HEDDLE_OK)
        status = report_query(s, "SELECT DISTINCT size FROM run WHERE state = 'done'", &in.sizes);
    strbuf_add(out, "\"figures\":[");
    for (uint32_t i = 0; status == HEDDLE_OK && i < n_figure_names; i++)
        status = add_best(s, &in, figure_names[i], false, options->store_name, &is_first, out);
    for (uint32_t i = 0; status == HEDDLE_OK && i < options->n_figures; i++)
        status = add_best(s, &in, options->figures[i], true, options->store_name, &is_first, out);
    strbuf_add(out, "],\n");
    query_answer_destroy(&in.places);
    query_answer_destroy(&in.sizes);
    return status;
}
