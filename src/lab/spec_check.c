/* Checks that the axes of an experiment set everything once. */
#include <stdlib.h>
#include <string.h>

#include "lab/spec_axes.h"

/* Does some choice of a scheduler or a policy already set the parameter? */
static bool is_set_by(const struct spec_axis *a, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t w = 0; w < a->choices[i].n_words; w++)
            if (strncmp(a->choices[i].words[w].text, name, n) == 0 &&
                a->choices[i].words[w].text[n] == '=')
                return true;
    return false;
}

/* If two axes set one parameter, the later would win, and points would not be what they claim. */
static void check_conflict(struct spec_reader *r, uint32_t axis)
{
    const struct axis_choice *setting = &r->axes.settings[axis].choices[0];
    const char *other = is_set_by(&r->axes.schedulers, setting->text) ? "schedulers"
                        : is_set_by(&r->axes.l1d, setting->text)      ? "l1d"
                        : is_set_by(&r->axes.atomics, setting->text)  ? "atomics"
                                                                      : NULL;
    for (uint32_t i = 0; i < axis; i++) /* llc and cpu come before them */
        if (is_set_by(&r->axes.settings[i], setting->text))
            other = strcmp(setting->text, "cpu.programs") == 0 ? "cpu" : "llc";
    if (other)
        diag_add(r->doc->diags, DIAG_ERROR, r->doc->file, r->doc->text, setting->line, setting->col,
                 "set it in one place only", "'%s' is set under '%s' already", setting->text,
                 other);
}

static int compare_choices(const void *a, const void *b)
{
    const struct axis_choice *const *x = a, *const *y = b;
    int order = strcmp((*x)->text, (*y)->text);
    for (uint32_t i = 0; !order && i < (*x)->n_words && i < (*y)->n_words; i++)
        order = strcmp((*x)->words[i].text, (*y)->words[i].text);
    return order ? order : ((*x)->n_words > (*y)->n_words) - ((*x)->n_words < (*y)->n_words);
}

/* A value that an axis has twice would be counted twice. */
static void check_twice(struct spec_reader *r, const struct spec_axis *a)
{
    const struct axis_choice **sorted = xcalloc(a->n + 1, sizeof *sorted);
    for (uint32_t i = 0; i < a->n; i++)
        sorted[i] = &a->choices[i];
    qsort(sorted, a->n, sizeof *sorted, compare_choices);
    for (uint32_t i = 1; i < a->n; i++) {
        if (compare_choices(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        const struct axis_choice *second = sorted[i - 1] > sorted[i] ? sorted[i - 1] : sorted[i];
        const struct point_word *w = second->n_words ? &second->words[second->n_words - 1] : NULL;
        diag_add(r->doc->diags, DIAG_ERROR, r->doc->file, r->doc->text, w ? w->line : second->line,
                 w ? w->col : second->col, NULL, "'%s' is given twice", w ? w->text : second->text);
    }
    free(sorted);
}

void spec_check_axes(struct spec_reader *r)
{
    const struct spec_axes *a = &r->axes;
    const struct spec_axis *const all[] = {&a->gpus,      &a->schedulers, &a->l1d,  &a->atomics,
                                           &a->workloads, &a->sizes,      &a->seeds};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_twice(r, all[i]);
    for (uint32_t i = 0; i < a->n_settings; i++) {
        check_twice(r, &a->settings[i]);
        if (a->settings[i].n)
            check_conflict(r, i);
    }
}
