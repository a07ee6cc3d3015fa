/* Parses the body of a kernel written in a test; the test fails with the messages if it is wrong.
 */
#ifndef HEDDLE_TEST_PARSE_TEXT_H
#define HEDDLE_TEST_PARSE_TEXT_H

#include <string.h>

#include "ptx/ptx.h"

/* Registers %r, %f (32 bits), %rd, %fd (64 bits) and %p, 16 of each, are declared. */
static inline struct ptx_module *parse_body(const char *body)
{
    struct diag_list diags = {0};
    struct strbuf text = {0};
    strbuf_addf(&text,
                ".version 6.0\n.target sm_35\n.address_size 64\n"
                ".visible .entry k(.param .u64 k_p)\n{\n"
                ".reg .pred %%p<16>;\n.reg .b32 %%r<16>;\n.reg .f32 %%f<16>;\n"
                ".reg .b64 %%rd<16>;\n.reg .f64 %%fd<16>;\n%s}\n",
                body);
    struct ptx_module *m = ptx_parse("body.ptx", text.text, text.len, &diags);
    if (!m) {
        strbuf_clear(&text);
        diag_format(&diags, &text);
        fail_msg("%s", strbuf_text(&text));
    }
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return m;
}

#endif
