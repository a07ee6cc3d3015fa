#include "config/gpu_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"

#define GPU(id, text) extern const char config_##id##_text[];
#include "config/gpus.def"
#undef GPU

static const char *const gpu_texts[] = {
#define GPU(id, text) config_##id##_text,
#include "config/gpus.def"
#undef GPU
};

const char *const gpu_names[] = {
#define GPU(id, text) text,
#include "config/gpus.def"
#undef GPU
    NULL,
};
const uint32_t n_gpu_names = sizeof gpu_names / sizeof gpu_names[0] - 1;

/* A configuration being read, and the one that names it as its base. */
struct reading {
    const char *name;     /* as messages name it; a path if it is a file */
    const char *identity; /* equal for all paths of the same file */
    bool is_file;
    const struct reading *by;   /* NULL = the user named it */
    const struct setting *base; /* the `base` setting in `by` that names this one */
};

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

bool gpu_is_file(const char *name)
{
    return strchr(name, '/') || ends_with(name, ".yaml") || ends_with(name, ".yml");
}

/* The path of a file named in another file: relative to that file's folder, unless absolute. */
static const char *path_from(struct arena *arena, const struct reading *by, const char *path)
{
    const char *slash = by && by->is_file ? strrchr(by->name, '/') : NULL;
    if (*path == '/' || !slash)
        return path;
    return arena_printf(arena, "%.*s/%s", (int)(slash - by->name), by->name, path);
}

static bool read_settings(struct settings *s, const struct reading *r, struct diag_list *diags);

/* --- shipped ones --- */

static bool read_shipped(struct settings *s, struct reading *r, struct diag_list *diags)
{
    const char *name = r->name;
    for (uint32_t i = 0; i < n_gpu_names; i++)
        if (strcmp(name, gpu_names[i]) == 0) {
            r->name = r->identity = arena_printf(&s->arena, "configs/%s.yaml", name);
            return settings_read_yaml(s, r->name, gpu_texts[i], strlen(gpu_texts[i]), diags);
        }
    const char *hint = suggest_hint(&diags->arena, name, gpu_names, n_gpu_names);
    hint = hint ? hint : "`heddle show gpus` lists the names; a file name ends with .yaml";
    if (r->base)
        settings_complain(r->base, false, hint, diags, "base: there is no GPU '%s'", name);
    else
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, hint, "there is no GPU '%s'", name);
    return false;
}

/* --- files --- */

/* Reports an error if the file is its own base, directly or through others. */
static bool is_circular(const struct reading *r, struct diag_list *diags)
{
    const struct reading *by = r->by;
    while (by && strcmp(by->identity, r->identity) != 0)
        by = by->by;
    if (by)
        settings_complain(r->base, false, NULL, diags,
                          by == r->by ? "base: '%s' is this file itself"
                                      : "base: '%s' is based on this file in turn",
                          r->base->value);
    return by != NULL;
}

static bool read_file(struct settings *s, struct reading *r, struct diag_list *diags)
{
    struct strbuf text = {0};
    char *real = realpath(r->name, NULL);
    int error = real ? strbuf_read_file(&text, r->name) : errno;
    r->identity = real ? arena_strdup(&s->arena, real) : r->name;
    free(real);
    if (error && r->base)
        settings_complain(r->base, false, NULL, diags, "base: cannot read %s: %s", r->name,
                          strerror(error));
    else if (error)
        diag_add(diags, DIAG_ERROR, r->name, NULL, 0, 0, NULL, "cannot read it: %s",
                 strerror(error));
    bool ok = !error && !is_circular(r, diags) &&
              settings_read_yaml(s, r->name, strbuf_text(&text), text.len, diags);
    strbuf_destroy(&text);
    return ok;
}

/* --- bases --- */

static void remove_setting(struct settings *s, uint32_t i)
{
    s->n--;
    memmove(&s->items[i], &s->items[i + 1], (s->n - i) * sizeof s->items[0]);
}

/* Removes the setting of that name at or after `first`; false if there is none. */
static bool take_setting(struct settings *s, uint32_t first, const char *name, struct setting *out)
{
    for (uint32_t i = first; i < s->n; i++)
        if (strcmp(s->items[i].name, name) == 0) {
            *out = s->items[i];
            remove_setting(s, i);
            return true;
        }
    return false;
}

/* Moves the settings from `middle` on before those from `first` on. */
static void swap_parts(struct settings *s, uint32_t first, uint32_t middle)
{
    uint32_t n_first = middle - first, n_second = s->n - middle;
    struct setting *copy = xcalloc(n_first + 1, sizeof *copy);
    memcpy(copy, &s->items[first], n_first * sizeof *copy);
    memmove(&s->items[first], &s->items[middle], n_second * sizeof *copy);
    memcpy(&s->items[first + n_second], copy, n_first * sizeof *copy);
    free(copy);
}

/* The settings from `first` on are this configuration's own; those of its base are placed before
 * them. */
static bool read_base(struct settings *s, uint32_t first, const struct reading *r,
                      struct diag_list *diags)
{
    struct setting base, unused;
    bool has_base = take_setting(s, first, "base", &base);
    if (!r->by)
        s->base = has_base ? base.value : NULL;
    if (!has_base) {
        s->bare_file = r->is_file ? r->name : NULL;
        return true;
    }
    uint32_t middle = s->n;
    struct reading below = {.name = base.value, .by = r, .base = &base};
    below.is_file = gpu_is_file(base.value);
    if (below.is_file)
        below.name = path_from(&s->arena, r, base.value);
    bool ok = read_settings(s, &below, diags);
    take_setting(s, middle, "name", &unused);
    take_setting(s, middle, "description", &unused);
    swap_parts(s, first, middle);
    return ok;
}

static bool read_settings(struct settings *s, const struct reading *which, struct diag_list *diags)
{
    struct reading r = *which;
    uint32_t first = s->n;
    bool ok = r.is_file ? read_file(s, &r, diags) : read_shipped(s, &r, diags);
    return read_base(s, first, &r, diags) && ok;
}

bool gpu_files_read(struct settings *s, const char *name_or_path, struct diag_list *diags)
{
    struct reading r = {.name = name_or_path, .is_file = gpu_is_file(name_or_path)};
    return read_settings(s, &r, diags);
}

void gpu_files_list(const char *name_or_path, void (*told)(void *user, const char *path),
                    void *user)
{
    struct settings s = {0};
    struct diag_list diags = {0}; /* complained of by who builds the machine */
    if (!gpu_is_file(name_or_path))
        return;
    told(user, name_or_path);
    gpu_files_read(&s, name_or_path, &diags);
    const char *last = name_or_path;
    for (uint32_t i = 0; i < s.n; i++)
        if (strcmp(s.items[i].file, last) != 0) {
            last = s.items[i].file;
            told(user, last);
        }
    settings_destroy(&s);
    diag_list_destroy(&diags);
}
