/* What every kind of plug-in shares: identity, parameters and statistics. A kind (scheduler, cache
 * policy, criticality provider) puts PLUGIN_HEAD first in its descriptor and adds its functions:
 *
 *     struct scheduler_desc {
 *         PLUGIN_HEAD;
 *         struct sched_pick (*pick)(...);
 *     };
 *
 * Descriptors are const and live as long as the program. The built-in ones come from one list per
 * kind; others are registered by a call or from a shared object, before any machine is built. A
 * shared object needs only Heddle's headers. The functions that it may call are PLUGIN_CALLABLE;
 * the program or library that loads it provides them. */
#ifndef HEDDLE_CONFIG_PLUGIN_H
#define HEDDLE_CONFIG_PLUGIN_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "config/param.h"
#include "config/plugin_stat.h"

/* Version and size come first, so that descriptors of any version can be recognised. */
#define PLUGIN_FIELDS                                                                              \
    uint32_t abi_version;       /* of the kind's interface */                                      \
    size_t struct_size;         /* of the whole descriptor */                                      \
    const char *name;           /* as a user writes it: lower case, digits, underscores */         \
    const char *summary;        /* what it does, in one line */                                    \
    const char *citation;       /* where it is described */                                        \
    const struct param *params; /* NULL if there are none */                                       \
    uint32_t n_params;                                                                             \
    size_t params_bytes; /* size of the struct that the parameters' offsets refer to */            \
    const struct plugin_stat *stats; /* NULL if there are none */                                  \
    uint32_t n_stats;                                                                              \
    size_t stats_bytes /* size of the struct that the counters' offsets refer to */

struct plugin {
    PLUGIN_FIELDS;
};

/* The version of a kind's interface: a number, raised when the meaning of something changes, and
 * the sizes of the structures that a plug-in reads. A plug-in compiled for other structures is
 * refused and never reads the wrong field. */
#define PLUGIN_ABI(number, sizes) ((uint32_t)(number) << 16 | (uint32_t)((sizes)&0xffff))

/* `d->name` and `&d->plugin` both work. */
#define PLUGIN_HEAD                                                                                \
    union {                                                                                        \
        struct plugin plugin;                                                                      \
        struct {                                                                                   \
            PLUGIN_FIELDS;                                                                         \
        };                                                                                         \
    }

/* Makes the descriptor of a shared object visible. */
#define PLUGIN_EXPORT __attribute__((visibility("default")))

enum { PLUGIN_MAX_ADDED = 64, PLUGIN_MAX_STATS = 24 };

struct plugin_kind {
    const char *what; /* "scheduler" */
    uint32_t abi_version;
    size_t struct_size;
    const struct plugin *const *built_in;
    uint32_t n_built_in;
    const struct plugin *added[PLUGIN_MAX_ADDED];
    uint32_t n_added;
};

uint32_t plugin_count(const struct plugin_kind *kind);
const struct plugin *plugin_at(const struct plugin_kind *kind, uint32_t i); /* built-in first */
const struct plugin *plugin_find(const struct plugin_kind *kind, const char *name); /* or NULL */

/* Is the head of a descriptor valid? If not, `why` says what is wrong. */
bool plugin_is_sound(const struct plugin_kind *kind, const struct plugin *p, struct strbuf *why);

/* Adds a sound descriptor with a new name; otherwise returns false, with the reason in `why`. */
bool plugin_register(struct plugin_kind *kind, const struct plugin *p, struct strbuf *why);

/* The descriptor that a shared object exports as `symbol`; NULL with the reason in `why`. The
 * object stays loaded. */
const void *plugin_open(const char *path, const char *symbol, struct strbuf *why);

/* The shared object that a plug-in came from. */
const char *plugin_file(const struct plugin *p);

/* Reports that a plug-in broke the contract of its kind, which is a bug in the plug-in: names the
 * plug-in, what it did, and the contract, then aborts as an assertion would. */
_Noreturn void plugin_breach(const struct plugin *p, const char *contract, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The parameter values of an instance, in the arena: a copy of `values`, or the defaults if NULL.
 * Strings in `values` are not copied. */
const void *plugin_values(const struct plugin *p, const void *values, struct arena *arena);

/* One item of a hardware cost: adds the line "what bits" to `parts` unless that is NULL, and
 * returns the bits. Shared objects may call this, as well as strbuf.h. */
uint64_t plugin_cost(struct strbuf *parts, const char *what, uint64_t bits)
    PLUGIN_CALLABLE(plugin_cost);

/* Bits needed to distinguish n things; 0 for one thing. */
uint32_t plugin_index_bits(uint64_t n) PLUGIN_CALLABLE(plugin_index_bits);

#endif
