/* Reads clang's description of kernels from the IR it prints:
 *
 *     define ... spir_kernel void @NAME(...) ... !kernel_arg_addr_space !13 ... {
 *     !13 = !{i32 1, i32 0}
 *     !15 = !{!"float*", !"uint"} */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "icd/code.h"

struct ir_text {
    const char *end;
    const char **nodes; /* lines of metadata by number: what follows "!{", or NULL */
    size_t n_nodes, cap_nodes;
};

static const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

static bool is_kernel_line(const char *p, const char *stop)
{
    return strncmp(p, "define ", 7) == 0 &&
           memmem(p, (size_t)(stop - p), " spir_kernel ", 13) != NULL;
}

static bool is_node_line(const char *p)
{
    return p[0] == '!' && isdigit((unsigned char)p[1]);
}

void ir_keep_kernels(const struct strbuf *ir, struct strbuf *out)
{
    const char *p = strbuf_text(ir), *end = p + ir->len;
    while (p < end) {
        const char *stop = line_end(p, end);
        if (is_kernel_line(p, stop) ||
            (is_node_line(p) && !memmem(p, (size_t)(stop - p), "!DI", 3)))
            strbuf_add_n(out, p, (size_t)(stop - p) + (stop < end));
        p = stop + 1;
    }
}

static void note_node(struct ir_text *t, const char *p, const char *stop)
{
    char *after;
    size_t number = strtoul(p + 1, &after, 10);
    if (after + 4 > stop || strncmp(after, " = !{", 5) != 0 || number > 1u << 24)
        return;
    size_t old = t->cap_nodes;
    ARRAY_RESERVE(t->nodes, t->cap_nodes, number + 1);
    for (size_t i = old; i < t->cap_nodes; i++)
        t->nodes[i] = NULL;
    t->nodes[number] = after + 5;
    if (number >= t->n_nodes)
        t->n_nodes = number + 1;
}

/* The node after `key` in a kernel's line, or NULL. */
static const char *find_node(const struct ir_text *t, const char *line, const char *stop,
                             const char *key)
{
    struct strbuf pattern = {0};
    strbuf_addf(&pattern, " !%s !", key);
    const char *at = memmem(line, (size_t)(stop - line), strbuf_text(&pattern), pattern.len);
    size_t number = at ? strtoul(at + pattern.len, NULL, 10) : SIZE_MAX;
    strbuf_destroy(&pattern);
    return number < t->n_nodes ? t->nodes[number] : NULL;
}

/* Takes the next element of a node: a number, or a text into `out`. False at the node's end. */
static bool next_element(const char **p, unsigned long *number, struct strbuf *out)
{
    const char *s = *p;
    strbuf_clear(out);
    *number = 0;
    while (*s == ' ' || *s == ',')
        s++;
    if (*s == '}' || *s == '\n' || !*s)
        return false;
    if (s[0] == '!' && s[1] == '"') {
        for (s += 2; *s && *s != '"'; s++) {
            if (*s == '\\' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
                char hex[3] = {s[1], s[2], 0};
                strbuf_add_char(out, (char)strtoul(hex, NULL, 16));
                s += 2;
            } else {
                strbuf_add_char(out, *s);
            }
        }
        s += *s == '"';
    } else {
        const char *stop = s + strcspn(s, ",}\n");
        strbuf_add_n(out, s, (size_t)(stop - s));
        const char *blank = memchr(s, ' ', (size_t)(stop - s));
        *number = blank ? strtoul(blank, NULL, 10) : 0;
        s = stop;
    }
    *p = s;
    return true;
}

static uint32_t count_elements(const char *node)
{
    struct strbuf text = {0};
    unsigned long number;
    uint32_t n = 0;
    while (node && next_element(&node, &number, &text))
        n++;
    strbuf_destroy(&text);
    return n;
}

/* --- arguments --- */

static cl_kernel_arg_address_qualifier address_of(unsigned long space)
{
    switch (space) {
    case 1:
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case 2:
        return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case 3:
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default:
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

static cl_kernel_arg_access_qualifier access_of(const char *text)
{
    if (strcmp(text, "read_only") == 0)
        return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (strcmp(text, "write_only") == 0)
        return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    if (strcmp(text, "read_write") == 0)
        return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    return CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_type_qualifier qualifiers_of(const char *text)
{
    cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;
    q |= strstr(text, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0;
    q |= strstr(text, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0;
    q |= strstr(text, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0;
    return q;
}

static cl_mem_object_type image_of(const char *type)
{
    static const struct {
        const char *name;
        cl_mem_object_type type;
    } images[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D},
                  {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
                  {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
                  {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
                  {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
                  {"image3d_t", CL_MEM_OBJECT_IMAGE3D}};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        if (strcmp(images[i].name, type) == 0)
            return images[i].type;
    return 0;
}

/* Some versions of clang write "__read_only image2d_t". */
static const char *bare_type(const char *type)
{
    const char *blank = strncmp(type, "__", 2) == 0 ? strchr(type, ' ') : NULL;
    return blank ? blank + 1 : type;
}

static void set_kind(struct arg_info *a, const char *base_type)
{
    size_t len = strlen(base_type);
    a->image = image_of(bare_type(base_type));
    if (a->image)
        a->kind = ARG_IMAGE;
    else if (strcmp(base_type, "sampler_t") == 0)
        a->kind = ARG_SAMPLER;
    else if (len == 0 || base_type[len - 1] != '*')
        a->kind = ARG_VALUE;
    else
        a->kind = a->address == CL_KERNEL_ARG_ADDRESS_LOCAL ? ARG_LOCAL : ARG_BUFFER;
}

enum column {
    COLUMN_SPACE,
    COLUMN_ACCESS,
    COLUMN_TYPE,
    COLUMN_BASE,
    COLUMN_QUALIFIERS,
    COLUMN_NAME
};

static void set_column(struct code *c, struct arg_info *a, enum column column, unsigned long number,
                       const char *text)
{
    switch (column) {
    case COLUMN_SPACE:
        a->address = address_of(number);
        break;
    case COLUMN_ACCESS:
        a->access = access_of(text);
        break;
    case COLUMN_TYPE:
        a->type = arena_strdup(&c->arena, bare_type(text));
        break;
    case COLUMN_BASE:
        set_kind(a, text);
        break;
    case COLUMN_QUALIFIERS:
        a->qualifiers = qualifiers_of(text);
        break;
    case COLUMN_NAME:
        a->name = arena_strdup(&c->arena, text);
        break;
    }
}

static void read_args(struct code *c, const struct ir_text *t, struct kernel_info *k,
                      const char *line, const char *stop)
{
    static const char *const keys[] = {"kernel_arg_addr_space", "kernel_arg_access_qual",
                                       "kernel_arg_type",       "kernel_arg_base_type",
                                       "kernel_arg_type_qual",  "kernel_arg_name"};
    struct strbuf text = {0};
    k->n_args = count_elements(find_node(t, line, stop, keys[0]));
    k->args = ARENA_ARRAY(&c->arena, struct arg_info, k->n_args + 1);
    for (uint32_t i = 0; i < k->n_args; i++)
        k->args[i] = (struct arg_info){.type = "", .name = ""};
    for (enum column column = COLUMN_SPACE; column <= COLUMN_NAME; column++) {
        const char *node = find_node(t, line, stop, keys[column]);
        unsigned long number;
        for (uint32_t i = 0; node && i < k->n_args && next_element(&node, &number, &text); i++)
            set_column(c, &k->args[i], column, number, strbuf_text(&text));
    }
    strbuf_destroy(&text);
}

static bool read_sizes(const char *node, size_t out[3])
{
    struct strbuf text = {0};
    unsigned long number;
    int n = 0;
    while (node && n < 3 && next_element(&node, &number, &text))
        out[n++] = number;
    strbuf_destroy(&text);
    return n == 3;
}

/* `<4 x i32> undef, i32 1`: the type, and whether its integers are signed. */
static void add_type_hint(const char *node, struct strbuf *out)
{
    static const char *const names[][2] = {
        {"i8", "char"},   {"i16", "short"},   {"i32", "int"},      {"i64", "long"},
        {"half", "half"}, {"float", "float"}, {"double", "double"}};
    struct strbuf text = {0};
    unsigned long is_signed, width;
    if (!node || !next_element(&node, &width, &text))
        return;
    char type[16] = "";
    if (sscanf(strbuf_text(&text), "<%lu x %15[a-z0-9]>", &width, type) != 2) {
        width = 0;
        sscanf(strbuf_text(&text), "%15s", type);
    }
    next_element(&node, &is_signed, &text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], type) != 0)
            continue;
        bool is_unsigned = type[0] == 'i' && !is_signed;
        strbuf_addf(out, "%svec_type_hint(%s%s", out->len ? " " : "", is_unsigned ? "u" : "",
                    names[i][1]);
        if (width)
            strbuf_addf(out, "%lu", width);
        strbuf_add_char(out, ')');
    }
    strbuf_destroy(&text);
}

static void read_attributes(struct code *c, const struct ir_text *t, struct kernel_info *k,
                            const char *line, const char *stop)
{
    struct strbuf out = {0};
    size_t hint[3];
    if (read_sizes(find_node(t, line, stop, "reqd_work_group_size"), k->required_group))
        strbuf_addf(&out, "reqd_work_group_size(%zu,%zu,%zu)", k->required_group[0],
                    k->required_group[1], k->required_group[2]);
    if (read_sizes(find_node(t, line, stop, "work_group_size_hint"), hint))
        strbuf_addf(&out, "%swork_group_size_hint(%zu,%zu,%zu)", out.len ? " " : "", hint[0],
                    hint[1], hint[2]);
    add_type_hint(find_node(t, line, stop, "vec_type_hint"), &out);
    k->attributes = arena_strdup(&c->arena, strbuf_text(&out));
    strbuf_destroy(&out);
}

static void add_kernel(struct code *c, const struct ir_text *t, uint32_t *cap, const char *line,
                       const char *stop)
{
    const char *at = memmem(line, (size_t)(stop - line), " @", 2);
    if (!at)
        return;
    at += 2;
    ARRAY_RESERVE(c->kernels, *cap, c->n_kernels + 1);
    struct kernel_info *k = &c->kernels[c->n_kernels++];
    memset(k, 0, sizeof *k);
    k->name = arena_strndup(&c->arena, at, strcspn(at, "("));
    read_args(c, t, k, line, stop);
    read_attributes(c, t, k, line, stop);
}

void ir_read_kernels(struct code *c)
{
    const char *text = strbuf_text(&c->ir);
    struct ir_text t = {.end = text + c->ir.len};
    uint32_t cap = 0;
    for (const char *p = text; p < t.end; p = line_end(p, t.end) + 1)
        if (is_node_line(p))
            note_node(&t, p, line_end(p, t.end));
    for (const char *p = text; p < t.end; p = line_end(p, t.end) + 1)
        if (is_kernel_line(p, line_end(p, t.end)))
            add_kernel(c, &t, &cap, p, line_end(p, t.end));
    free(t.nodes);
}
