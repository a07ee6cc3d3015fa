/* Reads only as much of a C++ symbol as a kernel's name needs: the last of the identifiers it
 * begins with. Left out on purpose: parameter types, template arguments, operators, members of
 * class templates; none of them can be a kernel's own name. */
#include "cli/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Reads `<length><identifier>` at `at`. Returns what follows it, or NULL if there is none. */
static const char *read_identifier(const char *at, const char **identifier, size_t *len)
{
    size_t n = 0;
    if (!isdigit((unsigned char)*at))
        return NULL;
    for (; isdigit((unsigned char)*at); at++) {
        if (n > SIZE_MAX / 20)
            return NULL;
        n = n * 10 + (size_t)(*at - '0');
    }
    if (n == 0 || strnlen(at, n) < n)
        return NULL;
    *identifier = at;
    *len = n;
    return at + n;
}

const char *kernel_name_in_source(struct arena *arena, const char *name)
{
    const char *identifier = NULL;
    size_t len = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    const char *at = name + 2;
    bool is_nested = *at == 'N';
    if (is_nested || *at == 'L')
        at++;
    do {
        if (*at == 'L')
            at++;
        at = read_identifier(at, &identifier, &len);
    } while (at && is_nested);
    return identifier ? arena_strndup(arena, identifier, len) : name;
}
