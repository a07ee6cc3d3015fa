#include "base/beside.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void beside_program(struct strbuf *path)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    if (n > 0 && (size_t)n < sizeof self)
        strbuf_add_n(path, self, (size_t)n);
}

bool beside_find(const char *const *places, uint32_t n, struct strbuf *path)
{
    struct strbuf self = {0}, place = {0};
    beside_program(&self);
    const char *slash = strrchr(strbuf_text(&self), '/');
    int folder_len = slash ? (int)(slash - self.text) : 0;
    char *found = NULL;
    for (uint32_t i = 0; i < n && !found; i++) {
        strbuf_clear(&place);
        strbuf_addf(&place, "%.*s/%s", folder_len, strbuf_text(&self), places[i]);
        found = realpath(strbuf_text(&place), NULL);
    }
    if (found)
        strbuf_add(path, found);
    else
        strbuf_add_n(path, strbuf_text(&self), (size_t)folder_len);
    bool ok = found != NULL;
    free(found);
    strbuf_destroy(&self);
    strbuf_destroy(&place);
    return ok;
}
