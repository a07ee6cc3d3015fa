/* Fuzzes what reads experiment files: the tree, the axes, the product and the filters. Machines are
 * not built and kernels not compiled, and no plug-in is loaded, so nothing here touches a file. */
#include <stdint.h>
#include <string.h>

#include "lab/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every point can be run, and can be described to a user. */
static void check_points(const struct spec *s)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < s->n_points && i < 100; i++) {
        const struct point *p = &s->points[i];
        if (!p->workload || !p->size || !p->gpu.text)
            __builtin_trap();
        point_describe(p, &text);
        point_settings(p, &text);
        if (!point_coordinate(p, "workload", &text))
            __builtin_trap();
    }
    strbuf_destroy(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memmem(data, size, "plugins", 7))
        return 0;
    struct arena arena = {0};
    struct diag_list diags = {0};
    struct strbuf messages = {0};
    struct spec spec = {0};
    struct yaml_doc doc;
    const struct spec_changes changes = {.notes_missing = size % 2 == 1};
    const char *text = arena_strndup(&arena, (const char *)data, size);
    if (yaml_doc_load(&doc, "fuzz.yaml", text, &diags)) {
        yaml_node_t *root = yaml_doc_root(&doc);
        uint32_t errors_before = diags.n_errors; /* a key may have been given twice */
        bool ok = root && spec_read(&spec, &doc, root, &changes);
        if (root && ok != (diags.n_errors == errors_before))
            __builtin_trap();
        if (ok)
            check_points(&spec);
        yaml_doc_destroy(&doc);
    }
    diag_format(&diags, &messages);
    strbuf_destroy(&messages);
    spec_destroy(&spec);
    diag_list_destroy(&diags);
    arena_destroy(&arena);
    return 0;
}
