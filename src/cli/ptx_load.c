#include "cli/ptx_load.h"

#include <string.h>

#include "base/file_status.h"
#include "cli/output.h"
#include "front/front.h"

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

bool ptx_is_source(const char *path)
{
    return ends_with(path, ".cl") || ends_with(path, ".cu");
}

bool ptx_is_file(const char *path)
{
    return ends_with(path, ".ptx") || ptx_is_source(path);
}

/* Compiles the text to PTX, in place. */
static enum heddle_status compile(enum front_language language, const char *name,
                                  const char *build_options, struct strbuf *text,
                                  struct diag_list *diags)
{
    struct strbuf ptx = {0}, error = {0};
    enum heddle_status status =
        front_compile(language, name, strbuf_text(text), text->len, build_options, &ptx, &error);
    if (error.len)
        fprintf(stderr, "%s%s", strbuf_text(&error), error.text[error.len - 1] == '\n' ? "" : "\n");
    if (status != HEDDLE_OK)
        diag_add(diags, DIAG_ERROR, name, NULL, 0, 0, NULL, "%s", strbuf_text(&error));
    strbuf_destroy(&error);
    strbuf_destroy(text);
    *text = ptx;
    return status;
}

static enum heddle_status parse(const char *name, const struct strbuf *text,
                                struct ptx_module **out, struct diag_list *diags)
{
    *out = ptx_parse(name, strbuf_text(text), text->len, diags);
    if (diags->n)
        output_complaints(diags);
    return *out ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status read_text(const char *path, struct strbuf *text, struct diag_list *diags)
{
    enum heddle_status status = HEDDLE_OK;
    int error = strbuf_read_file(text, path);
    if (error) {
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "cannot read %s: %s", path,
                 strerror(error));
        output_complaints(diags);
        status = file_read_status(error);
    }
    size_t at = strbuf_find_non_text(text);
    if (at < text->len) {
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL,
                 "%s: byte %zu of the file is 0: this is not text", path, at);
        output_complaints(diags);
        status = HEDDLE_BAD_INPUT;
    }
    return status;
}

enum heddle_status ptx_load_file(const char *path, const char *build_options,
                                 struct ptx_module **out, struct diag_list *diags)
{
    struct strbuf text = {0};
    enum heddle_status status = read_text(path, &text, diags);
    enum front_language language = ends_with(path, ".cl") ? FRONT_OPENCL_C : FRONT_CUDA_C;
    if (status == HEDDLE_OK && ptx_is_source(path))
        status = compile(language, path, build_options, &text, diags);
    if (status == HEDDLE_OK)
        status = parse(path, &text, out, diags);
    strbuf_destroy(&text);
    return status;
}

enum heddle_status ptx_load_opencl(const char *name, const char *source, const char *build_options,
                                   struct ptx_module **out, struct diag_list *diags)
{
    struct strbuf text = {0};
    strbuf_add(&text, source);
    enum heddle_status status = compile(FRONT_OPENCL_C, name, build_options, &text, diags);
    if (status == HEDDLE_OK)
        status = parse(name, &text, out, diags);
    strbuf_destroy(&text);
    return status;
}
