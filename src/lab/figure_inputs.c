/* The inputs of a figure: all of one size, or some workloads with their own sizes. */
#include <string.h>

#include "lab/figure_internal.h"

bool figure_has_one_size(const struct figure *f)
{
    for (uint32_t i = 1; i < f->spec.n_points; i++)
        if (strcmp(f->spec.points[i].size->name, f->spec.points[0].size->name) != 0)
            return false;
    return true;
}

const char *figure_size_at(struct figure *f, const char *x)
{
    const char *size = NULL;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        const char *its = figure_coordinate(f, p, f->x_axis);
        if (!its || strcmp(its, x) != 0)
            continue; /* a point that only serves as a reference may have no x */
        if (size && strcmp(size, p->size->name) != 0)
            return NULL;
        size = p->size->name;
    }
    return size;
}

/* The size of most points. */
static const char *usual_size(const struct figure *f)
{
    const char *usual = "";
    uint32_t most = 0;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < f->spec.n_points; k++)
            n += strcmp(f->spec.points[k].size->name, f->spec.points[i].size->name) == 0;
        if (n > most) {
            most = n;
            usual = f->spec.points[i].size->name;
        }
    }
    return usual;
}

void figure_describe_inputs(const struct figure *f, struct strbuf *out)
{
    const char *usual = usual_size(f), *separator = " (";
    const struct workload *last = NULL;
    if (strcmp(usual, point_no_input.name) == 0)
        strbuf_add(out, "CPU programs alone");
    else
        strbuf_addf(out, "inputs of size %s", usual);
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        bool is_new = strcmp(p->size->name, usual) != 0;
        for (uint32_t k = 0; is_new && k < i; k++)
            is_new = f->spec.points[k].workload != p->workload ||
                     strcmp(f->spec.points[k].size->name, p->size->name) != 0;
        if (!is_new)
            continue;
        strbuf_addf(out, "%s%s: %s", separator, p->workload->name, p->size->name);
        separator = ", ";
        last = p->workload;
    }
    strbuf_addf(out, "%s on %s", last ? ")" : "", f->spec.points[0].gpu.text);
}
