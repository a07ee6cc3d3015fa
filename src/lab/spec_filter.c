#include "lab/spec_filter.h"

#include <stdlib.h>
#include <string.h>

static void read_condition(struct filter *f, struct yaml_doc *d, yaml_node_t *node,
                           bool is_exception)
{
    uint32_t n = yaml_pairs(d, node, "a condition such as {workload: kmn, scheduler: [lrr, gto]}");
    if (!n)
        return;
    ARRAY_RESERVE(f->conditions, f->cap, f->n + 1);
    struct filter_condition *c = &f->conditions[f->n++];
    *c = (struct filter_condition){.tests = ARENA_ARRAY(&f->arena, struct filter_test, n),
                                   .n_tests = 0,
                                   .is_exception = is_exception};
    for (uint32_t i = 0; i < n; i++) {
        yaml_node_t *key = yaml_key(d, node, i), *values = yaml_value(d, node, i);
        const char *name = yaml_scalar(d, key, "a name");
        bool ok = name != NULL;
        for (uint32_t v = 0; v < yaml_count(values); v++)
            ok = yaml_scalar(d, yaml_item(d, values, v), "a value") && ok;
        if (!ok)
            continue;
        c->tests[c->n_tests++] = (struct filter_test){
            .name = name,
            .key = key,
            .values = values,
            .value_was_met = ARENA_ARRAY(&f->arena, bool, yaml_count(values) + 1)};
    }
}

void filter_read(struct filter *f, struct yaml_doc *d, const yaml_node_t *experiment)
{
    static const char *const lists[] = {"only", "except"};
    f->doc = d;
    for (int list = 0; list < 2; list++) {
        yaml_node_t *node = yaml_find(d, experiment, lists[list]);
        for (uint32_t i = 0; node && i < yaml_count(node); i++)
            read_condition(f, d, yaml_item(d, node, i), list == 1);
    }
}

static bool meets_test(struct filter *f, struct filter_test *t, const struct point *p)
{
    struct strbuf value = {0};
    bool meets = false;
    if (point_coordinate(p, t->name, &value)) {
        t->name_was_met = true;
        for (uint32_t v = 0; v < yaml_count(t->values); v++) {
            const yaml_node_t *item = yaml_item(f->doc, t->values, v);
            if (strcmp((const char *)item->data.scalar.value, strbuf_text(&value)) == 0)
                meets = t->value_was_met[v] = true;
        }
    }
    strbuf_destroy(&value);
    return meets;
}

/* Makes every test, so that each learns which of its values occur. */
static bool meets(struct filter *f, struct filter_condition *c, const struct point *p)
{
    bool all = true;
    for (uint32_t i = 0; i < c->n_tests; i++)
        all = meets_test(f, &c->tests[i], p) && all;
    return all;
}

bool filter_admits(struct filter *f, const struct point *p)
{
    bool has_only = false, is_wanted = false, is_excepted = false;
    for (uint32_t i = 0; i < f->n; i++) {
        bool met = meets(f, &f->conditions[i], p);
        if (f->conditions[i].is_exception) {
            is_excepted |= met;
        } else {
            has_only = true;
            is_wanted |= met;
        }
    }
    return (is_wanted || !has_only) && !is_excepted;
}

static void check_test(const struct filter_test *t, struct yaml_doc *d)
{
    if (!t->name_was_met) {
        yaml_complain(d, t->key,
                      "coordinates are workload, size, seed, gpu, scheduler, l1d, llc, cpu, "
                      "atomics, the parameters that the experiment sets, and the inputs of "
                      "workloads",
                      "no point of the experiment has '%s'", t->name);
        return;
    }
    for (uint32_t v = 0; v < yaml_count(t->values); v++) {
        const yaml_node_t *item = yaml_item(d, t->values, v);
        if (!t->value_was_met[v])
            yaml_complain(d, item, "write it as the axis has it", "no point has %s '%s'", t->name,
                          (const char *)item->data.scalar.value);
    }
}

void filter_finish(struct filter *f, struct yaml_doc *d)
{
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t t = 0; t < f->conditions[i].n_tests; t++)
            check_test(&f->conditions[i].tests[t], d);
    free(f->conditions);
    arena_destroy(&f->arena);
    *f = (struct filter){0};
}
