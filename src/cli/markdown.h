/* Markdown pages that the program writes: doc/commands.md, doc/statistics.md and others. */
#ifndef HEDDLE_CLI_MARKDOWN_H
#define HEDDLE_CLI_MARKDOWN_H

#include "base/strbuf.h"

/* Replaces the page by one whose paragraphs and list items are wrapped at 100 columns. Tables,
 * headings, comments and code blocks stay as they are. A line break in a paragraph counts as a
 * space. */
void markdown_wrap(struct strbuf *page);

#endif
