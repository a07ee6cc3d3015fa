/* Any bytes as PTX. What parses must print to text that parses to the same module. */
#include <stdio.h>
#include <stdlib.h>

#include "ptx/ptx.h"

static void die(const char *what, const struct strbuf *text, const struct strbuf *why)
{
    fprintf(stderr, "%s: %s\n%s\n", what, strbuf_text(why), strbuf_text(text));
    abort();
}

static void check_round_trip(const struct ptx_module *m)
{
    struct strbuf text = {0}, why = {0};
    struct diag_list diags = {0};
    ptx_print(m, &text);
    struct ptx_module *copy = ptx_parse("printed", strbuf_text(&text), text.len, &diags);
    if (!copy) {
        diag_format(&diags, &why);
        die("printed text does not parse", &text, &why);
    }
    if (!ptx_module_equal(m, copy, &why))
        die("printed text parses to another module", &text, &why);
    ptx_module_destroy(copy);
    diag_list_destroy(&diags);
    strbuf_destroy(&text);
    strbuf_destroy(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags = {0};
    struct ptx_module *m = ptx_parse("fuzz", (const char *)data, size, &diags);
    if (!m != (diags.n_errors > 0))
        abort();
    if (m)
        check_round_trip(m);
    ptx_module_destroy(m);
    diag_list_destroy(&diags);
    return 0;
}
