#include <assert.h>
#include <string.h>

#include "report/report.h"

/* web/, bundled. */
extern const char report_page_text[];

/* JSON inside an HTML element: '<' occurs only in strings, where it may be escaped. */
static void add_data(const struct strbuf *data, struct strbuf *out)
{
    const char *text = strbuf_text(data);
    while (*text) {
        size_t n = strcspn(text, "<");
        strbuf_add_n(out, text, n);
        text += n;
        if (*text) {
            strbuf_add(out, "\\u003c");
            text++;
        }
    }
}

void report_page(const struct strbuf *data, struct strbuf *out)
{
    static const char mark[] = "<!-- DATA -->";
    const char *at = strstr(report_page_text, mark);
    assert(at);
    strbuf_add_n(out, report_page_text, (size_t)(at - report_page_text));
    add_data(data, out);
    strbuf_add(out, at + sizeof mark - 1);
}
