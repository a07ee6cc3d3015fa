#include "cli/why_check.h"

#include <inttypes.h>
#include <string.h>
#include <wordexp.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/run.h"
#include "workloads/workload.h"

static const char names[WHY_SIDES] = {'A', 'B'};

struct side {
    wordexp_t words;
    bool has_words;
    struct run_options options;
    struct text_list operands;
    const struct workload *workload;  /* NULL = a file or a trace, or an error that its run
                                      * reports */
    const struct workload_size *size; /* likewise */
};

static bool read_words(const char *run, int i, struct side *s, struct arena *arena)
{
    const struct command *c = command_find("run");
    struct diag_list diags = {0};
    s->has_words = wordexp(run, &s->words, WRDE_NOCMD) == 0;
    if (!s->has_words || !s->words.we_wordc) {
        output_error("cannot split '%s' into words; write it as for heddle run: 'kmn --size tiny'",
                     run);
        return false;
    }
    s->options = *(const struct run_options *)c->defaults;
    bool ok = options_parse(c->options, c->n_options, (uint32_t)s->words.we_wordc,
                            (const char *const *)s->words.we_wordv, &s->options, &s->operands,
                            arena, &diags);
    if (!ok) {
        output_complaints(&diags);
        output_note("%c is '%s'", names[i], run);
    }
    diag_list_destroy(&diags);
    return ok;
}

static bool check_options(const struct side *s, int i)
{
    const struct run_options *o = &s->options;
    if (o->functional || run_is_on_opencl(o))
        output_error("%c has %s, so it has no cycles: --why needs timed runs", names[i],
                     o->functional ? "--functional" : "--on opencl");
    else if (o->series || o->series_out)
        output_error("%c has --series%s, which --why sets itself; `heddle run` writes a series",
                     names[i], o->series_out ? "-out" : "");
    else if (s->operands.n > 1 || (s->operands.n && strcmp(s->operands.items[0], "all") == 0))
        output_error("%c has several workloads: --why compares two runs of one", names[i]);
    else
        return true;
    return false;
}

static void find_input(struct side *s, struct arena *arena)
{
    struct strbuf why = {0};
    const char *size = s->options.size ? s->options.size : "small";
    s->workload = s->operands.n ? workload_find(s->operands.items[0]) : NULL;
    s->size = s->workload ? workload_make_size(s->workload, size, arena, &why) : NULL;
    strbuf_destroy(&why);
}

/* Different work takes different time, which says nothing about the machines. */
static bool check_inputs(const struct side *a, const struct side *b)
{
    uint64_t seed_a = a->options.seed.value, seed_b = b->options.seed.value;
    if (!a->size || !b->size)
        return true;
    if (a->workload != b->workload)
        output_error("A runs %s and B %s, so their times say nothing about the machines; compare "
                     "runs of one workload",
                     a->workload->name, b->workload->name);
    else if (strcmp(a->size->name, b->size->name) != 0)
        output_error("A has the size %s and B %s: compare runs with the same input", a->size->name,
                     b->size->name);
    else if (seed_a != seed_b)
        output_error("A has --seed %" PRIu64 " and B %" PRIu64 ": compare runs with the same input",
                     seed_a, seed_b);
    else
        return true;
    return false;
}

enum heddle_status why_check_runs(const char *const runs[WHY_SIDES])
{
    struct arena arena = {0};
    struct side sides[WHY_SIDES] = {0};
    bool ok = true;
    for (int i = 0; ok && i < WHY_SIDES; i++) {
        ok = read_words(runs[i], i, &sides[i], &arena) && check_options(&sides[i], i);
        if (ok)
            find_input(&sides[i], &arena);
    }
    ok = ok && check_inputs(&sides[0], &sides[1]);
    for (int i = 0; i < WHY_SIDES; i++)
        if (sides[i].has_words)
            wordfree(&sides[i].words);
    arena_destroy(&arena);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}
