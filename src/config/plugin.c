#include "config/plugin.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t plugin_count(const struct plugin_kind *kind)
{
    return kind->n_built_in + kind->n_added;
}

const struct plugin *plugin_at(const struct plugin_kind *kind, uint32_t i)
{
    assert(i < plugin_count(kind));
    return i < kind->n_built_in ? kind->built_in[i] : kind->added[i - kind->n_built_in];
}

const struct plugin *plugin_find(const struct plugin_kind *kind, const char *name)
{
    for (uint32_t i = 0; i < plugin_count(kind); i++)
        if (strcmp(plugin_at(kind, i)->name, name) == 0)
            return plugin_at(kind, i);
    return NULL;
}

/* Lower-case letters, digits and underscores, at least one. */
static bool is_name(const char *text)
{
    return text && *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool is_identity_sound(const struct plugin *p, struct strbuf *why)
{
    if (!is_name(p->name)) {
        strbuf_addf(why, "its name '%s' is not made of lower-case letters, digits and underscores",
                    p->name ? p->name : "");
        return false;
    }
    if (!p->summary || !*p->summary || !p->citation || !*p->citation) {
        strbuf_addf(why, "'%s' lacks a summary or a citation", p->name);
        return false;
    }
    return true;
}

static size_t value_bytes(enum param_type type)
{
    switch (type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_ENUM:
        return sizeof(uint32_t);
    case PARAM_TYPE_U64:
        return sizeof(uint64_t);
    case PARAM_TYPE_BOOL:
        return sizeof(bool);
    case PARAM_TYPE_STRING:
        return sizeof(const char *);
    }
    return SIZE_MAX;
}

/* Tries every default on a scratch copy of the values, so that a wrong offset cannot overrun
 * them. */
static bool are_params_sound(const struct plugin *p, struct strbuf *why)
{
    struct arena scratch = {0};
    void *values = arena_alloc(&scratch, p->params_bytes);
    bool sound = p->n_params == 0 || p->params;
    if (!sound)
        strbuf_addf(why, "'%s' has parameters but no table of them", p->name);
    for (uint32_t i = 0; sound && i < p->n_params; i++) {
        const struct param *row = &p->params[i];
        size_t bytes = value_bytes(row->type);
        sound = bytes <= p->params_bytes && row->offset <= p->params_bytes - bytes;
        if (!sound)
            strbuf_addf(why, "parameter '%s' of '%s' lies outside its struct", row->name, p->name);
        else if (!param_store(row, values, row->default_text, &scratch, why)) {
            strbuf_addf(why, ", the default of parameter '%s' of '%s'", row->name, p->name);
            sound = false;
        }
    }
    arena_destroy(&scratch);
    return sound;
}

static const struct plugin_stat *find_stat(const struct plugin *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_stats; i++)
        if (strcmp(p->stats[i].name, name) == 0)
            return &p->stats[i];
    return NULL;
}

/* What is wrong with a row; NULL if it is sound. */
static const char *flaw_of(const struct plugin *p, const struct plugin_stat *row)
{
    bool is_counter = row->kind == STAT_COUNTER;
    if (!is_name(row->name))
        return "has a name that is not made of lower-case letters, digits and underscores";
    if (!row->unit || !*row->unit || !row->help || !*row->help)
        return "has no unit or no meaning";
    if (is_counter ? row->read || row->join != STAT_SUM : !row->read)
        return is_counter ? "is a counter, which is summed up and needs no read()" : "lacks read()";
    if (is_counter &&
        (p->stats_bytes < sizeof(uint64_t) || row->offset > p->stats_bytes - sizeof(uint64_t)))
        return "lies outside its struct";
    return find_stat(p, row->name) == row ? NULL : "is listed twice";
}

static bool are_stats_sound(const struct plugin *p, struct strbuf *why)
{
    if (p->n_stats > PLUGIN_MAX_STATS || (p->n_stats && !p->stats)) {
        strbuf_addf(why, "'%s' has %u statistics%s", p->name, p->n_stats,
                    p->stats ? ", more than the limit" : " but no table of them");
        return false;
    }
    for (uint32_t i = 0; i < p->n_stats; i++) {
        const char *flaw = flaw_of(p, &p->stats[i]);
        if (flaw) {
            strbuf_addf(why, "statistic '%s' of '%s' %s", p->stats[i].name ? p->stats[i].name : "",
                        p->name, flaw);
            return false;
        }
    }
    return true;
}

/* Results of different plug-ins of a kind are compared by name. */
static bool do_units_agree(const struct plugin_kind *kind, const struct plugin *p,
                           struct strbuf *why)
{
    for (uint32_t i = 0; i < plugin_count(kind); i++)
        for (uint32_t k = 0; k < p->n_stats; k++) {
            const struct plugin *other = plugin_at(kind, i);
            const struct plugin_stat *row = &p->stats[k], *its = find_stat(other, row->name);
            if (its && strcmp(its->unit, row->unit) != 0) {
                strbuf_addf(why, "statistic '%s' of '%s' has the unit %s, that of '%s' has %s",
                            row->name, p->name, row->unit, other->name, its->unit);
                return false;
            }
        }
    return true;
}

bool plugin_is_sound(const struct plugin_kind *kind, const struct plugin *p, struct strbuf *why)
{
    if (p->abi_version != kind->abi_version) {
        strbuf_addf(why,
                    "it is a %s for interface version %u.%u, this Heddle has %u.%u: compile it "
                    "again with this Heddle's headers",
                    kind->what, p->abi_version >> 16, p->abi_version & 0xffff,
                    kind->abi_version >> 16, kind->abi_version & 0xffff);
        return false;
    }
    if (p->struct_size != kind->struct_size) {
        strbuf_addf(why, "its %s descriptor has %zu bytes, this Heddle's has %zu", kind->what,
                    p->struct_size, kind->struct_size);
        return false;
    }
    return is_identity_sound(p, why) && are_params_sound(p, why) && are_stats_sound(p, why) &&
           do_units_agree(kind, p, why);
}

bool plugin_register(struct plugin_kind *kind, const struct plugin *p, struct strbuf *why)
{
    if (!plugin_is_sound(kind, p, why))
        return false;
    if (plugin_find(kind, p->name)) {
        strbuf_addf(why, "a %s '%s' exists already", kind->what, p->name);
        return false;
    }
    if (kind->n_added == PLUGIN_MAX_ADDED) {
        strbuf_addf(why, "no more than %d %ss can be added", PLUGIN_MAX_ADDED, kind->what);
        return false;
    }
    kind->added[kind->n_added++] = p;
    return true;
}

const void *plugin_open(const char *path, const char *symbol, struct strbuf *why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        strbuf_addf(why, "cannot load it: %s", dlerror());
        return NULL;
    }
    const void *desc = dlsym(object, symbol);
    if (!desc) {
        strbuf_addf(why, "%s does not export '%s'", path, symbol);
        dlclose(object);
    }
    return desc;
}

const char *plugin_file(const struct plugin *p)
{
    Dl_info place; /* looks up a string of the descriptor, which may itself be a copy */
    return dladdr(p->name, &place) && place.dli_fname ? place.dli_fname : "";
}

void plugin_breach(const struct plugin *p, const char *contract, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    fprintf(stderr, "heddle: error: plug-in %s: '%s' ", plugin_file(p), p->name);
    vfprintf(stderr, what, args);
    fprintf(stderr, "\n  %s\n", contract);
    va_end(args);
    abort();
}

const void *plugin_values(const struct plugin *p, const void *values, struct arena *arena)
{
    void *copy = arena_alloc(arena, p->params_bytes);
    if (values && p->params_bytes)
        memcpy(copy, values, p->params_bytes);
    struct strbuf why = {0};
    for (uint32_t i = 0; !values && i < p->n_params; i++) {
        bool is_valid = param_store(&p->params[i], copy, p->params[i].default_text, arena, &why);
        assert(is_valid);
        (void)is_valid;
    }
    strbuf_destroy(&why);
    return copy;
}

uint64_t plugin_cost(struct strbuf *parts, const char *what, uint64_t bits)
{
    if (parts)
        strbuf_addf(parts, "%s %" PRIu64 "\n", what, bits);
    return bits;
}

uint32_t plugin_index_bits(uint64_t n)
{
    return n <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(n - 1);
}
