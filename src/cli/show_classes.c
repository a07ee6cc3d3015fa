/* The names of the classes by which instructions are counted. */
#include "base/json.h"
#include "cli/show.h"
#include "cli/table.h"
#include "ptx/ptx.h"

static const struct {
    const char *name, *help;
} classes[] = {
#define CLASS(id, text, help) {text, help},
    PTX_CLASSES(CLASS)
#undef CLASS
};
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

static void json_classes(struct strbuf *out)
{
    struct json_writer j = {.out = out};
    json_begin_array(&j, NULL);
    for (int i = 0; i < N_CLASSES; i++) {
        json_begin_object(&j, NULL);
        json_string(&j, "name", classes[i].name);
        json_string(&j, "help", classes[i].help);
        json_end_object(&j);
    }
    json_end_array(&j);
}

enum heddle_status show_classes(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_CLASSES; i++) {
        table_cell(&t, "%s", classes[i].name);
        table_cell(&t, "%s", classes[i].help);
    }
    if (o->json)
        json_classes(out);
    else
        table_print(&t, out);
    table_destroy(&t);
    return HEDDLE_OK;
}
