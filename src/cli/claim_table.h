/* The papers' claims beside Heddle's results, as tables for a terminal. */
#ifndef HEDDLE_CLI_CLAIM_TABLE_H
#define HEDDLE_CLI_CLAIM_TABLE_H

#include "lab/figure.h"

/* The claims of one figure, whose series must have been derived. */
void claim_table_print(const struct figure *f, struct strbuf *out);
/* Those of several, with the figure's name instead of the source; then the number of verdicts of
 * each kind per paper. */
void claim_table_print_all(const struct figure *figures, uint32_t n, struct strbuf *out);

/* The length of the paper's word, "S2" in "S2 Figure 10"; 0 if the figure belongs to no paper. */
size_t claim_paper_length(const struct figure *f);

#endif
