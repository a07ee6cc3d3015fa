#include "gpu/annotations.h"

#include <ctype.h>
#include <string.h>

#include "config/number.h"

enum { MAX_ARGUMENTS = 4096 };

struct reader {
    const char *start, *at; /* start of the line; current position */
    uint32_t line;
    struct arena *arena;
    struct annotations *out;
    uint32_t cap;
    struct diag_list *diags;
};

static bool ends_line(char c)
{
    return c == '\0' || c == '\n' || c == ';' || c == '#';
}

static void complain(const struct reader *r, const char *at, const char *hint, const char *what)
{
    diag_add(r->diags, DIAG_ERROR, r->out->file, r->out->text, r->line,
             (uint32_t)(at - r->start) + 1, hint, "%s", what);
}

/* The next word of the line, NULL at its end. */
static const char *next_word(struct reader *r, const char **at)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
    *at = r->at;
    while (!ends_line(*r->at) && !isspace((unsigned char)*r->at))
        r->at++;
    return r->at == *at ? NULL : arena_strndup(r->arena, *at, (size_t)(r->at - *at));
}

static void add(struct reader *r, struct annotation a)
{
    struct annotations *out = r->out;
    for (uint32_t i = 0; i < out->n; i++)
        if (strcmp(out->items[i].kernel, a.kernel) == 0 && out->items[i].argument == a.argument &&
            out->items[i].op == a.op) {
            complain(r, r->start + a.col - 1, NULL, "this annotation is given twice");
            return;
        }
    if (out->n == r->cap) {
        struct annotation *old = out->items;
        r->cap = r->cap ? 2 * r->cap : 8;
        out->items = ARENA_ARRAY(r->arena, struct annotation, r->cap);
        if (out->n)
            memcpy(out->items, old, out->n * sizeof *old);
    }
    out->items[out->n++] = a;
}

static void read_line(struct reader *r)
{
    static const char form[] = "a line has the form: KERNEL ARGUMENT .cc|.cp";
    const char *at, *at_number, *at_mark, *at_more;
    const char *kernel = next_word(r, &at);
    if (!kernel)
        return;
    const char *number = next_word(r, &at_number), *mark = next_word(r, &at_mark);
    const char *more = next_word(r, &at_more);
    uint64_t argument = 0;
    bool is_cc = mark && strcmp(mark, ".cc") == 0;
    if (!number || !number_parse_u64(number, &argument) || !argument || argument > MAX_ARGUMENTS)
        complain(r, at_number, form, "expected the number of an argument, from 1");
    else if (!is_cc && !(mark && strcmp(mark, ".cp") == 0))
        complain(r, at_mark, form, "expected .cc (stores are kept in L2) or .cp (loads bypass L2)");
    else if (more)
        complain(r, at_more, form, "expected the end of the line");
    else
        add(r, (struct annotation){.kernel = kernel,
                                   .argument = (uint32_t)argument,
                                   .op = is_cc ? MEM_OP_CC : MEM_OP_CP,
                                   .line = r->line,
                                   .col = (uint32_t)(at - r->start) + 1});
}

/* A first line that names a file: the following lines count from 1. */
static const char *read_origin(struct annotations *a, const char *text, struct arena *arena)
{
    static const char word[] = "from ";
    if (strncmp(text, word, sizeof word - 1) != 0)
        return text;
    const char *name = text + sizeof word - 1, *end = strchr(name, '\n');
    if (!end)
        return text;
    a->file = arena_strndup(arena, name, (size_t)(end - name));
    return end + 1;
}

bool annotations_parse(const char *file, const char *text, struct arena *arena,
                       struct annotations *out, struct diag_list *diags)
{
    uint32_t n_errors = diags->n_errors;
    *out = (struct annotations){.file = file};
    out->text = read_origin(out, text, arena);
    struct reader r = {.line = 1, .arena = arena, .out = out, .diags = diags};
    r.start = r.at = out->text;
    for (;;) {
        read_line(&r);
        r.at += strcspn(r.at, ";#\n"); /* skips the rest after an error */
        if (*r.at == '#')
            r.at += strcspn(r.at, "\n");
        if (!*r.at)
            break;
        if (*r.at++ == '\n') {
            r.start = r.at;
            r.line++;
        }
    }
    return diags->n_errors == n_errors;
}

int annotations_read_file(const char *path, struct arena *arena, const char **setting)
{
    struct strbuf text = {0};
    int error = strbuf_read_file(&text, path);
    if (!error)
        *setting = arena_printf(arena, "l2.annotations=from %s\n%s", path, strbuf_text(&text));
    strbuf_destroy(&text);
    return error;
}

static void complain_of(const struct annotations *a, const struct annotation *it,
                        enum diag_severity severity, const char *hint, struct diag_list *diags,
                        const char *what)
{
    diag_add(diags, severity, a->file, a->text, it->line, it->col, hint, "%s", what);
}

static void check_names(const struct annotations *a, const char *const *kernels, uint32_t n,
                        enum diag_severity severity, const char *what, struct diag_list *diags)
{
    for (uint32_t i = 0; i < a->n; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < n; k++)
            is_there = is_there || strcmp(kernels[k], a->items[i].kernel) == 0;
        if (!is_there)
            complain_of(a, &a->items[i], severity,
                        suggest_hint(&diags->arena, a->items[i].kernel, kernels, n), diags,
                        arena_printf(&diags->arena, "%s '%s'", what, a->items[i].kernel));
    }
}

bool annotations_check_kernels(const struct annotations *a, const char *const *kernels, uint32_t n,
                               struct diag_list *diags)
{
    uint32_t n_errors = diags->n_errors;
    check_names(a, kernels, n, DIAG_ERROR, "the program has no kernel", diags);
    return diags->n_errors == n_errors;
}

void annotations_check_launched(const struct annotations *a, const char *const *kernels, uint32_t n,
                                struct diag_list *diags)
{
    check_names(a, kernels, n, DIAG_WARNING, "the program launched no kernel", diags);
}

/* The buffer that the argument points to; NULL if there is none. */
static const struct mem_alloc *buffer_of(const struct emu_launch *l, uint32_t argument,
                                         const struct dev_mem *mem)
{
    const struct ptx_var *v = &l->func->func->params[argument - 1];
    uint64_t address;
    if (v->bytes != sizeof address)
        return NULL;
    memcpy(&address, l->params + l->func->param_at[argument - 1], sizeof address);
    return mem_find(mem, address, 1);
}

static const char *flaw_of(const struct annotation *it, const struct emu_launch *l,
                           const struct dev_mem *mem, struct arena *arena)
{
    uint32_t n = l->func->func->n_params;
    if (it->argument > n)
        return arena_printf(arena, "kernel '%s' has %u argument%s", it->kernel, n,
                            n == 1 ? "" : "s");
    if (!buffer_of(l, it->argument, mem))
        return arena_printf(arena, "argument %u of kernel '%s' is not the address of a buffer",
                            it->argument, it->kernel);
    return NULL;
}

bool annotations_resolve(const struct annotations *a, const struct emu_launch *launch,
                         const struct dev_mem *mem, struct l2_marks *out, struct diag_list *diags)
{
    uint32_t n_errors = diags->n_errors;
    out->n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct annotation *it = &a->items[i];
        if (strcmp(it->kernel, launch->func->func->name) != 0)
            continue;
        const char *flaw = flaw_of(it, launch, mem, &diags->arena);
        if (!flaw && out->n == L2_MAX_MARKS)
            flaw = "a kernel can have at most 64 annotations";
        if (flaw) {
            complain_of(a, it, DIAG_ERROR, NULL, diags, flaw);
            continue;
        }
        const struct mem_alloc *b = buffer_of(launch, it->argument, mem);
        out->items[out->n++] =
            (struct l2_mark){.start = b->start, .bytes = b->bytes, .is_store = it->op == MEM_OP_CC};
    }
    return diags->n_errors == n_errors;
}
