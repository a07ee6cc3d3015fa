/* Shared by the tests of the PTX front end: parsing of snippets with readable failures. */
#ifndef HEDDLE_TEST_PTX_TEST_H
#define HEDDLE_TEST_PTX_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

/* A module around a body, with a few registers of each kind and things to name. */
#define KERNEL_HEAD                                                                                \
    ".version 9.0\n.target sm_90\n.address_size 64\n"                                              \
    ".global .f32 gf[4];\n.shared .b32 sh[4];\n"                                                   \
    ".visible .entry k(.param .u64 a)\n{\n"                                                        \
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"    \
    ".reg .f64 %fd<9>; .reg .s32 %s<9>; .reg .u32 %u<9>; .reg .f16 %h<9>; .reg .v2 .f32 %v;\n"     \
    ".reg .b128 %q<4>;\n"
#define KERNEL_TAIL  "\nret;\n}\n"
#define KERNEL(body) KERNEL_HEAD body KERNEL_TAIL

static inline struct ptx_module *parse(const char *text)
{
    struct diag_list diags = {0};
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diags);
    if (!m) {
        struct strbuf messages = {0};
        diag_format(&diags, &messages);
        print_error("%s", strbuf_text(&messages));
        strbuf_destroy(&messages);
        fail_msg("does not parse");
    }
    assert_int_equal(diags.n_errors, 0);
    diag_list_destroy(&diags);
    return m;
}

/* All messages of a text that must not parse. */
static inline void parse_errors(const char *text, size_t len, struct strbuf *messages)
{
    struct diag_list diags = {0};
    struct ptx_module *m = ptx_parse("test.ptx", text, len, &diags);
    diag_format(&diags, messages);
    if (m)
        fail_msg("parses, and should not");
    assert_true(diags.n_errors > 0);
    diag_list_destroy(&diags);
}

/* Prints, parses what was printed, and compares. */
static inline void check_round_trip(const struct ptx_module *m, const char *name)
{
    struct strbuf text = {0}, why = {0}, again = {0};
    ptx_print(m, &text);
    struct ptx_module *copy = parse(strbuf_text(&text));
    if (!ptx_module_equal(m, copy, &why))
        fail_msg("%s changes by printing and parsing: %s", name, strbuf_text(&why));
    ptx_print(copy, &again);
    assert_string_equal(strbuf_text(&text), strbuf_text(&again));
    ptx_module_destroy(copy);
    strbuf_destroy(&text);
    strbuf_destroy(&why);
    strbuf_destroy(&again);
}

#endif
