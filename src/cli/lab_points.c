/* --dry-run of the commands for experiments: the points, and which of them would be run. */
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"

static void add_point(struct table *t, const struct point *p, const char *state)
{
    struct strbuf text = {0};
    table_cell(t, "%s", p->workload->name);
    table_cell(t, "%s", p->size->name);
    table_cell(t, "%llu", (unsigned long long)p->seed);
    table_cell(t, "%s", p->gpu.text);
    table_cell(t, "%s", point_coordinate(p, "scheduler", &text) ? strbuf_text(&text) : "-");
    table_cell(t, "%s", point_coordinate(p, "l1d", &text) ? strbuf_text(&text) : "-");
    strbuf_clear(&text);
    point_settings(p, &text);
    table_cell(t, "%s", strbuf_text(&text));
    table_cell(t, "%s", state);
    strbuf_destroy(&text);
}

/* The store may or may not exist: a dry run does not create it. */
static const char *state_in(struct store *s, const struct point *p)
{
    static const char *const words[] = {
        [STORE_ABSENT] = "to run", [STORE_DONE] = "stored", [STORE_FAILED] = "failed before"};
    enum store_state state = STORE_ABSENT;
    int64_t id;
    if (s && sweep_find(s, p, &state, &id) != HEDDLE_OK)
        return "?";
    return words[state];
}

enum heddle_status lab_list_points(const char *store, const struct spec *spec)
{
    static const char *const titles[] = {"workload",  "size", "seed",     "gpu",
                                         "scheduler", "l1d",  "settings", "state"};
    struct store *s = NULL;
    enum heddle_status status = HEDDLE_OK;
    if (store && lab_file_exists(store))
        status = lab_open_store(store, STORE_READ, &s);
    if (status == HEDDLE_OK) {
        struct table t = {.titles = titles, .n_columns = 8, .right = "llrlllll"};
        for (uint32_t i = 0; i < spec->n_points; i++)
            add_point(&t, &spec->points[i], state_in(s, &spec->points[i]));
        struct strbuf text = {0};
        table_print(&t, &text);
        strbuf_addf(&text, "%u point%s", spec->n_points, spec->n_points == 1 ? "" : "s");
        struct sweep_estimate e;
        if (s && (status = sweep_estimate(s, spec->points, spec->n_points, &e)) == HEDDLE_OK) {
            strbuf_add(&text, ", ");
            lab_describe_estimate(&e, &text);
        }
        strbuf_add_char(&text, '\n');
        table_destroy(&t);
        enum heddle_status printed = output_take(&text);
        status = status == HEDDLE_OK ? printed : status;
    }
    store_close(s);
    return status;
}
