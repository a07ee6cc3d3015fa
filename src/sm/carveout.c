#include "sm/carveout.h"

#include <string.h>

#include "config/number.h"

static bool add_size(struct carveout *c, const char *word, struct strbuf *why)
{
    uint64_t bytes;
    if (!number_parse_bytes(word, &bytes))
        strbuf_addf(why, "'%s' is not a size of shared memory", word);
    else if (c->n == CARVEOUT_MAX_SIZES)
        strbuf_addf(why, "at most %d sizes of shared memory are possible", CARVEOUT_MAX_SIZES);
    else if (c->n && bytes <= c->shared_bytes[c->n - 1])
        strbuf_addf(why, "sizes of shared memory must be in ascending order: '%s' is not", word);
    else {
        c->shared_bytes[c->n++] = bytes;
        return true;
    }
    return false;
}

bool carveout_parse(const char *text, struct carveout *out, struct strbuf *why)
{
    *out = (struct carveout){0};
    if (strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t len = strcspn(text, ",");
        char word[32] = "";
        memcpy(word, text, len < sizeof word - 1 ? len : sizeof word - 1);
        if (!add_size(out, word, why))
            return false;
        if (!text[len])
            return true;
        text += len + 1;
    }
}

static uint64_t way_bytes(const struct cache_config *l1d)
{
    return (uint64_t)l1d->n_sets * l1d->line_bytes;
}

bool carveout_check(const struct carveout *c, const struct cache_config *l1d, struct strbuf *why)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t shared = c->shared_bytes[i], way = way_bytes(l1d);
        if (shared % way == 0 && shared / way < l1d->n_ways)
            continue;
        strbuf_addf(why, "%llu bytes of shared memory %s of an L1D with %u ways of %llu bytes",
                    (unsigned long long)shared,
                    shared % way ? "are not whole ways" : "leave no way", l1d->n_ways,
                    (unsigned long long)way);
        return false;
    }
    return true;
}

uint64_t carveout_largest(const struct carveout *c, uint64_t most)
{
    uint64_t largest = c->n ? c->shared_bytes[c->n - 1] : most;
    return largest < most ? largest : most;
}

uint32_t carveout_ways(const struct carveout *c, const struct cache_config *l1d,
                       uint64_t shared_bytes)
{
    if (!c->n)
        return l1d->n_ways;
    uint32_t i = 0;
    while (i + 1 < c->n && c->shared_bytes[i] < shared_bytes)
        i++;
    return l1d->n_ways - (uint32_t)(c->shared_bytes[i] / way_bytes(l1d));
}
