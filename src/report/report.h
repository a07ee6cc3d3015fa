/* The page of a store: its whole content as one JSON document, and the HTML file around it. web/
 * defines what the page shows and how; it is bundled into the program when Heddle is built.
 *
 * Names from users' programs and files stay JSON strings until the page makes them text nodes. */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include "base/strbuf.h"
#include "lab/store.h"

struct report_options {
    const char *store_name; /* the store's name on the page */
    bool is_live;           /* the page asks its server for updates */
    /* Figure files, in addition to the shipped ones. */
    const char *const *figures;
    uint32_t n_figures;
};

/* Adds the document to `out`. On failure the store's error says what is wrong. */
enum heddle_status report_data(struct store *s, const struct report_options *options,
                               struct strbuf *out);

/* Adds the page with that document to `out`. */
void report_page(const struct strbuf *data, struct strbuf *out);

/* Changes whenever a result is added or replaced. */
enum heddle_status report_version(struct store *s, struct strbuf *out);

#endif
