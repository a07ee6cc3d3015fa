/* What papers say beside Heddle's results, as tables for a terminal. */
#ifndef HEDDLE_CLI_CLAIM_TABLE_H
#define HEDDLE_CLI_CLAIM_TABLE_H

#include "lab/figure.h"

/* The claims of one figure, whose series must have been derived. */
void claim_table_print(const struct figure *f, struct strbuf *out);
/* Those of several, with the name of the figure in place of the source; then how many of each
 * paper have which verdict. */
void claim_table_print_all(const struct figure *figures, uint32_t n, struct strbuf *out);

/* "S2" of "S2 Figure 10"; the length of that word, 0 if the figure is of no paper. */
size_t claim_paper_length(const struct figure *f);

#endif
