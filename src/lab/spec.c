#include "lab/spec.h"

#include <stdlib.h>

#include "lab/spec_axes.h"
#include "lab/spec_filter.h"
#include "workloads/run.h"

/* The choice of each axis that a point takes. */
struct position {
    const struct axis_choice *gpu, *scheduler, *l1d, *atomics, *settings[SPEC_MAX_SETTINGS],
        *workload, *size, *seed;
    bool is_first; /* the first of its workload and size */
};

static void add_words(struct point *p, const struct axis_choice *c)
{
    for (uint32_t i = 0; i < c->n_words; i++)
        p->words[p->n_words++] = c->words[i];
}

static struct point make_point(struct spec_reader *r, const struct position *at,
                               const struct workload_size *size)
{
    uint32_t n_words = at->scheduler->n_words + at->l1d->n_words + at->atomics->n_words;
    for (uint32_t i = 0; i < r->axes.n_settings; i++)
        n_words += at->settings[i]->n_words;
    struct point p = {
        .workload = at->workload->workload,
        .size = size,
        .program = at->workload->program,
        .kernel = at->workload->kernel,
        .seed = at->workload->own_input ? WORKLOAD_DEFAULT_SEED : at->seed->seed,
        .gpu = {at->gpu->text, at->gpu->line, at->gpu->col},
        .words = ARENA_ARRAY(&r->spec->arena, struct point_word, n_words + 1),
    };
    add_words(&p, at->scheduler);
    add_words(&p, at->l1d);
    add_words(&p, at->atomics);
    for (uint32_t i = 0; i < r->axes.n_settings; i++)
        add_words(&p, at->settings[i]);
    return p;
}

/* The i-th position of the product, counted with the last axis fastest. */
static struct position position_at(const struct spec_axes *a, uint64_t i)
{
    struct position at;
    at.seed = &a->seeds.choices[i % a->seeds.n];
    i /= a->seeds.n;
    at.size = &a->sizes.choices[i % a->sizes.n];
    i /= a->sizes.n;
    at.workload = &a->workloads.choices[i % a->workloads.n];
    i /= a->workloads.n;
    at.is_first = i == 0 && at.seed == a->seeds.choices;
    for (uint32_t s = a->n_settings; s-- > 0;) {
        at.settings[s] = &a->settings[s].choices[i % a->settings[s].n];
        i /= a->settings[s].n;
    }
    at.atomics = &a->atomics.choices[i % a->atomics.n];
    i /= a->atomics.n;
    at.l1d = &a->l1d.choices[i % a->l1d.n];
    i /= a->l1d.n;
    at.scheduler = &a->schedulers.choices[i % a->schedulers.n];
    i /= a->schedulers.n;
    at.gpu = &a->gpus.choices[i];
    return at;
}

static uint64_t product(const struct spec_axes *a)
{
    const uint32_t counts[] = {a->gpus.n,  a->schedulers.n, a->l1d.n,  a->atomics.n,
                               a->sizes.n, a->workloads.n,  a->seeds.n};
    uint64_t n = 1;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        n = n > SPEC_MAX_POINTS ? n : n * counts[i];
    for (uint32_t i = 0; i < a->n_settings; i++)
        n = n > SPEC_MAX_POINTS ? n : n * a->settings[i].n;
    return n;
}

/* A workload that lacks a size: an error if it was named explicitly. Reported once. `why` is empty
 * unless an input is wrong. */
static void size_is_missing(struct spec_reader *r, const struct position *at,
                            const struct axis_choice *size, const char *why)
{
    const char *name = at->workload->text;
    if (!at->is_first || at->workload->is_of_all)
        return;
    if (r->changes->notes_missing)
        spec_note_missing(r, "size", arena_printf(&r->spec->arena, "%s of %s", size->text, name));
    else if (why[0])
        diag_add(r->doc->diags, DIAG_ERROR, r->doc->file, r->doc->text, size->line, size->col,
                 "`heddle show workload NAME` lists its inputs", "%s", why);
    else
        diag_add(r->doc->diags, DIAG_ERROR, r->doc->file, r->doc->text, at->workload->line,
                 at->workload->col, "`heddle show workload NAME` lists its sizes",
                 "%s has no size '%s'", name, size->text);
}

/* NULL if there is no such point. A user program or kernel has neither sizes nor seeds: it occurs
 * once. */
static const struct workload_size *size_at(struct spec_reader *r, const struct position *at)
{
    struct strbuf why = {0};
    if (at->workload->own_input)
        return at->size == r->axes.sizes.choices && at->seed == r->axes.seeds.choices
                   ? at->workload->own_input
                   : NULL;
    const struct axis_choice *c = at->workload->own_size ? at->workload->own_size : at->size;
    const struct workload_size *size =
        workload_make_size(at->workload->workload, c->text, &r->spec->arena, &why);
    if (!size)
        size_is_missing(r, at, c, strbuf_text(&why));
    strbuf_destroy(&why);
    return size;
}

/* False, with an error, if the point would run nothing at all. Reported once. */
static bool runs_something(struct spec_reader *r, const struct position *at, const struct point *p)
{
    struct strbuf programs = {0};
    bool runs = !point_is_idle(p) || (point_coordinate(p, "cpu", &programs) &&
                                      strcmp(strbuf_text(&programs), "none") != 0);
    strbuf_destroy(&programs);
    if (!runs && !r->complained_of_nothing)
        diag_add(r->doc->diags, DIAG_ERROR, r->doc->file, r->doc->text, at->workload->line,
                 at->workload->col, "leave it out: except: [{workload: none, cpu: none}]",
                 "a point has neither a workload nor a CPU program");
    r->complained_of_nothing |= !runs;
    return runs;
}

static void make_points(struct spec_reader *r, yaml_node_t *node)
{
    struct spec *s = r->spec;
    struct filter filter = {0};
    uint64_t n = product(&r->axes);
    if (n > SPEC_MAX_POINTS) {
        yaml_complain(r->doc, node, NULL, "the experiment has more than %d points before filters",
                      SPEC_MAX_POINTS);
        return;
    }
    filter_read(&filter, r->doc, node);
    s->points = xcalloc(n + 1, sizeof *s->points);
    for (uint64_t i = 0; i < n; i++) {
        struct position at = position_at(&r->axes, i);
        const struct workload_size *size = size_at(r, &at);
        if (!size)
            continue;
        struct point p = make_point(r, &at, size);
        if (filter_admits(&filter, &p) && runs_something(r, &at, &p))
            s->points[s->n_points++] = p;
    }
    filter_finish(&filter, r->doc);
    if (!s->n_points && !r->changes->notes_missing && !r->doc->diags->n_errors)
        yaml_complain(r->doc, node, NULL, "the experiment has no points: its filters admit none");
}

bool spec_read(struct spec *s, struct yaml_doc *d, yaml_node_t *node,
               const struct spec_changes *changes)
{
    struct spec_reader *r = xcalloc(1, sizeof *r);
    uint32_t errors_before = d->diags->n_errors;
    r->spec = s;
    if (!s->files)
        s->files = ARENA_NEW(&s->arena, struct file_marks);
    r->doc = d;
    r->changes = changes;
    if (yaml_pairs(d, node, "a map such as workloads: [kmn, bfs]")) {
        spec_read_axes(r, node);
        if (d->diags->n_errors == errors_before)
            make_points(r, node);
    }
    spec_destroy_axes(&r->axes);
    free(r);
    return d->diags->n_errors == errors_before;
}

struct point_context spec_context(const struct spec *s, const char *file, const char *text)
{
    return (struct point_context){.file = file,
                                  .text = text,
                                  .plugins = s->plugins,
                                  .n_plugins = s->n_plugins,
                                  .files = s->files,
                                  .max_cycles = s->max_cycles,
                                  .measures = s->measures,
                                  .attribute = s->attribute,
                                  .per_pc = s->per_pc,
                                  .series_cycles = s->series_cycles,
                                  .series_columns = s->series_columns};
}

enum heddle_status spec_load(struct spec *s, const char *file, const char *text,
                             const struct spec_changes *changes, struct diag_list *diags)
{
    struct yaml_doc d;
    uint32_t errors_before = diags->n_errors;
    if (!yaml_doc_load(&d, file, text, diags))
        return HEDDLE_BAD_INPUT;
    yaml_node_t *root = yaml_doc_root(&d);
    bool ok = root != NULL;
    if (root)
        ok = spec_read(s, &d, root, changes) && diags->n_errors == errors_before;
    else
        diag_add(diags, DIAG_ERROR, file, NULL, 0, 0, "workloads: [kmn, bfs]",
                 "the experiment is empty");
    yaml_doc_destroy(&d);
    struct point_context context = spec_context(s, file, text);
    return ok ? point_make_keys(s->points, s->n_points, &context, diags) : HEDDLE_BAD_INPUT;
}

void spec_destroy(struct spec *s)
{
    free(s->points);
    free(s->missing);
    if (s->files)
        file_marks_destroy(s->files);
    arena_destroy(&s->arena);
    *s = (struct spec){0};
}
