#include "front/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_comment(const char *p)
{
    if (p[1] == '/')
        return p + strcspn(p, "\n");
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

static void add(struct arg_list *words, const char *word, size_t len)
{
    const char *copy = arena_strndup(words->arena, word, len);
    ARRAY_RESERVE(words->items, words->cap, words->n + 1);
    words->items[words->n++] = copy;
}

static void add_called(struct arg_list *words, const char *word, size_t len)
{
    args_addf(words, "%.*s(", (int)len, word);
}

void words_collect(const char *p, bool calls, struct arg_list *words)
{
    while (*p) {
        if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            p = skip_comment(p);
        } else if (is_word_char(*p)) {
            size_t len = 0;
            while (is_word_char(p[len]))
                len++;
            add(words, p, len);
            if (calls && p[len + strspn(p + len, " \t\n")] == '(')
                add_called(words, p, len);
            p += len;
        } else {
            p++;
        }
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void words_sort(struct arg_list *words)
{
    size_t n = 0;
    if (words->n)
        qsort(words->items, words->n, sizeof *words->items, compare);
    for (size_t i = 0; i < words->n; i++)
        if (n == 0 || strcmp(words->items[i], words->items[n - 1]) != 0)
            words->items[n++] = words->items[i];
    words->n = n;
}

bool words_have(const struct arg_list *sorted, const char *word)
{
    return sorted->n && bsearch(&word, sorted->items, sorted->n, sizeof *sorted->items, compare);
}
