#include "cli/claim_table.h"

#include <ctype.h>
#include <string.h>

#include "cli/table.h"

static void add_claim(struct table *t, const struct figure *f, const struct figure_claim *c,
                      bool has_source)
{
    struct strbuf paper = {0}, ours = {0};
    const char *verdict = figure_verdict(f, c, &paper, &ours);
    table_cell(t, "%s", c->says);
    table_cell(t, "%s", strbuf_text(&paper));
    table_cell(t, "%s", ours.len ? strbuf_text(&ours) : "-");
    table_cell(t, "%s", verdict);
    if (has_source)
        table_cell(t, "%s", c->source);
    strbuf_destroy(&paper);
    strbuf_destroy(&ours);
}

void claim_table_print(const struct figure *f, struct strbuf *out)
{
    static const char *const titles[] = {"the paper says", "paper", "Heddle", "agrees", "source"};
    struct table t = {.titles = titles, .n_columns = 5, .right = "lrrll"};
    for (uint32_t i = 0; i < f->n_claims; i++)
        add_claim(&t, f, &f->claims[i], true);
    table_print(&t, out);
    table_destroy(&t);
}

/* --- for several figures --- */

size_t claim_paper_length(const struct figure *f)
{
    size_t n = strcspn(f->source, " ");
    return n == 2 && f->source[0] == 'S' && isdigit((unsigned char)f->source[1]) ? n : 0;
}

static const char *const verdicts[] = {"yes", "direction", "no", "look", "missing"};
enum { N_VERDICTS = sizeof verdicts / sizeof verdicts[0] };

static bool is_of_paper(const struct figure *f, const char *paper, size_t len)
{
    return claim_paper_length(f) == len && strncmp(f->source, paper, len) == 0;
}

static void add_counts(struct table *t, const struct figure *figures, uint32_t n, const char *paper,
                       size_t len)
{
    uint32_t counts[N_VERDICTS] = {0}, all = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; is_of_paper(&figures[i], paper, len) && k < figures[i].n_claims; k++) {
            struct strbuf texts = {0};
            const char *word = figure_verdict(&figures[i], &figures[i].claims[k], &texts, &texts);
            for (int v = 0; v < N_VERDICTS; v++)
                counts[v] += strcmp(word, verdicts[v]) == 0;
            all++;
            strbuf_destroy(&texts);
        }
    if (!all)
        return;
    table_cell(t, "%.*s", (int)(len ? len : strlen("no paper")), len ? paper : "no paper");
    table_cell(t, "%u", all);
    for (int v = 0; v < N_VERDICTS; v++)
        table_cell(t, "%u", counts[v]);
}

static bool is_first_of_paper(const struct figure *figures, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (is_of_paper(&figures[k], figures[i].source, claim_paper_length(&figures[i])))
            return false;
    return true;
}

static void print_counts(const struct figure *figures, uint32_t n, struct strbuf *out)
{
    const char *titles[2 + N_VERDICTS] = {"paper", "claims"};
    memcpy(titles + 2, verdicts, sizeof verdicts);
    struct table t = {.titles = titles, .n_columns = 2 + N_VERDICTS, .right = "lrrrrrr"};
    for (uint32_t i = 0; i < n; i++)
        if (is_first_of_paper(figures, i))
            add_counts(&t, figures, n, figures[i].source, claim_paper_length(&figures[i]));
    table_print(&t, out);
    table_destroy(&t);
}

void claim_table_print_all(const struct figure *figures, uint32_t n, struct strbuf *out)
{
    static const char *const titles[] = {"figure", "the paper says", "paper", "Heddle", "agrees"};
    struct table t = {.titles = titles, .n_columns = 5, .right = "llrrl"};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < figures[i].n_claims; k++) {
            table_cell(&t, "%s", k ? "" : figures[i].name);
            add_claim(&t, &figures[i], &figures[i].claims[k], false);
        }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add_char(out, '\n');
    print_counts(figures, n, out);
}
