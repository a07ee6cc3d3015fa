#include "front/dependencies.h"

#include <string.h>

/* Takes one path of the rule; returns its end. */
static const char *take_path(const char *p, struct strbuf *path)
{
    strbuf_clear(path);
    while (*p == ' ' || *p == '\n' || (*p == '\\' && p[1] == '\n'))
        p++;
    for (; *p && *p != ' ' && *p != '\n'; p++) {
        if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) || (*p == '$' && p[1] == '$'))
            p++;
        strbuf_add_char(path, *p);
    }
    return p;
}

/* The file is a make rule, "target: path path \", with blanks escaped. */
bool dependencies_read(const char *path, struct arg_list *files)
{
    struct strbuf rule = {0}, file = {0};
    bool ok = strbuf_read_file(&rule, path) == 0;
    const char *p = ok ? strstr(strbuf_text(&rule), ": ") : NULL;
    for (p = p ? p + 1 : ""; *p;) {
        p = take_path(p, &file);
        if (file.len)
            args_add(files, strbuf_text(&file));
    }
    strbuf_destroy(&rule);
    strbuf_destroy(&file);
    return ok;
}
