#include "lab/model.h"

#include <stddef.h>
#include <string.h>

const char *model_part_digest(const char *kind, const char *name)
{
    uint32_t n;
    const struct model_part *parts = model_parts(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(parts[i].kind, kind) == 0 && strcmp(parts[i].name, name) == 0)
            return parts[i].digest;
    return NULL;
}
