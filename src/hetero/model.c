#include "hetero/model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hetero/choose.h"
#include "hetero/text.h"

extern const char model_i7_3770_alone_text[], model_i7_3770_co_located_text[];
extern const char model_s9150_alone_text[], model_s9150_co_located_text[];
extern const char model_testbed_cmp_alone_text[], model_testbed_gpu_alone_text[];
extern const char model_testbed_cmp_co_located_text[], model_testbed_gpu_co_located_text[];

const struct hetero_shipped hetero_shipped_models[] = {
    {"i7-3770-alone", model_i7_3770_alone_text},
    {"s9150-alone", model_s9150_alone_text},
    {"i7-3770-co-located", model_i7_3770_co_located_text},
    {"s9150-co-located", model_s9150_co_located_text},
    {"testbed-cmp-alone", model_testbed_cmp_alone_text},
    {"testbed-gpu-alone", model_testbed_gpu_alone_text},
    {"testbed-cmp-co-located", model_testbed_cmp_co_located_text},
    {"testbed-gpu-co-located", model_testbed_gpu_co_located_text},
};
const uint32_t n_hetero_shipped_models =
    sizeof hetero_shipped_models / sizeof hetero_shipped_models[0];

const char *const hetero_scenario_names[HETERO_N_SCENARIOS] = {"alone", "co-located"};

/* --- Building --- */

static struct hetero_model *create_model(void)
{
    return xcalloc(1, sizeof(struct hetero_model));
}

void hetero_model_destroy(struct hetero_model *m)
{
    if (!m)
        return;
    free(m->features);
    free(m->terms);
    free(m->notes);
    arena_destroy(&m->arena);
    free(m);
}

static uint32_t add_feature(struct hetero_model *m, const char *name)
{
    ARRAY_RESERVE(m->features, m->cap_features, m->n_features + 1);
    m->features[m->n_features] = arena_strdup(&m->arena, name);
    return m->n_features++;
}

static void add_term(struct hetero_model *m, struct hetero_term term)
{
    ARRAY_RESERVE(m->terms, m->cap_terms, m->n_terms + 1);
    m->terms[m->n_terms++] = term;
}

struct hetero_model *hetero_model_of_features(const char *const *names, uint32_t n, bool pairs)
{
    struct hetero_model *m = create_model();
    for (uint32_t i = 0; i < n; i++)
        add_term(m, (struct hetero_term){add_feature(m, names[i]), HETERO_NO_FEATURE, 0, NULL});
    for (uint32_t i = 0; pairs && i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            add_term(m, (struct hetero_term){i, j, 0, NULL});
    return m;
}

void hetero_model_note(struct hetero_model *m, const char *word, const char *text)
{
    char *line = arena_strdup(&m->arena, text);
    for (char *at = line; *at; at++)
        if (*at == '\n' || *at == '\r')
            *at = '?';
    ARRAY_RESERVE(m->notes, m->cap_notes, m->n_notes + 1);
    m->notes[m->n_notes++] = (struct hetero_note){arena_strdup(&m->arena, word), line, 0};
}

static const struct hetero_note *find_note(const struct hetero_model *m, const char *word)
{
    for (uint32_t i = 0; i < m->n_notes; i++)
        if (strcmp(m->notes[i].word, word) == 0)
            return &m->notes[i];
    return NULL;
}

const char *hetero_model_find_note(const struct hetero_model *m, const char *word)
{
    const struct hetero_note *note = find_note(m, word);
    return note ? note->text : NULL;
}

bool hetero_model_is_for(const struct hetero_model *m, const char *target, const char *scenario,
                         const char *file, const char *text, struct diag_list *diags)
{
    const char *const words[] = {"target", "scenario"}, *const wanted[] = {target, scenario};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        const struct hetero_note *note = find_note(m, words[i]);
        if (!note || strcmp(note->text, wanted[i]) == 0)
            continue;
        diag_add(diags, DIAG_ERROR, file, text, note->line, 1, NULL,
                 "the model's %s is '%s', and it is used as one of '%s'", words[i], note->text,
                 wanted[i]);
        ok = false;
    }
    return ok;
}

uint32_t hetero_model_find_feature(const struct hetero_model *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_features; i++)
        if (strcmp(m->features[i], name) == 0)
            return i;
    return HETERO_NO_FEATURE;
}

bool hetero_is_feature_name(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if (isspace((unsigned char)name[i]) || name[i] == ':')
            return false;
    return isalpha((unsigned char)name[0]);
}

void hetero_term_name(const struct hetero_model *m, uint32_t term, struct strbuf *out)
{
    strbuf_add(out, m->features[m->terms[term].first]);
    if (m->terms[term].second != HETERO_NO_FEATURE)
        strbuf_addf(out, " x %s", m->features[m->terms[term].second]);
}

uint32_t hetero_model_find_infinite(const struct hetero_model *m)
{
    for (uint32_t i = 0; i < m->n_terms; i++)
        if (!isfinite(m->terms[i].coefficient))
            return i;
    return HETERO_NO_TERM;
}

/* --- Evaluating --- */

double hetero_term_value(const struct hetero_term *t, const double *values)
{
    double second = t->second == HETERO_NO_FEATURE ? 1.0 : values[t->second];
    return values[t->first] * second;
}

double hetero_model_evaluate(const struct hetero_model *m, const double *values)
{
    double time = 0;
    for (uint32_t i = 0; i < m->n_terms; i++)
        time += m->terms[i].coefficient * hetero_term_value(&m->terms[i], values);
    return time;
}

/* --- Reading --- */

struct reader {
    struct hetero_model *model;
    const char *file, *text;
    uint32_t line;
    struct diag_list *diags;
};

static void complain(const struct reader *r, const char *word, const char *start, const char *hint,
                     const char *message)
{
    diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, (uint32_t)(word - start) + 1, hint,
             "%s", message);
}

/* The first factor of a term: a feature, which a single term introduces. */
static uint32_t read_first(const struct reader *r, const char *word, bool is_single,
                           const char *start, const char *at)
{
    struct hetero_model *m = r->model;
    uint32_t feature = hetero_model_find_feature(m, word);
    bool is_name = hetero_is_feature_name(word);
    if (is_single && feature == HETERO_NO_FEATURE && is_name)
        return add_feature(m, word);
    if (!is_name)
        complain(r, at, start, "models have no constant term",
                 "a feature begins with a letter and has no ':'");
    else if (is_single)
        complain(r, at, start, NULL, "this feature has a single term already");
    else if (feature == HETERO_NO_FEATURE)
        complain(r, at, start, suggest_hint(&m->arena, word, m->features, m->n_features),
                 "this feature has no single term above this line");
    return feature;
}

static bool has_pair(const struct hetero_model *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < m->n_terms; i++) {
        const struct hetero_term *t = &m->terms[i];
        if ((t->first == a && t->second == b) || (t->first == b && t->second == a))
            return true;
    }
    return false;
}

static uint32_t read_second(const struct reader *r, const char *word, uint32_t first,
                            const char *start, const char *at)
{
    struct hetero_model *m = r->model;
    uint32_t feature = hetero_model_find_feature(m, word);
    if (feature == HETERO_NO_FEATURE)
        complain(r, at, start, suggest_hint(&m->arena, word, m->features, m->n_features),
                 "this feature has no single term above this line");
    else if (feature == first)
        complain(r, at, start, NULL, "a feature is not paired with itself: models have no squares");
    else if (has_pair(m, first, feature))
        complain(r, at, start, NULL, "these two features have a term already");
    else
        return feature;
    return HETERO_NO_FEATURE;
}

enum { MAX_WORDS = 4 };

/* The words of a line, at most MAX_WORDS of them. */
static uint32_t split(const char *line, size_t len, const char *words[MAX_WORDS],
                      size_t lens[MAX_WORDS])
{
    uint32_t n = 0;
    for (size_t i = 0; i < len && n < MAX_WORDS;) {
        while (i < len && isspace((unsigned char)line[i]))
            i++;
        size_t begin = i;
        while (i < len && !isspace((unsigned char)line[i]))
            i++;
        if (i > begin) {
            words[n] = line + begin;
            lens[n++] = i - begin;
        }
    }
    return n;
}

static void read_term(struct reader *r, const char *line, size_t len)
{
    const char *words[MAX_WORDS], *texts[3];
    size_t lens[MAX_WORDS];
    uint32_t n = split(line, len, words, lens);
    if (n != 3) {
        complain(r, words[n > 3 ? 3 : 0], line,
                 "a term is two factors and a coefficient: `threads 1 2e-6`, `threads mem 5e-12`",
                 n > 3 ? "nothing may follow the coefficient" : "incomplete term");
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        texts[i] = arena_strndup(&r->model->arena, words[i], lens[i]);
    struct hetero_term t = {.printed = texts[2], .second = HETERO_NO_FEATURE};
    if (!hetero_text_number(texts[2], &t.coefficient)) {
        complain(r, words[2], line, NULL, "a coefficient is a finite number, written in decimal");
        return;
    }
    uint32_t n_errors = r->diags->n_errors;
    bool is_single = strcmp(texts[1], "1") == 0;
    t.first = read_first(r, texts[0], is_single, line, words[0]);
    if (!is_single && r->diags->n_errors == n_errors)
        t.second = read_second(r, texts[1], t.first, line, words[1]);
    if (r->diags->n_errors == n_errors)
        add_term(r->model, t);
}

/* Words that a note must be one of; NULL = any text. */
static const char *const note_words[] = {"target", "scenario", "source", "fit"};
static const struct {
    const char *const *values;
    uint32_t n;
} note_values[] = {{hetero_target_names, HETERO_N_TARGETS},
                   {hetero_scenario_names, HETERO_N_SCENARIOS},
                   {NULL, 0},
                   {NULL, 0}};
enum { N_NOTE_WORDS = sizeof note_words / sizeof note_words[0] };

static uint32_t find_word(const char *word, const char *const *words, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static void add_note(const struct reader *r, const char *word, const char *text, uint32_t text_col)
{
    struct hetero_model *m = r->model;
    uint32_t i = find_word(word, note_words, N_NOTE_WORDS);
    if (i == N_NOTE_WORDS) {
        diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, 1,
                 suggest_hint(&m->arena, word, note_words, N_NOTE_WORDS),
                 "models have no '%s': target, scenario, source or fit", word);
    } else if (m->n_terms) {
        diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, 1, NULL,
                 "'%s' must be above the terms", word);
    } else if (find_note(m, word)) {
        diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, 1, NULL, "'%s' occurs twice",
                 word);
    } else if (note_values[i].values &&
               find_word(text, note_values[i].values, note_values[i].n) == note_values[i].n) {
        diag_add(r->diags, DIAG_ERROR, r->file, r->text, r->line, text_col,
                 suggest_hint(&m->arena, text, note_values[i].values, note_values[i].n),
                 "there is no %s '%s': %s or %s", word, text, note_values[i].values[0],
                 note_values[i].values[1]);
    } else {
        hetero_model_note(m, word, text);
        m->notes[m->n_notes - 1].line = r->line;
    }
}

/* Reads "word: text"; false if the line is not a note. */
static bool read_note(struct reader *r, const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (isalnum((unsigned char)line[n]) || line[n] == '_'))
        n++;
    if (n == 0 || n == len || line[n] != ':')
        return false;
    size_t begin = n + 1;
    while (begin < len && isspace((unsigned char)line[begin]))
        begin++;
    while (len > begin && isspace((unsigned char)line[len - 1]))
        len--;
    struct arena *a = &r->model->arena;
    add_note(r, arena_strndup(a, line, n), arena_strndup(a, line + begin, len - begin),
             (uint32_t)begin + 1);
    return true;
}

static void read_line(struct reader *r, const char *line, size_t len)
{
    size_t blanks = 0;
    while (blanks < len && isspace((unsigned char)line[blanks]))
        blanks++;
    if (blanks < len && line[blanks] != '#' && !read_note(r, line, len))
        read_term(r, line, len);
}

struct hetero_model *hetero_model_read(const char *file, const char *text, struct diag_list *diags)
{
    text = hetero_text_begin(text);
    struct reader r = {create_model(), file, text, 0, diags};
    uint32_t n_errors = diags->n_errors;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        r.line++;
        read_line(&r, at, len);
        at += len + (at[len] == '\n');
    }
    if (diags->n_errors == n_errors && r.model->n_terms == 0)
        diag_add(diags, DIAG_ERROR, file, NULL, 0, 0, NULL, "the file contains no terms");
    if (diags->n_errors == n_errors)
        return r.model;
    hetero_model_destroy(r.model);
    return NULL;
}

/* --- Writing --- */

void hetero_model_write(const struct hetero_model *m, struct strbuf *out)
{
    for (uint32_t i = 0; i < m->n_notes; i++)
        strbuf_addf(out, "%s: %s\n", m->notes[i].word, m->notes[i].text);
    strbuf_addf(out, "\n%-24s%-24s%s\n", "# factor_1", "factor_2", "coefficient");
    for (uint32_t i = 0; i < m->n_terms; i++) {
        const struct hetero_term *t = &m->terms[i];
        const char *second = t->second == HETERO_NO_FEATURE ? "1" : m->features[t->second];
        strbuf_addf(out, "%-24s%-24s", m->features[t->first], second);
        if (t->printed)
            strbuf_addf(out, "%s\n", t->printed);
        else
            strbuf_addf(out, "%.17g\n", t->coefficient);
    }
}
