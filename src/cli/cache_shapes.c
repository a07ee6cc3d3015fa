/* The caches that the options of heddle cache name, with the recorded one as the default. */
#include <stdlib.h>
#include <string.h>

#include "cli/cache_lab.h"
#include "cli/output.h"
#include "config/number.h"

enum { MAX_NUMBERS = 64, MAX_NUMBER = 1 << 30 };

struct numbers {
    uint32_t items[MAX_NUMBERS], n;
};

/* The index of one of several words; unchanged if no word is given. */
static enum heddle_status choose_word(const char *option, const char *given,
                                      const char *const *words, uint32_t *out)
{
    for (uint32_t i = 0; given && words[i]; i++)
        if (strcmp(given, words[i]) == 0) {
            *out = i;
            return HEDDLE_OK;
        }
    if (!given)
        return HEDDLE_OK;
    struct strbuf all = {0};
    for (uint32_t i = 0; words[i]; i++)
        strbuf_addf(&all, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    output_error("--%s %s: expected %s", option, given, strbuf_text(&all));
    strbuf_destroy(&all);
    return HEDDLE_BAD_INPUT;
}

/* Numbers separated by commas; the recorded one if none is given. */
static enum heddle_status choose(const char *option, const char *given, uint32_t recorded,
                                 struct numbers *out)
{
    struct arena arena = {0};
    char *rest = given ? arena_strdup(&arena, given) : NULL;
    bool ok = true;
    for (char *word; ok && rest && (word = strsep(&rest, ","));) {
        uint64_t number = 0;
        ok = out->n < MAX_NUMBERS && number_parse_bytes(word, &number) && number &&
             number <= MAX_NUMBER;
        if (ok)
            out->items[out->n++] = (uint32_t)number;
    }
    arena_destroy(&arena);
    if (!given && recorded)
        out->items[out->n++] = recorded;
    if (!ok)
        output_error("--%s %s: expected whole numbers from 1 to 2^30, such as 4,8", option, given);
    else if (!out->n)
        output_error("the cache's --%s is missing: there is no recording that gives it", option);
    return ok && out->n ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static bool has_sectors(const struct cache_options *o, const struct lab_stream *s)
{
    return s->sector_bytes < s->line_bytes && s->sector_bytes && !o->whole_lines;
}

/* Sectors apply to lines of the recorded size; others are fetched whole. */
static uint32_t sectors_of(const struct cache_options *o, const struct lab_stream *s,
                           uint32_t line_bytes)
{
    if (!has_sectors(o, s))
        return 0;
    if (line_bytes == s->line_bytes)
        return s->sector_bytes;
    output_warnings("heddle: warning: the recorded L1D fetches sectors; lines of another size are "
                    "fetched whole here\n");
    return 0;
}

static enum heddle_status check(const struct lab_config *c, const struct lab_stream *s)
{
    struct strbuf why = {0};
    bool ok = lab_config_check(c, s, &why);
    if (!ok)
        output_error("%s", strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

enum heddle_status cache_lab_shapes(const struct cache_options *o, const struct lab_stream *s,
                                    bool has_ways, struct lab_config **out, uint32_t *n)
{
    static const char *const indices[] = {"linear", "hash", NULL};
    static const char *const stores[] = {"evict", "keep", "write_back", NULL};
    enum { WRITE_BACK = 2 };
    struct lab_config common = {.policy = lab_policy_find("lru")};
    struct numbers sets = {0}, ways = {0}, lines = {0};
    enum heddle_status status = choose("sets", o->sets, s->n_sets, &sets);
    if (status == HEDDLE_OK)
        status = choose("ways", o->ways, has_ways ? s->n_ways : 1, &ways);
    if (status == HEDDLE_OK)
        status = choose("line", o->lines, s->line_bytes, &lines);
    common.index = s->index;
    common.stores_keep = s->stores_keep;
    if (status == HEDDLE_OK)
        status = choose_word("index", o->index, indices, &common.index);
    if (status == HEDDLE_OK)
        status = choose_word("stores", o->stores, stores, &common.stores_keep);
    common.write_back = common.stores_keep == WRITE_BACK;
    common.flush_at_end = o->flush;
    common.stores_keep = common.stores_keep != 0;
    *out = xcalloc((size_t)sets.n * ways.n * lines.n + 1, sizeof **out);
    *n = 0;
    for (uint32_t l = 0; l < lines.n && status == HEDDLE_OK; l++) {
        uint32_t sector_bytes =
            o->sector.is_given ? (uint32_t)o->sector.value : sectors_of(o, s, lines.items[l]);
        for (uint32_t i = 0; i < sets.n && status == HEDDLE_OK; i++)
            for (uint32_t w = 0; w < ways.n && status == HEDDLE_OK; w++) {
                common.line_bytes = lines.items[l];
                common.sector_bytes = sector_bytes;
                common.n_sets = sets.items[i];
                common.n_ways = ways.items[w];
                (*out)[(*n)++] = common;
                status = check(&common, s);
            }
    }
    return status;
}

enum heddle_status cache_lab_shape(const struct cache_options *o, const struct lab_stream *s,
                                   struct lab_config *out)
{
    struct lab_config *shapes;
    uint32_t n;
    enum heddle_status status = cache_lab_shapes(o, s, false, &shapes, &n);
    if (status == HEDDLE_OK && n > 1) {
        output_error("only a replay can use several caches at once");
        status = HEDDLE_BAD_INPUT;
    }
    *out = shapes[0];
    if (status == HEDDLE_OK && out->sector_bytes)
        output_warnings("heddle: warning: the recorded L1D fetches sectors; here whole lines "
                        "count, whichever sectors are requested\n");
    free(shapes);
    return status;
}
