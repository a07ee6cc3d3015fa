#include "front/called_kernels.h"

#include <stdbool.h>
#include <string.h>

#define AS_FUNCTION "$as_function"

struct line {
    const char *text;
    size_t len; /* without its end */
};

static bool next_line(const char **at, struct line *line)
{
    if (!**at)
        return false;
    line->text = *at;
    line->len = strcspn(*at, "\n");
    *at += line->len + ((*at)[line->len] == '\n');
    return true;
}

static bool begins(struct line line, const char *with)
{
    return strncmp(line.text, with, strlen(with)) == 0;
}

static void add_line(struct strbuf *out, struct line line)
{
    strbuf_add_n(out, line.text, line.len);
    strbuf_add_char(out, '\n');
}

/* Does the text contain `before`, the name and `after` next to each other? */
static bool has(const struct strbuf *ptx, const char *before, struct line name, const char *after)
{
    struct strbuf pattern = {0};
    strbuf_add(&pattern, before);
    strbuf_add_n(&pattern, name.text, name.len);
    strbuf_add(&pattern, after);
    bool found = strstr(strbuf_text(ptx), strbuf_text(&pattern)) != NULL;
    strbuf_destroy(&pattern);
    return found;
}

static struct line word_at(struct line line, size_t from)
{
    return (struct line){line.text + from, strcspn(line.text + from, ",( \t\n")};
}

/* The name of a call's target is on a separate line, after the instruction. */
static bool redirect_calls(const struct strbuf *ptx, struct strbuf *out)
{
    const char *at = strbuf_text(ptx);
    struct line line;
    bool after_call = false, any = false;
    while (next_line(&at, &line)) {
        struct line name = word_at(line, 1);
        bool calls_kernel = after_call && begins(line, "\t") && has(ptx, "\n.entry ", name, "(");
        after_call = begins(line, "\tcall");
        any |= calls_kernel;
        if (!calls_kernel) {
            add_line(out, line);
            continue;
        }
        strbuf_add_n(out, line.text, 1 + name.len);
        strbuf_add(out, AS_FUNCTION);
        add_line(out, (struct line){line.text + 1 + name.len, line.len - 1 - name.len});
    }
    return any;
}

/* `.ptr` and what follows are removed from a kernel's parameter. */
static void add_parameter(struct strbuf *out, struct line line)
{
    const char *ptr = strstr(line.text, " .ptr ");
    if (!ptr || ptr > line.text + line.len) {
        add_line(out, line);
        return;
    }
    const char *name = line.text + line.len;
    while (name[-1] != ' ')
        name--;
    strbuf_add_n(out, line.text, (size_t)(ptr - line.text) + 1);
    add_line(out, (struct line){name, (size_t)(line.text + line.len - name)});
}

/* The kernel that begins with `line` and continues at `at`, as a function. Returns its end. */
static const char *add_function(struct strbuf *out, struct line line, const char *at)
{
    struct line name = word_at(line, strlen(".entry "));
    const char *rest = name.text + name.len;
    bool in_body = false;
    strbuf_add(out, ".func ");
    strbuf_add_n(out, name.text, name.len);
    strbuf_add(out, AS_FUNCTION);
    add_line(out, (struct line){rest, line.len - (size_t)(rest - line.text)});
    while (next_line(&at, &line)) {
        in_body |= begins(line, "{");
        if (in_body)
            add_line(out, line);
        else if (!begins(line, ".")) /* .reqntid is for kernels only */
            add_parameter(out, line);
        if (begins(line, in_body ? "}" : ";"))
            break;
    }
    return at;
}

/* clang declares a kernel that is called before its definition, or from another part of a linked
 * program. */
static bool is_declaration(struct line line)
{
    return line.len && line.text[line.len - 1] != '(';
}

void called_kernels_to_functions(struct strbuf *ptx)
{
    struct strbuf redirected = {0};
    if (redirect_calls(ptx, &redirected)) {
        const char *at = strbuf_text(&redirected);
        struct line line;
        strbuf_clear(ptx);
        while (next_line(&at, &line)) {
            const char *end = NULL;
            if (begins(line, ".entry ") &&
                has(&redirected, "\t", word_at(line, strlen(".entry ")), AS_FUNCTION))
                end = add_function(ptx, line, at);
            if (end && is_declaration(line)) /* PTX has none of kernels */
                at = end;
            else
                add_line(ptx, line);
        }
    }
    strbuf_destroy(&redirected);
}
