/* The output of heddle advise l2: the table, JSON and the file of annotations. */
#include <inttypes.h>

#include "base/json.h"
#include "cli/advise.h"
#include "cli/table.h"
#include "lab/point.h"

const char *advise_annotations(struct advisor *a, const struct proposal *more)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < a->n; i++) {
        const struct proposal *p = &a->proposals[i];
        const struct l2_site *s = l2_advice_site(a->advice, p->site);
        if (p->is_accepted || p == more)
            strbuf_addf(&text, "%s %u %s; ", s->kernel, s->argument, advise_mark(p));
    }
    const char *kept = arena_strdup(&a->arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return kept;
}

static void add_word(struct strbuf *out, const char *option, const char *value)
{
    if (!value)
        return;
    strbuf_addf(out, " %s ", option);
    point_quote(out, value);
}

static void add_dim3(struct strbuf *out, const char *option, const struct dim3 *d)
{
    if (d->v[0])
        strbuf_addf(out, " %s %u,%u,%u", option, d->v[0], d->v[1], d->v[2]);
}

/* What was given of program and machine, as `heddle run` takes it too. */
static void add_options(const struct advisor *a, struct strbuf *out)
{
    const struct run_options *o = &a->options->run;
    add_word(out, "--size", o->size);
    if (o->seed.is_given)
        strbuf_addf(out, " --seed %" PRIu64, o->seed.value);
    add_word(out, "--entry", o->entry);
    add_dim3(out, "--grid", &o->grid);
    add_dim3(out, "--block", &o->block);
    for (uint32_t i = 0; i < o->args.n; i++)
        add_word(out, "--arg", o->args.items[i]);
    add_word(out, "--build-options", o->build_options);
    add_word(out, "--gpu", o->gpu);
    for (uint32_t i = 0; i < o->settings.n; i++)
        add_word(out, "--set", o->settings.items[i]);
}

/* `heddle VERB PROGRAM OPTIONS MORE`, for a shell; OpenCL programs come last. */
static void add_command(const struct advisor *a, const char *verb, const char *more,
                        struct strbuf *out)
{
    strbuf_addf(out, "heddle %s", verb);
    if (!a->command.n) {
        strbuf_add_char(out, ' ');
        point_quote(out, a->what);
    }
    add_options(a, out);
    strbuf_add(out, more);
    strbuf_add(out, a->command.n ? " --" : "");
    for (uint32_t i = 0; i < a->command.n; i++) {
        strbuf_add_char(out, ' ');
        point_quote(out, a->command.items[i]);
    }
}

void advise_file(struct advisor *a, struct strbuf *out)
{
    struct strbuf origin = {0};
    add_command(a, "advise l2", "", &origin);
    strbuf_add(out, "# ");
    for (const char *c = strbuf_text(&origin); *c; c++) /* a comment is one line */
        strbuf_add_char(out, *c == '\n' ? ' ' : *c);
    strbuf_add_char(out, '\n');
    strbuf_destroy(&origin);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct proposal *p = &a->proposals[i];
        const struct l2_site *s = l2_advice_site(a->advice, p->site);
        if (p->is_accepted)
            strbuf_addf(out, "%s %u %s    # %s\n", s->kernel, s->argument, advise_mark(p),
                        s->buffer);
    }
}

static bool is_any_accepted(const struct advisor *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->n; i++)
        any |= a->proposals[i].is_accepted;
    return any;
}

static void print_proposals(const struct advisor *a, struct strbuf *out)
{
    static const char *const titles[] = {"kernel", "argument", "buffer",
                                         "mark",   "lines",    "verdict"};
    struct table t = {.titles = titles, .n_columns = 6, .right = "lrllrl"};
    for (uint32_t i = 0; i < a->n; i++) {
        const struct proposal *p = &a->proposals[i];
        const struct l2_site *s = l2_advice_site(a->advice, p->site);
        table_cell(&t, "%s", s->kernel);
        table_count(&t, s->argument);
        table_cell(&t, "%s", s->buffer);
        table_cell(&t, "%s", advise_mark(p));
        table_count(&t, p->is_store ? s->written : s->loaded);
        table_cell(&t, "%s%s",
                   p->is_accepted ? "proposed" : "refused: ", p->is_accepted ? "" : p->reason);
    }
    table_print(&t, out);
    table_destroy(&t);
}

static void traffic_row(struct table *t, const char *name, const struct l2_traffic *x)
{
    table_cell(t, "%s", name);
    table_count(t, x->reads);
    table_count(t, x->writes);
    table_count(t, x->bytes);
    table_count(t, x->stale);
    table_count(t, x->cycles);
}

/* Where the marks are, and a run with them. */
static void say_file(const struct advisor *a, struct strbuf *out)
{
    if (!is_any_accepted(a)) {
        strbuf_addf(out, "%s has no mark.\n", a->options->out);
        return;
    }
    struct strbuf more = {0};
    strbuf_add(&more, " --set l2.policy=write_buffering");
    add_word(&more, "--annotations", a->options->out);
    strbuf_addf(out, "written to %s; to run with it:\n", a->options->out);
    add_command(a, a->command.n ? "exec" : "run", strbuf_text(&more), out);
    strbuf_add_char(out, '\n');
    strbuf_destroy(&more);
}

void advise_text(struct advisor *a, struct strbuf *out)
{
    static const char *const titles[] = {"",           "DRAM reads",  "DRAM writes",
                                         "DRAM bytes", "stale reads", "cycles"};
    struct table t = {.titles = titles, .n_columns = 6, .right = "lrrrrr"};
    print_proposals(a, out);
    strbuf_add_char(out, '\n');
    traffic_row(&t, "without annotations", &a->lru);
    traffic_row(&t, "with them", &a->final);
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add_char(out, '\n');
    if (!is_any_accepted(a))
        strbuf_add(out, "No annotation is both sound and useful here.\n");
    if (l2_advice_left_out(a->advice))
        strbuf_addf(out, "Only the first %d arguments of kernels were observed.\n", L2_MAX_SITES);
    if (a->options->out)
        say_file(a, out);
    else if (is_any_accepted(a))
        advise_file(a, out);
}

static void json_traffic(struct json_writer *w, const char *name, const struct l2_traffic *x)
{
    json_begin_object(w, name);
    json_uint(w, "dram_reads", x->reads);
    json_uint(w, "dram_writes", x->writes);
    json_uint(w, "dram_bytes", x->bytes);
    json_uint(w, "stale_reads", x->stale);
    json_uint(w, "cycles", x->cycles);
    json_end_object(w);
}

void advise_json(struct advisor *a, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "program", a->what);
    json_begin_array(&w, "candidates");
    for (uint32_t i = 0; i < a->n; i++) {
        const struct proposal *p = &a->proposals[i];
        const struct l2_site *s = l2_advice_site(a->advice, p->site);
        json_begin_object(&w, NULL);
        json_string(&w, "kernel", s->kernel);
        json_uint(&w, "argument", s->argument);
        json_string(&w, "buffer", s->buffer);
        json_string(&w, "mark", advise_mark(p));
        json_uint(&w, "lines", p->is_store ? s->written : s->loaded);
        json_uint(&w, "lines_read_later", p->is_store ? s->read_later : 0);
        json_uint(&w, "stale_reads", p->trial.stale);
        json_bool(&w, "proposed", p->is_accepted);
        json_string(&w, "reason", p->reason);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_traffic(&w, "without", &a->lru);
    json_traffic(&w, "with", &a->final);
    json_string(&w, "annotations", advise_annotations(a, NULL));
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}
