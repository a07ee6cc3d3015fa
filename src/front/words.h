/* The words of a C text: identifiers, keywords and numbers outside comments. */
#ifndef HEDDLE_FRONT_WORDS_H
#define HEDDLE_FRONT_WORDS_H

#include <stdbool.h>

#include "front/process.h"

/* Appends every word of the text. With `calls`, a word before an opening parenthesis is appended a
 * second time together with the parenthesis, but without the blanks between them. */
void words_collect(const char *text, bool calls, struct arg_list *words);

/* Sorts the words and keeps each once. */
void words_sort(struct arg_list *words);

bool words_have(const struct arg_list *sorted, const char *word);

#endif
