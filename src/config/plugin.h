/* What every kind of plug-in shares: who it is, its parameters and its statistics. A kind
 * (scheduler, cache policy, criticality provider) puts PLUGIN_HEAD first in its descriptor and adds
 * its functions:
 *
 *     struct scheduler_desc {
 *         PLUGIN_HEAD;
 *         struct sched_pick (*pick)(...);
 *     };
 *
 * Descriptors are const and live as long as the program. The built-in ones come from one list per
 * kind; others are registered by hand or from a shared object, before any machine is built. A
 * shared object needs Heddle's headers only; the functions that it may call are PLUGIN_CALLABLE,
 * and it finds them in the program or library that loads it. */
#ifndef HEDDLE_CONFIG_PLUGIN_H
#define HEDDLE_CONFIG_PLUGIN_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "config/param.h"
#include "config/plugin_stat.h"

/* The version and size come first, so that a descriptor of any age can be told apart. */
#define PLUGIN_FIELDS                                                                              \
    uint32_t abi_version;       /* of the kind */                                                  \
    size_t struct_size;         /* of the whole descriptor */                                      \
    const char *name;           /* as a user writes it: lower case, digits, underscores */         \
    const char *summary;        /* what it does, in a line */                                      \
    const char *citation;       /* where it is described */                                        \
    const struct param *params; /* NULL if there are none */                                       \
    uint32_t n_params;                                                                             \
    size_t params_bytes;             /* of the struct that the parameters' offsets refer to */     \
    const struct plugin_stat *stats; /* NULL if there are none */                                  \
    uint32_t n_stats;                                                                              \
    size_t stats_bytes /* of the struct that the counters' offsets refer to */

struct plugin {
    PLUGIN_FIELDS;
};

/* The version of a kind's interface: a number, raised when something comes to mean another thing,
 * and the sizes of the structures a plug-in reads, so that one that was compiled for others is
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

/* Is the head of a descriptor fit for use? Otherwise `why` says what is wrong with it. */
bool plugin_is_sound(const struct plugin_kind *kind, const struct plugin *p, struct strbuf *why);

/* Adds a sound one whose name is new; otherwise false, with the reason in `why`. */
bool plugin_register(struct plugin_kind *kind, const struct plugin *p, struct strbuf *why);

/* The descriptor that a shared object exports as `symbol`; NULL with the reason in `why`. The
 * object stays loaded. */
const void *plugin_open(const char *path, const char *symbol, struct strbuf *why);

/* The shared object that a plug-in came from. */
const char *plugin_file(const struct plugin *p);

/* A plug-in did what the contract of its kind forbids, a mistake in its program: says which one did
 * what, and what the contract is, and aborts as an assertion would. */
_Noreturn void plugin_breach(const struct plugin *p, const char *contract, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The values an instance works with, in the arena: a copy of `values`, or the defaults if NULL.
 * Strings in `values` are not copied. */
const void *plugin_values(const struct plugin *p, const void *values, struct arena *arena);

/* One part of a hardware cost: adds the line "what bits" to `parts` unless that is NULL, and
 * returns the bits. Shared objects may call this, as they may strbuf.h. */
uint64_t plugin_cost(struct strbuf *parts, const char *what, uint64_t bits)
    PLUGIN_CALLABLE(plugin_cost);

/* Bits that tell n things apart; 0 for one thing. */
uint32_t plugin_index_bits(uint64_t n) PLUGIN_CALLABLE(plugin_index_bits);

#endif
