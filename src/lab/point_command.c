/* A point as words of `heddle run`. */
#include <inttypes.h>
#include <string.h>

#include "analysis/locality.h"
#include "lab/point.h"

void point_program_words(const struct point *p, struct point_words *w)
{
    for (uint32_t i = 0; p->kernel && i < p->kernel->n_words; i++)
        point_add_word(w, p->kernel->words[i]);
    if (p->kernel)
        return;
    if (point_is_idle(p)) { /* the programs are among the machine's words */
        struct strbuf programs = {0};
        point_coordinate(p, "cpu", &programs);
        point_add_word(w, "--cpu");
        point_add_word(w, arena_strdup(w->arena, strbuf_text(&programs)));
        strbuf_destroy(&programs);
        return;
    }
    point_add_word(w, p->workload->name);
    point_add_word(w, "--size");
    point_add_word(w, p->size->name);
    point_add_word(w, "--seed");
    point_add_word(w, arena_printf(w->arena, "%" PRIu64, p->seed));
}

static void add_series(const struct point_context *c, struct point_words *w)
{
    point_add_word(w, "--series");
    point_add_word(w, arena_printf(w->arena, "%" PRIu64, c->series_cycles));
    if (c->series_columns) {
        point_add_word(w, "--series-columns");
        point_add_word(w, c->series_columns);
    }
}

void point_machine_words(const struct point *p, const struct point_context *c,
                         struct point_words *w)
{
    point_add_word(w, "--gpu");
    point_add_word(w, p->gpu.text);
    if (c->attribute)
        point_add_word(w, "--attribute");
    if (c->per_pc)
        point_add_word(w, "--per-pc");
    if (c->series_cycles)
        add_series(c, w);
    if (c->max_cycles) {
        point_add_word(w, "--max-cycles");
        point_add_word(w, arena_printf(w->arena, "%" PRIu64, c->max_cycles));
    }
    if (c->measures & LOCALITY_RUN)
        point_add_word(w, "--locality");
    if (c->measures & LOCALITY_BOUNDS)
        point_add_word(w, "--belady");
    for (uint32_t i = 0; i < c->n_plugins; i++) {
        point_add_word(w, "--plugin");
        point_add_word(w, c->plugins[i]);
    }
    for (uint32_t i = 0; i < p->n_words; i++) {
        point_add_word(w, "--set");
        point_add_word(w, p->words[i].text);
    }
}

void point_add_word(struct point_words *w, const char *word)
{
    if (w->n + 1 >= w->cap) { /* a NULL ends them */
        const char **larger = ARENA_ARRAY(w->arena, const char *, 2 * w->cap + 32);
        if (w->n)
            memcpy(larger, w->items, w->n * sizeof *larger);
        w->items = larger;
        w->cap = 2 * w->cap + 32;
    }
    w->items[w->n++] = word;
    w->items[w->n] = NULL;
}

void point_quote(struct strbuf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%";
    if (*word && !word[strspn(word, plain)]) {
        strbuf_add(out, word);
        return;
    }
    strbuf_add_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            strbuf_add(out, "'\\''");
        else
            strbuf_add_char(out, *word);
    strbuf_add_char(out, '\'');
}

void point_command(const struct point *p, const struct point_context *c, struct strbuf *out)
{
    struct arena arena = {0};
    struct point_words w = {.arena = &arena};
    point_add_word(&w, "heddle");
    point_add_word(&w, p->program ? "exec" : "run");
    if (!p->program)
        point_program_words(p, &w);
    point_machine_words(p, c, &w);
    if (p->program)
        program_add_command(p->program, &w);
    else if (c->series_cycles)
        point_add_word(&w, "--json"); /* where a time series without a file goes */
    for (uint32_t i = 0; i < w.n; i++) {
        strbuf_add(out, i ? " " : "");
        point_quote(out, w.items[i]);
    }
    arena_destroy(&arena);
}
