/* The filters of an experiment: `only` and `except`, each a list of conditions, a condition a map
 * of coordinates and the values that fit: {workload: kmn, l1d.n_ways: [4, 8]}. A point is admitted
 * if it meets one of `only` (if there is one) and none of `except`. */
#ifndef HEDDLE_LAB_SPEC_FILTER_H
#define HEDDLE_LAB_SPEC_FILTER_H

#include "lab/point.h"
#include "lab/yaml_doc.h"

struct filter_test {
    const char *name;
    yaml_node_t *values, *key;
    bool *value_was_met; /* by value: has any point had it */
    bool name_was_met;
};

struct filter_condition {
    struct filter_test *tests;
    uint32_t n_tests;
    bool is_exception;
};

/* A zeroed struct admits everything. */
struct filter {
    struct arena arena;
    struct yaml_doc *doc;
    struct filter_condition *conditions;
    uint32_t n, cap;
};

void filter_read(struct filter *f, struct yaml_doc *d, const yaml_node_t *experiment);
bool filter_admits(struct filter *f, const struct point *p);
/* Complains of names and values that no point had: a filter that does nothing is a mistake. Ends
 * the filter. */
void filter_finish(struct filter *f, struct yaml_doc *d);

#endif
