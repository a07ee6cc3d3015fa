#include "lab/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A function of the C++ runtime, which has no header for C. The caller frees the result; NULL if
 * the name is not a symbol. */
extern char *__cxa_demangle(const char *symbol, char *buffer, size_t *bytes, int *status);

/* Longer symbols would not be readable anyway. */
enum { MAX_SYMBOL_BYTES = 4096 };

static char *whole_name(const char *symbol)
{
    int status;
    if (strncmp(symbol, "_Z", 2) != 0 || strnlen(symbol, MAX_SYMBOL_BYTES) == MAX_SYMBOL_BYTES)
        return NULL;
    return __cxa_demangle(symbol, NULL, NULL, &status);
}

/* Removes "(float*, int)" from the end, back to the matching bracket. */
static void cut_parameters(char *name)
{
    size_t n = strlen(name);
    int depth = 0;
    if (!n || name[n - 1] != ')')
        return;
    while (n--) {
        depth += name[n] == ')';
        depth -= name[n] == '(';
        if (depth == 0)
            break;
    }
    if (n > 0 && n < strlen(name))
        name[n] = 0;
}

const char *demangle_kernel(struct arena *arena, const char *symbol)
{
    static const char result[] = "void "; /* the result type, which template instances include; all
                                           * kernels return void */
    char *name = whole_name(symbol);
    if (!name)
        return symbol;
    cut_parameters(name);
    const char *begin =
        strncmp(name, result, sizeof result - 1) == 0 ? name + sizeof result - 1 : name;
    const char *copy = arena_strdup(arena, begin);
    free(name);
    return copy;
}

static bool is_of_symbol(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* Writes a word of `len` bytes, demangled if it is a symbol. */
static void add_word(const char *word, size_t len, struct strbuf *out)
{
    char symbol[MAX_SYMBOL_BYTES];
    char *name = NULL;
    if (len > 2 && len < sizeof symbol && word[0] == '_' && word[1] == 'Z') {
        memcpy(symbol, word, len);
        symbol[len] = 0;
        name = whole_name(symbol);
    }
    if (name)
        strbuf_add(out, name);
    else
        strbuf_add_n(out, word, len);
    free(name);
}

void demangle_text(const char *text, struct strbuf *out)
{
    while (*text) {
        size_t len = 0;
        while (is_of_symbol(text[len]))
            len++;
        if (len)
            add_word(text, len, out);
        else
            strbuf_add_n(out, text, len = 1);
        text += len;
    }
}
