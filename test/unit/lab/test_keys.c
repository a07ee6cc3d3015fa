/* What the key of a point covers: the sources that it uses, and no others. The digests of this
 * program are the test's own, and change one at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/model.h"
#include "lab/spec.h"

const char lab_model_version[] = "all";

static char engine[] = "engine 1";

const char *model_engine_version(void)
{
    return engine;
}

static char lrr[] = "lrr 1", ccws[] = "ccws 1", lru[] = "lru 1", dlp[] = "dlp 1", none[] = "none 1",
            at_l2[] = "at_l2 1", atom_dir[] = "atom_dir 1", bfs[] = "bfs 1", ss[] = "ss 1";

const struct model_part *model_parts(uint32_t *n)
{
    static const struct model_part parts[] = {{"scheduler", "lrr", lrr},
                                              {"scheduler", "ccws", ccws},
                                              {"cache policy", "lru", lru},
                                              {"cache policy", "dlp", dlp},
                                              {"criticality", "none", none},
                                              {"atomics", "at_l2", at_l2},
                                              {"atomics", "atom_dir", atom_dir},
                                              {"workload", "bfs", bfs},
                                              {"workload", "ss", ss}};
    *n = sizeof parts / sizeof parts[0];
    return parts;
}

enum { N_POINTS = 16 };
static char keys[N_POINTS][HASH_TEXT_BYTES];

static void make_keys(struct spec *spec)
{
    static const char yaml[] = "workloads: [bfs, ss]\nsize: tiny\nschedulers: [lrr, ccws]\n"
                               "l1d: [lru, dlp]\natomics: [at_l2, atom_dir]\n";
    struct diag_list diags = {0};
    assert_int_equal(spec_load(spec, "e.yaml", yaml, &(struct spec_changes){0}, &diags), HEDDLE_OK);
    assert_int_equal(spec->n_points, N_POINTS);
    diag_list_destroy(&diags);
}

static int set_up(void **state)
{
    (void)state;
    struct spec spec = {0};
    make_keys(&spec);
    for (int i = 0; i < N_POINTS; i++)
        memcpy(keys[i], spec.points[i].key, sizeof keys[i]);
    spec_destroy(&spec);
    return 0;
}

/* With another digest there, the keys of points with `value` of the coordinate change, and no
 * others. NULL: those of all. */
static void expect_change(char *digest, const char *coordinate, const char *value)
{
    struct spec spec = {0};
    struct strbuf found = {0};
    char *last = digest + strlen(digest) - 1;
    uint32_t n_changed = 0;
    *last = '2';
    make_keys(&spec);
    *last = '1';
    for (int i = 0; i < N_POINTS; i++) {
        const struct point *p = &spec.points[i];
        bool changed = strcmp(p->key, keys[i]) != 0;
        bool uses = !coordinate ||
                    (point_coordinate(p, coordinate, &found) && strcmp(found.text, value) == 0);
        assert_int_equal(changed, uses);
        n_changed += changed;
    }
    assert_int_equal(n_changed, coordinate ? N_POINTS / 2 : N_POINTS);
    strbuf_destroy(&found);
    spec_destroy(&spec);
}

static void a_mechanism_changes_the_keys_of_its_points(void **state)
{
    (void)state;
    expect_change(lrr, "scheduler", "lrr");
    expect_change(ccws, "scheduler", "ccws");
    expect_change(dlp, "l1d", "dlp");
    expect_change(atom_dir, "atomics", "atom_dir");
    expect_change(at_l2, "atomics", "at_l2");
}

static void a_workload_changes_the_keys_of_its_points(void **state)
{
    (void)state;
    expect_change(bfs, "workload", "bfs");
    expect_change(ss, "workload", "ss");
}

/* LRU is L2's policy in all of them. */
static void what_all_points_use_changes_all_keys(void **state)
{
    (void)state;
    expect_change(engine, NULL, NULL);
    expect_change(lru, NULL, NULL);
    expect_change(none, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mechanism_changes_the_keys_of_its_points),
        cmocka_unit_test(a_workload_changes_the_keys_of_its_points),
        cmocka_unit_test(what_all_points_use_changes_all_keys),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
