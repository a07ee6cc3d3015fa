/* heddle hetero predict and models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/hetero.h"
#include "cli/output.h"
#include "cli/table.h"
#include "hetero/features.h"
#include "hetero/model_set.h"
#include "lab/json_input.h"

/* --- Models --- */

static const struct hetero_shipped *find_shipped(const char *name)
{
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++)
        if (strcmp(hetero_shipped_models[i].name, name) == 0)
            return &hetero_shipped_models[i];
    return NULL;
}

static enum heddle_status unknown_model(const char *name)
{
    const char *names[16];
    uint32_t n = 0;
    for (; n < n_hetero_shipped_models && n < 16; n++)
        names[n] = hetero_shipped_models[n].name;
    return output_unknown("model", name, names, n, "`heddle hetero models` lists them");
}

static struct hetero_model *read_model(const char *name, enum heddle_status *status)
{
    const struct hetero_shipped *shipped = find_shipped(name);
    struct strbuf text = {0};
    struct diag_list diags = {0};
    struct hetero_model *m = NULL;
    *status = HEDDLE_OK;
    if (!shipped && !strpbrk(name, "/."))
        *status = unknown_model(name);
    else if (!shipped)
        *status = yaml_file_read(name, &text, &diags);
    if (*status == HEDDLE_OK)
        m = hetero_model_read(name, shipped ? shipped->text : strbuf_text(&text), &diags);
    if (diags.n)
        output_complaints(&diags);
    if (*status == HEDDLE_OK && !m)
        *status = HEDDLE_BAD_INPUT;
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return m;
}

/* "-" if it has none. */
static const char *note_of(const struct hetero_model *m, const char *word)
{
    const char *text = hetero_model_find_note(m, word);
    return text ? text : "-";
}

static void list_models(struct strbuf *out)
{
    static const char *const titles[] = {"model", "target", "scenario", "terms", "source"};
    struct table t = {.titles = titles, .n_columns = 5, .right = "lllrl"};
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++) {
        enum heddle_status status;
        struct hetero_model *m = read_model(hetero_shipped_models[i].name, &status);
        table_cell(&t, "%s", hetero_shipped_models[i].name);
        table_cell(&t, "%s", note_of(m, "target"));
        table_cell(&t, "%s", note_of(m, "scenario"));
        table_count(&t, m->n_terms);
        table_cell(&t, "%s", note_of(m, "source"));
        hetero_model_destroy(m);
    }
    table_print(&t, out);
    table_destroy(&t);
}

static void list_models_json(struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++) {
        enum heddle_status status;
        struct hetero_model *m = read_model(hetero_shipped_models[i].name, &status);
        json_begin_object(&w, NULL);
        json_string(&w, "model", hetero_shipped_models[i].name);
        for (uint32_t k = 0; k < m->n_notes; k++)
            json_string(&w, m->notes[k].word, m->notes[k].text);
        json_begin_array(&w, "features");
        for (uint32_t k = 0; k < m->n_features; k++)
            json_string(&w, NULL, m->features[k]);
        json_end_array(&w);
        json_uint(&w, "terms", m->n_terms);
        json_end_object(&w);
        hetero_model_destroy(m);
    }
    json_end_array(&w);
}

enum heddle_status hetero_cmd_models(const struct hetero_options *o, const char *name,
                                     struct strbuf *out)
{
    const struct hetero_shipped *shipped = name ? find_shipped(name) : NULL;
    if (name && !shipped)
        return unknown_model(name);
    if (shipped)
        strbuf_add(out, shipped->text);
    else if (o->json)
        list_models_json(out);
    else
        list_models(out);
    return HEDDLE_OK;
}

/* --- Predictions --- */

struct prediction {
    const char *kernel; /* or NULL */
    double predicted, time;
};

/* Of a launch or of the system: these cannot be negative. A model may have others, too. */
static bool is_known(const char *feature)
{
    bool is = false;
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        is |= strcmp(hetero_features[f].name, feature) == 0;
    for (uint32_t f = 0; f < HETERO_N_SYSTEM; f++)
        is |= strcmp(hetero_system_names[f], feature) == 0;
    return is;
}

static const char *hint_of(const char *feature)
{
    return strcmp(feature, hetero_features[HETERO_THREADS].name) == 0
               ? "`heddle hetero features` adds it with --threads N"
           : strcmp(feature, hetero_features[HETERO_BUFFER].name) == 0
               ? "`heddle hetero features` adds it with --buffer BYTES"
               : NULL;
}

/* A number for each feature of the model; false after errors. Other keys are ignored. */
static bool read_values(struct json_input *in, yaml_node_t *object, const struct hetero_model *m,
                        double *values)
{
    uint32_t n_errors = in->diags.n_errors;
    for (uint32_t f = 0; f < m->n_features; f++) {
        yaml_node_t *n = yaml_find(&in->doc, object, m->features[f]);
        if (n && is_known(m->features[f]))
            json_input_not_negative(in, object, m->features[f], &values[f]);
        else if (n)
            json_input_number(in, n, "a number", &values[f]);
        else
            yaml_complain(&in->doc, object, hint_of(m->features[f]),
                          "'%s', which the model needs, is missing", m->features[f]);
    }
    return in->diags.n_errors == n_errors;
}

static void predict_one(struct json_input *in, yaml_node_t *object, const struct hetero_model *m,
                        double *values, struct prediction *p)
{
    if (object->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, object, NULL, "expected an object with a number for each feature");
        return;
    }
    if (!read_values(in, object, m, values))
        return;
    yaml_node_t *kernel = yaml_find(&in->doc, object, "kernel");
    *p = (struct prediction){
        .kernel = kernel ? yaml_scalar(&in->doc, kernel, "a name") : NULL,
        .predicted = hetero_model_evaluate(m, values),
    };
    p->time = p->predicted > 0 ? p->predicted : HETERO_MIN_TIME_S;
    if (!isfinite(p->predicted))
        yaml_complain(&in->doc, object, NULL,
                      "these values are too large: the prediction is beyond the range of numbers");
}

static void print_json(const struct prediction *p, uint32_t n, const char *model,
                       struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < n; i++) {
        json_begin_object(&w, NULL);
        if (p[i].kernel)
            json_string(&w, "kernel", p[i].kernel);
        json_string(&w, "model", model);
        json_double(&w, "prediction", p[i].predicted);
        json_double(&w, "time", p[i].time);
        json_bool(&w, "clamped", p[i].predicted <= 0);
        json_end_object(&w);
    }
    json_end_array(&w);
}

static void print_text(const struct prediction *p, uint32_t n, struct strbuf *out)
{
    static const char *const titles[] = {"kernel", "prediction", "time", ""};
    struct table t = {.titles = titles, .n_columns = 4, .right = "lrrl"};
    uint32_t n_clamped = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_clamped = p[i].predicted <= 0;
        table_cell(&t, "%s", p[i].kernel ? p[i].kernel : "-");
        table_cell(&t, "%.6g", p[i].predicted);
        table_cell(&t, "%.6g", p[i].time);
        table_cell(&t, "%s", is_clamped ? "clamped" : "");
        n_clamped += is_clamped;
    }
    table_print(&t, out);
    table_destroy(&t);
    if (n_clamped)
        strbuf_addf(out, "%u of %u are not positive: %g is used instead\n", n_clamped, n,
                    HETERO_MIN_TIME_S);
}

enum heddle_status hetero_cmd_predict(const struct hetero_options *o, const char *none,
                                      struct strbuf *out)
{
    (void)none;
    if (!o->model || !o->features) {
        output_error("heddle hetero predict needs --model and --features");
        return HEDDLE_BAD_INPUT;
    }
    struct json_input in = {0};
    enum heddle_status status;
    struct hetero_model *m = read_model(o->model, &status);
    if (status == HEDDLE_OK)
        status = output_input_end(&in.diags, json_input_read(&in, o->features));
    if (status == HEDDLE_OK) {
        yaml_node_t *root = yaml_doc_root(&in.doc);
        uint32_t n = yaml_count(root);
        struct prediction *p = xcalloc(n + 1, sizeof *p);
        double *values = xcalloc(m->n_features, sizeof *values);
        for (uint32_t i = 0; i < n; i++)
            predict_one(&in, yaml_item(&in.doc, root, i), m, values, &p[i]);
        status = output_input_end(&in.diags, status);
        if (status == HEDDLE_OK && o->json)
            print_json(p, n, o->model, out);
        else if (status == HEDDLE_OK)
            print_text(p, n, out);
        free(values);
        free(p);
    }
    json_input_destroy(&in);
    hetero_model_destroy(m);
    return status;
}
