/* The glossary: the terms that help texts and pages use. */
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"

enum { WIDTH = 96, INDENT = 4 };

struct term {
    const char *names; /* NULL: a section begins */
    const char *meaning;
    const char *page; /* in doc/, "" if none */
};

static const struct term terms[] = {
#define TERMS_OF(title)            {NULL, title, ""},
#define TERM(names, meaning, page) {names, meaning, page},
#include "cli/terms.def"
#undef TERM
#undef TERMS_OF
};
enum { N_TERMS = sizeof terms / sizeof terms[0] };

static bool is_called(const struct term *t, const char *word)
{
    size_t length = strlen(word);
    for (const char *name = t->names; name && length; name = strchr(name, ',')) {
        name += strspn(name, ", ");
        if (strncasecmp(name, word, length) == 0 && (!name[length] || name[length] == ','))
            return true;
    }
    return false;
}

static void add_meaning(const struct term *t, struct strbuf *out)
{
    struct strbuf text = {0};
    strbuf_add(&text, t->meaning);
    if (*t->page)
        strbuf_addf(&text, " (doc/%s)", t->page);
    strbuf_addf(out, "%s\n%*s", t->names, INDENT, "");
    text_wrap(out, strbuf_text(&text), INDENT, INDENT, WIDTH);
    strbuf_destroy(&text);
}

bool show_meaning(const char *word, struct strbuf *out)
{
    for (int i = 0; i < N_TERMS; i++)
        if (is_called(&terms[i], word)) {
            add_meaning(&terms[i], out);
            return true;
        }
    return false;
}

static void json_term(struct json_writer *j, const struct term *t)
{
    json_begin_object(j, NULL);
    json_string(j, "term", t->names);
    json_string(j, "meaning", t->meaning);
    json_string(j, "page", t->page);
    json_end_object(j);
}

enum heddle_status show_terms(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    struct json_writer j = {.out = out};
    if (o->json)
        json_begin_array(&j, NULL);
    for (int i = 0; i < N_TERMS; i++) {
        if (o->json && terms[i].names)
            json_term(&j, &terms[i]);
        else if (!o->json && terms[i].names)
            add_meaning(&terms[i], out);
        else if (!o->json)
            strbuf_addf(out, "%s%s:\n\n", i ? "\n" : "", terms[i].meaning);
    }
    if (o->json)
        json_end_array(&j);
    return HEDDLE_OK;
}

enum heddle_status show_term(const struct show_options *o, const char *name, struct strbuf *out)
{
    const char *names[N_TERMS];
    uint32_t n = 0;
    for (int i = 0; i < N_TERMS; i++) {
        if (terms[i].names)
            names[n++] = terms[i].names;
        if (!o->json || !is_called(&terms[i], name))
            continue;
        json_term(&(struct json_writer){.out = out}, &terms[i]);
        return HEDDLE_OK;
    }
    if (!o->json && show_meaning(name, out))
        return HEDDLE_OK;
    return output_unknown("term", name, names, n, "`heddle show terms` lists them");
}

void show_terms_markdown(struct strbuf *out)
{
    strbuf_add(out,
               "# Glossary\n\n<!-- Written by `heddle show terms --markdown`; a test fails when "
               "it drifts. -->\n\nThese terms are used in all pages and help texts; `heddle "
               "help TERM` explains one. `heddle show stats`\nexplains every statistic and "
               "[commands.md](commands.md) every parameter. S1 to S4 are the papers,\nlisted "
               "in the [README](../README.md#the-papers).\n");
    for (int i = 0; i < N_TERMS; i++) {
        const struct term *t = &terms[i];
        if (!t->names)
            strbuf_addf(out, "\n## %s\n\n| term | meaning |\n|---|---|\n", t->meaning);
        else if (*t->page)
            strbuf_addf(out, "| %s | %s ([%s](%s)) |\n", t->names, t->meaning, t->page, t->page);
        else
            strbuf_addf(out, "| %s | %s |\n", t->names, t->meaning);
    }
}
