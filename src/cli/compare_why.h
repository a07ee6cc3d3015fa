/* `heddle compare --why`: on one screen, or as JSON. */
#ifndef HEDDLE_CLI_COMPARE_WHY_H
#define HEDDLE_CLI_COMPARE_WHY_H

#include "lab/why.h"

void why_print(const struct why *w, const char *const *runs, struct strbuf *out);
void why_json(const struct why *w, const char *const *runs, struct strbuf *out);

#endif
