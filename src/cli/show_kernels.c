/* heddle show kernels: the kernels of a workload or a file, and their arguments by number, as
 * annotations for L2 name them (doc/l2.md). The declarations come from the source: PTX keeps
 * neither names nor what a pointer points to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/ptx_load.h"
#include "cli/show.h"
#include "cli/table.h"
#include "workloads/workload.h"

enum { MAX_ROWS = 1024 };

struct argument {
    const char *kernel, *declaration; /* "" = the kernel has none */
    uint32_t number;                  /* from 1 */
};

struct listing {
    struct arena arena;
    struct argument rows[MAX_ROWS];
    uint32_t n;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The text with comments and preprocessor lines replaced by spaces. */
static char *strip(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    bool begins_line = true;
    for (char *p = copy; *p;) {
        size_t n = 0;
        if (p[0] == '/' && p[1] == '*')
            n = strstr(p + 2, "*/") ? (size_t)(strstr(p + 2, "*/") + 2 - p) : strlen(p);
        else if ((p[0] == '/' && p[1] == '/') || (p[0] == '#' && begins_line))
            n = strcspn(p, "\n");
        begins_line = *p == '\n' || (begins_line && isspace((unsigned char)*p));
        memset(p, ' ', n);
        p += n ? n : 1;
    }
    return copy;
}

/* After the bracket that closes the one at `p`. */
static const char *skip_brackets(const char *p)
{
    int depth = 0;
    do {
        depth += (*p == '(') - (*p == ')');
    } while (*p++ && depth > 0);
    return p;
}

/* One line, with single spaces between words. */
static const char *tidy(struct arena *arena, const char *from, const char *end)
{
    char *out = arena_strndup(arena, from, (size_t)(end - from));
    size_t n = 0;
    for (const char *p = from; p < end; p++)
        if (!isspace((unsigned char)*p))
            out[n++] = *p;
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
    return out;
}

static void add_row(struct listing *l, const char *kernel, uint32_t number, const char *declaration)
{
    if (l->n < MAX_ROWS)
        l->rows[l->n++] = (struct argument){kernel, declaration, number};
}

/* `p` is at the bracket that opens the arguments. */
static void add_arguments(struct listing *l, const char *kernel, const char *p)
{
    const char *end = skip_brackets(p) - 1, *from = p + 1;
    uint32_t number = 0;
    int depth = 0;
    for (const char *at = from; at <= end && *at; at++) {
        depth += (*at == '(') - (*at == ')' && at != end);
        if (at != end && (*at != ',' || depth))
            continue;
        const char *declaration = tidy(&l->arena, from, at);
        if (*declaration && strcmp(declaration, "void") != 0)
            add_row(l, kernel, ++number, declaration);
        from = at + 1;
    }
    if (!number)
        add_row(l, kernel, 0, "");
}

/* After a word that begins a kernel: attributes with brackets may precede the name. */
static const char *read_kernel(struct listing *l, const char *p)
{
    for (;;) {
        while (isspace((unsigned char)*p))
            p++;
        const char *word = p;
        while (is_word(*p))
            p++;
        if (p == word)
            return *p ? p + 1 : p; /* no function */
        const char *name = arena_strndup(&l->arena, word, (size_t)(p - word));
        const char *open = p + strspn(p, " \t\n\r");
        if (*open != '(')
            continue;
        if (strncmp(name, "__attribute", 11) != 0 && strcmp(name, "__launch_bounds__") != 0) {
            add_arguments(l, name, open);
            return open;
        }
        p = skip_brackets(open);
    }
}

static void read_source(struct listing *l, const char *source)
{
    static const char *const begins[] = {"__kernel", "kernel", "__global__"};
    const char *p = strip(&l->arena, source);
    while (*p) {
        const char *word = p;
        while (is_word(*p))
            p++;
        size_t n = (size_t)(p - word);
        bool begins_kernel = false;
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
            begins_kernel |= n == strlen(begins[i]) && strncmp(word, begins[i], n) == 0;
        if (begins_kernel)
            p = read_kernel(l, p);
        else if (!n)
            p++;
    }
}

static enum heddle_status read_file(struct listing *l, const char *path)
{
    struct strbuf text = {0};
    int error = strbuf_read_file(&text, path);
    const char *dot = strrchr(path, '.');
    enum heddle_status status = error ? HEDDLE_BAD_INPUT : HEDDLE_OK;
    if (error)
        output_error("cannot read %s: %s", path, strerror(error));
    else if (dot && strcmp(dot, ".ptx") == 0) {
        output_error(
            "%s: PTX does not describe its arguments; `heddle ptx %s` describes its kernels", path,
            path);
        status = HEDDLE_BAD_INPUT;
    } else {
        read_source(l, strbuf_text(&text));
    }
    strbuf_destroy(&text);
    return status;
}

static void print_rows(const struct listing *l, struct strbuf *out)
{
    static const char *const titles[] = {"kernel", "argument", "declaration"};
    struct table t = {.titles = titles, .n_columns = 3, .right = "lrl"};
    for (uint32_t i = 0; i < l->n; i++) {
        table_cell(&t, "%s", l->rows[i].kernel);
        if (l->rows[i].number)
            table_count(&t, l->rows[i].number);
        else
            table_cell(&t, "-");
        table_cell(&t, "%s", l->rows[i].declaration);
    }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add(out, "\nAn annotation for L2 is a line `KERNEL ARGUMENT .cc|.cp` of a file for "
                    "--annotations (doc/l2.md).\n");
}

static void json_rows(const struct listing *l, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < l->n; i++) {
        bool is_first = i == 0 || l->rows[i].number <= 1;
        if (is_first) {
            json_begin_object(&w, NULL);
            json_string(&w, "kernel", l->rows[i].kernel);
            json_begin_array(&w, "arguments");
        }
        if (l->rows[i].number)
            json_string(&w, NULL, l->rows[i].declaration);
        if (i + 1 == l->n || l->rows[i + 1].number <= 1) {
            json_end_array(&w);
            json_end_object(&w);
        }
    }
    json_end_array(&w);
}

enum heddle_status show_kernels(const struct show_options *o, const char *name, struct strbuf *out)
{
    const struct workload *w = workload_find(name);
    struct listing *l = xcalloc(1, sizeof *l);
    enum heddle_status status = HEDDLE_OK;
    if (w)
        read_source(l, w->source);
    else if (ptx_is_file(name))
        status = read_file(l, name);
    else
        status = output_unknown_workload(name);
    if (status == HEDDLE_OK)
        (o->json ? json_rows : print_rows)(l, out);
    arena_destroy(&l->arena);
    free(l);
    return status;
}
