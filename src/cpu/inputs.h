/* Inputs for CPU programs, identical on every host. */
#ifndef HEDDLE_CPU_INPUTS_H
#define HEDDLE_CPU_INPUTS_H

#include "base/strbuf.h"

/* English-like text: 20,000 words; lower word numbers are more frequent. */
void cpu_input_text(struct strbuf *out);
/* A C source of many functions. */
void cpu_input_c(struct strbuf *out);
/* An XML document of many records, and a stylesheet that sorts and groups them. */
void cpu_input_xml(struct strbuf *out);
void cpu_input_xsl(struct strbuf *out);
/* A block of finite elements under load, for CalculiX. */
void cpu_input_mesh(struct strbuf *out);

#endif
