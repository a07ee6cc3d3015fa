/* Groups of xs whose geometric means claims refer to: "geometric mean of cfd to str". */
#include <string.h>

#include "lab/figure_internal.h"

static uint32_t place_of(const struct figure *f, const char *x)
{
    uint32_t i = 0;
    while (i < f->n_xs && strcmp(f->xs[i], x) != 0)
        i++;
    return i;
}

bool figure_is_mean(const char *x)
{
    for (int mean = FIGURE_ARITHMETIC; mean <= FIGURE_HARMONIC; mean++)
        if (strcmp(x, figure_mean_titles[mean]) == 0)
            return true;
    return false;
}

static bool has_x(const struct figure_claim *c, const char *x)
{
    for (uint32_t i = 0; i < c->n_all_at; i++)
        if (strcmp(c->all_at[i], x) == 0)
            return true;
    return false;
}

static bool is_same_group(const struct figure_claim *a, const struct figure_claim *b)
{
    bool is_same = a->n_all_at == b->n_all_at;
    for (uint32_t i = 0; is_same && i < a->n_all_at; i++)
        is_same = has_x(b, a->all_at[i]);
    return is_same;
}

bool figure_is_of_all(const struct figure *f, const struct figure_claim *c)
{
    return c->n_all_at > 1 && c->n_all_at == f->n_xs - 1 &&
           place_of(f, figure_mean_titles[FIGURE_GEOMETRIC]) < f->n_xs;
}

/* A mean over several xs, all of which the figure has. */
static bool is_group(const struct figure *f, const struct figure_claim *c)
{
    if (c->scope != CLAIM_OF_MEAN || c->n_all_at < 2 || figure_is_of_all(f, c))
        return false;
    for (uint32_t i = 0; i < c->n_all_at; i++)
        if (place_of(f, c->all_at[i]) == f->n_xs)
            return false;
    return true;
}

uint32_t figure_group_of(const struct figure_groups *g, const struct figure_claim *c)
{
    uint32_t i = 0;
    while (i < g->n && !is_same_group(g->of[i], c))
        i++;
    return i;
}

struct figure_groups figure_find_groups(const struct figure *f)
{
    struct figure_groups g = {0};
    for (uint32_t i = 0; i < f->n_claims && g.n < FIGURE_MAX_GROUPS; i++)
        if (is_group(f, &f->claims[i]) && figure_group_of(&g, &f->claims[i]) == g.n)
            g.of[g.n++] = &f->claims[i];
    return g;
}

/* Three or more in a row are named by the first and the last. */
void figure_group_members(const struct figure *f, const struct figure_claim *c, struct strbuf *out)
{
    for (uint32_t x = 0; x < f->n_xs;) {
        uint32_t n = 0;
        while (x + n < f->n_xs && has_x(c, f->xs[x + n]))
            n++;
        const char *comma = out->len ? ", " : "";
        if (n >= 3)
            strbuf_addf(out, "%s%s to %s", comma, f->xs[x], f->xs[x + n - 1]);
        for (uint32_t i = 0; n < 3 && i < n; i++, comma = ", ")
            strbuf_addf(out, "%s%s", comma, f->xs[x + i]);
        x += n ? n : 1;
    }
}
