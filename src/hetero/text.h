/* Texts that users write: model files, and rows for training. */
#ifndef HEDDLE_HETERO_TEXT_H
#define HEDDLE_HETERO_TEXT_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Skips the byte order mark with which some programs begin a file. */
static inline const char *hetero_text_begin(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

/* Is it a finite decimal number? 0x10 and nan are not. */
static inline bool hetero_text_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    bool is_decimal = !text[strspn(text, "0123456789+-.eE")];
    return end != text && !*end && isfinite(*out) && is_decimal;
}

#endif
