/* Build options: from one string to compiler arguments. */
#ifndef HEDDLE_FRONT_OPTIONS_H
#define HEDDLE_FRONT_OPTIONS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "front/front.h"
#include "front/process.h"

/* Splits `text` at blanks with a shell's quoting: '...' is literal, in "..." a backslash escapes "
 * and \, outside it escapes any character. A value that is a character constant (-DCLASS='S') keeps
 * its quotes. False, with a message, if a quote is not closed. */
bool options_split(const char *text, struct arg_list *words, struct strbuf *error);

/* Appends clang's arguments for a user's words: options of other compilers are translated or
 * dropped; those that would change what is compiled, or where the output goes, are refused. */
bool options_translate(enum front_language language, const struct arg_list *words,
                       struct arg_list *args, struct strbuf *error);

#endif
