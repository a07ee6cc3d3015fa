#ifndef HEDDLE_CLI_VERSION_H
#define HEDDLE_CLI_VERSION_H

#include "base/strbuf.h"

/* Heddle's version, the host's vector instructions in use and available, the compiler. */
void version_text(struct strbuf *out);

#endif
