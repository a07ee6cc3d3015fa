#include "cli/pick_size.h"

#include <string.h>

#include "cli/output.h"

enum heddle_status pick_size_unknown(const struct workload *w, const char *text)
{
    const char *names[16];
    uint32_t n = 0;
    for (const struct workload_size *s = w->sizes; s->name && n < 16; s++)
        names[n++] = s->name;
    struct strbuf hint = {0}, base = {0};
    strbuf_addf(&hint, "`heddle show workload %s` lists the sizes of %s", w->name, w->name);
    strbuf_addf(&base, "%.*s", (int)strcspn(text, ":"), text);
    enum heddle_status status =
        output_unknown("size", strbuf_text(&base), names, n, strbuf_text(&hint));
    strbuf_destroy(&hint);
    strbuf_destroy(&base);
    return status;
}

enum heddle_status pick_size(const struct workload *w, const char *text, struct arena *arena,
                             const struct workload_size **out)
{
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_OK;
    *out = workload_make_size(w, text, arena, &why);
    if (!*out && why.len) {
        output_error("--size %s: %s", text, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    } else if (!*out) {
        status = pick_size_unknown(w, text);
    }
    strbuf_destroy(&why);
    return status;
}
