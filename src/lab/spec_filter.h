/* The filters of an experiment: `only` and `except`, each a list of conditions. A condition is a
 * map of coordinates and matching values: {workload: kmn, l1d.n_ways: [4, 8]}. A point is admitted
 * if it meets one of `only` (if there is any) and none of `except`. */
#ifndef HEDDLE_LAB_SPEC_FILTER_H
#define HEDDLE_LAB_SPEC_FILTER_H

#include "lab/point.h"
#include "lab/yaml_doc.h"

struct filter_test {
    const char *name;
    yaml_node_t *values, *key;
    bool *value_was_met; /* by value: some point had it */
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
/* Reports names and values that no point had: a filter without effect is a mistake. Destroys the
 * filter. */
void filter_finish(struct filter *f, struct yaml_doc *d);

#endif
