/* The names that results are keyed by: instruction classes and statistics. */
#include "base/json.h"
#include "cli/show.h"
#include "cli/table.h"
#include "stats/run_stats.h"

/* Shows rows of {name, unit, help}; a NULL unit leaves that column out. */
struct name_list {
    struct json_writer json;
    struct table table;
    bool as_json, has_units;
};

static void list_begin(struct name_list *l, bool as_json, bool has_units, struct strbuf *out)
{
    *l = (struct name_list){.json = {.out = out},
                            .table = {.n_columns = has_units ? 3 : 2},
                            .as_json = as_json,
                            .has_units = has_units};
    if (as_json)
        json_begin_array(&l->json, NULL);
}

static void list_add(struct name_list *l, const char *name, const char *unit, const char *help)
{
    if (!l->as_json) {
        table_cell(&l->table, "%s", name);
        if (l->has_units)
            table_cell(&l->table, "%s", unit);
        table_cell(&l->table, "%s", help);
        return;
    }
    json_begin_object(&l->json, NULL);
    json_string(&l->json, "name", name);
    if (l->has_units)
        json_string(&l->json, "unit", unit);
    json_string(&l->json, "help", help);
    json_end_object(&l->json);
}

static void list_end(struct name_list *l, struct strbuf *out)
{
    if (l->as_json)
        json_end_array(&l->json);
    else
        table_print(&l->table, out);
    table_destroy(&l->table);
}

enum heddle_status show_classes(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    struct name_list l;
    list_begin(&l, o->json, false, out);
#define CLASS(id, text, help) list_add(&l, text, NULL, help);
    PTX_CLASSES(CLASS)
#undef CLASS
    list_end(&l, out);
    return HEDDLE_OK;
}

enum heddle_status show_stats(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    const struct run_stats none = {0};
    struct name_list l;
    list_begin(&l, o->json, true, out);
    for (uint32_t i = 0; i < run_stats_count(); i++) {
        struct heddle_stat s = run_stats_at(&none, i);
        list_add(&l, s.name, s.unit, s.help);
    }
    list_end(&l, out);
    return HEDDLE_OK;
}
